/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Properties from words: "radius=3 border=none". */
#ifndef APPLY_SETTINGS_H
#define APPLY_SETTINGS_H

#include <gegl.h>
#include <string.h>

/* Enums by their words, or by their numbers. */
static inline void
apply_settings (GeglNode *node, const gchar *settings)
{
  gchar **words = g_strsplit (settings, " ", -1);

  for (gint i = 0; words[i]; i++)
    {
      gchar            *value = strchr (words[i], '=');
      const GParamSpec *spec;
      const GEnumValue *named;

      *value++ = 0;
      spec = gegl_node_find_property (node, words[i]);
      named = G_IS_PARAM_SPEC_ENUM (spec) ? g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, value) : NULL;
      if (named)
        gegl_node_set (node, words[i], named->value, NULL);
      else if (G_IS_PARAM_SPEC_DOUBLE (spec))
        gegl_node_set (node, words[i], g_ascii_strtod (value, NULL), NULL);
      else
        gegl_node_set (node, words[i], (gint) g_ascii_strtoll (value, NULL, 10), NULL);
    }
  g_strfreev (words);
}

#endif
