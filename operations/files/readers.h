/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What needs the libraries of FITS and of pictures.  Commands and tests link it.  Operations open it as a module, when
 * the first file is read: GEGL loads all operations whenever it starts. */
#ifndef READERS_H
#define READERS_H

#include "fits.h"
#include "loads-judge.h"

#define READERS        "tessera_readers"        /* the module's one symbol, ... */
#define READERS_MODULE "tessera-readers.so.0"   /* ... and its name: GEGL would try to load what ends in .so */

/* As in fits.h and loads-judge.h. */
typedef struct
{
  gboolean (*read_header) (const gchar *path, FitsHeader *header, GError **error);
  gboolean (*read_shares) (const gchar *path, gint index, gdouble full, CountPlane *plane, FitsHeader *header,
                           GError **error);
  Judged   (*judge)       (const gchar *path);
} Readers;

#endif
