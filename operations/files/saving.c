/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that are written whole or not at all: see saving.h.
 */
#include "saving.h"

#include <errno.h>
#include <glib/gstdio.h>

#include "system.h"

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
      const gboolean    is_foreign = tessera_is_foreign_link (target);

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

/* `target` is set. */
static gboolean
begin (Saving *saving, const gchar *ending, gboolean exists, gboolean is_file, GError **error)
{
  if (exists && ! is_file)
    saving->stream = tessera_file_there (saving->target);
  else
    {
      g_autofree gchar *folder = g_path_get_dirname (saving->target);

      saving->beside = g_strdup_printf ("%s/.tessera-XXXXXX%s", folder, ending);
      saving->stream = tessera_file_new (saving->beside, exists ? saving->target : NULL);
      saving->replaces = exists;
    }
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
  const gboolean exists = g_file_test (path, G_FILE_TEST_EXISTS), is_file = g_file_test (path, G_FILE_TEST_IS_REGULAR);

  *saving = (Saving) { .target = follow (path, error) };
  if (! saving->target)
    return FALSE;
  if (exists && ! is_file && ! g_file_test (saving->target, G_FILE_TEST_EXISTS))     /* /dev/stdout leads to a pipe, which has no name */
    {
      g_free (saving->target);
      saving->target = g_strdup (path);
    }
  return begin (saving, ending, exists, is_file, error);
}

gboolean
saving_begin_ours (Saving *saving, const gchar *path, const gchar *ending, GError **error)
{
  const gboolean exists = ! g_file_test (path, G_FILE_TEST_IS_SYMLINK) && g_file_test (path, G_FILE_TEST_EXISTS);

  if (exists && ! g_file_test (path, G_FILE_TEST_IS_REGULAR))           /* a pipe would be waited for */
    {
      errno = g_file_test (path, G_FILE_TEST_IS_DIR) ? EISDIR : EEXIST;
      return fail (path, error);
    }
  *saving = (Saving) { .target = g_strdup (path) };
  return begin (saving, ending, exists, TRUE, error);
}

gboolean
saving_folder (const gchar *path, GError **error)
{
  const gboolean is_there = g_mkdir_with_parents (path, 0777) == 0;

  if (! is_there)
    g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s cannot be made: %s", path, g_strerror (errno));
  return is_there && (! tessera_is_foreign_link (path) || refuse_link (path, error));
}

gboolean
saving_end (Saving *saving, gboolean good, GError **error)
{
  /* A full disk may tell only when the last bytes leave. */
  gboolean arrived = ! ferror (saving->stream) && fflush (saving->stream) == 0
                     && (! good || ! saving->replaces || tessera_file_flush (saving->stream));
  gint     why = errno;

  if (fclose (saving->stream) != 0 && arrived)
    {
      arrived = FALSE;
      why = errno;
    }
  if (good && arrived && saving->beside && ! tessera_file_move (saving->beside, saving->target))
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

/* The name alone goes: what a link leads to stays.  FALSE: errno says why. */
static gboolean
take_away (const gchar *name)
{
  return g_unlink (name) == 0 || errno == ENOENT;
}

static FILE *
open_locked (const gchar *beside)
{
  for (gint i = 0; i < MOST_TRIES; i++)
    {
      gboolean is_new, may_be = TRUE;
      FILE    *part = tessera_file_part (beside, &is_new);

      if (! part && errno != EAGAIN)
        return NULL;
      if (! part)
        continue;
      tessera_file_lock (part);
      if (tessera_file_has_name (part, beside))         /* else the other has moved it to its place */
        {
          if ((is_new || tessera_file_is_ours (part)) && tessera_file_empty (part))     /* left by a run that was ended */
            return part;
          may_be = take_away (beside);          /* somebody else's */
        }
      fclose (part);
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
  good = part && good && fflush (part) == 0 && tessera_file_flush (part);
  if (good && ! tessera_file_has_name (part, beside))
    {
      errno = EEXIST;           /* somebody has put another file in its place */
      good = FALSE;
    }
  good = good && tessera_file_move (beside, path);
  if (! good)
    {
      g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (errno), "%s cannot be written: %s", path, g_strerror (errno));
      if (part && tessera_file_has_name (part, beside))
        g_unlink (beside);
    }
  if (part)
    fclose (part);
  return good;
}
