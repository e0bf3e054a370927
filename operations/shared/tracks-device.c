/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add on the device (opencl/kernels/tracks.cl).  The planes travel as one picture, one below another.  A pixel of the answer is its largest
 * value and the velocity.
 *
 * Only tessera-sequence makes these requests.  A device is checked with a trial of tessera:background-whiten that makes one (tracks_check).
 */
#include "config.h"

#include "tracks-parts.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "tracks.cl.h"
#include "trial.h"

#define PIXELS 8                /* of a work-item along x: opencl/kernels/tracks.cl */
#define AHEAD  24               /* pixels that it may read behind its first one */
#define FOUR   4                /* velocities of a work-item at a time */
#define PARTS  8                /* of the rows of the grid, of a group */
#define LANES  32
#define ADDS   256              /* that take as long as a pixel of a plain filter */
#define ADDS_A_READ 10          /* on a small device */

typedef struct
{
  gfloat value;
  gint   velocity;
} TrackPixel;

/* How the planes lie on the device, and the moves in them. */
typedef struct
{
  gint  width, height, margin_x, margin_y, groups, columns, pitch, parts, n_fours;
  gint *fours;                  /* [2 (n k + j)]: the least move along x of four velocities, and how far beyond that the largest is */
  gint *aheads;                 /* [4 (n k + j) + i]: how far the others are */
  gint *downs;                  /* [n row + j] */
} Layout;

typedef struct
{
  const TrackFrame *frames;
  gint              n, r;
  const TrackGrid  *grid;
  gfloat            clip;
  Layout            layout;
} TrackTask;

/* The moves along x depend on the column of the grid alone, those along y on its row. */
static void
find_margins (const TrackTask *task, Layout *l)
{
  const TrackGrid *grid = task->grid;
  gint             x, y;

  for (gint j = 0; j < task->n; j++)
    {
      for (gint i = 0; i < grid->n_x; i++)
        {
          track_offset (task->frames, j, task->r, grid, i, &x, &y);
          l->margin_x = MAX (l->margin_x, ABS (x));
        }
      for (gint k = 0; k < grid->n_y; k++)
        {
          track_offset (task->frames, j, task->r, grid, k * grid->n_x, &x, &y);
          l->margin_y = MAX (l->margin_y, ABS (y));
        }
    }
}

static void
find_layout (const TrackTask *task, Layout *l)
{
  const TrackGrid *grid = task->grid;

  *l = (Layout) { .width = task->frames[0].filtered->width, .height = task->frames[0].filtered->height };
  find_margins (task, l);
  l->groups = (l->width + PIXELS - 1) / PIXELS;
  l->columns = l->groups * PIXELS + 2 * l->margin_x + AHEAD;
  l->pitch = (l->height + 2 * l->margin_y + LANES - 1) / LANES * LANES;
  l->parts = MIN (PARTS, grid->n_y);
  l->n_fours = (grid->n_x + FOUR - 1) / FOUR;
}

/* Where the grid ends within four velocities, the last one stands for the others: it cannot be larger than itself. */
static void
find_moves (const TrackTask *task, Layout *l)
{
  const TrackGrid *grid = task->grid;
  const gint       n = task->n;
  gint             y, x[FOUR];

  l->fours = g_new (gint, 2 * (gsize) l->n_fours * n);
  l->aheads = g_new (gint, FOUR * (gsize) l->n_fours * n);
  l->downs = g_new (gint, (gsize) grid->n_y * n);
  for (gint k = 0; k < l->n_fours; k++)
    for (gint j = 0; j < n; j++)
      {
        gint least = G_MAXINT, most = 0;

        for (gint i = 0; i < FOUR; i++)
          {
            track_offset (task->frames, j, task->r, grid, MIN (FOUR * k + i, grid->n_x - 1), &x[i], &y);
            least = MIN (least, x[i]);
          }
        for (gint i = 0; i < FOUR; i++)
          {
            l->aheads[FOUR * (k * n + j) + i] = x[i] - least;
            most = MAX (most, x[i] - least);
          }
        l->fours[2 * (k * n + j)] = (least + l->margin_x) * l->pitch;
        l->fours[2 * (k * n + j) + 1] = most;
      }
  for (gint row = 0; row < grid->n_y; row++)
    for (gint j = 0; j < n; j++)
      {
        track_offset (task->frames, j, task->r, grid, row * grid->n_x, &x[0], &y);
        l->downs[row * n + j] = y + l->margin_y;
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
  return (gsize) l->parts * l->groups * PIXELS * l->height * sizeof (gfloat);
}

/* ------------------------------------------------------------------- the filter -- */

static gsize
scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const TrackTask *task = request->params;
  const Layout    *l = &task->layout;

  if ((gsize) l->columns * l->pitch > G_MAXINT)         /* the moves could not be counted: C */
    return G_MAXINT64;
  return planes_bytes (task, l) + 2 * parts_bytes (l) + (6 * (gsize) l->n_fours + task->grid->n_y) * task->n * sizeof (gint);
}

static gint
pad (TesseraBand *band, const TrackTask *task, const Layout *l, TesseraMemory *planes)
{
  gint status = 0;

  for (gint j = 0; j < task->n && status == 0; j++)
    status = tessera_launch (band, &(TesseraLaunch) {
      .kernel = "tracks_pad", .size = { l->pitch, l->columns }, .cost = 1,
      .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (l->width), ARG (l->height), ARG (j), ARG (task->clip), ARG (l->margin_x),
                ARG (l->margin_y), ARG (l->columns), ARG (l->pitch), ARG (planes) } });
  return status;
}

static gint
device (TesseraBand *band)
{
  const TrackTask *task = band->request->params;
  const Layout    *l = &task->layout;
  const TrackGrid *grid = task->grid;
  const gint       n = task->n;
  TesseraMemory   *planes, *values, *velocities, *fours, *aheads, *downs;
  gint             status;

  if ((status = tessera_scratch (band, planes_bytes (task, l), &planes)) != 0
      || (status = tessera_scratch (band, parts_bytes (l), &values)) != 0
      || (status = tessera_scratch (band, parts_bytes (l), &velocities)) != 0
      || (status = tessera_table (band, l->fours, 2 * (gsize) l->n_fours * n * sizeof (gint), &fours)) != 0
      || (status = tessera_table (band, l->aheads, FOUR * (gsize) l->n_fours * n * sizeof (gint), &aheads)) != 0
      || (status = tessera_table (band, l->downs, (gsize) grid->n_y * n * sizeof (gint), &downs)) != 0
      || (status = pad (band, task, l, planes)) != 0
      || (status = tessera_launch (band, &(TesseraLaunch) {
            .kernel = "tracks_try", .size = { l->height, l->groups, l->parts }, .group = { LANES, 1, l->parts },
            .cost = (gdouble) PIXELS * FOUR * l->n_fours * grid->n_y / l->parts * n / ADDS_A_READ,
            .args = { ARG (planes), ARG (l->height), ARG (n), ARG (l->columns), ARG (l->pitch), ARG (grid->n_x), ARG (grid->n_y), ARG (l->parts),
                      ARG (fours), ARG (aheads), ARG (downs), ARG (l->groups), ARG (values), ARG (velocities) } })) != 0)
    return status;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "tracks_join", .size = OUTPUT_SIZE (band), .cost = 2 * l->parts,
    .args = { ARG (values), ARG (velocities), ARG (l->width), ARG (l->height), ARG (l->groups), ARG (l->parts), ARG ((gfloat) (1.0 / sqrt (n))),
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

  tracks_stack (task->frames, task->n, task->r, task->grid, task->clip, &planes);
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
  .name = "tracks", .source = tessera_tracks_cl, .spread = in_c, .scratch_bytes = scratch_bytes, .device = device, .work = work, .whole = TRUE,
  .answers = TRUE
};

/* ------------------------------------------------------------------- the request -- */

/* With which a device is checked. */
static GeglOperation *
trial (void)
{
  static gsize node;

  return trial_operation (&node, "tessera:background-whiten", "trial", TRUE, "shifts", TRACKS_TRIAL, NULL);
}

typedef struct
{
  const TrackFrame *frames;
  gfloat           *all;
} Gathering;

static void
gather (gsize first, gsize n, gpointer data)
{
  const Gathering *g = data;

  for (gsize j = first; j < first + n; j++)
    {
      const gsize pixels = (gsize) g->frames[j].filtered->width * g->frames[j].filtered->height;

      memcpy (g->all + j * pixels, g->frames[j].filtered->pixels, pixels * sizeof (gfloat));
    }
}

static gboolean
process (const TesseraRequest *like, const TrackTask *task, TrackPixel *pixels)
{
  const gint     width = task->frames[0].filtered->width, height = task->frames[0].filtered->height, n = task->n;
  const Babl    *format = babl_format ("Y float"), *answer = babl_format_n (babl_type ("float"), 2);
  Gathering      g = { task->frames, tessera_reached_new ((gsize) width * height * n * sizeof (gfloat)) };
  TesseraRequest request = {
    .filter = &tracks_filter, .operation = like->operation, .checked_with = trial (), .params = task, .progress_from = like->progress_from, .progress_to = like->progress_to,
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
tracks_stack_like (const TesseraRequest *like, const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gfloat clip, TrackPlanes *planes)
{
  TrackTask       task = { frames, n, r, grid, clip, { 0 } };
  const gint      width = frames[r].filtered->width, height = frames[r].filtered->height;
  const gsize     all = (gsize) width * height;
  TrackPixel     *pixels;
  gboolean        done;

  *planes = (TrackPlanes) { .velocity = NULL };
  if (! like->operation || ! gegl_operation_use_opencl (like->operation) || (guint64) all * n > G_MAXINT / 4)
    {
      tracks_stack (frames, n, r, grid, clip, planes);
      return TRUE;
    }
  pixels = tessera_large_new (all * sizeof *pixels);
  find_layout (&task, &task.layout);
  find_moves (&task, &task.layout);
  done = process (like, &task, pixels);
  if (done)
    {
      tracks_count (frames, grid);
      count_plane_init (&planes->best, width, height);
      planes->velocity = g_new (gint, all);
      for (gsize i = 0; i < all; i++)
        {
          planes->best.pixels[i] = pixels[i].value;
          planes->velocity[i] = pixels[i].velocity;
        }
    }
  layout_clear (&task.layout);
  tessera_large_free (pixels);
  return done;
}

void
tracks_check (const TesseraRequest *like, const CountPlane *plane)
{
  const TrackGrid grid = { -1.5, -0.9, 0.6, 6, 4 };
  TrackFrame      frames[5];
  TrackPlanes     planes;

  for (gint j = 0; j < 5; j++)
    frames[j] = (TrackFrame) { plane, { .x = 0.7 * j, .y = -0.4 * j }, j };
  tracks_stack_like (like, frames, 5, 3, &grid, INFINITY, &planes);
  track_planes_clear (&planes);
}
