/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a band needs, on its way to the device.
 */
#ifndef TESSERA_ARRIVALS_H
#define TESSERA_ARRIVALS_H

#include "copies.h"
#include "job.h"

/* A buffer, and the part of it that a band needs. */
typedef struct
{
  GeglBuffer          *buffer;
  const TesseraTravel *travel;
  const TesseraHeld   *held;            /* the same pixels on the device, or NULL */
  const GeglRectangle *bounds;
  TesseraBorder        border;
} Source;

TesseraImage tessera_image_for   (const GeglRectangle *rect, const Babl *format);
gsize        tessera_image_bytes (const TesseraImage *image);
/* For a conversion, encoding or decoding.  For a format without a table (floats), the image stands in its place;
 * nobody reads it. */
gint tessera_travel_table   (BandState *state, const TesseraTravel *travel, const TesseraImage *image,
                             TesseraMemory **table);
/* One kernel converts all layouts: each is a variant. */
guint tessera_travel_variant (const TesseraTravel *travel);
/* Memory for the pixels that `image` covers, and the copy that brings them to the host's side of it.
 * Pixels that the device converts travel without gaps.  Others lie as in the image, so that its
 * rows can be sent to their place. */
gint tessera_arrival_expect (BandState *state, const Source *source, TesseraImage *image, Arrival *arrival,
                             TesseraCopy *copies, guint *n);
/* Copies width x height pixels of `pixel` bytes on the device, from (from_x, from_y) of rows of `from_width` pixels, to those of another. */
gint tessera_copy_pixels (BandState *state, gsize pixel, TesseraMemory *from, gint from_x, gint from_y, gint from_width,
                          TesseraMemory *to, gint to_x, gint to_y, gint to_width, gint width, gint height);
/* Uploads the rows that are ready. */
gint tessera_arrival_send_ready (BandState *state, Arrival *arrival);
/* Everything has been read: uploads the rest, then decodes and extends it. */
gint tessera_arrival_send   (BandState *state, Arrival *arrival);

#endif
