/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:label, shapes that its ways of joining could stumble over,
 * and the count that it leaves. */
#include "check.h"

#define MOST_COLORS 256

enum { SOURCE, THRESHOLD, CONNECTIVITY, MIN_AREA, RESULT };
enum { COLORS, INDEX, MASK };

static const gchar *const sources[] = { "luminance", "alpha", NULL };
static const gchar *const connectivities[] = { "4", "8", NULL };
static const gchar *const results[] = { "colors", "index", "mask", NULL };

static const gchar *
working (const gdouble *values G_GNUC_UNUSED)
{
  return "RGBA float";
}

static const gchar *
delivers (const gdouble *values)
{
  return values[RESULT] == COLORS ? "RGBA float" : "Y float";
}

static gdouble
cost (const gdouble *values G_GNUC_UNUSED)
{
  return 20;
}

/* One colour is one component, or none. */
static gboolean
changes_planes (const gdouble *values G_GNUC_UNUSED)
{
  return TRUE;
}

/* What the documentation says of colours: hues a golden section apart (2^32 times that, to
 * 24 bits), brightness by label mod 3, the least component by label / 3 mod 4. */
static void
color_of (gint label, guint8 *color)
{
  const gdouble turn = fmod (label * 2654435769.0, 4294967296.0) / 4294967296.0;
  const gint    hue = (gint) floor (floor (turn * 16777216.0) * 6 / 65536.0);
  const gint    part = hue % 256, high = 255 - 48 * (label % 3), low = high * (label / 3 % 4) / 8;
  const gint    up = low + (high - low) * part / 255, down = high - (high - low) * part / 255;
  const gint    six[6][3] = { { high, up, low }, { down, high, low }, { low, high, up },
                              { low, down, high }, { up, low, high }, { high, low, down } };

  for (gint c = 0; c < 3; c++)
    color[c] = label > 0 ? six[hue / 256][c] : 0;
}

/* Labels become linear light of the space; what the driver reads may have been converted
 * there and back, but codes are further apart.  Alpha is the input's. */
static void
expect_colors (const CheckReferenceArgs *args, RefResult *result)
{
  const Babl *space = args->space;
  const Babl *fish = babl_fish (babl_format_with_space ("R'G'B'A u8", space),
                                babl_format_with_space ("RGBA float", space));

  for (gsize i = 0; i < 4 * (gsize) result->width * result->height; i += 4)
    {
      guint8 codes[4] = { 0, 0, 0, 255 };
      const gsize    n = i / 4, x = result->x + n % result->width, y = result->y + n / result->width;
      const gdouble  alpha = args->image->pixels[4 * (y * args->image->width + x) + 3];
      gfloat         color[4];

      color_of ((gint) result->out[i], codes);
      babl_process (fish, codes, color, 1);
      for (gint c = 0; c < 3; c++)
        {
          result->out[i + c] = color[c];
          result->slack[i + c] = 1e-4;
        }
      result->out[i + 3] = alpha;
      result->slack[i + 3] = isfinite (alpha) ? args->image->error * fabs (alpha) : 0;
    }
  check_excuse_delivery (args, TRUE, FALSE, result);
}

/* Y in the order of the filter's floats, or alpha; where alpha is 0 what is background whatever the threshold. */
static gdouble *
source_values (const CheckReferenceArgs *args)
{
  const gsize  n = (gsize) args->image->width * args->image->height;
  gdouble     *values = g_new0 (gdouble, 4 * n);
  const gfloat w[3] = { (gfloat) args->weights[0], (gfloat) args->weights[1], (gfloat) args->weights[2] };

  for (gsize i = 0; i < n; i++)
    {
      const gdouble *p = args->image->pixels + 4 * i;
      const gfloat   y = (w[0] * (gfloat) p[0] + w[1] * (gfloat) p[1]) + w[2] * (gfloat) p[2];

      values[4 * i] = p[3] == 0 ? NAN : args->values[SOURCE] == 1 ? p[3] : y;
    }
  return values;
}

/* May the conversion of the input have taken a value over the threshold?  Terms of either
 * sign cancel, and what is infinite on one way may be finite on the other. */
static gboolean
is_doubtful (const CheckReferenceArgs *args)
{
  const gsize   n = (gsize) args->image->width * args->image->height;
  const gdouble threshold = (gfloat) args->values[THRESHOLD];
  gboolean      doubtful = FALSE;

  for (gsize i = 0; i < n && args->image->error > 0 && ! doubtful; i++)
    {
      const gdouble *p = args->image->pixels + 4 * i;
      gdouble        value = p[3], size = fabs (value);

      if (p[3] == 0)
        continue;
      if (args->values[SOURCE] == 0)
        {
          value = size = 0;
          for (gint c = 0; c < 3; c++)
            {
              value += args->weights[c] * p[c];
              size += fabs (args->weights[c] * p[c]);
            }
        }
      doubtful = ! (fabs (value - threshold) > 2 * args->image->error * size + 1e-37);
    }
  return doubtful;
}

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  gdouble       *values = source_values (args);
  const gsize    n = 4 * (gsize) result->width * result->height;
  const gint     output = (gint) args->values[RESULT];
  const RefImage image = { args->image->width, args->image->height, values, 0 };
  const gboolean doubtful = is_doubtful (args);

  reference_label (&image, args->values[THRESHOLD], args->values[CONNECTIVITY] == 1 ? 8 : 4,
                   (gint) args->values[MIN_AREA], results[output == MASK ? MASK : INDEX], result);
  if (output == COLORS)
    expect_colors (args, result);
  for (gsize i = 0; i < n && doubtful; i++)
    result->slack[i] = INFINITY;
  g_free (values);
}

/* ---------------------------------------------------------------- shapes -- */

/* Every other ring, open at its upper left and led on to the next one there. */
static gboolean
in_spiral (gint x, gint y, gint width, gint height)
{
  gint ring = MIN (MIN (x, y), MIN (width - 1 - x, height - 1 - y));

  return (ring % 2 == 0) != (x == ring && y == ring + 1);
}

static gboolean
in_shape (const gchar *shape, gint x, gint y, gint width, gint height)
{
  switch (shape[0])
    {
    case 'a': return TRUE;                                      /* all */
    case 'c': return x % 2 == 0 || y == height - 1;             /* comb: joined by the last row */
    case 'C': return (x + y) % 2;                               /* checkerboard */
    case 'd': return x == y;                                    /* diagonal: the first pixel has one neighbour */
    case 'n': return FALSE;                                     /* none */
    case 's': return in_spiral (x, y, width, height);
    case 'z': return y % 2 == 0 || x == (y / 2 % 2 ? 0 : width - 1);   /* one line to and fro */
    default:  return ((x + 2 * y) % 7 < 3 && (x - y) % 5) || y % 9 == 0;
    }
}

/* The node's result and count against the reference's. */
static gboolean
labels_shape (const CheckFilter *filter, const CheckCase *c, const gfloat *painted, CheckLeg leg, GString *why)
{
  CheckSource  *source = check_source_new (filter, c, painted);
  GeglNode     *graph = gegl_node_new (), *node = check_operation_node (filter, c, graph);
  GeglRectangle roi = source->box;
  const gsize   n = (gsize) roi.width * roi.height;
  gdouble      *values = g_new0 (gdouble, 4 * n), *truth = g_new0 (gdouble, 12 * n);
  gfloat       *found = g_new0 (gfloat, n);
  RefImage      image = { roi.width, roi.height, values, 0 };
  RefResult     result = { 0, 0, roi.width, roi.height, truth, truth + 4 * n, truth + 8 * n };
  gint          count = -1, expected;
  gboolean      good = TRUE;

  for (gsize i = 0; i < n; i++)
    values[4 * i] = painted[4 * i];
  expected = reference_label (&image, 0.5, c->value[CONNECTIVITY] == 1 ? 8 : 4, 1, "index", &result);
  check_connect_source (graph, node, "input", source);
  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  gegl_node_blit (node, 1.0, &roi, babl_format ("Y float"), found, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "count", &count, NULL);
  if (count != expected)
    {
      g_string_append_printf (why, "  count %d instead of %d\n", count, expected);
      good = FALSE;
    }
  for (gsize i = 0; i < n && good; i++)
    if (found[i] != truth[4 * i])
      {
        g_string_append_printf (why, "  label %g instead of %g at (%d, %d)\n", found[i], truth[4 * i],
                                (gint) (i % roi.width), (gint) (i / roi.width));
        good = FALSE;
      }
  g_object_unref (graph);
  check_source_free (source);
  g_free (values);
  g_free (truth);
  g_free (found);
  return good;
}

static void
check_shapes (const CheckFilter *filter, const CheckOptions *options, CheckStats *stats)
{
  static const gchar *const shapes[] = { "all", "comb", "Checkerboard", "diagonal", "none", "spiral", "zigzag",
                                          "weave" };
  static const gint         sizes[][2] = { { 1, 1 }, { 33, 65 }, { 257, 131 }, { 700, 3 }, { 2, 300 } };
  GString                  *why = g_string_new (NULL);

  for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
    for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
      for (guint which = 0; which < 4; which++)
        {
          const CheckLeg leg = which & 1 ? CHECK_LEG_OPENCL : CHECK_LEG_C;
          const gint     width = sizes[k][0], height = sizes[k][1];
          CheckCase      c = { 0 };
          gfloat        *painted = g_new (gfloat, 4 * (gsize) width * height);
          gchar         *title = g_strdup_printf ("%s, %s leg: %s, %d x %d, %s neighbours", filter->name,
                                                  check_leg_name (leg), shapes[s], width, height,
                                                  connectivities[which / 2]);
          gboolean       good = TRUE;

          check_default_values (filter, c.value);
          c.field[CHECK_WIDTH] = width;
          c.field[CHECK_HEIGHT] = height;
          c.value[CONNECTIVITY] = which / 2;
          c.value[RESULT] = INDEX;
          for (gint i = 0; i < 4 * width * height; i++)
            painted[i] = in_shape (shapes[s], i / 4 % width, i / 4 / width, width, height);
          if (options->legs & leg)
            good = labels_shape (filter, &c, painted, leg, why);
          check_verdict (stats, good, title, why, options->quiet);
          g_string_truncate (why, 0);
          g_free (title);
          g_free (painted);
        }
  g_string_free (why, TRUE);
}

/* An image that does not fit the device's memory is computed in C, whole: it cannot be cut. */
static void
check_little_memory (const CheckOptions *options, CheckStats *stats)
{
  CheckCase       c = { .content_seed = options->seed };
  CheckPixels     in_c = { 0 }, cramped = { 0 };
  CheckSource    *source;
  GeglRectangle   roi;
  TesseraCounters before, after;
  GString        *why = g_string_new (NULL);
  gboolean        good;

  check_default_values (&check_label, c.value);
  c.field[CHECK_WIDTH] = 300;
  c.field[CHECK_HEIGHT] = 400;          /* 3.4 MB */
  source = check_source_draw (&check_label, &c);
  roi = check_roi (&check_label, &c);
  good = check_run (&check_label, &c, source, NULL, &roi, CHECK_LEG_C, &in_c, why);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  tessera_set_memory (2);
  tessera_get_counters (&before);
  good &= check_blit (&check_label, &c, source, NULL, &roi, &cramped, why);
  tessera_get_counters (&after);
  tessera_set_memory (0);
  if (after.c_requests != before.c_requests + 1 || after.launches != before.launches)
    {
      g_string_append (why, "  it was not computed in C alone\n");
      good = FALSE;
    }
  good = good && check_same_bits (&cramped, &in_c, "with little memory vs C", why);
  check_verdict (stats, good, "label: little memory", why, options->quiet);
  check_pixels_clear (&in_c);
  check_pixels_clear (&cramped);
  check_source_free (source);
  g_string_free (why, TRUE);
}

/* An input that has become empty has no components; GEGL does not ask for its pixels. */
static void
check_nothing_left (const CheckOptions *options, CheckStats *stats)
{
  GeglBuffer   *empty = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 0, 0), babl_format ("RGBA float"));
  CheckCase     c = { .content_seed = options->seed };
  GeglNode     *graph = gegl_node_new (), *node, *input;
  GString      *why = g_string_new (NULL);
  CheckSource  *source;
  GeglRectangle roi;
  gfloat       *found;
  gint          before = -1, after = -1;

  check_default_values (&check_label, c.value);
  c.field[CHECK_WIDTH] = 60;
  c.field[CHECK_HEIGHT] = 40;
  source = check_source_draw (&check_label, &c);
  roi = check_roi (&check_label, &c);
  found = g_new (gfloat, 4 * roi.width * roi.height);
  node = check_operation_node (&check_label, &c, graph);
  check_connect_source (graph, node, "input", source);
  input = gegl_node_get_producer (node, "input", NULL);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  gegl_node_blit (node, 1.0, &roi, babl_format ("RGBA float"), found, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "count", &before, NULL);
  gegl_node_set (input, "buffer", empty, NULL);
  gegl_node_blit (node, 1.0, &roi, babl_format ("RGBA float"), found, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "count", &after, NULL);
  if (before <= 0 || after != 0)
    g_string_append_printf (why, "  count %d, and of nothing %d\n", before, after);
  check_verdict (stats, why->len == 0, "label: count of an input that has become empty", why, options->quiet);
  g_free (found);
  g_object_unref (graph);
  g_object_unref (empty);
  check_source_free (source);
  g_string_free (why, TRUE);
}

/* Labels 1 to 256 have different colours, none black. */
static void
check_colors (const CheckOptions *options, CheckStats *stats)
{
  guint8   colors[MOST_COLORS + 1][3];
  GString *why = g_string_new (NULL);

  for (gint i = 0; i <= MOST_COLORS; i++)
    {
      color_of (i, colors[i]);
      for (gint k = 0; k < i; k++)
        if (! memcmp (colors[i], colors[k], sizeof colors[i]))
          g_string_append_printf (why, "  labels %d and %d have one colour\n", k, i);
    }
  check_verdict (stats, why->len == 0, "label: colours are different", why, options->quiet);
  g_string_free (why, TRUE);
}

static void
special (const CheckOptions *options, CheckStats *stats)
{
  check_colors (options, stats);
  check_nothing_left (options, stats);
  check_shapes (&check_label, options, stats);
  if (options->legs & CHECK_LEG_OPENCL)
    check_little_memory (options, stats);
}

static const BenchRow timed[] = {
  { .title = "label random dots, index", .ours = "tessera:label result=index", .peer = "labels",
    .dots = TRUE, .result = "Y float" },
  { .title = "label random dots, colors", .ours = "tessera:label", .dots = TRUE },
  { .title = NULL }
};

static const CheckUndrawn undrawn[] =
  { { "output", CHECK_ALIAS },
    { "count", CHECK_RESULT },
    { NULL, NULL } };

const CheckFilter check_label =
{
  .name = "label",
  .operation = "tessera:label",
  .timed = timed,
  .n_properties = 5,
  .properties =
    {
      { "source", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 0, 0, sources },
      { "threshold", CHECK_DOUBLE, CHECK_UNIFORM, -0.2, 1.2, 0.5, 0.25, NULL },
      { "connectivity", CHECK_ENUM, CHECK_UNIFORM, 0, 1, 1, 0, connectivities },
      { "min-area", CHECK_INT, CHECK_LOG, 1, 500, 1, 0, NULL },
      { "result", CHECK_ENUM, CHECK_UNIFORM, 0, 2, 0, 0, results }
    },
  .undrawn = undrawn,
  .working = working, .delivers = delivers, .cost = cost,
  .changes_planes = changes_planes, .reference = reference,
  .to_reference = { 0, "integers" },
  .exact_shift = TRUE,
  .whole = TRUE,
  .special = special,
  .nan_policy = "NaN and what has alpha 0 is background, +Inf foreground"
};
