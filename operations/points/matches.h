/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which descriptors of two pictures are nearest to one another.  Distances are sums of whole numbers, so that the answer is the same on every
 * device and processor, with any number of threads. */
#ifndef MATCHES_H
#define MATCHES_H

#include "tessera.h"

#include "consensus.h"

/* The nearest of B for each of A; descriptors are DESCRIPTOR_LENGTH bytes one behind another.  Kept where 25 d1 < 16 d2
 * (`ratio` 0.8; others in thousandths squared), the nearest is unique, and, if `mutual`, A's is the nearest to B's.
 * Returns how many; sorted by a; free *matches with g_free.  -1: OpenCL is forced and could not run.
 * `errand` NULL: C computes it, on all of GEGL's threads. */
gint match_descriptors (const TesseraErrand *errand, const guint8 *a, gint n_a, const guint8 *b, gint n_b, gdouble ratio, gboolean mutual,
                        Match **matches);

#endif
