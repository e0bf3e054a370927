/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The report as text and as JSON, problems with their remedies, the verdict.
 */
#include "doctor.h"

#include <stdio.h>

#define WIDTH 96
#define LABEL 25

void
report_topic (Doctor *doctor, const gchar *title)
{
  g_free (doctor->topic);
  doctor->topic = g_strdup (title);
  printf ("\n%s\n", title);
  for (glong i = g_utf8_strlen (title, -1); i > 0; i--)
    putchar ('-');
  putchar ('\n');
  fflush (stdout);
}

/* Words, from column `column` on, continued at column `indent`. */
static void
print_wrapped (const gchar *text, gint column, gint indent)
{
  gchar **words = g_strsplit (text, " ", -1);

  for (gint i = 0; words[i]; i++)
    {
      gint length = (gint) g_utf8_strlen (words[i], -1);

      if (i > 0 && column + 1 + length > WIDTH)
        {
          printf ("\n%*s", indent, "");
          column = indent;
        }
      else if (i > 0)
        {
          putchar (' ');
          column++;
        }
      fputs (words[i], stdout);
      column += length;
    }
  putchar ('\n');
  g_strfreev (words);
  fflush (stdout);
}

void
report_fact (Doctor *doctor, const gchar *label, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL, *key = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  printf ("  %-*s ", LABEL, label);
  print_wrapped (text, LABEL + 3, LABEL + 3);
  key = g_strdup_printf ("%s: %s", doctor->topic, label);
  put_text (doctor->facts, key, text);
}

void
report_line (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  fputs ("  ", stdout);
  vprintf (format, arguments);
  putchar ('\n');
  va_end (arguments);
  fflush (stdout);
}

static gboolean
is_new (GPtrArray *texts, const gchar *text)
{
  return ! g_ptr_array_find_with_equal_func (texts, text, g_str_equal, NULL);
}

void
report_problem (Doctor *doctor, const gchar *code, const gchar *remedy, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (! is_new (doctor->problems, text))
    return;
  fputs ("  PROBLEM: ", stdout);
  print_wrapped (text, 11, 11);
  put_object (doctor->issues, NULL);
  put_text (doctor->issues, "code", code);
  put_text (doctor->issues, "problem", text);
  put_text (doctor->issues, "remedy", remedy);
  json_builder_end_object (doctor->issues);
  g_ptr_array_add (doctor->problems, g_steal_pointer (&text));
  g_ptr_array_add (doctor->remedies, g_strdup (remedy));
}

void
report_remark (Doctor *doctor, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *text = NULL;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (! is_new (doctor->remark_texts, text))
    return;
  fputs ("  Note: ", stdout);
  print_wrapped (text, 8, 8);
  put_text (doctor->remarks, NULL, text);
  g_ptr_array_add (doctor->remark_texts, g_steal_pointer (&text));
}

static void
print_remedy (Doctor *doctor, guint i)
{
  const gchar *remedy = g_ptr_array_index (doctor->remedies, i);
  guint        first = 0;

  g_ptr_array_find_with_equal_func (doctor->remedies, remedy, g_str_equal, &first);
  if (first < i)
    printf ("     Remedy: as for %u.\n", first + 1);
  else
    {
      fputs ("     Remedy: ", stdout);
      print_wrapped (remedy, 13, 13);
    }
}

gint
report_finish (Doctor *doctor, const gchar *summary)
{
  report_topic (doctor, "What to do");
  if (doctor->problems->len == 0)
    report_line ("Nothing.");
  for (guint i = 0; i < doctor->problems->len; i++)
    {
      printf ("  %u. ", i + 1);
      print_wrapped (g_ptr_array_index (doctor->problems, i), 5, 5);
      print_remedy (doctor, i);
    }
  fputs ("\nVerdict: ", stdout);
  if (doctor->broken)
    printf ("the doctor could not examine the filters\n");
  else if (doctor->problems->len > 0)
    printf ("%u problem%s to act on, listed above\n", doctor->problems->len,
            doctor->problems->len == 1 ? "" : "s");
  else
    {
      g_autofree gchar *text = g_strconcat ("all is well. ", summary, NULL);

      print_wrapped (text, 9, 9);
    }
  return doctor->broken ? 2 : doctor->problems->len > 0 ? 1 : 0;
}

static void
add_pieces (JsonBuilder *json, const gchar *name, JsonBuilder *pieces)
{
  json_builder_set_member_name (json, name);
  json_builder_add_value (json, json_builder_get_root (pieces));
}

static gchar *
report_json (Doctor *doctor, gint code)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();

  json_builder_end_array (doctor->issues);
  json_builder_end_array (doctor->remarks);
  json_builder_end_object (doctor->facts);
  json_builder_end_object (doctor->parts);
  put_object (json, NULL);
  put_int (json, "exit", code);
  add_pieces (json, "problems", doctor->issues);
  add_pieces (json, "notes", doctor->remarks);
  add_pieces (json, "facts", doctor->facts);
  add_pieces (json, "parts", doctor->parts);
  json_builder_end_object (json);
  return json_rows (json);
}

gboolean
report_write_json (Doctor *doctor, const gchar *path, gint code)
{
  g_autofree gchar *told = report_json (doctor, code), *text = g_strconcat (told, "\n", NULL);
  g_autoptr (GError) error = NULL;
  gboolean good = g_file_set_contents (path, text, -1, &error);

  if (! good)
    fprintf (stderr, "tessera-doctor: %s\n", error->message);
  return good;
}
