/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Inside tessera:convolution: the kernel's text and weights, a request's parameters, the C paths, the device's.
 */
#ifndef CONVOLUTION_H
#define CONVOLUTION_H

#include "tessera.h"

#include "separable.h"

#include "../../opencl/math/tessera-convolution.h"

#define CONVOLUTION_LARGEST 63          /* rows, and columns */
#define CONVOLUTION_MOST    (CONVOLUTION_LARGEST * CONVOLUTION_LARGEST)

/* `rows` rows of `columns` weights, both odd, without gaps. */
typedef struct
{
  gint    rows, columns;
  gdouble weights[CONVOLUTION_MOST];
} ConvolutionKernel;

/* Reads numbers as C's strtod does in the C locale, blanks or one comma between them, a
 * semicolon or a newline between rows; empty rows are skipped.  FALSE: *error says what is
 * wrong in which row and column, counted from 1; free it. */
gboolean convolution_kernel_parse (const gchar *text, ConvolutionKernel *kernel, gchar **error);

/* Divides by `divisor`; 0: by the sum of the weights, or by 1 if that sum is negligible.  Results beyond a
 * float's range become the largest or the smallest float; no weight becomes 0. */
void     convolution_kernel_divide (ConvolutionKernel *kernel, gdouble divisor);

/* TRUE if every weight is column[i] * row[k] to 2^-24 of itself, and 0 only if that product is.  The sum of
 * |row| is 1. */
gboolean convolution_kernel_split (const ConvolutionKernel *kernel, gdouble *column, gdouble *row);

/* --------------------------------------------------------------- request -- */

/* sum over the kernel's rows of (sum over a row's columns of weight * pixel), both from 0,
 * in the order of the kernel; taps of weight 0 left out.  Then + offset. */
typedef struct
{
  gint        rows, columns;
  gboolean    in_two_passes;            /* ... of `two_pass`, else the lists that follow */
  Separable   two_pass;

  gint        n_taps;                   /* not 0, row by row */
  gint        row_ends[CONVOLUTION_LARGEST];
  gint        tap_columns[CONVOLUTION_MOST];
  gfloat      tap_weights[CONVOLUTION_MOST];

  /* [row of the input][column][k]: the weight with which a pixel there counts in the k-th
   * of CONVOLUTION_STEP rows of results; 0 where it does not. */
  gfloat      stepped[(CONVOLUTION_LARGEST + CONVOLUTION_STEP - 1) * CONVOLUTION_LARGEST * CONVOLUTION_STEP];

  gfloat      offset[4];                /* 0 in alpha where that is copied */
  gboolean    copies_alpha, is_weighed; /* is_weighed: pixels may have an alpha that is not 1 */
  gfloat      magnitudes;               /* the fourth sum of opaque pixels, where alpha is copied */
} Convolution;

/* `kernel`: divided. */
void convolution_prepare (Convolution *convolution, const ConvolutionKernel *kernel, gdouble offset,
                          gboolean copies_alpha, gboolean is_weighed);

/* The C paths (convolution-rows.c), TesseraFilter.area's arguments. */
void convolution_area    (const TesseraRequest *request, const GeglRectangle *area);

#endif
