/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:estimate-shift in a graph: the bits of shift_find in C, on the device and after any failure of it; the input as it is; reasons in words. */
#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "counts.h"
#include "shift.h"
#include "stars.h"
#include "tessera-control.h"

#include "../engine/verdict.h"

/* Deprecated under this name, and absent from 0.4.42 under the new one. */
#if GEGL_MICRO_VERSION >= 60
#define gegl_node_connect_to gegl_node_connect
#endif

typedef struct
{
  gdouble  x, y, error;
  gboolean converged;
  gint     pixels, steps;
  gchar   *reason;
} Answer;

typedef struct
{
  const gchar *method;
  gint         max_shift;
  gdouble      saturation;
  gboolean     reject_hot;
} Settings;

static const Settings defaults = { "pyramid", 64, 0, TRUE };

/* ------------------------------------------------------------------- the graph -- */

static GeglNode *
node_of (GeglNode *graph, const Settings *settings)
{
  GeglNode   *node = gegl_node_new_child (graph, "operation", "tessera:estimate-shift", "max-shift", settings->max_shift, "saturation",
                                          settings->saturation, "reject-hot", settings->reject_hot, NULL);
  GParamSpec *spec = gegl_node_find_property (node, "method");

  gegl_node_set (node, "method", g_enum_get_value_by_nick (g_type_class_peek (spec->value_type), settings->method)->value, NULL);
  return node;
}

static Answer
answer_of (GeglNode *node)
{
  Answer a;

  gegl_node_get (node, "shift-x", &a.x, "shift-y", &a.y, "error", &a.error, "converged", &a.converged, "pixels", &a.pixels, "steps", &a.steps,
                 "reason", &a.reason, NULL);
  return a;
}

static GeglNode *
source_of (GeglNode *graph, GeglBuffer *buffer)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

/* `through`, if not NULL: gets the output, which has the input's box and format. */
static Answer
ask (GeglBuffer *input, GeglBuffer *aux, const Settings *settings, TesseraOpenclMode mode, guchar **through)
{
  const GeglRectangle *box = gegl_buffer_get_extent (input);
  const Babl          *format = gegl_buffer_get_format (input);
  GeglNode            *graph = gegl_node_new (), *node = node_of (graph, settings);
  guchar              *pixels = g_malloc0 ((gsize) box->width * box->height * babl_format_get_bytes_per_pixel (format) + 1);
  Answer               a;

  tessera_set_opencl_mode (mode);
  gegl_node_link (source_of (graph, input), node);
  if (aux)
    gegl_node_connect_to (source_of (graph, aux), "output", node, "aux");
  gegl_node_blit (node, 1.0, box, format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  a = answer_of (node);
  if (through)
    *through = g_steal_pointer (&pixels);
  g_free (pixels);
  g_object_unref (graph);
  return a;
}

static gboolean
same (const Answer *a, const Answer *b)
{
  return memcmp (&a->x, &b->x, sizeof a->x) == 0 && memcmp (&a->y, &b->y, sizeof a->y) == 0 && memcmp (&a->error, &b->error, sizeof a->error) == 0
         && a->converged == b->converged && a->pixels == b->pixels && a->steps == b->steps && strcmp (a->reason, b->reason) == 0;
}

static void
expect_same (Answer *a, Answer *b, const gchar *what)
{
  expect (same (a, b), "%s: (%.9g, %.9g), error %g, %d pixels in %d steps (%s) and (%.9g, %.9g), error %g, %d pixels in %d steps (%s)", what, a->x, a->y,
          a->error, a->pixels, a->steps, a->reason, b->x, b->y, b->error, b->pixels, b->steps, b->reason);
  g_clear_pointer (&b->reason, g_free);
}

/* ---------------------------------------------------------------------- frames -- */

static StarsField *
field_of (gchar preset, guint64 seed, gint width, gint height)
{
  StarsSettings settings;

  stars_preset (&settings, preset, seed);
  settings.width = width;
  settings.height = height;
  settings.n_objects = 0;
  return stars_field_new (&settings);
}

static GeglBuffer *
buffer_of (const StarsField *field, gint frame, const gchar *format, gint x, gint y)
{
  const GeglRectangle box = { x, y, field->settings.width, field->settings.height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format (format));
  guint16            *adu = g_new (guint16, box.width * box.height);

  stars_frame (field, frame, adu);
  gegl_buffer_set (buffer, &box, 0, babl_format (strstr (format, "Y' ") ? "Y' u16" : "Y u16"), adu, GEGL_AUTO_ROWSTRIDE);
  g_free (adu);
  return buffer;
}

static void
spoil (GeglBuffer *buffer)
{
  const gfloat hard[] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f, 0.9f, 1e-41f };

  for (gint i = 0; i < 40; i++)
    {
      const GeglRectangle one = { gegl_buffer_get_x (buffer) + i * 37 % gegl_buffer_get_width (buffer),
                                  gegl_buffer_get_y (buffer) + i * 59 % gegl_buffer_get_height (buffer), 1, 1 };

      gegl_buffer_set (buffer, &one, 0, babl_format ("Y float"), &hard[i % G_N_ELEMENTS (hard)], GEGL_AUTO_ROWSTRIDE);
    }
}

/* What shift_find says of the camera's own numbers. */
static Answer
direct (const StarsField *field, gint frame, const Settings *settings)
{
  const gint    n = field->settings.width * field->settings.height;
  ShiftSettings s = { SHIFT_PYRAMID, settings->max_shift, settings->saturation > 0 ? settings->saturation : 65535, settings->reject_hot };
  guint16      *adu = g_new (guint16, n);
  CountPlane    planes[2];
  Shift         found;

  s.method = strcmp (settings->method, "single") == 0 ? SHIFT_SINGLE : strcmp (settings->method, "iterated") == 0 ? SHIFT_ITERATED : SHIFT_PYRAMID;
  for (gint k = 0; k < 2; k++)
    {
      count_plane_init (&planes[k], field->settings.width, field->settings.height);
      stars_frame (field, k ? frame : 0, adu);
      for (gint i = 0; i < n; i++)
        planes[k].pixels[i] = adu[i];
    }
  shift_find (&planes[0], &planes[1], &s, &found);
  for (gint k = 0; k < 2; k++)
    count_plane_clear (&planes[k]);
  g_free (adu);
  return (Answer) { found.x, found.y, found.error, found.converged, found.pixels, found.steps, g_strdup ("") };
}

/* -------------------------------------------------------------------- the tests -- */

static void
check_counts (void)
{
  StarsField    *field = field_of ('A', 11, 150, 140);
  GeglBuffer    *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 2, "Y' u16", 0, 0);
  GeglBuffer    *linear_a = buffer_of (field, 0, "Y u16", 0, 0), *linear_b = buffer_of (field, 2, "Y u16", 0, 0);
  GeglBuffer    *float_a = buffer_of (field, 0, "Y float", 0, 0), *float_b = buffer_of (field, 2, "Y float", 0, 0);
  GeglBuffer    *colour_a = buffer_of (field, 0, "RGB float", 0, 0), *colour_b = buffer_of (field, 2, "RGB float", 0, 0);
  const Settings lower = { "iterated", 0, 20000, FALSE };
  Answer         right = direct (field, 2, &defaults), other;
  guint16        all[256 * 256];
  GeglBuffer    *codes = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 256, 256), babl_format ("Y' u16"));
  CountPlane     plane;
  gint           wrong = 0;

  expect (right.converged, "16 bits: (%g, %g) in %d steps", right.x, right.y, right.steps);
  other = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "16 bits behind a tone curve");
  other = ask (linear_b, linear_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "16 bits without one");
  other = ask (float_b, float_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && hypot (other.x - right.x, other.y - right.y) < 1e-5, "float: (%g, %g)", other.x, other.y);
  g_free (other.reason);
  other = ask (colour_b, colour_a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && hypot (other.x - right.x, other.y - right.y) < 1e-4, "colours: (%g, %g)", other.x, other.y);
  g_free (other.reason);
  g_free (right.reason);
  right = direct (field, 2, &lower);
  other = ask (b, a, &lower, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "other settings");
  for (gint i = 0; i < 256 * 256; i++)
    all[i] = i;
  gegl_buffer_set (codes, NULL, 0, NULL, all, GEGL_AUTO_ROWSTRIDE);
  count_plane_init (&plane, 256, 256);
  counts_read (codes, gegl_buffer_get_extent (codes), &plane);
  for (gint i = 0; i < 256 * 256; i++)
    wrong += plane.pixels[i] != i;
  expect (wrong == 0, "%d of 65536 numbers of 16 bits are not read as they are", wrong);
  count_plane_clear (&plane);
  g_free (right.reason);
  g_object_unref (codes);
  g_object_unref (colour_a);
  g_object_unref (colour_b);
  g_object_unref (float_a);
  g_object_unref (float_b);
  g_object_unref (linear_a);
  g_object_unref (linear_b);
  g_object_unref (a);
  g_object_unref (b);
  stars_field_free (field);
}

/* The picture goes on as it is; boxes that begin elsewhere move the shift; other tiles change nothing. */
static void
check_graph (void)
{
  StarsField *field = field_of ('A', 12, 130, 111);
  GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0), *far = buffer_of (field, 1, "Y' u16", 100, -7), *tiled;
  Answer      right, other;
  guchar     *through, *stored = g_malloc (2 * 130 * 111);

  right = ask (b, a, &defaults, TESSERA_OPENCL_OFF, &through);
  gegl_buffer_get (b, NULL, 1.0, NULL, stored, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  expect (memcmp (through, stored, 2 * 130 * 111) == 0, "the input goes on as it is");
  other = ask (far, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect (other.converged && fabs (other.x - right.x - 100) < 1e-9 && fabs (other.y - right.y + 7) < 1e-9, "a box that begins elsewhere: (%g, %g)",
          other.x, other.y);
  g_free (other.reason);
  g_object_set (gegl_config (), "threads", 5, "tile-width", 33, "tile-height", 18, NULL);
  tiled = buffer_of (field, 1, "Y' u16", 0, 0);
  other = ask (tiled, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  expect_same (&right, &other, "other tiles and threads");
  g_object_set (gegl_config (), "threads", 2, "tile-width", 128, "tile-height", 128, NULL);
  g_object_unref (tiled);
  g_free (right.reason);
  g_free (through);
  g_free (stored);
  g_object_unref (far);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

/* A graph that lives on tells of its new input. */
static void
check_change (void)
{
  StarsField *field = field_of ('D', 13, 128, 128);
  GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0), *c = buffer_of (field, 2, "Y' u16", 0, 0);
  GeglNode   *graph = gegl_node_new (), *source = source_of (graph, b), *node = node_of (graph, &defaults);
  guint16    *pixels = g_new (guint16, 128 * 128);
  Answer      right[2], told;

  right[0] = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  right[1] = ask (c, a, &defaults, TESSERA_OPENCL_OFF, NULL);
  gegl_node_link (source, node);
  gegl_node_connect_to (source_of (graph, a), "output", node, "aux");
  for (gint k = 0; k < 2; k++)
    {
      gegl_node_set (source, "buffer", k ? c : b, NULL);
      gegl_node_blit (node, 1.0, GEGL_RECTANGLE (10, 10, 20, 20), babl_format ("Y' u16"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_CACHE);
      told = answer_of (node);
      expect_same (&right[k], &told, k ? "another input in the same graph" : "a part of the result");
      g_free (right[k].reason);
    }
  g_free (pixels);
  g_object_unref (graph);
  g_object_unref (c);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

static void
expect_reason (const gchar *what, GeglBuffer *input, GeglBuffer *aux, const gchar *reason)
{
  for (gint device = 0; device < 2; device++)
    {
      Answer a = ask (input, aux, &defaults, device && tessera_device_name () ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF, NULL);

      expect (! a.converged && a.x == 0 && a.y == 0 && a.error == 0 && strstr (a.reason, reason), "%s: (%g, %g), \"%s\"", what, a.x, a.y, a.reason);
      g_free (a.reason);
    }
}

static void
check_reasons (void)
{
  StarsField *field = field_of ('A', 14, 64, 64), *wide = field_of ('A', 14, 65, 64);
  GeglBuffer *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (wide, 0, "Y' u16", 0, 0);
  GeglBuffer *flat = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 64, 64), babl_format ("Y float"));
  GeglBuffer *one = gegl_buffer_new (GEGL_RECTANGLE (3, 3, 1, 1), babl_format ("Y float"));
  GeglNode   *graph = gegl_node_new (), *node = node_of (graph, &defaults);
  guint16     pixels[16];
  Answer      endless;

  expect_reason ("alone", a, NULL, "no second picture");
  expect_reason ("another size", a, b, "64x64 and 65x64");
  expect_reason ("nothing to see", flat, flat, "too little to compare");
  expect_reason ("one pixel", one, one, "too little to compare: 0 pixels");
  gegl_node_link (source_of (graph, a), node);
  gegl_node_connect_to (gegl_node_new_child (graph, "operation", "gegl:color", NULL), "output", node, "aux");
  gegl_node_blit (node, 1.0, GEGL_RECTANGLE (0, 0, 4, 4), babl_format ("Y' u16"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  endless = answer_of (node);
  expect (strstr (endless.reason, "no end") != NULL, "a picture without end: \"%s\"", endless.reason);
  g_free (endless.reason);
  g_object_unref (graph);
  g_object_unref (one);
  g_object_unref (flat);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (wide);
  stars_field_free (field);
}

/* ------------------------------------------------------------------- the device -- */

static const gint sizes[][2] = { { 200, 120 }, { 63, 65 }, { 129, 33 }, { 5, 5 }, { 1, 40 }, { 64, 16 }, { 90, 7 } };
static const gint small_sizes[][2] = { { 37, 21 }, { 67, 18 } };

static void
check_device (const gint sizes[][2], gsize n_sizes)
{
  static const Settings all[] = { { "pyramid", 64, 0, TRUE }, { "single", 0, 0, TRUE }, { "iterated", 0, 9000, FALSE }, { "pyramid", 3, 60000, FALSE } };

  for (gsize k = 0; k < n_sizes; k++)
    for (gsize i = 0; i < G_N_ELEMENTS (all); i++)
      {
        StarsField     *field = field_of ("ACDB"[i], 20 + k, sizes[k][0], sizes[k][1]);
        GeglBuffer     *a = buffer_of (field, 0, i % 2 ? "Y float" : "Y' u16", 0, 0), *b = buffer_of (field, 1 + k % 2, i % 2 ? "Y float" : "Y' u16", 0, 0);
        gchar          *what = g_strdup_printf ("%dx%d, %s, C and the device", sizes[k][0], sizes[k][1], all[i].method);
        TesseraCounters before, after;
        Answer          in_c, on_device;

        if (i % 2)
          {
            spoil (a);
            spoil (b);
          }
        in_c = ask (b, a, &all[i], TESSERA_OPENCL_OFF, NULL);
        tessera_get_counters (&before);
        on_device = ask (b, a, &all[i], TESSERA_OPENCL_FORCE, NULL);
        tessera_get_counters (&after);
        expect (after.device_requests == before.device_requests + 1 && after.fallbacks == before.fallbacks, "%s: it ran on the device", what);
        expect_same (&in_c, &on_device, what);
        g_free (in_c.reason);
        g_free (what);
        g_object_unref (b);
        g_object_unref (a);
        stars_field_free (field);
      }
}

/* With the check that other programs have: the device is found to compute what C does, and is used. */
static void
check_proof (void)
{
  StarsField     *field = field_of ('A', 15, 128, 100);
  GeglBuffer     *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0);
  TesseraCounters before, after;
  Answer          in_c = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL), on_device;

  tessera_get_counters (&before);
  on_device = ask (b, a, &defaults, TESSERA_OPENCL_TRY, NULL);
  tessera_get_counters (&after);
  expect (after.device_requests == before.device_requests + 1 && after.fallbacks == before.fallbacks, "the check trusts the device");
  expect_same (&in_c, &on_device, "after the check");
  g_free (in_c.reason);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

/* C answers instead, and nothing is left behind.  The calls that fail lie ever farther apart, because there are many. */
static void
check_faults (void)
{
  static const gchar *const kinds[] = { "build", "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait" };

  StarsField     *field = field_of ('A', 16, 70, 66);
  GeglBuffer     *a = buffer_of (field, 0, "Y' u16", 0, 0), *b = buffer_of (field, 1, "Y' u16", 0, 0);
  Answer          in_c = ask (b, a, &defaults, TESSERA_OPENCL_OFF, NULL), other;
  TesseraCounters before, after;
  gint            met = 0;

  other = ask (b, a, &defaults, TESSERA_OPENCL_TRY, NULL);
  expect_same (&in_c, &other, "before all faults");
  tessera_trim ();
  tessera_get_counters (&before);
  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (gint n = 1; n < 1000; n += 1 + n / 4)
      {
        gchar   *fault = g_strdup_printf ("%s:%d", kinds[k], n);
        gboolean is_met;

        tessera_set_fault (fault);
        other = ask (b, a, &defaults, TESSERA_OPENCL_TRY, NULL);
        is_met = tessera_fault_met ();
        tessera_set_fault (NULL);
        expect_same (&in_c, &other, fault);
        met += is_met;
        g_free (fault);
        if (! is_met)
          break;
      }
  tessera_trim ();
  tessera_get_counters (&after);
  expect (met > 40 && after.fallbacks > before.fallbacks, "%d faults were met", met);
  expect (after.live_objects <= before.live_objects && after.abandoned_objects == before.abandoned_objects, "%d objects are left",
          (gint) (after.live_objects - before.live_objects));
  g_free (in_c.reason);
  g_object_unref (b);
  g_object_unref (a);
  stars_field_free (field);
}

gint
main (gint argc, gchar **argv)
{
  gegl_init (&argc, &argv);
  if (argc > 1 && strcmp (argv[1], "--small") == 0)     /* for a slow device that looks at each access */
    {
      tessera_set_proof (FALSE);
      tessera_set_tight_memory (TRUE);
      check_device (small_sizes, G_N_ELEMENTS (small_sizes));
      return expect_told ();
    }
  check_counts ();
  check_graph ();
  check_change ();
  check_reasons ();
  if (tessera_device_name ())
    {
      check_proof ();
      tessera_set_proof (FALSE);
      check_device (sizes, G_N_ELEMENTS (sizes));
      check_faults ();
    }
  else
    g_print ("there is no device\n");
  gegl_exit ();
  return expect_told ();
}
