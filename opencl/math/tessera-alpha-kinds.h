/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * Alphas that are not 1, as bits: 0, and others. */
#define ALPHA_NONE 1
#define ALPHA_PART 2
