/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The Gaussian levels of an octave, in C: each is the blur of the one before, whose edge pixels count beyond the octave.
 *
 * The octave's columns are cut into tiles, of which each thread has as many.  A tile goes down the octave once, a chunk of rows
 * at a time, in two passes for each level (roll.h); the second one copies a level's rows to their places too.  A tile makes some
 * columns of its neighbours itself, so that no thread waits for another one.
 * Price: 1.2 (SIFT without descriptors, 4 Mpix with 21,564 points; EPYC, 2 cores, 2026-11-23), beside level after level.
 */
#include "config.h"

#include "roll.h"
#include "sift-parts.h"
#include "tap-sum.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#define LEAST_SIDE (2 * EXTREME_FRAME + 1)
#define LEAST_BLUR 0.01                 /* variance of the first blur */
#define HELD       0.5                  /* blur that a picture has already, in its own pixels */
#define MOST_COLUMNS  896               /* of a tile */
#define LEAST_COLUMNS 128               /* that are worth a thread */
#define CHUNK         16                /* rows that a tile takes through the levels together */
#define LEVEL_PIXELS  (3 << 18)         /* of a level, that are held: 3 MiB ... */
#define THREAD_PIXELS (1 << 17)         /* ... and where there are many threads, as many for each */
#define LEAST_ROWS    64                /* of a strip */

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
sift_scales_init (SiftScales *scales, const SiftSettings *settings, gboolean describes)
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
  /* A window and the neighbours of its last pixel; a candidate's neighbours need less. */
  scales->reach = 1 + (gint) floor ((describes ? CELL * WINDOW * G_SQRT2 : ANGLE_REACH) * largest + 0.5) + SIFT_WALK;
}

/* ---------------------------------------------------------------- passes -- */

/* A level in a tile. */
typedef struct
{
  const SiftTile *tile;
  gint            l;            /* -1: a base that is no level */
  TapList         taps;         /* of its blur */
} TileLevel;

struct SiftTile
{
  const SiftOctave *octave;
  gint              left, n;    /* columns */
  TileLevel         base, levels[SIFT_MOST_LEVELS];
  Roll              roll;
};

static inline const SiftBlur *
blur_of (const SiftOctave *octave, gint l)
{
  return l == 0 ? &octave->scales->first : &octave->scales->blurs[l];
}

/* Every second pixel of a row that lies in the tile. */
static void
halve (const SiftOctave *octave, const SiftTile *tile, gint y, const gfloat *row)
{
  gfloat *to = octave->next + (gsize) (y / 2) * (octave->width / 2) + tile->left / 2;

  for (gint i = 0; i < tile->n / 2; i++)
    to[i] = row[2 * i];
}

/* Rows of a level go to their places.  Beyond the octave's columns its edge pixels count. */
static void
keep_rows (const TileLevel *level, const RollBlock *block)
{
  const SiftTile   *tile = level->tile;
  const SiftOctave *octave = tile->octave;
  const gint        before = MAX (-block->roi.x, 0), end = octave->width - block->roi.x;

  for (gint i = 0; i < block->roi.height; i++)
    {
      const gint    y = block->roi.y + i;
      gfloat       *row = block->out + i * block->out_stride;
      const gfloat *own = row + tile->left - block->roi.x;

      for (gint x = 0; x < before; x++)
        row[x] = row[before];
      for (gint x = end; x < block->roi.width; x++)
        row[x] = row[end - 1];
      if (level->l >= 0)
        memcpy ((gfloat *) sift_row (&octave->levels, level->l, tile->left, y), own, tile->n * sizeof (gfloat));
      if (level->l == octave->scales->settings.intervals && octave->next && y % 2 == 0 && y / 2 < octave->height / 2)
        halve (octave, tile, y, own);
    }
}

static void
take_base (const RollBlock *block, gconstpointer data)
{
  const TileLevel  *level = data;
  const SiftOctave *octave = level->tile->octave;
  const gint        left = MAX (block->roi.x, 0), right = MIN (block->roi.x + block->roi.width, octave->width);

  for (gint i = 0; i < block->roi.height; i++)
    memcpy (block->out + i * block->out_stride + left - block->roi.x,
            octave->base + (gsize) (block->roi.y + i - octave->fed) * octave->width + left,
            (right - left) * sizeof (gfloat));
  keep_rows (level, block);
}

static void
sum_along (const RollBlock *block, gconstpointer data)
{
  const TileLevel *level = data;

  for (gint y = 0; y < block->roi.height; y++)
    tap_sum (block->in + y * block->in_stride, &level->taps, block->out + y * block->out_stride,
             (block->roi.width + 3) / 4);
}

static void
sum_down (const RollBlock *block, gconstpointer data)
{
  const TileLevel *level = data;
  TapList          down = level->taps;

  down.step = block->in_stride;
  tap_sum_rows (block->in, &down, block->out, block->out_stride, (block->roi.width + 3) / 4, block->roi.height);
  keep_rows (level, block);
}

static void
feed_tiles (gsize first, gsize n, gpointer data)
{
  const SiftOctave *octave = data;

  for (gsize i = first; i < first + n; i++)
    for (gint y = octave->made; y < octave->makes; y += CHUNK)
      roll_next (&octave->tiles[i].roll, MIN (CHUNK, octave->makes - y));
}

void
sift_levels_feed (SiftOctave *octave, const gfloat *base, gint n)
{
  const gint end = octave->fed + n;

  octave->base = base;
  octave->makes = end == octave->height ? end : end - octave->ahead;
  gegl_parallel_distribute_range (octave->n_tiles, 64.0 * 64.0 * octave->n_tiles / ((gdouble) n * octave->width), feed_tiles,
                                  octave);
  octave->made = octave->makes;
  octave->fed = end;
}

/* ---------------------------------------------------------------- octave -- */

static gint
count_threads (void)
{
  gint n;

  g_object_get (gegl_config (), "threads", &n, NULL);
  return MAX (n, 1);
}

/* As many for each thread. */
static gint
count_tiles (gint width)
{
  const gint least = (width + MOST_COLUMNS - 1) / MOST_COLUMNS, n_threads = CLAMP (width / LEAST_COLUMNS, 1, count_threads ());

  return (least + n_threads - 1) / n_threads * n_threads;
}

/* Where tile i begins. */
static gint
tile_edge (gint width, gint n_tiles, gint i)
{
  return i == n_tiles ? width : (gint) ((gint64) width * i / n_tiles) / SIFT_LINE * SIFT_LINE;
}

static void
begin_tile (const SiftOctave *octave, SiftTile *tile, gint left, gint n)
{
  Roll *roll = &tile->roll;

  *tile = (SiftTile) { .octave = octave, .left = left, .n = n };
  tile->base = (TileLevel) { .tile = tile, .l = octave->is_first ? -1 : 0 };
  *roll = (Roll) { .n = 1, .rows = CHUNK, .piece = CHUNK, .bottom = octave->height,
                   .passes = { { .floats = 1, .make = take_base, .data = &tile->base } } };
  for (gint l = tile->base.l + 1; l < octave->levels.n; l++)
    {
      const SiftBlur *blur = blur_of (octave, l);
      const gint      radius = blur->radius;
      TileLevel      *level = &tile->levels[l];

      *level = (TileLevel) { tile, l, { 2 * radius + 1, 2 * radius + 1, 1, blur->offsets, blur->weights, FALSE } };
      roll->passes[roll->n++] = (RollPass) { { radius, 0, radius, 0 }, 1, sum_along, level };
      roll->passes[roll->n++] = (RollPass) { { 0, radius, 0, radius }, 1, sum_down, level };
    }
}

/* In `memory`; returns the floats that this takes.  NULL: only that. */
static gsize
place_tiles (const SiftOctave *octave, gfloat *memory)
{
  gsize floats = 0;

  for (gint i = 0; i < octave->n_tiles; i++)
    {
      SiftTile           *tile = &octave->tiles[i];
      const GeglRectangle columns = { tile->left, 0, tile->n, 1 };

      floats += roll_begin (&tile->roll, &columns, memory ? memory + floats : NULL);
    }
  return floats;
}

static void
begin_tiles (SiftOctave *octave, SiftRoom *room)
{
  const gint width = octave->width, n_tiles = count_tiles (width);

  octave->n_tiles = n_tiles;
  octave->tiles = g_new (SiftTile, n_tiles);
  for (gint i = 0; i < n_tiles; i++)
    {
      const gint left = tile_edge (width, n_tiles, i);

      begin_tile (octave, &octave->tiles[i], left, tile_edge (width, n_tiles, i + 1) - left);
    }
  place_tiles (octave, sift_room (room, place_tiles (octave, NULL)));
}

void
sift_levels_begin (SiftOctave *octave, SiftRoom *planes, SiftRoom *sums)
{
  const gint  width = octave->width, around = 2 * octave->scales->reach + octave->scales->halo;
  const gsize row = (width + SIFT_SLACK + SIFT_LINE - 1) / SIFT_LINE * SIFT_LINE;
  gfloat     *memory;
  gint        rows;
  gsize       plane;

  octave->strip_rows = MAX (MAX (LEVEL_PIXELS, count_threads () * THREAD_PIXELS) / width - around, LEAST_ROWS);
  rows = MIN (octave->strip_rows + around, octave->height);
  plane = rows * row;
  memory = sift_room (planes, plane * octave->scales->n_levels);
  octave->levels = (SiftLevels) { .width = width, .height = octave->height, .n = octave->scales->n_levels,
                                  .rows = g_new (gsize, octave->height) };
  for (gint l = 0; l < octave->levels.n; l++)
    octave->levels.level[l] = memory + l * plane;
  for (gint y = 0; y < octave->height; y++)
    octave->levels.rows[y] = y % rows * row;
  octave->fed = octave->made = 0;
  octave->ahead = octave->scales->halo - (octave->is_first ? 0 : octave->scales->first.radius);
  begin_tiles (octave, sums);
}

void
sift_levels_end (SiftOctave *octave)
{
  g_free (octave->tiles);
  g_free (octave->levels.rows);
}

gboolean
sift_octave (const SiftSearch *search, const GeglRectangle *bounds, gint i, gint *width, gint *height)
{
  const SiftSettings *settings = &search->scales.settings;
  const gint          factor = settings->upsample ? 2 : 1;

  *width = factor * bounds->width >> i;
  *height = factor * bounds->height >> i;
  return i == 0 || ((settings->octaves == 0 || i < settings->octaves) && *width >= LEAST_SIDE && *height >= LEAST_SIDE);
}
