/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The file of transforms beside the output: a run that was ended goes on with it.
 *
 * A transform is that of a file of one name, size and time, on a reference of one name, size and time, with one model.
 * Numbers have 17 digits, so that the picture is the same to the last bit.
 */
#include "stack.h"

#include <string.h>

#include "matrix.h"

#define HEAD "tessera-stack transforms 1"

static gchar *
key_of (const StackFrame *frame)
{
  gchar *name = g_strescape (frame->path, NULL);
  gchar *key = g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT " %s", frame->size, frame->time, name);

  g_free (name);
  return key;
}

static gchar *
head_of (const Stack *stack)
{
  gchar *key = key_of (&stack->frames[stack->reference]);
  gchar *head = g_strdup_printf (HEAD "\nmodel %s\nreference %s\n", stack->model, key);

  g_free (key);
  return head;
}

/* A line is the key, then a tab and nine numbers, or a tab and the reason. */
static void
remember_line (StackFrame *frame, const gchar *rest)
{
  gchar  **words = g_strsplit (rest, " ", -1);
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
  g_strfreev (words);
}

void
stack_remember (Stack *stack)
{
  gchar *text, *head = head_of (stack), **lines;

  if (g_file_get_contents (stack->kept, &text, NULL, NULL))
    {
      lines = g_strsplit (g_str_has_prefix (text, head) ? text + strlen (head) : "", "\n", -1);
      for (gint i = 0; i < stack->n; i++)
        {
          gchar *key = key_of (&stack->frames[i]);

          for (gchar **line = lines; *line && i != stack->reference; line++)
            if (g_str_has_prefix (*line, key) && (*line)[strlen (key)] == '\t')
              remember_line (&stack->frames[i], *line + strlen (key) + 1);
          g_free (key);
        }
      g_strfreev (lines);
      g_free (text);
    }
  g_free (head);
}

gboolean
stack_keep (const Stack *stack, GError **error)
{
  gchar   *head = head_of (stack), *old = NULL;
  GString *text = g_string_new (head);
  gboolean success, is_ours = ! g_file_get_contents (stack->kept, &old, NULL, NULL) || g_str_has_prefix (old, HEAD "\n");

  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].is_known && i != stack->reference)
      {
        const StackFrame *frame = &stack->frames[i];
        gchar            *key = key_of (frame), *reason = g_strescape (frame->reason ? frame->reason : "", NULL);

        g_string_append_printf (text, "%s\t%s", key, frame->is_aligned ? "matrix" : "reason ");
        for (gint k = 0; k < 9 && frame->is_aligned; k++)
          {
            gchar number[G_ASCII_DTOSTR_BUF_SIZE];

            g_string_append_printf (text, " %s", g_ascii_formatd (number, sizeof number, "%.17g", frame->matrix[k]));
          }
        g_string_append_printf (text, "%s\n", frame->is_aligned ? "" : reason);
        g_free (reason);
        g_free (key);
      }
  success = is_ours && g_file_set_contents (stack->kept, text->str, text->len, error);          /* all or nothing */
  if (! is_ours)
    g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_EXIST, "%s is another file; rename it, or the result", stack->kept);
  g_free (old);
  g_string_free (text, TRUE);
  g_free (head);
  return success;
}
