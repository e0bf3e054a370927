/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rectangles.  The functions for filters are in tessera.h; those here answer GEGL for the base class.  The tests' own
 * operations call two of them.
 */
#ifndef TESSERA_GEOMETRY_H
#define TESSERA_GEOMETRY_H

#include "tessera.h"

/* The rectangle that `pad` must deliver for `roi`: roi and halo, clipped to the image as the border asks.
 * (LOOP needs a whole axis if the halo leaves the image along it.) */
TESSERA_API GeglRectangle tessera_required (GeglOperation *operation, const gchar *pad,
                                            const GeglRectangle *roi,
                                            const TesseraHalo *halo, TesseraBorder border);

/* The part of the output that changes when `changed` of the input does. */
TESSERA_API GeglRectangle tessera_invalidated (GeglOperation *operation, const gchar *pad,
                                               const GeglRectangle *changed,
                                               const TesseraHalo *halo, TesseraBorder border);

/* For filters whose every pixel depends on the whole image.  In get_required_for_output and get_cached_region: the whole image, or `part` if it
 * is endless.  (Without a cached region GEGL computes everything again for every tile.)  In
 * get_invalidated_by_change: the whole image, now and before the change. */
GeglRectangle tessera_whole             (GeglOperation *operation, const gchar *pad, const GeglRectangle *part);
GeglRectangle tessera_whole_invalidated (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed);

/* Remembers the input of the last result, for tessera_invalidated. */
void tessera_remember_bounds (GeglOperation *operation, const GeglRectangle *bounds);

#endif
