/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:estimate-shift on the device (opencl/kernels/estimate-shift.cl).  Both frames and all that is made of them stay there.  Histograms, projections and
 * the sums of tiles come to the host, which decides as it does in C (shift-steps.c).
 */
#include "config.h"

#include "estimate-shift.h"

#include <string.h>

#define PER_ITEM 32             /* pixels that a work-item counts: opencl/kernels/estimate-shift.cl */

typedef struct
{
  TesseraMemory *soft, *flags;
  gdouble       *columns, *rows;
} DeviceFrame;

typedef struct
{
  TesseraBand        *band;
  const ShiftRequest *request;
  gint                width, height, across, down;      /* in pixels; in tiles */
  gint                status;
  TesseraMemory      *clean, *medians, *bad;            /* of one frame after the other */
  TesseraMemory      *counts, *used, *columns, *tiles;
  DeviceFrame         reference, frame;
  gint                x, y;                             /* the whole part of the shift */
} Search;

/* ------------------------------------------------------------------- launches -- */

/* Each returns TRUE if it went well so far. */

static gboolean
launch (Search *s, const TesseraLaunch *launch)
{
  if (s->status == 0)
    s->status = tessera_launch (s->band, launch);
  return s->status == 0;
}

static gboolean
bring (Search *s, TesseraMemory *memory, gsize bytes, gpointer to)
{
  if (s->status == 0)
    s->status = tessera_fetch (s->band, memory, bytes, to);
  return s->status == 0;
}

static gboolean
take (Search *s, gsize bytes, TesseraMemory **memory)
{
  if (s->status == 0)
    s->status = tessera_scratch (s->band, bytes, memory);
  return s->status == 0;
}

static gboolean
zero (Search *s, gint n)
{
  return launch (s, &(TesseraLaunch) { .kernel = "shift_zero", .size = { n }, .cost = 1, .args = { ARG (s->counts), ARG (n) } });
}

#define PIXELS(s) { (s)->width, (s)->height }
#define SIZE_ARGS(s) ARG ((s)->width), ARG ((s)->height)

/* ------------------------------------------------------------------ histograms -- */

/* The arguments of a counting kernel behind those of what it counts. */
#define COUNT_ARGS(s, n, level, prefix) \
  ARG (n), ARG ((level) > 0 ? shift_low_bits[(level) - 1] : -1), ARG (shift_low_bits[level]), ARG (shift_bins[level] - 1), \
  ARG (prefix), ARG ((s)->counts), LOCAL_ARG (shift_bins[level] * sizeof (gint))

static gboolean
count_excesses (gpointer data, gint level, guint32 prefix, guint32 *counts)
{
  Search    *s = data;
  const gint n = s->width * s->height;

  return zero (s, shift_bins[level])
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_count_excesses", .size = { (n + PER_ITEM - 1) / PER_ITEM }, .cost = 3 * PER_ITEM,
              .args = { ARG (s->clean), ARG (s->medians), ARG (s->bad), COUNT_ARGS (s, n, level, prefix) } })
         && bring (s, s->counts, shift_bins[level] * sizeof (gint), counts);
}

static gboolean
count_slopes (gpointer data, gint level, guint32 prefix, guint32 *counts)
{
  Search    *s = data;
  const gint n = s->width * s->height;

  return zero (s, shift_bins[level])
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_count_slopes", .size = { (n + PER_ITEM - 1) / PER_ITEM }, .cost = 5 * PER_ITEM,
              .args = { ARG (s->reference.soft), ARG (s->used), ARG (s->width), COUNT_ARGS (s, n, level, prefix) } })
         && bring (s, s->counts, shift_bins[level] * sizeof (gint), counts);
}

/* ------------------------------------------------------------------------ memory -- */

/* Bytes of what several passes use. */
static gsize
wide_bytes (gint width, gint height)
{
  return (gsize) height * shift_tiles (width, SHIFT_TILE_WIDTH) * SHIFT_TILE_WIDTH * sizeof (gfloat);
}

static gsize
projection_bytes (gint width, gint height)
{
  return 2 * ((gsize) width * shift_tiles (height, SHIFT_TILE_HEIGHT) + (gsize) height * shift_tiles (width, SHIFT_TILE_WIDTH)) * sizeof (gfloat);
}

static gsize
tiles_bytes (gint width, gint height)
{
  return (gsize) shift_tiles (width, SHIFT_TILE_WIDTH) * shift_tiles (height, SHIFT_TILE_HEIGHT) * SHIFT_SUMS * sizeof (gfloat);
}

/* ------------------------------------------------------------------- one frame -- */

static gboolean
mark_hot (Search *s)
{
  gdouble median;

  return launch (s, &(TesseraLaunch) { .kernel = "shift_medians", .size = PIXELS (s), .cost = 25,
                                       .args = { ARG (s->clean), ARG (s->medians), SIZE_ARGS (s) } })
         && shift_median (count_excesses, s, &median, NULL)
         && launch (s, &(TesseraLaunch) { .kernel = "shift_hot", .size = PIXELS (s), .cost = 6,
                                          .args = { ARG (s->clean), ARG (s->medians), ARG (s->bad), SIZE_ARGS (s),
                                                    ARG (shift_hot_threshold (median)) } });
}

/* Sums lie in the memory of `tiles`, what is summed in that of `medians`.  No other pass needs these yet. */
static gboolean
project (Search *s, DeviceFrame *frame)
{
  const gint n_columns = s->down * s->width, n_rows = s->height * s->across, rows = 2 * n_columns;
  gfloat    *sums = g_new (gfloat, 2 * ((gsize) n_columns + n_rows));

  if (launch (s, &(TesseraLaunch) {
        .kernel = "shift_project_columns", .size = { s->width, s->down }, .cost = SHIFT_TILE_HEIGHT,
        .args = { ARG (frame->soft), ARG (frame->flags), ARG (s->tiles), ARG (n_columns), SIZE_ARGS (s) } })
      && launch (s, &(TesseraLaunch) {
           .kernel = "shift_widen", .size = { (gsize) s->across * SHIFT_TILE_WIDTH, s->height }, .cost = 1,
           .args = { ARG (frame->soft), ARG (frame->flags), ARG (s->medians), SIZE_ARGS (s), ARG (s->across) } })
      && launch (s, &(TesseraLaunch) {
           .kernel = "shift_project_rows", .size = { s->across, s->height }, .cost = SHIFT_TILE_WIDTH,
           .args = { ARG (s->medians), ARG (frame->flags), ARG (s->tiles), ARG (rows), ARG (n_rows), SIZE_ARGS (s), ARG (s->across) } })
      && bring (s, s->tiles, projection_bytes (s->width, s->height), sums))
    {
      frame->columns = shift_projection (sums, sums + n_columns, s->width, 1, s->down, s->width);
      frame->rows = shift_projection (sums + rows, sums + rows + n_rows, s->height, s->across, s->across, 1);
    }
  g_free (sums);
  return s->status == 0;
}

static gboolean
prepare_frame (Search *s, const TesseraImage *image, DeviceFrame *frame)
{
  const ShiftSettings *settings = &s->request->settings;
  const gsize          pixels = (gsize) s->width * s->height;

  return take (s, pixels * sizeof (gfloat), &frame->soft) && take (s, pixels, &frame->flags)
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_clean", .size = PIXELS (s), .cost = 1,
              .args = { ARG (image->memory), ARG (image->stride), ARG (s->clean), ARG (s->bad), SIZE_ARGS (s), ARG (settings->saturation) } })
         && (! settings->reject_hot || mark_hot (s))
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_soften_pixels", .size = PIXELS (s), .cost = 30,
              .args = { ARG (s->clean), ARG (s->bad), ARG (frame->soft), ARG (frame->flags), SIZE_ARGS (s) } })
         && (settings->method != SHIFT_PYRAMID || project (s, frame));
}

/* ------------------------------------------------------------------- the steps -- */

static gboolean
choose (gpointer data, gint x, gint y)
{
  Search *s = data;

  s->x = x;
  s->y = y;
  return launch (s, &(TesseraLaunch) {
    .kernel = "shift_choose", .size = PIXELS (s), .cost = 2,
    .args = { ARG (s->reference.flags), ARG (s->frame.flags), ARG (s->used), SIZE_ARGS (s), ARG (x), ARG (y) }
  });
}

static gboolean
mark_steep (gpointer data, gfloat threshold, gint *n)
{
  Search *s = data;

  return zero (s, 1)
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_mark", .size = PIXELS (s), .cost = 5,
              .args = { ARG (s->reference.soft), ARG (s->used), SIZE_ARGS (s), ARG (threshold), ARG (s->counts) } })
         && bring (s, s->counts, sizeof *n, n);
}

static gboolean
add_up (gpointer data, const gfloat taps_x[4], const gfloat taps_y[4], gboolean only_steep, gdouble sums[SHIFT_SUMS])
{
  Search    *s = data;
  const gint n = s->across * s->down, wanted = only_steep ? SHIFT_STEEP : SHIFT_USABLE;
  gfloat    *tiles = g_new (gfloat, (gsize) n * SHIFT_SUMS);

  if (launch (s, &(TesseraLaunch) {
        .kernel = "shift_sum_columns", .size = { (gsize) s->across * SHIFT_TILE_WIDTH, s->down }, .cost = SHIFT_TILE_HEIGHT * 5,
        .args = { ARG (s->reference.soft), ARG (s->frame.soft), ARG (s->used), ARG (wanted), SIZE_ARGS (s), ARG (s->x), ARG (s->y),
                  FLOAT4_ARG (taps_x[0], taps_x[1], taps_x[2], taps_x[3]), FLOAT4_ARG (taps_y[0], taps_y[1], taps_y[2], taps_y[3]),
                  ARG (s->columns), ARG (s->across) } })
      && launch (s, &(TesseraLaunch) {
           .kernel = "shift_sum_tiles", .size = { n * SHIFT_SUMS }, .cost = SHIFT_TILE_WIDTH,
           .args = { ARG (s->columns), ARG (s->tiles), ARG (n * SHIFT_SUMS) } })
      && bring (s, s->tiles, (gsize) n * SHIFT_SUMS * sizeof *tiles, tiles))
    shift_add_tiles (tiles, n, sums);
  g_free (tiles);
  return s->status == 0;
}
/* ------------------------------------------------------------------ the filter -- */

gsize
shift_scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const gint  w = request->bounds.width, h = request->bounds.height;
  const gsize pixels = (gsize) w * h, projection = projection_bytes (w, h), tiles = tiles_bytes (w, h);

  return pixels * (3 * sizeof (gfloat) + 3) + wide_bytes (w, h) + pixels + MAX (projection, tiles)
         + tiles * SHIFT_TILE_WIDTH + SHIFT_MOST_BINS * sizeof (gint);
}

static gboolean
take_all (Search *s)
{
  const gsize pixels = (gsize) s->width * s->height, projection = projection_bytes (s->width, s->height), tiles = tiles_bytes (s->width, s->height);

  return take (s, pixels * sizeof (gfloat), &s->clean) && take (s, wide_bytes (s->width, s->height), &s->medians) && take (s, pixels, &s->bad)
         && take (s, SHIFT_MOST_BINS * sizeof (gint), &s->counts) && take (s, pixels, &s->used)
         && take (s, MAX (projection, tiles), &s->tiles) && take (s, tiles * SHIFT_TILE_WIDTH, &s->columns);
}

static gboolean
answer (Search *s, const Shift *found)
{
  gint32 words[SHIFT_WORDS];

  shift_to_words (found, words);
  return launch (s, &(TesseraLaunch) {
    .kernel = "shift_answer", .size = { 1 }, .cost = 1,
    .args = { ARG (s->band->output.memory), ARG (words[0]), ARG (words[1]), ARG (words[2]), ARG (words[3]), ARG (words[4]), ARG (words[5]),
              ARG (words[6]), ARG (words[7]) }
  });
}

gint
shift_device (TesseraBand *band)
{
  const ShiftRequest *request = band->request->params;
  const gint          width = request->frame->width, height = request->frame->height;
  Search              s = { .band = band, .request = request, .width = width, .height = height, .across = shift_tiles (width, SHIFT_TILE_WIDTH),
                            .down = shift_tiles (height, SHIFT_TILE_HEIGHT) };
  const ShiftPath     path = { width, height, &s, choose, count_slopes, mark_steep, add_up };
  Shift               found;

  if (take_all (&s) && prepare_frame (&s, &band->aux, &s.reference) && prepare_frame (&s, &band->input, &s.frame)
      && shift_by (&path, &(ShiftProjections) { s.reference.columns, s.reference.rows }, &(ShiftProjections) { s.frame.columns, s.frame.rows },
                   &request->settings, &found))
    answer (&s, &found);
  g_free (s.reference.columns);
  g_free (s.reference.rows);
  g_free (s.frame.columns);
  g_free (s.frame.rows);
  return s.status;
}

/* ------------------------------------------------------------------- the answer -- */

void
shift_to_words (const Shift *found, gint32 words[SHIFT_WORDS])
{
  memcpy (words, &found->x, sizeof found->x);
  memcpy (words + 2, &found->y, sizeof found->y);
  memcpy (words + 4, &found->error, sizeof found->error);
  words[6] = found->pixels;
  words[7] = found->steps << 2 | (found->converged ? 2 : 0) | (found->ok ? 1 : 0);
}

Shift
shift_of_words (const gint32 words[SHIFT_WORDS])
{
  Shift found = { .ok = words[7] & 1, .converged = (words[7] & 2) != 0, .pixels = words[6], .steps = words[7] >> 2 };

  memcpy (&found.x, words, sizeof found.x);
  memcpy (&found.y, words + 2, sizeof found.y);
  memcpy (&found.error, words + 4, sizeof found.error);
  return found;
}
