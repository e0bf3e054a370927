/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  Bilateral grid: the arguments of its kernels, dense and sparse, and what a pixel and its guide are to the grid.
 */
/* What every kernel knows of the request. */
typedef struct
{
  float4 weights;               /* x, y, z: of R, G, B in luminance; w: 1/r, planes per unit */
  int    by_luminance;
} Guide;

/* The arguments with which kernels begin that fill cells, ... */
#define CELL_ARGS \
  global const float4 *pixels, global const float4 *guides, int stride, int from_x, int from_y, float4 weights, \
  int by_luminance, global const int *starts_x, global const int *starts_y, int first_cell_row, int cells_x, int cells_y

/* ... and those that make pixels of cells. */
#define SLICE_ARGS \
  global const float4 *pixels, global const float4 *guides, int stride, int left, int top, float4 weights, \
  int by_luminance, float range_sigma, global const int *cells, global const float *fractions, \
  global const int *cells_down, global const float *fractions_down, int first_row, int first_cell_row, int cells_x

static float
component (float4 pixel, int lane)
{
  return lane == 0 ? pixel.x : lane == 1 ? pixel.y : lane == 2 ? pixel.z : pixel.w;
}

/* The place p on the range axis, in planes: of channel `lane`, or of the guide's luminance.  NAN if the pixel does not
 * count. */
static float
position (float4 pixel, float4 guide, int lane, Guide g)
{
  float4 w = g.weights;
  float4 premultiplied = (float4) (pixel.xyz * pixel.w, pixel.w);

  if (! g.by_luminance)
    return lane == 3 || pixel.w == 1.0f || grid_weighs (component (pixel, lane), pixel.w) ? component (pixel, lane) * w.w : NAN;
  if (! all (fabs (premultiplied) <= (float4) FLT_MAX) || pixel.w == 0.0f || guide.w == 0.0f)
    return NAN;
  return ((w.x * guide.x + w.y * guide.y) + w.z * guide.z) * w.w;
}

/* The weight of channel `lane` of a pixel. */
static float
weight_of (float4 pixel, int lane)
{
  return lane < 3 ? pixel.w : 1.0f;
}

static float4
finish_luminance (float4 sums, float4 pixel)
{
  float4 result = pixel;        /* alpha stays */

  result.xyz = sums.w != 0.0f ? sums.xyz / sums.w : pixel.xyz;
  return result;
}
