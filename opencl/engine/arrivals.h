/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a band needs, on its way to the device.
 */
#ifndef TESSERA_ARRIVALS_H
#define TESSERA_ARRIVALS_H

#include "copies.h"
#include "job.h"

/* A buffer and what of it a band needs. */
typedef struct
{
  GeglBuffer          *buffer;
  const TesseraTravel *travel;
  const GeglRectangle *bounds;
  TesseraBorder        border;
} Source;

TesseraImage tessera_image_for   (const GeglRectangle *rect, const Babl *format);
gsize        tessera_image_bytes (const TesseraImage *image);
/* The table of a format that has none (floats): the image, which is not looked at. */
gint tessera_travel_table   (BandState *state, const TesseraTravel *travel, const TesseraImage *image,
                             TesseraMemory **table);
/* Memory for what `image` covers, and the copy that brings it to the host's side of
 * it.  Pixels that the device converts travel without gaps; others lie as in the
 * image, so that rows of it go to their place. */
gint tessera_arrival_expect (BandState *state, const Source *source, TesseraImage *image, Arrival *arrival,
                             TesseraCopy *copies, guint *n);
/* What is ready of it is uploaded. */
gint tessera_arrival_send_ready (BandState *state, Arrival *arrival);
/* All of it has been read: what has not been uploaded is, and decoded and extended. */
gint tessera_arrival_send   (BandState *state, Arrival *arrival);

#endif
