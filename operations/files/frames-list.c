/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which files a sequence consists of. */
#include "frames.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "content.h"
#include "fits.h"
#include "frames-kinds.h"
#include "ser.h"

gint
frames_compare_names (const gchar *a, const gchar *b)
{
  const gchar *first = a, *second = b;

  while (*a && *b)
    {
      if (g_ascii_isdigit (*a) && g_ascii_isdigit (*b))
        {
          gsize n, m;

          while (*a == '0') a++;
          while (*b == '0') b++;
          n = strspn (a, "0123456789");
          m = strspn (b, "0123456789");
          if (n != m)
            return n < m ? -1 : 1;
          if (strncmp (a, b, n) != 0)
            return strncmp (a, b, n);
          a += n;
          b += n;
        }
      else if (*a != *b)
        return (guchar) *a < (guchar) *b ? -1 : 1;
      else
        {
          a++;
          b++;
        }
    }
  return *a || *b ? (*a ? 1 : -1) : strcmp (first, second);
}

gchar *
frame_name (const Frame *frame)
{
  g_autofree gchar *base = g_path_get_basename (frame->path);

  if (frame_kind (frame->path) == KIND_PICTURE || (frame_kind (frame->path) == KIND_FITS && frame->index == 0))
    return g_steal_pointer (&base);
  return g_strdup_printf ("%s[%d]", base, frame->index);
}

/* ------------------------------------------------------- frames of one file -- */

/* A copy that keeps its times, or a file that takes another's place, may have the size and the time of what was there. */
gchar *
frame_key (const Frame *frame)
{
  return g_strdup_printf ("%s\n%d\n%" G_GINT64_FORMAT "\n%" G_GINT64_FORMAT "\n%" G_GINT64_FORMAT "\n%" G_GUINT64_FORMAT "\n%d %s %g", frame->path, frame->index,
                          frame->size, frame->time, frame->changed, frame->number, frame->colours.mode, frame->colours.pattern, frame->colours.full);
}

typedef struct
{
  gint    n;                    /* 0: it is none, and a note says why */
  gdouble taken;                /* as in Frame; so are those */
  gboolean is_colour, is_guess;
} InFile;

static void
dropped_free (gpointer data)
{
  FrameDropped *dropped = data;

  g_free (dropped->name);
  g_free (dropped->reason);
  g_free (dropped);
}

/* The reason is a sentence. */
static void
drop (FrameList *list, const gchar *path, gchar *reason)
{
  FrameDropped *dropped = g_new (FrameDropped, 1);

  *dropped = (FrameDropped) { g_path_get_basename (path), g_strdup (reason) };
  g_ptr_array_add (list->dropped, dropped);
  g_ptr_array_add (list->notes, reason);
}

/* How many frames a film or a cube has, and when they were taken, once a file. */
static InFile
look_into (const Frame *file, FrameList *list)
{
  static GMutex      mutex;
  static GHashTable *known;
  g_autofree gchar  *key = frame_key (file);
  g_autoptr (GError) error = NULL;
  const InFile      *before;
  InFile             found = { 0, NAN, FALSE, FALSE };
  gint               promised = 0;

  g_mutex_lock (&mutex);
  if (! known)
    known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  before = g_hash_table_lookup (known, key);
  if (before)
    found = *before;
  g_mutex_unlock (&mutex);
  if (found.n == 0 && frame_kind (file->path) == KIND_FITS)
    {
      FitsHeader header;

      if (fits_read_header (file->path, &header, &error))
        {
          found = (InFile) { header.is_colour ? 1 : header.planes, header.facts.order, header.is_colour, header.is_guess };
          promised = header.is_colour ? 1 : header.promised;
        }
      fits_header_clear (&header);
    }
  else if (found.n == 0)
    {
      SerHeader header;

      if (ser_read_header (file->path, &header, &error))
        {
          found.n = header.n;
          promised = header.promised > 0 ? header.promised : -1;
        }
    }
  if (found.n > 0 && (promised < 0 || found.n < promised))
    {
      g_ptr_array_add (list->notes, promised < 0 ? g_strdup_printf ("%s does not say how many frames it has: by its length they are %d", file->path, found.n)
                                                 : g_strdup_printf ("%s is cut: %d of %d frames are whole", file->path, found.n, promised));
      return found;                 /* and say so again */
    }
  if (error)
    drop (list, file->path, g_strdup (error->message));
  g_mutex_lock (&mutex);
  if (found.n > 0)
    g_hash_table_replace (known, g_steal_pointer (&key), g_memdup2 (&found, sizeof found));
  g_mutex_unlock (&mutex);
  return found;
}

/* A pipe would be waited for. */
static gboolean
is_file (FrameList *list, const gchar *path, GStatBuf *about)
{
  const gboolean is_there = g_stat (path, about) == 0;

  if (is_there && S_ISREG (about->st_mode))
    return TRUE;
  drop (list, path, g_strdup_printf (is_there ? "%s is no file" : "there is no file %s", path));
  return FALSE;
}

static void
add_file (GArray *frames, FrameList *list, const gchar *path)
{
  GStatBuf  about;
  FileState state;
  Frame     frame = { .path = (gchar *) path };
  InFile    found = { 1, NAN, FALSE, FALSE };

  if (! is_file (list, path, &about) || ! file_state (path, &state))    /* a file that changes again at once has another key then */
    return;
  frame.size = state.size;
  frame.time = state.time / 1000;
  frame.changed = state.changed / 1000;
  frame.number = state.number;
  if (frame_kind (path) == KIND_NONE)
    drop (list, path, g_strdup_printf ("%s is no picture that can be read", path));
  if (frame_kind (path) != KIND_PICTURE)
    found = frame_kind (path) == KIND_NONE ? (InFile) { 0, NAN, FALSE, FALSE } : look_into (&frame, list);
  frame.taken = found.taken;
  frame.is_colour = found.is_colour;
  frame.is_guess = found.is_guess;
  for (gint i = 0; i < found.n; i++)
    {
      frame.path = g_strdup (path);
      frame.index = i;
      g_array_append_val (frames, frame);
    }
}

/* ------------------------------------------------------------- many files -- */

static gint
compare_names (gconstpointer a, gconstpointer b)
{
  return frames_compare_names (*(gchar *const *) a, *(gchar *const *) b);
}

typedef gboolean (*IsWanted) (const gchar *name, gconstpointer data);

static gboolean
add_folder (GArray *frames, FrameList *list, const gchar *folder, IsWanted is_wanted, gconstpointer data)
{
  g_autoptr (GDir)      dir = g_dir_open (folder, 0, NULL);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);

  for (const gchar *name = dir ? g_dir_read_name (dir) : NULL; name; name = g_dir_read_name (dir))
    if (is_wanted (name, data))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i < names->len; i++)
    {
      g_autofree gchar *path = g_str_equal (folder, ".") ? g_strdup (names->pdata[i]) : g_build_filename (folder, names->pdata[i], NULL);

      add_file (frames, list, path);
    }
  return dir != NULL;
}

static gboolean
is_readable (const gchar *name, gconstpointer data G_GNUC_UNUSED)
{
  return *name != '.' && frame_kind (name) != KIND_NONE;
}

/* GLib ends the process where a name is not UTF-8. */
static gboolean
matches_glob (const gchar *name, gconstpointer glob)
{
  g_autofree gchar *valid_name = g_utf8_make_valid (name, -1), *valid_glob = g_utf8_make_valid (glob, -1);

  return (*name != '.' || *(const gchar *) glob == '.') && g_pattern_match_simple (valid_glob, valid_name);
}

/* Where the one %d or %0Nd of a name begins and ends; FALSE: there is none, or more. */
static gboolean
find_number (const gchar *name, const gchar **begin, const gchar **end)
{
  *begin = strchr (name, '%');
  *end = NULL;
  if (! *begin)
    return FALSE;
  *end = *begin + 1 + strspn (*begin + 1, "0123456789");
  return *(*end)++ == 'd' && ! strchr (*end, '%');
}

static gboolean
matches_number (const gchar *name, gconstpointer pattern)
{
  const gchar *begin, *end;
  gsize        before, digits, width;

  find_number (pattern, &begin, &end);
  before = begin - (const gchar *) pattern;
  if (strncmp (name, pattern, before) != 0)
    return FALSE;
  digits = strspn (name + before, "0123456789");
  width = g_ascii_strtoull (begin + 1, NULL, 10);
  return digits > 0 && (digits == width || (digits > width && name[before] != '0') || (width == 0 && digits == 1))
         && strcmp (name + before + digits, end) == 0;
}

/* A path a line; relative paths begin at the list's folder.  Lines that begin with # are none. */
static gboolean
add_list (GArray *frames, FrameList *list, const gchar *path, GError **error)
{
  GStatBuf about;
  g_autofree gchar *text = NULL, *folder = NULL;
  g_auto (GStrv) lines = NULL;

  if (! is_file (list, path, &about) || ! g_file_get_contents (path, &text, NULL, error))
    return FALSE;
  folder = g_path_get_dirname (path);
  lines = g_strsplit (text, "\n", -1);
  for (gchar **line = lines; *line; line++)
    {
      const gchar *name = g_strchomp (*line);
      g_autofree gchar *whole = g_path_is_absolute (name) || g_str_equal (folder, ".") ? g_strdup (name) : g_build_filename (folder, name, NULL);

      if (*name && *name != '#')
        add_file (frames, list, whole);
    }
  return TRUE;
}

static gboolean
add_all (GArray *frames, FrameList *list, const gchar *what, GError **error)
{
  g_autofree gchar *folder = g_path_get_dirname (what), *name = g_path_get_basename (what);
  const gchar *begin, *end;
  gboolean     success = TRUE;

  if (g_file_test (what, G_FILE_TEST_IS_DIR))
    success = add_folder (frames, list, what, is_readable, NULL);
  else if (g_str_has_suffix (what, ".txt") || g_str_has_suffix (what, ".lst"))
    success = add_list (frames, list, what, error);
  else if (g_file_test (what, G_FILE_TEST_EXISTS))
    add_file (frames, list, what);
  else if (find_number (name, &begin, &end))
    success = add_folder (frames, list, folder, matches_number, name);
  else if (strpbrk (name, "*?"))
    success = add_folder (frames, list, folder, matches_glob, name);
  else
    success = FALSE;
  return success;
}

gboolean
frames_list (const gchar *what, FrameList *list, GError **error)
{
  GArray *frames = g_array_new (FALSE, FALSE, sizeof (Frame));

  list->notes = g_ptr_array_new_with_free_func (g_free);
  list->dropped = g_ptr_array_new_with_free_func (dropped_free);
  add_all (frames, list, what, NULL);
  list->n = (gint) frames->len;
  list->frames = (Frame *) (gpointer) g_array_free (frames, FALSE);
  if (list->n > 0)
    return TRUE;
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_NONE_FOUND, "%s: no frames are found there%s%s", what,
               list->notes->len ? "; " : "", list->notes->len ? (const gchar *) list->notes->pdata[0] : "");
  frame_list_clear (list);
  return FALSE;
}

void
frame_list_clear (FrameList *list)
{
  for (gint i = 0; i < list->n; i++)
    g_free (list->frames[i].path);
  g_free (list->frames);
  if (list->notes)
    g_ptr_array_free (list->notes, TRUE);
  if (list->dropped)
    g_ptr_array_free (list->dropped, TRUE);
  *list = (FrameList) { 0 };
}
