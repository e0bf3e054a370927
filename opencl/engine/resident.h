/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Buffers whose pixels are on the device until somebody asks for a tile.
 */
#ifndef TESSERA_RESIDENT_H
#define TESSERA_RESIDENT_H

#include "held.h"
#include "tessera.h"

/* A buffer like `like`, which holds what is `held`, and takes that over.  `filter`: a static name, for messages. */
GeglBuffer  *tessera_resident_new    (TesseraHeld *held, GeglBuffer *like, const gchar *filter);

/* Carries a request out, with a copy of an operation's properties. */
typedef gboolean (*TesseraRun) (TesseraRequest *request, gconstpointer properties);

/* If the device loses the buffer's pixels, `run` makes them of the request, as the class made it, and of `size` bytes of properties. */
void         tessera_resident_insure (GeglBuffer *resident, const TesseraRequest *request, TesseraRun run, gconstpointer properties, gsize size);

/* The buffer's pixels on this device, in this format; NULL: they are not there, or somebody has asked for them, or written. */
TesseraHeld *tessera_resident_held   (GeglBuffer *buffer, const TesseraDevice *device, const Babl *format);
gboolean     tessera_is_resident     (GeglBuffer *buffer);
/* The pixels are needed on the host: brings them there, if they are not. */
void         tessera_resident_settle (GeglBuffer *buffer);
/* A buffer that has at least this part of the pixels, which stay where they are; a reference. */
GeglBuffer  *tessera_resident_part   (GeglBuffer *buffer, const GeglRectangle *part);

#endif
