/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Who reads a file, by its ending. */
#ifndef FRAMES_KINDS_H
#define FRAMES_KINDS_H

#include <gegl.h>

#include "loads-ending.h"

typedef enum { KIND_NONE, KIND_PICTURE, KIND_FITS, KIND_SER } FrameKind;

/* fpack and gzip put an ending of theirs behind it; fpack packs nothing else. */
static inline gboolean
is_fits_name (const gchar *lower)
{
  static const gchar *const endings[] = { ".fits", ".fit", ".fts", ".fz", ".fits.gz", ".fit.gz", ".fts.gz" };

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i]))
      return TRUE;
  return FALSE;
}

static inline FrameKind
frame_kind (const gchar *path)
{
  /* GEGL warns of each ending that it does not know, and a folder has many. */
  static const gchar *const endings[] = { ".png", ".tif", ".tiff", ".pgm", ".pnm", ".ppm", ".pfm", ".jpg", ".jpeg", ".exr", ".webp", ".jp2", ".bmp" };
  gchar    *lower = g_ascii_strdown (path, -1);
  FrameKind kind = KIND_NONE;

  if (is_fits_name (lower))
    kind = KIND_FITS;
  else if (g_str_has_suffix (lower, ".ser"))
    kind = KIND_SER;
  else if (loads_is_raw (lower))
    kind = loads_ending (lower) ? KIND_PICTURE : KIND_NONE;
  else
    for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
      if (g_str_has_suffix (lower, endings[i]) && loads_ending (endings[i]))
        kind = KIND_PICTURE;
  g_free (lower);
  return kind;
}

#endif
