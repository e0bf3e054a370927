/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the frames of a block were read from.
 *
 * The last lines of a block's file: H, a frame, the state of its file and a hash, with tabs between them, for each frame that was read; P, a hash of the
 * settings; C, the cadence, which frames that follow may change; E, the number of frames, where more of them would make it another block; S, a hash of all lines before.  The hash of a frame that is alone in its file is that of its bytes.  That of a frame of a film or a cube is of
 * its numbers, so that a film need not be read to its end. */
#include "sequence.h"

#include <stdlib.h>
#include <string.h>

#include "../progress.h"
#include "frames-file.h"
#include "loads.h"

#define UNREADABLE "unreadable"
#define SEAL       "S\t"
#define TRIES      3            /* to read a file that changes */

static void
say_unreadable (const gchar *path)
{
  progress_say ("%s cannot be read as a picture; run it again without that file", path);
}

gboolean
content_is_alone (const FrameList *list, gint index)
{
  return list->frames[index].index == 0 && (index + 1 == list->n || list->frames[index + 1].index == 0);
}

/* The numbers, and what else the computation takes from the file. */
static void
hash_pixels (const FramePixels *pixels, gchar *hash)
{
  const FrameFacts *facts = &pixels->facts;
  const gdouble     numbers[] = { pixels->plane.width, pixels->plane.height, pixels->saturation, facts->start,
                                  facts->middle,       facts->exposure,      facts->clock,       facts->zero_point };
  GString          *text = g_string_new (NULL);

  content_of_bytes (pixels->plane.pixels, sizeof (gfloat) * (gsize) pixels->plane.width * pixels->plane.height, hash);
  g_string_append (text, hash);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    row_add_number (text, ' ', "%.17g", numbers[i]);
  g_string_append_printf (text, " %s ", facts->band);
  g_string_append (text, facts->sky ? facts->sky : "");
  content_of_bytes (text->str, text->len, hash);
  g_string_free (text, TRUE);
}

static void
note (Content *content, const FileState *state, const gchar *hash)
{
  content->is_changed = content->is_changed || (*content->hash && ! g_str_equal (content->hash, hash));
  content->state = *state;
  g_strlcpy (content->hash, hash, CONTENT_LENGTH);
}

/* The cache has it by what the file is now. */
static FramePixels *
load (FrameCache *cache, Frame *frame, const FileState *state, GError **error)
{
  FramePixels *pixels;

  frame->size = state->size;
  frame->time = state->time / 1000;
  frame->changed = state->changed / 1000;
  frame->number = state->number;
  loads_begin (frame->path, say_unreadable);
  pixels = frame_cache_get (cache, frame, 0, 0, error);
  loads_end ();
  return pixels;
}

FramePixels *
content_decode (FrameCache *cache, Frame *frame, gboolean is_alone, Content *content, GError **error)
{
  content->is_read = TRUE;
  for (gint i = 0; i < TRIES; i++)
    {
      GError         *why = NULL;
      FileState       before, after;
      const gboolean  is_there = file_state (frame->path, &before);
      FramePixels    *pixels = load (cache, frame, &before, &why);
      const gboolean  is_known = is_there && *content->hash && file_state_same (&before, &content->state);
      gchar           hash[CONTENT_LENGTH] = UNREADABLE;

      if (! is_known && pixels && ! is_alone)
        hash_pixels (pixels, hash);
      else if (! is_known && pixels && ! content_of_file (frame->path, hash))
        g_strlcpy (hash, UNREADABLE, sizeof hash);
      if (is_known || (file_state (frame->path, &after) == is_there && file_state_same (&before, &after)))
        {
          if (! is_known)
            note (content, &before, hash);
          if (why)
            g_propagate_error (error, why);
          return pixels;
        }
      g_clear_pointer (&pixels, frame_pixels_unref);
      g_clear_error (&why);
    }
  content->is_changed = TRUE;
  frames_refuse (frame->path, "changes while it is read", error);
  return NULL;
}

/* -------------------------------------------------------------- blocks' files -- */

void
content_begin (Sequence *sequence, gint first, gint end)
{
  for (gint i = first; i < end; i++)
    sequence->contents[i].is_read = FALSE;
}

static void
refuse (const gchar *folder, const gchar *name, const gchar *why, GError **error)
{
  g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s has results of other settings or frames (%s %s); take another folder, or remove it", folder,
               name, why);
}

gboolean
content_end (const Sequence *sequence, gboolean is_open, gint first, gint end, GString *text, GError **error)
{
  gchar hash[CONTENT_LENGTH];

  for (gint i = first; i < end; i++)
    {
      const Content *content = &sequence->contents[i];

      if (content->is_changed)
        {
          g_autofree gchar *name = frame_name (&sequence->list.frames[i]);

          refuse (sequence->folder, name, "has changed meanwhile", error);
          return FALSE;
        }
      if (content->is_read)
        {
          g_autofree gchar *state = file_state_text (&content->state);

          g_string_append_printf (text, "H\t%d\t%s\t%s\n", i, state, content->hash);
        }
    }
  g_string_append_printf (text, "P\t%s\n", sequence->settings_hash);
  g_string_append_c (text, 'C');
  row_add_number (text, '\t', "%.17g", sequence->cadence);
  g_string_append_c (text, '\n');
  if (is_open)
    g_string_append_printf (text, "E\t%d\n", sequence->list.n);
  content_of_bytes (text->str, text->len, hash);
  g_string_append_printf (text, SEAL "%s\n", hash);
  return TRUE;
}

gboolean
content_is_whole (const gchar *text)
{
  const gchar *seal = g_strrstr (text, "\n" SEAL);
  gchar        line[CONTENT_LENGTH + 3];

  if (! seal)
    return FALSE;
  content_of_bytes (text, (gsize) (seal + 1 - text), line);
  return g_str_has_prefix (seal + 1 + strlen (SEAL), line) && g_str_equal (seal + strlen (SEAL) + strlen (line) + 1, "\n");
}

/* A line that begins with H. */
static gboolean
parse (const gchar *line, gint *index, Content *content)
{
  g_auto (GStrv) words = g_strsplit (line, "\t", -1);
  g_auto (GStrv) state = g_strsplit (g_strv_length (words) == 4 ? words[2] : "", " ", -1);

  if (g_strv_length (words) != 4 || ! file_state_parse (state, &content->state))
    return FALSE;
  *index = atoi (words[1]);
  return g_strlcpy (content->hash, words[3], CONTENT_LENGTH) < CONTENT_LENGTH && *index >= 0 && *words[3];
}

/* By its bytes, which need not be decoded for that.  What a program writes through a map of the file leaves no time, so times tell nothing here. */
static void
hash_file (const gchar *path, Content *content)
{
  FileState before, after;
  gchar     hash[CONTENT_LENGTH];

  if (file_state (path, &before) && content_of_file (path, hash) && file_state (path, &after) && file_state_same (&before, &after))
    note (content, &before, hash);
}

/* Is the frame still what the block was made of?  One that could not be read is tried again: the file need not be why. */
static gboolean
is_same (Sequence *sequence, gint index, const Content *made_of)
{
  Content     *content = &sequence->contents[index];
  FramePixels *pixels;

  if (! *content->hash && ! g_str_equal (made_of->hash, UNREADABLE) && content_is_alone (&sequence->list, index))
    hash_file (sequence->list.frames[index].path, content);
  if (! *content->hash)
    {
      pixels = content_decode (sequence->cache, &sequence->list.frames[index], content_is_alone (&sequence->list, index), content, NULL);
      g_clear_pointer (&pixels, frame_pixels_unref);
    }
  return g_str_equal (content->hash, made_of->hash);
}

gboolean
content_is_outgrown (const gchar *text, gint frames, gdouble cadence)
{
  const gchar *end = g_strrstr (text, "\nE\t"), *of = g_strrstr (text, "\nC\t");

  return (end && atoi (end + strlen ("\nE\t")) != frames) || (of && g_ascii_strtod (of + strlen ("\nC\t"), NULL) != cadence);
}

gboolean
content_check (Sequence *sequence, gint block, const gchar *text, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autofree gchar *why = g_strdup_printf ("is not what block %d was made of", block + 1);

  for (gchar **line = lines; *line; line++)
    {
      Content  made_of = { .is_read = FALSE };
      gint     index = -1;
      gboolean is_good = TRUE;

      if (**line == 'P')
        is_good = g_str_equal (*line + 2, sequence->settings_hash);
      else if (**line == 'H')
        is_good = parse (*line, &index, &made_of) && index < sequence->list.n && is_same (sequence, index, &made_of);
      if (! is_good)
        {
          g_autofree gchar *name = index >= 0 && index < sequence->list.n ? frame_name (&sequence->list.frames[index]) : g_strdup ("settings.txt");

          refuse (sequence->folder, name, why, error);
          return FALSE;
        }
    }
  return TRUE;
}

gboolean
content_agrees (GHashTable *seen, const gchar *text, const gchar *path, GError **error)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);

  for (gchar **line = lines; *line; line++)
    {
      Content      content = { .is_read = FALSE };
      gint         index = -1;
      const gchar *before, *now = **line == 'P' ? *line + 2 : **line == 'H' && parse (*line, &index, &content) ? content.hash : NULL;

      if (! now)
        continue;
      before = g_hash_table_lookup (seen, GINT_TO_POINTER (index));
      if (before && ! g_str_equal (before, now))
        {
          g_autofree gchar *what = index < 0 ? g_strdup ("with other settings") : g_strdup_printf ("of another frame %d", index);

          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s was made %s than a block before; take another folder, or remove it", path, what);
          return FALSE;
        }
      if (! before)
        g_hash_table_insert (seen, GINT_TO_POINTER (index), g_strdup (now));
    }
  return TRUE;
}

gchar *
content_portable (const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  GString *rest = g_string_new (NULL);

  for (gchar **line = lines; *line; line++)
    {
      Content content = { .is_read = FALSE };
      gint    index;

      if (**line == 'H' && parse (*line, &index, &content))
        g_string_append_printf (rest, "H\t%d\t%s\n", index, content.hash);
      else if (! g_str_has_prefix (*line, SEAL))
        g_string_append_printf (rest, "%s\n", *line);
    }
  return g_string_free (rest, FALSE);
}
