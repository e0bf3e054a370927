/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Systems of n linear equations, in doubles and in one order.
 */
#ifndef SOLVE_H
#define SOLVE_H

#include <glib.h>

/* Cholesky: x, the right side, becomes the solution.  `matrix` is symmetric, its rows are `stride` apart, and it is overwritten; what is above
 * its diagonal is not read.  FALSE: not positive definite, or a pivot is at most `least` times its number of the diagonal. */
gboolean solve_positive (gdouble *matrix, gint stride, gint n, gdouble least, gdouble *x);

/* Gauss' elimination with the largest pivot of each column.  `rows` are `stride` apart, and are overwritten.  The last number of each is its
 * right side.  FALSE: there is no one solution. */
gboolean solve_any      (gdouble *rows, gint stride, gint n, gdouble *x);

/* The inverse of a symmetric positive definite matrix; rows of both are `stride` apart.  FALSE: as solve_positive. */
gboolean solve_inverse  (const gdouble *matrix, gint stride, gint n, gdouble least, gdouble *inverse);

#endif
