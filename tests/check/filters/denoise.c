/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:denoise. */
#include "check.h"
#include "greys.h"

enum { LIGHTNESS, COLOR, DETAIL, LEVEL };

static const gchar *const neutral[] = { "lightness=0,color=0", NULL };

static gboolean
passes (const gdouble *values)
{
  return values[LIGHTNESS] == 0 && values[COLOR] == 0;
}

/* The noise is not told. */
static gboolean
is_whole (const gdouble *values)
{
  return values[LEVEL] == 0;
}

/* Two stages of windows of 8 on three scales, and the joint colours. */
static void
halo (const gdouble *values G_GNUC_UNUSED, gint *x, gint *y)
{
  *x = *y = 72;
}

static const CheckUndrawn undrawn[] = { { "measured-level", CHECK_RESULT }, { "measured-flat", CHECK_RESULT }, { NULL, NULL } };

static void
reference (const CheckReferenceArgs *args, RefResult *result)
{
  reference_denoise (args->image, args->values[LIGHTNESS], args->values[COLOR], args->values[DETAIL], args->values[LEVEL], result);
  check_excuse_delivery (args, TRUE, TRUE, result);
}

/* --------------------------------------------------------- what is promised -- */

/* What is told of a ramp of grey, no tone of which has many blocks, with noise of 0.05. */
static gdouble
told (const CheckOptions *options, gint side, const gchar *property)
{
  const GeglRectangle box = { 0, 0, side, side };
  GRand              *rand = g_rand_new_with_seed (options->seed);
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("R'G'B'A float"));
  GeglNode           *graph = gegl_node_new (), *source, *node;
  gfloat             *pixels = g_new (gfloat, 4 * side * side);
  GValue              value = G_VALUE_INIT;
  gdouble             result;

  for (gint i = 0; i < 4 * side * side; i++)
    {
      pixels[i] = i % 4 == 3 ? 1.0f : (gfloat) (0.25 + 0.5 * (i / 4 % side) / side - 0.3);
      for (gint k = 0; k < 12 && i % 4 < 3; k++)
        pixels[i] += (gfloat) (0.05 * g_rand_double (rand));
    }
  gegl_buffer_set (buffer, &box, 0, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE);
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  node = gegl_node_new_child (graph, "operation", check_denoise.operation, NULL);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, &box, babl_format ("R'G'B'A float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_value_init (&value, G_TYPE_DOUBLE);
  gegl_node_get_property (node, property, &value);
  result = g_value_get_double (&value);
  g_value_unset (&value);
  g_object_unref (graph);
  g_object_unref (buffer);
  g_rand_free (rand);
  g_free (pixels);
  return result;
}

static void
promises (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);

  for (gint side = 64; side <= 128; side += 32)
    {
      const gdouble level = told (options, side, "measured-level");

      greys_hold (options, stats, &check_denoise, "noise of 0.05 in few blocks is told", TRUE, level, 0.04, why);
      greys_hold (options, stats, &check_denoise, "noise of 0.05 in few blocks is told", FALSE, level, 0.06, why);
    }
  greys_hold (options, stats, &check_denoise, "no noise is told where none is measured", FALSE, told (options, 48, "measured-level"), 0, why);
  greys_hold (options, stats, &check_denoise, "nor flat places", FALSE, told (options, 48, "measured-flat"), 0, why);
  g_string_free (why, TRUE);
}

static const BenchRow timed[] = {
  { .title = "denoise", .ours = "tessera:denoise", .rival = "gegl:noise-reduction" },
  { .title = "denoise level 0.06", .ours = "tessera:denoise level=0.06", .rival = "gegl:denoise-dct sigma=15" },
  { .title = NULL }
};

const CheckFilter check_denoise =
{
  .name = "denoise",
  .operation = "tessera:denoise",
  .timed = timed,
  .n_properties = 4, .undrawn = undrawn,
  .properties =
    {
      { "lightness", CHECK_DOUBLE, CHECK_UNIFORM, 0, 3, 1, 0.1, NULL },
      { "color", CHECK_DOUBLE, CHECK_UNIFORM, 0, 3, 1, 0.1, NULL },
      { "detail", CHECK_DOUBLE, CHECK_UNIFORM, 0, 1, 0.25, 0.1, NULL },
      { "level", CHECK_DOUBLE, CHECK_UNIFORM, 0, 0.25, 0, 0.5, NULL }
    },
  .format = "R'G'B'A float", .halo = halo, .neutral = neutral, .passes = passes,
  .reference = reference, .to_reference = { 2e-4, "of the value range: some hundred roundings of 64 sums each" },
  .special = promises, .requests = 3,
  .exact_shift = TRUE, .whole = TRUE, .is_whole = is_whole, .seldom_far = TRUE,
  .nan_policy = "pixels with NaN or Inf pass through, and nothing depends on them"
};
