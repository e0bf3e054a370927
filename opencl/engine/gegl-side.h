/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Parts of GEGL that its plug-in header lacks, or that come with GEGL's own copy of cl.h.
 */
#ifndef TESSERA_GEGL_SIDE_H
#define TESSERA_GEGL_SIDE_H

#include <gegl.h>

/* GEGL's cl_context and cl_device_id. */
void tessera_gegl_device (gpointer *context, gpointer *device);
/* Connects a source to the pad "aux" of a node. */
void tessera_connect_aux (GeglNode *source, GeglNode *node);

#endif
