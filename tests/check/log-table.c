/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * log2 of each float from 1/2 to 2, and of some of each other exponent; exp2 of 2^20 numbers: within 2e-7 of themselves. */
#include <gegl.h>
#include <math.h>

#include "tessera.h"
#include "../../opencl/engine/tessera-math.h"
#include "../../opencl/math/tessera-log.h"

#include "../engine/verdict.h"

#define MOST 2e-7

static double
log_error (gint from, gint to, gint step)
{
  double worst = 0;

  for (gint bits = from; bits < to; bits += step)
    {
      const gfloat x = tessera_as_float (bits);
      const double right = log2 (x), error = fabs (tessera_log2 (x) - right);

      worst = MAX (worst, right != 0 ? error / fabs (right) : error * 1e9);
    }
  return worst;
}

static double
exp_error (double from, double to)
{
  double worst = 0;

  for (gint i = 0; i <= 1 << 20; i++)
    {
      const gfloat x = (gfloat) (from + (to - from) * i / (1 << 20));

      worst = MAX (worst, fabs (tessera_exp2 (x) / exp2 (x) - 1));
    }
  return worst;
}

int
main (void)
{
  const double near_1 = log_error (0x3f000000, 0x40000000, 1), all = log_error (0x00800000, 0x7f800000, 997);
  const double little = exp_error (-1, 1), much = exp_error (-126, 126);

  expect (near_1 <= MOST, "log2 from 1/2 to 2: %g", near_1);
  expect (all <= MOST, "log2: %g", all);
  expect (little <= MOST, "exp2 from -1 to 1: %g", little);
  expect (much <= MOST, "exp2: %g", much);
  expect (tessera_exp2 (-1000.0f) > 0 && tessera_exp2 (1000.0f) <= G_MAXFLOAT, "the ends of exp2");
  return expect_told ();
}
