/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * For commands that read pictures. */
#ifndef LOADS_H
#define LOADS_H

#include <gegl.h>
#include <operation/gegl-operation-handlers.h>
#include <string.h>

/* Does GEGL know the ending?  It takes files of others to ImageMagick, which may compute without end, or, where it has none,
 * makes a picture of the words that there is no loader. */
static inline gboolean
loads_ending (const gchar *path)
{
  const gchar *dot = strrchr (path, '.'), *loader = NULL;

  if (dot && ! strchr (dot, '/') && gegl_has_operation ("gegl:load"))           /* now its modules are there */
    loader = gegl_operation_handlers_get_loader (dot);
  return loader && strcmp (loader, "gegl:magick-load") != 0;
}

#endif
