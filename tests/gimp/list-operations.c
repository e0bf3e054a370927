/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * list-operations [PREFIX]: the operations that GEGL lists under a prefix (tessera:),
 * with their class keys, pads and properties, as JSON, in the language of the locale.
 */
#include <gegl.h>
#include <gegl-paramspecs.h>
#include <locale.h>
#include <stdio.h>

static void
say_text (const gchar *text)
{
  putchar ('"');
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      printf ("\\%c", *text);
    else if ((guchar) *text < 32)
      printf ("\\u%04x", *text);
    else
      putchar (*text);
  putchar ('"');
}

static void
say_field (const gchar *name, const gchar *text)
{
  say_text (name);
  printf (": ");
  if (text)
    say_text (text);
  else
    printf ("null");
  printf (", ");
}

static void
say_numbers (gdouble preset, gdouble minimum, gdouble maximum, gdouble ui_minimum, gdouble ui_maximum)
{
  printf ("\"default\": %.17g, \"range\": [%.17g, %.17g], \"ui-range\": [%.17g, %.17g], ",
          preset, minimum, maximum, ui_minimum, ui_maximum);
}

static void
say_color (GeglColor *color)
{
  guchar levels[3] __attribute__ ((aligned (16)));
  gchar  text[8];

  gegl_color_get_pixel (color, babl_format ("R'G'B' u8"), levels);
  g_snprintf (text, sizeof text, "#%02x%02x%02x", levels[0], levels[1], levels[2]);
  say_field ("default", text);
}

static void
say_values (GParamSpec *spec)
{
  if (GEGL_IS_PARAM_SPEC_DOUBLE (spec))
    {
      GParamSpecDouble   *plain = G_PARAM_SPEC_DOUBLE (spec);
      GeglParamSpecDouble *ui = GEGL_PARAM_SPEC_DOUBLE (spec);

      say_numbers (plain->default_value, plain->minimum, plain->maximum, ui->ui_minimum, ui->ui_maximum);
    }
  else if (GEGL_IS_PARAM_SPEC_INT (spec))
    {
      GParamSpecInt    *plain = G_PARAM_SPEC_INT (spec);
      GeglParamSpecInt *ui = GEGL_PARAM_SPEC_INT (spec);

      say_numbers (plain->default_value, plain->minimum, plain->maximum, ui->ui_minimum, ui->ui_maximum);
    }
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    printf ("\"default\": %s, ", G_PARAM_SPEC_BOOLEAN (spec)->default_value ? "true" : "false");
  else if (G_IS_PARAM_SPEC_STRING (spec))
    say_field ("default", G_PARAM_SPEC_STRING (spec)->default_value);
  else if (G_PARAM_SPEC_VALUE_TYPE (spec) == GEGL_TYPE_COLOR)
    say_color (gegl_param_spec_color_get_default (spec));
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      const GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
      const GEnumValue *preset = g_enum_get_value ((GEnumClass *) values, G_PARAM_SPEC_ENUM (spec)->default_value);

      say_field ("default", preset ? preset->value_nick : NULL);
      printf ("\"values\": [");
      for (guint i = 0; i < values->n_values; i++)
        {
          printf ("%s", i ? ", " : "");
          say_text (values->values[i].value_nick);
        }
      printf ("], \"value-labels\": [");
      for (guint i = 0; i < values->n_values; i++)
        {
          printf ("%s", i ? ", " : "");
          say_text (values->values[i].value_name);
        }
      printf ("], ");
    }
}

static void
say_operation (const gchar *operation, gboolean first)
{
  static const gchar *const keys[] = { "title", "description", "categories", "reference", "gimp:menu-path", "gimp:menu-label",
                                       "needs-alpha" };
  GeglNode    *node = gegl_node_new ();
  GParamSpec **specs;
  guint        n;

  gegl_node_set (node, "operation", operation, NULL);
  printf ("%s{", first ? "" : ",\n ");
  say_field ("name", operation);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    say_field (keys[i], gegl_operation_get_key (operation, keys[i]));
  printf ("\"input\": %s, ", gegl_node_has_pad (node, "input") ? "true" : "false");
  printf ("\"aux\": %s, ", gegl_node_has_pad (node, "aux") ? "true" : "false");
  printf ("\"output\": %s, ", gegl_node_has_pad (node, "output") ? "true" : "false");
  printf ("\"properties\": [");
  specs = gegl_operation_list_properties (operation, &n);
  for (guint i = 0; i < n; i++)
    {
      printf ("%s\n   {", i ? "," : "");
      say_field ("name", specs[i]->name);
      say_field ("label", g_param_spec_get_nick (specs[i]));
      say_field ("tip", g_param_spec_get_blurb (specs[i]));
      say_field ("role", gegl_param_spec_get_property_key (specs[i], "role"));
      say_field ("visible", gegl_param_spec_get_property_key (specs[i], "visible"));
      say_field ("sensitive", gegl_param_spec_get_property_key (specs[i], "sensitive"));
      say_values (specs[i]);
      printf ("\"writable\": %s, ", specs[i]->flags & G_PARAM_WRITABLE ? "true" : "false");
      printf ("\"type\": \"%s\"}", g_type_name (G_PARAM_SPEC_VALUE_TYPE (specs[i])));
    }
  printf ("]}");
  g_free (specs);
  g_object_unref (node);
}

int
main (int argc, char **argv)
{
  const gchar *prefix = argc > 1 ? argv[1] : "tessera:";
  gchar      **names;
  guint        n;
  gboolean     first = TRUE;

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  gegl_init (NULL, NULL);
  names = gegl_list_operations (&n);
  printf ("[");
  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (names[i], prefix))
      {
        say_operation (names[i], first);
        first = FALSE;
      }
  printf ("]\n");
  g_free (names);
  gegl_exit ();
  return 0;
}
