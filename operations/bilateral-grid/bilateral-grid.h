/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the files of tessera:bilateral-grid share.
 */
#ifndef BILATERAL_GRID_H
#define BILATERAL_GRID_H

#include "grid.h"

/* The C path of any part of a request. */
void bilateral_grid_area (const TesseraRequest *request, const GeglRectangle *area);

/* ---------------------------------------------------------------- device -- */

/* TesseraFilter's members; params is a GridParams. */
gsize bilateral_grid_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint  bilateral_grid_measure       (TesseraBand *band, TesseraMemory *result);
gint  bilateral_grid_device        (TesseraBand *band);

#endif
