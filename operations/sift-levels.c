/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The Gaussian levels of a strip of an octave, in C: each is the blur of the one before, whose edge pixels count beyond the
 * octave.
 */
#include "config.h"

#include "sift-parts.h"
#include "tap-sum.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#define LEAST_BLUR 0.01                 /* variance of the first blur */
#define HELD       0.5                  /* blur that a picture has already, in its own pixels */
#define TILE       512                  /* columns that go through the cache together, ... */
#define CHUNK      64                   /* ... this many rows at a time */
#define GROUP      8                    /* rows that one thread makes */
#define RUN        (4 * TAP_SUM_BLOCK)  /* floats that a sum of taps takes at a time */

/* ---------------------------------------------------------------- scales -- */

static void
blur_init (SiftBlur *blur, gdouble sigma)
{
  gdouble weights[SIFT_MOST_TAPS], sum = 0.0;

  blur->radius = (gint) ceil (4.0 * sigma);
  for (gint i = -blur->radius; i <= blur->radius; i++)
    sum += weights[i + blur->radius] = tessera_exp (-(i * i) / (2.0 * sigma * sigma));
  for (gint i = 0; i <= 2 * blur->radius; i++)
    {
      blur->offsets[i] = i - blur->radius;
      blur->weights[i] = (gfloat) (weights[i] / sum);
    }
}

void
sift_scales_init (SiftScales *scales, const SiftSettings *settings)
{
  const gint    intervals = settings->intervals;
  const gdouble sigma = settings->sigma, step = sift_power_of_2 (1.0 / intervals), held = settings->upsample ? 2 * HELD : HELD;
  const gdouble largest = sigma * sift_power_of_2 ((intervals + 0.5) / intervals);

  scales->settings = *settings;
  scales->n_levels = intervals + 3;
  blur_init (&scales->first, sqrt (MAX (sigma * sigma - held * held, LEAST_BLUR)));
  scales->halo = scales->first.radius;
  for (gint i = 1; i < scales->n_levels; i++)
    {
      blur_init (&scales->blurs[i], sigma * sift_power_of_2 ((i - 1.0) / intervals) * sqrt (step * step - 1.0));
      scales->halo += scales->blurs[i].radius;
    }
  /* A descriptor's window and the neighbours of its last pixel; a candidate's neighbours need less. */
  scales->reach = 1 + (gint) floor (7.5 * G_SQRT2 * largest + 0.5) + SIFT_WALK;
}

/* --------------------------------------------------------------------- C -- */

/* One blur: rows `top` to `bottom` of the octave from a plane that begins with row `from_top`.  A row of a level has
 * `pad` floats before it and behind its last run, where its edge pixels are repeated. */
typedef struct
{
  const SiftBlur *blur;
  gint            width, height;        /* of the octave */
  gint            pad;
  gint            top, bottom;
  const gfloat   *from;
  gsize           from_row;
  gint            from_top;
  gboolean        has_pads;             /* in `from` */
  gfloat         *to;                   /* begins with row `to_top` */
  gsize           to_row;
  gint            to_top;
} Blurring;

static inline gint
runs_of (gint width)
{
  return (width + RUN - 1) / RUN * RUN;
}

/* A row's part from `left` - radius on, with the edge pixels beyond the octave. */
static void
load (const Blurring *b, const gfloat *row, gint left, gint n, gfloat *line)
{
  const gint radius = b->blur->radius, first = left - radius, end = left + n + radius;
  const gint begin = MAX (first, 0), stop = MIN (end, b->width);

  for (gint x = first; x < begin; x++)
    line[x - first] = row[0];
  memcpy (line + (begin - first), row + begin, (stop - begin) * sizeof (gfloat));
  for (gint x = stop; x < end; x++)
    line[x - first] = row[b->width - 1];
}

/* The sums along x of n_rows rows, from `top` on, beyond the octave those of its edge. */
static void
blur_along (const Blurring *b, gint left, gint n, gint top, gint n_rows, gfloat *line, gfloat *sums, gint stride)
{
  const gint    radius = b->blur->radius, n_taps = 2 * radius + 1;
  const TapList along = { n_taps, n_taps, 1, b->blur->offsets, b->blur->weights, FALSE };

  for (gint y = 0; y < n_rows; y++)
    {
      const gfloat *row = b->from + (gsize) (CLAMP (top + y, 0, b->height - 1) - b->from_top) * b->from_row;

      if (! b->has_pads)
        load (b, row, left, n, line);
      tap_sum (b->has_pads ? row + left : line + radius, &along, sums + (gsize) y * stride, runs_of (n) / 4);
    }
}

/* Repeats the edge pixels of a row before it and behind it. */
static void
fill_pads (gfloat *row, gint width, gint pad)
{
  for (gint i = -pad; i < 0; i++)
    row[i] = row[0];
  for (gint i = width; i < runs_of (width) + pad; i++)
    row[i] = row[width - 1];
}

/* Columns from `left` on, from the top to the bottom: sums along x that the next chunk needs too stay in the cache. */
static void
blur_tile (const Blurring *b, gint left, gint n, gint top, gint bottom, gfloat *line, gfloat *sums)
{
  const gint    radius = b->blur->radius, n_taps = 2 * radius + 1;
  const gint    run = runs_of (n), stride = run + 16;   /* not a power of 2: rows would meet in one set */
  const TapList down = { n_taps, n_taps, stride, b->blur->offsets, b->blur->weights, FALSE };

  blur_along (b, left, n, top - radius, 2 * radius, line, sums, stride);
  for (gint y = top; y < bottom; y += CHUNK)
    {
      const gint rows = MIN (CHUNK, bottom - y);

      blur_along (b, left, n, y + radius, rows, line, sums + (gsize) 2 * radius * stride, stride);
      tap_sum_rows (sums + (gsize) radius * stride, &down, b->to + (gsize) (y - b->to_top) * b->to_row + left, b->to_row,
                    run / 4, rows);
      memmove (sums, sums + (gsize) rows * stride, (gsize) 2 * radius * stride * sizeof (gfloat));
    }
}

/* Groups of rows. */
static void
blur_rows (gsize first, gsize n, gpointer data)
{
  const Blurring *b = data;
  const gint      radius = b->blur->radius;
  const gint      top = b->top + (gint) first * GROUP, bottom = MIN (b->bottom, top + (gint) n * GROUP);
  gfloat         *line = gegl_scratch_new0 (gfloat, TILE + 2 * radius + 2 * RUN);
  gfloat         *sums = gegl_scratch_new0 (gfloat, (gsize) (CHUNK + 2 * radius) * (TILE + RUN + 16));

  for (gint left = 0; left < b->width; left += TILE)
    blur_tile (b, left, MIN (TILE, b->width - left), top, bottom, line, sums);
  for (gint y = top; y < bottom; y++)
    fill_pads (b->to + (gsize) (y - b->to_top) * b->to_row, b->width, b->pad);
  gegl_scratch_free (sums);
  gegl_scratch_free (line);
}

static void
blur (const Blurring *b)
{
  gegl_parallel_distribute_range ((b->bottom - b->top + GROUP - 1) / GROUP, 64.0 * 64.0 / GROUP / b->width, blur_rows, (gpointer) b);
}

/* The base is the first level. */
static void
copy_base (const SiftStrip *strip, gint pad, gint top, gint bottom)
{
  const SiftLevels *levels = &strip->levels;

  for (gint y = top; y < bottom; y++)
    {
      gfloat *row = (gfloat *) levels->level[0] + (gsize) (y - levels->top) * levels->row;

      memcpy (row, strip->base + (gsize) (y - strip->top) * strip->width, strip->width * sizeof (gfloat));
      fill_pads (row, strip->width, pad);
    }
}

/* Level l from the one before, or the first one from the base. */
static void
make_level (const SiftStrip *strip, gint l, gint pad, gint top, gint bottom)
{
  const SiftScales *scales = strip->scales;
  const SiftLevels *levels = &strip->levels;
  Blurring          b = { .blur = l == 0 ? &scales->first : &scales->blurs[l], .width = strip->width,
                          .height = strip->height, .pad = pad, .top = top, .bottom = bottom,
                          .from = l == 0 ? strip->base : levels->level[l - 1],
                          .from_row = l == 0 ? (gsize) strip->width : levels->row,
                          .from_top = l == 0 ? strip->top : levels->top, .has_pads = l > 0,
                          .to = (gfloat *) levels->level[l], .to_row = levels->row, .to_top = levels->top };

  if (l == 0 && ! strip->is_first)
    copy_base (strip, pad, top, bottom);
  else
    blur (&b);
}

/* Of level l, what the strip before has made of rows `top` to `bottom`, which moves to its place.  Returns where it ends. */
static gint
keep_rows (SiftStrip *strip, gint l, gfloat *rows, gint old_top, gint top, gint bottom)
{
  const SiftLevels *levels = &strip->levels;
  const gint        end = MIN (strip->made[l].bottom, bottom);

  if (strip->made[l].top > top || end <= top)
    return top;
  memmove (rows + (gsize) (top - levels->top) * levels->row, rows + (gsize) (top - old_top) * levels->row,
           (gsize) (end - top) * levels->row * sizeof (gfloat));
  return end;
}

/* Each level on as many rows as the next ones need.  Rows that two strips need are made once. */
void
sift_levels_make (SiftStrip *strip, gint first, gint last)
{
  const SiftScales *scales = strip->scales;
  SiftLevels       *levels = &strip->levels;
  gfloat           *planes;
  gsize             plane;
  gint              pad = SIFT_SLACK;
  gint              around = scales->halo - scales->first.radius;
  const gint        old_top = strip->planes_top;
  const gint        top = MAX (first - around, 0), bottom = MIN (last + around, strip->height);

  for (gint l = 1; l < scales->n_levels; l++)
    pad = MAX (pad, scales->blurs[l].radius);
  pad = (pad + 15) / 16 * 16;
  *levels = (SiftLevels) { .width = strip->width, .height = strip->height, .top = top, .rows = bottom - top,
                           .n = scales->n_levels, .row = (gsize) runs_of (strip->width) + 2 * pad };
  strip->planes_top = top;
  plane = levels->row * (strip->most_rows + 2 * around);
  planes = sift_room (strip->planes, plane * levels->n);
  for (gint l = 0; l < levels->n; l++)
    {
      const gdouble step = (strip->progress_to - strip->progress_from) / levels->n, at = strip->progress_from + l * step;
      gint          from, end;

      levels->level[l] = planes + l * plane + pad;
      tessera_progress_step (at, at + step, FALSE, (guint64) strip->width * levels->rows);
      if (l > 0)
        around -= scales->blurs[l].radius;
      from = MAX (first - around, 0);
      end = MIN (last + around, strip->height);
      make_level (strip, l, pad, keep_rows (strip, l, planes + l * plane, old_top, from, end), end);
      strip->made[l] = (SiftRows) { from, end };
    }
}
