/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:convolution in C: blocks that stay in the cache, cut into strips of a register's width.
 */
#include "config.h"

#include "convolution.h"
#include "planes.h"

#include <string.h>

#define BLOCK_WIDTH  128
#define BLOCK_HEIGHT 128
#define BLOCK        16         /* pixels: rows are computed in whole ones */
#define LIST_COST    2.0        /* cost of a tap of the list, relative to one of the full kernel: Zen 4, 2026-11 */

/* The input and output of a strip; strides and places in floats. */
typedef struct
{
  gint          width;          /* pixels, a multiple of BLOCK */
  gsize         in_stride, out_stride;
  gsize         centre;         /* of the first kernel, after its first pixel */
  gfloat        offset[BLOCK];  /* the finish of BLOCK / 4 pixels */
  gint          copied[BLOCK];
} Rows;

static const gint signs[16] = TAP_SIGNS;

/* Where the alphas of a register's pixels are, for each of their values. */
#define ALPHAS_16 3, 3, 3, 3
#define ALPHAS_32 ALPHAS_16, 7, 7, 7, 7
#define ALPHAS_64 ALPHAS_32, 11, 11, 11, 11, 15, 15, 15, 15

#define LANES_LOOPS "convolution-loops.h"
#include "lanes.h"

static void
finish_init (Rows *rows, const Convolution *convolution)
{
  for (gint i = 0; i < BLOCK; i++)
    {
      rows->offset[i] = convolution->offset[i % 4];
      rows->copied[i] = convolution->copies_alpha && i % 4 == 3 ? -1 : 0;
    }
}

static void
divide_row (gfloat *sums, const gfloat *in G_GNUC_UNUSED, const gfloat *wholes, gint n_pixels)
{
  const Rows rows = { .width = n_pixels };

  LANES_BEST (uncover_row) (&rows, sums, wholes[0]);
}

/* Weighed colours, + offset, alpha of the input. */
static void
convolution_finish (gfloat *sums, const gfloat *in, gint n_pixels, gconstpointer data)
{
  Rows rows = { .width = n_pixels };

  finish_init (&rows, data);
  LANES_BEST (finish_row) (&rows, in, sums);
}

/* ------------------------------------------------------------- tables -- */

static void
list_taps (Convolution *convolution, const ConvolutionKernel *kernel)
{
  for (gint y = 0, i = 0; y < kernel->rows; y++)
    {
      for (gint x = 0; x < kernel->columns; x++, i++)
        {
          const gfloat weight = kernel->weights[i];
          gfloat      *stepped = convolution->stepped + CONVOLUTION_STEP * i;

          for (gint k = 0; k < CONVOLUTION_STEP; k++)
            stepped[k * (CONVOLUTION_STEP * kernel->columns + 1)] = weight;
          if (weight == 0.0f)
            continue;
          convolution->tap_columns[convolution->n_taps] = x;
          convolution->tap_weights[convolution->n_taps++] = weight;
        }
      convolution->row_ends[y] = convolution->n_taps;
    }
}

/* The sum of the weights' magnitudes, in the order of the sums. */
static gfloat
sum_magnitudes (const Convolution *convolution)
{
  const SeparableTaps *x = &convolution->two_pass.x, *y = &convolution->two_pass.y;
  gfloat               sum = 0.0f, row = 0.0f;

  if (convolution->in_two_passes)
    {
      for (gint i = 0; i < x->n; i++)
        row += tessera_abs (x->weights[i]);
      for (gint i = 0; i < y->n; i++)
        sum += tessera_abs (y->weights[i]) * row;
      return sum;
    }
  for (gint y = 0, i = 0; y < convolution->rows; y++, row = 0.0f)
    {
      for (; i < convolution->row_ends[y]; i++)
        row += tessera_abs (convolution->tap_weights[i]);
      sum += row;
    }
  return sum;
}

static gboolean
has_negative (const SeparableTaps *taps)
{
  for (gint i = 0; i < taps->n; i++)
    if (taps->weights[i] < 0.0f)
      return TRUE;
  return FALSE;
}

static void
prepare_two_passes (Convolution *convolution, const ConvolutionKernel *kernel, const gdouble *column, const gdouble *row)
{
  Separable *two_pass = &convolution->two_pass;

  for (gint i = 0; i < kernel->columns; i++)
    separable_tap (&two_pass->x, i - kernel->columns / 2, row[i]);
  for (gint i = 0; i < kernel->rows; i++)
    separable_tap (&two_pass->y, i - kernel->rows / 2, column[i]);
  if (convolution->copies_alpha || convolution->offset[0] != 0.0f)
    two_pass->finish = convolution_finish;
  two_pass->finish_data = convolution;
  if (! convolution->is_weighed)
    return;
  two_pass->begin = separable_weigh;
  two_pass->divide = divide_row;
  two_pass->x.magnitudes = has_negative (&two_pass->x);
  two_pass->y.magnitudes = has_negative (&two_pass->y);
}

void
convolution_prepare (Convolution *convolution, const ConvolutionKernel *kernel, gdouble offset,
                     gboolean copies_alpha, gboolean is_weighed)
{
  gdouble column[CONVOLUTION_LARGEST], row[CONVOLUTION_LARGEST];

  convolution->rows = kernel->rows;
  convolution->columns = kernel->columns;
  convolution->copies_alpha = copies_alpha;
  convolution->is_weighed = copies_alpha && is_weighed;
  for (gint i = 0; i < 4; i++)
    convolution->offset[i] = copies_alpha && i == 3 ? 0.0 : offset;
  convolution->in_two_passes = convolution_kernel_split (kernel, column, row);
  if (convolution->in_two_passes)
    prepare_two_passes (convolution, kernel, column, row);
  else
    list_taps (convolution, kernel);
  convolution->magnitudes = convolution->two_pass.whole = sum_magnitudes (convolution);
}

/* ------------------------------------------------------------- blocks -- */

/* One block that is read, filtered and written at once.  Of opaque pixels alpha's sum is not needed, and nothing has to
 * be divided: the quotient would be 1.  If few weights are not 0, the list is shorter;
 * NaN and Inf need it too.  Zeros follow below it and at its right, because the last
 * strip reads there for results that are not written. */
static void
convolve_block (const TesseraRequest *request, const GeglRectangle *block)
{
  const Convolution *convolution = request->params;
  GeglRectangle      around = tessera_grow (block, &request->halo);
  const gint         height = (block->height + CONVOLUTION_STEP - 1) / CONVOLUTION_STEP * CONVOLUTION_STEP;
  const gsize        n_read = 4 * (gsize) around.width * around.height;
  const gsize        n_in = n_read + 4 * ((gsize) around.width * (CONVOLUTION_STEP - 1) + BLOCK);
  Rows               rows = { .width = (block->width + BLOCK - 1) / BLOCK * BLOCK, .in_stride = 4 * around.width };
  tessera_autoscratch gfloat *in = gegl_scratch_new (gfloat, n_in);
  tessera_autoscratch gfloat *out = gegl_scratch_new (gfloat, 4 * (gsize) rows.width * height);
  const gboolean     prefers_list = convolution->n_taps * LIST_COST <= (convolution->rows + CONVOLUTION_STEP - 1) * convolution->columns;
  gboolean           weighs;

  rows.out_stride = 4 * rows.width;
  rows.centre = request->halo.top * rows.in_stride + 4 * request->halo.left;
  finish_init (&rows, convolution);
  memset (in + n_read, 0, (n_in - n_read) * sizeof (gfloat));
  tessera_read_input (request, &around, in);
  weighs = convolution->is_weighed && ! separable_is_opaque (in, n_read / 4);
  if (weighs)
    planes_weigh (in, in, n_read / 4);
  if (prefers_list || ! LANES_BEST (all_finite) (in, (n_read + BLOCK - 1) / BLOCK * BLOCK))
    for (gint y = 0; y < block->height; y++)
      LANES_BEST (listed_row) (&rows, convolution, in + y * rows.in_stride, out + y * rows.out_stride, weighs);
  else
    for (gint y = 0; y < block->height; y += CONVOLUTION_STEP)
      LANES_BEST (step_rows) (&rows, convolution, in + y * rows.in_stride, out + y * rows.out_stride, weighs);
  tessera_write_output (request, block, out, rows.out_stride * sizeof (gfloat));
}

void
convolution_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Convolution *convolution = request->params;

  if (convolution->in_two_passes)
    separable_area (request, area, &convolution->two_pass);
  for (gint y = area->y; y < area->y + area->height && ! convolution->in_two_passes; y += BLOCK_HEIGHT)
    for (gint x = area->x; x < area->x + area->width; x += BLOCK_WIDTH)
      convolve_block (request, GEGL_RECTANGLE (x, y, MIN (BLOCK_WIDTH, area->x + area->width - x),
                                               MIN (BLOCK_HEIGHT, area->y + area->height - y)));
}
