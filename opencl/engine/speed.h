/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which path is faster, and how many bands.
 */
#ifndef TESSERA_SPEED_H
#define TESSERA_SPEED_H

#include <glib.h>

/* What a request cost, and whether C should be taken for the next.  `kind`: requests
 * of one cost about the same a pixel.  *c and *device: the seconds expected of each
 * where both are known, else 0. */
void     tessera_speed_note      (const gchar *filter, guint kind, guint64 pixels,
                                  gboolean on_device, gdouble seconds);
gboolean tessera_speed_prefers_c (const gchar *filter, guint kind, guint64 pixels,
                                  gdouble *c, gdouble *device);

/* In how many bands a request is best cut, by the stages that earlier ones took (or by
 * the bytes that travel); whether that is known by now; and what is learnt from one. */
guint    tessera_speed_bands      (const gchar *filter, guint kind, guint64 pixels, guint64 bytes);
gboolean tessera_speed_settled    (const gchar *filter, guint kind, guint64 pixels);
void     tessera_speed_note_bands (const gchar *filter, guint kind, guint64 pixels, guint bands,
                                   gdouble device_seconds, gdouble submit_seconds);

#endif
