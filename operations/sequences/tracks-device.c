/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add on the device (opencl/kernels/tracks.cl).  The planes travel as one picture, one below another.  A pixel of the answer is its largest
 * value and the velocity.  Only tessera-sequence makes these requests.
 */
#include "config.h"

#include "tracks-parts.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "tracks.cl.h"

#define PIXELS 16               /* of a work-item along x: opencl/kernels/tracks.cl */
#define SPREAD 9                /* how far behind those it may read */
#define ROWS   16               /* of the grid, of a group */
#define FOUR   4                /* velocities of a work-item at a time */
#define LANES  32
#define WILD   (-1)             /* four velocities that read too far from one another */
#define ADDS   256              /* that take as long as a pixel of a plain filter */
#define ADDS_A_READ 28          /* on a small device */

typedef struct
{
  gfloat value;
  gint   velocity;
} TrackPixel;

/* How the planes lie on the device, and the moves in them. */
typedef struct
{
  gint  width, height, margin_x, margin_y, groups, columns, pitch, n_fours;
  gint  rows, strips;           /* of the grid in a launch; of 32 pixels along y */
  gint *fours;                  /* [4 (n k + j)]: the least move along x of four velocities, how far beyond that the largest is, how they differ; and 0 */
  gint *aheads;                 /* [4 (n k + j) + i]: how far velocity i is beyond the least */
  gint *downs;                  /* [n row + j] */
} Layout;

typedef struct
{
  const TrackFrame *frames;
  gint              n, r;
  const TrackGrid  *grid;
  gfloat            limit;
  Layout            layout;
} TrackTask;

/* The moves along x depend on the column of the grid alone, those along y on its row.  Where the grid ends within four velocities, it is gone on with. */
static gint
move_x (const TrackTask *task, gint j, gint column)
{
  TrackGrid wider = *task->grid;
  gint      x, y;

  wider.n_x = column + 1;
  track_offset (task->frames, j, task->r, &wider, column, &x, &y);
  return x;
}

static gint
move_y (const TrackTask *task, gint j, gint row)
{
  gint x, y;

  track_offset (task->frames, j, task->r, task->grid, row * task->grid->n_x, &x, &y);
  return y;
}

static void
find_layout (const TrackTask *task, Layout *l)
{
  const TrackGrid *grid = task->grid;
  const gint       n_blocks = (grid->n_y + ROWS - 1) / ROWS;

  *l = (Layout) { .width = task->frames[0].filtered->width, .height = task->frames[0].filtered->height };
  l->n_fours = (grid->n_x + FOUR - 1) / FOUR;
  l->rows = (grid->n_y + n_blocks - 1) / n_blocks;
  for (gint j = 0; j < task->n; j++)
    {
      for (gint i = 0; i < l->n_fours * FOUR; i++)
        l->margin_x = MAX (l->margin_x, ABS (move_x (task, j, i)));
      for (gint k = 0; k < grid->n_y; k++)
        l->margin_y = MAX (l->margin_y, ABS (move_y (task, j, k)));
    }
  l->groups = (l->width + PIXELS - 1) / PIXELS;
  l->strips = (l->height + LANES - 1) / LANES;
  l->columns = l->groups * PIXELS + 2 * l->margin_x + SPREAD;
  l->pitch = (l->strips * LANES + 2 * l->margin_y + LANES - 1) / LANES * LANES;
}

/* By how many pixels each move is beyond the one before it, two bits each, and 64 if they fall; WILD: not as rounding makes them of equal steps of up to
 * 3 pixels. */
static gint
difference (const gint x[FOUR])
{
  gint least = G_MAXINT, most = 0, bits = 0;

  for (gint i = 1; i < FOUR; i++)
    {
      const gint by = x[FOUR - 1] < x[0] ? x[i - 1] - x[i] : x[i] - x[i - 1];

      least = MIN (least, by);
      most = MAX (most, by);
      bits = 4 * bits + CLAMP (by, 0, 3);
    }
  return least < 0 || most > 3 || most - least > 1 ? WILD : x[FOUR - 1] < x[0] ? bits + 64 : bits;
}

static void
find_moves (const TrackTask *task, Layout *l)
{
  const gint n = task->n;

  l->fours = g_new (gint, 4 * (gsize) l->n_fours * n);
  l->aheads = g_new (gint, FOUR * (gsize) l->n_fours * n);
  l->downs = g_new (gint, (gsize) task->grid->n_y * n);
  for (gint j = 0; j < n; j++)
    {
      for (gint k = 0; k < l->n_fours; k++)
        {
          gint *four = l->fours + 4 * (k * n + j), x[FOUR];

          for (gint i = 0; i < FOUR; i++)
            x[i] = move_x (task, j, FOUR * k + i);
          four[0] = MIN (x[0], x[FOUR - 1]);
          for (gint i = 0; i < FOUR; i++)
            l->aheads[FOUR * (k * n + j) + i] = x[i] - four[0];
          four[1] = MAX (x[0], x[FOUR - 1]) - four[0];
          four[0] += l->margin_x;
          four[2] = difference (x);
          four[3] = 0;
        }
      for (gint row = 0; row < task->grid->n_y; row++)
        l->downs[row * n + j] = move_y (task, j, row) + l->margin_y;
    }
}

static void
layout_clear (Layout *l)
{
  g_free (l->fours);
  g_free (l->aheads);
  g_free (l->downs);
}

static gsize
planes_bytes (const TrackTask *task, const Layout *l)
{
  return (gsize) task->n * l->columns * l->pitch * sizeof (gfloat);
}

static gsize
parts_bytes (const Layout *l)
{
  return (gsize) l->rows * l->groups * PIXELS * l->strips * LANES * sizeof (gfloat);
}

/* ------------------------------------------------------------------- the filter -- */

static gsize
scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const TrackTask *task = request->params;
  const Layout    *l = &task->layout;

  return planes_bytes (task, l) + 2 * parts_bytes (l) + (8 * (gsize) l->n_fours + task->grid->n_y) * task->n * sizeof (gint);
}

static gint
pad (TesseraBand *band, const TrackTask *task, const Layout *l, TesseraMemory *planes)
{
  gint status = 0;

  for (gint j = 0; j < task->n && status == 0; j++)
    status = tessera_launch (band, &(TesseraLaunch) {
      .kernel = "tracks_pad", .size = { l->pitch, l->columns }, .cost = 1,
      .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (l->width), ARG (l->height), ARG (j), ARG (l->margin_x),
                ARG (l->margin_y), ARG (l->columns), ARG (l->pitch), ARG (planes) } });
  return status;
}

/* The rows of the grid go in blocks, one behind another, of which a work-item keeps the best. */
static gint
try_rows (TesseraBand *band, const TrackTask *task, const Layout *l, TesseraMemory *planes, TesseraMemory *values, TesseraMemory *velocities)
{
  const TrackGrid *grid = task->grid;
  const gint       n = task->n;
  TesseraMemory   *fours, *aheads, *downs;
  gint             status;

  if ((status = tessera_table (band, l->fours, 4 * (gsize) l->n_fours * n * sizeof (gint), &fours)) != 0
      || (status = tessera_table (band, l->aheads, FOUR * (gsize) l->n_fours * n * sizeof (gint), &aheads)) != 0
      || (status = tessera_table (band, l->downs, (gsize) grid->n_y * n * sizeof (gint), &downs)) != 0)
    return status;
  for (gint first = 0; first < grid->n_y && status == 0; first += l->rows)
    status = tessera_launch (band, &(TesseraLaunch) {
      .kernel = "tracks_try", .size = { l->strips * LANES, l->groups, ROWS }, .group = { LANES, 1, ROWS },
      .cost = (gdouble) PIXELS * FOUR * l->n_fours * l->rows / ROWS * n / ADDS_A_READ,
      .args = { ARG (planes), ARG (l->height), ARG (n), ARG (l->columns), ARG (l->pitch), ARG (grid->n_x), ARG (grid->n_y), ARG (first), ARG (l->rows),
                ARG (fours), ARG (aheads), ARG (downs), ARG (l->groups), ARG (values), ARG (velocities) } });
  return status;
}

static gint
device (TesseraBand *band)
{
  const TrackTask *task = band->request->params;
  const Layout    *l = &task->layout;
  TesseraMemory   *planes, *values, *velocities;
  gint             status;

  if ((status = tessera_scratch (band, planes_bytes (task, l), &planes)) != 0
      || (status = tessera_scratch (band, parts_bytes (l), &values)) != 0
      || (status = tessera_scratch (band, parts_bytes (l), &velocities)) != 0
      || (status = pad (band, task, l, planes)) != 0
      || (status = try_rows (band, task, l, planes, values, velocities)) != 0)
    return status;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "tracks_join", .size = OUTPUT_SIZE (band), .cost = 2 * l->rows,
    .args = { ARG (values), ARG (velocities), ARG (l->width), ARG (l->height), ARG (l->groups), ARG (l->rows), ARG ((gfloat) (1.0 / sqrt (task->n))),
              ARG (band->output.memory), ARG (band->output.stride) }
  });
}

static void
in_c (const TesseraRequest *request)
{
  const TrackTask *task = request->params;
  const gsize      n = (gsize) request->roi.width * request->roi.height;
  TrackPixel      *pixels = g_new (TrackPixel, n);
  TrackPlanes      planes;

  tracks_stack (task->frames, task->n, task->r, task->grid, task->limit, &planes);
  for (gsize i = 0; i < n; i++)
    pixels[i] = (TrackPixel) { planes.best.pixels[i], planes.velocity[i] };
  tessera_write (request->output, &request->roi, request->output_format, (gfloat *) pixels, request->roi.width * sizeof *pixels);
  track_planes_clear (&planes);
  g_free (pixels);
}

static guint64
work (const TesseraRequest *request)
{
  const TrackTask *task = request->params;

  return (guint64) request->roi.width * request->roi.height * task->grid->n_x * task->grid->n_y * task->n / ADDS + 1;
}

static const TesseraFilter tracks_filter = {
  .name = "tracks", .source = tessera_tracks_cl, .spread = in_c, .scratch_bytes = scratch_bytes, .device = device, .work = work, .whole = TRUE
};

/* ------------------------------------------------------------------- the request -- */

/* Pixels of the answer, apart. */
typedef struct
{
  const TrackPixel *pixels;
  TrackPlanes      *planes;
} Parting;

static void
part_pixels (gsize first, gsize n, gpointer data)
{
  const Parting *p = data;

  for (gsize i = first; i < first + n; i++)
    {
      p->planes->best.pixels[i] = p->pixels[i].value;
      p->planes->velocity[i] = p->pixels[i].velocity;
    }
}

typedef struct
{
  const TrackTask *task;
  gfloat          *all;
} Gathering;

TESSERA_CLONES static void
limit_values (const gfloat *restrict values, gfloat limit, gsize n, gfloat *restrict limited)
{
  for (gsize i = 0; i < n; i++)
    limited[i] = track_limited (values[i], limit);
}

static void
gather (gsize first, gsize n, gpointer data)
{
  const Gathering *g = data;

  for (gsize j = first; j < first + n; j++)
    {
      const CountPlane *plane = g->task->frames[j].filtered;
      const gsize       pixels = (gsize) plane->width * plane->height;

      limit_values (plane->pixels, g->task->limit, pixels, g->all + j * pixels);
    }
}

static gboolean
process (const TesseraErrand *errand, const TrackTask *task, TrackPixel *pixels)
{
  const gint     width = task->frames[0].filtered->width, height = task->frames[0].filtered->height, n = task->n;
  const Babl    *format = babl_format ("Y float"), *answer = babl_format_n (babl_type ("float"), 2);
  Gathering      g = { task, tessera_reached_new ((gsize) width * height * n * sizeof (gfloat)) };
  TesseraRequest request = {
    .filter = &tracks_filter, .errand = *errand, .params = task,
    .input = tessera_reached_buffer (g.all, format, GEGL_RECTANGLE (0, 0, width, height * n)), .input_format = format,
    .output = gegl_buffer_linear_new_from_data (pixels, answer, GEGL_RECTANGLE (0, 0, width, height), 0, NULL, NULL), .output_format = answer,
    .roi = { 0, 0, width, height }, .bounds = { 0, 0, width, height * n }, .halo = { 0, 0, 0, height * (n - 1) }
  };
  gboolean       done;

  tessera_spread_range (n, 1.0, gather, &g);
  done = tessera_process (&request);
  g_object_unref (request.output);
  g_object_unref (request.input);
  tessera_reached_free (g.all);
  return done;
}

gboolean
tracks_are_numbered (guint64 pixels, gint n)
{
  return pixels * n <= G_MAXINT / 4;
}

gboolean
tracks_stack_for (const TesseraErrand *errand, const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gfloat limit, TrackPlanes *planes)
{
  TrackTask       task = { frames, n, r, grid, limit, { 0 } };
  const gint      width = frames[r].filtered->width, height = frames[r].filtered->height;
  const gsize     all = (gsize) width * height;
  TrackPixel     *pixels;
  gboolean        done;

  *planes = (TrackPlanes) { .velocity = NULL };
  if (! errand || ! tessera_uses_opencl (errand->operation) || ! tracks_are_numbered (all, n))
    {
      tracks_stack (frames, n, r, grid, limit, planes);
      tracks_count (frames, grid);
      return TRUE;
    }
  pixels = tessera_large_new (all * sizeof *pixels);
  find_layout (&task, &task.layout);
  find_moves (&task, &task.layout);
  done = process (errand, &task, pixels);
  if (done)
    {
      tracks_count (frames, grid);
      count_plane_init (&planes->best, width, height);
      planes->velocity = g_new (gint, all);
      tessera_spread_range (all, 1.0, part_pixels, &(Parting) { pixels, planes });
    }
  layout_clear (&task.layout);
  tessera_large_free (pixels);
  return done;
}
