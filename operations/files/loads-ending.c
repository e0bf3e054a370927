/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "loads-ending.h"

#include <operation/gegl-operation-handlers.h>
#include <string.h>

#define RAW_LOADER "gegl:raw-load"

/* LibRaw looks at the content: these are the endings that cameras give. */
gboolean
loads_is_raw (const gchar *path)
{
  static const gchar *const endings[] = { ".arw", ".cr2", ".cr3", ".crw", ".dng", ".nef", ".orf", ".pef", ".raf", ".rw2", NULL };
  const gchar      *dot = strrchr (path, '.');
  g_autofree gchar *lower = g_ascii_strdown (dot ? dot : "", -1);

  return g_strv_contains (endings, lower);
}

const gchar *
loads_operation (const gchar *path)
{
  return loads_is_raw (path) ? RAW_LOADER : "gegl:load";
}

gboolean
loads_ending (const gchar *path)
{
  const gchar *dot = strrchr (path, '.'), *loader = NULL;

  if (dot && ! strchr (dot, '/') && gegl_has_operation ("gegl:load"))           /* now its modules are there */
    loader = ! loads_is_raw (dot) ? gegl_operation_handlers_get_loader (dot) : gegl_has_operation (RAW_LOADER) ? RAW_LOADER : NULL;
  return loader && strcmp (loader, "gegl:magick-load") != 0;
}
