/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "frames-file.h"

G_DEFINE_QUARK (tessera-frames-error-quark, frames_error)

gboolean
frames_refuse (const gchar *path, const gchar *why, GError **error)
{
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s %s", path, why);
  return FALSE;
}

gboolean
frames_file_open (FramesFile *file, const gchar *path, GError **error)
{
  g_autoptr (GFile)     place = g_file_new_for_path (path);
  g_autoptr (GFileInfo) about = NULL;
  g_autoptr (GError)    cause = NULL;

  file->path = path;
  file->stream = g_file_read (place, NULL, &cause);
  about = file->stream ? g_file_input_stream_query_info (file->stream, G_FILE_ATTRIBUTE_STANDARD_SIZE, NULL, &cause) : NULL;
  if (! about)
    {
      g_clear_object (&file->stream);
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s cannot be read: %s", path, cause->message);
      return FALSE;
    }
  file->size = g_file_info_get_size (about);
  return TRUE;
}

void
frames_file_close (FramesFile *file)
{
  g_object_unref (file->stream);
}

gboolean
frames_file_read (FramesFile *file, gint64 offset, gsize bytes, gpointer data, GError **error)
{
  gsize read = 0;

  if (offset >= 0 && g_seekable_seek (G_SEEKABLE (file->stream), offset, G_SEEK_SET, NULL, NULL)
      && g_input_stream_read_all (G_INPUT_STREAM (file->stream), data, bytes, &read, NULL, NULL) && read == bytes)
    return TRUE;
  return frames_refuse (file->path, "ends early", error);
}
