/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check tables of tessera:bilateral-grid and of its twin without aux, tessera:bilateral-filter. */
#include "check.h"

#define TWIN_CASES 40

enum { SPATIAL_SIGMA, RANGE_SIGMA, GUIDE, TONE };

static const gchar *const guides[] = { "channels", "luminance", NULL };
static const gchar *const tones[] = { "linear", "perceptual", NULL };

/* Sparse cells of several parts, with planes from 2^22 on beside small ones. */
#define CORNERS                                                                                                     \
  "spatial-sigma=40,range-sigma=0.5,guide=channels,content=far,specials=0,format=working,width=100,height=80",      \
  "spatial-sigma=20,range-sigma=0.5,guide=luminance,content=far,specials=0,format=working,width=70,height=90",      \
  "spatial-sigma=40,range-sigma=0.005,guide=channels,content=hdr,format=working,width=130,height=90"

static const gchar *const corners[] = { CORNERS, NULL };

/* A guide whose pixels of 8 bits lie outside 0 .. 1 of the image's space; guides that lie wholly above the image and
 * wholly beside it: their last row or column counts. */
static const gchar *const grid_corners[] =
  { "tone=perceptual,range-sigma=0.1,space=sRGB,aux=srgba-u8,aux-space=ProPhoto,aux-content=runs",
    "spatial-sigma=4,range-sigma=0.03,content=noise,aux=working,aux-content=noise,aux-space=same,width=90,height=70,"
    "aux-x=-5,aux-y=-60,aux-w=120,aux-h=20", CORNERS,
    "spatial-sigma=4,range-sigma=0.03,content=noise,aux=working,aux-content=noise,aux-space=same,width=90,height=70,"
    "aux-x=-130,aux-y=-9,aux-w=100,aux-h=85", NULL };

static const gchar *
working (const gdouble *values)
{
  return values[TONE] == 1 ? "R'G'B'A float" : "RGBA float";
}

/* Two cells of the blurred grid and half a cell of rounding. */
static void
halo (const gdouble *values, gint *x, gint *y)
{
  *x = *y = (gint) ceil (2.5 * values[SPATIAL_SIGMA]) + 1;
}

/* A guess: the grid costs about the same per pixel at any sigma. */
static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 60;
}

static guint
laws (const gdouble *values G_GNUC_UNUSED)
{
  return 1u << CHECK_LAW_CONSTANT;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_bilateral_grid (args->image, args->aux, args->values[SPATIAL_SIGMA],
                            args->values[RANGE_SIGMA], args->values[GUIDE] == 1 || args->aux,
                            args->weights, result);
  check_excuse_delivery (args, TRUE, args->values[TONE] == 1, result);
}

#define TABLE(suffix, spatial_sigma, range_sigma, guide, tone)                                      \
  .name = "bilateral-" suffix,                                                                     \
  .operation = "tessera:bilateral-" suffix,                                                        \
  .n_properties = 4,                                                                               \
  .properties =                                                                                    \
    {                                                                                              \
      { "spatial-sigma", CHECK_DOUBLE, CHECK_LOG, 1, 200, spatial_sigma, 0.5, NULL },              \
      { "range-sigma", CHECK_DOUBLE, CHECK_LOG, 0.005, 2, range_sigma, 0.05, NULL },               \
      { "guide", CHECK_ENUM, CHECK_UNIFORM, 0, 1, guide, 0, guides },                              \
      { "tone", CHECK_ENUM, CHECK_UNIFORM, 0, 1, tone, 0, tones }                                  \
    },                                                                                             \
  .working = working, .halo = halo, .cost = cost, .laws = laws,                  \
  .reference = reference,                                                                          \
  .to_reference = { 1e-5, "float grid sums and interpolation (specification: 1e-5)" },             \
  .slack_between = FALSE,                                                                          \
  .exact_shift = TRUE,                                                                             \
  .nan_policy = "NaN and Inf pixels do not contribute and pass through"

/* Neighbours of one colour whose alphas together are 0, as are then all sums of alphas. */
static void
cancel (gfloat *pixels, gint n)
{
  for (gint i = 0; i < n; i++)
    {
      memcpy (pixels + 4 * i, pixels + 4 * (i & ~1), 3 * sizeof (gfloat));
      pixels[4 * i + 3] = i & 1 ? -0.5f : 0.5f;
    }
}

/* A cell has the same sums, to the last bit, in the dense and in the sparse grid: what is asked for alone has few planes,
 * with the far end of the image many. */
static void
dense_as_sparse (const CheckOptions *options, CheckStats *stats)
{
  const gint width = 220, height = 90, alone = 60, far = 170;
  GString   *why = g_string_new (NULL);

  for (gint i = 0; i < 6; i++)
    {
      const CheckLeg leg = i & 1 ? CHECK_LEG_OPENCL : CHECK_LEG_C;
      CheckCase      c = { .content_seed = options->seed };
      GeglRectangle  part = { 0, 0, alone, height }, all = { 0, 0, width, height };
      CheckPixels    dense = { 0 }, sparse = { 0 };
      CheckSource   *source;
      gfloat        *painted;
      gchar         *title;
      gboolean       good;

      if (! (options->legs & leg))
        continue;
      check_default_values (&check_bilateral_grid, c.value);
      c.value[SPATIAL_SIGMA] = 40;
      c.value[RANGE_SIGMA] = 0.7;       /* many pixels to a sum, and no sum exact */
      c.value[GUIDE] = i >= 2;
      c.field[CHECK_WIDTH] = width;
      c.field[CHECK_HEIGHT] = height;
      painted = check_paint (&check_bilateral_grid, &c);
      for (gint k = 0; k < 4 * width * height; k++)
        if (k / 4 % width >= far && k % 4 < 3)
          painted[k] *= 1e6f;
      if (i >= 4)
        cancel (painted, width * height);
      source = check_source_new (&check_bilateral_grid, &c, painted);
      good = check_run (&check_bilateral_grid, &c, source, NULL, &part, leg, &dense, why)
             && check_run (&check_bilateral_grid, &c, source, NULL, &all, leg, &sparse, why);
      for (gint y = 1; good && y < height; y++)
        memmove (sparse.pixels + 4 * y * alone, sparse.pixels + 4 * y * width, alone * 4 * sizeof (gfloat));
      sparse.roi = part;
      good = good && check_same_bits (&sparse, &dense, "sparse cells vs a dense grid", why);
      title = g_strdup_printf ("bilateral-grid: sparse cells have the dense grid's sums, by %s%s, %s leg", guides[i >= 2],
                               i >= 4 ? " without weight" : "", check_leg_name (leg));
      check_verdict (stats, good, title, why, options->quiet);
      g_string_truncate (why, 0);
      g_free (title);
      g_free (painted);
      check_pixels_clear (&dense);
      check_pixels_clear (&sparse);
      check_source_free (source);
    }
  g_string_free (why, TRUE);
}

static const BenchRow timed[] = {
  { .title = "bilateral-grid channels (8, 0.1)",
    .ours = "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.1 tone=linear guide=channels",
    .rival = "gegl:bilateral-filter blur-radius=8" },
  { .title = "bilateral-grid luminance (8, 0.1)",
    .ours = "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.1 tone=linear guide=luminance",
    .rival = "gegl:bilateral-filter blur-radius=8" },
  { .title = NULL }
};

const CheckFilter check_bilateral_grid = { TABLE ("grid", 8, 0.1, 0, 0), .corners = grid_corners, .has_aux = TRUE, .special = dense_as_sparse, .timed = timed };

/* The two give the same bits: in C, and on the device. */
static void
twins (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);

  for (gint i = 0; i < 2 * TWIN_CASES; i++)
    {
      const CheckLeg leg = i & 1 ? CHECK_LEG_OPENCL : CHECK_LEG_C;
      CheckCase      c;
      CheckSource   *source;
      CheckPixels    one = { 0 }, other = { 0 };
      GeglRectangle  roi;
      gchar         *title;
      gboolean       good;

      if (! (options->legs & leg))
        continue;
      check_draw (&check_bilateral_filter, options->seed, i / 2, options->max_size, &c);
      check_normalise (&check_bilateral_filter, &c);
      source = check_source_draw (&check_bilateral_filter, &c);
      roi = check_roi (&check_bilateral_filter, &c);
      good = check_run (&check_bilateral_filter, &c, source, NULL, &roi, leg, &one, why)
             && check_run (&check_bilateral_grid, &c, source, NULL, &roi, leg, &other, why)
             && check_same_bits (&one, &other, "bilateral-filter vs bilateral-grid", why);
      title = g_strdup_printf ("bilateral-filter: case %d as bilateral-grid has it, %s leg", i / 2, check_leg_name (leg));
      check_verdict (stats, good, title, why, options->quiet);
      g_string_truncate (why, 0);
      g_free (title);
      check_pixels_clear (&one);
      check_pixels_clear (&other);
      check_source_free (source);
    }
  g_string_free (why, TRUE);
}

/* It runs the same code. */
static const BenchRow timed_elsewhere[] = { { .title = NULL } };

/* Half of the drawn cases have these values, which were the defaults once: other ones would draw other cases, whose bits have another hash. */
const CheckFilter check_bilateral_filter = { TABLE ("filter", 6, 0.08, 1, 1), .corners = corners, .special = twins, .timed = timed_elsewhere };
