/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Times tessera:align on two pictures whose movement is known, and the matching of two lists of descriptors, in C or on the device,
 * as GEGL_USE_OPENCL and TESSERA_OPENCL say; one JSON object a line.  bench_pairs.py starts it, and gives the same to OpenCV.
 *
 *   pairs [--mpix N,N] [--descriptors N] [--runs N] [--save FOLDER]
 *
 * Pictures are value noise of all sizes: random numbers on grids of 2, 4, 8 ... pixels, with smooth steps between them.  It is there
 * at any place, so that the second picture is turned, scaled and shifted without being resampled.
 */
#include "config.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#include "matches.h"
#include "matrix.h"
#include "tessera-control.h"

#include "../json.h"
#include "../connect.h"

#define OCTAVES    7
#define NOISE      6            /* of 255: what a camera adds, from its smallest to its largest value */
#define DESCRIPTOR DESCRIPTOR_LENGTH

static gchar *sizes = "12,24", *folder;
static gint   n_descriptors = 27000, n_runs = 3;

static const GOptionEntry entries[] = {
  { "mpix", 0, 0, G_OPTION_ARG_STRING, &sizes, "Sizes of the pictures in Mpix (12,24)", "N,N" },
  { "descriptors", 0, 0, G_OPTION_ARG_INT, &n_descriptors, "Descriptors of each list (27000)", "N" },
  { "runs", 0, 0, G_OPTION_ARG_INT, &n_runs, "Timed runs (3)", "N" },
  { "save", 0, 0, G_OPTION_ARG_FILENAME, &folder, "Write the pictures and the lists there, as raw bytes", "FOLDER" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* --------------------------------------------------------------- what is timed -- */

static guint32
hash (guint32 x, guint32 y, guint32 what)
{
  guint32 h = x * 0x9e3779b1u ^ y * 0x85ebca77u ^ what * 0xc2b2ae3du;

  h = (h ^ h >> 15) * 0x2c1b3c6du;
  h = (h ^ h >> 12) * 0x297a2d39u;
  return h ^ h >> 15;
}

/* 0 to 1, at any place. */
static gdouble
noise_at (gdouble x, gdouble y)
{
  gdouble sum = 0.0, most = 0.0;

  for (gint k = 1; k <= OCTAVES; k++)
    {
      const gdouble u = ldexp (x, -k), v = ldexp (y, -k), i = floor (u), j = floor (v), part = k < 4 ? 0.4 + 0.2 * k : 1.0;
      const gdouble s = (u - i) * (u - i) * (3.0 - 2.0 * (u - i)), t = (v - j) * (v - j) * (3.0 - 2.0 * (v - j));
      const guint32 a = (guint32) (gint) i, b = (guint32) (gint) j;
      const gdouble above = hash (a, b, k) * (1.0 - s) + hash (a + 1, b, k) * s;
      const gdouble below = hash (a, b + 1, k) * (1.0 - s) + hash (a + 1, b + 1, k) * s;

      sum += part * (above * (1.0 - t) + below * t);
      most += part * 4294967296.0;
    }
  return CLAMP (2.0 * sum / most - 0.5, 0.0, 1.0);
}

typedef struct
{
  guint8        *pixels;
  gint           width;
  const gdouble *matrix;        /* places of the picture -> of the noise */
  guint32        camera;
} Painting;

static void
paint_rows (gsize first, gsize n, gpointer data)
{
  const Painting *p = data;

  for (gsize y = first; y < first + n; y++)
    for (gint x = 0; x < p->width; x++)
      {
        gdouble       u, v;
        const gdouble dark = hash (x, y, p->camera) / 4294967296.0 * NOISE;

        matrix_map (p->matrix, x, y, &u, &v);
        memset (p->pixels + 3 * (y * p->width + x), (gint) (noise_at (u, v) * (255 - NOISE) + dark), 3);
      }
}

static void
save (const gchar *name, gconstpointer bytes, gsize n)
{
  g_autofree gchar *path = folder ? g_build_filename (folder, name, NULL) : NULL;
  GError *error = NULL;

  if (path && ! g_file_set_contents (path, bytes, n, &error))
    g_error ("%s", error->message);
}

static GeglBuffer *
picture_new (gint width, gint height, const gdouble matrix[9], guint32 camera, const gchar *name)
{
  const GeglRectangle box = { 0, 0, width, height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("R'G'B' u8"));
  Painting            painting = { g_malloc ((gsize) 3 * width * height), width, matrix, camera };

  gegl_parallel_distribute_range (height, 1.0, paint_rows, &painting);
  gegl_buffer_set (buffer, &box, 0, NULL, painting.pixels, GEGL_AUTO_ROWSTRIDE);
  save (name, painting.pixels, (gsize) 3 * width * height);
  g_free (painting.pixels);
  return buffer;
}

/* -------------------------------------------------------------------- times -- */

typedef struct
{
  gdouble ms, computed;         /* the best run, and its processor time on the host */
  gdouble begun, begun_computed;
} Clock;

static gdouble
computed_ms (void)
{
  struct rusage usage;

  getrusage (RUSAGE_SELF, &usage);
  return 1e3 * (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) + 1e-3 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

static void
begin (Clock *clock)
{
  clock->begun_computed = computed_ms ();
  clock->begun = g_get_monotonic_time () / 1e3;
}

static void
end (Clock *clock)
{
  const gdouble ms = g_get_monotonic_time () / 1e3 - clock->begun, computed = computed_ms () - clock->begun_computed;

  clock->ms = clock->ms > 0.0 ? MIN (clock->ms, ms) : ms;
  clock->computed = clock->computed > 0.0 ? MIN (clock->computed, computed) : computed;
}

/* Where it was computed, as seen since `before`. */
static const gchar *
leg_since (const TesseraCounters *before)
{
  TesseraCounters now;

  tessera_get_counters (&now);
  return now.launches > before->launches ? "device" : "C";
}

/* ------------------------------------------------------------------- aligning -- */

/* How far the corners are from where they should be: the mean, in pixels of the reference.  `matrix`: nine numbers in words. */
static gdouble
corner_error (const gchar *matrix, const gdouble truth[9], gint width, gint height)
{
  g_auto (GStrv) words = g_strsplit (matrix, " ", -1);
  gdouble found[9], sum = 0.0;

  for (gint i = 0; i < 9; i++)
    found[i] = words[0] && g_strv_length (words) == 9 ? g_ascii_strtod (words[i], NULL) : 0.0;
  for (gint i = 0; i < 4; i++)
    {
      gdouble u, v, x, y;

      matrix_map (found, (i & 1) * (width - 1), (i >> 1) * (height - 1), &u, &v);
      matrix_map (truth, (i & 1) * (width - 1), (i >> 1) * (height - 1), &x, &y);
      sum += hypot (u - x, v - y) / 4.0;
    }
  return sum;
}

/* The whole graph, from buffer to buffer. */
static gchar *
align_once (GeglBuffer *moved, GeglBuffer *reference, Clock *clock)
{
  GeglNode   *graph = gegl_node_new (), *align, *input, *aux;
  g_autoptr (GeglBuffer) result = gegl_buffer_new (gegl_buffer_get_extent (reference), babl_format ("RGBA float"));
  gchar      *matrix;

  align = gegl_node_new_child (graph, "operation", "tessera:align", NULL);
  input = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", moved, NULL);
  aux = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", reference, NULL);
  gegl_node_link (input, align);
  gegl_node_connect_to (aux, "output", align, "aux");
  begin (clock);
  gegl_node_blit_buffer (align, result, NULL, 0, GEGL_ABYSS_NONE);
  end (clock);
  gegl_node_get (align, "matrix", &matrix, NULL);
  g_object_unref (graph);
  return matrix;
}

/* ---------------------------------------------------------------------- lines -- */

static void
begin_line (JsonBuilder *json, const gchar *what)
{
  put_object (json, NULL);
  put_text (json, "what", what);
}

static void
put_clock (JsonBuilder *json, const gchar *leg, const Clock *clock)
{
  put_text (json, "leg", leg);
  put_number (json, "ms", "%.1f", clock->ms);
  put_number (json, "computed_ms", "%.1f", clock->computed);
}

static void
time_align (gdouble mpix)
{
  const gint      width = (gint) sqrt (mpix * 1.5e6), height = (gint) (mpix * 1e6 / width);
  const gdouble   turn = 1.01 * cos (0.03), side = 1.01 * sin (0.03), identity[9] = MATRIX_IDENTITY;
  const gdouble   moved_at[9] = { turn, -side, 0.01 * width, side, turn, -0.02 * height, 0.0, 0.0, 1.0 };
  gchar          *names[2] = { g_strdup_printf ("reference-%g.rgb", mpix), g_strdup_printf ("moved-%g.rgb", mpix) }, *matrix = NULL;
  GeglBuffer     *reference = picture_new (width, height, identity, 101, names[0]), *moved = picture_new (width, height, moved_at, 102, names[1]);
  Clock           clock = { 0 };
  TesseraCounters before;
  g_autoptr (JsonBuilder) json = json_builder_new ();

  tessera_get_counters (&before);
  for (gint i = -1; i < n_runs; i++)                    /* the first one builds and allocates */
    {
      g_free (matrix);
      matrix = align_once (moved, reference, &clock);
      clock = i < 0 ? (Clock) { 0 } : clock;
    }
  begin_line (json, "align");
  put_number (json, "mpix", "%g", mpix);
  put_int (json, "width", width);
  put_int (json, "height", height);
  put_clock (json, leg_since (&before), &clock);
  put_number (json, "error", "%.4f", corner_error (matrix, moved_at, width, height));
  put_array (json, "truth");
  for (gint i = 0; i < 9; i++)
    put_number (json, NULL, "%.17g", moved_at[i]);
  json_builder_end_array (json);
  json_print_line (json);
  g_free (matrix);
  g_object_unref (moved);
  g_object_unref (reference);
  g_free (names[0]);
  g_free (names[1]);
}

/* ------------------------------------------------------------------- matching -- */

/* B's are A's in another order, each element a little off. */
static void
time_match (void)
{
  const gsize     n = n_descriptors;
  g_autofree guint8 *a = g_malloc (n * DESCRIPTOR), *b = g_malloc (n * DESCRIPTOR);
  Clock           clock = { 0 };
  g_autoptr (GeglNode) node = gegl_node_new_child (NULL, "operation", "tessera:align", NULL);
  TesseraErrand   errand = { .operation = gegl_node_get_gegl_operation (node) };
  TesseraCounters before;
  gint            found = 0;
  g_autoptr (JsonBuilder) json = json_builder_new ();

  for (gsize i = 0; i < n * DESCRIPTOR; i++)
    a[i] = hash (i, 0, 103) >> 25;
  for (gsize i = 0; i < n * DESCRIPTOR; i++)
    b[(n - 1) * DESCRIPTOR - i / DESCRIPTOR * DESCRIPTOR + i % DESCRIPTOR] = a[i] + (hash (i, 0, 104) >> 29);
  save ("a.u8", a, n * DESCRIPTOR);
  save ("b.u8", b, n * DESCRIPTOR);
  tessera_get_counters (&before);
  for (gint i = -1; i < n_runs && found >= 0; i++)
    {
      g_autofree Match *matches = NULL;

      begin (&clock);
      found = match_descriptors (&errand, a, n, b, n, 0.8, TRUE, &matches);
      end (&clock);
      clock = i < 0 ? (Clock) { 0 } : clock;
    }
  begin_line (json, "match");
  put_int (json, "n", n_descriptors);
  put_clock (json, leg_since (&before), &clock);
  put_int (json, "found", found);
  json_print_line (json);
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  gchar         **words;

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL) || argc > 1 || n_runs < 1 || n_descriptors < 2)
    {
      g_printerr ("pairs: see the head of tools/bench/pairs.c\n");
      return 2;
    }
  g_option_context_free (context);
  gegl_init (NULL, NULL);
  words = g_strsplit (sizes, ",", -1);
  for (gint i = 0; words[i]; i++)
    time_align (g_ascii_strtod (words[i], NULL));
  time_match ();
  g_strfreev (words);
  gegl_exit ();
  return 0;
}
