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

/* After a request of the device that can be parted and took so long: should C compute a part of it, to learn its
 * time?  Then the part's is noted. */
gboolean tessera_speed_wants_trial (const gchar *filter, guint kind, guint64 pixels, gdouble seconds);
void     tessera_speed_note_trial  (const gchar *filter, guint kind, guint64 pixels, gdouble seconds);

#endif
