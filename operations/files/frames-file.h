/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bytes of a file, and errors that name it. */
#ifndef FRAMES_FILE_H
#define FRAMES_FILE_H

#include <gio/gio.h>

#include "frames.h"

#define FRAMES_MOST_PIXELS (1 << 28)

typedef struct
{
  const gchar      *path;
  GFileInputStream *stream;
  gint64            size;
} FramesFile;

gboolean frames_file_open  (FramesFile *file, const gchar *path, GError **error);
void     frames_file_close (FramesFile *file);
/* FALSE where it has not as many bytes. */
gboolean frames_file_read  (FramesFile *file, gint64 offset, gsize bytes, gpointer data, GError **error);
/* Sets the error, `PATH WHY`, and returns FALSE. */
gboolean frames_refuse     (const gchar *path, const gchar *why, GError **error);

#endif
