/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A layer's pixels through an operation: for the preview a piece of it, in the end
 * all that is selected.
 *
 * libgimp's buffers say sRGB whatever the image's profile is; the profile's space is
 * put on them here.  The pixels are copied once: reading them again through libgimp's
 * pipe for each preview would take longer than most filters.
 */
#include "plug-in.h"

#include <gegl-plugin.h>

#define PIECE_PIXELS (8 << 20)          /* that are computed at a time: bounds the memory */

static const Babl *
in_space (const Babl *format, const Babl *space)
{
  return space ? babl_format_with_space (babl_format_get_encoding (format), space) : format;
}

static const Babl *
space_of_image (gint32 image)
{
  GimpColorProfile *profile = gimp_image_get_color_profile (image);
  const Babl       *space = NULL;

  if (profile)
    {
      space = gimp_color_profile_get_space (profile, GIMP_COLOR_RENDERING_INTENT_RELATIVE_COLORIMETRIC, NULL);
      g_object_unref (profile);
    }
  return space;
}

Layer *
layer_new (gint32 image, gint32 drawable, const gchar *operation, GError **error)
{
  Layer      *layer;
  GeglBuffer *theirs;
  GeglNode   *source;

  if (gimp_item_is_group (drawable) || ! gimp_item_is_drawable (drawable) || gimp_drawable_is_indexed (drawable))
    {
      g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_LAYER, _("%s works on a layer in RGB or grayscale"), operation);
      return NULL;
    }
  layer = g_new0 (Layer, 1);
  layer->drawable = drawable;
  layer->space = space_of_image (image);
  gimp_drawable_mask_intersect (drawable, &layer->selected.x, &layer->selected.y,
                                &layer->selected.width, &layer->selected.height);
  theirs = gimp_drawable_get_buffer (drawable);
  gegl_buffer_set_format (theirs, in_space (gegl_buffer_get_format (theirs), layer->space));
  layer->pixels = gegl_buffer_new (gegl_buffer_get_extent (theirs), gegl_buffer_get_format (theirs));
  gegl_buffer_copy (theirs, NULL, GEGL_ABYSS_NONE, layer->pixels, NULL);
  g_object_unref (theirs);

  layer->graph = gegl_node_new ();
  layer->operation = gegl_node_new_child (layer->graph, "operation", operation, NULL);
  source = gegl_node_new_child (layer->graph, "operation", "gegl:buffer-source", "buffer", layer->pixels, NULL);
  if (gegl_node_has_pad (layer->operation, "input"))
    gegl_node_link (source, layer->operation);
  return layer;
}

void
layer_free (Layer *layer)
{
  g_object_unref (layer->graph);
  g_object_unref (layer->pixels);
  g_free (layer);
}

static const Babl *
preview_format (Layer *layer)
{
  static const gchar *const names[] = { "R'G'B' u8", "R'G'B'A u8", "Y' u8", "Y'A u8" };
  gint                      which = 2 * gimp_drawable_is_gray (layer->drawable) + gimp_drawable_has_alpha (layer->drawable);

  return babl_format_with_space (names[which], layer->space);
}

gint
layer_preview_bpp (Layer *layer)
{
  return babl_format_get_bytes_per_pixel (preview_format (layer));
}

void
layer_preview (Layer *layer, const GeglRectangle *area, guchar *bytes)
{
  gegl_node_blit (layer->operation, 1.0, area, preview_format (layer), bytes, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
}

/* The bar; what the operation tells is of one piece. */
typedef struct
{
  gdouble from, to;     /* of the work: the piece's part */
  gdouble shown;
} Progress;

static void
show_progress (Progress *progress, gdouble done)
{
  if (done <= progress->shown)
    return;
  progress->shown = done;
  gimp_progress_update (done);
}

static void
on_progress (GeglNode *node G_GNUC_UNUSED, gdouble fraction, gpointer data)
{
  Progress *progress = data;

  show_progress (progress, progress->from + fraction * (progress->to - progress->from));
}

/* Piece by piece.  One that needs the whole image computes it all with the first. */
static void
compute (Layer *layer, GeglNode *sink)
{
  const GeglRectangle *area = &layer->selected;
  const gint           rows = MAX (1, PIECE_PIXELS / area->width);
  GeglOperationClass  *class = GEGL_OPERATION_GET_CLASS (gegl_node_get_gegl_operation (layer->operation));
  const gboolean       at_once = class->get_cached_region != NULL;
  Progress             progress = { 0.0, 1.0, 0.0 };
  gulong               handler = g_signal_connect (layer->operation, "progress", G_CALLBACK (on_progress), &progress);

  for (gint y = 0; y < area->height; y += rows)
    {
      const GeglRectangle piece = { area->x, area->y + y, area->width, MIN (rows, area->height - y) };
      const gdouble       end = (gdouble) (y + piece.height) / area->height;

      progress.from = (gdouble) y / area->height;
      progress.to = at_once ? 1.0 : end;
      gegl_node_blit (sink, 1.0, &piece, NULL, NULL, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      show_progress (&progress, end);
    }
  g_signal_handler_disconnect (layer->operation, handler);
}

void
layer_apply (Layer *layer)
{
  const GeglRectangle *area = &layer->selected;
  GeglBuffer          *shadow = gimp_drawable_get_shadow_buffer (layer->drawable);
  GeglNode            *sink;

  gegl_buffer_set_format (shadow, in_space (gegl_buffer_get_format (shadow), layer->space));
  sink = gegl_node_new_child (layer->graph, "operation", "gegl:write-buffer", "buffer", shadow, NULL);
  gegl_node_link (layer->operation, sink);
  compute (layer, sink);
  gegl_node_remove_child (layer->graph, sink);
  g_object_unref (shadow);                                  /* what is not yet there is sent now */
  gimp_drawable_merge_shadow (layer->drawable, TRUE);
  gimp_drawable_update (layer->drawable, area->x, area->y, area->width, area->height);
}
