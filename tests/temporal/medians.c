/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Medians against sorting; a flat frame. */
#include "medians.h"

#include <math.h>
#include <stdlib.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "median.h"
#include "shift-parts.h"
#include "whiten.h"

#define ROW 100

static GRand *dice;

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

void
medians (void)
{
  dice = g_rand_new_with_seed (20261123);
  test_flat ();
  for (gint i = 0; i < 40; i++)
    test_middles (g_rand_int_range (dice, 3, 100000), i % 3 ? 0.0 : 16001.0, pow (10.0, i % 8), i % 2);
  for (gint i = 0; i < 200; i++)
    test_middles (g_rand_int_range (dice, 30, 60), i % 2 ? 16001.0 : 0.0, i % 2 ? 30.0 : 1e7, i / 2 % 2);
  g_rand_free (dice);
}
