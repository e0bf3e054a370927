/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The median of many floats.
 */
#ifndef MEDIAN_H
#define MEDIAN_H

#include <glib.h>

/* Of an even number of values the mean of the two in the middle; of none NaN.  There is no NaN among them. */
gfloat median_of      (const gfloat *values, gsize n);
/* The same on all threads.  `known` of the n values count; the others are NAN.  Of zeros the positive one. */
gfloat median_of_many (const gfloat *values, gsize n, gsize known);
/* The value with so many before it, on all threads. */
gfloat median_rank      (const gfloat *values, gsize n, gsize rank);

#endif
