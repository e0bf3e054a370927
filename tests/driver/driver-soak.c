/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * driver-soak [--requests N] [--period N] [--seed N] [--seconds N]: very many requests on a driver in which one
 * call or command fails in each `period` requests, and works again.  Every result is C's, to the bit, and at the
 * end the device still does the work.  It needs libstub-icd.so beside it, and STUB_ICD_DRIVER where the driver
 * behind that is not PoCL (libnvidia-opencl.so.1). */
#include "driver.h"

#include <stdlib.h>

#define LAST 1000               /* requests at the end that count, or a third of all */
#define MOST_REPORTED 10

static const struct { const gchar *operation, *settings; } operations[] = {
  { "bilateral-filter", "spatial-sigma=5 range-sigma=0.15" },
  { "bilateral-grid", "spatial-sigma=4 range-sigma=0.2 guide=luminance tone=perceptual" },
  { "cielab", "encoding=display" },
  { "convolution", "divisor=1.5 border=none" },
  { "equalize", "clip-limit=2 tiles=3 bins=256" },
  { "gaussian-blur", "std-dev-x=2 std-dev-y=3" },
  { "gaussian-blur", "std-dev-x=20 std-dev-y=16" },
  { "label", "threshold=0.4" },
  { "mean-blur", "radius=3" },
  { "median-blur", "radius=5 percentile=40" },
  { "motion-blur", "length=13.5 angle=27" },
  { "sobel", "tone=linear" },
  { "unsharp-mask", "std-dev=2 amount=1" }
};
static const gchar *const formats[] = { "R'G'B'A u8", "RaGaBaA u16", "RGBA half", "RaGaBaA float" };
static const struct { gint width, height; } sizes[] = { { 40, 37 }, { 96, 70 }, { 163, 120 } };

#define N_CASES (G_N_ELEMENTS (operations) * G_N_ELEMENTS (formats) * G_N_ELEMENTS (sizes))

typedef struct
{
  DriverCase    c;
  DriverPicture picture;
  gfloat       *in_c;
} SoakCase;

static SoakCase cases[N_CASES];
static gint     requests = 300, period = 100, seed = 1, seconds;

/* ---------------------------------------------------------------- faults -- */

/* Functions that every request calls, or nearly. */
static const gchar *const entries[] = {
  "EnqueueWriteBuffer", "EnqueueNDRangeKernel", "EnqueueReadBuffer", "EnqueueBarrierWithWaitList",
  "EnqueueMarkerWithWaitList", "WaitForEvents", "Finish", "SetKernelArg", "CreateBuffer", "EnqueueMapBuffer"
};
static const gchar *const codes[] = {
  "CL_OUT_OF_RESOURCES", "CL_MEM_OBJECT_ALLOCATION_FAILURE", "CL_OUT_OF_HOST_MEMORY", "CL_INVALID_OPERATION", "-9999"
};
static const gchar *const commands[] = { "write", "launch", "read" };

static gchar *
random_plan (GRand *random)
{
  const gchar *entry = entries[g_rand_int_range (random, 0, G_N_ELEMENTS (entries))];
  const gchar *code = codes[g_rand_int_range (random, 0, G_N_ELEMENTS (codes))];
  const gchar *command = commands[g_rand_int_range (random, 0, G_N_ELEMENTS (commands))];
  const gint   n = g_rand_int_range (random, 1, 7);

  switch (g_rand_int_range (random, 0, 10))
    {
    case 0: return g_strdup_printf ("lost:%d:%s", n, code);
    case 1: return g_strdup_printf (n % 2 ? "event:%d" : "quiet-event:%d", n);
    case 2: case 3: return g_strdup_printf ("late %s:%d:%s", command, n, code);
    case 4: case 5: return g_strdup_printf ("alone %s:%d:%s", command, n, code);
    case 6: return g_strdup_printf ("stray %s:%d:%s", n % 2 ? "write" : "read", n, code);
    default: return g_strdup_printf ("fail %s:%d:%s", entry, n, code);
    }
}

/* -------------------------------------------------------------- requests -- */

static void
prepare (void)
{
  guint n = 0;

  for (guint o = 0; o < G_N_ELEMENTS (operations); o++)
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
      for (guint s = 0; s < G_N_ELEMENTS (sizes); s++, n++)
        {
          SoakCase *one = &cases[n];

          one->c = (DriverCase) { .name = operations[o].operation,
                                  .operation = g_strconcat ("tessera:", operations[o].operation, NULL),
                                  .settings = operations[o].settings, .format = formats[f],
                                  .width = sizes[s].width, .height = sizes[s].height };
        }
}

/* A picture and C's answer, when they are first wanted. */
static SoakCase *
ready_case (guint i)
{
  SoakCase *one = &cases[i];

  if (! one->in_c)
    {
      driver_picture_init (&one->picture, &one->c, i + 1);
      tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
      one->in_c = driver_run_to (&one->c, &one->picture, babl_format ("RGBA float"), FALSE);
      tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
    }
  return one;
}

static void
clear (void)
{
  for (guint i = 0; i < N_CASES; i++)
    {
      if (cases[i].in_c)
        driver_picture_clear (&cases[i].picture);
      g_free (cases[i].in_c);
      g_free ((gchar *) cases[i].c.operation);
    }
}

typedef struct
{
  gint     done, wrong, faults, met;
  gboolean fails;               /* a fault is to come */
  guchar  *on_device;           /* of each request */
  GString *why;
} Soak;

static void
one_request (Soak *soak, GRand *random)
{
  const guint     i = g_rand_int_range (random, 0, N_CASES);
  SoakCase       *one;
  TesseraCounters before, after;
  gfloat         *pixels;
  GString        *why = g_string_new (NULL);

  tessera_set_band_rows (g_rand_int_range (random, 0, 3) ? g_rand_int_range (random, 8, 60) : 0);
  tessera_set_tile_pixels (g_rand_int_range (random, 0, 2) ? 1 : G_MAXINT);
  one = ready_case (i);
  tessera_get_counters (&before);
  pixels = driver_run_to (&one->c, &one->picture, babl_format ("RGBA float"), FALSE);
  tessera_get_counters (&after);
  soak->on_device[soak->done] = after.c_requests == before.c_requests && after.device_requests > before.device_requests;
  if (! driver_same (&one->c, pixels, one->in_c, "now and in C", why) && ++soak->wrong <= MOST_REPORTED)
    g_string_append_printf (soak->why, "  request %d, %s %s, %s %dx%d\n%s", soak->done, one->c.name, one->c.settings,
                            one->c.format, one->c.width, one->c.height, why->str);
  soak->done++;
  g_string_free (why, TRUE);
  g_free (pixels);
}

/* A fault in each `period` requests, at a random one of them; it stays until it is met. */
static void
run (Soak *soak)
{
  GRand       *random = g_rand_new_with_seed (seed);
  const gint64 until = seconds > 0 ? g_get_monotonic_time () + seconds * G_USEC_PER_SEC : G_MAXINT64;
  gint         at = 0;

  while (soak->done < requests && g_get_monotonic_time () < until)
    {
      if (soak->done % period == 0)
        at = soak->done + g_rand_int_range (random, 0, period);
      if (soak->done == at)
        {
          gchar *plan = random_plan (random);

          driver_now (plan);
          soak->fails = stub.set_plan (plan);
          soak->faults++;
          g_free (plan);
        }
      one_request (soak, random);
      if (soak->fails && stub.met ())
        {
          stub.set_plan (NULL);
          soak->met++;
          soak->fails = FALSE;
        }
      if (soak->done % MAX (1, requests / 10) == 0)
        {
          printf ("%d requests, %d faults, %d wrong\n", soak->done, soak->met, soak->wrong);
          fflush (stdout);
        }
    }
  stub.set_plan (NULL);
  g_rand_free (random);
}

static void
soak_all (void)
{
  Soak          soak = { .on_device = g_malloc0 (requests), .why = g_string_new (NULL) };
  const gint64  began = g_get_monotonic_time ();
  Captured capture;
  DriverSaid    said;
  gint          last, on_device = 0, all = 0;
  gchar        *text;

  prepare ();
  captured_begin (&capture);
  run (&soak);
  driver_captured_end (&capture, &said);
  last = MIN (LAST, MAX (1, soak.done / 3));
  for (gint i = 0; i < soak.done; i++)
    {
      all += soak.on_device[i];
      on_device += i >= soak.done - last && soak.on_device[i];
    }
  printf ("%d requests in %.0f s with %d faults: %d differ from C; %.2f %% ran on the device, of the last %d %.2f %%; "
          "%d lines on stderr\n", soak.done, (g_get_monotonic_time () - began) / 1e6, soak.met, soak.wrong,
          100.0 * all / soak.done, last, 100.0 * on_device / last, said.lines);
  driver_verdict (! soak.wrong, "each result is C's", soak.why->str);
  text = g_strdup_printf ("  %d of %d\n", on_device, last);
  /* What fails may be answered by C; 95 % where that is one in a hundred. */
  driver_verdict (on_device > (0.96 - 1.0 / period) * last, "the device is not lost", text);
  g_free (text);
  text = g_strdup_printf ("  %d of %d were met\n", soak.met, soak.faults);
  driver_verdict (soak.met >= 0.9 * soak.faults && soak.met > 0, "the faults", text);
  g_free (text);
  driver_verdict (! said.warnings, "GLib's warnings", said.text->str);
  driver_verdict (stub.settle () == 0, "memory under transfers", "  unmapped or released while data were still to come\n");
  driver_said_clear (&said);
  clear ();
  g_string_free (soak.why, TRUE);
  g_free (soak.on_device);
}

int
main (int argc, char **argv)
{
  static const struct { const gchar *name; gint *value; } options[] = {
    { "--requests", &requests }, { "--period", &period }, { "--seed", &seed }, { "--seconds", &seconds }
  };

  for (gint i = 1; i < argc; i++)
    {
      gboolean known = FALSE;

      for (guint o = 0; o < G_N_ELEMENTS (options); o++)
        if (i + 1 < argc && strcmp (argv[i], options[o].name) == 0)
          {
            *options[o].value = atoi (argv[++i]);
            known = TRUE;
            break;
          }
      if (! known || requests < 1 || period < 1)
        {
          printf ("driver-soak [--requests N] [--period N] [--seed N] [--seconds N]\n");
          return 2;
        }
    }
  argc = 1;
  if (driver_start (&argc, &argv, TRUE))
    {
      soak_all ();
      tessera_trim ();
      gegl_exit ();
    }
  return driver_finish ();
}
