/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Parts of GEGL that come with its own copy of cl.h.
 */
#ifndef TESSERA_GEGL_SIDE_H
#define TESSERA_GEGL_SIDE_H

#include <gegl.h>

/* GEGL's cl_context and cl_device_id. */
void     tessera_gegl_device      (gpointer *context, gpointer *device);
/* Is OpenCL on, and is there a device? */
gboolean tessera_gegl_uses_opencl (void);

#endif
