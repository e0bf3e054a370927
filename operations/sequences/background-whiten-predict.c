/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame on the device or in C; see whiten-request.h.
 *
 * The frames of the history are tables that stay on the device, so that each travels once: the launch has a list of them.  So does
 * the current one if it is kept; else it is the request's input.
 */
#include "config.h"

#include "whiten-request.h"

#include <math.h>

#include "background-whiten.cl.h"

#define PIXELS     4            /* of a work-item, ... */
#define STEP       32           /* ... and how far they are apart: opencl/kernels/background-whiten.cl */
#define AT_ONCE    8            /* frames */

typedef struct
{
  gint32 x, y;
} Move;

typedef struct
{
  gfloat a, mean;
} Weight;

typedef struct
{
  const WhitenFrames *frames;
  const CountPlane   *current, *history[WEIGHTS_MAX_FRAMES];   /* the frames' planes */
  const Weights      *weights;
  WhitenResult        result;
  gfloat              factor;
  WhitenPlanes       *planes;   /* where C computes, ... */
  gboolean           *is_in_c;  /* ... and whether it did */
  const GeglBuffer   *output;   /* the request's; of both the background's pixels in the planes */
  Move                moves[WEIGHTS_MAX_FRAMES];        /* of the frames; the rest of the array repeats the last one, here and below */
  Weight              table[WEIGHTS_MAX_FRAMES];
  gint32              behind[WEIGHTS_MAX_FRAMES];       /* pixels: the moves, in memory */
  gint                left, top, right, bottom;         /* where all frames reach; all 0: nowhere */
} Prediction;

/* -------------------------------------------------------------------- in C -- */

typedef struct
{
  const TesseraRequest *request;
  const CountPlane     *plane;
  gfloat                factor;
} Writing;

static void
write_rows (gsize first, gsize n, gpointer data)
{
  const Writing        *w = data;
  const GeglRectangle  *roi = &w->request->roi, *bounds = &w->request->bounds;
  g_autofree gfloat *row = g_new (gfloat, roi->width);

  for (gint y = roi->y + (gint) first; y < roi->y + (gint) (first + n); y++)
    {
      const gfloat *from = w->plane->pixels + (gsize) (y - bounds->y) * w->plane->width + roi->x - bounds->x;

      for (gint x = 0; x < roi->width; x++)
        row[x] = isnan (from[x]) ? 0.0f : from[x] * w->factor;
      tessera_write (w->request->output, GEGL_RECTANGLE (roi->x, y, roi->width, 1), w->request->output_format, row,
                     sizeof (gfloat) * roi->width);
    }
}

static void
write_spread (const TesseraRequest *request)
{
  tessera_spread_range (request->roi.height, 64.0 * 64.0 / request->roi.width, write_rows, (gpointer) &(const Writing) {
    request, ((const Writing *) request->params)->plane, ((const Writing *) request->params)->factor });
}

gboolean
background_whiten_write (const TesseraRequest *request, const CountPlane *plane, gfloat factor)
{
  static const TesseraFilter filter = { .name = "background-whiten", .spread = write_spread };

  const Writing  writing = { .plane = plane, .factor = factor };
  TesseraRequest copy = *request;

  copy.filter = &filter;
  copy.params = &writing;
  return tessera_process (&copy);
}

static void
predict_into (const TesseraRequest *request, WhitenPlanes *planes)
{
  const Prediction *p = request->params;
  Writing           writing = { request, p->result == WHITEN_WHITENED ? &planes->whitened : &planes->background, p->factor };

  whiten_predict (p->current, p->history, p->weights, planes);
  if (p->result != WHITEN_BOTH)
    tessera_spread_range (request->roi.height, 64.0 * 64.0 / request->roi.width, write_rows, &writing);
}

/* The device's result, which may be in the planes, is compared with this one. */
static void
predict_apart (const TesseraRequest *request)
{
  const Prediction *p = request->params;
  WhitenPlanes      made;

  whiten_planes_init (&made, p->current->width, p->current->height);
  predict_into (request, &made);
  if (p->result == WHITEN_BOTH)
    gegl_buffer_set (request->output, &request->roi, 0, request->output_format, made.background.pixels, GEGL_AUTO_ROWSTRIDE);
  whiten_planes_clear (&made);
}

static void
predict_in_c (const TesseraRequest *request)
{
  const Prediction *p = request->params;

  if (request->output != p->output)
    {
      predict_apart (request);
      return;
    }
  predict_into (request, p->planes);
  *p->is_in_c = TRUE;
}

/* ----------------------------------------------------------- on the device -- */

static gsize
frame_bytes (const Prediction *p)
{
  return sizeof (gfloat) * (gsize) p->current->width * p->current->height;
}

static gboolean
current_stays (const WhitenFrames *frames)
{
  return frames->all[frames->n].kept != NULL;
}

/* The frames and their tables. */
static gsize
scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const Prediction *p = request->params;

  return (p->frames->n + current_stays (p->frames)) * frame_bytes (p) + sizeof p->moves + sizeof p->table + sizeof p->behind;
}

static gint
bring (TesseraBand *band, const Prediction *p, gint k, TesseraMemory **memory)
{
  const WhitenFrame *frame = &p->frames->all[k];

  return tessera_kept_table (band, frame->kept, frame->plane.pixels, frame_bytes (p), memory);
}

/* The current frame where it is no input: rows of the whole frame. */
static gint
bring_current (TesseraBand *band, const Prediction *p, TesseraImage *current)
{
  const CountPlane    *plane = p->current;
  const GeglRectangle *bounds = &band->request->bounds;

  *current = band->input;
  if (! current_stays (p->frames))
    return 0;
  *current = (TesseraImage) { bounds->x, bounds->y, plane->width, plane->height, plane->width, 1, NULL };
  return bring (band, p, p->frames->n, &current->memory);
}

/* Of so many frames at once as the kernel reads. */
static gint
bring_tables (TesseraBand *band, const Prediction *p, TesseraMemory *tables[3])
{
  const gint n = (p->frames->n + AT_ONCE - 1) / AT_ONCE * AT_ONCE;
  gint       status;

  if ((status = tessera_table (band, p->moves, n * sizeof (Move), &tables[0])) != 0
      || (status = tessera_table (band, p->table, n * sizeof (Weight), &tables[1])) != 0)
    return status;
  return tessera_table (band, p->behind, n * sizeof (gint32), &tables[2]);
}

static gint
launch_pixels (TesseraBand *band, const TesseraBand *with_current, TesseraMemory *const *frames, TesseraMemory *const *tables)
{
  const Prediction    *p = band->request->params;
  const GeglRectangle *bounds = &band->request->bounds;
  const gint           n = p->frames->n, across = (band->output.width + PIXELS * STEP - 1) / (PIXELS * STEP);

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "whiten_pixels", .size = { across * STEP, band->output.height }, .group = { 64, 4 }, .cost = PIXELS * (n + 2),
    .args = { INPUT_ARGS (with_current), OUTPUT_ARGS (band), LIST_ARG (frames, n, WEIGHTS_MAX_FRAMES), ARG (tables[0]), ARG (tables[1]), ARG (tables[2]),
              ARG (n), ARG (p->right > 0 ? n : 0), ARG (band->output.x - bounds->x), ARG (band->output.y - bounds->y), ARG (p->current->width),
              ARG (p->current->height), ARG (p->left), ARG (p->top), ARG (p->right), ARG (p->bottom), ARG ((gfloat) p->weights->level),
              ARG ((gint) p->result), ARG (p->factor) }
  });
}

static gint
predict_on_device (TesseraBand *band)
{
  const Prediction *p = band->request->params;
  TesseraBand       with_current = *band;
  TesseraMemory    *frames[WEIGHTS_MAX_FRAMES], *tables[3];
  gint              status = bring_current (band, p, &with_current.input);

  if (status != 0 || (status = bring_tables (band, p, tables)) != 0)
    return status;
  for (gint k = 0; k < p->frames->n; k++)
    if ((status = bring (band, p, k, &frames[k])) != 0)
      return status;
  return launch_pixels (band, &with_current, frames, tables);
}

static const TesseraFilter predict_filter = {
  .name = "background-whiten", .source = tessera_background_whiten_cl, .spread = predict_in_c, .scratch_bytes = scratch_bytes,
  .device = predict_on_device, .whole = TRUE
};

/* ------------------------------------------------------------- the request -- */

typedef struct
{
  const CountPlane *current;
  WhitenPlanes     *planes;
} Splitting;

/* A NaN becomes that of C: those of devices have other bits, which files would keep. */
TESSERA_CLONES static void
split (const gfloat *restrict current, gsize n, gfloat *restrict background, gfloat *restrict whitened)
{
  for (gsize i = 0; i < n; i++)
    {
      const gfloat value = background[i] == background[i] ? background[i] : NAN;

      background[i] = value;
      whitened[i] = current[i] - value;
    }
}

static void
split_rows (gsize first, gsize n, gpointer data)
{
  const Splitting *s = data;
  const gsize      begin = first * s->current->width;

  split (s->current->pixels + begin, n * s->current->width, s->planes->background.pixels + begin, s->planes->whitened.pixels + begin);
}

/* The whole frame, into the background's pixels. */
static void
aim_at_planes (TesseraRequest *request, WhitenPlanes *planes)
{
  request->roi = request->bounds;
  request->output = tessera_reached_buffer (planes->background.pixels, request->output_format, &request->bounds);
}

static void
weigh (Prediction *p, const WeightsSettings *settings, Weights *weights)
{
  const WhitenFrames *frames = p->frames;
  FrameShift          shifts[WEIGHTS_MAX_FRAMES];

  for (gint k = 0; k < frames->n; k++)
    {
      p->history[k] = &frames->all[k].plane;
      shifts[k] = frames->all[k].shift;
    }
  weights_find (p->current, frames->all[frames->n].shift, p->history, shifts, frames->n, settings, weights);
}

static void
find_tables (Prediction *p)
{
  const Weights *weights = p->weights;
  const gint     width = p->current->width, height = p->current->height;

  p->right = width;
  p->bottom = height;
  for (gint i = 0; i < WEIGHTS_MAX_FRAMES; i++)
    {
      const gint k = MIN (i, p->frames->n - 1), x = weights->move_x[k], y = weights->move_y[k];

      p->moves[i] = (Move) { x, y };
      p->table[i] = (Weight) { (gfloat) weights->a[k], (gfloat) weights->mean[k] };
      p->left = MAX (p->left, x);
      p->top = MAX (p->top, y);
      p->right = MIN (p->right, width + x);
      p->bottom = MIN (p->bottom, height + y);
    }
  if (p->left >= p->right || p->top >= p->bottom)
    p->left = p->top = p->right = p->bottom = 0;
  for (gint i = 0; i < WEIGHTS_MAX_FRAMES && p->right > 0; i++)
    p->behind[i] = p->moves[i].y * width + p->moves[i].x;
}

gboolean
background_whiten_predict (const TesseraRequest *request, const WhitenFrames *frames, const WeightsSettings *settings,
                           WhitenResult result, gfloat factor, WhitenPlanes *planes, Weights *weights)
{
  gboolean       is_in_c = FALSE, success;
  TesseraRequest copy = *request;
  Prediction     p = { .frames = frames, .current = &frames->all[frames->n].plane, .weights = weights, .result = result,
                       .factor = factor, .planes = planes, .is_in_c = &is_in_c };

  weigh (&p, settings, weights);
  find_tables (&p);
  copy.filter = &predict_filter;
  copy.is_blind = current_stays (frames);
  copy.params = &p;
  copy.cost_class = frames->n;
  copy.input_format = request->output_format;
  copy.input = gegl_buffer_linear_new_from_data (p.current->pixels, copy.input_format, &request->bounds, GEGL_AUTO_ROWSTRIDE, NULL, NULL);
  if (result == WHITEN_BOTH)
    aim_at_planes (&copy, planes);
  p.output = copy.output;
  success = tessera_process (&copy);
  if (result == WHITEN_BOTH)
    {
      g_object_unref (copy.output);
      if (tessera_reached_is_lost (planes->background.pixels))
        {
          tessera_reached_free (planes->background.pixels);
          planes->background.pixels = tessera_reached_new (frame_bytes (&p));
          whiten_predict (p.current, p.history, weights, planes);
        }
      else if (! is_in_c)               /* the background alone has come */
        tessera_spread_range (p.current->height, 64.0 * 64.0 / p.current->width, split_rows,
                              &(Splitting) { p.current, planes });
    }
  g_object_unref (copy.input);
  return success;
}
