/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that arrive while the night goes on. */
#include "sequence.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../progress.h"

#define LOOKS   1               /* seconds between looks at the folder */
#define SETTLED 3               /* seconds for which a file has not changed that is whole */
#define PATIENCE 60             /* seconds that others wait for one that still changes */

/* What names of frames lie in. */
static gchar *
folder_of (const gchar *what)
{
  return g_file_test (what, G_FILE_TEST_IS_DIR) ? g_strdup (what) : g_path_get_dirname (what);
}

gboolean
live_can_follow (const gchar *what, GError **error)
{
  g_autofree gchar *folder = folder_of (what), *base = g_path_get_basename (what);

  if (g_file_test (folder, G_FILE_TEST_IS_DIR) && (g_file_test (what, G_FILE_TEST_IS_DIR) || strpbrk (base, "*?%")))
    return TRUE;
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "%s: --live takes a folder that is there, or a pattern of frames in it", what);
  return FALSE;
}

/* By the last change of the file or of what is known of it, which no program sets. */
static gboolean
is_settled (const Frame *frame)
{
  return ABS (g_get_real_time () - frame->changed) >= SETTLED * (gint64) G_USEC_PER_SEC;
}

/* By path: since when a file has been seen to change; 0: it was left out. */
static gint64 *
changing_since (const gchar *path)
{
  static GHashTable *files;
  gint64            *since;

  if (! files)
    files = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  since = g_hash_table_lookup (files, path);
  if (! since)
    {
      since = g_new (gint64, 1);
      *since = -1;
      g_hash_table_insert (files, g_strdup (path), since);
    }
  return since;
}

typedef enum { FILE_WHOLE, FILE_AWAITED, FILE_LEFT } FileWait;

/* One that was left out stays so: those after it have numbers without it. */
static FileWait
wait_of (const Frame *frame)
{
  gint64      *since = changing_since (frame->path);
  const gint64 now = g_get_monotonic_time ();

  if (*since == 0)
    return FILE_LEFT;
  if (is_settled (frame))
    {
      *since = -1;
      return FILE_WHOLE;
    }
  if (*since < 0)
    *since = now;
  return now - *since < PATIENCE * (gint64) G_USEC_PER_SEC ? FILE_AWAITED : FILE_LEFT;
}

static void
leave_out (FrameList *list, Frame *frame)
{
  gint64           *since = changing_since (frame->path);
  g_autofree gchar *name = frame_name (frame);
  FrameDropped     *dropped = g_new (FrameDropped, 1);

  if (*since != 0)
    progress_say ("%s still changes after %d seconds: it is left out, and frames after it go on; to have it too, "
                  "run the command again once it is whole", name, PATIENCE);
  *since = 0;
  *dropped = (FrameDropped) { g_strdup (name), g_strdup_printf ("%s still changed while others had come", name) };
  g_ptr_array_add (list->dropped, dropped);
  g_clear_pointer (&frame->path, g_free);
}

/* Whether a whole one follows. */
static gboolean
has_whole (const FrameList *list, gint first)
{
  for (gint i = first; i < list->n; i++)
    if (wait_of (&list->frames[i]) == FILE_WHOLE)
      return TRUE;
  return FALSE;
}

void
live_settle (FrameList *list)
{
  gint n = 0, i = 0;

  for (gint k = 0; k < list->n; k++)
    wait_of (&list->frames[k]);         /* the minute of each begins now, not when those before it are over */
  for (; i < list->n; i++)
    {
      const FileWait wait = wait_of (&list->frames[i]);

      if (wait == FILE_WHOLE)
        list->frames[n++] = list->frames[i];
      else if (wait == FILE_LEFT && has_whole (list, i + 1))
        leave_out (list, &list->frames[i]);
      else
        break;
    }
  for (; i < list->n; i++)
    g_clear_pointer (&list->frames[i].path, g_free);
  list->n = n;
}

/* How many are there, and settled.  `more`: others are not, and will be. */
static gint
count (const gchar *what, gboolean *more)
{
  FrameList list;
  gint      n = 0;
  guint     dropped;

  *more = FALSE;
  if (! frames_list (what, &list, NULL))
    return 0;
  n = list.n;
  dropped = list.dropped->len;
  live_settle (&list);
  *more = list.n + (gint) (list.dropped->len - dropped) < n;
  n = list.n;
  frame_list_clear (&list);
  return n;
}

void
live_wait (const gchar *what, gint frames)
{
  g_autofree gchar *folder = folder_of (what);
  GStatBuf          before = { 0 }, now;
  gint64            changed = g_get_monotonic_time ();
  gboolean          more = FALSE;

  progress_say ("waiting for frames in %s; Ctrl+C ends it, and what was found stays", folder);
  while (TRUE)
    {
      if (g_stat (folder, &now) == 0 && (now.st_mtim.tv_sec != before.st_mtim.tv_sec || now.st_mtim.tv_nsec != before.st_mtim.tv_nsec))
        changed = g_get_monotonic_time ();
      before = now;
      /* a look costs the heads of all files: only while something is new, or still written */
      if ((more || g_get_monotonic_time () - changed < 3 * SETTLED * (gint64) G_USEC_PER_SEC) && count (what, &more) > frames)
        return;
      g_usleep (LOOKS * G_USEC_PER_SEC);
    }
}
