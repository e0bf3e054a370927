/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that are written whole or not at all: see saving.h.
 */
#include "saving.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_LINKS 40           /* as Linux */

/* FALSE: errno says why. */
static gboolean
fail (const gchar *path, GError **error)
{
  const gint why = errno;
  g_autofree gchar *name = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (why), "%s cannot be written: %s", name, g_strerror (why));
  return FALSE;
}

/* Where the links lead to that the path may be, even if nothing is there. */
static gchar *
follow (const gchar *path, GError **error)
{
  gchar *target = g_strdup (path);

  for (gint i = 0; g_file_test (target, G_FILE_TEST_IS_SYMLINK); i++)
    {
      g_autofree gchar *link = i < MOST_LINKS ? g_file_read_link (target, NULL) : NULL, *folder = g_path_get_dirname (target);

      if (! link)
        {
          errno = ELOOP;
          fail (path, error);
          g_free (target);
          return NULL;
        }
      g_free (target);
      target = g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (folder, link, NULL);
    }
  return target;
}

gboolean
saving_begin (Saving *saving, const gchar *path, const gchar *ending, GError **error)
{
  GStatBuf       old;
  const gboolean exists = g_stat (path, &old) == 0, is_file = ! exists || S_ISREG (old.st_mode);
  gint           file;

  *saving = (Saving) { .target = follow (path, error) };
  if (! saving->target)
    return FALSE;
  if (! is_file && g_access (saving->target, F_OK) != 0)        /* /dev/stdout leads to a pipe, which has no name */
    {
      g_free (saving->target);
      saving->target = g_strdup (path);
    }
  if (! is_file)
    file = g_open (saving->target, O_WRONLY | O_CLOEXEC, 0);
  else
    {
      g_autofree gchar *folder = g_path_get_dirname (saving->target);

      saving->beside = g_strdup_printf ("%s/.tessera-XXXXXX%s", folder, ending);
      file = g_mkstemp_full (saving->beside, O_RDWR | O_CLOEXEC, 0666);
      saving->replaces = exists;
      if (file >= 0 && exists && fchmod (file, old.st_mode & 07777) != 0)
        errno = 0;              /* some disks have no permissions */
    }
  saving->stream = file >= 0 ? fdopen (file, "w") : NULL;
  if (saving->stream)
    return TRUE;
  fail (path, error);
  g_clear_pointer (&saving->beside, g_free);
  g_clear_pointer (&saving->target, g_free);
  return FALSE;
}

gboolean
saving_end (Saving *saving, gboolean good, GError **error)
{
  /* A full disk may tell only when the last bytes leave. */
  gboolean arrived = ! ferror (saving->stream) && fflush (saving->stream) == 0
                     && (! good || ! saving->replaces || fsync (fileno (saving->stream)) == 0);
  gint     why = errno;

  if (fclose (saving->stream) != 0 && arrived)
    {
      arrived = FALSE;
      why = errno;
    }
  if (good && arrived && saving->beside && g_rename (saving->beside, saving->target) != 0)
    {
      arrived = FALSE;
      why = errno;
    }
  errno = why;
  if (good && ! arrived)
    fail (saving->target, error);
  if (saving->beside && ! (good && arrived))
    g_unlink (saving->beside);
  g_free (saving->beside);
  g_free (saving->target);
  return good && arrived;
}

static FILE *
open_locked (const gchar *beside)
{
  for (;;)
    {
      const gint file = g_open (beside, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
      GStatBuf   ours, there;

      if (file < 0)
        return NULL;
      if (flock (file, LOCK_EX) != 0)
        errno = 0;              /* some disks have no locks */
      if (fstat (file, &ours) == 0 && g_stat (beside, &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev)
        {
          FILE *part = ftruncate (file, 0) == 0 ? fdopen (file, "wb") : NULL;

          if (! part)
            close (file);
          return part;
        }
      close (file);             /* the other has moved it to its place */
    }
}

FILE *
saving_open_part (const gchar *path)
{
  gchar *beside = g_strconcat (path, ".part", NULL);
  FILE  *part = open_locked (beside);
  gint   why = errno;

  g_free (beside);
  errno = why;
  return part;
}

/* Moved before it is closed, while nobody else may write it.  Not flushed to the disk, it may be empty after a power cut. */
gboolean
saving_close_part (FILE *part, const gchar *path, gboolean good, GError **error)
{
  const gint why = errno;
  g_autofree gchar *beside = g_strconcat (path, ".part", NULL);

  errno = why;
  good = part && good && fflush (part) == 0 && fsync (fileno (part)) == 0 && g_rename (beside, path) == 0;
  if (! good)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s cannot be written: %s", path, g_strerror (errno));
      if (part)
        g_unlink (beside);
    }
  if (part)
    fclose (part);
  return good;
}
