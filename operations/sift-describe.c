/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Descriptors: the gradients around a place in the frame of its angle, counted in 4 x 4 cells and 8 directions.  In
 * double, each sum in the order of rows and columns.
 */
#include "config.h"

#include "sift-parts.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "../opencl/math/tessera-angle.h"

#define OUTSIDE     -1
#define PADDED      (CELLS + 2) /* a cell on each side takes what falls beside the frame */

/* What a row of pixels adds. */
typedef struct
{
  gdouble *across, *down;       /* place in cells, from the first cell's centre */
  gdouble *direction;           /* 0 to 8 */
  gdouble *length;              /* of the gradient, weighed */
} Samples;

/* n pixels at `right` and more pixels from the place, `below` pixels below it. */
TESSERA_CLONES static void
sample (const gfloat *restrict above, const gfloat *restrict row, const gfloat *restrict under, gint n, gint right, gint below,
        const SiftFrame *frame, const gdouble *restrict weights, gdouble *restrict across, gdouble *restrict down,
        gdouble *restrict direction, gdouble *restrict length)
{
  const gdouble cosine = frame->cosine, sine = frame->sine, angle = frame->angle;

  for (gint i = 0; i < n; i++)
    {
      const gdouble dx = (gdouble) row[i + 2] - row[i], dy = (gdouble) under[i + 1] - above[i + 1];
      const gdouble turned = (angle - angle_of (dx, dy)) * (DIRECTIONS / 360.0);

      /* An angle is NaN where a level overflows: outside. */
      across[i] = turned == turned ? ((right + i) * cosine + below * sine) + (CELLS / 2 - 0.5) : CELLS;
      down[i] = (below * cosine - (right + i) * sine) + (CELLS / 2 - 0.5);
      direction[i] = turned < 0.0 ? turned + DIRECTIONS : turned > 0.0 ? turned : 0.0;
      length[i] = sqrt (dx * dx + dy * dy) * weights[i];
    }
}

/* How n samples are shared out between the nearest cells and directions: `cell` is the first one's number, OUTSIDE where there is
 * none, and `parts` are what the eight are given, `n_parts` numbers each.  In vectors, so nothing is left out before the end. */
TESSERA_CLONES static void
share (const gdouble *restrict across, const gdouble *restrict down, const gdouble *restrict direction, const gdouble *restrict length,
       gint n, gint *restrict cell, gdouble *restrict part0, gdouble *restrict part1, gdouble *restrict part2, gdouble *restrict part3,
       gdouble *restrict turned)
{
  for (gint i = 0; i < n; i++)
    {
      const gdouble inner_x = MIN (across[i] + 1.0, CELLS - across[i]), inner_y = MIN (down[i] + 1.0, CELLS - down[i]);
      const gint    x = (gint) (across[i] + 1.0), y = (gint) (down[i] + 1.0), turn = (gint) direction[i];      /* floors; of x and y one more */
      const gdouble fx = across[i] - (x - 1), fy = down[i] - (y - 1);
      const gdouble low = length[i] * (1.0 - fy), high = length[i] * fy;
      const gint    number = (y * PADDED + x) * (DIRECTIONS + 1) + (turn & (DIRECTIONS - 1));

      cell[i] = MIN (inner_x, inner_y) > 0.0 ? number : OUTSIDE;
      part0[i] = low * (1.0 - fx);
      part1[i] = low * fx;
      part2[i] = high * (1.0 - fx);
      part3[i] = high * fx;
      turned[i] = direction[i] - turn;
    }
}

static void
count (const gint *cell, const gdouble *parts, gint n_parts, gint n, gdouble *cells)
{
  static const gint at[4] = { 0, DIRECTIONS + 1, PADDED * (DIRECTIONS + 1), (PADDED + 1) * (DIRECTIONS + 1) };

  for (gint i = 0; i < n; i++)
    if (cell[i] != OUTSIDE)
      for (gint k = 0; k < 4; k++)
        {
          const gdouble part = parts[k * n_parts + i], turned = parts[4 * n_parts + i];
          gdouble      *to = cells + cell[i] + at[k];

          to[0] += part * (1.0 - turned);
          to[1] += part * turned;
        }
}

static void
count_window (const SiftLevels *levels, const SiftPlace *place, const SiftFrame *frame,
              gdouble cells[PADDED][PADDED][DIRECTIONS + 1])
{
  const gint radius = sift_window_radius (place->sigma), most = sift_whole (2 * radius + 1);
  const gint x0 = place->column, y0 = place->row, l = place->layer;
  gdouble   *room = gegl_scratch_new0 (gdouble, 11 * most), *weights = room + 4 * most, *row_weights = weights + most;
  gdouble   *parts = row_weights + most;
  gint      *cell = gegl_scratch_new (gint, most);
  Samples    samples = { room, room + most, room + 2 * most, room + 3 * most };

  for (gint i = 0; i <= radius; i++)
    weights[radius + i] = weights[radius - i] = tessera_exp (-(i * i) / (8.0 * (CELL * place->sigma) * (CELL * place->sigma)));
  for (gint j = MAX (-radius, 1 - y0); j <= MIN (radius, levels->height - 2 - y0); j++)
    {
      gint first, last, n;

      if (! sift_row_span (frame, j, radius, &first, &last))
        continue;
      first = MAX (first, 1 - x0);
      last = MIN (last, levels->width - 2 - x0);
      n = last - first + 1;
      if (n <= 0)
        continue;
      for (gint i = 0; i < n; i++)
        row_weights[i] = weights[radius + j] * weights[radius + first + i];
      sample (sift_row (levels, l, x0 + first - 1, y0 + j - 1), sift_row (levels, l, x0 + first - 1, y0 + j),
              sift_row (levels, l, x0 + first - 1, y0 + j + 1), sift_whole (n), first, j, frame, row_weights, samples.across,
              samples.down, samples.direction, samples.length);
      share (samples.across, samples.down, samples.direction, samples.length, sift_whole (n), cell, parts, parts + most,
             parts + 2 * most, parts + 3 * most, parts + 4 * most);
      count (cell, parts, most, n, &cells[0][0][0]);
    }
  gegl_scratch_free (cell);
  gegl_scratch_free (room);
}

static gdouble
length_of (const gdouble values[SIFT_LENGTH])
{
  gdouble sum = 0.0;

  for (gint i = 0; i < SIFT_LENGTH; i++)
    sum += values[i] * values[i];
  return sqrt (sum);
}

void
sift_describe (const SiftLevels *levels, const SiftPlace *place, gdouble angle, guint8 descriptor[SIFT_LENGTH])
{
  const SiftFrame frame = sift_frame (place->sigma, angle);
  gdouble         cells[PADDED][PADDED][DIRECTIONS + 1], values[SIFT_LENGTH], most, length;

  memset (cells, 0, sizeof cells);
  count_window (levels, place, &frame, cells);
  for (gint i = 0; i < SIFT_LENGTH; i++)
    {
      const gdouble *directions = cells[1 + i / DIRECTIONS / CELLS][1 + i / DIRECTIONS % CELLS];

      values[i] = directions[i % DIRECTIONS] + (i % DIRECTIONS == 0 ? directions[DIRECTIONS] : 0.0);
    }
  most = CLIP * length_of (values);
  for (gint i = 0; i < SIFT_LENGTH; i++)
    values[i] = MIN (values[i], most);
  length = MAX (length_of (values), LEAST_LENGTH);
  for (gint i = 0; i < SIFT_LENGTH; i++)
    descriptor[i] = (guint8) sift_element (values[i], length);
}
