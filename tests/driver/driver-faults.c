/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The filters on a driver that fails.  `driver-faults [FILTER [PLAN]]`: each OpenCL
 * function fails at each of its calls; the device is lost in the middle; commands
 * fail late; the driver is slow, or lies; and what fails again and again is left
 * alone.  `driver-faults --start device|c|any [FILTER]`: the plan of STUB_ICD_PLAN holds
 * from the beginning, and the requests must be answered there, rightly. */
#include "driver-breakers.h"
#include "driver-checks.h"
#include "driver-types.h"
#include "driver-kernels.h"
#include "driver-walk.h"

#include "cl-api.h"

/* A variant is spared the failures while programs, kernels and queues are made: that
 * takes long, and differs little. */
static const DriverCase cases[] = {
  { .name = "motion-blur", .operation = "tessera:motion-blur", .settings = "length=13.5 angle=27",
    .format = "RaGaBaA float", .width = 61, .height = 50 },
  { .name = "bilateral-grid", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=5 range-sigma=0.15 guide=channels tone=linear", .format = "RGBA float",
    .width = 61, .height = 50, .measures = TRUE },
  { .name = "gaussian-blur", .operation = "tessera:gaussian-blur", .settings = "std-dev-x=2 std-dev-y=3",
    .format = "RaGaBaA float", .width = 61, .height = 50 },
  { .name = "gaussian-blur-cells", .operation = "tessera:gaussian-blur", .settings = "std-dev-x=20 std-dev-y=16",
    .format = "RaGaBaA float", .width = 61, .height = 50, .is_variant = TRUE },
  { .name = "median-blur", .operation = "tessera:median-blur", .settings = "radius=4", .format = "R'G'B'A float",
    .width = 45, .height = 40, .is_variant = TRUE },
  { .name = "template", .operation = "tessera:template", .settings = "strength=0.7", .format = "RGBA float",
    .width = 61, .height = 50, .is_variant = TRUE },
  { .name = "motion-blur-loop", .operation = "tessera:motion-blur", .settings = "length=9 angle=120 border=loop",
    .format = "RaGaBaA float", .width = 40, .height = 37, .is_variant = TRUE },
  { .name = "bilateral-grid-luminance", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=4 range-sigma=0.2 guide=luminance tone=linear", .format = "RGBA float",
    .width = 47, .height = 41, .measures = TRUE, .is_variant = TRUE },
  { .name = "bilateral-grid-aux", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=6 range-sigma=0.1 tone=perceptual", .format = "R'G'B'A float",
    .width = 45, .height = 40, .has_aux = TRUE, .measures = TRUE, .is_variant = TRUE },
  { .name = "bilateral-grid-sparse", .operation = "tessera:bilateral-grid",
    .settings = "spatial-sigma=1 range-sigma=0.01 guide=channels tone=linear", .format = "RGBA float",
    .width = 30, .height = 36, .measures = TRUE, .is_variant = TRUE },
  { .name = "sift", .operation = "tessera:sift", .settings = "octaves=1 contrast-threshold=0.01", .format = "RGBA float",
    .width = 40, .height = 37, .measures = TRUE, .is_variant = TRUE }
};

static gboolean
is_wanted (const DriverCase *c, const gchar *filter)
{
  if (! gegl_has_operation (c->operation))
    {
      if (! strstr (c->name, "template"))
        driver_verdict (FALSE, c->name, "GEGL does not know it (GEGL_PATH?)\n");
      return FALSE;
    }
  return ! filter || strcmp (filter, c->name) == 0;
}

/* ------------------------------------------------------- slow, and lying -- */

/* A filter that measures believes what the device says of the range of its planes:
 * such a lie leads its kernels out of their memory, as any driver's could. */
static void
odd_drivers (Walk *walk)
{
  static const struct { const gchar *plan; FaultFlags flags; } plans[] = {
    { "delay EnqueueNDRangeKernel:2", 0 }, { "delay WaitForEvents:5; delay Finish:5", 0 },
    { "delay EnqueueReadBuffer:5; delay EnqueueWriteBuffer:3", 0 }, { "delay CreateBuffer:1", 0 },
    { "lie:build", FORGET_OBJECTS | FORGET_AFTER }
  };

  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    if (! walk_fault (walk, plans[i].plan, plans[i].flags))
      driver_verdict (FALSE, plans[i].plan, "  was not met\n");
  walk_lie (walk, "lie:launch");
  walk_lie (walk, "lie:round");
  if (! walk->c->measures)
    walk_lie (walk, "lie:download");
}

/* ------------------------------------------------------------------ main -- */

static void
check_met (GHashTable *met)
{
  static const gchar *const at_start[] = { "GetDeviceInfo", "GetPlatformInfo", NULL };

#define ENTRY_MET(name)                                                                         \
  if (stub.calls (#name) < 0)                                                                   \
    driver_verdict (FALSE, "cl" #name, "  the stub has no hook for it: tests/driver/stub-hooks.c\n"); \
  else if (! g_strv_contains (at_start, #name))                                                 \
    driver_verdict (! stub.calls (#name) || g_hash_table_contains (met, #name), "cl" #name,    \
                    "  is called and was never made to fail\n");
  TESSERA_CL_ENTRY_POINTS (ENTRY_MET)
#undef ENTRY_MET
}

static void
fail_everywhere (const gchar *filter, const gchar *plan)
{
  GHashTable *met = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (is_wanted (&cases[i], filter))
      {
        gint64 began = g_get_monotonic_time ();
        Walk   walk;

        if (! walk_init (&walk, &cases[i]))
          driver_verdict (FALSE, cases[i].name, "  does not run on the device in several bands\n");
        else if (plan)
          printf ("met: %s\n", walk_fault (&walk, plan, FORGET_OBJECTS | FORGET_AFTER) ? "yes" : "no");
        else
          {
            walk_all (&walk, met);
            odd_drivers (&walk);
          }
        walk_clear (&walk);
        printf ("%s: %.1f s\n", cases[i].name, (g_get_monotonic_time () - began) / 1e6);
        fflush (stdout);
      }
  if (! filter)
    {
      check_met (met);
      breakers (&cases[0], &cases[1], &cases[2]);
      later_walk ();
    }
  g_hash_table_unref (met);
}

/* The plan was there before GEGL was. */
static void
start_with_plan (const gchar *where, const gchar *filter)
{
  TesseraCounters counters;
  const gchar    *name;
  gboolean        right;

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    if (is_wanted (&cases[i], filter))
      {
        GString      *why = g_string_new (NULL);
        DriverPicture picture;
        gfloat       *in_c, *tried;

        driver_picture_init (&picture, &cases[i], 1);
        tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
        in_c = driver_run (&cases[i], &picture);
        tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
        tried = driver_run (&cases[i], &picture);
        driver_verdict (driver_same (&cases[i], tried, in_c, "tried and C", why), cases[i].name, why->str);
        driver_picture_clear (&picture);
        g_string_free (why, TRUE);
        g_free (in_c);
        g_free (tried);
      }
  tessera_get_counters (&counters);
  right = strcmp (where, "any") == 0 || (counters.device_requests > 0) == (strcmp (where, "device") == 0);
  driver_verdict (right, g_getenv ("STUB_ICD_PLAN"), "  the requests were not answered there\n");
  printf ("met: %s\n", stub.met () ? "yes" : "no");
  tessera_set_clock_offset (61 * G_USEC_PER_SEC);
  name = tessera_device_name ();
  printf ("met: a minute later %s\n", name ? "a device" : "no device");
}

int
main (int argc, char **argv)
{
  const gboolean at_start = argc > 2 && strcmp (argv[1], "--start") == 0;
  const gboolean kernels = argc > 1 && strcmp (argv[1], "--kernels") == 0;
  const gboolean limits = argc > 1 && strcmp (argv[1], "--breakers") == 0;
  const gboolean later = argc > 1 && strcmp (argv[1], "--later") == 0;
  const gboolean types = argc > 1 && strcmp (argv[1], "--types") == 0, all = argc > 1 && strcmp (argv[1], "--all") == 0;

  if (driver_start (&argc, &argv, ! at_start))
    {
      if (at_start)
        start_with_plan (argv[2], argc > 3 ? argv[3] : NULL);
      else if (limits)
        breakers (&cases[0], &cases[1], &cases[2]);
      else if (later)
        later_walk ();
      else if (kernels)
        {
          kernels_walk ();
          checks_walk ();
        }
      else if (types || all)
        types_walk (all, argc > 2 ? argv[2] : NULL, argc > 3 ? argv[3] : NULL, argc > 4 ? argv[4] : NULL);
      else
        fail_everywhere (argc > 1 ? argv[1] : NULL, argc > 2 ? argv[2] : NULL);
      tessera_trim ();
      gegl_exit ();
    }
  return driver_finish ();
}
