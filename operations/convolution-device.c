/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:convolution on the device: each pixel from all of the kernel's weights, or two passes.
 *
 * Nothing is staged in local memory: no device that was measured gains by that (NVIDIA H200; PoCL on two cores; 2026-11).
 * `tools/case-study/case-study` compares such schedules on any device.
 */
#include "config.h"

#include "convolution.h"

gsize
convolution_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Convolution *convolution = request->params;

  return convolution->in_two_passes ? separable_scratch_bytes (&convolution->two_pass, width, height)
                                    : sizeof convolution->stepped;
}

/* 0: no pixel is weighed. */
static gfloat
magnitudes_of (const Convolution *convolution)
{
  return convolution->is_weighed ? convolution->magnitudes : 0.0f;
}

/* Pixels that have an alpha, and those around them.  What lies beyond the image is no light already. */
static void
weigh (TesseraBand *band)
{
  const TesseraImage *input = &band->input;

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "convolution_weigh", .size = { input->width, input->height }, .group = { 32, 4 }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (input->width), ARG (input->height) }
  });
}

static gint
run_two_passes (TesseraBand *band, const Convolution *convolution)
{
  const gfloat *offset = convolution->offset;

  return separable_device (band, band->input.memory, &convolution->two_pass, "convolution_columns",
                           (TesseraArg[]) { FLOAT4_ARG (offset[0], offset[1], offset[2], offset[3]),
                                            ARG (convolution->copies_alpha), ARG (magnitudes_of (convolution)) }, 3);
}

gint
convolution_device (TesseraBand *band)
{
  const Convolution *convolution = band->request->params;
  const TesseraHalo *halo = &band->request->halo;
  const gfloat      *offset = convolution->offset;
  const gint         width = band->output.width, height = band->output.height;
  const gint         rows = convolution->rows + CONVOLUTION_STEP - 1, columns = convolution->columns;
  TesseraMemory     *weights;

  if (convolution->is_weighed && tessera_has_alpha (band->request))
    weigh (band);
  if (convolution->in_two_passes)
    return run_two_passes (band, convolution);
  tessera_table (band, convolution->stepped, (gsize) rows * columns * CONVOLUTION_STEP * sizeof (gfloat), &weights);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "convolution_direct",
    .size = { width, (height + CONVOLUTION_STEP - 1) / CONVOLUTION_STEP }, .group = { 128, 1 },
    .cost = (gdouble) CONVOLUTION_STEP * convolution->rows * columns,
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->output.x - halo->left - band->input.x),
              ARG (band->output.y - halo->top - band->input.y), ARG (halo->top * band->input.stride + halo->left),
              OUTPUT_ARGS (band), ARG (weights), ARG (rows), ARG (columns),
              FLOAT4_ARG (offset[0], offset[1], offset[2], offset[3]), ARG (convolution->copies_alpha),
              ARG (magnitudes_of (convolution)) }
  });
}
