/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:convolution. */
#include "check.h"

enum { KERNEL, PRESET, DIVISOR, OFFSET, BORDER, CHANNELS };
enum { CLAMPED, NONE, LOOPED, CROPPED };

#define UNIT    0x1p-24
#define LARGEST 390             /* units: the bound of a 63 x 63 kernel */
#define MOST    (63 * 63)

/* Rows for large kernels of full rank, with a few zeros. */
#define S1 " 3 -1 4 1 -5 9 2 -6 5 3 -5 8 9 -7 9 3"
#define S2 " 2 3 8 -4 6 2 6 4 -3 3 8 3 2 7 9 -5"
#define S3 " 0 2 8 8 -4 1 9 7 1 6 9 -3 9 9 3 7"
#define S4 " 5 1 0 -5 8 2 0 9 7 4 9 4 -4 5 9 2"
#define T1 " 3 0 7 8 -1 6 4 0 6 2 8 6 -2 0 8"           /* 15 */
#define A31 S1 T1 ";" S2 T1 ";" S3 T1 ";" S4 T1 ";" T1 S1 ";" T1 S2 ";"
#define B31 T1 S3 ";" T1 S4 ";" S2 T1 ";"
#define A63 S1 S2 S3 T1 ";" S2 S3 S4 T1 ";" S4 S1 S2 T1 ";" T1 S1 S3 S2 ";" S4 T1 S4 S1 ";" S2 S2 T1 S3 ";"
#define B63 S3 S3 T1 S1 ";" S1 S1 S4 T1 ";" T1 S2 S2 S4 ";"
#define N9  " 1 1 1 1 1 1 1 1 1"

/* Custom kernels; those that mirror one another are found by their weights. */
static const gchar *const kernels[] = {
  "0 -1 0; -1 5 -1; 0 -1 0",                                    /* the default */
  "0 0 0; 0 1 0; 0 0 0",                                        /* the identity */
  "2.5",
  "-3,1,4",
  "1;-2;5",
  "1 2 3; 4 5 6; 7 8 10",
  "3 2 1; 6 5 4; 10 8 7",
  "7 8 10; 4 5 6; 1 2 3",
  "0.1 0.2 0.1\n0.2,0.4,0.2\n0.1 0.2 0.1\n",                    /* a column times a row */
  "1 -1 2 0 3; 2 -2 4 0 6; 0 0 0 0 0; -1 1 -2 0 -3; 4 -4 8 0 12",
  "1 2 1; 2 4.001 2; 1 2 1",                                    /* nearly */
  "1 0 0 0 0 0 -1",
  "1 0 2 0 1; 0 0 0 0 0; 3 0 7 0 3; 0 0 0 0 0; 1 0 2 0 1",
  "0 0 1 0 0; 0 1 2 1 0; 1 2 -16 2 1; 0 1 2 1 0; 0 0 1 0 0",    /* sum 0 */
  "1 4 7 4 1; 4 16 26 16 4; 7 26 41 26 7; 4 16 26 16 4; 1 4 7 4 1.5",
  "0x1p-3 0.125 1.25e-1; 1e-1 .1 +.1; 1. 2. -0.5",
  "1 2 3 4 5 6 7; 2 3 4 5 6 7 9; 3 1 4 1 5 9 2; 6 5 3 5 8 9 7; 9 3 2 3 8 4 6; 2 6 4 3 3 8 3; 2 7 9 5 0 2 8",
  "1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1; 1 1 1 1 1 1 1",
  N9 ";" N9 ";" N9 ";" N9 ";" N9 "; 1 1 1 1 -1 1 1 1 1;" N9 ";" N9 ";" N9,
  S1 " 1; " S2 " 2; " S3 " 3",
  A31 A31 A31 B31 A31 B31 "0" S1 " 0" " 1 2 3 4 5 6 7 8 9 8 7 6 5",
  A63 A63 A63 B63 A63 A63 A63 B63 A63 A63 A63 B63,
  "", " ;; \n", "1 2; 3 4", "1 2 3; 4 5 6", "1 2 3; 4 5; 6 7 8", "1 nan 2", "1 a 3", "1 2 3,", "1e999", NULL
};
enum { N_KERNELS = G_N_ELEMENTS (kernels) - 1 };

/* The text more often than the others. */
static const gchar *const presets[] = { "custom", "custom", "custom", "custom", "custom", "custom", "custom",
                                        "custom", "custom", "custom", "custom", "custom", "box", "gaussian", "sharpen", "laplacian", "emboss", "edge",
                                        "motion", NULL };
static const gchar *const borders[] = { "clamp", "none", "loop", "crop", NULL };
static const gchar *const channels[] = { "rgb", "rgba", NULL };

/* The kernel's weights over its divisor; FALSE: it does not parse. */
static gboolean
effective (const gdouble *values, gdouble *weights, gint *rows, gint *columns)
{
  gdouble sum = 0, magnitudes = 0;

  if (! reference_convolution_parse (kernels[(gint) values[KERNEL]], presets[(gint) values[PRESET]], weights,
                                     rows, columns))
    return FALSE;
  for (gint i = 0; i < *rows * *columns; i++)
    {
      sum += weights[i];
      magnitudes += fabs (weights[i]);
    }
  if (values[DIVISOR] != 0)
    sum = values[DIVISOR];
  else if (fabs (sum) <= 1e-6 * magnitudes)
    sum = 1;
  for (gint i = 0; i < *rows * *columns; i++)
    weights[i] /= sum;
  return TRUE;
}

static const gchar *
working (const gdouble *values)
{
  return values[CHANNELS] == 1 ? "RaGaBaA float" : "RGBA float";
}

static void
halo (const gdouble *values, gint *x, gint *y)
{
  gdouble weights[MOST];
  gint    rows, columns;

  effective (values, weights, &rows, &columns);         /* 0, 0 where it does not parse */
  *x = columns / 2;
  *y = rows / 2;
}

static void
bounds (const gdouble *values, GeglRectangle *box)
{
  gint x, y;

  if (values[BORDER] != CROPPED)
    return;
  halo (values, &x, &y);
  *box = (GeglRectangle) { box->x + x, box->y + y, MAX (box->width - 2 * x, 0), MAX (box->height - 2 * y, 0) };
  if (box->width == 0 || box->height == 0)
    box->width = box->height = 0;
}

static gdouble
cost (const gdouble *values)
{
  gdouble weights[MOST];
  gint    rows, columns;

  return effective (values, weights, &rows, &columns) ? rows * columns : 1;
}

static gboolean
passes (const gdouble *values)
{
  gdouble weights[MOST];
  gint    rows, columns;

  if (! effective (values, weights, &rows, &columns))
    return TRUE;
  for (gint i = 0; i < rows * columns; i++)
    if (weights[i] != (i == rows * columns / 2))
      return FALSE;
  return values[OFFSET] == 0 && (values[BORDER] != CROPPED || rows * columns == 1);
}

static const gchar *const neutral[] = {
  "kernel=1,preset=custom,divisor=0,offset=0,border=clamp",
  "kernel=1,preset=custom,divisor=1,offset=0,border=none,channels=rgb", "kernel=2,preset=custom,divisor=0,offset=0", NULL
};

static gdouble
plane_gain (const gdouble *values)
{
  gdouble weights[MOST], gain = 0;
  gint    rows, columns;

  if (! effective (values, weights, &rows, &columns))
    return 1;
  for (gint i = 0; i < rows * columns; i++)
    gain += weights[i];
  return gain;
}

static gboolean
changes_planes (const gdouble *values)
{
  return fabs (plane_gain (values) - 1) > 1e-9 || (values[OFFSET] != 0 && ! passes (values));
}

/* The number of a text with the mirrored weights, or -1. */
static gint
mirrored_kernel (const gdouble *values, gboolean along_y)
{
  gdouble weights[MOST], other[MOST], looked_for[CHANNELS + 1] = { 0 };
  gint    rows, columns, rows2, columns2, found = -1;

  if (! effective (values, weights, &rows, &columns))
    return values[KERNEL];
  memcpy (looked_for, values, sizeof looked_for);
  for (gint i = 0; i < N_KERNELS && found < 0; i++)
    {
      looked_for[KERNEL] = i;
      found = effective (looked_for, other, &rows2, &columns2) && rows2 == rows && columns2 == columns ? i : -1;
      for (gint k = 0; k < rows * columns && found >= 0; k++)
        if (other[along_y ? (rows - 1 - k / columns) * columns + k % columns
                          : k / columns * columns + columns - 1 - k % columns] != weights[k])
          found = -1;
    }
  return found;
}

static void
mirror (gdouble *values, gboolean along_y)
{
  values[KERNEL] = mirrored_kernel (values, along_y);
}

/* Laws look at differences as they are: not where the weights are large.  By rgb a mean has no dark frame. */
static guint
laws (const gdouble *values)
{
  gdouble weights[MOST], magnitudes = 0, sum = 0;
  gint    rows, columns;
  guint   result = 0;

  if (! effective (values, weights, &rows, &columns))
    return 0;
  for (gint i = 0; i < rows * columns; i++)
    {
      magnitudes += fabs (weights[i]);
      sum += weights[i];
    }
  if (magnitudes > 20)
    return 0;
  for (gint along_y = 0; along_y < 2; along_y++)
    if (mirrored_kernel (values, along_y) >= 0)
      result |= 1u << (along_y ? CHECK_LAW_MIRROR_Y : CHECK_LAW_MIRROR_X);
  if ((values[BORDER] != NONE || (values[CHANNELS] == 0 && sum == magnitudes)) && ! changes_planes (values))
    result |= 1u << CHECK_LAW_CONSTANT;
  if (values[BORDER] != CROPPED && ! changes_planes (values) && values[CHANNELS] == 1)
    result |= 1u << CHECK_LAW_IMPULSE;
  return result;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  const gdouble *values = args->values;
  gdouble        weights[MOST], units;
  gint           rows, columns;

  reference_convolution (args->image, kernels[(gint) values[KERNEL]], presets[(gint) values[PRESET]],
                         values[DIVISOR], values[OFFSET], borders[(gint) values[BORDER]], values[CHANNELS] == 1,
                         result);
  if (! effective (values, weights, &rows, &columns))
    {
      check_excuse_delivery (args, ! args->straight, ! args->perceptual, result);       /* GEGL converts what passes */
      for (gsize i = 3; i < 4 * (gsize) result->width * result->height; i += 4)
        result->slack[i] += 0x1p-23 * fabs (result->out[i]);    /* babl multiplies integers by a rounded 1/65535 */
      return;
    }
  units = rows * columns <= 49 ? rows * columns + 10 : 6 * sqrt (rows * columns) + 12;
  for (gsize i = 0; i < 4 * (gsize) result->width * result->height; i++)
    result->scale[i] *= units / LARGEST;
  check_excuse_delivery (args, values[CHANNELS] == 0, FALSE, result);
}

/* A row of two pixels that nobody draws: what a kernel makes of the first one's red. */
static void
check_pair (const CheckOptions *options, CheckStats *stats, CheckLeg leg, const gfloat pixels[8], const gchar *text,
            gdouble wanted)
{
  const GeglRectangle box = { 0, 0, 2, 1 };
  GeglNode           *graph = gegl_node_new ();
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("RGBA float"));
  GeglNode           *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode           *node = gegl_node_new_child (graph, "operation", "tessera:convolution", "divisor", 1.0, NULL);
  GString            *why = g_string_new (NULL);
  gfloat              found[8];

  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  gegl_buffer_set (buffer, &box, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  gegl_node_set (node, "kernel", text, NULL);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, &box, babl_format ("RGBA float"), found, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  if (! (fabs (found[0] - wanted) <= 1e-5 * wanted))
    g_string_append_printf (why, "  %s leg, kernel %s: %g instead of %g\n", check_leg_name (leg), text, found[0], wanted);
  check_verdict (stats, why->len == 0, "convolution: least alphas, largest weights", why, options->quiet);
  g_string_free (why, TRUE);
  g_object_unref (buffer);
  g_object_unref (graph);
}

#define WIDE 40                /* of a picture whose alphas all differ */
#define HIGH 30

static GString *
text_of (gint rows, gint columns)
{
  GString *text = g_string_new (NULL);

  for (gint i = 0; i < rows * columns; i++)
    g_string_append_printf (text, "%s%d", i == 0 ? "" : i % columns == 0 ? ";" : " ", 1 + i * i % 11);
  return text;
}

/* By rgb alpha is the input's, of the same pixel: seldom drawn with a kernel of other height than width. */
static void
check_alphas (const CheckOptions *options, CheckStats *stats, CheckLeg leg, gint rows, gint columns)
{
  const GeglRectangle box = { 0, 0, WIDE, HIGH };
  GeglNode           *graph = gegl_node_new ();
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("RGBA float"));
  GeglNode           *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode           *node = gegl_node_new_child (graph, "operation", "tessera:convolution", NULL);
  GString            *text = text_of (rows, columns), *why = g_string_new (NULL);
  gfloat             *pixels = g_new (gfloat, 4 * WIDE * HIGH), *found = g_new (gfloat, 4 * WIDE * HIGH);

  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  for (gint i = 0; i < 4 * WIDE * HIGH; i++)
    pixels[i] = i % 4 == 3 ? (i + 1) / (4.0f * WIDE * HIGH) : 0.5f;
  gegl_buffer_set (buffer, &box, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  gegl_node_set (node, "kernel", text->str, NULL);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, &box, babl_format ("RGBA float"), found, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  for (gint i = 3; i < 4 * WIDE * HIGH && why->len == 0; i += 4)
    if (found[i] != pixels[i])
      g_string_append_printf (why, "  %s leg, kernel %d x %d: alpha %g instead of %g at %d, %d\n", check_leg_name (leg), columns, rows,
                              found[i], pixels[i], i / 4 % WIDE, i / 4 / WIDE);
  check_verdict (stats, why->len == 0, "convolution: alphas under a kernel that is no square", why, options->quiet);
  g_string_free (why, TRUE);
  g_string_free (text, TRUE);
  g_free (found);
  g_free (pixels);
  g_object_unref (buffer);
  g_object_unref (graph);
}

/* Sums of |w| over sums of |w| a that no float holds; of opaque pixels the sum of |w| may be infinite.  Two passes with a halo on one side alone.  And
 * alphas: from the list of a kernel's taps (the first), and from its rows. */
static void
special (const CheckOptions *options, CheckStats *stats)
{
  static const CheckLeg legs[] = { CHECK_LEG_C, CHECK_LEG_OPENCL };
  static const gfloat   faint[8] = { 0.5f, 0.5f, 0.5f, 0x1p-130f, 0.25f, 0.5f, 0.5f, 0 };
  static const gfloat   opaque[8] = { 1e-20f, 0, 0, 1, 2e-20f, 0, 0, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (legs); i++)
    if (options->legs & legs[i])
      {
        check_pair (options, stats, legs[i], faint, "2 3 4", 4.5);
        check_pair (options, stats, legs[i], opaque, "0 3e38 3e38", 9e18);
        check_pair (options, stats, legs[i], opaque, "0 0 0; 0 2 1; 0 4 2", 1.2e-19);
        check_alphas (options, stats, legs[i], 3, 17);
        check_alphas (options, stats, legs[i], 17, 3);
        check_alphas (options, stats, legs[i], 9, 17);
      }
}

/* @full3, @full5: tools/bench/bench-graph.c. */
#define FULL_3 "b2=1 b3=8 b4=15 c2=14 c3=26 c4=7 d2=27 d3=13 d4=30 divisor=141"

#define FULL_5 \
  "a1=1 a2=8 a3=15 a4=22 a5=29 b1=14 b2=26 b3=7 b4=19 " \
  "b5=31 c1=27 c2=13 c3=30 c4=16 c5=2 d1=9 d2=31 d3=22 " \
  "d4=13 d5=4 e1=22 e2=18 e3=14 e4=10 e5=6 divisor=409"

static const BenchRow timed[] = {
  { .title = "convolution 3x3, full rank", .ours = "tessera:convolution kernel=@full3",
    .rival = "gegl:convolution-matrix " FULL_3, .peer = "filter 3" },
  { .title = "convolution 5x5, not separable", .ours = "tessera:convolution kernel=@full5",
    .rival = "gegl:convolution-matrix " FULL_5, .peer = "filter 5" },
  { .title = "convolution 7x7, full rank", .ours = "tessera:convolution kernel=@full7", .peer = "filter 7" },
  { .title = "convolution 13x13, separable", .ours = "tessera:convolution kernel=@separable13", .peer = "separable 13" },
  { .title = "convolution 13x13, not separable", .ours = "tessera:convolution kernel=@full13", .peer = "filter 13" },
  { .title = "convolution 31x31, separable", .ours = "tessera:convolution kernel=@separable31", .peer = "separable 31" },
  { .title = "convolution 31x31, full rank", .ours = "tessera:convolution kernel=@full31", .peer = "filter 31" },
  { .title = NULL }
};

static const CheckUndrawn undrawn[] =
  { { "error", CHECK_RESULT },
    { "unusable", CHECK_RESULT },
    { NULL, NULL } };

const CheckFilter check_convolution =
{
  .name = "convolution",
  .operation = "tessera:convolution",
  .timed = timed,
  .n_properties = 6,
  .properties =
    {
      { "kernel", CHECK_TEXT, CHECK_UNIFORM, 0, N_KERNELS - 1, 0, 0, kernels },
      { "preset", CHECK_ENUM, CHECK_UNIFORM, 0, G_N_ELEMENTS (presets) - 2, 0, 0, presets },
      { "divisor", CHECK_DOUBLE, CHECK_UNIFORM, -100, 100, 0, 1, NULL },
      { "offset", CHECK_DOUBLE, CHECK_UNIFORM, -2, 2, 0, 0.5, NULL },
      { "border", CHECK_ENUM, CHECK_UNIFORM, 0, 3, 0, 0, borders },
      { "channels", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, channels }
    },
  .undrawn = undrawn,
  .working = working, .bounds = bounds, .halo = halo, .cost = cost, .laws = laws,
  .neutral = neutral, .mirror = mirror, .changes_planes = changes_planes, .passes = passes,
  .special = special,
  .reference = reference,
  .to_reference = { LARGEST * UNIT, "N M + 10 units, above 7x7 6 sqrt(N M) + 12 (in the scale): a sum a row, then "
                                    "the rows; twice that where alpha weighs" },
  .exact_shift = TRUE,
  .nan_policy = "NaN and Inf follow the arithmetic inside the support; weights of 0 are left out"
};
