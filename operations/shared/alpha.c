/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which alphas a band has: see alpha.h.
 */
#include "config.h"

#include "alpha.h"

#define ALPHA_RUN 16            /* as in opencl/kernels/shared/tessera-alpha.h */

gint
alpha_measure (TesseraBand *band, TesseraMemory *result)
{
  const TesseraImage *input = &band->input;
  const gint          across = (input->width + ALPHA_RUN - 1) / ALPHA_RUN;
  gint                status;

  status = tessera_launch (band, &(TesseraLaunch) {
    .kernel = "alpha_begin", .size = { 1 }, .args = { ARG (result) }
  });
  return status != 0 ? status : tessera_launch (band, &(TesseraLaunch) {
    .kernel = "alpha_measure", .size = { across, input->height }, .group = { 32, 4 }, .cost = ALPHA_RUN,
    .args = { ARG (input->memory), ARG (input->stride), ARG (input->width), ARG (input->height), ARG (result) }
  });
}
