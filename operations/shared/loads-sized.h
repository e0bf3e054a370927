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

/* FALSE: it ends too early. */
gboolean  sized_exr  (const Sized *sized);
gboolean  sized_tiff (const Sized *sized);
gboolean  sized_webp (const Sized *sized);
gboolean  sized_pnm  (const Sized *sized);
gboolean  sized_gegl (const Sized *sized);

#endif
