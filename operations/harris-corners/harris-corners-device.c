/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The device's passes of tessera:harris-corners (opencl/kernels/harris-corners.cl).
 */
#include "config.h"

#include "harris-corners.h"

/* What each step makes around the output, in pixels. */
typedef struct
{
  gint reach;                   /* of the Gaussian */
  gint width, height;           /* of R */
  gint blurred_height;          /* of the means along x */
  gint wide, high;              /* of the products */
} Sizes;

static Sizes
sizes_of (const Harris *harris, gint width, gint height)
{
  const gint reach = harris->halo - harris->margin - 1;
  const gint wide = width + 2 * harris->margin, high = height + 2 * harris->margin;

  return (Sizes) { reach, wide, high, high + 2 * reach, wide + 2 * reach, high + 2 * reach };
}

gsize
harris_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Harris *harris = request->params;
  const Sizes   sizes = sizes_of (harris, width, height);
  const gsize   response = (gsize) sizes.width * sizes.height;

  return (tessera_pixels_around (request, width, height) + 4 * (gsize) sizes.wide * sizes.high
          + 4 * (gsize) sizes.width * sizes.blurred_height + 2 * response) * sizeof (gfloat) + sizeof (SeparableTaps);
}

/* The luminance of the band's input. */
static void
see (TesseraBand *band, TesseraMemory **seen)
{
  const Harris       *harris = band->request->params;
  const TesseraImage *input = &band->input;
  const gint          is_encoded = harris->input == PERCEIVED_ENCODED;

  tessera_scratch (band, (gsize) input->width * input->height * sizeof (gfloat), seen);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "harris_see", .size = { input->width, input->height }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (*seen), ARG (input->width), ARG (input->height),
              ARG (harris->components), FLOAT4_ARG (harris->weights[0], harris->weights[1], harris->weights[2], 0.0f),
              ARG (is_encoded) }
  });
}

/* Products, and their means along x. */
static void
blur_rows (TesseraBand *band, const Sizes *sizes, TesseraMemory *seen, TesseraMemory **rows)
{
  const Harris  *harris = band->request->params;
  TesseraMemory *products;

  tessera_scratch (band, (gsize) sizes->wide * sizes->high * 4 * sizeof (gfloat), &products);
  tessera_scratch (band, (gsize) sizes->width * sizes->blurred_height * 4 * sizeof (gfloat), rows);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "harris_multiply", .size = { sizes->wide, sizes->high }, .group = { 32, 4 }, .cost = 8,
    .args = { ARG (seen), ARG (band->input.width), ARG (products), ARG (sizes->wide), ARG (sizes->high) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "separable_rows", .size = { sizes->width, sizes->blurred_height }, .group = { 32, 4 },
    .cost = harris->gaussian.fir.x.n,
    .args = { ARG (products), ARG (sizes->wide), ARG (sizes->reach), ARG (0), ARG (*rows), ARG (sizes->width),
              ARG (sizes->blurred_height), SEPARABLE_TAPS (&harris->gaussian.fir.x) }
  });
}

/* R, in memory of its own or in the output. */
static gint
respond (TesseraBand *band, const Sizes *sizes, TesseraMemory *response)
{
  const Harris       *harris = band->request->params;
  const HarrisInside  inside = harris_inside (band->request, band->output.x - harris->margin,
                                              band->output.y - harris->margin, sizes->width, sizes->height);
  const gint          n = harris->gaussian.fir.x.n, shows = harris->result == HARRIS_STRENGTHS;
  TesseraMemory      *seen, *rows;

  see (band, &seen);
  blur_rows (band, sizes, seen, &rows);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "harris_respond", .size = { sizes->width, sizes->height }, .group = { 32, 4 }, .cost = n,
    .args = { ARG (rows), ARG (sizes->reach), SEPARABLE_TAPS (&harris->gaussian.fir.x), ARG (response),
              ARG (sizes->width), ARG (sizes->height), ARG (harris->k), ARG (inside.left), ARG (inside.top),
              ARG (inside.right), ARG (inside.bottom), ARG (shows) }
  });
}

/* 1 on corners, all that R reaches but a rim of 1. */
static gint
mark (TesseraBand *band, const Sizes *sizes, TesseraMemory *response, TesseraMemory *corners)
{
  const Harris       *harris = band->request->params;
  const TesseraImage *input = &band->input;
  const gint          beside = harris->halo - harris->margin + 1, width = sizes->width - 2, height = sizes->height - 2;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "harris_mark", .size = { width, height }, .group = { 32, 4 }, .cost = 9,
    .args = { ARG (response), ARG (corners), ARG (width), ARG (height), ARG (harris->threshold), ARG (input->memory),
              ARG (input->stride), ARG (beside), ARG (harris->components) }
  });
}

gint
harris_device (TesseraBand *band)
{
  const Harris  *harris = band->request->params;
  const Sizes    sizes = sizes_of (harris, band->output.width, band->output.height);
  const gsize    bytes = (gsize) sizes.width * sizes.height * sizeof (gfloat);
  TesseraMemory *response, *corners = band->output.memory;

  if (harris->result == HARRIS_RESPONSE || harris->result == HARRIS_STRENGTHS)
    return respond (band, &sizes, band->output.memory);
  tessera_scratch (band, bytes, &response);
  respond (band, &sizes, response);
  if (harris->result == HARRIS_CORNERS)
    return mark (band, &sizes, response, corners);
  tessera_scratch (band, bytes, &corners);
  mark (band, &sizes, response, corners);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "harris_cross", .size = OUTPUT_SIZE (band), .cost = 14,
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), ARG (harris->components), ARG (corners), ARG (sizes.width - 2), ARG (HARRIS_ARM),
              FLOAT4_ARG (harris->color[0], harris->color[1], harris->color[2], 1.0f) }
  });
}
