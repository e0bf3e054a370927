/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Who reads a file, by its ending. */
#ifndef FRAMES_KINDS_H
#define FRAMES_KINDS_H

#include <string.h>

#include <gegl.h>
#include <operation/gegl-operation-handlers.h>

typedef enum { KIND_NONE, KIND_PICTURE, KIND_FITS, KIND_SER } FrameKind;

/* GEGL takes files of others to ImageMagick, which may compute without end. */
static inline gboolean
frame_has_loader (const gchar *ending)
{
  const gchar *loader = gegl_has_operation ("gegl:load") ? gegl_operation_handlers_get_loader (ending) : NULL;

  return loader && strcmp (loader, "gegl:magick-load") != 0;
}

static inline FrameKind
frame_kind (const gchar *path)
{
  /* GEGL warns of each ending that it does not know, and a folder has many. */
  static const gchar *const endings[] = { ".png", ".tif", ".tiff", ".pgm", ".pnm", ".ppm", ".pfm", ".jpg", ".jpeg", ".exr", ".webp", ".jp2", ".bmp" };
  gchar    *lower = g_ascii_strdown (path, -1);
  FrameKind kind = KIND_NONE;

  if (g_str_has_suffix (lower, ".fits") || g_str_has_suffix (lower, ".fit") || g_str_has_suffix (lower, ".fts")
      || g_str_has_suffix (lower, ".fits.fz"))
    kind = KIND_FITS;
  else if (g_str_has_suffix (lower, ".ser"))
    kind = KIND_SER;
  else
    for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
      if (g_str_has_suffix (lower, endings[i]) && frame_has_loader (endings[i]))
        kind = KIND_PICTURE;
  g_free (lower);
  return kind;
}

#endif
