/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * json-glib tells 0.1 as 0.10000000000000001, and has all on one line or each number on its own.  So its text is
 * copied with numbers of as few digits as they need, and with line breaks between rows. */
#include "json.h"

#include <math.h>
#include <string.h>

static JsonBuilder *
named (JsonBuilder *json, const gchar *name)
{
  return name ? json_builder_set_member_name (json, name) : json;
}

void
put_object (JsonBuilder *json, const gchar *name)
{
  json_builder_begin_object (named (json, name));
}

void
put_array (JsonBuilder *json, const gchar *name)
{
  json_builder_begin_array (named (json, name));
}

void
put_text (JsonBuilder *json, const gchar *name, const gchar *text)
{
  g_autofree gchar *valid = text ? g_utf8_make_valid (text, -1) : NULL;

  if (valid)
    json_builder_add_string_value (named (json, name), valid);
  else
    json_builder_add_null_value (named (json, name));
}

void
put_flag (JsonBuilder *json, const gchar *name, gboolean flag)
{
  json_builder_add_boolean_value (named (json, name), flag);
}

void
put_int (JsonBuilder *json, const gchar *name, gint64 number)
{
  json_builder_add_int_value (named (json, name), number);
}

void
put_number (JsonBuilder *json, const gchar *name, const gchar *format, gdouble number)
{
  gchar   text[G_ASCII_DTOSTR_BUF_SIZE];
  gdouble shown;

  g_ascii_formatd (text, sizeof text, format, number);
  shown = g_ascii_strtod (text, NULL);
  if (isfinite (shown))
    json_builder_add_double_value (named (json, name), shown);
  else
    json_builder_add_null_value (named (json, name));
}

/* ------------------------------------------------------------------ text -- */

/* A string with its quotes.  Returns what is behind it. */
static const gchar *
copy_string (GString *text, const gchar *from)
{
  const gchar *end = from + 1;

  while (*end != '"')
    end += *end == '\\' ? 2 : 1;
  g_string_append_len (text, from, end + 1 - from);
  return end + 1;
}

/* A number: an integer as it is, any other with the least digits that mean it. */
static const gchar *
copy_number (GString *text, const gchar *from)
{
  const gsize   length = strspn (from, "+-.0123456789eE");
  const gdouble number = g_ascii_strtod (from, NULL);
  gchar         shown[G_ASCII_DTOSTR_BUF_SIZE];

  if (strcspn (from, ".eE") >= length)
    g_string_append_len (text, from, length);
  else
    {
      if (g_ascii_strtod (g_ascii_formatd (shown, sizeof shown, "%.15g", number), NULL) != number)
        g_ascii_dtostr (shown, sizeof shown, number);
      g_string_append (text, shown);
    }
  return from + length;
}

static gchar *
text_of (JsonBuilder *json, const gchar *between_rows)
{
  g_autoptr (JsonNode) root = json_builder_get_root (json);
  g_autofree gchar *made = json_to_string (root, FALSE);
  GString     *text = g_string_new (NULL);
  const gchar *c = made;

  while (*c)
    if (*c == '"')
      c = copy_string (text, c);
    else if (g_ascii_isdigit (*c) || *c == '-')
      c = copy_number (text, c);
    else
      {
        g_string_append_c (text, *c);
        if (*c == ',')
          g_string_append (text, c[-1] == ']' || c[-1] == '}' ? between_rows : " ");
        else if (*c == ':')
          g_string_append_c (text, ' ');
        c++;
      }
  return g_string_free (text, FALSE);
}

void
json_print_line (JsonBuilder *json)
{
  g_autofree gchar *told = NULL;

  json_builder_end_object (json);
  told = text_of (json, " ");
  g_print ("%s\n", told);
}

gchar *
json_rows (JsonBuilder *json)
{
  return text_of (json, "\n ");
}
