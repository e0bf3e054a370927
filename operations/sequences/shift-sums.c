/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The sums of a shift, in C: see shift-parts.h.  The order is that of opencl/math/tessera-shift.h. */
#include "config.h"

#include "shift-parts.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const ShiftFrame *reference, *frame;
  gint              width, height;
  gint              x, y;               /* the whole part of the shift */
  guint8           *used;               /* SHIFT_USABLE, SHIFT_STEEP */
  gfloat            threshold;          /* of h^2 + g^2 */
  gint              n_steep;
  guint8            wanted;
  const gfloat     *taps_x, *taps_y;
  gfloat           *tiles;
} Sums;

/* ---------------------------------------------------------- which are used -- */

/* Pixels of a row whose taps are all inside. */
static void
inside (const Sums *s, gint y, gint *from, gint *to)
{
  *from = MAX (SHIFT_RIM, 1 - s->x);
  *to = MIN (s->width - SHIFT_RIM, s->width - 2 - s->x);
  if (y < SHIFT_RIM || y >= s->height - SHIFT_RIM || y + s->y < 1 || y + s->y >= s->height - 2 || *to < *from)
    *to = *from;
}

static void
choose_rows (gsize first, gsize n, gpointer data)
{
  const Sums *s = data;

  for (gsize y = first; y < first + n; y++)
    {
      const guint8 *in_reference = s->reference->flags + y * s->width;
      const guint8 *in_frame = s->frame->flags + ((gssize) y + s->y) * s->width + s->x;
      guint8       *used = s->used + y * s->width;
      gint          from, to;

      inside (s, y, &from, &to);
      memset (used, 0, s->width);
      for (gint x = from; x < to; x++)
        used[x] = ! (in_reference[x] & SHIFT_NEAR_REFERENCE) & ! (in_frame[x] & SHIFT_NEAR_TAPS);
    }
}

TESSERA_CLONES static void
slope_row (const gfloat *above, const gfloat *here, const gfloat *below, const guint8 *used, gint from, gint to, gfloat *restrict across, gfloat *restrict down)
{
  const gfloat none = SHIFT_NO_VALUE;

  for (gint x = from; x < to; x++)
    {
      const gfloat h = tessera_abs (shift_slope (here[x - 1], here[x + 1])), g = tessera_abs (shift_slope (above[x], below[x]));

      across[x - from] = used[x] ? h : none;
      down[x - from] = used[x] ? g : none;
    }
}

static gint
take_slopes (gconstpointer data, gint row, gfloat *values)
{
  const Sums   *s = data;
  const gint    width = s->width, n = MAX (width - 2 * SHIFT_RIM, 0);
  const gsize   begin = (gsize) row * width;
  const gfloat *here = s->reference->softened + begin;

  if (row < SHIFT_RIM || row >= s->height - SHIFT_RIM)
    return 0;
  slope_row (here - width, here, here + width, s->used + begin, SHIFT_RIM, width - SHIFT_RIM, values, values + n);
  return 2 * n;
}

TESSERA_CLONES static gint
mark_usable_row (const gfloat *above, const gfloat *here, const gfloat *below, gint from, gint to, gfloat threshold, guint8 *restrict used)
{
  gint n = 0;

  for (gint x = from; x < to; x++)
    {
      const gint is_steep = used[x] & shift_is_steep (shift_slope (here[x - 1], here[x + 1]), shift_slope (above[x], below[x]), threshold);

      used[x] |= is_steep * SHIFT_STEEP;
      n += is_steep;
    }
  return n;
}

static void
mark_rows (gsize first, gsize n, gpointer data)
{
  Sums *s = data;
  gint  steep = 0;

  for (gint y = MAX ((gint) first, SHIFT_RIM); y < MIN ((gint) (first + n), s->height - SHIFT_RIM); y++)
    {
      const gsize   begin = (gsize) y * s->width;
      const gfloat *here = s->reference->softened + begin;

      steep += mark_usable_row (here - s->width, here, here + s->width, SHIFT_RIM, s->width - SHIFT_RIM, s->threshold, s->used + begin);
    }
  g_atomic_int_add (&s->n_steep, steep);
}

static void
mark_steep (Sums *s, gfloat threshold)
{
  s->threshold = threshold;
  s->n_steep = 0;
  tessera_spread_range (s->height, SHIFT_ROW_COST (s->width), mark_rows, s);
  s->wanted = s->n_steep >= SHIFT_FEWEST_STEEP ? SHIFT_STEEP : SHIFT_USABLE;
}

/* ------------------------------------------------------------------ the sums -- */

/* What the pixel at (x, y) adds to the sums of its column. */
static inline void
add_pixel (const Sums *s, gint x, gint y, gfloat columns[SHIFT_SUMS][SHIFT_TILE_WIDTH])
{
  const gint    width = s->width, column = x % SHIFT_TILE_WIDTH;
  const gfloat *r = s->reference->softened + (gsize) y * width + x, *wx = s->taps_x, *wy = s->taps_y;
  const gfloat *taps = s->frame->softened + ((gssize) y + s->y - 1) * width + x + s->x - 1;
  const gfloat  h = shift_slope (r[-1], r[1]), g = shift_slope (r[-width], r[width]);
  gfloat        rows[4], e;

  for (gint k = 0; k < 4; k++, taps += width)
    rows[k] = shift_tap (taps[0], taps[1], taps[2], taps[3], wx[0], wx[1], wx[2], wx[3]);
  e = shift_tap (rows[0], rows[1], rows[2], rows[3], wy[0], wy[1], wy[2], wy[3]) - r[0];
  columns[SHIFT_P][column] += g * e;
  columns[SHIFT_Q][column] += h * e;
  columns[SHIFT_U][column] += h * h;
  columns[SHIFT_V][column] += h * g;
  columns[SHIFT_W][column] += g * g;
  columns[SHIFT_E][column] += e * e;
  columns[SHIFT_N][column] += 1.0f;
}

/* Most pixels are not used: eight at a time are passed over. */
static void
add_tile (const Sums *s, gint x0, gint y0, gfloat sums[SHIFT_SUMS])
{
  const gint    x1 = MIN (x0 + SHIFT_TILE_WIDTH, s->width), y1 = MIN (y0 + SHIFT_TILE_HEIGHT, s->height);
  const guint64 wanted = s->wanted * G_GUINT64_CONSTANT (0x0101010101010101);
  gfloat        columns[SHIFT_SUMS][SHIFT_TILE_WIDTH] = { { 0 } };

  for (gint y = y0; y < y1; y++)
    {
      const guint8 *used = s->used + (gsize) y * s->width;

      for (gint x = x0; x < x1; x += 8)
        {
          const gint end = MIN (x + 8, x1);
          guint64    eight = 0;

          memcpy (&eight, used + x, end - x);
          if (eight & wanted)
            for (gint i = x; i < end; i++)
              if (used[i] & s->wanted)
                add_pixel (s, i, y, columns);
        }
    }
  for (gint k = 0; k < SHIFT_SUMS; k++)
    sums[k] = shift_halve (columns[k]);
}

static void
add_tile_rows (gsize first, gsize n, gpointer data)
{
  const Sums *s = data;
  const gint  across = shift_tiles (s->width, SHIFT_TILE_WIDTH);

  for (gsize row = first; row < first + n; row++)
    for (gint column = 0; column < across; column++)
      add_tile (s, column * SHIFT_TILE_WIDTH, row * SHIFT_TILE_HEIGHT, s->tiles + (row * across + column) * SHIFT_SUMS);
}

static void
answer_median (Sums *s, ShiftSearch *search)
{
  s->x = search->x;
  s->y = search->y;
  tessera_spread_range (s->height, SHIFT_ROW_COST (s->width), choose_rows, s);
  shift_search_median (search, shift_median (take_slopes, s, s->height, 2 * s->width));
}

static void
answer_sums (Sums *s, ShiftSearch *search)
{
  const gint down = shift_tiles (s->height, SHIFT_TILE_HEIGHT), across = shift_tiles (s->width, SHIFT_TILE_WIDTH);
  gdouble    sums[SHIFT_SUMS];

  s->taps_x = search->taps_x;
  s->taps_y = search->taps_y;
  if (search->is_fresh)
    mark_steep (s, search->threshold);
  tessera_spread_range (down, SHIFT_ROW_COST (s->width) / SHIFT_TILE_HEIGHT, add_tile_rows, s);
  shift_add_tiles (s->tiles, down * across, sums);
  shift_search_sums (search, sums);
}

void
shift_between (const ShiftFrame *reference, const ShiftFrame *frame, const ShiftSettings *settings, Shift *found)
{
  const gint  width = reference->width, height = reference->height;
  Sums        s = { .reference = reference, .frame = frame, .width = width, .height = height };
  ShiftSearch search;

  *found = (Shift) { .error = INFINITY };
  if (width != frame->width || height != frame->height)
    return;
  s.used = tessera_large_new ((gsize) width * height);
  s.tiles = g_new (gfloat, (gsize) shift_tiles (width, SHIFT_TILE_WIDTH) * shift_tiles (height, SHIFT_TILE_HEIGHT) * SHIFT_SUMS);
  shift_search_begin (&search, width, height, &(ShiftProjections) { reference->columns, reference->rows },
                      &(ShiftProjections) { frame->columns, frame->rows }, settings);
  while (search.asks != SHIFT_ASKS_NOTHING)
    if (search.asks == SHIFT_ASKS_MEDIAN)
      answer_median (&s, &search);
    else
      answer_sums (&s, &search);
  *found = search.found;
  g_free (s.tiles);
  tessera_large_free (s.used);
}
