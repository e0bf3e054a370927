/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera:sift draws on its picture, as sift-draw.c does.
 */
#pragma OPENCL FP_CONTRACT OFF
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#include "tessera-dialect.h"
#include "tessera-pass.h"
#include "tessera-sift-mark.h"

/* `over` with coverage `part` on a pixel with straight alpha. */
static inline float4
laid_over (float4 pixel, float4 over, float part)
{
  const float below = pixel.w * (1.0f - part), alpha = below + part;

  if (part <= 0.0f)
    return pixel;
  return (float4) (mark_mixed (pixel.x, below, over.x, part, alpha), mark_mixed (pixel.y, below, over.y, part, alpha),
                   mark_mixed (pixel.z, below, over.z, part, alpha), alpha);
}

/* One work-item makes one pixel; any group; no local memory; 1 read, 1 write, and the marks of its cell.  The output's first pixel is at (left, top), and
 * (cell_left, cell_top) pixels from the corner of the first of `cells` cells a row.  Those of cell i are marks[numbers[k]] with k from starts[i]
 * to starts[i + 1]; of equal coverage the first one's color counts. */
kernel void sift_marks (INPUT_ARGS (float4), OUTPUT_ARGS (float4), int left, int top, int cell_left, int cell_top, int cells,
                        global const int *starts, global const int *numbers, global const SiftMark *marks, constant float4 *colors)
{
  int    x = get_global_id (0);
  int    y = get_global_id (1);
  int    cell = (y + cell_top) / MARK_CELL * cells + (x + cell_left) / MARK_CELL;
  int    color = 0;
  float  line = 0.0f, rim = 0.0f;
  float4 pixel;

  if (x >= width || y >= height)
    return;
  pixel = input[(y + input_top) * input_stride + x + input_left];
  for (int k = starts[cell]; k < starts[cell + 1]; k++)
    {
      const SiftMark mark = marks[numbers[k]];
      const double   distance = mark_distance (mark, x + left, y + top);
      const float    covered = mark_coverage (MARK_LINE, distance), dark = MARK_RIM_COVERAGE * mark_coverage (MARK_RIM, distance);

      color = covered > line ? mark.color : color;
      line = covered > line ? covered : line;
      rim = dark > rim ? dark : rim;
    }
  pixel = laid_over (pixel, (float4) 0.0f, rim);
  output[y * width + x] = laid_over (pixel, colors[color], line);
}
