/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Transforms of the plane: 3 x 3, row by row, of places (x, y, 1).
 */
#ifndef MATRIX_H
#define MATRIX_H

#include <glib.h>
#include <math.h>
#include <string.h>

#define MATRIX_IDENTITY { 1, 0, 0, 0, 1, 0, 0, 0, 1 }

/* result = a b; may be one of them. */
static inline void
matrix_multiply (const gdouble a[9], const gdouble b[9], gdouble result[9])
{
  gdouble product[9];

  for (gint i = 0; i < 9; i++)
    product[i] = (a[i / 3 * 3] * b[i % 3] + a[i / 3 * 3 + 1] * b[3 + i % 3]) + a[i / 3 * 3 + 2] * b[6 + i % 3];
  memcpy (result, product, sizeof product);
}

static inline gdouble
matrix_determinant (const gdouble m[9])
{
  return (m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]))
         + m[2] * (m[3] * m[7] - m[4] * m[6]);
}

/* Scales it so that [8] is 1 or -1, if it can be.  The sign stays: far from the origin a place before the horizon would
 * come to lie behind it. */
static inline void
matrix_normalize (gdouble m[9])
{
  const gdouble last = fabs (m[8]);

  for (gint i = 0; i < 9 && last != 0.0; i++)
    m[i] /= last;
}

/* FALSE: there is no inverse.  [8] of the inverse is 1 or -1. */
static inline gboolean
matrix_invert (const gdouble m[9], gdouble inverse[9])
{
  const gdouble determinant = matrix_determinant (m);
  const gdouble adjugate[9] = { m[4] * m[8] - m[5] * m[7], m[2] * m[7] - m[1] * m[8], m[1] * m[5] - m[2] * m[4],
                                m[5] * m[6] - m[3] * m[8], m[0] * m[8] - m[2] * m[6], m[2] * m[3] - m[0] * m[5],
                                m[3] * m[7] - m[4] * m[6], m[1] * m[6] - m[0] * m[7], m[0] * m[4] - m[1] * m[3] };

  if (! isfinite (determinant) || determinant == 0.0)
    return FALSE;
  for (gint i = 0; i < 9; i++)
    inverse[i] = adjugate[i] / determinant;
  matrix_normalize (inverse);
  return TRUE;
}

/* The third component is returned: a place behind the horizon has none, or a negative one. */
static inline gdouble
matrix_map (const gdouble m[9], gdouble x, gdouble y, gdouble *to_x, gdouble *to_y)
{
  const gdouble w = (m[6] * x + m[7] * y) + m[8];

  *to_x = ((m[0] * x + m[1] * y) + m[2]) / w;
  *to_y = ((m[3] * x + m[4] * y) + m[5]) / w;
  return w;
}

/* How much larger things become at a place: the root of the area's factor. */
static inline gdouble
matrix_scale (const gdouble m[9], gdouble x, gdouble y)
{
  const gdouble w = (m[6] * x + m[7] * y) + m[8];

  return sqrt (fabs (matrix_determinant (m) / (w * w * w)));
}

/* scale p + (x, y). */
static inline void
matrix_place (gdouble scale, gdouble x, gdouble y, gdouble m[9])
{
  const gdouble placed[9] = { scale, 0, x, 0, scale, y, 0, 0, 1 };

  memcpy (m, placed, sizeof placed);
}

/* From places of smaller pictures to those of larger ones, of so many times their sizes; or back. */
static inline void
matrix_enlarge (gdouble of_a, gdouble of_b, gdouble m[9])
{
  gdouble a[9], b[9];

  matrix_place (of_a, 0.5 * (of_a - 1), 0.5 * (of_a - 1), a);
  matrix_place (1.0 / of_b, -0.5 * (of_b - 1) / of_b, -0.5 * (of_b - 1) / of_b, b);
  matrix_multiply (m, b, m);
  matrix_multiply (a, m, m);
  matrix_normalize (m);
}

#endif
