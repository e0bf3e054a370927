/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The folder of results.  `blocks/` has a file for each block that is done: it appears whole, by a rename, and that is the journal. */
#include "sequence.h"

#include <errno.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config.h"
#include "saving.h"

#define HEAD     "tessera-sequence 6\n"
#define SETTINGS "settings.txt"
#define BEGINNING 65536         /* bytes */

gboolean
folder_write (const gchar *path, const gchar *text, gssize length, GError **error)
{
  FILE *file = saving_open_part (path);

  return saving_close_part (file, path, file && fwrite (text, 1, length, file) == (gsize) length, error);
}

static void
add (GString *text, const gchar *name, gdouble number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s %s\n", name, g_ascii_dtostr (digits, sizeof digits, number));
}

/* How a file begins.  Nights have the same names and sizes, and a copy on another machine has another time. */
static void
add_beginning (GChecksum *sum, const gchar *path)
{
  g_autofree guchar *bytes = g_malloc (BEGINNING);
  FILE        *file = g_fopen (path, "rb");
  const gsize  n = file ? fread (bytes, 1, BEGINNING, file) : 0;

  g_checksum_update (sum, bytes, (gssize) n);
  if (file)
    fclose (file);
}

/* All frames, by name, size and how their files begin: another night is another sequence, before its frames have been read.  What was read is in the files
 * of the blocks. */
static gchar *
fingerprint (const FrameList *list)
{
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);

  for (gint i = 0; i < list->n; i++)
    {
      g_autofree gchar *base = g_path_get_basename (list->frames[i].path);
      g_autofree gchar *line = g_strdup_printf ("%s\n%d %" G_GINT64_FORMAT "\n", base, list->frames[i].index, list->frames[i].size);

      g_checksum_update (sum, (const guchar *) line, -1);
      if (list->frames[i].index == 0)
        add_beginning (sum, list->frames[i].path);
    }
  return g_strdup (g_checksum_get_string (sum));
}

/* NULL: there is none. */
static const gchar *
file_of_master (const Sequence *sequence, MasterKind kind)
{
  return kind == MASTER_DARK && sequence->dark_file ? sequence->dark_file : sequence->calibration.masters[kind].path;
}

static void
add_masters (const Sequence *sequence, GString *text)
{
  for (gint kind = 0; kind < MASTERS; kind++)
    {
      const gchar      *path = file_of_master (sequence, (MasterKind) kind);
      g_autofree gchar *base = path ? g_path_get_basename (path) : g_strdup ("");
      const gchar      *hash = path && path == sequence->dark_file ? sequence->dark_content.hash : sequence->calibration.masters[kind].hash;

      g_string_append_printf (text, "%s %s%s%s\n", master_name ((MasterKind) kind), base, path ? " " : "", hash);
    }
}

static const gchar *const kinds[] = { "whitened", "background", "significance", "calibrated" };

/* The settings that made it: what they were given, a line each.  Blocks depend on all but the list, which may grow, and tell the cadence themselves. */
static gchar *
folder_settings (const Sequence *sequence, gboolean with_list)
{
  const SequenceSettings *settings = &sequence->settings;
  GString                *text = g_string_new (HEAD);
  g_autofree gchar *print = fingerprint (&sequence->list);

  g_string_append (text, "version " TESSERA_VERSION "\n");
  if (with_list)
    g_string_append_printf (text, "frames %d\nfiles %s\n", sequence->list.n, print);
  add (text, "night", settings->night > 0 ? settings->night : sequence->list.n);
  add_masters (sequence, text);
  add (text, "width", sequence->width);
  add (text, "height", sequence->height);
  if (with_list)
    add (text, "cadence", sequence->cadence);
  add (text, "history", settings->history);
  add (text, "past", settings->is_past);
  add (text, "apart", settings->apart);
  add (text, "block", settings->block);
  add (text, "shift", settings->shift.method);
  add (text, "max-shift", settings->shift.max_shift);
  add (text, "saturation", settings->saturation);
  add (text, "bayer", settings->colours);
  add (text, "reject-hot", settings->rejects_hot);
  add (text, "method", settings->weights.method);
  add (text, "choose-method", settings->chooses);
  add (text, "align", settings->weights.align);
  add (text, "degree", settings->weights.degree);
  add (text, "gamma", settings->weights.gamma);
  add (text, "article-ridge", settings->weights.article_ridge);
  add (text, "gain", settings->gain);
  add (text, "fwhm", settings->fwhm);
  add (text, "threshold", settings->threshold);
  add (text, "track-threshold", settings->track_threshold);
  add (text, "false-detections", settings->false_detections);
  add (text, "false-tracks", settings->false_tracks);
  add (text, "fastest", settings->fastest);
  add (text, "every", settings->every);
  add (text, "stack", settings->stack);
  add (text, "least-stars", settings->quality.least_stars);
  add (text, "most-seeing", settings->quality.most_seeing);
  add (text, "most-sky", settings->quality.most_sky);
  add (text, "least-light", settings->quality.least_light);
  add (text, "remove-objects", settings->removes);
  for (gint i = 0; i < WRITE_KINDS; i++)
    {
      g_autofree gchar *name = g_strconcat ("write-", kinds[i], NULL);

      add (text, name, settings->writes[i]);
    }
  return g_string_free (text, FALSE);
}

gchar *
folder_plane (const gchar *folder, WriteKind kind, gint index)
{
  return g_strdup_printf ("%s/%s/%06d.fits", folder, kinds[kind], index);
}

gchar *
folder_block (const gchar *folder, gint block)
{
  return g_strdup_printf ("%s/blocks/%06d.txt", folder, block);
}

gdouble
folder_value (const gchar *settings, const gchar *name)
{
  g_autofree gchar *line = g_strdup_printf ("\n%s ", name);
  const gchar *found = strstr (settings, line);

  return found ? g_ascii_strtod (found + strlen (line), NULL) : 0.0;
}

gint
folder_number (const gchar *settings, const gchar *name)
{
  return (gint) CLAMP (folder_value (settings, name), 0.0, (gdouble) G_MAXINT);
}

/* A power cut may leave an empty file. */
static gboolean
are_settings (const gchar *text, const gchar *path, GError **error)
{
  if (g_str_has_prefix (text, HEAD) && folder_number (text, "frames") > 0 && folder_number (text, "block") > 0)
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s has no settings of a sequence", path);
  return FALSE;
}

static gboolean
is_of_list (const gchar *line)
{
  return g_str_has_prefix (line, "frames ") || g_str_has_prefix (line, "files ") || g_str_has_prefix (line, "cadence ");
}

/* The first line that is not the same, and is none of the list's where there is another; -1: there is none. */
static gint
difference (gchar *const *ours, gchar *const *theirs)
{
  gint of_list = -1, i = 0;

  for (; ours[i] && theirs[i]; i++)
    if (! g_str_equal (ours[i], theirs[i]) && ! is_of_list (ours[i]))
      return i;
    else if (! g_str_equal (ours[i], theirs[i]) && of_list < 0)
      of_list = i;
  return ours[i] || theirs[i] ? i : of_list;
}

/* Are they those of the same sequence, with fewer frames? */
static gboolean
are_of_fewer (const gchar *found, const gchar *wanted)
{
  g_auto (GStrv) ours = g_strsplit (wanted, "\n", -1), theirs = g_strsplit (found, "\n", -1);
  const gint     i = difference (ours, theirs);

  return i >= 0 && ours[i] && is_of_list (ours[i]) && folder_number (found, "frames") < folder_number (wanted, "frames");
}

/* Pictures of the tracks that there were. */
static void
remove_pictures (const gchar *folder)
{
  g_autofree gchar *path = g_build_filename (folder, "tracks", NULL);
  g_autoptr (GDir)  dir = g_dir_open (path, 0, NULL);
  const gchar      *name;

  while (dir && (name = g_dir_read_name (dir)))
    {
      const gsize       digits = strspn (name, "0123456789");
      g_autofree gchar *file = g_build_filename (path, name, NULL);

      if (digits >= 4 && (g_str_equal (name + digits, ".png") || g_str_equal (name + digits, "-film.png")))
        g_unlink (file);
    }
}

/* Where frames have followed since, the settings become those of all of them; blocks that were the end are known by themselves. */
static gboolean
grow (const gchar *folder, const gchar *wanted, GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, SETTINGS, NULL), *found = NULL;

  if (! g_file_get_contents (path, &found, NULL, NULL) || ! are_of_fewer (found, wanted))
    return TRUE;
  remove_pictures (folder);
  return g_file_set_contents (path, wanted, -1, error);
}

/* FALSE: the folder is another sequence's, or a stranger's. */
static gboolean
check_settings (const gchar *folder, const gchar *wanted, GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, SETTINGS, NULL), *found = NULL;
  gboolean success = TRUE;

  if (! g_file_get_contents (path, &found, NULL, NULL))
    success = g_file_set_contents (path, wanted, -1, error);            /* others may begin at this moment */
  else if (! g_str_equal (found, wanted))
    {
      g_auto (GStrv) ours = g_strsplit (wanted, "\n", -1), theirs = g_strsplit (found, "\n", -1);
      const gint i = difference (ours, theirs);
      const gboolean is_longer = i >= 0 && theirs[i] && g_str_has_prefix (theirs[i], "night ");

      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s has results of other settings or frames (%s, now %s); take another folder, or remove it%s", folder,
                   i >= 0 && theirs[i] ? theirs[i] : "", i >= 0 && ours[i] ? ours[i] : "",
                   is_longer ? "; a night that grows has one --night for all runs" : "");
      success = FALSE;
    }
  return success;
}

static gboolean
make_folder (const gchar *folder, const gchar *within, GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, within, NULL);

  return saving_folder (folder, error) && saving_folder (path, error);
}

/* Which folder it is, whatever leads there; NULL: there is none. */
static gchar *
identity_of (const gchar *folder)
{
  g_autoptr (GFile)     place = g_file_new_for_path (folder);
  g_autoptr (GFileInfo) about = g_file_query_info (place, G_FILE_ATTRIBUTE_ID_FILE, G_FILE_QUERY_INFO_NONE, NULL, NULL);

  return about ? g_strdup (g_file_info_get_attribute_string (about, G_FILE_ATTRIBUTE_ID_FILE)) : NULL;
}

/* FALSE: a frame, or a master, lies where results will be written. */
static gboolean
check_place (const Sequence *sequence, const gchar *within, GError **error)
{
  g_autofree gchar *path = g_build_filename (sequence->folder, within, NULL), *ours = identity_of (path), *before = NULL;

  for (gint i = -MASTERS; i < sequence->list.n && ours; i++)
    {
      const gchar      *file = i < 0 ? file_of_master (sequence, (MasterKind) (i + MASTERS)) : sequence->list.frames[i].path;
      g_autofree gchar *folder = file ? g_path_get_dirname (file) : NULL, *theirs = NULL;

      if (! file)
        continue;
      if (before && g_str_equal (folder, before))
        continue;
      theirs = identity_of (folder);
      if (g_strcmp0 (ours, theirs) == 0)
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s has frames of the sequence, which would be written over; take another folder for the results",
                       path);
          return FALSE;
        }
      g_free (before);
      before = g_steal_pointer (&folder);
    }
  return TRUE;
}

gboolean
folder_open (Sequence *sequence, GError **error)
{
  g_autofree gchar *settings = folder_settings (sequence, TRUE), *lasting = folder_settings (sequence, FALSE);
  gboolean                  success = check_place (sequence, "tracks", error);

  for (gint i = 0; i < WRITE_KINDS && success; i++)
    success = ! sequence->settings.writes[i] || check_place (sequence, kinds[i], error);
  content_of_bytes (lasting, strlen (lasting), sequence->settings_hash);
  success = success && make_folder (sequence->folder, "blocks", error) && grow (sequence->folder, settings, error)
            && check_settings (sequence->folder, settings, error);
  for (gint i = 0; i < WRITE_KINDS && success; i++)
    success = ! sequence->settings.writes[i] || make_folder (sequence->folder, kinds[i], error);
  return success;
}

/* FALSE: the text is no block's, or not all of it. */
static gboolean
check_block (const gchar *text, const gchar *path, GError **error)
{
  if (content_is_whole (text))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is no block of a sequence; remove it", path);
  return FALSE;
}

/* Frames that were to be written with the block: somebody may have removed them. */
static gboolean
has_planes (const Sequence *sequence, const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gchar **line = lines; *line; line++)
    for (gint i = 0; i < WRITE_KINDS; i++)
      {
        gint index, state;

        if (sequence->settings.writes[i] && sscanf (*line, "F\t%d\t%d", &index, &state) == 2 && state == FRAME_USED)
          {
            g_autofree gchar *path = folder_plane (sequence->folder, (WriteKind) i, index);

            if (! g_file_test (path, G_FILE_TEST_IS_REGULAR))
              return FALSE;
          }
      }
  return TRUE;
}

gboolean
folder_has (Sequence *sequence, gint block, GError **error)
{
  g_autofree gchar *path = folder_block (sequence->folder, block), *text = NULL;

  return g_file_test (path, G_FILE_TEST_IS_REGULAR) && g_file_get_contents (path, &text, NULL, error) && check_block (text, path, error)
         && ! content_is_outgrown (text, sequence->list.n, sequence->cadence) && content_check (sequence, block, text, error) && has_planes (sequence, text);
}

gboolean
folder_keep (const Sequence *sequence, gint block, const GString *text, GError **error)
{
  g_autofree gchar *path = folder_block (sequence->folder, block);

  return folder_write (path, text->str, text->len, error);
}

/* One that is there already stays, if it was made of the same frames; one of a night that has grown since is left where it is. */
static gboolean
take_block (const gchar *from, const gchar *to, gint frames, gdouble cadence, GError **error)
{
  g_autofree gchar *text = NULL, *there = NULL, *ours = NULL, *theirs = NULL;
  gsize    length;

  if (! g_file_get_contents (from, &text, &length, error) || ! check_block (text, from, error))
    return FALSE;
  if (content_is_outgrown (text, frames, cadence))
    return TRUE;
  if (! g_file_get_contents (to, &there, NULL, NULL) || ! content_is_whole (there) || content_is_outgrown (there, frames, cadence))
    return folder_write (to, text, length, error);
  ours = content_portable (there);
  theirs = content_portable (text);
  if (g_str_equal (ours, theirs))
    return TRUE;
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s and %s are of different frames; take another folder, or remove one of them", from, to);
  return FALSE;
}

gboolean
folder_merge (const gchar *folder, gchar **parts, GError **error)
{
  gboolean success = make_folder (folder, "blocks", error);

  for (; *parts && success; parts++)
    {
      g_autofree gchar *path = g_build_filename (*parts, SETTINGS, NULL), *blocks = g_build_filename (*parts, "blocks", NULL), *settings = NULL;
      g_autoptr (GDir) dir = g_dir_open (blocks, 0, NULL);
      const gchar *name;

      success = g_file_get_contents (path, &settings, NULL, error) && are_settings (settings, path, error) && check_settings (folder, settings, error);
      while (success && dir && (name = g_dir_read_name (dir)))
        if (g_str_has_suffix (name, ".txt"))
          {
            g_autofree gchar *from = g_build_filename (blocks, name, NULL), *to = g_build_filename (folder, "blocks", name, NULL);

            success = take_block (from, to, folder_number (settings, "frames"), folder_value (settings, "cadence"), error);
          }
    }
  return success;
}
