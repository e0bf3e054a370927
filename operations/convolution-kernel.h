/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The kernel of tessera:convolution: its text, its weights, the column and row that it may
 * be made of.
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

/* Divides by `divisor`; 0: by the sum of the weights, or by 1 where that is nothing beside
 * them.  What a float cannot hold becomes the largest or the smallest number that it can;
 * no weight becomes 0. */
void     convolution_kernel_divide (ConvolutionKernel *kernel, gdouble divisor);

/* TRUE where every weight is, to 2^-24 of itself, column[i] * row[k], and 0 only where that
 * is.  The sum of |row| is 1. */
gboolean convolution_kernel_split (const ConvolutionKernel *kernel, gdouble *column, gdouble *row);

#endif
