/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:combine against its definition in double, on pictures that lie side by side, overlap, are transparent here and NaN there;
 * in pieces; without pictures; and of pictures of 8 bits. */
#include <gegl.h>
#include <gio/gio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "combine.h"
#include "../engine/verdict.h"
#include "../match/matching.h"

#define MOST  9
#define CLOSE 2e-6

static const GeglRectangle box = { -7, 5, 61, 43 };

/* RaGaBaA; most pixels opaque, some half so, some transparent, some no number. */
static GeglBuffer *
picture (CheckRandom *random, const GeglRectangle *where)
{
  GeglBuffer *buffer = gegl_buffer_new (where, babl_format ("RaGaBaA float"));
  const gint  n = where->width * where->height;
  gfloat     *pixels = g_new (gfloat, 4 * n);

  for (gint i = 0; i < n; i++)
    {
      const gdouble kind = check_uniform (random);
      gfloat       *pixel = pixels + 4 * i;

      pixel[3] = kind < 0.7 ? 1.0f : kind < 0.85 ? 0.5f : 0.0f;
      for (gint c = 0; c < 3; c++)
        pixel[c] = pixel[3] * (gfloat) (check_uniform (random) < 0.1 ? 40.0 : check_uniform (random));
      if (kind > 0.65 && kind < 0.68)
        pixel[i % 3] = kind < 0.665 ? NAN : INFINITY;
    }
  gegl_buffer_set (buffer, where, 0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  return *(const gdouble *) a < *(const gdouble *) b ? -1 : *(const gdouble *) a > *(const gdouble *) b;
}

static gdouble
median_of (const gdouble *values, gint n)
{
  gdouble sorted[MOST];

  for (gint i = 0; i < n; i++)
    sorted[i] = values[i];
  qsort (sorted, n, sizeof *sorted, compare);
  return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

static gdouble
mean_within (const gdouble *values, gint n, gdouble middle, gdouble most)
{
  gdouble sum = 0;
  gint    count = 0;

  for (gint i = 0; i < n; i++)
    if (fabs (values[i] - middle) <= most)
      {
        sum += values[i];
        count++;
      }
  return sum / count;
}

static gdouble
wanted_of (const gchar *method, const gdouble *values, gint n)
{
  const gdouble middle = median_of (values, n);
  gdouble       distances[MOST];

  if (g_str_equal (method, "median"))
    return middle;
  if (g_str_equal (method, "mean"))
    return mean_within (values, n, middle, INFINITY);
  for (gint i = 0; i < n; i++)
    distances[i] = fabs (values[i] - middle);
  return mean_within (values, n, middle, combine_clip (n) * median_of (distances, n));
}

/* RGBA of the pixel. */
static void
want (GeglBuffer **pictures, gint n, const gchar *method, gint x, gint y, gdouble wanted[4])
{
  gdouble values[3][MOST];
  gint    count = 0;

  wanted[3] = 0;
  for (gint k = 0; k < n; k++)
    {
      gfloat in[4];

      gegl_buffer_get (pictures[k], GEGL_RECTANGLE (x, y, 1, 1), 1.0, babl_format ("RaGaBaA float"), in, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      if (! (in[3] > 0) || ! isfinite (in[0] + in[1] + in[2]))
        continue;
      for (gint c = 0; c < 3; c++)
        values[c][count] = in[c] / in[3];               /* a float: what is compared with the limit */
      wanted[3] = MAX (wanted[3], in[3]);
      count++;
    }
  for (gint c = 0; c < 3; c++)
    wanted[c] = count ? wanted_of (method, values[c], count) : 0;
}

static GeglNode *
combining (GeglNode *graph, GeglBuffer **pictures, gint n, const gchar *method)
{
  GListStore *list = g_list_store_new (GEGL_TYPE_BUFFER);
  GeglNode   *node;

  for (gint i = 0; i < n; i++)
    g_list_store_append (list, pictures[i]);
  node = gegl_node_new_child (graph, "operation", "tessera:combine", "pictures", list, NULL);
  gegl_node_set (node, "method", g_str_equal (method, "mean") ? 0 : g_str_equal (method, "median") ? 1 : 2, NULL);
  g_object_unref (list);
  return node;
}

static void
check_pictures (GeglBuffer **pictures, gint n, const gchar *method)
{
  GeglNode           *graph = gegl_node_new (), *node = combining (graph, pictures, n, method);
  const GeglRectangle found_box = gegl_node_get_bounding_box (node), piece = { box.x + 3, box.y + 17, 20, 9 };
  gfloat             *got = g_new (gfloat, 4 * box.width * box.height), *part = g_new (gfloat, 4 * piece.width * piece.height);
  gdouble             worst = 0;
  gint                differ = 0;

  expect (gegl_rectangle_equal (&found_box, &box), "%s of %d: the box is that of the first", method, n);
  gegl_node_blit (node, 1.0, &piece, babl_format ("RGBA float"), part, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_blit (node, 1.0, &box, babl_format ("RGBA float"), got, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  for (gint i = 0; i < box.width * box.height; i++)
    {
      const gint x = i % box.width, y = i / box.width, left = x - (piece.x - box.x), top = y - (piece.y - box.y);
      gdouble    wanted[4];

      want (pictures, n, method, box.x + x, box.y + y, wanted);
      for (gint c = 0; c < 4; c++)
        worst = MAX (worst, fabs (got[4 * i + c] - wanted[c]) / MAX (1.0, wanted[c]));
      if (left >= 0 && left < piece.width && top >= 0 && top < piece.height)
        for (gint c = 0; c < 4; c++)
          differ += part[4 * (top * piece.width + left) + c] != got[4 * i + c];
    }
  expect (worst < CLOSE, "%s of %d: %g off its definition", method, n, worst);
  expect (differ == 0, "%s of %d: %d numbers of a piece differ from those of the whole", method, n, differ);
  g_free (part);
  g_free (got);
  g_object_unref (graph);
}

/* Pictures of 8 bits whose noise is half a step: the mean without outliers is as good as the mean, and what is in one of them alone is not in it. */
static void
check_bytes (CheckRandom *random)
{
  const gint  width = 64, height = 48, n = 3 * width * height;
  GeglBuffer *pictures[MOST];
  gfloat     *got[2] = { g_new (gfloat, n), g_new (gfloat, n) };
  guint8     *bytes = g_new (guint8, n);
  gdouble     squares[2] = { 0 }, brightest = 0;

  for (gint k = 0; k < MOST; k++)
    {
      pictures[k] = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), babl_format ("R'G'B' u8"));
      for (gint i = 0; i < n; i++)
        bytes[i] = (guint8) (60 + i % 97 / 97.0 + check_uniform (random) + check_uniform (random) - 0.5);
      if (k == 4)
        memset (bytes, 200, 300);
      gegl_buffer_set (pictures[k], NULL, 0, NULL, bytes, GEGL_AUTO_ROWSTRIDE);
    }
  for (gint m = 0; m < 2; m++)
    {
      GeglNode *graph = gegl_node_new (), *node = combining (graph, pictures, MOST, m ? "clipped" : "mean");

      gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, width, height), babl_format ("R'G'B' float"), got[m], GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      for (gint i = 300; i < n; i++)
        squares[m] += pow (255 * (gdouble) got[m][i] - (60 + i % 97 / 97.0), 2) / (n - 300);
      g_object_unref (graph);
    }
  for (gint i = 0; i < 300; i++)
    brightest = MAX (brightest, 255 * (gdouble) got[1][i]);
  expect (squares[1] < 1.03 * 1.03 * squares[0], "clipped mean of bytes: %g of a step off, the mean %g", sqrt (squares[1]), sqrt (squares[0]));
  expect (brightest < 62.5, "clipped mean of bytes: what is in one alone is left: %g", brightest);
  for (gint k = 0; k < MOST; k++)
    g_object_unref (pictures[k]);
  g_free (bytes);
  g_free (got[0]);
  g_free (got[1]);
}

void
combine_pictures (void)
{
  static const gchar *const methods[] = { "mean", "median", "clipped" };
  CheckRandom               random = { 20261123 };
  GeglBuffer               *pictures[MOST];
  GeglNode                 *graph;
  GeglRectangle             none;

  for (gint i = 0; i < MOST; i++)
    pictures[i] = picture (&random, i ? GEGL_RECTANGLE (box.x + 5 * i - 20, box.y - 3 * i + 10, 50, 45) : &box);
  for (guint m = 0; m < G_N_ELEMENTS (methods); m++)
    for (gint n = 1; n <= MOST; n += 1 + n / 4)
      check_pictures (pictures, n, methods[m]);
  check_bytes (&random);
  graph = gegl_node_new ();
  none = gegl_node_get_bounding_box (combining (graph, NULL, 0, "mean"));
  expect (gegl_rectangle_is_empty (&none), "no picture makes none");
  g_object_unref (graph);
  for (gint i = 0; i < MOST; i++)
    g_object_unref (pictures[i]);
}
