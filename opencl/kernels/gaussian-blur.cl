/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Gaussian blur.  The taps and their order are those of the C path.  They weigh pixels (tessera-separable.h), or, for a
 * wide blur, cells (tessera-gaussian.h).  There is no finishing step, so the kernels of these headers are all.
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-gaussian.h"
