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

/* Magnitudes of 0: no pixel is weighed. */
#define FINISH_ARGS(c) \
  FLOAT4_ARG ((c)->offset[0], (c)->offset[1], (c)->offset[2], (c)->offset[3]), ARG ((c)->copies_alpha), \
  ARG ((c)->is_weighed ? (c)->magnitudes : 0.0f)

gint
convolution_device (TesseraBand *band)
{
  const Convolution *convolution = band->request->params;
  const TesseraHalo *halo = &band->request->halo;
  const gint         width = band->output.width, height = band->output.height;
  const gint         rows = convolution->rows + CONVOLUTION_STEP - 1, columns = convolution->columns;
  const SeparableKernels own = { convolution->is_weighed ? "convolution_rows" : NULL, "convolution_columns", NULL,
                                 { FINISH_ARGS (convolution) } };

  if (convolution->is_weighed && tessera_has_alpha (band->request))
    separable_weigh_band (band, band->input.memory);    /* what lies beyond the image is no light already */
  if (convolution->in_two_passes)
    return separable_device (band, band->input.memory, &convolution->two_pass, &own);
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "convolution_direct",
    .size = { width, (height + CONVOLUTION_STEP - 1) / CONVOLUTION_STEP }, .group = { 128, 1 },
    .cost = (gdouble) CONVOLUTION_STEP * convolution->rows * columns,
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->output.x - halo->left - band->input.x),
              ARG (band->output.y - halo->top - band->input.y), ARG (halo->top * band->input.stride + halo->left),
              OUTPUT_ARGS (band), TABLE_ARG (convolution->stepped, (gsize) rows * columns * CONVOLUTION_STEP * sizeof (gfloat)),
              ARG (rows), ARG (columns), FINISH_ARGS (convolution) }
  });
}
