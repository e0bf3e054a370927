/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: OpenCL C.  The parameters with which most kernels begin.  Their arguments are INPUT_ARGS (band) and
 * OUTPUT_ARGS (band) of tessera.h.  (input_left, input_top) is the place of the output's first pixel in the input. */
#define INPUT_ARGS(type)  global const type *input, int input_stride, int input_left, int input_top
#define OUTPUT_ARGS(type) global type *output, int width, int height
