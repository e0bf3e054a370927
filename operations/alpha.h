/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which alphas a band has, for filters whose passes cost less if all is opaque.  The kernels are in
 * opencl/math/tessera-alpha.h, which the filter's source includes.
 */
#ifndef ALPHA_H
#define ALPHA_H

#include "tessera.h"

#include "../opencl/math/tessera-alpha-kinds.h"

/* TesseraFilter.measure, with measure_bytes = sizeof (gint): ALPHA_NONE, ALPHA_PART.  The halo counts too. */
gint alpha_measure (TesseraBand *band, TesseraMemory *result);

/* What a band has; if it was not measured, `others`. */
static inline gint
alpha_kinds (const TesseraBand *band, gint others)
{
  return band->measured ? *(const gint *) band->measured : others;
}

#endif
