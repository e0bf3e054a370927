/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pictures of tessera-match: read, and both side by side with lines. */
#include "match.h"

#include "../progress.h"
#include "../saves.h"
#include "loads.h"
#include "loads-ending.h"

#include <gio/gio.h>
#include <math.h>

#define LARGEST 1600            /* px, of a side of a picture that is drawn */
#define RADIUS  0.75            /* px, of a line */
#define RIM     1.0             /* px, around it */
#define DARK    0.5             /* how much of the picture the rim takes away */
#define MOST    150             /* lines; more would hide the pictures */

static void
say_unreadable (const gchar *path)
{
  progress_say ("%s: GEGL cannot read this picture; run it again without it", path);
}

GeglBuffer *
picture_load (const gchar *path, gboolean as_stored, GError **error)
{
  GeglBuffer *buffer;

  if (! g_file_test (path, G_FILE_TEST_IS_REGULAR))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, g_file_test (path, G_FILE_TEST_EXISTS) ? "%s is no file" : "%s: there is no such file", path);
      return NULL;
    }
  if (! loads_ending (path))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s: GEGL has no loader for this kind of file", path);
      return NULL;
    }
  loads_begin (path, say_unreadable);
  buffer = as_stored ? loads_stored (path) : loads_picture (path);
  loads_end ();
  if (! buffer)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: this picture cannot be read: %s", path, loads_reason ());
  return buffer;
}

/* ------------------------------------------------------------------ lines -- */

typedef struct
{
  guint8 *pixels;               /* R'G'B' */
  gint    width, height;
} Canvas;

/* Of any hue, all bright. */
static void
color_of (gint index, gdouble *color)
{
  const gdouble hue = 6 * (index * 0.618033988749895 - floor (index * 0.618033988749895));      /* neighbours differ much */

  for (gint c = 0; c < 3; c++)
    {
      const gdouble off = fabs (fmod (hue + 6 - 2 * c, 6) - 3);         /* 3 at the color's own hue */

      color[c] = CLAMP (off - 1, 0, 1);
    }
}

static void
blend (guint8 *pixel, gdouble share, const gdouble *color)
{
  for (gint c = 0; c < 3; c++)
    pixel[c] = (guint8) (pixel[c] + share * (255 * color[c] - pixel[c]) + 0.5);
}

/* Along the longer axis, and across it as far as the line is wide there. */
static void
draw_line (Canvas *canvas, gdouble x0, gdouble y0, gdouble x1, gdouble y1, const gdouble *color)
{
  static const gdouble black[3] = { 0, 0, 0 };
  const gdouble        dx = x1 - x0, dy = y1 - y0, length2 = MAX (dx * dx + dy * dy, 1e-9);
  const gboolean       steep = fabs (dy) > fabs (dx);
  const gdouble        from = steep ? MIN (y0, y1) : MIN (x0, x1), to = steep ? MAX (y0, y1) : MAX (x0, x1);
  const gdouble        reach = RADIUS + RIM + 1;
  const gint           size = steep ? canvas->height : canvas->width, other_size = steep ? canvas->width : canvas->height;

  for (gint i = (gint) CLAMP (floor (from - reach), 0, size); i <= (gint) CLAMP (ceil (to + reach), -1, size - 1); i++)
    {
      const gdouble t = steep ? (i - y0) / (dy != 0 ? dy : 1) : (i - x0) / (dx != 0 ? dx : 1);
      const gdouble middle = steep ? x0 + CLAMP (t, 0, 1) * dx : y0 + CLAMP (t, 0, 1) * dy;
      const gint    first = (gint) CLAMP (floor (middle - 1.5 * reach), 0, other_size);
      const gint    last = (gint) CLAMP (ceil (middle + 1.5 * reach), -1, other_size - 1);

      for (gint k = first; k <= last; k++)
        {
          const gdouble x = steep ? k : i, y = steep ? i : k;
          const gdouble along = CLAMP (((x - x0) * dx + (y - y0) * dy) / length2, 0, 1);
          const gdouble off = hypot (x - x0 - along * dx, y - y0 - along * dy);
          guint8       *pixel = canvas->pixels + 3 * ((gsize) y * canvas->width + (gsize) x);

          blend (pixel, DARK * CLAMP (RADIUS + RIM + 0.5 - off, 0, 1), black);
          blend (pixel, CLAMP (RADIUS + 0.5 - off, 0, 1), color);
        }
    }
}

/* A dot at both ends of each pair that agrees, and a line between as many as can be told apart. */
static void
draw_pairs (Canvas *canvas, const Comparison *comparison, gdouble scale, gint left)
{
  const gint every = (comparison->consensus.inliers + MOST - 1) / MOST;
  gint       n = 0;

  for (gint i = 0; i < comparison->n_matches; i++)
    if (comparison->is_inlier[i])
      {
        const MatchPlace *a = &comparison->a->keypoints.places[comparison->matches[i].a];
        const MatchPlace *b = &comparison->b->keypoints.places[comparison->matches[i].b];
        const gdouble     a_x = (a->x + 0.5) * scale - 0.5, a_y = (a->y + 0.5) * scale - 0.5;
        const gdouble     b_x = left + (b->x + 0.5) * scale - 0.5, b_y = (b->y + 0.5) * scale - 0.5;
        gdouble           color[3];

        color_of (n, color);
        if (n++ % every == 0)
          draw_line (canvas, a_x, a_y, b_x, b_y, color);
        draw_line (canvas, a_x, a_y, a_x, a_y, color);
        draw_line (canvas, b_x, b_y, b_x, b_y, color);
      }
}

/* --------------------------------------------------------------- pictures -- */

static gboolean
save (const Canvas *canvas, const gchar *path, GError **error)
{
  g_autoptr (GeglBuffer) buffer = gegl_buffer_linear_new_from_data (canvas->pixels, babl_format ("R'G'B' u8"),
                                                                    GEGL_RECTANGLE (0, 0, canvas->width, canvas->height), 0, NULL, NULL);
  g_autoptr (GeglNode) node = gegl_node_new_child (NULL, "operation", "gegl:save", NULL);

  if (saves_ending (path))
    return saves_picture (buffer, node, path, error);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s: GEGL cannot write this kind of picture", path);
  return FALSE;
}

static gboolean
draw_side (Canvas *canvas, const Comparison *comparison, const Side *side, gdouble scale, gint left, gint width, gint height, GError **error)
{
  g_autoptr (GeglBuffer) buffer = picture_load (side->path, comparison->settings->as_stored, error);
  g_autoptr (GeglNode) graph = gegl_node_new ();
  GeglRectangle box;
  GeglNode     *node;

  if (! buffer)
    return FALSE;
  box = *gegl_buffer_get_extent (buffer);
  node = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  gegl_node_blit (node, scale, GEGL_RECTANGLE ((gint) (box.x * scale), (gint) (box.y * scale), width, height), babl_format ("R'G'B' u8"),
                  canvas->pixels + 3 * (gsize) left, 3 * canvas->width, GEGL_BLIT_DEFAULT);
  return TRUE;
}

gboolean
picture_write (const Comparison *comparison, const gchar *path, GError **error)
{
  const Keypoints *a = &comparison->a->keypoints, *b = &comparison->b->keypoints;
  const gint       largest = MAX (MAX (a->width, a->height), MAX (b->width, b->height));
  const gdouble    scale = MIN (1.0, (gdouble) LARGEST / largest);
  const gint       a_width = MAX (1, (gint) (a->width * scale)), a_height = MAX (1, (gint) (a->height * scale));
  const gint       b_width = MAX (1, (gint) (b->width * scale)), b_height = MAX (1, (gint) (b->height * scale));
  Canvas           canvas = { NULL, a_width + b_width, MAX (a_height, b_height) };
  gboolean         good;

  canvas.pixels = g_malloc0 (3 * (gsize) canvas.width * canvas.height);
  good = draw_side (&canvas, comparison, comparison->a, scale, 0, a_width, a_height, error)
         && draw_side (&canvas, comparison, comparison->b, scale, a_width, b_width, b_height, error);
  if (good)
    {
      draw_pairs (&canvas, comparison, scale, a_width);
      good = save (&canvas, path, error);
    }
  g_free (canvas.pixels);
  return good;
}
