/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The kernel of tessera:convolution: its text, its weights, and the column and row whose product it may be.
 */
#ifndef CONVOLUTION_KERNEL_H
#define CONVOLUTION_KERNEL_H

#include <glib.h>

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

#endif
