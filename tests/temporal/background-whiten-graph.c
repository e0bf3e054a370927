/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See background-whiten.h. */
#include "background-whiten.h"

#include <math.h>
#include <stdio.h>
#include <glib/gstdio.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "files.h"
#include "tessera-control.h"

static gchar  *folder;
guint16 counts[FRAMES][HEIGHT * WIDTH];

/* Stars on a slope, moved by (0.8, -0.45) a frame. */
static void
make_counts (void)
{
  GRand *dice = g_rand_new_with_seed (20261123);
  gdouble at_x[40], at_y[40], light[40];

  for (gint i = 0; i < 40; i++)
    {
      at_x[i] = g_rand_double_range (dice, -5, WIDTH + 5);
      at_y[i] = g_rand_double_range (dice, -5, HEIGHT + 5);
      light[i] = g_rand_double_range (dice, 200, 3000);
    }
  for (gint t = 0; t < FRAMES; t++)
    for (gint y = 0; y < HEIGHT; y++)
      for (gint x = 0; x < WIDTH; x++)
        {
          gdouble sum = 1000.0 + 0.5 * x + g_rand_double_range (dice, 0, 30);

          for (gint i = 0; i < 40; i++)
            {
              const gdouble dx = x - at_x[i] - 0.8 * t, dy = y - at_y[i] + 0.45 * t;

              sum += light[i] * exp (-(dx * dx + dy * dy) / 2.2);
            }
          counts[t][y * WIDTH + x] = (guint16) sum;
        }
  g_rand_free (dice);
}

gchar *
graph_file (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

/* A grey picture of 16 bits. */
static void
write_pgm (const gchar *name, const guint16 *values, gint width, gint height)
{
  gchar *path = graph_file (name);
  FILE  *file = g_fopen (path, "wb");

  fprintf (file, "P5\n%d %d\n65535\n", width, height);
  for (gint i = 0; i < width * height; i++)
    {
      fputc (values[i] >> 8, file);
      fputc (values[i] & 255, file);
    }
  fclose (file);
  g_free (path);
}

static void
write_frames (const gchar *into, gint n)
{
  gchar *path = graph_file (into);

  g_mkdir_with_parents (path, 0700);
  g_free (path);
  for (gint t = 0; t < n; t++)
    {
      gchar *name = g_strdup_printf ("%s/frame%02d.pgm", into, t + 1);

      write_pgm (name, counts[t], WIDTH, HEIGHT);
      g_free (name);
    }
}

/* ------------------------------------------------------------- requests -- */

void
answer_clear (Answer *answer)
{
  g_free (answer->shifts);
  g_free (answer->weights);
  g_free (answer->notes);
  g_free (answer->reason);
}

Answer
ask_of (const guint16 *input, const gchar *frames, const gchar *first_property, ...)
{
  const GeglRectangle box = { 5, -3, WIDTH, HEIGHT }, part = { 5 + 30, -3 + 20, 40, 30 };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("Y' u16"));
  GeglNode           *graph = gegl_node_new ();
  GeglNode           *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode           *node = gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL);
  gchar              *path = frames && *frames ? graph_file (frames) : g_strdup ("");
  gfloat             *cut = g_new (gfloat, part.width * part.height);
  Answer              answer;
  va_list             arguments;
  gint                wrong = 0;

  tessera_set_eager_progress (TRUE);
  gegl_buffer_set (buffer, &box, 0, NULL, input, GEGL_AUTO_ROWSTRIDE);
  gegl_node_set (node, "frames", path, NULL);
  va_start (arguments, first_property);
  if (first_property)
    gegl_node_set_valist (node, first_property, arguments);
  va_end (arguments);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, &part, babl_format ("Y' float"), cut, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_blit (node, 1.0, &box, babl_format ("Y' float"), answer.pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "shifts-found", &answer.shifts, "weights", &answer.weights, "notes", &answer.notes, "reason", &answer.reason,
                 "noise-gain", &answer.noise_gain, "degree-used", &answer.degree, NULL);
  for (gint i = 0; i < part.width * part.height; i++)
    wrong += cut[i] != answer.pixels[(20 + i / part.width) * WIDTH + 30 + i % part.width];
  expect (wrong == 0, "%s: %d pixels of a part are others than of the whole", frames, wrong);
  g_free (cut);
  g_free (path);
  g_object_unref (graph);
  g_object_unref (buffer);
  return answer;
}

static void
make_folders (void)
{
  guint16 *flat = g_new (guint16, WIDTH * HEIGHT);
  gchar   *path;

  folder = files_folder ();
  write_frames ("six", 6);
  write_frames ("seven", 7);
  write_frames ("mixed", 6);
  write_pgm ("mixed/frame03.pgm", counts[0], WIDTH + 1, 3);
  path = graph_file ("mixed/frame05.pgm");
  g_file_set_contents (path, "no picture", -1, NULL);
  g_free (path);
  path = graph_file ("text.pgm");
  g_file_set_contents (path, "no picture", -1, NULL);
  g_free (path);
  write_frames ("empty", 0);
  write_frames ("wide", 0);
  write_pgm ("wide/wide.pgm", counts[0], WIDTH + 1, 3);
  write_pgm ("wide.pgm", counts[0], WIDTH + 1, 3);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    flat[i] = 700;
  write_pgm ("dark.pgm", flat, WIDTH, HEIGHT);
  write_frames ("flat", 0);
  write_pgm ("flat/frame01.pgm", flat, WIDTH, HEIGHT);
  g_free (flat);
}

void
graph_init (void)
{
  make_counts ();
  make_folders ();
}

void
graph_clear (void)
{
  files_remove (folder);
  g_free (folder);
}
