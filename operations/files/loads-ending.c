/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "loads-ending.h"

#include <operation/gegl-operation-handlers.h>
#include <string.h>

gboolean
loads_ending (const gchar *path)
{
  const gchar *dot = strrchr (path, '.'), *loader = NULL;

  if (dot && ! strchr (dot, '/') && gegl_has_operation ("gegl:load"))           /* now its modules are there */
    loader = gegl_operation_handlers_get_loader (dot);
  return loader && strcmp (loader, "gegl:magick-load") != 0;
}
