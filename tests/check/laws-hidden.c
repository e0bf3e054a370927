/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The law of hidden colour.  A pixel of alpha 0 in a straight-alpha format has no colour.
 * A picture is computed twice, the second time with other colours, NaN and infinities among
 * them, stored under alpha 0.  Every pixel that can be seen has the same bits.
 *
 * It holds in the formats that our own conversions know.  babl's mix neighbours. */
#include "check.h"

#include <float.h>

#define SEED_ALPHA   82
#define SEED_COLOURS 83
#define MOST_PIXELS  2e5        /* of a result that is asked for whole */

static const CheckFormat straight[] = {
  CHECK_FORMAT_RGBA_FLOAT, CHECK_FORMAT_SRGBA_FLOAT, CHECK_FORMAT_SRGBA_U8, CHECK_FORMAT_RGBA_U8,
  CHECK_FORMAT_RGBA_U16, CHECK_FORMAT_SRGBA_U16, CHECK_FORMAT_RGBA_HALF, CHECK_FORMAT_SRGBA_HALF,
  CHECK_FORMAT_YA_FLOAT, CHECK_FORMAT_SYA_U8, CHECK_FORMAT_YA_U16
};

static const CheckAlpha maps[] = {
  CHECK_ALPHA_PATCHES, CHECK_ALPHA_ISLANDS, CHECK_ALPHA_BORDER, CHECK_ALPHA_SCATTERED, CHECK_ALPHA_BLOCKS
};

static gboolean
is_straight (gint format)
{
  for (guint i = 0; i < G_N_ELEMENTS (straight); i++)
    if ((gint) straight[i] == format)
      return TRUE;
  return FALSE;
}

/* A straight format of the engine's and a map of alpha with holes, unless the case names some. */
static void
prepare (const CheckFilter *filter, CheckCase *c)
{
  GeglRectangle box;
  CheckRandom   random = { check_hash (c->content_seed + SEED_ALPHA) };
  const gint    format = straight[check_below (&random, G_N_ELEMENTS (straight))];
  const gint    map = maps[check_below (&random, G_N_ELEMENTS (maps))];
  const gint    aux = straight[check_below (&random, G_N_ELEMENTS (straight))];

  if (! is_straight (c->field[CHECK_FORMAT]))
    c->field[CHECK_FORMAT] = format;
  if (c->field[CHECK_ALPHA] < (gint) CHECK_ALPHA_PATCHES)
    c->field[CHECK_ALPHA] = map;
  if (c->field[CHECK_AUX] && ! is_straight (c->field[CHECK_AUX] - 1))
    c->field[CHECK_AUX] = 1 + aux;
  c->field[CHECK_SPACE] = c->field[CHECK_AUX_SPACE] = 0;
  box = check_output_box (filter, c);
  if (check_chance (&random, 75) && (gdouble) box.width * box.height < MOST_PIXELS)
    c->field[CHECK_ROI_W] = c->field[CHECK_ROI_H] = 0;
}

static gfloat
hidden_colour (CheckRandom *random)
{
  static const gfloat odd[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 1e30f, 65504, -3.7f, 1e-41f, -1e-41f, -0.0f, 1 };

  return check_chance (random, 50) ? odd[check_below (random, G_N_ELEMENTS (odd))] : (gfloat) check_uniform (random);
}

/* The picture of the case, or with other colours under alpha 0. */
static CheckSource *
picture_of (const CheckFilter *filter, const CheckCase *c, gboolean others)
{
  CheckRandom  random = { check_hash (c->content_seed + SEED_COLOURS) };
  const gint   n = check_components (filter, c);
  const gsize  pixels = (gsize) c->field[CHECK_WIDTH] * c->field[CHECK_HEIGHT];
  gfloat      *painted = check_paint (filter, c);
  CheckSource *source;

  for (gsize i = 0; i < pixels && others; i++)
    for (gint k = 0; k < n - 1 && painted[i * n + n - 1] == 0; k++)
      painted[i * n + k] = hidden_colour (&random);
  source = check_source_new (filter, c, painted);
  g_free (painted);
  return source;
}

/* Is the input's pixel there, and not of alpha 0? */
static gboolean
is_seen (const CheckCase *c, const gfloat *painted, gint n, gint x, gint y)
{
  x -= c->field[CHECK_X];
  y -= c->field[CHECK_Y];
  return x >= 0 && y >= 0 && x < c->field[CHECK_WIDTH] && y < c->field[CHECK_HEIGHT]
         && painted[((gsize) y * c->field[CHECK_WIDTH] + x) * n + n - 1] != 0;
}

/* What is alpha 0 both before and after has no colour: makes it black, so that it is not compared.  Numbers without
 * alpha have a value everywhere. */
static void
forget_unseen (const CheckFilter *filter, const CheckCase *c, const gfloat *painted, CheckPixels *pixels)
{
  const gint n = check_components (filter, c), width = pixels->roi.width;

  if (babl_format_get_n_components (check_result_format (filter, c)) < 4)
    return;
  for (gint i = 0; i < width * pixels->roi.height; i++)
    {
      gfloat *pixel = pixels->pixels + 4 * (gsize) i;

      if (pixel[3] == 0 && ! is_seen (c, painted, n, pixels->roi.x + i % width, pixels->roi.y + i / width))
        pixel[0] = pixel[1] = pixel[2] = 0;
    }
}

gboolean
check_law_hidden (const CheckFilter *filter,
                  const CheckCase   *drawn,
                  CheckLeg           leg,
                  GString           *why)
{
  CheckCase     c = *drawn, second;
  CheckPixels   results[2] = { { .pixels = NULL }, { .pixels = NULL } };
  GeglRectangle roi;
  gfloat       *painted;
  gboolean      good = TRUE;

  prepare (filter, &c);
  check_normalise (filter, &c);
  roi = check_roi (filter, &c);
  painted = check_paint (filter, &c);
  for (gint i = 0; i < 2; i++)
    {
      CheckSource *source = picture_of (filter, &c, i > 0), *aux = NULL;

      if (check_aux_case (&c, &second))
        aux = picture_of (filter, &second, i > 0);
      good = check_run (filter, &c, source, aux, &roi, leg, &results[i], why) && good;
      forget_unseen (filter, &c, painted, &results[i]);
      check_source_free (source);
      check_source_free (aux);
    }
  good = good && check_same_bits (&results[1], &results[0], "other colours under alpha 0", why);
  if (! good)
    check_describe (filter, &c, why);
  check_pixels_clear (&results[0]);
  check_pixels_clear (&results[1]);
  g_free (painted);
  return good;
}
