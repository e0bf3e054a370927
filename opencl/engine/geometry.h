/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rectangles; what filters call is in tessera.h.
 */
#ifndef TESSERA_GEOMETRY_H
#define TESSERA_GEOMETRY_H

#include "tessera.h"

/* tessera_invalidated must know what the last result was of. */
void tessera_remember_bounds (GeglOperation *operation, const GeglRectangle *bounds);

#endif
