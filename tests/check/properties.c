/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A table against its operation: a property that nobody draws is one that nobody tests. */
#include "check.h"

#include <gegl-plugin.h>

static gboolean
is_drawn (const CheckFilter *filter, const gchar *name)
{
  for (gint i = 0; i < filter->n_properties; i++)
    if (strcmp (filter->properties[i].name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_excused (const CheckFilter *filter, const gchar *name)
{
  for (const CheckUndrawn *undrawn = filter->undrawn; undrawn && undrawn->name; undrawn++)
    if (strcmp (undrawn->name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
has_property (const CheckFilter *filter, const gchar *name)
{
  return gegl_operation_find_property (filter->operation, name) != NULL;
}

gboolean
check_properties (const CheckFilter *filter, GString *why)
{
  const gsize            length = why->len;
  guint                  n;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (filter->operation, &n);

  for (guint i = 0; i < n; i++)
    if (! is_drawn (filter, specs[i]->name) && ! is_excused (filter, specs[i]->name))
      g_string_append_printf (why, "  nothing draws `%s`: the table needs a row in .properties, or in .undrawn with "
                              "the reason\n", specs[i]->name);
  for (const CheckUndrawn *undrawn = filter->undrawn; undrawn && undrawn->name; undrawn++)
    if (! has_property (filter, undrawn->name))
      g_string_append_printf (why, "  .undrawn has `%s`, which %s has not\n", undrawn->name, filter->operation);
    else if (is_drawn (filter, undrawn->name))
      g_string_append_printf (why, "  .undrawn has `%s`, which .properties draws\n", undrawn->name);
  return why->len == length;
}
