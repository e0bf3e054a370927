/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Significance against its definition in double, pixel for pixel. */
#include <math.h>
#include <stdlib.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "median.h"
#include "shift-parts.h"
#include "whiten.h"

#define ROW 100

static GRand *dice;

/* Steep and flat parts. */
static gdouble
sky (gint x, gint y)
{
  const gdouble u = (x - 70.0) / 6.0, v = (y - 40.0) / 6.0;

  return 1000.0 + 300.0 * u - 200.0 * v + 150.0 * u * v + 90.0 * v * v - 2.5 * u * u * u;
}

static gint
compare_floats (gconstpointer a, gconstpointer b)
{
  const gfloat p = *(const gfloat *) a, q = *(const gfloat *) b;

  return (p > q) - (p < q);
}

static gdouble
sorted_middle (gfloat *values, gint n)
{
  qsort (values, n, sizeof (gfloat), compare_floats);
  return (values[(n - 1) / 2] + (gdouble) values[n / 2]) / 2;
}

/* Block `b` of an axis begins here. */
static gint
block_edge (gint b, gint size)
{
  return b < MAX (1, size / 64) ? 64 * b : size;
}

static void
local_plainly (const CountPlane *plane, gint bx, gint by, gdouble local[2])
{
  gfloat *values = g_new (gfloat, 128 * 128);
  gint    n = 0;

  for (gint y = block_edge (by, plane->height); y < block_edge (by + 1, plane->height); y++)
    for (gint x = block_edge (bx, plane->width); x < block_edge (bx + 1, plane->width); x++)
      if (! isnan (plane->pixels[y * plane->width + x]))
        values[n++] = plane->pixels[y * plane->width + x];
  local[0] = sorted_middle (values, n);
  for (gint i = 0; i < n; i++)
    values[i] = fabsf (values[i] - (gfloat) local[0]);
  local[1] = 1.4826 * sorted_middle (values, n);
  g_free (values);
}

/* The block whose centre is left of x, and how far x is towards the next. */
static gint
place_plainly (gint x, gint size, gdouble *part)
{
  gint b = 0;

  for (; b + 1 < MAX (1, size / 64); b++)
    {
      const gdouble here = (block_edge (b, size) + block_edge (b + 1, size) - 1) / 2.0;
      const gdouble next = (block_edge (b + 1, size) + block_edge (b + 2, size) - 1) / 2.0;

      *part = CLAMP ((x - here) / (next - here), 0.0, 1.0);
      if (x <= next)
        return b;
    }
  *part = b > 0 ? 1.0 : 0.0;
  return MAX (b - 1, 0);
}

static gdouble
judge_plainly (const WhitenPlanes *planes, gdouble middle, gdouble gain, gint x, gint y)
{
  const CountPlane *b = &planes->background;
  const gint        width = b->width, height = b->height;
  gdouble           part_x, part_y, local[2] = { 0 }, variance, light, h, v;
  const gint        bx = place_plainly (x, width, &part_x), by = place_plainly (y, height, &part_y);

  for (gint i = 0; i < 4; i++)
    {
      const gdouble weight = (i % 2 ? part_x : 1.0 - part_x) * (i / 2 ? part_y : 1.0 - part_y);
      gdouble       one[2];

      if (weight > 0.0)
        {
          local_plainly (&planes->whitened, bx + i % 2, by + i / 2, one);
          local[0] += weight * one[0];
          local[1] += weight * one[1];
        }
    }
  h = (b->pixels[y * width + MIN (x + 1, width - 1)] - (gdouble) b->pixels[y * width + MAX (x - 1, 0)]) / 2;
  v = (b->pixels[MIN (y + 1, height - 1) * width + x] - (gdouble) b->pixels[MAX (y - 1, 0) * width + x]) / 2;
  light = gain > 0.0 ? MAX (b->pixels[y * width + x] - middle, 0.0) / gain : 0.0;
  variance = local[1] * local[1] + 0.01 * (h * h + v * v) + light;
  return (planes->whitened.pixels[y * width + x] - local[0]) / sqrt (variance);
}

static void
test_significance (gint width, gint height, gdouble gain)
{
  WhitenPlanes planes;
  gfloat      *values = g_new (gfloat, width * height);
  gdouble      middle, worst = 0.0;
  gint         n = 0;

  whiten_planes_init (&planes, width, height);
  for (gint i = 0; i < width * height; i++)
    {
      planes.background.pixels[i] = sky (i % width, i / width) + g_rand_double_range (dice, 0.0, 60.0);
      planes.whitened.pixels[i] = g_rand_int_range (dice, 0, 40) ? g_rand_double_range (dice, -20.0, 40.0) + 0.1 * (i % width) : NAN;
      if (! isnan (planes.whitened.pixels[i]))
        values[n++] = planes.background.pixels[i];
    }
  middle = sorted_middle (values, n);
  whiten_judge (&planes, gain);
  for (gint i = 0; i < 300; i++)
    {
      const gint    at = i < 3 ? (gint[]) { 0, width - 1, width * height - 1 }[i] : g_rand_int_range (dice, 0, width * height);
      const gdouble plain = judge_plainly (&planes, middle, gain, at % width, at / width);

      if (! isnan (plain))
        worst = MAX (worst, fabs (planes.significance.pixels[at] - plain));
    }
  expect (worst < 3e-5, "%d x %d, gain %g: the significance is off by %g", width, height, gain, worst);
  whiten_planes_clear (&planes);
  g_free (values);
}

/* Nothing varies: no value is a number that is none. */
static void
test_flat (void)
{
  WhitenPlanes planes;
  gint         strange = 0;

  whiten_planes_init (&planes, 70, 3);
  for (gint i = 0; i < 210; i++)
    {
      planes.background.pixels[i] = 7.0f;
      planes.whitened.pixels[i] = 0.0f;
    }
  whiten_judge (&planes, 1.5);
  for (gint i = 0; i < 210; i++)
    strange += planes.significance.pixels[i] != 0.0f;
  expect (strange == 0, "%d pixels of a flat frame are significant", strange);
  whiten_planes_clear (&planes);
}

typedef struct
{
  const gfloat *values;
  gint          n;
} Rows;

static gint
take_magnitudes (gconstpointer data, gint row, gfloat *values)
{
  const Rows *rows = data;
  const gint  begin = row * ROW, n = MIN (ROW, rows->n - begin);

  for (gint i = 0; i < n; i++)
    values[i] = isnan (rows->values[begin + i]) ? SHIFT_NO_VALUE : fabsf (rows->values[begin + i]);
  return n;
}

/* The median of magnitudes, as shifts want it. */
static void
test_magnitudes (const gfloat *values, gint n, gfloat *known, gint m, gdouble width)
{
  gdouble right, found;

  for (gint i = 0; i < m; i++)
    known[i] = fabsf (known[i]);
  right = m > 0 ? sorted_middle (known, m) : 0.0;
  found = shift_median (take_magnitudes, &(Rows) { values, n }, (n + ROW - 1) / ROW, ROW);
  expect (found == right, "%d of %d values, width %g: the median of magnitudes is %g, not %g", m, n, width, found, right);
}

/* Medians of all values and of some, of both signs, with ties, against sorting. */
static void
test_middles (gint n, gdouble offset, gdouble width, gboolean some)
{
  gfloat *values = g_new (gfloat, n), *known = g_new (gfloat, n);
  gint    m = 0;
  gdouble right;

  for (gint i = 0; i < n; i++)
    {
      values[i] = some && g_rand_int_range (dice, 0, 3) == 0 ? NAN : (gfloat) (floor (offset + g_rand_double_range (dice, -width, width)) / 16.0);
      if (! isnan (values[i]))
        known[m++] = values[i];
    }
  right = sorted_middle (known, m);
  expect (median_of_many (values, n, m) == (gfloat) right, "%d of %d values, width %g: the median is %g, not %g", m, n, width,
          median_of_many (values, n, m), right);
  expect (median_of (known, m) == (gfloat) right, "%d values, width %g: the median is %g, not %g", m, width, median_of (known, m), right);
  test_magnitudes (values, n, known, m, width);
  g_free (known);
  g_free (values);
}

gint
main (gint argc, gchar **argv)
{
  gegl_init (&argc, &argv);
  dice = g_rand_new_with_seed (20261123);
  test_significance (150, 91, 1.5);
  test_significance (63, 200, 0.0);
  test_significance (1, 40, 1.5);
  test_significance (512, 64, 1.5);
  test_flat ();
  for (gint i = 0; i < 40; i++)
    test_middles (g_rand_int_range (dice, 3, 100000), i % 3 ? 0.0 : 16001.0, pow (10.0, i % 8), i % 2);
  for (gint i = 0; i < 200; i++)
    test_middles (g_rand_int_range (dice, 30, 60), i % 2 ? 16001.0 : 0.0, i % 2 ? 30.0 : 1e7, i / 2 % 2);
  g_rand_free (dice);
  gegl_exit ();
  return expect_told ();
}
