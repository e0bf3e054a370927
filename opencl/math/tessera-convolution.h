/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * A pixel that was read serves this many rows of results, which stay in registers. */
#define CONVOLUTION_STEP 4
