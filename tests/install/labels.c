/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * labels OPERATION...: what a program shows of an operation, in the locale of the
 * environment, one `operation TAB what TAB text` a line.
 */
#include <gegl.h>
#include <gegl-plugin.h>
#include <locale.h>
#include <stdio.h>

static void
say (const gchar *operation, const gchar *what, const gchar *text)
{
  if (text && *text)
    printf ("%s\t%s\t%s\n", operation, what, text);
}

static void
say_property (const gchar *operation, GParamSpec *spec)
{
  say (operation, "name", g_param_spec_get_nick (spec));
  say (operation, "tip", g_param_spec_get_blurb (spec));
  if (G_IS_PARAM_SPEC_ENUM (spec))
    {
      const GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;

      for (guint i = 0; i < values->n_values; i++)
        say (operation, "value", values->values[i].value_name);
    }
}

int
main (int argc, char **argv)
{
  const gchar *const keys[] = { "title", "description", "gimp:menu-label" };

  if (! setlocale (LC_ALL, ""))         /* as GIMP does; a module must not */
    {
      fprintf (stderr, "the locale is not installed\n");
      return 4;
    }
  gegl_init (NULL, NULL);
  for (gint i = 1; i < argc; i++)
    {
      GParamSpec **specs;
      guint        n;

      if (! gegl_has_operation (argv[i]))
        {
          fprintf (stderr, "GEGL does not know %s\n", argv[i]);
          return 3;
        }
      for (guint k = 0; k < G_N_ELEMENTS (keys); k++)
        say (argv[i], keys[k], gegl_operation_get_key (argv[i], keys[k]));
      specs = gegl_operation_list_properties (argv[i], &n);
      for (guint k = 0; k < n; k++)
        say_property (argv[i], specs[k]);
      g_free (specs);
    }
  gegl_exit ();
  return 0;
}
