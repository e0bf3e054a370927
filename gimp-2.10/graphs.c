/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The ready-made graphs: which there are, and one of them on a layer.  gimp-3 has the same in Python.
 *
 * The layer takes the place of the sample, or of the photograph that the graph loads.  A photograph that is loaded beside
 * a sample is the layer below.  A graph that reads no photograph makes a tile, which is repeated over the layer.
 * One that counts is given the selected rectangle alone, as a filter that counts is.
 */
#include "plug-in.h"

#include <gegl-plugin.h>
#include <string.h>

#define LAYER "gegl:buffer-source"              /* what stands there until there are pixels */
#define BELOW "gegl:translate"

static const gchar head[] = "<gegl name='([^']*)'\\s+summary='([^']*)'>";
static const gchar sample[] = "<!-- sample -->.*?<!-- end of the sample -->";
static const gchar load[] = "<node operation='gegl:load'( id='[^']*')?>.*?</node>";

const gchar *
part_folder (const gchar *installed, const gchar *name)
{
  g_autofree gchar *folder = g_build_filename (g_get_user_data_dir (), "gegl-0.4", "plug-ins", "tessera", name, NULL);

  return *installed ? installed : g_intern_string (folder);
}

GList *
graphs_list (void)
{
  g_autoptr (GDir) folder = g_dir_open (GRAPHS_FOLDER, 0, NULL);
  const gchar *file;
  GList       *names = NULL;

  while (folder && (file = g_dir_read_name (folder)))
    if (g_str_has_suffix (file, ".xml"))
      names = g_list_insert_sorted (names, g_strndup (file, strlen (file) - strlen (".xml")), (GCompareFunc) strcmp);
  return names;
}

gboolean
graph_read (const gchar *name, gchar **text, gchar **title, gchar **summary)
{
  g_autofree gchar *file = g_strconcat (name, ".xml", NULL);
  g_autofree gchar *path = g_build_filename (GRAPHS_FOLDER, file, NULL);
  g_autoptr (GRegex) regex = g_regex_new (head, 0, 0, NULL);
  g_autoptr (GMatchInfo) match = NULL;
  gboolean    good = g_file_get_contents (path, text, NULL, NULL);

  if (good && (good = g_regex_match (regex, *text, 0, &match)))
    {
      *title = g_match_info_fetch (match, 1);
      *summary = g_match_info_fetch (match, 2);
    }
  else
    g_clear_pointer (text, g_free);
  return good;
}

/* All that matches, by an operation; NULL: nothing does. */
static gchar *
replaced (const gchar *text, const gchar *pattern, const gchar *operation)
{
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_DOTALL, 0, NULL);
  g_autofree gchar *node = g_strdup_printf ("<node operation='%s'\\1/>", operation);

  return g_regex_match (regex, text, 0, NULL) ? g_regex_replace (regex, text, -1, 0, node, 0, NULL) : NULL;
}

/* With places for the layer and for the one below. */
static gchar *
prepared (const gchar *text)
{
  g_autofree gchar *without = replaced (text, sample, LAYER);
  gchar *out = replaced (without ? without : text, load, without ? BELOW : LAYER);

  return out ? out : g_strdup (without ? without : text);
}

/* -1: there is none. */
static gint32
layer_below (Layer *layer)
{
  gint32 parent = gimp_item_get_parent (layer->drawable), below = -1;
  gint   n, place = gimp_image_get_item_position (layer->image, layer->drawable);
  g_autofree gint *layers = parent > 0 ? gimp_item_get_children (parent, &n) : gimp_image_get_layers (layer->image, &n);

  if (place >= 0 && place + 1 < n)
    below = layers[place + 1];
  return below;
}

/* FALSE: there is no layer below, which the graph needs. */
static gboolean
fill_places (Layer *layer, GSList *nodes, gboolean *has_layer)
{
  gint32 below = layer_below (layer);

  for (GSList *at = nodes; at; at = at->next)
    {
      const gchar *operation = gegl_node_get_operation (at->data);

      if (g_strcmp0 (operation, LAYER) == 0)
        {
          g_autoptr (GeglBuffer) pixels = layer_found (layer).count < 0 ? g_object_ref (layer->pixels)
                                          : gegl_buffer_create_sub_buffer (layer->pixels, &layer->selected);

          gegl_node_set (at->data, "buffer", pixels, NULL);
          *has_layer = TRUE;
        }
      else if (g_strcmp0 (operation, BELOW) == 0)
        {
          if (below < 0)
            return FALSE;
          gegl_node_link (layer_add_picture (layer, below), at->data);
        }
    }
  return TRUE;
}

gboolean
graph_fill (Layer *layer, const gchar *text, const gchar *title, GError **error)
{
  g_autofree gchar   *xml = prepared (text);
  GeglNode           *graph = gegl_node_new_from_xml (xml, GRAPHS_FOLDER);
  g_autoptr (GSList)  nodes = gegl_node_get_children (graph);
  gboolean            has_layer = FALSE;

  g_object_unref (layer->graph);
  layer->graph = graph;
  layer->result = gegl_node_get_output_proxy (graph, "output");
  if (! fill_places (layer, nodes, &has_layer))
    {
      g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_GRAPH, _("%s needs a second picture: the layer below"), title);
      return FALSE;
    }
  if (! has_layer)
    {
      GeglNode *tile = gegl_node_new_child (graph, "operation", "gegl:tile", NULL);

      gegl_node_link (layer->result, tile);
      layer->result = tile;
    }
  return TRUE;
}
