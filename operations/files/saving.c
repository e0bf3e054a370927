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
#define MOST_TRIES 1000         /* to have a part for oneself, while others have it or put something in its place */

/* FALSE: errno says why. */
static gboolean
fail (const gchar *path, GError **error)
{
  const gint why = errno;
  g_autofree gchar *name = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (why), "%s cannot be written: %s", name, g_strerror (why));
  return FALSE;
}

/* Whoever can write into a folder can put a link there, so that somebody else writes over a file of his own. */
static gboolean
is_foreign_link (const gchar *path)
{
  GStatBuf about;

  return g_lstat (path, &about) == 0 && S_ISLNK (about.st_mode) && about.st_uid != geteuid () && about.st_uid != 0;
}

static gboolean
refuse_link (const gchar *path, GError **error)
{
  g_autofree gchar *name = g_filename_display_name (path);

  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_PERM, "%s cannot be written: it is a link of another user", name);
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
      const gboolean    is_foreign = is_foreign_link (target);

      if (! link || is_foreign)
        {
          errno = ELOOP;
          if (is_foreign)
            refuse_link (target, error);
          else
            fail (path, error);
          g_free (target);
          return NULL;
        }
      g_free (target);
      target = g_path_is_absolute (link) ? g_strdup (link) : g_build_filename (folder, link, NULL);
    }
  return target;
}

/* `target` is set, and `old` what is there. */
static gboolean
begin (Saving *saving, const gchar *ending, gboolean exists, const GStatBuf *old, GError **error)
{
  const gboolean is_file = ! exists || S_ISREG (old->st_mode);
  gint           file;

  if (! is_file)
    file = g_open (saving->target, O_WRONLY | O_CLOEXEC, 0);
  else
    {
      g_autofree gchar *folder = g_path_get_dirname (saving->target);

      saving->beside = g_strdup_printf ("%s/.tessera-XXXXXX%s", folder, ending);
      file = g_mkstemp_full (saving->beside, O_RDWR | O_CLOEXEC, 0666);
      saving->replaces = exists;
      if (file >= 0 && exists && fchmod (file, old->st_mode & 07777) != 0)
        errno = 0;              /* some disks have no permissions */
    }
  saving->stream = file >= 0 ? fdopen (file, "w") : NULL;
  if (saving->stream)
    return TRUE;
  fail (saving->target, error);
  g_clear_pointer (&saving->beside, g_free);
  g_clear_pointer (&saving->target, g_free);
  return FALSE;
}

gboolean
saving_begin (Saving *saving, const gchar *path, const gchar *ending, GError **error)
{
  GStatBuf       old;
  const gboolean exists = g_stat (path, &old) == 0;

  *saving = (Saving) { .target = follow (path, error) };
  if (! saving->target)
    return FALSE;
  if (exists && ! S_ISREG (old.st_mode) && g_access (saving->target, F_OK) != 0)        /* /dev/stdout leads to a pipe, which has no name */
    {
      g_free (saving->target);
      saving->target = g_strdup (path);
    }
  return begin (saving, ending, exists, &old, error);
}

gboolean
saving_begin_ours (Saving *saving, const gchar *path, const gchar *ending, GError **error)
{
  GStatBuf       old;
  const gboolean exists = g_lstat (path, &old) == 0 && ! S_ISLNK (old.st_mode);

  if (exists && ! S_ISREG (old.st_mode))        /* a pipe would be waited for */
    {
      errno = S_ISDIR (old.st_mode) ? EISDIR : EEXIST;
      return fail (path, error);
    }
  *saving = (Saving) { .target = g_strdup (path) };
  return begin (saving, ending, exists, &old, error);
}

gboolean
saving_folder (const gchar *path, GError **error)
{
  const gboolean is_there = g_mkdir_with_parents (path, 0777) == 0;

  if (! is_there)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s cannot be made: %s", path, g_strerror (errno));
  return is_there && (! is_foreign_link (path) || refuse_link (path, error));
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
  g_clear_pointer (&saving->beside, g_free);
  g_clear_pointer (&saving->target, g_free);
  return good && arrived;
}

/* Is the open file what has that name? */
static gboolean
has_name (gint file, const gchar *name)
{
  GStatBuf ours, there;

  return fstat (file, &ours) == 0 && g_lstat (name, &there) == 0 && ours.st_ino == there.st_ino && ours.st_dev == there.st_dev;
}

/* Left by a run that was ended.  A file that has another name too, or is somebody else's, is not to be written. */
static gboolean
is_left_by_us (gint file)
{
  GStatBuf about;

  return fstat (file, &about) == 0 && S_ISREG (about.st_mode) && about.st_nlink == 1 && about.st_uid == geteuid ();
}

/* The name alone goes: what a link leads to stays.  FALSE: errno says why. */
static gboolean
take_away (const gchar *name)
{
  return g_unlink (name) == 0 || errno == ENOENT;
}

/* Made anew, or what is there; -1: errno says why, EAGAIN that it is worth another try. */
static gint
open_part (const gchar *beside, gboolean *is_new)
{
  gint file = g_open (beside, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666), why;

  *is_new = file >= 0;
  if (file >= 0 || errno != EEXIST)
    return file;
  file = g_open (beside, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  why = errno;
  if (file < 0 && g_file_test (beside, G_FILE_TEST_IS_SYMLINK))
    why = take_away (beside) ? EAGAIN : errno;
  errno = why == ENOENT ? EAGAIN : why;
  return file;
}

static FILE *
open_locked (const gchar *beside)
{
  for (gint i = 0; i < MOST_TRIES; i++)
    {
      gboolean   is_new, may_be = TRUE;
      const gint file = open_part (beside, &is_new);

      if (file < 0 && errno != EAGAIN)
        return NULL;
      if (file < 0)
        continue;
      if (flock (file, LOCK_EX) != 0)
        errno = 0;              /* some disks have no locks */
      if (has_name (file, beside))      /* else the other has moved it to its place */
        {
          if (is_new || is_left_by_us (file))
            {
              FILE *part = ftruncate (file, 0) == 0 ? fdopen (file, "wb") : NULL;

              if (! part)
                close (file);
              return part;
            }
          may_be = take_away (beside);
        }
      close (file);
      if (! may_be)
        return NULL;
    }
  errno = ELOOP;
  return NULL;
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
  good = part && good && fflush (part) == 0 && fsync (fileno (part)) == 0;
  if (good && ! has_name (fileno (part), beside))
    {
      errno = EEXIST;           /* somebody has put another file in its place */
      good = FALSE;
    }
  good = good && g_rename (beside, path) == 0;
  if (! good)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s cannot be written: %s", path, g_strerror (errno));
      if (part && has_name (fileno (part), beside))
        g_unlink (beside);
    }
  if (part)
    fclose (part);
  return good;
}
