/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Host memory that the device reads and writes by itself.
 */
#ifndef TESSERA_REACH_H
#define TESSERA_REACH_H

#include <gegl.h>

#include "device.h"

/* Where rows of a buffer lie without gaps in such memory, or NULL: they have to be copied. */
guchar       *tessera_reach_rows (GeglBuffer *buffer, const Babl *format, const GeglRectangle *rows, const TesseraDevice *device);
/* Where the first pixel of a part lies, if the buffer says where its pixels are; or NULL. */
guchar       *tessera_reach_pixels (GeglBuffer *buffer, const Babl *format, const GeglRectangle *part);
/* The device may go on using it: this memory stays for good. */
void          tessera_reach_lose (gconstpointer pixels);

#endif
