/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path of tessera:harris-corners: its passes.
 */
#include "config.h"

#include "harris-corners.h"
#include "planes.h"
#include "roll.h"
#include "tap-sum.h"

#include "../../opencl/math/tessera-convert.h"
#include "../../opencl/math/tessera-gradient.h"
#include "../../opencl/math/tessera-harris.h"

#include <math.h>
#include <string.h>

/* -------------------------------------------------------------- response -- */

TESSERA_CLONES static void
multiply_row (const gfloat *restrict above, gint stride, gint n, gint plane, gfloat *restrict products)
{
  const gfloat *restrict here = above + stride;
  const gfloat *restrict below = here + stride;
  gfloat *restrict       across = products + plane;
  gfloat *restrict       down = across + plane;

  for (gint i = 0; i < n; i++)
    {
      const gfloat gx = harris_across (above[i], here[i], below[i], above[i + 2], here[i + 2], below[i + 2]);
      const gfloat gy = harris_across (above[i], above[i + 1], above[i + 2], below[i], below[i + 1], below[i + 2]);

      products[i] = gx * gx;
      across[i] = gx * gy;
      down[i] = gy * gy;
    }
}

TESSERA_CLONES static void
measure_row (const gfloat *restrict a, gint plane, gint n, gfloat k, gfloat *restrict response)
{
  const gfloat *restrict b = a + plane;
  const gfloat *restrict c = b + plane;

  for (gint i = 0; i < n; i++)
    response[i] = harris_measure (a[i], b[i], c[i], k);
}

/* Floats from gx gx to gx gy to gy gy, in the same row. */
static gint
plane_of (gint width)
{
  return (width + 15) / 16 * 16;
}

static gint
reach_of (const Harris *harris)
{
  return harris->halo - harris->margin - 1;
}

static void
see (const RollBlock *block, gconstpointer data)
{
  const Harris *harris = data;

  for (gint y = 0; y < block->roi.height; y++)
    perceived_luminance (harris->input, block->in + y * block->in_stride, harris->components, harris->weights,
                         block->roi.width, block->out + y * block->out_stride);
}

/* Products, in planes, and their means along x.  A mean lies where the first of its pixels was. */
static void
multiply (const RollBlock *block, gconstpointer data)
{
  const Harris *harris = data;
  const TapList along = separable_list (&harris->gaussian.fir.x, 1);
  const gint    reach = reach_of (harris), plane = plane_of (block->roi.width);
  tessera_autoscratch gfloat *products = gegl_scratch_new0 (gfloat, 3 * plane + 2 * reach + ROLL_RUN);

  for (gint y = 0; y < block->roi.height; y++)
    {
      multiply_row (block->in + (y - 1) * (gssize) block->in_stride - 1, block->in_stride, block->roi.width, plane,
                    products);
      tap_sum (products + reach, &along, block->out + y * block->out_stride, 3 * plane / 4);
    }
}

HarrisInside
harris_inside (const TesseraRequest *request, gint x, gint y, gint width, gint height)
{
  const GeglRectangle *image = &request->bounds;
  const gint64         left = (gint64) image->x - x, top = (gint64) image->y - y;

  return (HarrisInside) { (gint) CLAMP (left, 0, width), (gint) CLAMP (top, 0, height),
                          (gint) CLAMP (left + image->width, 0, width), (gint) CLAMP (top + image->height, 0, height) };
}

/* R.  What is not of the image has no vote. */
static void
respond (const RollBlock *block, gconstpointer data)
{
  const TesseraRequest *request = data;
  const Harris         *harris = request->params;
  const TapList         down = separable_list (&harris->gaussian.fir.y, block->in_stride);
  const gint            reach = reach_of (harris), width = block->roi.width, plane = plane_of (width + 2 * reach);
  const HarrisInside    inside = harris_inside (request, block->roi.x, block->roi.y, width, block->roi.height);
  gfloat               *row = block->in - 3 * reach, *means = row - reach * block->in_stride;

  tap_sum_rows (row, &down, means, block->in_stride, 3 * plane / 4, block->roi.height);
  for (gint y = 0; y < block->roi.height; y++)
    {
      const gboolean is_inside = y >= inside.top && y < inside.bottom;
      gfloat        *response = block->out + y * block->out_stride;

      measure_row (means + y * block->in_stride, plane, width, harris->k, response);
      for (gint x = 0; x < (is_inside ? inside.left : width); x++)
        response[x] = -INFINITY;
      for (gint x = inside.right; is_inside && x < width; x++)
        response[x] = -INFINITY;
    }
}

/* --------------------------------------------------------------- results -- */

/* 1 on corners: n pixels, of which the first lies below and right of `above`. */
TESSERA_CLONES static void
mark_row (const gfloat *restrict above, gint stride, gint n, gfloat threshold, gfloat *restrict corners)
{
  const gfloat *restrict here = above + stride;
  const gfloat *restrict below = here + stride;

  for (gint i = 0; i < n; i++)
    corners[i] = harris_is_corner (here[i + 1], threshold, above[i], above[i + 1], above[i + 2], here[i],
                                   here[i + 2], below[i], below[i + 1], below[i + 2]) ? 1.0f : 0.0f;
}

/* No corner where alpha, the last component, is 0. */
static void
drop_hidden (const gfloat *pixels, gint components, gint n, gfloat *corners)
{
  for (gint i = 0; i < n; i++)
    if (corners[i] != 0.0f && pixels[components * (i + 1) - 1] == 0.0f)
      corners[i] = 0.0f;
}

TESSERA_CLONES static void
show_strength (const gfloat *restrict response, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n; i++)
    out[i] = harris_strength (response[i]);
}

/* 1 on corners of row y, and `beside` pixels before and behind it. */
static void
find_corners (const Harris *harris, const RollBlock *block, gint y, gint beside, gfloat *corners)
{
  const gint n = block->roi.width + 2 * beside;

  mark_row (block->in + (y - 1) * (gssize) block->in_stride - beside - 1, block->in_stride, n, harris->threshold,
            corners);
  if (harris->components > 1)
    drop_hidden (block->input + y * (gssize) block->input_stride - harris->components * beside, harris->components, n,
                 corners);
}

/* The picture's row as the result has it. */
static void
copy_row (const Harris *harris, const gfloat *in, gint n, gfloat *out)
{
  if (harris->components == 4)
    memcpy (out, in, 4 * (gsize) n * sizeof (gfloat));
  for (gint i = 0; harris->components == 1 && i < n; i++)
    ((Pixel *) out)[i] = (Pixel) { in[i], in[i], in[i], 1.0f };
}

/* A cross around (x, y) of the result, as far as it lies in the block. */
static void
draw_cross (const Harris *harris, const RollBlock *block, gint x, gint y)
{
  const Pixel color = { harris->color[0], harris->color[1], harris->color[2], 1.0f };
  const gint  width = block->roi.width, height = block->roi.height;

  for (gint i = MAX (0, x - HARRIS_ARM); i < MIN (width, x + HARRIS_ARM + 1) && y >= 0 && y < height; i++)
    ((Pixel *) (block->out + y * block->out_stride))[i] = color;
  for (gint j = MAX (0, y - HARRIS_ARM); j < MIN (height, y + HARRIS_ARM + 1) && x >= 0 && x < width; j++)
    ((Pixel *) (block->out + j * block->out_stride))[x] = color;
}

static void
show_crosses (const Harris *harris, const RollBlock *block)
{
  const gint n = block->roi.width + 2 * HARRIS_ARM;
  tessera_autoscratch gfloat *corners = gegl_scratch_new (gfloat, n);

  for (gint y = 0; y < block->roi.height; y++)
    copy_row (harris, block->input + y * block->input_stride, block->roi.width, block->out + y * block->out_stride);
  for (gint y = -HARRIS_ARM; y < block->roi.height + HARRIS_ARM; y++)
    {
      find_corners (harris, block, y, HARRIS_ARM, corners);
      for (gint x = 0; x < n; x++)
        if (corners[x] != 0.0f)
          draw_cross (harris, block, x - HARRIS_ARM, y);
    }
}

static void
show (const RollBlock *block, gconstpointer data)
{
  const Harris *harris = data;
  const gint    width = block->roi.width;

  if (harris->result == HARRIS_OVERLAY)
    show_crosses (harris, block);
  for (gint y = 0; y < block->roi.height && harris->result != HARRIS_OVERLAY; y++)
    {
      const gfloat *response = block->in + y * block->in_stride;
      gfloat       *out = block->out + y * block->out_stride;

      if (harris->result == HARRIS_CORNERS)
        find_corners (harris, block, y, 0, out);
      else if (harris->result == HARRIS_STRENGTHS)
        show_strength (response, width, out);
      else
        memcpy (out, response, width * sizeof (gfloat));
    }
}

void
harris_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Harris *harris = request->params;
  const gint    reach = reach_of (harris), margin = harris->margin;
  Roll          roll = {
    .n = 5, .sees_input = TRUE,
    .passes = { { .floats = harris->components, .make = roll_read, .data = request },
                { .floats = 1, .make = see, .data = harris },
                { { 1, 1, 1, 1 }, 3, multiply, harris },
                { { reach, reach, reach, reach }, 1, respond, request },
                { { margin, margin, margin, margin }, harris->result == HARRIS_OVERLAY ? 4 : 1, show, harris } }
  };

  roll_area (&roll, request, area);
}
