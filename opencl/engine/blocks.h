/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * blocks.c: TesseraFilter.block, over an area.
 */
#ifndef TESSERA_BLOCKS_H
#define TESSERA_BLOCKS_H

#include "tessera.h"

void tessera_compute_blocks (const TesseraRequest *request, const GeglRectangle *area);

#endif
