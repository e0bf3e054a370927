/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The only file that sees GEGL's own cl.h: it takes GEGL's context and device
 * as plain pointers.
 */
#include <gegl.h>
#include <opencl/gegl-cl-init.h>

#include "gegl-side.h"

void
tessera_gegl_device (gpointer *context, gpointer *device)
{
  *context = gegl_cl_get_context ();
  *device = gegl_cl_get_device ();
}

gboolean
tessera_gegl_uses_opencl (void)
{
  return gegl_cl_is_accelerated ();
}
