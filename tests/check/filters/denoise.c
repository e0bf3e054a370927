/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The check table of tessera:denoise. */
#include "check.h"
#include "greys.h"

#include <math.h>
#include <string.h>

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

#define SIDE  128
#define NOISE 0.05

/* Noise on: a ramp of grey, no tone of which has many blocks; middle grey, without blue or with all of red; with half of its pixels
 * hidden; what is all black and white; below a sky that is white, stored as light. */
typedef enum { RAMP, NO_BLUE, ALL_RED, HALF_HIDDEN, STENCIL, WHITE_SKY } Content;

static void
paint (Content content, gint side, GRand *rand, gfloat *pixels)
{
  for (gint i = 0; i < 4 * side * side; i++)
    {
      const gdouble clean = content == RAMP ? 0.25 + 0.5 * (i / 4 % side) / side : 0.5;
      gdouble       noise = -6.0;

      for (gint k = 0; k < 12; k++)
        noise += g_rand_double (rand);
      pixels[i] = i % 4 == 3 ? 1.0f : (gfloat) (clean + NOISE * noise);
      if (content == HALF_HIDDEN && i % 4 == 3 && noise < -0.05)
        pixels[i] = 0.0f;
      if ((content == NO_BLUE && i % 4 == 2) || (content == STENCIL && i % 4 < 3))
        pixels[i] = content == STENCIL && noise < 0.0 ? 1.0f : 0.0f;
      if ((content == ALL_RED && i % 4 == 0) || (content == WHITE_SKY && i / 4 / side < side / 4))
        pixels[i] = 1.0f;
    }
}

/* What a picture became. */
typedef struct
{
  gfloat  before[4 * SIDE * SIDE], after[4 * SIDE * SIDE];
  gdouble level, flat;
} Picture;

static gdouble
property_of (GeglNode *node, const gchar *property)
{
  GValue  value = G_VALUE_INIT;
  gdouble result;

  g_value_init (&value, G_TYPE_DOUBLE);
  gegl_node_get_property (node, property, &value);
  result = g_value_get_double (&value);
  g_value_unset (&value);
  return result;
}

static Picture *
denoised (const CheckOptions *options, Content content, gint side)
{
  const GeglRectangle box = { 0, 0, side, side };
  const Babl         *format = babl_format ("R'G'B'A float");
  GRand              *rand = g_rand_new_with_seed (options->seed);
  GeglBuffer         *buffer = gegl_buffer_new (&box, content == WHITE_SKY ? babl_format ("RGBA float") : format);
  GeglNode           *graph = gegl_node_new (), *source, *node;
  Picture            *picture = g_new0 (Picture, 1);

  paint (content, side, rand, picture->before);
  gegl_buffer_set (buffer, &box, 0, format, picture->before, GEGL_AUTO_ROWSTRIDE);
  source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  node = gegl_node_new_child (graph, "operation", check_denoise.operation, NULL);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, &box, format, picture->after, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  picture->level = property_of (node, "measured-level");
  picture->flat = property_of (node, "measured-flat");
  g_object_unref (graph);
  g_object_unref (buffer);
  g_rand_free (rand);
  return picture;
}

/* Around middle grey, of what is seen. */
static gdouble
noise_left (const Picture *picture, gint channel)
{
  gdouble sum = 0.0;
  gint    n = 0;

  for (gint i = channel; i < 4 * SIDE * SIDE; i += 4)
    if (picture->before[i - channel + 3] > 0.0f)
      {
        sum += (picture->after[i] - 0.5) * (picture->after[i] - 0.5);
        n++;
      }
  return sqrt (sum / n);
}

static gint
changed (const Picture *picture, gint channel)
{
  gint n = 0;

  for (gint i = channel; i < 4 * SIDE * SIDE; i += 4)
    n += memcmp (&picture->before[i], &picture->after[i], sizeof (gfloat)) != 0;
  return n;
}

#define HOLDS(promise, above, value, bound) greys_hold (options, stats, &check_denoise, promise, above, value, bound, why)

static void
level_holds (const CheckOptions *options, CheckStats *stats, const gchar *promise, gdouble level, gdouble least, GString *why)
{
  HOLDS (promise, TRUE, level, least * NOISE);
  HOLDS (promise, FALSE, level, 1.2 * NOISE);
}

static void
few_blocks (const CheckOptions *options, CheckStats *stats, GString *why)
{
  Picture *picture;

  for (gint side = 64; side <= SIDE; side += 32)
    {
      picture = denoised (options, RAMP, side);
      level_holds (options, stats, "noise of 0.05 in few blocks is told", picture->level, 0.8, why);
      g_free (picture);
    }
  picture = denoised (options, RAMP, 48);
  HOLDS ("no noise is told where none is measured", FALSE, picture->level, 0);
  HOLDS ("nor flat places", FALSE, picture->flat, 0);
  g_free (picture);
}

/* The channels that have noise lose it. */
static void
clipped_channel (const CheckOptions *options, CheckStats *stats, Content content, gint clipped, GString *why)
{
  Picture *picture = denoised (options, content, SIDE);

  level_holds (options, stats, "a clipped channel hides no noise", picture->level, 0.85, why);
  HOLDS ("a clipped channel stays", FALSE, changed (picture, clipped), 0);
  for (gint c = 0; c < 3; c++)
    if (c != clipped)
      HOLDS ("beside a clipped channel noise goes", FALSE, noise_left (picture, c), 0.3 * NOISE);
  g_free (picture);
}

static void
promises (const CheckOptions *options, CheckStats *stats)
{
  GString *why = g_string_new (NULL);
  Picture *picture;

  few_blocks (options, stats, why);
  clipped_channel (options, stats, NO_BLUE, 2, why);
  clipped_channel (options, stats, ALL_RED, 0, why);
  picture = denoised (options, HALF_HIDDEN, SIDE);
  level_holds (options, stats, "what is half hidden shows its noise", picture->level, 0.7, why);
  HOLDS ("what is half hidden loses its noise", FALSE, noise_left (picture, 1), 0.4 * NOISE);
  g_free (picture);
  picture = denoised (options, WHITE_SKY, SIDE);
  level_holds (options, stats, "white light hides no noise", picture->level, 0.7, why);
  g_free (picture);
  picture = denoised (options, STENCIL, SIDE);
  HOLDS ("black and white has no noise", FALSE, picture->level, 0);
  HOLDS ("black and white stay", FALSE, changed (picture, 0) + changed (picture, 1) + changed (picture, 2), 0);
  g_free (picture);
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
