/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * limits: what hosts and pictures do that one does not think of.  A region of more columns than the C path takes
 * rows at a time; a child of fork() that ends; values chosen to meet in one slot of the sparse grid; tiles that are
 * kept for long; a first request that is refused; messages without end; how a kernel is cut, and timed; what is too small for a device. */
#define _GNU_SOURCE
#include <gegl.h>
#include <gegl-plugin.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "limits-parts.h"

#define WIDE    4194305         /* columns: one more than the C path's pixels at a time */
#define PATIENCE 10             /* seconds for a child to end */
#define SIDE    120             /* of a picture of chosen values */
#define SIGMA   40
#define MOST_IN_VAIN 200        /* launches of a check's first picture: 156 on PoCL, mostly none; of all three 468 */
#define TIMES   4               /* so much longer than with other values they may take */

/* ------------------------------------------------------------------ wide -- */

/* No rows around it are needed, which would be more than one at a time. */
static void
wide (void)
{
  const GeglRectangle whole = { 0, 0, WIDE, 2 };
  const Babl         *format = babl_format ("Y u8");
  GeglBuffer         *input, *output;
  GeglNode           *graph = gegl_node_new (), *node;
  guchar              edge[4] = { 0, 255, 0, 255 }, at[2] = { 0 };

  g_object_set (gegl_config (), "tile-width", 4096, "tile-height", 4, NULL);
  input = new_buffer (WIDE, 2, "Y u8");
  output = new_buffer (WIDE, 2, "Y u8");
  node = new_filter (graph, input, "tessera:motion-blur");
  gegl_node_set (node, "length", 3.0, "angle", 0.0, NULL);
  gegl_buffer_set (input, GEGL_RECTANGLE (WIDE - 2, 0, 2, 2), 0, format, edge, GEGL_AUTO_ROWSTRIDE);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  alarm (120);                  /* what has no end is ended */
  gegl_node_blit_buffer (node, output, &whole, 0, GEGL_ABYSS_NONE);
  alarm (0);
  gegl_buffer_get (output, GEGL_RECTANGLE (WIDE - 2, 1, 2, 1), 1.0, format, at, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  expect (at[0] > 0 && at[1] > at[0], "%d columns: %d %d at the right edge", WIDE, at[0], at[1]);
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
}

/* ------------------------------------------------------------------ fork -- */

/* A child whose exec failed, or Python's sys.exit () after os.fork (). */
static void
forked (void)
{
  GeglBuffer     *input = new_buffer (200, 200, "RGBA float"), *output = new_buffer (200, 200, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:motion-blur");
  TesseraCounters before, after;
  gboolean        has_ended = FALSE;
  pid_t           child;

  tessera_get_counters (&before);
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (output), 0, GEGL_ABYSS_NONE);
  tessera_get_counters (&after);
  expect (after.device_requests > before.device_requests, "nothing ran on the device before the fork");
  child = fork ();
  if (child == 0)
    {
      tessera_reached_free (tessera_reached_new (1 << 20));     /* asks no driver whose threads are not there */
      exit (0);
    }
  for (gint i = 0; i < 10 * PATIENCE && ! has_ended; i++)
    if (! (has_ended = waitpid (child, NULL, WNOHANG) == child))
      g_usleep (100000);
  expect (has_ended, "a child of fork() has not ended in %d s", PATIENCE);
  if (! has_ended)
    {
      kill (child, SIGKILL);
      waitpid (child, NULL, 0);
    }
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
}

/* ---------------------------------------------------------------- chosen -- */

static gdouble
seconds_for (const gint *planes, gint n)
{
  GeglBuffer     *input = new_buffer (SIDE, SIDE, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:bilateral-grid");
  const gdouble   r = 0.01;
  gfloat         *pixels = g_new (gfloat, 4 * SIDE * SIDE);
  const gint      cell = SIGMA;
  struct timespec began, ended;

  for (gint y = 0; y < SIDE; y++)
    for (gint x = 0; x < SIDE; x++)
      for (gint c = 0; c < 4; c++)
        pixels[4 * (y * SIDE + x) + c] = planes[((y % cell) * cell + x % cell) % n] * r;
  gegl_buffer_set (input, NULL, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  gegl_node_set (node, "spatial-sigma", (gdouble) SIGMA, "range-sigma", r, NULL);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &began);
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, SIDE, SIDE), babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE,
                  GEGL_BLIT_DEFAULT);
  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &ended);
  g_object_unref (graph);
  g_object_unref (input);
  g_free (pixels);
  return ended.tv_sec - began.tv_sec + 1e-9 * (ended.tv_nsec - began.tv_nsec);
}

/* Values whose planes are near one another for any hash of one multiplication by 2^32 / phi. */
static void
chosen (void)
{
  const gint n = SIGMA * SIGMA, capacity = 4096;
  gint      *bad = g_new (gint, n), *usual = g_new (gint, n), k = 0;
  gdouble    long_time, usual_time;

  for (guint i = 1; k < n && i < 1u << 23; i++)
    if ((i * 2654435769u >> 7 & (capacity - 1)) < 1 + (guint) n / ((1u << 23) / capacity))
      bad[k++] = i;
  expect (k > n / 2, "%d chosen values of %d", k, n);
  for (gint i = 0; i < n; i++)
    usual[i] = 7 + 1013 * i;
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  seconds_for (usual, n);
  usual_time = seconds_for (usual, n);
  long_time = seconds_for (bad, MAX (k, 1));
  expect (long_time < TIMES * usual_time, "chosen values take %.2f s of processor time, others %.2f", long_time, usual_time);
  g_free (bad);
  g_free (usual);
}

/* ------------------------------------------------------------------ kept -- */

/* Mappings of this process for which the kernel may put large pages in the place of small ones. */
static gint
large_mappings (void)
{
  gchar *text = NULL, **lines;
  gint   n = 0;

  if (! g_file_get_contents ("/proc/self/smaps", &text, NULL, NULL))
    return -1;
  lines = g_strsplit (text, "\n", -1);
  for (gint i = 0; lines[i]; i++)
    n += g_str_has_prefix (lines[i], "VmFlags:") && strstr (lines[i], " hg");
  g_strfreev (lines);
  g_free (text);
  return n;
}

/* One tile of a result is kept (GIMP's undo does that).  The rest must not come back as large pages of zeros. */
static void
kept (void)
{
  GeglBuffer *input = new_buffer (1024, 512, "RaGaBaA float"), *output = new_buffer (1024, 512, "RaGaBaA float");
  GeglBuffer *keeps = new_buffer (1024, 512, "RaGaBaA float");
  GeglNode   *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:mean-blur");
  gint        width, height;

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (output), 0, GEGL_ABYSS_NONE);
  g_object_unref (graph);
  g_object_get (output, "tile-width", &width, "tile-height", &height, NULL);
  gegl_buffer_copy (output, GEGL_RECTANGLE (0, 0, width, height), GEGL_ABYSS_NONE, keeps,
                    GEGL_RECTANGLE (0, 0, width, height));
  expect (large_mappings () != 0, "no result lies in large pages: this test shows nothing");
  g_object_unref (output);
  tessera_trim ();
  expect (large_mappings () <= 0, "what is kept of a result lies in memory that grows by large pages");
  g_object_unref (input);
  g_object_unref (keeps);
}

/* -------------------------------------------------------------- messages -- */

static gint n_lines;

static void
count_line (const gchar *text G_GNUC_UNUSED)
{
  n_lines++;
}

/* What is said once is remembered, but not for ever: a service gets texts without end. */
static void
remembered (void)
{
  GPrintFunc before = g_set_printerr_handler (count_line);

  for (gint i = 0; i < 2; i++)
    tessera_say_once ("the first");
  expect (n_lines == 1, "the same was said %d times", n_lines);
  for (gint i = 0; i < 10000; i++)
    tessera_say_once ("number %d", i);
  n_lines = 0;
  tessera_say_once ("the first");
  expect (n_lines == 1, "10000 messages are remembered");
  g_set_printerr_handler (before);
}

static void
expect_part (const gchar *what, guint64 ns, guint64 all)
{
  expect (ns > 0 && ns < all, "sobel: %s takes %.3f of %.3f ms", what, ns / 1e6, all / 1e6);
}

/* What is not much to do is launched whole; only what would keep a small device busy for long is cut.  If it is
 * profiled, each stage took some of its time. */
static void
launched (void)
{
  GeglBuffer     *input = new_buffer (512, 512, "RGBA float"), *output = new_buffer (512, 512, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:sobel");
  TesseraCounters before, after;

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_profiling (TRUE);
  for (gint i = 0; i < 2; i++)          /* the first request of a program has it checked as well */
    {
      tessera_get_counters (&before);
      gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (output), 0, GEGL_ABYSS_NONE);
      tessera_get_counters (&after);
    }
  expect (after.bands > before.bands && after.launches - before.launches <= 10 * (after.bands - before.bands),
          "sobel: %" G_GUINT64_FORMAT " launches for %" G_GUINT64_FORMAT " bands", after.launches - before.launches,
          after.bands - before.bands);
  tessera_set_profiling (FALSE);
  expect_part ("the upload", after.upload_ns - before.upload_ns, after.process_ns - before.process_ns);
  expect_part ("the run", after.run_ns - before.run_ns, after.process_ns - before.process_ns);
  expect_part ("the download", after.download_ns - before.download_ns, after.process_ns - before.process_ns);
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
}

static void
stays_in_c (gint side)
{
  GeglBuffer     *input = new_buffer (side, side, "RGBA float"), *output = new_buffer (side, side, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:sobel");
  TesseraCounters before, after;

  tessera_set_opencl_mode (TESSERA_OPENCL_AUTO);
  tessera_get_counters (&before);
  gegl_node_blit_buffer (node, output, gegl_buffer_get_extent (output), 0, GEGL_ABYSS_NONE);
  tessera_get_counters (&after);
  expect (after.c_requests > before.c_requests && after.device_requests == before.device_requests,
          "%d x %d pixels went to the device", side, side);
  g_object_unref (graph);
  g_object_unref (input);
  g_object_unref (output);
}

/* By itself the engine takes C for what is too small for any device, and for all where the device is the processor. */
static void
automatic (void)
{
  stays_in_c (16);
  if (g_strcmp0 (g_getenv ("GEGL_USE_OPENCL"), "cpu") == 0)
    stays_in_c (700);
}

/* ---------------------------------------------------------------- in vain -- */

/* A first request that does not fit is refused at once.  The check beside it then ends with its first picture. */
static void
in_vain (void)
{
  GeglBuffer     *input = new_buffer (40, 40, "RGBA float");
  GeglNode       *graph = gegl_node_new (), *node = new_filter (graph, input, "tessera:gaussian-blur");
  GeglRectangle   box;
  TesseraCounters before, after;

  gegl_node_set (node, "std-dev-x", 300.0, "std-dev-y", 300.0, "border", TESSERA_BORDER_NONE, NULL);
  box = gegl_node_get_bounding_box (node);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_set_memory (400);     /* MiB: enough for the check alone */
  tessera_get_counters (&before);
  gegl_node_blit (node, 1.0, &box, NULL, NULL, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_CACHE);
  tessera_get_counters (&after);
  tessera_set_memory (0);
  expect (after.fallbacks == before.fallbacks + 1, "a request of %d x %d fits", box.width, box.height);
  expect (after.launches - before.launches <= MOST_IN_VAIN, "the check of a refused request launched %" G_GUINT64_FORMAT
          " kernels", after.launches - before.launches);
  g_object_unref (graph);
  g_object_unref (input);
}

int
main (int argc, char **argv)
{
  gint code;

  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  if (! gegl_has_operation ("tessera:mean-blur"))
    g_error ("tessera:mean-blur is missing");
  if (argc > 1 && strcmp (argv[1], "--wide") == 0)      /* GEGL keeps the first size of tiles that it was told */
    wide ();
  else
    {
      forked ();
      in_vain ();
      chosen ();
      kept ();
      owned ();
      given_back ();
      pinned ();
      held ();
      remembered ();
      launched ();
      automatic ();
    }
  tessera_trim ();
  code = expect_told ();
  gegl_exit ();
  return code;
}
