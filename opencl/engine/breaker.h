/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How long a device that failed is left alone.
 */
#ifndef TESSERA_BREAKER_H
#define TESSERA_BREAKER_H

#include <glib.h>

/* Is the device left alone for this filter, because it failed?  Filters are known by their static names. */
gboolean tessera_breaker_is_open (const gchar *filter);
/* Says so when a pause begins. */
void     tessera_breaker_fail    (const gchar *filter);
void     tessera_breaker_succeed (const gchar *filter);
void     tessera_breaker_reset   (void);

#endif
