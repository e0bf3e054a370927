/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Times the search for SIFT's points, with descriptors, from a picture in memory to the list on the host, and says where the
 * time goes on the device, kernel by kernel.  Checks that the device's list is C's.
 *
 *   points [--mpix N,N] [--runs N] [--strip N] [--no-c] [--no-descriptors] PHOTOGRAPH...
 *
 * A photograph is repeated until the picture has the wanted size.  Exit code 1: the lists differ, or the device failed.
 */
#include "config.h"

#include <gegl-plugin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loads.h"
#include "sift-parts.h"
#include "tessera-control.h"

#define MOST_KERNELS 128

static gchar   *sizes = "4,24";
static gint     n_runs = 10;
static gboolean no_c, detects;
static gchar  **photographs;

static const GOptionEntry entries[] = {
  { "mpix", 0, 0, G_OPTION_ARG_STRING, &sizes, "Sizes in Mpix (4,24)", "N,N" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &n_runs, "Timed runs (10)", "N" },
  { "strip", 0, 0, G_OPTION_ARG_INT, &sift_device_pixels, "Pixels of a level of a strip on the device", "N" },
  { "no-c", 0, 0, G_OPTION_ARG_NONE, &no_c, "The device alone", NULL },
  { "no-descriptors", 0, 0, G_OPTION_ARG_NONE, &detects, "Only places and angles", NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &photographs, NULL, "PHOTOGRAPH..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* ------------------------------------------------------------- picture -- */

/* 3:2, of the photograph's format. */
static GeglBuffer *
picture_of (const gchar *path, gdouble mpix)
{
  const gint  width = (gint) sqrt (mpix * 1.5e6), height = (gint) (mpix * 1e6 / width);
  GeglBuffer *photograph = loads_picture (path), *picture;

  if (! photograph)
    g_error ("cannot read %s", path);
  picture = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), gegl_buffer_get_format (photograph));
  gegl_buffer_copy (photograph, GEGL_RECTANGLE (0, 0, width, height), GEGL_ABYSS_LOOP, picture, NULL);
  g_object_unref (photograph);
  return picture;
}

/* -------------------------------------------------------------- search -- */

typedef struct
{
  SiftList list;
  gdouble  best, median;        /* ms */
  gdouble  busy;                /* ms of processor time of all threads, at least */
} Result;

static int
compare (const void *a, const void *b)
{
  return *(const gdouble *) a < *(const gdouble *) b ? -1 : 1;
}

/* FALSE: OpenCL was to be used and was not. */
static gboolean
search (GeglOperation *operation, GeglBuffer *picture, TesseraOpenclMode mode, gint runs, Result *result)
{
  const TesseraRequest request = { .errand = { .operation = operation }, .input = picture, .bounds = *gegl_buffer_get_extent (picture),
                                   .input_format = gegl_buffer_get_format (picture) };
  const SiftSettings   settings = SIFT_DEFAULTS;
  g_autofree gdouble *times = g_new (gdouble, runs);
  gboolean             done = TRUE;

  tessera_set_opencl_mode (mode);
  result->list = (SiftList) { NULL, 0 };
  result->busy = HUGE_VAL;
  for (gint i = -1; i < runs && done; i++)              /* the first one builds and allocates */
    {
      const gint64  began = g_get_monotonic_time ();
      const clock_t busy = clock ();

      g_free (result->list.points);
      done = sift_find (&request, &settings, ! detects, &result->list);
      if (i >= 0)
        times[i] = (g_get_monotonic_time () - began) / 1e3;
      result->busy = MIN (result->busy, (clock () - busy) * 1e3 / CLOCKS_PER_SEC);
    }
  qsort (times, runs, sizeof *times, compare);
  result->best = times[0];
  result->median = times[runs / 2];
  return done;
}

/* Descriptors count if there are any. */
static gsize
count_differences (const SiftList *a, const SiftList *b)
{
  const gsize bytes = detects ? G_STRUCT_OFFSET (SiftPoint, descriptor) : sizeof (SiftPoint);
  gsize       n = a->n > b->n ? a->n - b->n : b->n - a->n;

  for (gsize i = 0; i < MIN (a->n, b->n); i++)
    n += memcmp (&a->points[i], &b->points[i], bytes) != 0;
  return n;
}

/* -------------------------------------------------------------- stages -- */

static void
tell_stages (GeglOperation *operation, GeglBuffer *picture)
{
  TesseraKernelTime before[MOST_KERNELS], after[MOST_KERNELS];
  TesseraCounters   from, to;
  Result            result;
  guint             n;

  tessera_set_profiling (TRUE);
  search (operation, picture, TESSERA_OPENCL_FORCE, 1, &result);
  g_free (result.list.points);
  memset (before, 0, sizeof before);
  tessera_get_kernel_times (before, MOST_KERNELS);
  tessera_get_counters (&from);
  search (operation, picture, TESSERA_OPENCL_FORCE, n_runs - 1, &result);
  tessera_get_counters (&to);
  n = tessera_get_kernel_times (after, MOST_KERNELS);
  tessera_set_profiling (FALSE);
  g_free (result.list.points);
  g_print ("  profiled, a run: process %.2f read %.2f upload %.2f run %.2f ms; %.1f launches, %.2f MB up, %.2f MB down, device memory %.0f MiB\n",
           (to.process_ns - from.process_ns) / 1e6 / n_runs, (to.read_ns - from.read_ns) / 1e6 / n_runs,
           (to.upload_ns - from.upload_ns) / 1e6 / n_runs, (to.run_ns - from.run_ns) / 1e6 / n_runs,
           (to.launches - from.launches) / (gdouble) n_runs, (to.uploaded_bytes - from.uploaded_bytes) / 1e6 / n_runs,
           (to.downloaded_bytes - from.downloaded_bytes) / 1e6 / n_runs, to.peak_bytes / 1048576.0);
  for (guint i = 0; i < n; i++)
    if (after[i].launches > before[i].launches)
      g_print ("    %-14s %6.1f launches %9.3f ms\n", after[i].kernel, (after[i].launches - before[i].launches) / (gdouble) n_runs,
               (after[i].ns - before[i].ns) / 1e6 / n_runs);
}

/* Of points in another order, as they come from the device. */
static void
tell_sorting (const SiftList *list, const GeglRectangle *bounds)
{
  TesseraAnswer        answer = { NULL, 0 };
  const SiftSearch     search = { .scales.settings = SIFT_DEFAULTS, .describes = TRUE };
  const TesseraRequest request = { .params = &search, .bounds = *bounds, .answer = &answer };
  g_autofree SiftPoint *points = g_memdup2 (list->points, list->n * sizeof (SiftPoint));
  gint64     best = G_MAXINT64;

  for (gsize i = 1; i < list->n; i++)
    {
      const gsize     k = i * 2654435761u % (i + 1);
      const SiftPoint point = points[i];

      points[i] = points[k];
      points[k] = point;
    }
  for (gint i = 0; i < n_runs; i++)
    {
      const gint64 began = g_get_monotonic_time ();

      sift_answer (&request, points, list->n);
      best = MIN (best, g_get_monotonic_time () - began);
    }
  g_print ("  sorted on the host in %.2f ms\n", best / 1e3);
  g_free (answer.data);
}

/* ---------------------------------------------------------------- main -- */

static gboolean
one (GeglOperation *operation, const gchar *path, gdouble mpix)
{
  g_autoptr (GeglBuffer) picture = picture_of (path, mpix);
  Result      device, c = { { NULL, 0 }, 0, 0, 0 };
  gboolean    good = search (operation, picture, TESSERA_OPENCL_FORCE, n_runs, &device);

  g_print ("%s, %dx%d: %zu points on the device, best %.2f median %.2f ms\n", path, gegl_buffer_get_width (picture),
           gegl_buffer_get_height (picture), device.list.n, device.best, device.median);
  if (good)
    tell_stages (operation, picture);
  if (good)
    tell_sorting (&device.list, gegl_buffer_get_extent (picture));
  if (! no_c && search (operation, picture, TESSERA_OPENCL_OFF, good ? MIN (n_runs, 3) : n_runs, &c))
    {
      const gsize differing = count_differences (&device.list, &c.list);

      g_print ("  C: %zu points, best %.2f median %.2f ms, of processor time %.2f ms; %zu differ from the device's\n", c.list.n, c.best,
               c.median, c.busy, differing);
      good = good && differing == 0;
    }
  g_free (device.list.points);
  g_free (c.list.points);
  return good;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  gchar         **words;
  GeglNode       *node;
  gboolean        good = TRUE;

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL) || ! photographs || n_runs < 2)
    {
      g_printerr ("points: see the head of tools/bench/points.c\n");
      return 2;
    }
  gegl_init (NULL, NULL);
  tessera_set_remembering (FALSE);
  node = gegl_node_new_child (NULL, "operation", "tessera:sift", NULL);
  g_print ("%s\n", tessera_device_name () ? tessera_device_name () : "no device");
  words = g_strsplit (sizes, ",", -1);
  for (gint i = 0; photographs[i]; i++)
    for (gint k = 0; words[k]; k++)
      good = one (gegl_node_get_gegl_operation (node), photographs[i], g_ascii_strtod (words[k], NULL)) && good;
  g_strfreev (words);
  g_object_unref (node);
  gegl_exit ();
  return good ? 0 : 1;
}
