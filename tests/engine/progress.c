/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * progress: every filter tells of 1 Mpix from 0 to 1, without a step back, in C and on
 * the device, and after the device has failed, even where nobody mends it; of little work nothing; of long work so
 * often that a bar moves, and no oftener. */
#include <gegl.h>
#include <string.h>

#include "tessera-control.h"
#include "verdict.h"

#define WIDTH     1225
#define HEIGHT    817
#define OCTAVES   4              /* of three quarters, and of three quarters of what is left, and so on, until 0.99 */
#define BAND_ROWS 128
#define LEAST_GAP 0.045         /* seconds between two words, in the mean */

static GArray  *told;           /* gdouble */
static GThread *caller;
static const gchar *wanted = "RGBA float";      /* of the result */
static gboolean strange;        /* told on another thread */
static gint64   first_word, last_word;  /* microseconds; last: but for the 1 */

static void
on_progress (GeglNode *node G_GNUC_UNUSED, gdouble fraction)
{
  strange = strange || g_thread_self () != caller;
  first_word = told->len ? first_word : g_get_monotonic_time ();
  last_word = fraction < 1.0 ? g_get_monotonic_time () : last_word;
  g_array_append_val (told, fraction);
}

/* Random squares: a filter that looks for figures finds some. */
static GeglBuffer *
paint (gint width, gint height)
{
  const GeglRectangle box = { 0, 0, width, height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("R'G'B'A float"));
  gfloat             *pixels = g_new (gfloat, 4 * (gsize) width * height);

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      for (gint c = 0; c < 4; c++)
        pixels[4 * ((gsize) y * width + x) + c]
          = c == 3 ? 1.0f : ((x / 16 * 7 + y / 16 * 13 + x / 16 * (y / 16) + 3 * c) % 17) / 16.0f;
  gegl_buffer_set (buffer, &box, 0, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  return buffer;
}

/* What is told while `operation` runs is left in `told`; returns seconds. */
static gdouble
run (const gchar *operation, const gchar *property, gint value, GeglBuffer *input)
{
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
  GeglNode   *node = gegl_node_new_child (graph, "operation", operation, NULL);
  GeglBuffer *result = gegl_buffer_new (gegl_buffer_get_extent (input), babl_format (wanted));
  gint64      began = g_get_monotonic_time ();

  if (property)
    {
      GValue number = G_VALUE_INIT;

      g_value_init (&number, G_TYPE_INT);
      g_value_set_int (&number, value);
      gegl_node_set_property (node, property, &number);
    }
  gegl_node_link (source, node);
  g_array_set_size (told, 0);
  strange = FALSE;
  caller = g_thread_self ();
  g_signal_connect (node, "progress", G_CALLBACK (on_progress), NULL);
  gegl_node_blit_buffer (node, result, NULL, 0, GEGL_ABYSS_NONE);
  g_object_unref (graph);
  g_object_unref (result);
  return (g_get_monotonic_time () - began) / 1e6;
}

static void
expect_whole (const gchar *operation, const gchar *path, guint least)
{
  const gdouble *values = (const gdouble *) (gpointer) told->data;
  gboolean       rises = TRUE;

  for (guint i = 1; i < told->len; i++)
    rises = rises && values[i] > values[i - 1];
  expect (told->len >= least, "%s, %s: told %u times, expected %u or more", operation, path, told->len, least);
  expect (told->len && values[0] == 0.0, "%s, %s: begins with %g, not with 0", operation, path,
          told->len ? values[0] : -1.0);
  expect (told->len && values[told->len - 1] == 1.0, "%s, %s: ends with %g, not with 1", operation, path,
          told->len ? values[told->len - 1] : -1.0);
  expect (rises, "%s, %s: a step back, or the same twice", operation, path);
  expect (! strange, "%s, %s: told on another thread", operation, path);
}

/* ---------------------------------------------------------------------- cases -- */

/* A request that fails on the way, also the first of several, closes what it has opened. */
static void
expect_closed (const gchar *operation, GeglBuffer *input)
{
  const gdouble *values;

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_fault ("download:1");
  wanted = "Y' u8";             /* GEGL warns of each tile that it copies of a result that nobody made */
  run (operation, NULL, 0, input);
  wanted = "RGBA float";
  expect (tessera_fault_met (), "%s: the fault was not met where it may not be mended", operation);
  tessera_set_fault (NULL);
  values = (const gdouble *) (gpointer) told->data;
  expect (told->len && values[0] == 0.0 && values[told->len - 1] == 1.0, "%s, failed: told %u times, the last was %g",
          operation, told->len, told->len ? values[told->len - 1] : -1.0);
}

static void
check_operation (const gchar *operation, GeglBuffer *large, GeglBuffer *small)
{
  const gboolean has_device = tessera_device_name () != NULL;
  /* label is one band, equalize's survey another request: both know no parts of it on the device.  sift tells its strips, which are octaves here. */
  const gboolean is_label = strcmp (operation, "tessera:label") == 0, is_sift = strcmp (operation, "tessera:sift") == 0;
  const guint    bands = is_label ? 1 : is_sift ? OCTAVES : HEIGHT / BAND_ROWS;
  gdouble        seconds;

  tessera_set_eager_progress (TRUE);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  run (operation, NULL, 0, large);
  expect_whole (operation, "C", 12);
  if (has_device)
    {
      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      run (operation, NULL, 0, large);
      expect_whole (operation, "device", bands + 1);
      tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
      tessera_set_fault ("download:1");
      run (operation, NULL, 0, large);
      expect (tessera_fault_met (), "%s: the fault was not met", operation);
      expect_whole (operation, "device and then C", 12);
      tessera_set_fault (NULL);
      expect_closed (operation, large);
    }
  tessera_set_eager_progress (FALSE);
  for (gint on_device = 0; on_device <= has_device; on_device++)
    {
      tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
      seconds = run (operation, NULL, 0, small);
      if (seconds < 0.4)
        expect (told->len == 0, "%s: told %u times of %.3f seconds' work", operation, told->len, seconds);
    }
}

/* SIFT's search alone is a request, or drawing is one too; a picture without points has nothing to draw. */
static void
check_points (GeglBuffer *large)
{
  static const struct { const gchar *format; gint result; gboolean is_empty, on_device; } asked[] = {
    { "R'G'B'A float", 1, FALSE, FALSE }, { "R'G'B'A float", 2, FALSE, FALSE }, { "R'G'B'A float", 2, FALSE, TRUE },
    { "RaGaBaA float", 0, FALSE, FALSE }, { "RaGaBaA float", 0, FALSE, TRUE }, { "R'G'B'A float", 0, TRUE, TRUE }
  };

  tessera_set_eager_progress (TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (asked); i++)
    {
      GeglBuffer       *input = gegl_buffer_new (gegl_buffer_get_extent (large), babl_format (asked[i].format));
      g_autofree gchar *what = g_strdup_printf ("tessera:sift with result %d of %s", asked[i].result, asked[i].is_empty ? "nothing" : asked[i].format);

      if (! asked[i].is_empty)
        gegl_buffer_copy (large, NULL, GEGL_ABYSS_NONE, input, NULL);
      tessera_set_opencl_mode (asked[i].on_device && tessera_device_name () ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
      wanted = asked[i].format;
      run ("tessera:sift", "result", asked[i].result, input);
      expect_whole (what, asked[i].on_device ? "device" : "C", asked[i].on_device ? 2 : OCTAVES);        /* a quick one is not waited for */
      g_object_unref (input);
    }
  wanted = "RGBA float";
}

/* Some seconds of work, if the machine is not a very fast one. */
static void
check_long (const gchar *operation, const gchar *property, gint value, GeglBuffer *large)
{
  gdouble seconds;

  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  tessera_set_eager_progress (FALSE);
  seconds = run (operation, property, value, large);
  g_print ("%s with %s %d: %.2f s, told %u times\n", operation, property, value, seconds, told->len);
  if (seconds < 0.8)
    return;
  /* The first word waits for half a second; a band on a busy machine can take what is left of the shortest. */
  expect_whole (operation, "long work", seconds < 2.0 ? 2 : 3);
  expect (last_word - first_word >= (told->len - 2) * LEAST_GAP * 1e6, "%s: told %u times in %.2f s", operation, told->len,
          (last_word - first_word) / 1e6);
}

static gpointer
run_elsewhere (gpointer input)
{
  run ("tessera:median-blur", NULL, 0, input);
  return NULL;
}

/* Those of operations/others make no pixels of one picture.  Their tests see to their progress. */
static gboolean
is_checked (const gchar *operation)
{
  gchar  **others = g_strsplit (TEST_OTHERS, " ", -1);
  gboolean is_checked = g_str_has_prefix (operation, "tessera:")
                        && ! g_strv_contains ((const gchar *const *) others, operation + strlen ("tessera:"));

  g_strfreev (others);
  return is_checked;
}

int
main (int argc, char **argv)
{
  GeglBuffer *large, *larger, *small;
  gchar     **operations;
  guint       n;

  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  told = g_array_new (FALSE, FALSE, sizeof (gdouble));
  large = paint (WIDTH, HEIGHT);
  larger = paint (2 * WIDTH, 2 * HEIGHT);
  small = paint (256, 256);
  tessera_set_band_rows (BAND_ROWS);
  g_object_set (gegl_config (), "threads", 2, NULL);    /* the more there are, the less each has to tell of */
  operations = gegl_list_operations (&n);
  for (guint i = 0; i < n; i++)
    if (is_checked (operations[i]))
      check_operation (operations[i], large, small);
  check_points (large);
  check_long ("tessera:median-blur", "radius", 100, larger);     /* in large pieces */
  check_long ("tessera:motion-blur", "length", 400, larger);     /* in small ones */
  tessera_set_eager_progress (TRUE);
  g_thread_join (g_thread_new ("elsewhere", run_elsewhere, small));
  expect (told->len == 0, "GEGL has passed on what another thread than its main one said");
  g_print ("OpenCL: %s\n", tessera_device_name () ? tessera_device_name () : "none, C alone");
  g_free (operations);
  g_object_unref (large);
  g_object_unref (larger);
  g_object_unref (small);
  g_array_unref (told);
  gegl_exit ();
  return expect_told ();
}
