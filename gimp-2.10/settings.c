/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * An operation's properties as one line of text: what scripts give, and what is
 * remembered.
 */
#include "plug-in.h"

#include <gegl-paramspecs.h>
#include <math.h>
#include <string.h>

static gboolean
has_key (GParamSpec *spec, const gchar *key, const gchar *value)
{
  return g_strcmp0 (gegl_param_spec_get_property_key (spec, key), value) == 0;
}

/* By scripts: not the text of an error, which the dialog shows. */
static gboolean
can_be_set (GParamSpec *spec)
{
  return ! has_key (spec, "error", "true")
         && (spec->flags & G_PARAM_WRITABLE) && (spec->flags & G_PARAM_READABLE)
         && (G_IS_PARAM_SPEC_DOUBLE (spec) || G_IS_PARAM_SPEC_INT (spec) || G_IS_PARAM_SPEC_UINT (spec)
             || G_IS_PARAM_SPEC_BOOLEAN (spec) || G_IS_PARAM_SPEC_ENUM (spec) || G_IS_PARAM_SPEC_STRING (spec)
             || g_type_is_a (spec->value_type, GEGL_TYPE_COLOR));
}

/* Results are not, nor what is never seen. */
gboolean
settings_is_offered (GParamSpec *spec)
{
  return can_be_set (spec) && ! has_key (spec, "visible", "0") && ! has_key (spec, "sensitive", "0");
}

/* As few digits as bring the same number back. */
static gchar *
number_text (gdouble number)
{
  gchar text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.15g", number);
  if (g_ascii_strtod (text, NULL) != number)
    g_ascii_dtostr (text, sizeof text, number);
  return g_strdup (text);
}

gchar *
settings_value_text (const GValue *value)
{
  if (G_VALUE_HOLDS_DOUBLE (value))
    return number_text (g_value_get_double (value));
  if (G_VALUE_HOLDS_INT (value))
    return g_strdup_printf ("%d", g_value_get_int (value));
  if (G_VALUE_HOLDS_UINT (value))
    return g_strdup_printf ("%u", g_value_get_uint (value));
  if (G_VALUE_HOLDS_BOOLEAN (value))
    return g_strdup (g_value_get_boolean (value) ? "true" : "false");
  if (G_VALUE_HOLDS_STRING (value))
    return g_value_dup_string (value);
  if (G_VALUE_HOLDS_ENUM (value))
    {
      GEnumClass *kinds = g_type_class_ref (G_VALUE_TYPE (value));
      GEnumValue *kind = g_enum_get_value (kinds, g_value_get_enum (value));
      gchar      *text = kind ? g_strdup (kind->value_nick) : NULL;

      g_type_class_unref (kinds);
      return text;
    }
  if (g_type_is_a (G_VALUE_TYPE (value), GEGL_TYPE_COLOR) && g_value_get_object (value))
    {
      gchar *text = NULL;

      g_object_get (g_value_get_object (value), "string", &text, NULL);
      return text;
    }
  return NULL;
}

static gboolean
parse_number (GParamSpec *spec, const gchar *text, GValue *value)
{
  gchar  *end;
  gdouble number = g_ascii_strtod (text, &end);

  if (end == text || *end || isnan (number))
    return FALSE;
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_value_set_double (value, number);
  else if (floor (number) != number || fabs (number) > G_MAXINT)
    return FALSE;
  else if (G_IS_PARAM_SPEC_INT (spec))
    g_value_set_int (value, (gint) number);
  else if (number < 0.0)
    return FALSE;
  else
    g_value_set_uint (value, (guint) number);
  return ! g_param_value_validate (spec, value);            /* TRUE: it had to be clamped */
}

static gboolean
parse_boolean (const gchar *text, GValue *value)
{
  static const gchar *const words[] = { "false", "true", "no", "yes", "FALSE", "TRUE", "0", "1" };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    if (strcmp (text, words[i]) == 0)
      {
        g_value_set_boolean (value, i % 2);
        return TRUE;
      }
  return FALSE;
}

static gboolean
parse_value (GParamSpec *spec, const gchar *text, GValue *value)
{
  g_value_init (value, spec->value_type);
  if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    return parse_boolean (text, value);
  if (G_IS_PARAM_SPEC_STRING (spec))
    g_value_set_string (value, text);
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      GEnumValue *kind = g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, text);

      if (kind)
        g_value_set_enum (value, kind->value);
      return kind != NULL;
    }
  else if (g_type_is_a (spec->value_type, GEGL_TYPE_COLOR))
    g_value_take_object (value, gegl_color_new (text));
  else
    return parse_number (spec, text, value);
  return TRUE;
}

/* FALSE: it is none of these, or no value of it. */
static gboolean
parse_extra (GeglNode *node, const gchar *name, const gchar *text, Extras *extras)
{
  gchar  *end;
  gdouble number = g_ascii_strtod (text, &end);

  if (end == text || *end)
    return FALSE;
  if (strcmp (name, "strength") == 0 && number >= 0.0 && number <= 100.0)
    extras->strength = number / 100.0;
  else if (! node && strcmp (name, "size") == 0 && number >= SIZE_LEAST && number <= SIZE_MOST)
    extras->size = number;
  else if (strcmp (name, "aux") == 0 && number >= 0.0 && number <= G_MAXINT && node && gegl_node_has_pad (node, "aux")
           && gimp_item_is_drawable ((gint32) number))
    extras->second = (gint32) number;
  else
    return FALSE;
  return TRUE;
}

/* One "name=value". */
static gboolean
parse_word (GeglNode *node, const gchar *word, Extras *extras, GError **error)
{
  const gchar *operation = node ? gegl_node_get_operation (node) : _("A ready-made graph"), *equals = strchr (word, '=');
  g_autofree gchar *name = g_strndup (word, equals ? (gsize) (equals - word) : strlen (word));
  GParamSpec  *spec = node ? gegl_operation_find_property (operation, name) : NULL;
  GValue       value = G_VALUE_INIT;
  gboolean     good = ! spec && equals && parse_extra (node, name, equals + 1, extras);

  if (good)
    ;
  else if (! spec || ! can_be_set (spec))
    g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_SETTINGS, _("%s has no property '%s'"), operation, name);
  else if (! equals || ! parse_value (spec, equals + 1, &value))
    g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_SETTINGS, _("%s: '%s' is no value of '%s'"),
                 operation, equals ? equals + 1 : "", name);
  else
    {
      gegl_node_set_property (node, name, &value);
      good = TRUE;
    }
  if (G_IS_VALUE (&value))
    g_value_unset (&value);
  return good;
}

gboolean
settings_parse (GeglNode *node, const gchar *text, Extras *extras, GError **error)
{
  g_auto (GStrv) words = NULL;
  GError  *fault = NULL;
  gboolean good = TRUE;

  if (! g_shell_parse_argv (text, NULL, &words, &fault))
    {
      good = g_error_matches (fault, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING);
      if (good)
        g_error_free (fault);
      else
        g_propagate_error (error, fault);
      return good;
    }
  for (gint i = 0; good && words[i]; i++)
    good = parse_word (node, words[i], extras, error);
  return good;
}

static void
append_extra (GString *all, const gchar *name, gdouble number)
{
  g_autofree gchar *text = number_text (number);

  g_string_append_printf (all, "%s%s=%s", all->len ? " " : "", name, text);
}

gchar *
settings_text (GeglNode *node, const Extras *extras)
{
  GString     *all = g_string_new (NULL);
  guint n = 0;
  g_autofree GParamSpec **specs = node ? gegl_operation_list_properties (gegl_node_get_operation (node), &n) : NULL;

  for (guint i = 0; i < n; i++)
    {
      GValue value = G_VALUE_INIT;
      g_autofree gchar *text = NULL, *quoted = NULL;

      if (! settings_is_offered (specs[i]))
        continue;
      gegl_node_get_property (node, specs[i]->name, &value);
      text = g_param_value_defaults (specs[i], &value) ? NULL : settings_value_text (&value);
      if (text)
        {
          quoted = g_shell_quote (text);
          g_string_append_printf (all, "%s%s=%s", all->len ? " " : "", specs[i]->name, quoted);
        }
      g_value_unset (&value);
    }
  if (extras->strength < 1.0)
    append_extra (all, "strength", 100.0 * extras->strength);
  if (extras->size != 1.0)
    append_extra (all, "size", extras->size);
  return g_string_free (all, FALSE);
}

void
settings_reset (GeglNode *node, Extras *extras)
{
  guint n = 0;
  g_autofree GParamSpec **specs = node ? gegl_operation_list_properties (gegl_node_get_operation (node), &n) : NULL;

  for (guint i = 0; i < n; i++)
    if (settings_is_offered (specs[i]))
      gegl_node_set_property (node, specs[i]->name, g_param_spec_get_default_value (specs[i]));
  *extras = NO_EXTRAS;
}

static void
describe_range (GString *all, GParamSpec *spec)
{
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    g_string_append_printf (all, " (%g to %g", G_PARAM_SPEC_DOUBLE (spec)->minimum, G_PARAM_SPEC_DOUBLE (spec)->maximum);
  else if (G_IS_PARAM_SPEC_INT (spec))
    g_string_append_printf (all, " (%d to %d", G_PARAM_SPEC_INT (spec)->minimum, G_PARAM_SPEC_INT (spec)->maximum);
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      GEnumClass *kinds = G_PARAM_SPEC_ENUM (spec)->enum_class;

      for (guint i = 0; i < kinds->n_values; i++)
        g_string_append_printf (all, "%s%s", i ? ", " : " (", kinds->values[i].value_nick);
    }
  else
    g_string_append (all, G_IS_PARAM_SPEC_BOOLEAN (spec) ? " (true, false" : " (text");
}

gchar *
settings_describe (const gchar *operation)
{
  GString     *all = g_string_new (NULL);
  guint n;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (operation, &n);

  for (guint i = 0; i < n; i++)
    if (settings_is_offered (specs[i]))
      {
        const gchar *tip = g_param_spec_get_blurb (specs[i]);
        g_autofree gchar *preset = settings_value_text (g_param_spec_get_default_value (specs[i]));

        g_string_append_printf (all, "%s: %s", specs[i]->name, tip && *tip ? tip : g_param_spec_get_nick (specs[i]));
        describe_range (all, specs[i]);
        g_string_append_printf (all, "; default %s)\n", preset ? preset : "");
      }
  return g_string_free (all, FALSE);
}
