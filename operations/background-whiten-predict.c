/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame on the device or in C; see background-whiten.h.
 *
 * The request's input is the prepared current frame.  The frames of the history are tables that stay on the device, so that each travels
 * once.  A launch has some of them as arguments.
 */
#include "background-whiten.h"

#include <math.h>

#include "background-whiten.cl.h"

#define AT_ONCE 8               /* frames of a launch; as the kernels' arguments */

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
  const History *history;
  const Weights *weights;
  WhitenResult   result;
  gfloat         factor;
  WhitenPlanes  *planes;        /* where C computes, ... */
  gboolean      *is_in_c;       /* ... and whether it did */
  const CountPlane *frames[WEIGHTS_MAX_FRAMES];
  Move           moves[WEIGHTS_MAX_FRAMES];
  Weight         table[WEIGHTS_MAX_FRAMES];
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
  gfloat               *row = g_new (gfloat, roi->width);

  for (gint y = roi->y + (gint) first; y < roi->y + (gint) (first + n); y++)
    {
      const gfloat *from = w->plane->pixels + (gsize) (y - bounds->y) * w->plane->width + roi->x - bounds->x;

      for (gint x = 0; x < roi->width; x++)
        row[x] = isnan (from[x]) ? 0.0f : from[x] * w->factor;
      tessera_write (w->request->output, GEGL_RECTANGLE (roi->x, y, roi->width, 1), w->request->output_format, row,
                     sizeof (gfloat) * roi->width);
    }
  g_free (row);
}

static void
write_spread (const TesseraRequest *request)
{
  gegl_parallel_distribute_range (request->roi.height, 64.0 * 64.0 / request->roi.width, write_rows, (gpointer) &(const Writing) {
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
predict_in_c (const TesseraRequest *request)
{
  const Prediction *p = request->params;
  Writing           writing = { request, p->result == WHITEN_WHITENED ? &p->planes->whitened : &p->planes->background, p->factor };

  whiten_predict (&p->history->planes[p->history->n], p->frames, p->weights, p->planes);
  *p->is_in_c = TRUE;
  if (p->result != WHITEN_BOTH)
    gegl_parallel_distribute_range (request->roi.height, 64.0 * 64.0 / request->roi.width, write_rows, &writing);
}

/* ----------------------------------------------------------- on the device -- */

static gsize
frame_bytes (const Prediction *p)
{
  return sizeof (gfloat) * (gsize) p->frames[0]->width * p->frames[0]->height;
}

/* The frames, their tables, a sum and four floats a pixel. */
static gsize
scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Prediction *p = request->params;

  return p->history->n * frame_bytes (p) + sizeof p->moves + sizeof p->table + 5 * sizeof (gfloat) * (gsize) width * height;
}

/* What the launches have in common. */
typedef struct
{
  TesseraMemory *frames[WEIGHTS_MAX_FRAMES], *moves, *weights, *sums, *some;
} Memories;

static gint
bring (TesseraBand *band, const Prediction *p, Memories *m)
{
  const gint  n = p->history->n;
  const gsize pixels = (gsize) band->output.width * band->output.height;
  gint        status = 0;

  for (gint k = 0; k < n && status == 0; k++)
    if (p->history->kept[k])
      status = tessera_kept_table (band, p->history->kept[k]->serial, p->frames[k]->pixels, frame_bytes (p), &m->frames[k]);
    else
      status = tessera_table (band, p->frames[k]->pixels, frame_bytes (p), &m->frames[k]);
  if (status != 0
      || (status = tessera_table (band, p->moves, n * sizeof (Move), &m->moves)) != 0
      || (status = tessera_table (band, p->table, n * sizeof (Weight), &m->weights)) != 0
      || (status = tessera_scratch (band, pixels * sizeof (gfloat), &m->sums)) != 0)
    return status;
  return tessera_scratch (band, 4 * pixels * sizeof (gfloat), &m->some);
}

/* Adds some frames to the sums, or to those of pixels that have no sum. */
static gint
add_frames (TesseraBand *band, const Prediction *p, const Memories *m, gboolean some, gint first)
{
  const GeglRectangle *bounds = &band->request->bounds;
  const gint           n = MIN (AT_ONCE, p->history->n - first);
  TesseraMemory       *f[AT_ONCE];

  for (gint i = 0; i < AT_ONCE; i++)
    f[i] = m->frames[first + (i < n ? i : 0)];
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = some ? "whiten_add_some" : "whiten_add", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = n + 2,
    .args = { ARG (m->sums), ARG (band->output.width), ARG (band->output.height), ARG (f[0]), ARG (f[1]), ARG (f[2]),
              ARG (f[3]), ARG (f[4]), ARG (f[5]), ARG (f[6]), ARG (f[7]), ARG (m->moves), ARG (m->weights), ARG (first), ARG (n),
              ARG (band->output.x - bounds->x), ARG (band->output.y - bounds->y), ARG (p->frames[0]->width), ARG (p->frames[0]->height),
              some ? ARG (m->some) : NO_ARG, some ? ARG ((gfloat) p->weights->level) : NO_ARG }
  });
}

static gint
predict_on_device (TesseraBand *band)
{
  const Prediction *p = band->request->params;
  Memories          m;
  gint              status = bring (band, p, &m);

  for (gint k = 0; k < p->history->n && status == 0; k += AT_ONCE)
    status = add_frames (band, p, &m, FALSE, k);
  for (gint k = 0; k < p->history->n && status == 0; k += AT_ONCE)
    status = add_frames (band, p, &m, TRUE, k);
  if (status != 0)
    return status;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "whiten_finish", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = 4,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), ARG (m.sums), ARG (m.some), ARG ((gfloat) p->weights->level),
              ARG ((gint) p->result), ARG (p->factor) }
  });
}

static const TesseraFilter predict_filter = {
  .name = "background-whiten", .source = tessera_background_whiten_cl, .spread = predict_in_c, .scratch_bytes = scratch_bytes,
  .device = predict_on_device, .whole = TRUE
};

/* ------------------------------------------------------------- the request -- */

/* What C makes of the background alone. */
static void
split (const CountPlane *current, WhitenPlanes *planes)
{
  const gsize n = (gsize) current->width * current->height;

  for (gsize i = 0; i < n; i++)
    planes->whitened.pixels[i] = current->pixels[i] - planes->background.pixels[i];
}

/* The whole frame, into the background's pixels. */
static void
aim_at_planes (TesseraRequest *request, WhitenPlanes *planes)
{
  request->roi = request->bounds;
  request->output = gegl_buffer_linear_new_from_data (planes->background.pixels, request->output_format, &request->bounds,
                                                      GEGL_AUTO_ROWSTRIDE, NULL, NULL);
}

gboolean
background_whiten_predict (const TesseraRequest *request, const History *history, const Weights *weights, WhitenResult result,
                           gfloat factor, WhitenPlanes *planes)
{
  const CountPlane *current = &history->planes[history->n];
  gboolean          is_in_c = FALSE, success;
  TesseraRequest    copy = *request;
  Prediction        p = { .history = history, .weights = weights, .result = result, .factor = factor, .planes = planes,
                          .is_in_c = &is_in_c };

  for (gint k = 0; k < history->n; k++)
    {
      p.frames[k] = &history->planes[k];
      p.moves[k] = (Move) { weights->move_x[k], weights->move_y[k] };
      p.table[k] = (Weight) { (gfloat) weights->a[k], (gfloat) weights->mean[k] };
    }
  copy.filter = &predict_filter;
  copy.params = &p;
  copy.cost_class = history->n;
  copy.input_format = request->output_format;
  copy.input = gegl_buffer_linear_new_from_data (current->pixels, copy.input_format, &request->bounds, GEGL_AUTO_ROWSTRIDE, NULL, NULL);
  if (result == WHITEN_BOTH)
    aim_at_planes (&copy, planes);
  success = tessera_process (&copy);
  if (result == WHITEN_BOTH)
    {
      g_object_unref (copy.output);
      if (! is_in_c)
        split (current, planes);
    }
  g_object_unref (copy.input);
  return success;
}
