/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: how the layers lie on the lowest one, and one layer made of all.
 *
 * Where a layer's mask is black there is nothing to compare.
 */
#include "align-layers.h"

#define COMBINING 0.1           /* the part of the work that it is */
#define FOUND     0.75          /* of the work on a layer; the rest is to resample it */
#define ROWS      64            /* of the new layer, that are written at a time */

/* ------------------------------------------------------------------ pixels -- */

static GeglNode *
add_source (GeglNode *graph, GeglBuffer *pixels)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", pixels, NULL);
}

static GeglNode *
add_drawable (GeglNode *graph, gint32 drawable, const Babl *space)
{
  GeglBuffer *pixels = layer_copy_pixels (drawable, space);
  GeglNode   *node = add_source (graph, pixels);

  g_object_unref (pixels);
  return node;
}

/* What is seen of the layer, where it lies in the image. */
static GeglNode *
add_picture (GeglNode *graph, gint32 layer, const Babl *space)
{
  const gint32 mask = gimp_layer_get_mask (layer);
  GeglNode    *node = add_drawable (graph, layer, space), *moved;
  gint         x = 0, y = 0;

  if (mask >= 0 && gimp_layer_get_apply_mask (layer))
    {
      GeglNode *seen = gegl_node_new_child (graph, "operation", "gegl:opacity", NULL);

      gegl_node_link (node, seen);
      gegl_node_connect_to (add_drawable (graph, mask, NULL), "output", seen, "aux");
      node = seen;
    }
  gimp_drawable_offsets (layer, &x, &y);
  moved = gegl_node_new_child (graph, "operation", "gegl:translate", "x", (gdouble) x, "y", (gdouble) y, NULL);
  gegl_node_link (node, moved);
  return moved;
}

/* -------------------------------------------------------------------- find -- */

static const Babl *
working_format (const AlignLayers *all)
{
  return babl_format_with_space ("RaGaBaA float", all->space);
}

static gboolean
is_locked (gint32 item)
{
  for (; item > 0; item = gimp_item_get_parent (item))
    if (gimp_item_get_lock_content (item) || gimp_item_get_lock_position (item))
      return TRUE;
  return FALSE;
}

static void
read_matrix (const gchar *text, gdouble matrix[9])
{
  gchar *end;

  for (gint i = 0; i < 9; i++, text = end)
    matrix[i] = g_ascii_strtod (text, &end);
}

static void
read_results (const AlignLayers *all, AlignedLayer *layer, GeglNode *align, GeglBuffer *pixels)
{
  gboolean is_aligned;
  gchar   *reason;

  gegl_node_get (align, "aligned", &is_aligned, "matrix", &layer->matrix_text, "error", &layer->error, "inliers", &layer->matches,
                 "reason", &reason, NULL);
  read_matrix (layer->matrix_text, layer->matrix);
  *(is_aligned ? &layer->remark : &layer->reason) = reason;
  if (is_aligned && all->options.new_layer != NEW_LAYER_NONE)
    layer->pixels = g_object_ref (pixels);
}

static void
find (AlignLayers *all, AlignedLayer *layer, gint place)
{
  const gdouble part = (1.0 - COMBINING) / all->n;
  GeglNode     *graph = gegl_node_new ();
  GeglNode     *picture = add_picture (graph, layer->layer, all->space);
  GeglNode     *align = gegl_node_new_child (graph, "operation", ALIGN_OPERATION, "model", align_options_value (all->options.movement),
                                               "contrast-threshold", all->options.contrast, NULL);
  GeglBuffer   *pixels;

  gegl_node_link (picture, align);
  gegl_node_connect_to (add_source (graph, all->reference), "output", align, "aux");
  align_layers_show_progress (align, place * part, (place + FOUND) * part);
  pixels = align_layers_render (graph, align, working_format (all));
  read_results (all, layer, align, pixels);
  g_object_unref (pixels);
  if (! layer->reason)
    align_move_prepare (layer, all->space, graph, picture, (place + FOUND) * part, (place + 1) * part);
  g_object_unref (graph);
}

/* Those that are visible, from the lowest up. */
static gboolean
list_layers (AlignLayers *all, GError **error)
{
  gint  n;
  gint *layers = gimp_image_get_layers (all->image, &n);

  all->layers = g_new0 (AlignedLayer, n);
  all->lowest = -1;
  for (gint i = n - 1; i >= 0; i--)
    {
      if (! gimp_item_get_visible (layers[i]))
        continue;
      if (all->lowest < 0)
        all->lowest = layers[i];
      else
        all->layers[all->n++].layer = layers[i];
    }
  g_free (layers);
  if (all->n == 0)
    g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_LAYER, _("At least two layers must be visible"));
  else if (gimp_image_get_floating_sel (all->image) > 0)
    g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_LAYER, _("Anchor the floating selection first"));
  else
    return TRUE;
  return FALSE;
}

gboolean
align_layers_find (AlignLayers *all, GError **error)
{
  GeglNode *graph;

  if (! list_layers (all, error))
    return FALSE;
  all->space = layer_space_of_image (all->image);
  graph = gegl_node_new ();
  all->reference = align_layers_render (graph, add_picture (graph, all->lowest, all->space), working_format (all));
  g_object_unref (graph);
  for (gint i = 0; i < all->n; i++)
    {
      gchar *name = gimp_item_get_name (all->layers[i].layer);

      gimp_progress_set_text_printf (_("Aligning %s"), name);
      if (is_locked (all->layers[i].layer))
        all->layers[i].reason = g_strdup (_("it is locked"));
      else
        find (all, &all->layers[i], i);
      g_free (name);
    }
  return TRUE;
}

/* ----------------------------------------------------------------- combine -- */

static GListStore *
list_pictures (const AlignLayers *all)
{
  GListStore *pictures = g_list_store_new (GEGL_TYPE_BUFFER);

  g_list_store_append (pictures, all->reference);
  for (gint i = 0; i < all->n; i++)
    if (all->layers[i].pixels)
      g_list_store_append (pictures, all->layers[i].pixels);
  return pictures;
}

/* The number of the operation's method. */
static gint
value_of (const gchar *method)
{
  GParamSpec *spec = gegl_operation_find_property (COMBINE_OPERATION, "method");

  return g_enum_get_value_by_nick (G_PARAM_SPEC_ENUM (spec)->enum_class, method)->value;
}

static void
fill (gint32 layer, GListStore *pictures, const gchar *method, const GeglRectangle *box, const Babl *space)
{
  GeglBuffer *buffer = gimp_drawable_get_buffer (layer);
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *combine = gegl_node_new_child (graph, "operation", COMBINE_OPERATION, "pictures", pictures,
                                             "method", value_of (method), NULL);
  GeglNode   *moved = gegl_node_new_child (graph, "operation", "gegl:translate", "x", (gdouble) -box->x, "y", (gdouble) -box->y, NULL);
  GeglNode   *sink;

  layer_set_space (buffer, space);
  sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  gegl_node_link_many (combine, moved, sink, NULL);
  for (gint y = 0; y < box->height; y += ROWS)
    {
      gegl_node_blit (sink, 1.0, GEGL_RECTANGLE (0, y, box->width, MIN (ROWS, box->height - y)), NULL, NULL,
                      GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      gimp_progress_update (1.0 - COMBINING + COMBINING * y / box->height);
    }
  g_object_unref (graph);
  g_object_unref (buffer);                                  /* what is not yet there is sent now */
}

gint32
align_layers_combine (AlignLayers *all)
{
  static const struct { const gchar *method, *name; } kinds[N_NEW_LAYERS] = {
    [NEW_LAYER_MEAN] = { "mean", N_("Mean of %d layers") }, [NEW_LAYER_MEDIAN] = { "median", N_("Median of %d layers") },
    [NEW_LAYER_EXPOSURE] = { "exposure", N_("Exposure fusion of %d layers") }, [NEW_LAYER_FOCUS] = { "focus", N_("Focus stack of %d layers") }
  };
  const GeglRectangle *box = gegl_buffer_get_extent (all->reference);
  const NewLayer       kind = all->options.new_layer;
  GListStore          *pictures;
  gchar               *name;
  gint32               layer;

  if (kind == NEW_LAYER_NONE)
    return -1;
  pictures = list_pictures (all);
  name = g_strdup_printf (_(kinds[kind].name), g_list_model_get_n_items (G_LIST_MODEL (pictures)));
  layer = gimp_layer_new (all->image, name, box->width, box->height,
                          gimp_image_base_type (all->image) == GIMP_RGB ? GIMP_RGBA_IMAGE : GIMP_GRAYA_IMAGE, 100.0,
                          GIMP_LAYER_MODE_NORMAL);
  fill (layer, pictures, kinds[kind].method, box, all->space);
  gimp_layer_set_offsets (layer, box->x, box->y);
  g_free (name);
  g_object_unref (pictures);
  return layer;
}

/* -------------------------------------------------------------------------- -- */

gint
align_layers_count (const AlignLayers *all)
{
  gint count = 0;

  for (gint i = 0; i < all->n; i++)
    count += ! all->layers[i].reason;
  return count;
}

void
align_layers_clear (AlignLayers *all)
{
  for (gint i = 0; i < all->n; i++)
    {
      g_clear_object (&all->layers[i].pixels);
      g_clear_object (&all->layers[i].moved);
      g_free (all->layers[i].matrix_text);
      g_free (all->layers[i].reason);
      g_free (all->layers[i].remark);
    }
  g_free (all->layers);
  g_clear_object (&all->reference);
}
