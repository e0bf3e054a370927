/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is made of one frame: the softened plane, what its bad pixels touch, projections.  See shift.h. */
#include "config.h"

#include "shift-parts.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- bad pixels -- */

/* Marks columns x + left .. x + right of a row, as far as the frame goes. */
static void
mark (ShiftFrame *frame, gint x, gint y, gint left, gint right, guint8 what)
{
  const gint from = MAX (0, x + left), to = MIN (frame->width - 1, x + right);

  for (gint i = from; i <= to && y >= 0 && y < frame->height; i++)
    frame->flags[(gsize) y * frame->width + i] |= what;
}

static void
mark_around (ShiftFrame *frame, gint x, gint y)
{
  for (gint k = -1; k <= 1; k++)
    {
      mark (frame, x, y + k, -1, 1, SHIFT_NEAR_BAD);
      mark (frame, x, y + k, -2, 2, SHIFT_NEAR_REFERENCE);
    }
  mark (frame, x, y - 2, -1, 1, SHIFT_NEAR_REFERENCE);
  mark (frame, x, y + 2, -1, 1, SHIFT_NEAR_REFERENCE);
  for (gint k = -3; k <= 2; k++)
    mark (frame, x, y + k, -3, 2, SHIFT_NEAR_TAPS);
}

static void
mark_all (ShiftFrame *frame)
{
  for (gint y = 0; y < frame->height; y++)
    {
      const guint8 *row = frame->flags + (gsize) y * frame->width;

      for (gint x = 0; x < frame->width; x++)
        if (row[x] & SHIFT_BAD)
          mark_around (frame, x, y);
    }
}

/* ----------------------------------------------------------------- softening -- */

typedef struct
{
  ShiftFrame   *frame;
  const gfloat *clean;
} Softening;

TESSERA_CLONES static void
soften_columns (const gfloat *above, const gfloat *here, const gfloat *below, gint n, gfloat *restrict soft)
{
  for (gint i = 0; i < n; i++)
    soft[i] = shift_soften (above[i], here[i], below[i]);
}

/* `in` has one more at each end. */
TESSERA_CLONES static void
soften_row (const gfloat *restrict in, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n; i++)
    out[i] = shift_soften (in[i], in[i + 1], in[i + 2]);
}

static void
soften_rows (gsize first, gsize n, gpointer data)
{
  const Softening *s = data;
  const gint       width = s->frame->width, height = s->frame->height;
  g_autofree gfloat *soft = g_new (gfloat, width + 2);

  for (gint y = first; y < (gint) (first + n); y++)
    {
      soften_columns (s->clean + (gsize) MAX (y - 1, 0) * width, s->clean + (gsize) y * width,
                      s->clean + (gsize) MIN (y + 1, height - 1) * width, width, soft + 1);
      soft[0] = soft[1];
      soft[width + 1] = soft[width];
      soften_row (soft, width, s->frame->softened + (gsize) y * width);
    }
}

/* --------------------------------------------------------------- projections -- */

/* Of tiles: those of a row of tiles for each column, those of a column of tiles for each row. */
typedef struct
{
  ShiftFrame *frame;
  gfloat     *column_sums, *row_sums;
  gint       *in_columns, *in_rows;     /* how many pixels: of tiles, too; of the whole row */
} Projecting;

static void
add_row (Projecting *p, gint tiles, gint y, gfloat *sums, gint *counts)
{
  const gint    width = p->frame->width;
  const gfloat *pixels = p->frame->softened + (gsize) y * width;
  const guint8 *flags = p->frame->flags + (gsize) y * width;

  for (gint tile = 0; tile < tiles; tile++)
    {
      gfloat columns[SHIFT_TILE_WIDTH] = { 0 };
      gint   n = 0;

      for (gint i = 0, x = tile * SHIFT_TILE_WIDTH; i < SHIFT_TILE_WIDTH && x < width; i++, x++)
        {
          const gint is_good = ! (flags[x] & SHIFT_NEAR_BAD);

          columns[i] = is_good ? pixels[x] : 0.0f;
          sums[x] += columns[i];
          counts[x] += is_good;
          n += is_good;
        }
      p->row_sums[(gsize) y * tiles + tile] = shift_halve (columns);
      p->in_rows[y] += n;
    }
}

static void
project_tiles (gsize first, gsize n, gpointer data)
{
  Projecting *p = data;
  const gint  width = p->frame->width, tiles = shift_tiles (width, SHIFT_TILE_WIDTH);

  for (gsize tile = first; tile < first + n; tile++)
    for (gint y = tile * SHIFT_TILE_HEIGHT; y < MIN ((gint) (tile + 1) * SHIFT_TILE_HEIGHT, p->frame->height); y++)
      add_row (p, tiles, y, p->column_sums + tile * width, p->in_columns + tile * width);
}

/* Tile by tile where the numbers of a tile lie together, so that the loop runs in vectors. */
TESSERA_CLONES static void
add_projection (const gfloat *restrict values, gint n, gint stride, gint tiles, gint step, gdouble *restrict sums)
{
  memset (sums, 0, n * sizeof *sums);
  if (stride == 1)
    for (gint t = 0; t < tiles; t++, values += step)
      for (gint i = 0; i < n; i++)
        sums[i] += values[i];
  else
    for (gint i = 0; i < n; i++)
      for (gint t = 0; t < tiles; t++)
        sums[i] += values[(gsize) i * stride + (gsize) t * step];
}

gdouble *
shift_projection (const gfloat *sums, const gint *pixels, gint n, gint stride, gint tiles, gint step)
{
  g_autofree gdouble *means = g_new (gdouble, n);

  add_projection (sums, n, stride, tiles, step, means);
  for (gint i = 0; i < n; i++)
    means[i] = shift_mean (means[i], pixels[i]);
  return shift_projection_of (means, n);
}

gdouble *
shift_projection_of (const gdouble *means, gint n)
{
  g_autofree gdouble *known = g_new (gdouble, n);
  gdouble last = 0.0;

  for (gint i = 0; i < n; i++)
    last = known[i] = isnan (means[i]) ? last : means[i];
  return shift_less_median (known, n);
}

static void
project (ShiftFrame *frame)
{
  const gint  width = frame->width, height = frame->height;
  const gint  down = shift_tiles (height, SHIFT_TILE_HEIGHT), across = shift_tiles (width, SHIFT_TILE_WIDTH);
  Projecting  p = { frame, g_new0 (gfloat, (gsize) down * width), g_new (gfloat, (gsize) height * across),
                    g_new0 (gint, (gsize) down * width), g_new0 (gint, height) };

  tessera_spread_range (down, SHIFT_ROW_COST (width) / SHIFT_TILE_HEIGHT, project_tiles, &p);
  for (gint tile = 1; tile < down; tile++)
    for (gint x = 0; x < width; x++)
      p.in_columns[x] += p.in_columns[(gsize) tile * width + x];
  frame->columns = shift_projection (p.column_sums, p.in_columns, width, 1, down, width);
  frame->rows = shift_projection (p.row_sums, p.in_rows, height, across, across, 1);
  g_free (p.in_rows);
  g_free (p.in_columns);
  g_free (p.row_sums);
  g_free (p.column_sums);
}

/* -------------------------------------------------------------------- frames -- */

ShiftFrame *
shift_frame_new (const CountPlane *plane, const ShiftSettings *settings)
{
  const gsize  pixels = (gsize) plane->width * plane->height;
  ShiftFrame  *frame = g_new0 (ShiftFrame, 1);
  gfloat      *clean = tessera_large_new (pixels * sizeof (gfloat));

  frame->width = plane->width;
  frame->height = plane->height;
  frame->softened = tessera_large_new (pixels * sizeof (gfloat));
  frame->flags = tessera_large_new (pixels);
  shift_clean (plane, settings, clean, frame->flags);
  mark_all (frame);
  tessera_spread_range (frame->height, SHIFT_ROW_COST (frame->width), soften_rows, &(Softening) { frame, clean });
  tessera_large_free (clean);
  if (settings->method == SHIFT_PYRAMID)
    project (frame);
  return frame;
}

void
shift_frame_free (ShiftFrame *frame)
{
  tessera_large_free (frame->softened);
  tessera_large_free (frame->flags);
  g_free (frame->columns);
  g_free (frame->rows);
  g_free (frame);
}
