/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Alpha in a model that is not ours, HSVA: babl_format_has_alpha knows its alpha not, by its name.  The same
 * pixels in the filter's own format give the same result. */
#include "check.h"

#include <gegl-plugin.h>

#define CLOSE 1e-4              /* of babl's conversion of the result */

/* A picture with holes and half holes. */
static GeglBuffer *
picture_new (const GeglRectangle *box)
{
  GeglBuffer *buffer = gegl_buffer_new (box, babl_format ("HSVA float"));
  gfloat     *pixels = g_new (gfloat, 4 * box->width * box->height);

  for (gint i = 0; i < box->width * box->height; i++)
    for (gint k = 0; k < 4; k++)
      pixels[4 * i + k] = k == 3 ? i % 5 % 3 * 0.5f : (i * (7 + k) + 5 * k) % 41 / 41.0f;
  gegl_buffer_set (buffer, box, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

/* What the filter reads from it, as a picture. */
static GeglBuffer *
read_by (GeglNode *node, GeglBuffer *picture)
{
  const Babl *format = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "input");
  GeglBuffer *own = gegl_buffer_new (gegl_buffer_get_extent (picture), format);
  gpointer    pixels = g_malloc ((gsize) gegl_buffer_get_width (picture) * gegl_buffer_get_height (picture)
                                 * babl_format_get_bytes_per_pixel (format));

  gegl_buffer_get (picture, NULL, 1.0, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  gegl_buffer_set (own, NULL, 0, format, pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return own;
}

gboolean
check_foreign_alpha (const CheckFilter *filter, const CheckCase *c, GString *why)
{
  const GeglRectangle box = { 0, 0, 31, 19 };
  GeglNode           *graph = gegl_node_new (), *nodes[2];
  GeglBuffer         *pictures[2] = { picture_new (&box) };
  CheckPixels         results[2];
  gboolean            good;

  for (gint i = 0; i < 2; i++)
    {
      GeglNode *source;

      nodes[i] = check_operation_node (filter, c, graph);
      pictures[i] = i ? read_by (nodes[0], pictures[0]) : pictures[0];
      source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", pictures[i], NULL);
      gegl_node_link (source, nodes[i]);
      gegl_node_get_bounding_box (nodes[i]);            /* prepares it */
      check_node_read (filter, c, nodes[i], &box, GEGL_BLIT_DEFAULT, &results[i]);
    }
  good = check_near (&results[0], &results[1], CLOSE, "HSVA vs the filter's own format", why);
  for (gint i = 0; i < 2; i++)
    {
      check_pixels_clear (&results[i]);
      g_object_unref (pictures[i]);
    }
  g_object_unref (graph);
  return good;
}
