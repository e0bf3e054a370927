/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: how a layer gets where it goes.
 *
 * A plain layer gets pixels that tessera:align has resampled, which is faster than GIMP's transform and nearer to the truth
 * (data/doc/measurements.md).  They are made before anything in the image changes.  Where they would be the same, because the layer
 * is shifted by whole pixels, only its place changes.  GIMP moves what has more than pixels, such as a mask, a group or a text.  All
 * that lies beyond the canvas comes along.
 */
#include "align-layers.h"

#include <math.h>

#define LARGER 4                /* times as many pixels: more are left to GIMP */
#define WHOLE  1e-3             /* of a pixel: nearer to a whole one it is one; what is found is not that exact */

static gboolean
is_plain (gint32 layer)
{
  return ! gimp_item_is_group (layer) && ! gimp_item_is_text_layer (layer) && gimp_layer_get_mask (layer) < 0;
}

/* Whether all of the layer moves by the same whole pixels; how far. */
static gboolean
is_shift (const gdouble m[9], gint32 layer, gint *by_x, gint *by_y)
{
  const gint width = gimp_drawable_width (layer), height = gimp_drawable_height (layer);
  gint       left, top;

  gimp_drawable_offsets (layer, &left, &top);
  for (gint i = 0; i < 4; i++)
    {
      const gdouble x = left + (i & 1) * width, y = top + (i >> 1) * height, w = m[6] * x + m[7] * y + m[8];
      const gdouble dx = (m[0] * x + m[1] * y + m[2]) / w - x, dy = (m[3] * x + m[4] * y + m[5]) / w - y;

      if (! (fabs (dx) < GIMP_MAX_IMAGE_SIZE && fabs (dy) < GIMP_MAX_IMAGE_SIZE))
        return FALSE;
      if (i == 0)
        {
          *by_x = (gint) rint (dx);
          *by_y = (gint) rint (dy);
        }
      if (fabs (dx - *by_x) > WHOLE || fabs (dy - *by_y) > WHOLE)
        return FALSE;
    }
  return TRUE;
}

/* Of the layers of an image, with alpha. */
static const Babl *
format_with_alpha (gint32 like)
{
  const gint32 layer = gimp_layer_new (gimp_item_get_image (like), "", 1, 1, gimp_drawable_type_with_alpha (like), 100.0, GIMP_LAYER_MODE_NORMAL);
  const Babl  *format = gimp_drawable_get_format (layer);

  gimp_item_delete (layer);
  return format;
}

static gboolean
is_too_large (const GeglRectangle *box, gint32 layer)
{
  return box->width > GIMP_MAX_IMAGE_SIZE || box->height > GIMP_MAX_IMAGE_SIZE
         || (gdouble) box->width * box->height > LARGER * (gdouble) gimp_drawable_width (layer) * gimp_drawable_height (layer);
}

void
align_move_prepare (AlignedLayer *layer, const Babl *space, GeglNode *graph, GeglNode *picture, gdouble from, gdouble to)
{
  GeglNode     *node = gegl_node_new_child (graph, "operation", ALIGN_OPERATION, "known-matrix", layer->matrix_text, NULL);
  GeglRectangle box;
  gboolean      is_moved;

  gegl_node_link (picture, node);
  box = gegl_node_get_bounding_box (node);
  layer->way = WAY_TRANSFORM;
  if (! is_plain (layer->layer) || is_too_large (&box, layer->layer))
    return;
  layer->way = WAY_SHIFT;
  if (is_shift (layer->matrix, layer->layer, &layer->by_x, &layer->by_y))
    return;
  align_layers_show_progress (node, from, to);
  layer->moved = align_layers_render (graph, node, layer_format_in_space (format_with_alpha (layer->layer), space));
  gegl_node_get (node, "aligned", &is_moved, NULL);
  layer->way = is_moved ? WAY_PIXELS : WAY_TRANSFORM;       /* the horizon may cross it */
}

/* ------------------------------------------------------------------ change -- */

static void
refuse (AlignedLayer *layer)
{
  layer->reason = g_strdup (gimp_get_pdb_error ());
}

/* Each resize gives the layer a new buffer, and leaves the old one to undo.  What is written into the new one then belongs to that step.  One pixel
 * in between: a layer that has its size already would keep its buffer, and what is not needed would be copied. */
static void
put (AlignedLayer *layer, const Babl *space)
{
  const gint32         id = layer->layer;
  const GeglRectangle *box = gegl_buffer_get_extent (layer->moved);
  GeglBuffer          *buffer;
  gint                 x, y;

  gimp_drawable_offsets (id, &x, &y);
  if (! gimp_layer_resize (id, 1, 1, 0, 0) || ! (gimp_drawable_has_alpha (id) || gimp_layer_add_alpha (id))
      || ! gimp_layer_resize (id, box->width, box->height, x - box->x, y - box->y))
    {
      refuse (layer);
      return;
    }
  buffer = gimp_drawable_get_buffer (id);
  layer_set_space (buffer, space);
  gegl_buffer_copy (layer->moved, NULL, GEGL_ABYSS_NONE, buffer, GEGL_RECTANGLE (0, 0, box->width, box->height));
  g_object_unref (buffer);                                  /* what is not yet there is sent now */
  gimp_drawable_update (id, 0, 0, box->width, box->height);
}

/* Its pixels stay. */
static void
shift (AlignedLayer *layer)
{
  gint x, y;

  gimp_drawable_offsets (layer->layer, &x, &y);
  if (! gimp_layer_set_offsets (layer->layer, x + layer->by_x, y + layer->by_y))
    refuse (layer);
}

/* By GIMP, for which a pixel's centre is half a pixel from where it begins; for GEGL's operation it is there. */
static void
transform (AlignedLayer *layer)
{
  gdouble *m = layer->matrix;

  for (gint row = 0; row < 3; row++)
    m[3 * row + 2] -= 0.5 * (m[3 * row] + m[3 * row + 1]);
  for (gint i = 0; i < 6; i++)
    m[i] += 0.5 * m[6 + i % 3];
  if (gimp_item_transform_matrix (layer->layer, m[0], m[1], m[2], m[3], m[4], m[5], m[6], m[7], m[8]) < 0)
    refuse (layer);
}

/* GIMP would move what is selected alone. */
static void
transform_all (AlignLayers *all)
{
  const gint32 selection = gimp_selection_is_empty (all->image) ? -1 : gimp_selection_save (all->image);

  if (selection > 0)
    gimp_selection_none (all->image);
  gimp_context_push ();
  /* The nearest to the truth that GIMP has, and the sharpest, though slow: after a turn the rms error of linear and of cubic is 1.3 to 1.6
   * times its own (data/doc/measurements.md). */
  gimp_context_set_interpolation (GIMP_INTERPOLATION_NOHALO);
  gimp_context_set_transform_direction (GIMP_TRANSFORM_FORWARD);
  gimp_context_set_transform_resize (GIMP_TRANSFORM_RESIZE_ADJUST);
  for (gint i = 0; i < all->n; i++)
    if (! all->layers[i].reason && all->layers[i].way == WAY_TRANSFORM)
      {
        if (gimp_image_get_active_layer (all->image) > 0)                 /* GIMP's bar says "2D Transforming", the Layers dialog then which */
          gimp_image_set_active_layer (all->image, all->layers[i].layer);
        transform (&all->layers[i]);
      }
  gimp_context_pop ();
  if (selection < 0)
    return;
  gimp_image_select_item (all->image, GIMP_CHANNEL_OP_REPLACE, selection);
  gimp_image_remove_channel (all->image, selection);
}

/* GIMP shifts and transforms all that is linked with a layer, too.  Returns whether a layer was linked. */
static gboolean
set_linked (AlignedLayer *layer, gboolean is_linked)
{
  const gboolean was_linked = gimp_item_get_linked (layer->layer);

  if (was_linked != is_linked)
    gimp_item_set_linked (layer->layer, is_linked);
  return was_linked;
}

void
align_move_all (AlignLayers *all)
{
  g_autofree gboolean *are_linked = g_new (gboolean, all->n);
  gboolean transforms = FALSE;

  for (gint i = 0; i < all->n; i++)
    are_linked[i] = ! all->layers[i].reason && set_linked (&all->layers[i], FALSE);
  for (gint i = 0; i < all->n; i++)
    {
      AlignedLayer *layer = &all->layers[i];

      if (layer->reason)
        continue;
      if (layer->way == WAY_PIXELS)
        put (layer, all->space);
      else if (layer->way == WAY_SHIFT)
        shift (layer);
      else
        transforms = TRUE;
    }
  if (transforms)
    transform_all (all);
  for (gint i = 0; i < all->n; i++)
    if (are_linked[i])
      set_linked (&all->layers[i], TRUE);
}
