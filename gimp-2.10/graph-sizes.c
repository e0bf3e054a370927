/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The lengths in pixels of a ready-made graph, which are all made larger or smaller together.  gimp-3 has the same in Python.
 *
 * They are made for pictures of 1 to 2 Mpix.  On a larger one a size of 1 makes them grow as its sides do, but where the graph says
 * that its sizes stay: those of grain and of dust do not depend on how many pixels there are.
 */
#include "plug-in.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#define STAY "<!-- sizes stay -->"
#define MADE_FOR 1.5e6                  /* pixels */
#define MOST_KERNEL 63                  /* rows, and columns */

static const gchar *const lengths[] = { "length", "radius", "spatial-sigma", "std-dev", "std-dev-x", "std-dev-y" };

typedef struct
{
  GeglNode    *node;
  GParamSpec  *spec;
  gdouble      pixels;                  /* as the graph has it */
  gchar       *kernel;                  /* NULL: it is a number */
} Length;

static void
length_clear (gpointer data)
{
  g_free (((Length *) data)->kernel);
}

static void
find_in (GArray *found, GeglNode *node)
{
  const gchar *operation = gegl_node_get_operation (node);
  Length       one = { node, NULL, 0.0, NULL };

  if (! operation || ! g_str_has_prefix (operation, "tessera:"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    if ((one.spec = gegl_operation_find_property (operation, lengths[i])))
      {
        GValue value = G_VALUE_INIT, number = G_VALUE_INIT;

        gegl_node_get_property (node, lengths[i], &value);
        g_value_init (&number, G_TYPE_DOUBLE);
        g_value_transform (&value, &number);
        one.pixels = g_value_get_double (&number);
        g_array_append_val (found, one);
        g_value_unset (&value);
      }
  if ((one.spec = gegl_operation_find_property (operation, "kernel")))
    {
      gegl_node_get (node, "kernel", &one.kernel, NULL);
      g_array_append_val (found, one);
    }
}

void
sizes_find (Layer *layer, const gchar *text)
{
  g_autoptr (GSList) nodes = gegl_node_get_children (layer->graph);
  const gdouble      pixels = (gdouble) gimp_image_width (layer->image) * gimp_image_height (layer->image);

  layer->lengths = g_array_new (FALSE, FALSE, sizeof (Length));
  g_array_set_clear_func (layer->lengths, length_clear);
  for (GSList *at = nodes; at; at = at->next)
    find_in (layer->lengths, at->data);
  layer->growth = strstr (text, STAY) ? 1.0 : MAX (1.0, sqrt (pixels / MADE_FOR));
}

static gint
scaled_side (gint side, gdouble scale)
{
  return CLAMP (2 * (gint) floor (0.5 * side * scale) + 1, 1, MOST_KERNEL);
}

/* Each place has the weight of the nearest one. */
static gchar *
scaled_kernel (const gchar *text, gdouble scale)
{
  g_auto (GStrv) rows = g_strsplit (text, ";", -1);
  const gint n_rows = g_strv_length (rows), height = scaled_side (n_rows, scale);
  GString   *all = g_string_new (NULL);

  for (gint y = 0; y < height; y++)
    {
      g_auto (GStrv) weights = g_regex_split_simple ("\\s+", g_strstrip (rows[(2 * y + 1) * n_rows / (2 * height)]), 0, 0);
      const gint n = g_strv_length (weights), width = scaled_side (n, scale);

      for (gint x = 0; n && x < width; x++)
        g_string_append_printf (all, "%s ", weights[(2 * x + 1) * n / (2 * width)]);
      g_string_append (all, y + 1 < height ? ";" : "");
    }
  return g_string_free (all, FALSE);
}

void
sizes_set (Layer *layer)
{
  const gdouble scale = layer->growth * layer->extras.size;

  for (guint i = 0; layer->lengths && i < layer->lengths->len; i++)
    {
      const Length *one = &g_array_index (layer->lengths, Length, i);
      GValue        value = G_VALUE_INIT;

      g_value_init (&value, one->spec->value_type);
      if (one->kernel)
        g_value_take_string (&value, scale == 1.0 ? g_strdup (one->kernel) : scaled_kernel (one->kernel, scale));
      else if (G_VALUE_HOLDS_INT (&value))
        g_value_set_int (&value, MAX (1, (gint) floor (one->pixels * scale + 0.5)));
      else
        g_value_set_double (&value, one->pixels * scale);
      g_param_value_validate (one->spec, &value);
      gegl_node_set_property (one->node, one->spec->name, &value);
      g_value_unset (&value);
    }
}
