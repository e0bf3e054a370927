/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rectangles.  The functions for filters are in tessera.h.
 */
#ifndef TESSERA_GEOMETRY_H
#define TESSERA_GEOMETRY_H

#include "tessera.h"

/* Remembers the input of the last result, for tessera_invalidated. */
void tessera_remember_bounds (GeglOperation *operation, const GeglRectangle *bounds);

#endif
