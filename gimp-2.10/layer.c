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

const Babl *
layer_format_in_space (const Babl *format, const Babl *space)
{
  return space ? babl_format_with_space (babl_format_get_encoding (format), space) : format;
}

void
layer_set_space (GeglBuffer *buffer, const Babl *space)
{
  gegl_buffer_set_format (buffer, layer_format_in_space (gegl_buffer_get_format (buffer), space));
}

const Babl *
layer_space_of_image (gint32 image)
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

GeglBuffer *
layer_copy_pixels (gint32 drawable, const Babl *space)
{
  g_autoptr (GeglBuffer) theirs = gimp_drawable_get_buffer (drawable);
  GeglBuffer *copy;

  layer_set_space (theirs, space);
  copy = gegl_buffer_new (gegl_buffer_get_extent (theirs), gegl_buffer_get_format (theirs));
  gegl_buffer_copy (theirs, NULL, GEGL_ABYSS_NONE, copy, NULL);
  return copy;
}

Layer *
layer_new (gint32 image, gint32 drawable, const gchar *name, GError **error)
{
  Layer *layer;

  if (gimp_item_is_group (drawable) || ! gimp_item_is_drawable (drawable) || gimp_drawable_is_indexed (drawable))
    {
      g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_LAYER, _("%s works on a layer in RGB or grayscale, not on a group"), name);
      return NULL;
    }
  layer = g_new0 (Layer, 1);
  layer->image = image;
  layer->drawable = drawable;
  layer->space = layer_space_of_image (image);
  layer->extras = NO_EXTRAS;
  gimp_drawable_mask_intersect (drawable, &layer->selected.x, &layer->selected.y,
                                &layer->selected.width, &layer->selected.height);
  layer->pixels = layer_copy_pixels (drawable, layer->space);
  layer->graph = gegl_node_new ();
  return layer;
}

/* What is selected, alone. */
static GeglNode *
cropped (Layer *layer, GeglNode *source)
{
  const GeglRectangle *area = &layer->selected;
  GeglNode            *crop = gegl_node_new_child (layer->graph, "operation", "gegl:crop", "x", (gdouble) area->x, "y", (gdouble) area->y,
                                                   "width", (gdouble) area->width, "height", (gdouble) area->height, NULL);

  gegl_node_link (source, crop);
  return crop;
}

void
layer_set_operation (Layer *layer, const gchar *operation)
{
  GeglNode *source = gegl_node_new_child (layer->graph, "operation", "gegl:buffer-source", "buffer", layer->pixels, NULL);

  if (gegl_operation_find_property (operation, "count"))
    source = cropped (layer, source);
  layer->result = layer->operation = gegl_node_new_child (layer->graph, "operation", operation, NULL);
  if (gegl_node_has_pad (layer->operation, "input"))
    gegl_node_link (source, layer->operation);
  if (gegl_node_has_pad (layer->operation, "aux"))
    layer->place = gegl_node_new_child (layer->graph, "operation", "gegl:nop", NULL);
}

void
layer_free (Layer *layer)
{
  g_clear_pointer (&layer->lengths, g_array_unref);
  g_object_unref (layer->graph);
  g_object_unref (layer->pixels);
  g_free (layer);
}

GeglNode *
layer_add_picture (Layer *layer, gint32 drawable)
{
  gint32      image = gimp_item_get_image (drawable);
  g_autoptr (GeglBuffer) pixels = layer_copy_pixels (drawable, layer_space_of_image (image));
  GeglNode   *source = gegl_node_new_child (layer->graph, "operation", "gegl:buffer-source", "buffer", pixels, NULL);
  GeglNode   *moved = gegl_node_new_child (layer->graph, "operation", "gegl:translate", NULL);
  gint        x = 0, y = 0, left = 0, top = 0;

  gimp_drawable_offsets (drawable, &x, &y);
  if (image == layer->image)
    gimp_drawable_offsets (layer->drawable, &left, &top);
  gegl_node_set (moved, "x", (gdouble) (x - left), "y", (gdouble) (y - top), NULL);
  gegl_node_link (source, moved);
  return moved;
}

void
layer_take_second (Layer *layer)
{
  if (! layer->place)
    return;
  gegl_node_disconnect (layer->operation, "aux");
  if (layer->extras.second < 0)
    return;
  gegl_node_link (layer_add_picture (layer, layer->extras.second), layer->place);
  gegl_node_connect_to (layer->place, "output", layer->operation, "aux");
}

/* What is mixed is light, and weighted by alpha: the color of what cannot be seen does not show. */
static const Babl *
mixing_format (Layer *layer)
{
  return babl_format_with_space ("RaGaBaA float", layer->space);
}

/* As much of `after` as the strength says, the rest from `before`. */
static void
mix (gfloat *after, const gfloat *before, gsize n_pixels, gdouble strength)
{
  const gfloat part = (gfloat) strength;

  for (gsize i = 0; i < 4 * n_pixels; i++)
    after[i] = before[i] + part * (after[i] - before[i]);
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
layer_original (Layer *layer, gdouble scale, const GeglRectangle *area, guchar *bytes)
{
  gegl_buffer_get (layer->pixels, area, scale, preview_format (layer), bytes, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
}

void
layer_preview (Layer *layer, gdouble scale, const GeglRectangle *area, guchar *bytes)
{
  const gsize  n = (gsize) area->width * area->height;
  const Babl  *format = mixing_format (layer);
  g_autofree gfloat *after = NULL, *before = NULL;

  if (layer->extras.strength >= 1.0)
    {
      gegl_node_blit (layer->result, scale, area, preview_format (layer), bytes, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      return;
    }
  after = g_new0 (gfloat, 4 * n);
  before = g_new (gfloat, 4 * n);
  gegl_node_blit (layer->result, scale, area, format, after, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_buffer_get (layer->pixels, area, scale, format, before, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  mix (after, before, n, layer->extras.strength);
  babl_process (babl_fish (format, preview_format (layer)), after, bytes, n);
}

Found
layer_found (Layer *layer)
{
  GSList *nodes = gegl_node_get_children (layer->graph);
  Found   found = { -1, 0.0, -1 };

  for (GSList *at = nodes; at; at = at->next)
    {
      const gchar *operation = gegl_node_get_operation (at->data);

      if (! operation || ! g_str_has_prefix (operation, "tessera:"))
        continue;
      if (found.count < 0 && gegl_operation_find_property (operation, "count"))
        gegl_node_get (at->data, "count", &found.count, NULL);
      if (found.flat < 0 && gegl_operation_find_property (operation, "measured-flat"))
        gegl_node_get (at->data, "measured-level", &found.level, "measured-flat", &found.flat, NULL);
    }
  g_slist_free (nodes);
  return found;
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

/* It is computed at once, whatever piece is asked for. */
static gboolean
is_whole (Layer *layer)
{
  return layer->operation && GEGL_OPERATION_GET_CLASS (gegl_node_get_gegl_operation (layer->operation))->get_cached_region;
}

/* Piece by piece.  One that needs the whole image computes it all with the first. */
static void
compute (Layer *layer, GeglNode *sink)
{
  const GeglRectangle *area = &layer->selected;
  const gint           rows = MAX (1, PIECE_PIXELS / area->width);
  const gboolean       at_once = is_whole (layer);
  Progress             progress = { 0.0, 1.0, 0.0 };
  gulong               handler = g_signal_connect (layer->result, "progress", G_CALLBACK (on_progress), &progress);

  for (gint y = 0; y < area->height; y += rows)
    {
      const GeglRectangle piece = { area->x, area->y + y, area->width, MIN (rows, area->height - y) };
      const gdouble       end = (gdouble) (y + piece.height) / area->height;

      progress.from = (gdouble) y / area->height;
      progress.to = at_once ? 1.0 : end;
      gegl_node_blit (sink, 1.0, &piece, NULL, NULL, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      show_progress (&progress, end);
    }
  g_signal_handler_disconnect (layer->result, handler);
}

/* The shadow has the result alone. */
static void
weaken (Layer *layer, GeglBuffer *shadow)
{
  const GeglRectangle *area = &layer->selected;
  const gint           rows = MAX (1, PIECE_PIXELS / 8 / area->width);
  const Babl          *format = mixing_format (layer);
  g_autofree gfloat *after = g_new (gfloat, (gsize) 4 * rows * area->width);
  g_autofree gfloat *before = g_new (gfloat, (gsize) 4 * rows * area->width);

  for (gint y = 0; y < area->height; y += rows)
    {
      const GeglRectangle piece = { area->x, area->y + y, area->width, MIN (rows, area->height - y) };

      gegl_buffer_get (shadow, &piece, 1.0, format, after, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_buffer_get (layer->pixels, &piece, 1.0, format, before, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      mix (after, before, (gsize) piece.width * piece.height, layer->extras.strength);
      gegl_buffer_set (shadow, &piece, 0, format, after, GEGL_AUTO_ROWSTRIDE);
    }
}

void
layer_apply (Layer *layer)
{
  const GeglRectangle *area = &layer->selected;
  GeglBuffer          *shadow = gimp_drawable_get_shadow_buffer (layer->drawable);
  GeglNode            *sink;

  layer_set_space (shadow, layer->space);
  sink = gegl_node_new_child (layer->graph, "operation", "gegl:write-buffer", "buffer", shadow, NULL);
  gegl_node_link (layer->result, sink);
  compute (layer, sink);
  gegl_node_remove_child (layer->graph, sink);
  if (layer->extras.strength < 1.0)
    weaken (layer, shadow);
  g_object_unref (shadow);                                  /* what is not yet there is sent now */
  gimp_drawable_merge_shadow (layer->drawable, TRUE);
  gimp_drawable_update (layer->drawable, area->x, area->y, area->width, area->height);
}
