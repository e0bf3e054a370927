/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:equalize. */
#include "check.h"

enum { MODE, CLIP_LIMIT, TILES, BINS };

static const gchar *const modes[] = { "luminance", "channels", NULL };

/* Values that lie on a bin's edge. */
static const gchar *const corners[] =
  { "bins=256,mode=channels,content=ties,format=working", "bins=4096,mode=channels,content=ties,format=working", NULL };

static const gchar *
working (const gdouble *values G_GNUC_UNUSED)
{
  return "R'G'B'A float";
}

/* A guess: the reference's tables count for more than its pixels. */
static gdouble
cost (const gdouble *values)
{
  return values[CLIP_LIMIT] > 0 ? 40 : 20;
}

/* One colour has one bin: it stays.  Tiles do not begin at the same pixels in a mirror. */
static guint
laws (const gdouble *values)
{
  return values[CLIP_LIMIT] > 0 ? 0 : (1u << CHECK_LAW_CONSTANT) | (1u << CHECK_LAW_MIRROR_X)
                                      | (1u << CHECK_LAW_MIRROR_Y);
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_equalize (args->image, args->values[MODE] == 1, (int) args->values[BINS], args->values[CLIP_LIMIT],
                      (int) args->values[TILES], args->weights, result);
  for (gsize i = 0; i < 4 * (gsize) result->width * result->height; i++)
    result->scale[i] = fabs (result->out[i]);
  check_excuse_delivery (args, TRUE, TRUE, result);
}

/* With tiles a far pixel does not count. */
static void
reach_far (gdouble *values)
{
  values[CLIP_LIMIT] = 0;
}

/* Of 192 MiB of tables few are held at a time, on the device too.  What earlier cases left in the pool counts
 * for nothing. */
static void
little_memory (const CheckOptions *options, CheckStats *stats)
{
  const guint64   most = 128 << 20;
  CheckCase       c = { .content_seed = options->seed };
  GString        *why;
  TesseraCounters before, after;
  CheckPixels     pixels = { 0 };
  CheckSource    *source;
  GeglRectangle   roi;
  gboolean        good;

  if (! (options->legs & CHECK_LEG_OPENCL))
    return;
  why = g_string_new (NULL);
  c.value[MODE] = 1;
  c.value[CLIP_LIMIT] = 2;
  c.value[TILES] = 32;
  c.value[BINS] = 16384;
  c.field[CHECK_WIDTH] = c.field[CHECK_HEIGHT] = 256;
  check_normalise (&check_equalize, &c);
  source = check_source_draw (&check_equalize, &c);
  roi = check_roi (&check_equalize, &c);
  tessera_trim ();
  tessera_restart_peaks ();
  tessera_get_counters (&before);
  good = check_run (&check_equalize, &c, source, NULL, &roi, CHECK_LEG_OPENCL, &pixels, why);
  tessera_get_counters (&after);
  if (after.peak_bytes > before.live_bytes + most)
    {
      g_string_append_printf (why, "  %" G_GUINT64_FORMAT " bytes of the device\n", after.peak_bytes - before.live_bytes);
      good = FALSE;
    }
  check_verdict (stats, good, "equalize: 1024 tiles of 16384 bins in little memory", why, options->quiet);
  check_pixels_clear (&pixels);
  check_source_free (source);
  g_string_free (why, TRUE);
}

static const BenchRow timed[] = {
  { .title = "equalize luminance", .ours = "tessera:equalize clip-limit=0", .rival = "gegl:stretch-contrast" },
  { .title = "equalize channels", .ours = "tessera:equalize clip-limit=0 mode=channels", .rival = "gegl:stretch-contrast" },
  { .title = "equalize CLAHE (2, 8 x 8 tiles)", .ours = "tessera:equalize clip-limit=2", .peer = "clahe 2" },
  { .title = NULL }
};

const CheckFilter check_equalize =
{
  .name = "equalize",
  .operation = "tessera:equalize",
  .timed = timed,
  .corners = corners,
  .n_properties = 4,
  .properties =
    {
      { "mode", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, modes },
      { "clip-limit", CHECK_DOUBLE, CHECK_LOG, 0, 100, 2, 0.5, NULL },
      { "tiles", CHECK_INT, CHECK_UNIFORM, 1, 32, 8, 0, NULL },
      { "bins", CHECK_INT, CHECK_LOG, 256, 65536, 4096, 0, NULL }
    },
  .working = working, .cost = cost, .laws = laws,
  .reference = reference,
  .to_reference = { 0, "the reference's slack holds the specification's bounds" },
  .exact_shift = TRUE,
  .whole = TRUE,
  .reach_far = reach_far,
  .requests = 2,
  .special = little_memory,
  .nan_policy = "NaN passes unchanged and is not counted; infinities lie in the first and last bin"
};
