/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame on the device or in C; see background-whiten.h.
 *
 * The request's input is the prepared current frame.  The history goes to the device in one table.
 */
#include "background-whiten.h"

#include <math.h>
#include <string.h>

#include "background-whiten.cl.h"

typedef struct
{
  gint32 x, y, frame, unused;
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
  gfloat       **packed;        /* all frames of the history, once the device wants them */
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
history_bytes (const Prediction *p)
{
  return sizeof (gfloat) * p->history->n * (gsize) p->frames[0]->width * p->frames[0]->height;
}

static gsize
scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const Prediction *p = request->params;

  return history_bytes (p) + sizeof p->moves + sizeof p->table;
}

static void
pack (const Prediction *p)
{
  const gsize plane = (gsize) p->frames[0]->width * p->frames[0]->height;

  *p->packed = tessera_large_new (history_bytes (p));
  for (gint k = 0; k < p->history->n; k++)
    memcpy (*p->packed + k * plane, p->frames[k]->pixels, sizeof (gfloat) * plane);
}

static gint
predict_on_device (TesseraBand *band)
{
  const Prediction    *p = band->request->params;
  const GeglRectangle *bounds = &band->request->bounds;
  TesseraMemory       *frames, *moves, *table;
  gint                 status;

  if (! *p->packed)
    pack (p);
  if ((status = tessera_table (band, *p->packed, history_bytes (p), &frames)) != 0
      || (status = tessera_table (band, p->moves, p->history->n * sizeof (Move), &moves)) != 0
      || (status = tessera_table (band, p->table, p->history->n * sizeof (Weight), &table)) != 0)
    return status;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "whiten_predict", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = p->history->n + 2,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), ARG (frames), ARG (moves), ARG (table), ARG (p->history->n),
              ARG ((gfloat) p->weights->level), ARG (band->output.x - bounds->x), ARG (band->output.y - bounds->y),
              ARG (p->frames[0]->width), ARG (p->frames[0]->height), ARG ((gint) p->result), ARG (p->factor) }
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
    {
      const gfloat background = planes->background.pixels[i];

      planes->whitened.pixels[i] = current->pixels[i] - background;
      planes->background.pixels[i] = isnan (background) ? 0.0f : background;
    }
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
  gfloat           *packed = NULL;
  gboolean          is_in_c = FALSE, success;
  TesseraRequest    copy = *request;
  Prediction        p = { .history = history, .weights = weights, .result = result, .factor = factor, .planes = planes,
                          .is_in_c = &is_in_c, .packed = &packed };

  for (gint k = 0; k < history->n; k++)
    {
      p.frames[k] = &history->planes[k];
      p.moves[k] = (Move) { weights->move_x[k], weights->move_y[k], k, 0 };
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
  tessera_large_free (packed);
  return success;
}
