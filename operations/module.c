/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What GEGL asks a module for.  meson says which operations it has: OPERATIONS, a ROW for each.  A module has one, the bundle all. */
#include <gegl-plugin.h>

#include "tessera.h"

G_MODULE_EXPORT const GeglModuleInfo *gegl_module_query    (GTypeModule *module);
G_MODULE_EXPORT gboolean              gegl_module_register (GTypeModule *module);

#define ROW(name) void gegl_op_tessera_##name##_register_type (GTypeModule *module);
OPERATIONS
#undef ROW

G_MODULE_EXPORT const GeglModuleInfo *
gegl_module_query (GTypeModule *module G_GNUC_UNUSED)
{
  static const GeglModuleInfo info = { GEGL_MODULE_ABI_VERSION };

  return &info;
}

G_MODULE_EXPORT gboolean
gegl_module_register (GTypeModule *module)
{
  if (! tessera_is_first_copy ())
    return TRUE;
#define ROW(name) gegl_op_tessera_##name##_register_type (module);
  OPERATIONS
#undef ROW
  return TRUE;
}
