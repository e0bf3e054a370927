/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TesseraFilter.block: an area is computed in blocks that fit the cache.  Each is read with its border, handed
 * to the filter and written.
 */
#include "config.h"

#include "blocks.h"

#include <string.h>

#define BLOCK_WIDTH  256
#define BLOCK_HEIGHT 64
#define MOST_HEIGHT  128        /* unless the halo is higher */

/* The state that all blocks of an area share. */
typedef struct
{
  const TesseraRequest *request;
  gint                  in_floats, out_floats;          /* of a pixel */
  gfloat               *in, *out;
} Work;

/* Rows of `out` hold whole runs. */
static gsize
out_stride (const Work *work, gint width)
{
  const gint run = TESSERA_BLOCK_RUN;

  return work->in == work->out ? (gsize) work->in_floats * width
                               : (gsize) work->out_floats * ((width + run - 1) / run * run);
}

static void
compute_block (const Work *work, const GeglRectangle *roi)
{
  const TesseraRequest *request = work->request;
  const GeglRectangle   around = tessera_grow (roi, &request->halo);
  const gsize           n_in = (gsize) work->in_floats * around.width * around.height;
  const TesseraBlock    block = { .roi = *roi, .in = work->in, .in_stride = (gsize) work->in_floats * around.width,
                                  .out = work->out, .out_stride = out_stride (work, roi->width) };

  tessera_read (request->input, &around, &request->bounds, request->border, request->input_format, work->in);
  memset (work->in + n_in, 0, (gsize) work->in_floats * TESSERA_BLOCK_RUN * sizeof (gfloat));
  request->filter->block (request, &block);
  tessera_write (request->output, roi, request->output_format, work->out, block.out_stride * sizeof (gfloat));
}

/* Large enough that the halo is the smaller part of the pixels read, if possible. */
void
tessera_compute_blocks (const TesseraRequest *request, const GeglRectangle *area)
{
  const gint  across = request->halo.left + request->halo.right, down = request->halo.top + request->halo.bottom;
  const gint  width = MIN (area->width, MAX (BLOCK_WIDTH, across));
  const gint  height = MIN (area->height, CLAMP (2 * down, BLOCK_HEIGHT, MAX (MOST_HEIGHT, down)));
  Work        work = { .request = request,
                       .in_floats = babl_format_get_bytes_per_pixel (request->input_format) / sizeof (gfloat),
                       .out_floats = babl_format_get_bytes_per_pixel (request->output_format) / sizeof (gfloat) };
  const gsize n_in = tessera_pixels_around (request, width, height) + TESSERA_BLOCK_RUN;

  work.in = work.out = gegl_scratch_new (gfloat, work.in_floats * n_in);
  if (across + down > 0 || work.in_floats != work.out_floats)
    work.out = gegl_scratch_new (gfloat, (gsize) work.out_floats * (width + TESSERA_BLOCK_RUN) * height);
  for (gint y = area->y; y < area->y + area->height; y += height)
    for (gint x = area->x; x < area->x + area->width; x += width)
      compute_block (&work, GEGL_RECTANGLE (x, y, MIN (width, area->x + area->width - x),
                                            MIN (height, area->y + area->height - y)));
  if (work.out != work.in)
    gegl_scratch_free (work.out);
  gegl_scratch_free (work.in);
}
