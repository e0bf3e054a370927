/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The N-th upload, clear, launch or download fails late, or alone, N = 1, 2, ... until none is met.
 * The request, the next one, one for another picture of that type, and one after all idle memory has been
 * given back are C's, to the bit: nothing that did not happen is delivered, or kept as if it had.  And a driver that
 * computes other pixels is found out. */
#include "driver-types.h"

#include "driver-walk.h"

#define BAND_ROWS 17
#define WIDTH     40
#define HEIGHT    37
#define MOST      2000

static const struct { const gchar *operation, *settings, *results; gboolean is_whole, has_aux; } operations[] = {
  { "bilateral-filter", "spatial-sigma=5 range-sigma=0.15", NULL, FALSE, FALSE },
  { "bilateral-grid", "spatial-sigma=4 range-sigma=0.2 guide=luminance tone=perceptual", NULL, FALSE, FALSE },
  { "cielab", "encoding=display", NULL, FALSE, FALSE },
  { "convolution", "divisor=1.5 border=none", NULL, FALSE, FALSE },
  { "equalize", "clip-limit=2 tiles=3 bins=256", NULL, FALSE, FALSE },
  { "gaussian-blur", "std-dev-x=2 std-dev-y=3", NULL, FALSE, FALSE },
  { "label", "threshold=0.4", NULL, TRUE, FALSE },
  { "mean-blur", "radius=3", NULL, FALSE, FALSE },
  { "median-blur", "radius=5 percentile=40", NULL, FALSE, FALSE },
  { "motion-blur", "length=13.5 angle=27", NULL, FALSE, FALSE },
  { "sobel", "tone=linear", NULL, FALSE, FALSE },
  { "unsharp-mask", "std-dev=2 amount=1", NULL, FALSE, FALSE },
  { "gaussian-blur", "std-dev-x=20 std-dev-y=16", NULL, FALSE, FALSE },
  { "equalize", "bins=512 mode=channels", NULL, FALSE, FALSE },
  { "median-blur", "radius=1", NULL, FALSE, FALSE },
  { "harris-corners", "sigma=1 threshold=0.02 result=overlay", NULL, FALSE, FALSE },
  { "sift", "upsample=0 octaves=2 contrast-threshold=0.02 result=points", "count", TRUE, FALSE },
  { "estimate-shift", "method=pyramid max-shift=4", "shift-x shift-y error pixels steps", TRUE, TRUE },
  { "background-whiten", "history=3 result=whitened", NULL, TRUE, FALSE },
  { "sift", "upsample=0 octaves=2 contrast-threshold=0.1 result=points", "count", TRUE, FALSE }
};

/* Straight and premultiplied, by turns; the first two are what a short walk takes. */
static const gchar *const formats[] = {
  "R'G'B'A u8", "RaGaBaA u8", "R'G'B'A u16", "RaGaBaA u16", "RGBA half", "RaGaBaA half", "RGBA float", "RaGaBaA float", "Y'A u16"
};

typedef enum
{
  USUAL   = 1 << 0,             /* in a short walk too */
  IN_ROWS = 1 << 1,             /* results are not sent into tiles, but into memory of the pool */
  HARMLESS = 1 << 2             /* the device may answer the request: what failed did not matter, or was done again */
} TypesFlags;

typedef struct
{
  const gchar *text;
  TypesFlags   flags;
} TypesPlan;

/* What a command failed with: nothing that is known, so C must answer; or what may be memory (no code). */
#define FAULT ":-9999"

static const TypesPlan plans[] = {
  { "late write:%d" FAULT, USUAL }, { "alone write:%d" FAULT, USUAL }, { "late fill:%d" FAULT, USUAL },
  { "alone fill:%d" FAULT, USUAL }, { "late launch:%d" FAULT, USUAL }, { "alone launch:%d" FAULT, USUAL },
  { "late read:%d" FAULT, USUAL }, { "alone read:%d" FAULT, USUAL },
  { "stray write:%d" FAULT, USUAL | IN_ROWS }, { "stray read:%d" FAULT, USUAL | IN_ROWS },
  { "alone read:%d" FAULT, IN_ROWS }, { "alone launch:%d" FAULT, IN_ROWS },
  { "late write:%d", HARMLESS }, { "alone write:%d", HARMLESS }, { "late fill:%d", HARMLESS },
  { "alone fill:%d", HARMLESS }, { "late launch:%d", HARMLESS }, { "alone launch:%d", HARMLESS },
  { "late read:%d", HARMLESS }, { "alone read:%d", HARMLESS },
  { "stray write:%d", HARMLESS | IN_ROWS }, { "stray read:%d", HARMLESS | IN_ROWS },
  { "event:%d", HARMLESS }, { "quiet-event:%d", HARMLESS },
  { "fail Finish:%d:CL_OUT_OF_RESOURCES", HARMLESS }, { "fail WaitForEvents:%d:CL_OUT_OF_RESOURCES", HARMLESS },
  { "fail EnqueueWriteBuffer:%d:CL_OUT_OF_RESOURCES", HARMLESS }, { "lost:%d", HARMLESS }
};

typedef struct
{
  DriverCase    cases[2];       /* two pictures */
  DriverPicture pictures[2];
  gboolean      stored;         /* the result is delivered in the type of the input, else in floats */
  guchar       *in_c[2];
  gchar        *name;
} TypesWalk;

/* ------------------------------------------------------------------ runs -- */

static const Babl *
result_format (const TypesWalk *walk)
{
  return walk->stored ? babl_format (walk->cases[0].format) : babl_format ("RGBA float");
}

static gsize
result_bytes (const TypesWalk *walk)
{
  return driver_bytes_of (&walk->cases[0], result_format (walk));
}

static guchar *
run (const TypesWalk *walk, guint i, TesseraOpenclMode mode)
{
  tessera_set_opencl_mode (mode);
  tessera_set_band_rows (BAND_ROWS);
  tessera_set_delivery (walk->stored);
  return driver_run_to (&walk->cases[i], &walk->pictures[i], result_format (walk), walk->stored);
}

static void
compare (const TypesWalk *walk, const guchar *pixels, guint i, const gchar *what, GString *why)
{
  const gsize bytes = result_bytes (walk), pixel = babl_format_get_bytes_per_pixel (result_format (walk));
  gsize       n = 0, first = 0;

  for (gsize at = bytes; at-- > 0; )
    if (pixels[at] != walk->in_c[i][at])
      {
        n++;
        first = at;
      }
  if (n)
    g_string_append_printf (why, "  %s: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT " bytes are not C's, first at x %d, y %d\n",
                            what, n, bytes, (gint) (first / pixel % WIDTH), (gint) (first / pixel / WIDTH));
}

/* On a driver that is whole again: on the device, and C's. */
static void
run_whole (const TypesWalk *walk, guint i, const gchar *what, GString *why)
{
  TesseraCounters before, after;
  guchar         *pixels;

  tessera_get_counters (&before);
  pixels = run (walk, i, TESSERA_OPENCL_TRY);
  tessera_get_counters (&after);
  if (after.device_requests == before.device_requests || after.c_requests > before.c_requests)
    g_string_append_printf (why, "  %s: not on the device\n", what);
  compare (walk, pixels, i, what, why);
  g_free (pixels);
}

/* ---------------------------------------------------------- one failure -- */

static gboolean
fail_once (const TypesWalk *walk, const TypesPlan *kind, const gchar *plan)
{
  GString        *why = g_string_new (NULL);
  gchar          *title = g_strdup_printf ("%s, plan \"%s\"", walk->name, plan);
  TesseraCounters before, after;
  Captured        capture;
  DriverSaid      said;
  guchar         *pixels;
  gboolean        met;

  driver_now (title);
  tessera_set_tile_pixels (kind->flags & IN_ROWS ? G_MAXINT : 1);
  tessera_trim ();
  tessera_set_fault (NULL);             /* nothing has failed yet */
  captured_begin (&capture);
  tessera_get_counters (&before);
  stub.set_plan (plan);
  pixels = run (walk, 0, TESSERA_OPENCL_TRY);
  met = stub.met ();
  stub.set_plan (NULL);
  tessera_get_counters (&after);
  compare (walk, pixels, 0, "the request", why);
  if (met && ! (kind->flags & HARMLESS) && after.fallbacks == before.fallbacks)
    g_string_append (why, "  the failure was not noticed\n");
  tessera_set_fault (NULL);
  if (met)
    {
      run_whole (walk, 0, "the next request", why);
      run_whole (walk, 1, "another picture", why);
      if (stub.settle () > 0)
        g_string_append (why, "  host memory was unmapped or released while data were still to come\n");
      tessera_trim ();
      run_whole (walk, 0, "after a trim", why);
    }
  driver_captured_end (&capture, &said);
  if (said.warnings)
    g_string_append (why, "  GLib's warnings\n");
  if (why->len)
    g_string_append (why, said.text->str);
  driver_verdict (! why->len, title, why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
  g_free (title);
  g_free (pixels);
  return met;
}

/* Returns how often it was met. */
static guint
walk_plan (const TypesWalk *walk, const TypesPlan *kind)
{
  guint n = 1;

  for (; n <= MOST; n++)
    {
      gchar   *number = g_strdup_printf ("%d", n);
      gchar  **parts = g_strsplit (kind->text, "%d", -1);
      gchar   *plan = g_strjoinv (number, parts);
      gboolean met = fail_once (walk, kind, plan);

      g_free (plan);
      g_strfreev (parts);
      g_free (number);
      if (! met)
        break;
    }
  return n - 1;
}

/* ------------------------------------------------------------------ lies -- */

/* Returns whether it is the device's answer, which is right. */
static gboolean
deceive (const TypesWalk *walk, guint i, const gchar *what, gint lines, gboolean may_be_harmless, GString *why)
{
  gboolean        is_harmless;
  TesseraCounters before, after;
  Captured        capture;
  DriverSaid      said;
  guchar         *pixels;

  tessera_get_counters (&before);
  captured_begin (&capture);
  pixels = run (walk, i, TESSERA_OPENCL_TRY);
  driver_captured_end (&capture, &said);
  tessera_get_counters (&after);
  compare (walk, pixels, i, what, why);
  is_harmless = may_be_harmless && after.fallbacks == before.fallbacks;
  if (! is_harmless && after.device_requests > before.device_requests)
    g_string_append_printf (why, "  %s: the device answered it\n", what);
  lines = is_harmless ? 0 : lines;
  if (said.warnings || said.lines != lines || (lines && ! strstr (said.text->str, "computes other pixels than C (driver ")))
    g_string_append_printf (why, "  %s: not the lines that were expected\n%s", what, said.text->str);
  driver_said_clear (&said);
  g_free (pixels);
  return is_harmless;
}

/* A driver that computes something else is found at a kernel's first use.  `finds_nothing`: the first picture may have nothing for it to find;
 * then it is found at the next. */
static void
lie (const TypesWalk *walk, const gchar *plan, gboolean finds_nothing)
{
  gboolean      is_harmless;
  gchar        *title = g_strdup_printf ("%s, plan \"%s\"", walk->name, plan);
  GString      *why = g_string_new (NULL);
  Captured capture;
  DriverSaid    said;

  driver_now (title);
  forget_objects ();
  stub.set_plan (plan);
  is_harmless = deceive (walk, 0, "the first request", 1, finds_nothing, why);
  deceive (walk, 1, "another picture", is_harmless, FALSE, why);
  if (! stub.met ())
    g_string_append (why, "  was not met\n");
  stub.set_plan (NULL);
  forget_objects ();
  captured_begin (&capture);
  run_whole (walk, 0, "afterwards", why);
  driver_captured_end (&capture, &said);
  if (why->len)
    g_string_append (why, said.text->str);
  driver_said_clear (&said);
  driver_verdict (! why->len, title, why->str);
  g_string_free (why, TRUE);
  g_free (title);
}

/* What a filter measures is believed while its kernels run, and could lead them anywhere; and so are sift's counts of points, which ask for
 * any memory. */
static void
lies (const TypesWalk *walk)
{
  const gboolean counts = strcmp (walk->cases[0].name, "sift") == 0;
  const gboolean measures = g_str_has_prefix (walk->cases[0].name, "bilateral") || strcmp (walk->cases[0].name, "label") == 0;

  lie (walk, "lie:round", FALSE);
  if (! counts)
    lie (walk, "lie:launch", FALSE);
  if (! counts && ! measures)
    lie (walk, "lie:download", FALSE);
}

/* ----------------------------------------------------------------- walks -- */

static gboolean
types_init (TypesWalk *walk, guint operation, const gchar *format, gboolean stored)
{
  GString        *why = g_string_new (NULL);
  TesseraCounters before, after;
  gboolean        good;

  *walk = (TypesWalk) { .stored = stored };
  walk->name = g_strdup_printf ("%s %s, %s%s", operations[operation].operation, operations[operation].settings, format,
                                stored ? ", stored" : "");
  driver_now (walk->name);
  for (guint i = 0; i < 2; i++)
    {
      walk->cases[i] = (DriverCase) { .name = operations[operation].operation,
                                      .operation = g_strconcat ("tessera:", operations[operation].operation, NULL),
                                      .settings = operations[operation].settings, .results = operations[operation].results,
                                      .format = format, .has_aux = operations[operation].has_aux,
                                      .width = WIDTH, .height = HEIGHT };
      driver_picture_init (&walk->pictures[i], &walk->cases[i], 1 + i);
      walk->in_c[i] = run (walk, i, TESSERA_OPENCL_OFF);
    }
  tessera_set_fault (NULL);
  tessera_set_tile_pixels (1);
  tessera_get_counters (&before);
  for (guint i = 0; i < 2; i++)
    run_whole (walk, i, "before any failure", why);
  tessera_get_counters (&after);
  if (! operations[operation].is_whole && after.bands < before.bands + 4)
    g_string_append (why, "  not in several bands\n");
  good = ! why->len;
  driver_verdict (good, walk->name, why->str);
  g_string_free (why, TRUE);
  return good;
}

static void
types_clear (TypesWalk *walk)
{
  for (guint i = 0; i < 2; i++)
    {
      g_free ((gchar *) walk->cases[i].operation);
      driver_picture_clear (&walk->pictures[i]);
      g_free (walk->in_c[i]);
    }
  g_free (walk->name);
}

static gboolean
is_wanted (const gchar *wish, const gchar *name)
{
  return ! wish || ! *wish || strcmp (wish, name) == 0;
}

static void
walk_one (guint operation, guint format, gboolean stored, gboolean all, const gchar *only)
{
  TypesWalk walk;
  gint64    began = g_get_monotonic_time ();
  GString  *counts = g_string_new (NULL);

  if (types_init (&walk, operation, formats[format], stored))
    {
      /* All kernels are known by now.  Each 256th answer would be checked all the same, and a plan could meet the check's launches. */
      tessera_set_proof (FALSE);
      for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
        if ((all || plans[i].flags & USUAL || only) && is_wanted (only, plans[i].text))
          g_string_append_printf (counts, " %u", walk_plan (&walk, &plans[i]));
      tessera_set_proof (TRUE);
      if (! only)
        lies (&walk);
    }
  printf ("%s: met%s, %.1f s\n", walk.name, counts->str, (g_get_monotonic_time () - began) / 1e6);
  fflush (stdout);
  g_string_free (counts, TRUE);
  types_clear (&walk);
}

/* Where nothing is found, nothing is proven, in every format. */
static void
lie_in (guint operation, guint format, gboolean stored)
{
  TypesWalk walk;

  if (types_init (&walk, operation, formats[format], stored))
    lie (&walk, "lie:round", TRUE);
  types_clear (&walk);
}

void
types_walk (gboolean all, const gchar *operation, const gchar *format, const gchar *plan)
{
  for (guint o = 0; o < G_N_ELEMENTS (operations); o++)
    for (guint f = 0; f < G_N_ELEMENTS (formats); f++)
      if (is_wanted (operation, operations[o].operation) && is_wanted (format, formats[f])
          && (all || format || f == o % 2))
        walk_one (o, f, (o / 2 + f) % 2, all, plan);
      else if (is_wanted (operation, operations[o].operation) && operations[o].results && ! format)
        lie_in (o, f, (o / 2 + f) % 2);
  tessera_set_delivery (FALSE);
  tessera_set_tile_pixels (1);
}
