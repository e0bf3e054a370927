/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that arrive while the night goes on. */
#include "sequence.h"

#include <glib/gstdio.h>
#include <string.h>

#include "../progress.h"

#define LOOKS   1               /* seconds between looks at the folder */
#define SETTLED 3               /* seconds for which a file has not changed that is whole */

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

void
live_settle (FrameList *list)
{
  gint n = 0;

  while (n < list->n && is_settled (&list->frames[n]))
    n++;
  for (gint i = n; i < list->n; i++)
    g_clear_pointer (&list->frames[i].path, g_free);
  list->n = n;
}

/* How many are there, and settled.  `more`: others are not, and will be. */
static gint
count (const gchar *what, gboolean *more)
{
  FrameList list;
  gint      n = 0;

  *more = FALSE;
  if (! frames_list (what, &list, NULL))
    return 0;
  n = list.n;
  live_settle (&list);
  *more = list.n < n;
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
