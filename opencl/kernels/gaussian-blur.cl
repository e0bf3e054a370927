/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Gaussian blur: the taps of the C path in its order (tessera-separable.h), of pixels or of cells
 * (tessera-gaussian.h).  There is no finishing step, so these kernels are all.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-gaussian.h"
