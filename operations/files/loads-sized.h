/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files whose head says where their pixels end: is all of that there?  What a head says that is not understood is GEGL's to judge. */
#ifndef LOADS_SIZED_H
#define LOADS_SIZED_H

#include <glib.h>
#include <stdio.h>

typedef enum { SIZED_NONE, SIZED_EXR, SIZED_TIFF, SIZED_WEBP, SIZED_PNM, SIZED_GEGL } SizedKind;

typedef struct
{
  FILE  *file;
  gint64 size;
} Sized;

/* By its first bytes. */
SizedKind sized_kind (const Sized *sized);

/* FALSE: not all n bytes are there. */
gboolean  sized_read   (const Sized *sized, gint64 at, gsize n, guint8 *bytes);
gboolean  sized_has    (const Sized *sized, guint64 at, guint64 n);
/* 0 where the file has ended. */
guint64   sized_number (const Sized *sized, gint64 at, gint n, gboolean is_big_endian);

/* FALSE: it ends too early. */
gboolean  sized_exr  (const Sized *sized);
gboolean  sized_webp (const Sized *sized);
gboolean  sized_pnm  (const Sized *sized);
gboolean  sized_gegl (const Sized *sized);

/* loads-tiff.c: what is wrong with it, or NULL: it ends too early, or pixels that have a checksum have another one. */
const gchar *sized_tiff (const Sized *sized);

/* Is it an animation? */
gboolean  sized_webp_moves (const Sized *sized);

#endif
