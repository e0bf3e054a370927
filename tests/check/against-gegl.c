/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:motion-blur with border none beside gegl:motion-blur-linear: they must
 * agree to 1e-5 of the largest value, for any length and angle, in C and on
 * OpenCL, on a photograph and on noise, over both bounding boxes.
 *
 *   against-gegl [PHOTOGRAPH [CASES]]
 */
#include <gegl.h>
#include <math.h>
#include <stdlib.h>

#include "tessera-control.h"

#define TOLERANCE 1e-5f

static GeglBuffer *
noise (gint width, gint height, GRand *random)
{
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (-5, 3, width, height),
                                        babl_format ("RaGaBaA float"));
  gsize       n = 4 * (gsize) width * height;
  gfloat     *pixels = g_new (gfloat, n);

  for (gsize i = 0; i < n; i++)
    pixels[i] = (gfloat) g_rand_double (random);
  gegl_buffer_set (buffer, NULL, 0, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

static GeglBuffer *
photograph (const gchar *path)
{
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *load = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
  GeglNode   *crop = gegl_node_new_child (graph, "operation", "gegl:crop", "x", 100.0, "y", 100.0,
                                          "width", 300.0, "height", 200.0, NULL);
  GeglBuffer *buffer = NULL;
  GeglNode   *sink = gegl_node_new_child (graph, "operation", "gegl:buffer-sink", "buffer", &buffer, NULL);

  gegl_node_link_many (load, crop, sink, NULL);
  gegl_node_process (sink);
  g_object_unref (graph);
  return buffer;
}

/* The blurred image over `rect`, and the operation's bounding box. */
static gfloat *
blurred (GeglBuffer *input, const gchar *operation, gdouble length, gdouble angle,
         const GeglRectangle *rect, GeglRectangle *box)
{
  GeglNode *graph = gegl_node_new ();
  GeglNode *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode *blur = gegl_node_new_child (graph, "operation", operation, "length", length,
                                        "angle", angle, NULL);
  gfloat   *pixels = NULL;

  if (gegl_node_find_property (blur, "border"))
    gegl_node_set (blur, "border", TESSERA_BORDER_NONE, NULL);
  gegl_node_link (source, blur);
  *box = gegl_node_get_bounding_box (blur);
  if (rect)
    {
      pixels = g_new0 (gfloat, 4 * (gsize) rect->width * rect->height);
      gegl_node_blit (blur, 1.0, rect, babl_format ("RaGaBaA float"), pixels, GEGL_AUTO_ROWSTRIDE,
                      GEGL_BLIT_DEFAULT);
    }
  g_object_unref (graph);
  return pixels;
}

static gfloat
difference (GeglBuffer *input, gdouble length, gdouble angle)
{
  GeglRectangle ours_box, theirs_box, both;
  gfloat       *ours, *theirs;
  gfloat        worst = 0.0f;

  blurred (input, "tessera:motion-blur", length, angle, NULL, &ours_box);
  blurred (input, "gegl:motion-blur-linear", length, angle, NULL, &theirs_box);
  gegl_rectangle_bounding_box (&both, &ours_box, &theirs_box);
  ours = blurred (input, "tessera:motion-blur", length, angle, &both, &ours_box);
  g_object_set (gegl_config (), "use-opencl", FALSE, NULL);      /* its C path is the one that is right */
  theirs = blurred (input, "gegl:motion-blur-linear", length, angle, &both, &theirs_box);
  g_object_set (gegl_config (), "use-opencl", TRUE, NULL);
  for (gsize i = 0; i < 4 * (gsize) both.width * both.height; i++)
    worst = MAX (worst, fabsf (ours[i] - theirs[i]));
  g_free (ours);
  g_free (theirs);
  return worst;
}

static gint
compare (GeglBuffer *input, const gchar *what, TesseraOpenclMode mode, gint cases, GRand *random)
{
  gfloat worst = 0.0f;
  gint   failed = 0;

  for (gint i = 0; i < cases; i++)
    {
      const gdouble ends[][2] = { { 0, 0 }, { 1, 90 }, { 10, 45 }, { 7.5, -180 }, { 40, 180 }, { 100, -90 } };
      gdouble       length = i < 6 ? ends[i][0] : exp (g_rand_double_range (random, -1, 5));
      gdouble       angle = i < 6 ? ends[i][1] : g_rand_double_range (random, -180, 180);
      gfloat        one;

      tessera_set_opencl_mode (mode);
      one = difference (input, length, angle);
      worst = MAX (worst, one);
      if (one <= TOLERANCE)
        continue;
      failed++;
      g_print ("FAIL %s, length %.17g, angle %.17g: %g\n", what, length, angle, one);
    }
  g_print ("motion-blur beside gegl:motion-blur-linear, %s, %s: %d cases, worst difference %.2g\n", what,
           mode == TESSERA_OPENCL_FORCE ? "OpenCL" : "C", cases, worst);
  return failed;
}

int
main (int argc, char **argv)
{
  const gint  cases = argc > 2 ? atoi (argv[2]) : 40;
  GeglBuffer *images[2];
  GRand      *random = g_rand_new_with_seed (1);
  gint        failed = 0, total = 0;

  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_PATH", CHECK_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S CHECK_PLUGINS_DIR, FALSE);
  gegl_init (NULL, NULL);
  if (! gegl_has_operation ("tessera:motion-blur") || ! gegl_has_operation ("gegl:motion-blur-linear")
      || ! tessera_device_name ())
    {
      g_printerr ("against-gegl: an operation or the OpenCL device is missing\n");
      return 1;
    }
  images[0] = noise (61, 47, random);
  images[1] = argc > 1 ? photograph (argv[1]) : NULL;
  for (gint i = 0; i < 2; i++)
    for (gint mode = 0; images[i] && mode < 2; mode++)
      {
        failed += compare (images[i], i ? "photograph" : "noise",
                           mode ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF, cases, random);
        total += cases;
      }
  for (gint i = 0; i < 2; i++)
    g_clear_object (&images[i]);
  g_rand_free (random);
  gegl_exit ();
  g_print ("%d passed, %d failed\n", total - failed, failed);
  return failed > 0;
}
