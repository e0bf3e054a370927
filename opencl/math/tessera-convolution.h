/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * A pixel that was read serves this many rows of results, which stay in registers. */
#define CONVOLUTION_STEP 4

/* A colour from the sum of w a I, `covered` the sum of |w| a, `magnitudes` that of |w|: as if all of the support were as
 * bright as what can be seen of it.  Of opaque pixels the quotient is 1. */
static inline float
convolution_colour (float sum, float covered, float magnitudes, float offset)
{
  const float share = magnitudes / covered;

  return covered != 0.0f ? sum * share + offset : offset;
}
