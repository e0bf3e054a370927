/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Noise reduction (operations/tessera-denoise.c).
 */
#pragma OPENCL FP_CONTRACT OFF

#include "tessera-dialect.h"
#include "tessera-index.h"
#include "tessera-denoise.h"
#include "tessera-pass.h"
