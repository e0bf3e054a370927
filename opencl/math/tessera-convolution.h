/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 *
 * Each pixel that is read serves this many rows of results.  They stay in registers. */
#define CONVOLUTION_STEP 4

/* If the alphas are very small, both sums are scaled up, so that the quotient is finite. */
#define CONVOLUTION_FAINT 1e-30f
#define CONVOLUTION_SCALE 0x1p100f

static inline float
convolution_scale (float covered)
{
  return covered < CONVOLUTION_FAINT && covered > -CONVOLUTION_FAINT ? CONVOLUTION_SCALE : 1.0f;
}

/* A colour as it would be if all of the support were as bright as what can be seen of it.  `sum` is the sum of w a I,
 * `covered` that of |w| a, `magnitudes` that of |w|.  If all pixels are opaque, nothing is divided, because the sum of
 * |w| may be infinite. */
static inline float
convolution_colour (float sum, float covered, float magnitudes, float offset)
{
  const float scale = convolution_scale (covered), share = magnitudes / (covered * scale);

  return covered == magnitudes ? sum + offset : covered != 0.0f ? (sum * scale) * share + offset : offset;
}
