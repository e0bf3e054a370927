/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * Many taps are summed in groups of G = TAP_GROUP, then the groups are summed.  A running
 * float sum of n equal terms drifts by up to n/4 ulp, this one by n/G + G. */
#define TAP_GROUP 32
