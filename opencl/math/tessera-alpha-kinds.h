/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * Bits: which alphas other than 1 a band has.  ALPHA_NONE: some are 0.  ALPHA_PART: some are neither 0 nor 1. */
#define ALPHA_NONE 1
#define ALPHA_PART 2
