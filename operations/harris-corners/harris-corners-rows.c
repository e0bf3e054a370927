/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path of tessera:harris-corners: a block, row by row.
 */
#include "config.h"

#include "harris-corners.h"
#include "planes.h"
#include "tap-sum.h"

#include "../../opencl/math/tessera-convert.h"
#include "../../opencl/math/tessera-gradient.h"
#include "../../opencl/math/tessera-harris.h"

#include <math.h>
#include <string.h>

#define RUN (4 * TAP_SUM_BLOCK) /* floats that a sum of taps takes at a time */

/* A block's planes, each in rows. */
typedef struct
{
  const Harris *harris;
  gint    width, height;        /* of R: the block's result and the margin */
  gint    seen_width;           /* of a row of the luminance */
  gfloat *seen;
  gint    plane;                /* from gx gx to gx gy to gy gy, in the same row */
  gint    row;                  /* three of these, and room for the last run */
  gfloat *means;                /* products, then their means along x, then along both */
  gfloat *response;             /* in rows of `plane` */
} Planes;

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

/* R of all rows. */
static void
respond (const Planes *planes)
{
  const SeparableTaps *taps = &planes->harris->gaussian.fir.x;
  const TapList        along = separable_list (taps, 1), down = separable_list (taps, planes->row);
  const gint           reach = planes->harris->reach - planes->harris->margin - 1, n = planes->width + 2 * reach;
  const gsize          row = planes->row;
  tessera_autoscratch gfloat *products = gegl_scratch_new0 (gfloat, row + 2 * reach);

  for (gint y = 0; y < planes->height + 2 * reach; y++)
    {
      multiply_row (planes->seen + (gsize) y * planes->seen_width, planes->seen_width, n, planes->plane, products);
      tap_sum (products + reach, &along, planes->means + y * row, 3 * planes->plane / 4);
    }
  tap_sum_rows (planes->means + reach * row, &down, planes->means, row, 3 * planes->plane / 4, planes->height);
  for (gint y = 0; y < planes->height; y++)
    measure_row (planes->means + y * row, planes->plane, planes->width, planes->harris->k,
                 planes->response + (gsize) y * planes->plane);
}

HarrisInside
harris_inside (const TesseraRequest *request, gint x, gint y, gint width, gint height)
{
  const GeglRectangle *image = &request->bounds;
  const gint64         left = (gint64) image->x - x, top = (gint64) image->y - y;

  return (HarrisInside) { (gint) CLAMP (left, 0, width), (gint) CLAMP (top, 0, height),
                          (gint) CLAMP (left + image->width, 0, width), (gint) CLAMP (top + image->height, 0, height) };
}

/* What is not of the image has no vote. */
static void
silence_outside (const Planes *planes, const HarrisInside *inside)
{
  for (gint y = 0; y < planes->height; y++)
    {
      const gboolean is_inside = y >= inside->top && y < inside->bottom;
      gfloat        *response = planes->response + (gsize) y * planes->plane;

      for (gint x = 0; x < (is_inside ? inside->left : planes->width); x++)
        response[x] = -INFINITY;
      for (gint x = inside->right; is_inside && x < planes->width; x++)
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

/* Row y of R, but for its first and its last pixel: 1 on corners. */
static void
find_corners (const Planes *planes, const TesseraBlock *block, gint y, gfloat *corners)
{
  const Harris *harris = planes->harris;
  const gint    n = planes->width - 2, beside = harris->reach - harris->margin + 1;

  mark_row (planes->response + (gsize) (y - 1) * planes->plane, planes->plane, n, harris->threshold, corners);
  if (harris->components > 1)
    drop_hidden (block->in + (y - 1 + beside) * block->in_stride + harris->components * beside, harris->components, n,
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
draw_cross (const Harris *harris, const TesseraBlock *block, gint x, gint y)
{
  const Pixel color = { harris->color[0], harris->color[1], harris->color[2], 1.0f };
  const gint  width = block->roi.width, height = block->roi.height;

  for (gint i = MAX (0, x - HARRIS_ARM); i < MIN (width, x + HARRIS_ARM + 1) && y >= 0 && y < height; i++)
    ((Pixel *) (block->out + y * block->out_stride))[i] = color;
  for (gint j = MAX (0, y - HARRIS_ARM); j < MIN (height, y + HARRIS_ARM + 1) && x >= 0 && x < width; j++)
    ((Pixel *) (block->out + j * block->out_stride))[x] = color;
}

static void
show_crosses (const Planes *planes, const TesseraBlock *block)
{
  const Harris *harris = planes->harris;
  tessera_autoscratch gfloat *corners = gegl_scratch_new (gfloat, planes->width);

  for (gint y = 0; y < block->roi.height; y++)
    copy_row (harris, block->in + (y + harris->reach) * block->in_stride + harris->components * harris->reach,
              block->roi.width, block->out + y * block->out_stride);
  for (gint y = 1; y < planes->height - 1; y++)
    {
      find_corners (planes, block, y, corners);
      for (gint x = 0; x < planes->width - 2; x++)
        if (corners[x] != 0.0f)
          draw_cross (harris, block, x + 1 - harris->margin, y - harris->margin);
    }
}

static void
show (const Planes *planes, const TesseraBlock *block)
{
  const gint width = block->roi.width;

  if (planes->harris->result == HARRIS_OVERLAY)
    show_crosses (planes, block);
  for (gint y = 0; y < block->roi.height && planes->harris->result != HARRIS_OVERLAY; y++)
    {
      const gfloat *response = planes->response + (gsize) y * planes->plane;
      gfloat       *out = block->out + y * block->out_stride;

      if (planes->harris->result == HARRIS_CORNERS)
        find_corners (planes, block, y + 1, out);
      else if (planes->harris->result == HARRIS_STRENGTHS)
        show_strength (response, width, out);
      else
        memcpy (out, response, width * sizeof (gfloat));
    }
}

void
harris_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const Harris *harris = request->params;
  const gint    margin = harris->margin, reach = harris->reach - margin - 1;
  Planes        planes = { .harris = harris, .width = block->roi.width + 2 * margin,
                           .height = block->roi.height + 2 * margin };
  const gint    seen_height = planes.height + 2 * reach + 2;
  HarrisInside  inside;

  planes.seen_width = planes.width + 2 * reach + 2;
  planes.plane = (planes.seen_width + 15) / 16 * 16;
  planes.row = (3 * planes.plane + RUN - 1) / RUN * RUN;
  planes.seen = gegl_scratch_new (gfloat, (gsize) planes.seen_width * seen_height);
  planes.means = gegl_scratch_new (gfloat, (gsize) planes.row * (planes.height + 2 * reach));
  planes.response = gegl_scratch_new (gfloat, (gsize) planes.plane * planes.height);
  perceived_luminance (harris->input, block->in, harris->components, harris->weights, planes.seen_width * seen_height,
                       planes.seen);
  respond (&planes);
  inside = harris_inside (request, block->roi.x - margin, block->roi.y - margin, planes.width, planes.height);
  silence_outside (&planes, &inside);
  show (&planes, block);
  gegl_scratch_free (planes.response);
  gegl_scratch_free (planes.means);
  gegl_scratch_free (planes.seen);
}
