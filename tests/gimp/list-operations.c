/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * list-operations [PREFIX]: the operations that GEGL lists under a prefix (tessera:),
 * with their class keys, pads and properties, as JSON, in the language of the locale.
 */
#include <gegl.h>
#include <gegl-paramspecs.h>
#include <locale.h>
#include <stdio.h>

#include "../../tools/json.h"

static void
put_range (JsonBuilder *json, const gchar *name, gdouble minimum, gdouble maximum)
{
  put_array (json, name);
  put_number (json, NULL, "%.17g", minimum);
  put_number (json, NULL, "%.17g", maximum);
  json_builder_end_array (json);
}

static void
put_numbers (JsonBuilder *json, gdouble preset, gdouble minimum, gdouble maximum,
             gdouble ui_minimum, gdouble ui_maximum)
{
  put_number (json, "default", "%.17g", preset);
  put_range (json, "range", minimum, maximum);
  put_range (json, "ui-range", ui_minimum, ui_maximum);
}

static void
put_color (JsonBuilder *json, GeglColor *color)
{
  guchar levels[3] __attribute__ ((aligned (16)));
  gchar  text[8];

  gegl_color_get_pixel (color, babl_format ("R'G'B' u8"), levels);
  g_snprintf (text, sizeof text, "#%02x%02x%02x", levels[0], levels[1], levels[2]);
  put_text (json, "default", text);
}

static void
put_choices (JsonBuilder *json, const GEnumClass *values)
{
  put_array (json, "values");
  for (guint i = 0; i < values->n_values; i++)
    put_text (json, NULL, values->values[i].value_nick);
  json_builder_end_array (json);
  put_array (json, "value-labels");
  for (guint i = 0; i < values->n_values; i++)
    put_text (json, NULL, values->values[i].value_name);
  json_builder_end_array (json);
}

static void
put_values (JsonBuilder *json, GParamSpec *spec)
{
  if (GEGL_IS_PARAM_SPEC_DOUBLE (spec))
    {
      GParamSpecDouble   *plain = G_PARAM_SPEC_DOUBLE (spec);
      GeglParamSpecDouble *ui = GEGL_PARAM_SPEC_DOUBLE (spec);

      put_numbers (json, plain->default_value, plain->minimum, plain->maximum, ui->ui_minimum, ui->ui_maximum);
    }
  else if (GEGL_IS_PARAM_SPEC_INT (spec))
    {
      GParamSpecInt    *plain = G_PARAM_SPEC_INT (spec);
      GeglParamSpecInt *ui = GEGL_PARAM_SPEC_INT (spec);

      put_numbers (json, plain->default_value, plain->minimum, plain->maximum, ui->ui_minimum, ui->ui_maximum);
    }
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    put_flag (json, "default", G_PARAM_SPEC_BOOLEAN (spec)->default_value);
  else if (G_IS_PARAM_SPEC_STRING (spec))
    put_text (json, "default", G_PARAM_SPEC_STRING (spec)->default_value);
  else if (G_PARAM_SPEC_VALUE_TYPE (spec) == GEGL_TYPE_COLOR)
    put_color (json, gegl_param_spec_color_get_default (spec));
  else if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      const GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
      const GEnumValue *preset = g_enum_get_value ((GEnumClass *) values, G_PARAM_SPEC_ENUM (spec)->default_value);

      put_text (json, "default", preset ? preset->value_nick : NULL);
      put_choices (json, values);
    }
}

static void
put_property (JsonBuilder *json, GParamSpec *spec)
{
  static const gchar *const keys[] = { "role", "visible", "sensitive" };

  put_object (json, NULL);
  put_text (json, "name", spec->name);
  put_text (json, "label", g_param_spec_get_nick (spec));
  put_text (json, "tip", g_param_spec_get_blurb (spec));
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    put_text (json, keys[i], gegl_param_spec_get_property_key (spec, keys[i]));
  put_values (json, spec);
  put_flag (json, "writable", (spec->flags & G_PARAM_WRITABLE) != 0);
  put_text (json, "type", g_type_name (G_PARAM_SPEC_VALUE_TYPE (spec)));
  json_builder_end_object (json);
}

static void
put_operation (JsonBuilder *json, const gchar *operation)
{
  static const gchar *const keys[] = { "title", "description", "categories", "reference", "gimp:menu-path", "gimp:menu-label",
                                       "needs-alpha" };
  static const gchar *const pads[] = { "input", "aux", "output" };
  GeglNode               *node = gegl_node_new ();
  g_autofree GParamSpec **specs = NULL;
  guint                   n;

  gegl_node_set (node, "operation", operation, NULL);
  put_object (json, NULL);
  put_text (json, "name", operation);
  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    put_text (json, keys[i], gegl_operation_get_key (operation, keys[i]));
  for (guint i = 0; i < G_N_ELEMENTS (pads); i++)
    put_flag (json, pads[i], gegl_node_has_pad (node, pads[i]));
  put_array (json, "properties");
  specs = gegl_operation_list_properties (operation, &n);
  for (guint i = 0; i < n; i++)
    put_property (json, specs[i]);
  json_builder_end_array (json);
  json_builder_end_object (json);
  g_object_unref (node);
}

int
main (int argc, char **argv)
{
  const gchar *prefix = argc > 1 ? argv[1] : "tessera:";
  JsonBuilder *json = json_builder_new ();
  gchar      **names, *told;
  guint        n;

  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  gegl_init (NULL, NULL);
  names = gegl_list_operations (&n);
  put_array (json, NULL);
  for (guint i = 0; i < n; i++)
    if (g_str_has_prefix (names[i], prefix))
      put_operation (json, names[i]);
  json_builder_end_array (json);
  told = json_rows (json);
  printf ("%s\n", told);
  g_free (told);
  g_object_unref (json);
  g_free (names);
  gegl_exit ();
  return 0;
}
