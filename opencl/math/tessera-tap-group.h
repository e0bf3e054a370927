/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * Sums of many taps are made in groups of this many, then over the groups: a
 * running float sum of n equal terms drifts by up to n/4 ulp, this one by n/G + G. */
#define TAP_GROUP 32
