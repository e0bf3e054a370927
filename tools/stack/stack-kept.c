/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The file of transforms beside the output: a run that was ended goes on with it.
 *
 * A transform is that of a file of one name, size and time, on a reference of one name, size and time, with one model.
 * Numbers have 17 digits, so that the picture is the same to the last bit.  A line says how many frames the output of some
 * size and time was made of.
 */
#include "stack.h"

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#include "matrix.h"
#include "saving.h"

#define HEAD   "tessera-stack transforms 1"
#define RESULT "result "

static gchar *
key_of (const StackFrame *frame)
{
  g_autofree gchar *name = g_strescape (frame->path, NULL);

  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s", frame->size, frame->time, name);
}

static gchar *
head_of (const Stack *stack)
{
  g_autofree gchar *key = key_of (&stack->frames[stack->reference]);

  return g_strdup_printf (HEAD "\nmodel %s\nreference %s\n", stack->model, key);
}

/* A line is the key, then a tab and nine numbers, or a tab and the reason. */
static void
remember_line (StackFrame *frame, const gchar *rest)
{
  g_auto (GStrv) words = g_strsplit (rest, " ", -1);
  gchar   *end;
  gdouble  inverse[9];
  gboolean is_good = g_strv_length (words) == 10 && g_str_equal (words[0], "matrix");

  for (gint i = 0; i < 9 && is_good; i++)
    {
      frame->matrix[i] = g_ascii_strtod (words[i + 1], &end);
      is_good = end != words[i + 1] && *end == '\0';
    }
  is_good = is_good && matrix_invert (frame->matrix, inverse);
  frame->is_known = is_good || g_str_has_prefix (rest, "reason ");
  frame->is_aligned = is_good;
  if (frame->is_known && ! is_good)
    frame->reason = g_strcompress (rest + strlen ("reason "));
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

  return g_strsplit (text && g_str_has_prefix (text, head) ? text + strlen (head) : "", "\n", -1);
}

/* What stands behind the key in its line, or NULL. */
static const gchar *
behind_key (const gchar *line, const gchar *key)
{
  return g_str_has_prefix (line, key) && line[strlen (key)] == '\t' ? line + strlen (key) + 1 : NULL;
}

void
stack_remember (Stack *stack)
{
  g_autofree gchar *head = head_of (stack);
  g_auto (GStrv) all = lines_after (stack->kept, HEAD "\n"), lines = lines_after (stack->kept, head);

  for (gchar **line = all; *line; line++)
    if (g_str_has_prefix (*line, RESULT) && ! stack->result)
      stack->result = g_strdup (*line);
  for (gint i = 0; i < stack->n; i++)
    {
      g_autofree gchar *key = key_of (&stack->frames[i]);

      for (gchar **line = lines; *line && i != stack->reference; line++)
        if (behind_key (*line, key))
          remember_line (&stack->frames[i], behind_key (*line, key));
    }
}

/* Of the frames that are known. */
static GHashTable *
known_keys (const Stack *stack)
{
  GHashTable *keys = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].is_known)
      g_hash_table_add (keys, key_of (&stack->frames[i]));
  return keys;
}

static gboolean
has_key (const gchar *line, GHashTable *keys)
{
  g_autofree gchar *key = g_strndup (line, strcspn (line, "\t"));

  return g_hash_table_contains (keys, key);
}

static void
append_frame (GString *text, const StackFrame *frame)
{
  g_autofree gchar *key = key_of (frame), *reason = g_strescape (frame->reason ? frame->reason : "", NULL);

  g_string_append_printf (text, "%s\t%s", key, frame->is_aligned ? "matrix" : "reason ");
  for (gint k = 0; k < 9 && frame->is_aligned; k++)
    {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (text, " %s", g_ascii_formatd (number, sizeof number, "%.17g", frame->matrix[k]));
    }
  g_string_append_printf (text, "%s\n", frame->is_aligned ? "" : reason);
}

static gboolean
write_kept (const gchar *path, const gchar *text, GError **error)
{
  g_autofree gchar *old = read_kept (path);
  gboolean          is_ours = old ? g_str_has_prefix (old, HEAD "\n") : ! g_file_test (path, G_FILE_TEST_EXISTS);
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
  g_auto (GStrv) lines = lines_after (stack->kept, head);
  g_autoptr (GHashTable) keys = known_keys (stack);
  g_autoptr (GString) text = g_string_new (head);

  if (stack->result)
    g_string_append_printf (text, "%s\n", stack->result);
  for (gchar **line = lines; *line; line++)
    if (**line && ! g_str_has_prefix (*line, RESULT) && ! has_key (*line, keys))
      g_string_append_printf (text, "%s\n", *line);
  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].is_known && i != stack->reference)
      append_frame (text, &stack->frames[i]);
  return write_kept (stack->kept, text->str, error);
}

/* ----------------------------------------------------------------- the result */

gint
stack_made_of (const Stack *stack, const gchar *output)
{
  GStatBuf  about;
  g_auto (GStrv) words = g_strsplit (stack->result ? stack->result : "", " ", -1);
  gint      n = 0;

  if (g_strv_length (words) == 4 && g_stat (output, &about) == 0 && g_ascii_strtoll (words[1], NULL, 10) == about.st_size
      && g_ascii_strtoll (words[2], NULL, 10) == about.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000) + about.st_mtim.tv_nsec / 1000)
    n = (gint) g_ascii_strtoll (words[3], NULL, 10);
  return n;
}

void
stack_note_result (Stack *stack, const gchar *output, gint n)
{
  GStatBuf about;

  if (g_stat (output, &about) != 0)
    return;
  g_free (stack->result);
  stack->result = g_strdup_printf (RESULT "%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %d", (gint64) about.st_size,
                                   about.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000) + about.st_mtim.tv_nsec / 1000, n);
}
