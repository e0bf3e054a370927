/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A context of the engine's own, for TESSERA_OPENCL=own.
 */
#ifndef TESSERA_OWN_H
#define TESSERA_OWN_H

#include <glib.h>

/* Opens it once in a process; others wait meanwhile.  A driver takes 0.2 to 0.7 s for this. */
void     tessera_own_open     (void);
gboolean tessera_own_is_asked (void);
/* cl_context and cl_device_id; NULL where it is not open yet, or there is none. */
void     tessera_own_device   (gpointer *context, gpointer *device);

#endif
