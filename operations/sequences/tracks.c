/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add; see tracks.h.
 *
 * Each plane is copied once into a frame of zeros that is wide enough for all moves, so that the loop over pixels has no
 * bounds to test.  A thread takes a row of the result through all velocities, a chunk of it at a time: what it adds is then
 * mostly in its cache, because velocities next to one another read nearly the same rows.
 */
#include "tracks-parts.h"

#include <math.h>
#include <string.h>

#include <gegl.h>

#include "tessera.h"

#define CHUNK 64

#define LANES_LOOPS "tracks-loops.h"
#include "lanes.h"

typedef struct
{
  gint              n, n_velocities;
  gint              width, height, stride, margin_x, margin_y;
  gfloat          **padded;
  const gfloat    **rows;       /* [n velocity + j]: what lies in padded plane j under the first pixel of r */
  gfloat            scale;
  TrackPlanes      *planes;
} Stack;

/* A process's; read for the rate. */
static guint64 tried;
static GMutex  tried_lock;

guint64
tracks_tried (void)
{
  guint64 n;

  g_mutex_lock (&tried_lock);
  n = tried;
  g_mutex_unlock (&tried_lock);
  return n;
}

void
tracks_count (const TrackFrame *frames, const TrackGrid *grid)
{
  g_mutex_lock (&tried_lock);
  tried += (guint64) grid->n_x * grid->n_y * frames[0].filtered->width * frames[0].filtered->height;
  g_mutex_unlock (&tried_lock);
}

static gint
round_down (gdouble x)
{
  return (gint) floor (x + 0.5);
}

void
track_offset (const TrackFrame *frames, gint j, gint r, const TrackGrid *grid, gint velocity, gint *x, gint *y)
{
  const gdouble time = frames[j].time - frames[r].time;

  *x = round_down (frames[j].shift.x - frames[r].shift.x + (grid->x + grid->step * (velocity % grid->n_x)) * time);
  *y = round_down (frames[j].shift.y - frames[r].shift.y + (grid->y + grid->step * (velocity / grid->n_x)) * time);
  *x = CLAMP (*x, -frames[r].filtered->width, frames[r].filtered->width);
  *y = CLAMP (*y, -frames[r].filtered->height, frames[r].filtered->height);
}

/* First the margins, then, with the padded planes, the rows. */
static void
place_frames (Stack *s, const TrackFrame *frames, gint r, const TrackGrid *grid, gboolean is_padded)
{
  for (gint v = 0; v < s->n_velocities; v++)
    for (gint j = 0; j < s->n; j++)
      {
        gint x, y;

        track_offset (frames, j, r, grid, v, &x, &y);
        s->margin_x = MAX (s->margin_x, ABS (x));
        s->margin_y = MAX (s->margin_y, ABS (y));
        if (is_padded)
          s->rows[(gsize) v * s->n + j] = s->padded[j] + (gssize) (y + s->margin_y) * s->stride + x + s->margin_x;
      }
  s->stride = s->width + 2 * s->margin_x + CHUNK;
}

typedef struct
{
  const Stack      *stack;
  const TrackFrame *frames;
  gfloat            limit;
} Padding;

static void
pad_planes (gsize first, gsize n, gpointer data)
{
  const Padding *p = data;
  const Stack   *s = p->stack;
  const gsize    bytes = sizeof (gfloat) * (gsize) s->stride * (s->height + 2 * s->margin_y + 1);

  for (gsize j = first; j < first + n; j++)
    {
      gfloat *padded = s->padded[j] = tessera_large_new (bytes);

      memset (padded, 0, bytes);
      for (gint y = 0; y < s->height; y++)
        for (gint x = 0; x < s->width; x++)
          padded[(gsize) (y + s->margin_y) * s->stride + s->margin_x + x]
            = track_limited (p->frames[j].filtered->pixels[(gsize) y * s->width + x], p->limit);
    }
}

static void
stack_chunks (gsize first, gsize n, gpointer data)
{
  const Stack *s = data;
  const gint   per_row = (s->width + CHUNK - 1) / CHUNK;

  for (gsize i = first; i < first + n; i++)
    {
      const gint   y = i / per_row, x = i % per_row * CHUNK, width = MIN (CHUNK, s->width - x);
      const gsize  to = (gsize) y * s->width + x;
      gfloat       best[CHUNK];
      gint         which[CHUNK] = { 0 };

      for (gint k = 0; k < CHUNK; k++)
        best[k] = -INFINITY;
      LANES_BEST (try_velocities) (s->rows, s->n, s->n_velocities, (gssize) y * s->stride + x, best, which);
      for (gint k = 0; k < width; k++)
        {
          s->planes->best.pixels[to + k] = best[k] * s->scale;
          s->planes->velocity[to + k] = which[k];
        }
    }
}

void
tracks_stack (const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gfloat limit, TrackPlanes *planes)
{
  Stack s = { .n = n, .n_velocities = grid->n_x * grid->n_y, .width = frames[r].filtered->width,
              .height = frames[r].filtered->height, .scale = (gfloat) (1.0 / sqrt (n)), .planes = planes };

  count_plane_init (&planes->best, s.width, s.height);
  planes->velocity = g_new (gint, (gsize) s.width * s.height);
  s.rows = g_new (const gfloat *, (gsize) s.n_velocities * n);
  s.padded = g_new (gfloat *, n);
  place_frames (&s, frames, r, grid, FALSE);
  tessera_spread_range (n, 1.0, pad_planes, &(Padding) { &s, frames, limit });
  place_frames (&s, frames, r, grid, TRUE);
  tessera_spread_range ((gsize) s.height * ((s.width + CHUNK - 1) / CHUNK), 1.0, stack_chunks, &s);
  for (gint j = 0; j < n; j++)
    tessera_large_free (s.padded[j]);
  g_free (s.padded);
  g_free (s.rows);
}

void
track_planes_clear (TrackPlanes *planes)
{
  count_plane_clear (&planes->best);
  g_clear_pointer (&planes->velocity, g_free);
}
