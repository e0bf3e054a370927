/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Buffers whose pixels are on the device until somebody asks for a tile.
 */
#ifndef TESSERA_RESIDENT_H
#define TESSERA_RESIDENT_H

#include "held.h"

/* A buffer like `like`, which holds what is `held`, and takes that over.  `filter`: a static name, for messages. */
GeglBuffer  *tessera_resident_new    (TesseraHeld *held, GeglBuffer *like, const gchar *filter);

/* How such a buffer's pixels are computed again, in C, if the device has lost them. */
typedef void (*TesseraComputeAgain) (gpointer data, GeglBuffer *output);
void         tessera_resident_set_data (GeglBuffer *resident, TesseraComputeAgain compute, gpointer data, GDestroyNotify destroy);
/* That data, while the pixels are what it makes, and on the device; else NULL. */
gpointer     tessera_resident_data   (GeglBuffer *buffer);

/* The buffer's pixels on this device, in this format; NULL: they are not there, or somebody has asked for them, or written. */
TesseraHeld *tessera_resident_held   (GeglBuffer *buffer, const TesseraDevice *device, const Babl *format);
gboolean     tessera_is_resident     (GeglBuffer *buffer);
/* The pixels are needed on the host: brings them there, if they are not. */
void         tessera_resident_settle (GeglBuffer *buffer);
/* A buffer that has at least this part of the pixels, which stay where they are; a reference. */
GeglBuffer  *tessera_resident_part   (GeglBuffer *buffer, const GeglRectangle *part);

#endif
