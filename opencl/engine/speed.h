/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which path is faster.
 */
#ifndef TESSERA_SPEED_H
#define TESSERA_SPEED_H

#include <glib.h>

/* Notes the time of a request, and says whether C should be taken for the next.  `kind`: requests of one kind
 * cost about the same a pixel. *c and *device: the expected seconds of each if both are known, else 0. */
void     tessera_speed_note      (const gchar *filter, guint kind, guint64 pixels,
                                  gboolean on_device, gdouble seconds);
gboolean tessera_speed_prefers_c (const gchar *filter, guint kind, guint64 pixels,
                                  gdouble *c, gdouble *device);

#endif
