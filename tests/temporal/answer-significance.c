/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Significance, pixel by pixel.  Both sides are given the same background. */
#include "answers.h"

#include <math.h>

#include "draws.h"
#include "medians.h"
#include "whiten.h"

#define FLOAT_STEP 0x1p-24
#define ROUNDINGS  16

typedef struct
{
  gdouble    gain, sd;
  gboolean   forgets;
  Plane      background, whitened;
} Judged;

/* Some pixels of the frame are not known, and in gaps of some of these not the background either: no gradient is made
 * of that.  No block of 64 is wholly unknown: what then stands for it is open. */
static void
forget_some (StarsRandom *random, Judged *judged)
{
  const gboolean has_gaps = draw_chance (random, 0.5);
  const gint     w = judged->whitened.width, left = draw_whole (random, 0, w / 2),
             whole = draw_chance (random, 0.2) ? draw_whole (random, 1, 50) : 0;

  for (gsize i = 0; i < plane_size (&judged->whitened); i++)
    {
      const gint x = (gint) (i % w), y = (gint) (i / w);

      if (draw_chance (random, 0.01) || (x >= left && x < left + whole && y < whole))
        {
          judged->whitened.values[i] = NAN;
          if (has_gaps && draw_chance (random, 0.5))
            judged->background.values[i] = NAN;
        }
    }
}

/* Of a field, or steep and flat parts. */
static Plane
draw_background (StarsRandom *random)
{
  static const gint sizes[][2] = { { 150, 91 }, { 63, 200 }, { 1, 40 }, { 512, 64 } };
  const gint        which = draw_whole (random, 0, 3 * G_N_ELEMENTS (sizes) - 1);
  StarsField       *field;
  Plane             plane;

  if (which >= (gint) G_N_ELEMENTS (sizes))
    {
      field = draw_field (random, 1, 300, 1, 0);
      plane = draw_frame (random, field, 0);
      stars_field_free (field);
      return plane;
    }
  plane = plane_new (sizes[which][0], sizes[which][1]);
  for (gsize i = 0; i < plane_size (&plane); i++)
    {
      const gdouble u = (i % plane.width - 70.0) / 6, v = (i / plane.width - 40.0) / 6;

      plane.values[i] = (gfloat) (1000 + 300 * u - 200 * v + 150 * u * v + 90 * v * v - 2.5 * u * u * u
                                  + draw (random, 0, 60));
    }
  return plane;
}

static gpointer
judged_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  StarsRandom   random = stars_random (seed, 1, 0);
  Judged       *judged = g_new (Judged, 1);
  const gdouble slope = draw_chance (&random, 0.3) ? 0.1 : 0;

  judged->gain = draw_chance (&random, 0.3) ? 0 : draw_log (&random, 0.1, 10);
  judged->forgets = draw_chance (&random, 0.6);
  judged->sd = draw_log (&random, 0.5, 100);
  judged->background = draw_background (&random);
  judged->whitened = draw_noise (&random, judged->background.width, judged->background.height);
  for (gsize i = 0; i < plane_size (&judged->background); i++)
    {
      const gdouble noise = isfinite (judged->whitened.values[i]) ? judged->whitened.values[i] : 0;

      if (! isfinite (judged->background.values[i]))
        judged->background.values[i] = 1000;
      judged->whitened.values[i] = (gfloat) (judged->sd * (noise + slope * (i % judged->whitened.width)));
    }
  if (judged->forgets)
    forget_some (&random, judged);
  return judged;
}

static void
judged_free (gpointer input)
{
  Judged *judged = input;

  plane_free (&judged->background);
  plane_free (&judged->whitened);
  g_free (judged);
}

static gchar *
judged_words (gconstpointer input)
{
  const Judged *judged = input;

  return g_strdup_printf ("%d x %d, gain %g, %s", judged->background.width, judged->background.height, judged->gain,
                          judged->forgets ? "not all known" : "all known");
}

static gboolean
judged_judge (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Judged *judged = input;
  WhitenPlanes  planes;

  whiten_planes_init (&planes, judged->background.width, judged->background.height);
  for (gsize i = 0; i < plane_size (&judged->background); i++)
    {
      planes.background.pixels[i] = (gfloat) judged->background.values[i];
      planes.whitened.pixels[i] = (gfloat) judged->whitened.values[i];
    }
  whiten_judge (&planes, judged->gain);
  for (gsize i = 0; i < plane_size (&judged->background); i++)
    answer_add (numbers, planes.significance.pixels[i]);
  whiten_planes_clear (&planes);
  return TRUE;
}

static void
judged_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const Judged *judged = input;
  Plane         sigmas = plane_copy (&judged->background);
  Plane         right = reference_significance (&judged->whitened, &judged->background, judged->gain, &sigmas);
  gdouble       most = 0;

  for (gsize i = 0; i < plane_size (&right); i++)
    most = MAX (most, isfinite (judged->whitened.values[i]) ? fabs (judged->whitened.values[i]) : 0);
  for (gsize i = 0; i < plane_size (&right); i++)
    {
      const gdouble s = sigmas.values[i], b = fabs (judged->background.values[i]);
      /* The gradient is at most the neighbours' difference: 0.1 of it is in sigma. */
      const gdouble of_sigma = isfinite (b) && s > 0
                                   ? ((judged->gain > 0 ? b / judged->gain : 0) + 0.1 * s * b) / (s * s)
                                   : 0;

      answer_want (wanted, right.values[i],
                   ROUNDINGS * FLOAT_STEP
                       * (fabs (right.values[i]) * (1 + of_sigma)
                          + (s > 0 ? (fabs (judged->whitened.values[i]) + judged->sd) / s : 0)));
    }
  plane_free (&sigmas);
  plane_free (&right);
}

/* ---------------------------------------------------------------- laws -- */

/* Brightness has no unit, and its own noise that of electrons. */
static gboolean
twice_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Judged *judged = input;

  for (gsize i = 0; i < plane_size (&judged->background); i++)
    {
      judged->background.values[i] *= 2;
      judged->whitened.values[i] *= 2;
    }
  judged->gain /= 2;
  return TRUE;
}

static gboolean
darker_than_dark (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Judged *judged = input;

  for (gsize i = 0; i < plane_size (&judged->background); i++)
    judged->whitened.values[i] = - judged->whitened.values[i];
  for (guint i = 0; i < wanted->len; i++)
    g_array_index (wanted, AnswerWanted, i).value *= -1;
  return TRUE;
}

const AnswerRow answer_significance = {
  .name = "significance", .cases = 90, .draw = judged_draw, .describe = judged_words, .clear = judged_free,
  .compute = judged_judge,
  .reference = judged_reference, .tolerance = "16 roundings: of the value, and of what makes sigma",
  .laws = { { "twice as bright", twice_as_bright }, { "everything below the background", darker_than_dark } },
  .special = medians
};
