/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How long a device that failed is left alone.
 */
#ifndef TESSERA_BREAKER_H
#define TESSERA_BREAKER_H

#include <glib.h>

/* Is the device left alone for this filter, because it failed?  Filters are known by their static names.  `pixels`: that the request
 * reads; what was too large for the device says nothing about less. */
gboolean tessera_breaker_is_open (const gchar *filter, guint64 pixels);
/* A failure, and one for want of memory.  Say so when a pause begins. */
void     tessera_breaker_fail    (const gchar *filter);
void     tessera_breaker_lack    (const gchar *filter, guint64 pixels);
void     tessera_breaker_succeed (const gchar *filter, guint64 pixels);
/* Between these the thread makes the requests of one picture.  If several of a filter fail, that is one failure, and what another one
 * has done makes up for none. */
void     tessera_breaker_begin_picture (void);
void     tessera_breaker_end_picture   (void);
void     tessera_breaker_reset   (void);

#endif
