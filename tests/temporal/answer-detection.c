/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The matched filter and its maxima.  Maxima are chosen among values that both sides are given, so they agree
 * exactly. */
#include "answers.h"

#include <math.h>

#include "detect.h"
#include "draws.h"
#include "objects.h"

#define FLOAT_STEP 0x1p-24
#define STEP       3.0f         /* of values of which many are the same */

typedef struct
{
  Plane      noise;
  CountPlane counts;
  gdouble    fwhm;
  gfloat     threshold;
  gboolean   has_ties;          /* maxima are those of a few values */
} Sky;

static gpointer
sky_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  StarsRandom random = stars_random (seed, 1, 0);
  Sky        *sky = g_new (Sky, 1);
  const gint  width = (gint) draw_log (&random, 1, 170), height = (gint) draw_log (&random, 1, 120);

  sky->fwhm = draw_chance (&random, 0.4) ? 2.2 : draw_log (&random, 0.6, draw_chance (&random, 0.1) ? 40 : 9);
  sky->threshold = (gfloat) draw (&random, 1, 8);
  sky->has_ties = draw_chance (&random, 0.3);
  sky->noise = draw_noise (&random, width, height);
  sky->counts = as_counts (&sky->noise);
  return sky;
}

static void
sky_free (gpointer input)
{
  Sky *sky = input;

  plane_free (&sky->noise);
  count_plane_clear (&sky->counts);
  g_free (sky);
}

static gchar *
sky_words (gconstpointer input)
{
  const Sky *sky = input;

  return g_strdup_printf ("%d x %d, fwhm %g, threshold %g%s", sky->noise.width, sky->noise.height, sky->fwhm,
                          sky->threshold, sky->has_ties ? ", ties" : "");
}

/* The filtered plane, then column, row, value and the top of each maximum. */
static gboolean
sky_detect (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Sky  *sky = input;
  const gint  size = sky->counts.width * sky->counts.height;
  CountPlane  filtered;
  GArray     *found;

  count_plane_init (&filtered, sky->counts.width, sky->counts.height);
  detect_filter (&sky->counts, sky->fwhm, &filtered);
  for (gint i = 0; i < size; i++)
    answer_add (numbers, filtered.pixels[i]);
  for (gint i = 0; i < size && sky->has_ties; i++)
    filtered.pixels[i] = STEP * floorf (filtered.pixels[i] / STEP);
  found = detect_maxima (&filtered, sky->threshold);
  for (guint i = 0; i < found->len; i++)
    {
      const Detection *one = &g_array_index (found, Detection, i);

      answer_add (numbers, one->x);
      answer_add (numbers, one->y);
      answer_add (numbers, one->value);
      answer_add (numbers, one->fine_x);
      answer_add (numbers, one->fine_y);
    }
  g_array_free (found, TRUE);
  count_plane_clear (&filtered);
  return TRUE;
}

/* The top of the parabola through three values; of a flat one, or where one is not known, the middle. */
static gdouble
top (gdouble low, gdouble middle, gdouble high)
{
  const gdouble bend = low + high - 2 * middle;

  return bend < 0 ? CLAMP ((low - high) / (2 * bend), -0.5, 0.5) : 0;
}

static void
want_maxima (const Plane *filtered, gdouble threshold, GArray *wanted)
{
  GArray *spots = reference_maxima (filtered, threshold);

  for (guint i = 0; i < spots->len; i++)
    {
      const ReferenceSpot *spot = &g_array_index (spots, ReferenceSpot, i);
      const gint           x = spot->x, y = spot->y;

      answer_want (wanted, x, 0);
      answer_want (wanted, y, 0);
      answer_want (wanted, spot->value, 0);
      answer_want (wanted, x + top (plane_at (filtered, x - 1, y), spot->value, plane_at (filtered, x + 1, y)), 1e-9);
      answer_want (wanted, y + top (plane_at (filtered, x, y - 1), spot->value, plane_at (filtered, x, y + 1)), 1e-9);
    }
  g_array_free (spots, TRUE);
}

/* The filter's norm is 1, so the sum of |k v| is at most sqrt (taps) times the largest |v|. */
static void
sky_reference (gconstpointer input, const GArray *numbers, GArray *wanted)
{
  const Sky *sky = input;
  const gint reach = (gint) ceil (3 * sky->fwhm / 2.3548), side = 2 * reach + 1;
  Plane      right = reference_filtered (&sky->noise, sky->fwhm);
  gdouble    most = 0;

  for (gsize i = 0; i < plane_size (&right); i++)
    most = MAX (most, isfinite (sky->noise.values[i]) ? fabs (sky->noise.values[i]) : 0);
  for (gsize i = 0; i < plane_size (&right); i++)
    {
      answer_want (wanted, right.values[i], (2 * reach + 6) * 2 * FLOAT_STEP * side * most);
      right.values[i] = g_array_index (numbers, gdouble, i);
      right.values[i] = sky->has_ties ? STEP * floorf ((gfloat) right.values[i] / STEP) : right.values[i];
    }
  want_maxima (&right, sky->threshold, wanted);
  plane_free (&right);
}

/* ---------------------------------------------------------------- laws -- */

static gboolean
twice_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Sky        *sky = input;
  const guint size = sky->counts.width * sky->counts.height;

  for (guint i = 0; i < size; i++)
    sky->counts.pixels[i] *= 2.0f;
  sky->threshold *= 2.0f;
  for (guint i = 0; i < wanted->len; i++)
    if (i < size || (i - size) % 5 == 2)
      g_array_index (wanted, AnswerWanted, i).value *= 2;
  return ! sky->has_ties;
}

/* Beyond the plane it sees 0, as where a pixel has no value. */
static gboolean
beside_nothing (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Sky       *sky = input;
  const gint width = sky->counts.width, height = sky->counts.height;
  CountPlane wider;
  GArray    *now = g_array_new (FALSE, FALSE, sizeof (AnswerWanted));

  count_plane_init (&wider, width + 5, height + 4);
  for (gint i = 0; i < wider.width * wider.height; i++)
    {
      const gint x = i % wider.width, y = i / wider.width, at = y * width + x;

      wider.pixels[i] = x < width && y < height ? sky->counts.pixels[at] : NAN;
      answer_want (now, x < width && y < height ? g_array_index (wanted, AnswerWanted, at).value : NAN, 0);
    }
  count_plane_clear (&sky->counts);
  sky->counts = wider;
  sky->threshold = 1e9f;                /* a border is where no maximum is */
  g_array_set_size (wanted, 0);
  g_array_append_vals (wanted, now->data, now->len);
  g_array_unref (now);
  return TRUE;
}

const AnswerRow answer_detection = {
  .name = "detection", .cases = 80, .draw = sky_draw, .describe = sky_words, .clear = sky_free,
  .compute = sky_detect, .reference = sky_reference,
  .tolerance = "two sums of floats, of 2 reach + 1 terms each",
  .laws = { { "twice as bright", twice_as_bright }, { "beside pixels without a value", beside_nothing } },
  .special = objects_detection
};
