/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The file of transforms beside the output: a run that was ended goes on with it.
 *
 * A transform is that of a file of some bytes and one absolute path, on a reference of some bytes, with the same settings and version.  The bytes
 * are read for their hash each time, as all frames are read anyway: whoever writes through a map leaves no trace in a file's times.  Numbers have
 * 17 digits, so that the picture is the same to the last bit.  A line says how many frames the output of some state was made of.
 */
#include "stack.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "config.h"
#include "matrix.h"
#include "saving.h"

#define OURS      "tessera-stack transforms "
#define HEAD      OURS "4"
#define RESULT    "result "
#define REFERENCE "reference"
#define REASON    "reason "

static gchar *
name_of (const StackFrame *frame)
{
  g_autofree gchar *path = g_canonicalize_filename (frame->path, NULL);

  return g_strescape (path, NULL);
}

/* FALSE: it cannot be read, or has changed since the run began. */
static gboolean
find_hash (StackFrame *frame)
{
  FileState now;

  if (! *frame->hash
      && ! (content_of_file (frame->path, frame->hash) && file_state (frame->path, &now) && file_state_same (&now, &frame->state)))
    *frame->hash = '\0';
  return *frame->hash != '\0';
}

/* What a transform depends on beside the bytes: each member of AlignSettings. */
static gchar *
settings_of (const Stack *stack)
{
  G_STATIC_ASSERT (sizeof (AlignSettings) == 2 * sizeof (gint) + 3 * sizeof (gdouble));     /* a new one is to be told here too */
  const AlignSettings *settings = &stack->settings;
  gchar                ratio[G_ASCII_DTOSTR_BUF_SIZE], contrast[G_ASCII_DTOSTR_BUF_SIZE];

  return g_strdup_printf ("version " TESSERA_VERSION "\nmodel %s\nrefine %d\nratio %s\ncontrast %s\npoints %d",
                          consensus_model_name (settings->model), settings->refines,
                          g_ascii_dtostr (ratio, sizeof ratio, settings->ratio),
                          g_ascii_dtostr (contrast, sizeof contrast, settings->contrast_threshold), settings->max_features);
}

/* NULL: the reference has no hash. */
static gchar *
head_of (const Stack *stack)
{
  StackFrame       *reference = &stack->frames[stack->reference];
  g_autofree gchar *name = name_of (reference), *settings = settings_of (stack);

  return find_hash (reference) ? g_strdup_printf (HEAD "\n%s\n" REFERENCE " %s %s\n", settings, reference->hash, name) : NULL;
}

/* A frame's line: a hash, a name, and a tab before what is known of it. */
typedef struct
{
  gchar       *hash, *name;
  const gchar *rest;
} Line;

static void
line_clear (Line *line)
{
  g_free (line->hash);
  g_free (line->name);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Line, line_clear)

/* FALSE: it is another line. */
static gboolean
line_parse (const gchar *text, Line *line)
{
  const gchar *space = strchr (text, ' '), *tab = space ? strchr (space, '\t') : NULL;

  *line = (Line) { NULL, NULL, NULL };
  if (! tab || space - text != CONTENT_LENGTH - 1)
    return FALSE;
  *line = (Line) { g_strndup (text, space - text), g_strndup (space + 1, tab - space - 1), tab + 1 };
  return TRUE;
}

/* Nine numbers, a tab and what there is to know of them; or the reason. */
static void
remember_line (StackFrame *frame, const gchar *rest)
{
  const gchar    *remark = strchr (rest, '\t');
  g_autofree gchar *numbers = g_strndup (rest, remark ? remark - rest : 0);
  g_auto (GStrv) words = g_strsplit (numbers, " ", -1);
  gchar   *end;
  gdouble  inverse[9];
  gboolean is_good = g_strv_length (words) == 10 && g_str_equal (words[0], "matrix");

  for (gint i = 0; i < 9 && is_good; i++)
    {
      frame->matrix[i] = g_ascii_strtod (words[i + 1], &end);
      is_good = end != words[i + 1] && *end == '\0';
    }
  is_good = is_good && matrix_invert (frame->matrix, inverse);
  frame->is_known = is_good || g_str_has_prefix (rest, REASON);
  frame->is_aligned = is_good;
  if (frame->is_known)
    frame->reason = g_strcompress (is_good ? remark + 1 : rest + strlen (REASON));
}

/* NULL: there is none.  A pipe would be waited for. */
static gchar *
read_kept (const gchar *path)
{
  gchar *text = NULL;

  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/* What the file says behind its head, if that is this one's; a line each. */
static gchar **
lines_after (const gchar *path, const gchar *head)
{
  g_autofree gchar *text = read_kept (path);
  const gboolean    is_it = text && g_str_has_prefix (text, head);
  gchar           **lines = g_strsplit (is_it ? text + strlen (head) : "", "\n", -1);
  const guint       n = g_strv_length (lines);

  if (n > 0)
    *lines[n - 1] = '\0';       /* of a file that is cut, the last number may be another one; else it is empty */
  return lines;
}

static gchar *
key_of (StackFrame *frame)
{
  g_autofree gchar *name = name_of (frame);

  return g_strconcat (find_hash (frame) ? frame->hash : "", " ", name, NULL);
}

/* Of the files of which something is kept. */
static GHashTable *
names_of (gchar **lines)
{
  GHashTable *names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gchar **text = lines; *text; text++)
    {
      g_auto (Line) line;

      if (line_parse (*text, &line))
        g_hash_table_add (names, g_strdup (line.name));
    }
  return names;
}

/* Nothing is kept of other files: they need not be read for their hashes, which takes long where a file that is no picture has GBs. */
static gboolean
is_named (const StackFrame *frame, GHashTable *names)
{
  g_autofree gchar *name = name_of (frame);

  return g_hash_table_contains (names, name);
}

/* What is known of frames, by their keys. */
static GHashTable *
rests_of (gchar **lines)
{
  GHashTable *rests = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);

  for (gchar **text = lines; text && *text; text++)
    {
      g_auto (Line) line;

      if (line_parse (*text, &line))
        g_hash_table_replace (rests, g_strconcat (line.hash, " ", line.name, NULL), g_strdup (line.rest));
    }
  return rests;
}

void
stack_remember (Stack *stack)
{
  g_auto (GStrv) all = lines_after (stack->kept, HEAD "\n");
  g_autoptr (GHashTable) names = names_of (all), rests = NULL;
  g_autofree gchar *head = NULL;
  g_auto (GStrv) lines = NULL;

  for (gchar **line = all; *line; line++)
    if (g_str_has_prefix (*line, RESULT) && ! stack->result)
      stack->result = g_strdup (*line);
  head = is_named (&stack->frames[stack->reference], names) ? head_of (stack) : NULL;
  lines = head ? lines_after (stack->kept, head) : NULL;
  rests = rests_of (lines);
  for (gint i = 0; i < stack->n; i++)
    if (i != stack->reference && is_named (&stack->frames[i], names))
      {
        g_autofree gchar *key = key_of (&stack->frames[i]);
        const gchar      *rest = g_hash_table_lookup (rests, key);

        if (rest)
          remember_line (&stack->frames[i], rest);
      }
}

/* Of the frames that this run has a line for. */
static GHashTable *
known_keys (const Stack *stack)
{
  GHashTable *keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].is_known || i == stack->reference)
      g_hash_table_add (keys, key_of (&stack->frames[i]));
  return keys;
}

static gboolean
has_key (const gchar *text, GHashTable *keys)
{
  g_auto (Line) line;
  g_autofree gchar *key = line_parse (text, &line) ? g_strconcat (line.hash, " ", line.name, NULL) : NULL;

  return key && g_hash_table_contains (keys, key);
}

static void
append_line (GString *text, const StackFrame *frame, const gchar *rest)
{
  g_autofree gchar *name = name_of (frame);

  g_string_append_printf (text, "%s %s\t%s", frame->hash, name, rest);
}

static void
append_frame (GString *text, const StackFrame *frame)
{
  g_autofree gchar *reason = g_strescape (frame->reason ? frame->reason : "", NULL);

  append_line (text, frame, frame->is_aligned ? "matrix" : REASON);
  for (gint k = 0; k < 9 && frame->is_aligned; k++)
    {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (text, " %s", g_ascii_formatd (number, sizeof number, "%.17g", frame->matrix[k]));
    }
  g_string_append_printf (text, "%s%s\n", frame->is_aligned ? "\t" : "", reason);
}

/* By any version. */
static gboolean
is_kept (const gchar *text)
{
  return g_str_has_prefix (text, OURS) && g_ascii_isdigit (text[strlen (OURS)]) && text[strlen (OURS) + 1] == '\n';
}

static gboolean
write_kept (const gchar *path, const gchar *text, GError **error)
{
  g_autofree gchar *old = read_kept (path);
  gboolean          is_ours = old ? is_kept (old) : ! g_file_test (path, G_FILE_TEST_EXISTS);
  Saving   saving;

  if (! is_ours)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s is another file; rename it, or the result", path);
  if (! is_ours || ! saving_begin_ours (&saving, path, "", error))
    return FALSE;
  fputs (text, saving.stream);
  return saving_end (&saving, TRUE, error);
}

/* What earlier runs know of frames that this one does not have stays. */
gboolean
stack_keep (const Stack *stack, GError **error)
{
  g_autofree gchar *head = head_of (stack);
  g_auto (GStrv) lines = NULL;
  g_autoptr (GString) text = NULL;
  g_autoptr (GHashTable) keys = NULL;

  if (! head)
    {
      g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_FAILED, "%s has changed while it was read", stack->frames[stack->reference].path);
      return FALSE;
    }
  lines = lines_after (stack->kept, head);
  keys = known_keys (stack);
  text = g_string_new (head);
  if (stack->result)
    g_string_append_printf (text, "%s\n", stack->result);
  append_line (text, &stack->frames[stack->reference], REFERENCE "\n");
  for (gchar **line = lines; *line; line++)
    if (**line && ! g_str_has_prefix (*line, RESULT) && ! has_key (*line, keys))
      g_string_append_printf (text, "%s\n", *line);
  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].is_known && i != stack->reference && find_hash (&stack->frames[i]))
      append_frame (text, &stack->frames[i]);
  return write_kept (stack->kept, text->str, error);
}

const gchar *
stack_changed (const Stack *stack)
{
  for (gint i = 0; i < stack->n; i++)
    {
      StackFrame *frame = &stack->frames[i];
      FileState   now;
      gchar       hash[CONTENT_LENGTH];

      if (frame->picture && ! (file_state (frame->path, &now) && file_state_same (&now, &frame->state))
          && ! (*frame->hash && content_of_file (frame->path, hash) && g_str_equal (hash, frame->hash)))
        return frame->path;
    }
  return NULL;
}

/* ----------------------------------------------------------------- the result */

gint
stack_made_of (const Stack *stack, const gchar *output)
{
  FileState made, now;
  g_auto (GStrv) words = g_strsplit (stack->result ? stack->result : "", " ", -1);

  return g_strv_length (words) == 6 && file_state_parse (words + 1, &made) && file_state (output, &now) && file_state_same (&made, &now)
         ? (gint) g_ascii_strtoll (words[5], NULL, 10) : 0;
}

void
stack_note_result (Stack *stack, const gchar *output, gint n)
{
  g_autofree gchar *text = NULL;
  FileState         made;

  if (! file_state (output, &made))
    return;
  text = file_state_text (&made);
  g_free (stack->result);
  stack->result = g_strdup_printf (RESULT "%s %d", text, n);
}
