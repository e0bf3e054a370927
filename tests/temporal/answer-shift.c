/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts.  What may differ: the product filters in float.  A residual is then off by some units of the last place of
 * the brightest pixels that count, and the shift by that times the reference's `sensitivity`.  A pixel whose gradient
 * is just at the limit may count or not, and a last step of just 0.001 px be followed by another.  A start may be a
 * pixel off, so that a pyramid takes other steps. */
#include "answers.h"

#include <math.h>

#include "draws.h"
#include "once.h"
#include "shifts.h"

#define ULPS        16.0
#define FLOAT_STEP  0x1p-24
#define SMALL       2e-5        /* px: pixels at the limit */
#define ANOTHER     2e-3        /* px: another step, or others; and a part of the error, as noise makes them long */

#define RIM         2           /* px: windows of 5 x 5 are not whole; only the reference cuts them */
#define LARGE       256         /* px: smaller frames have few stars */
#define RIGHT       0.5         /* px */
#define SAME        0.02        /* px: in small frames noise makes solutions near to each other */

/* The numbers; then which pixels are bad, of both frames. */
enum { OK, CONVERGED, X, Y, ERROR, PIXELS, STEPS, BAD };

typedef struct
{
  ReferenceShiftSettings settings;
  Plane                  planes[2];
  CountPlane             counts[2];
  gdouble                true_x, true_y;
} Pair;

static gpointer
pair_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  static const gdouble fastest[] = { 1.5, 1.5, 5, 30 };                /* 5: steps are capped */
  StarsRandom          random = stars_random (seed, 1, 0);
  const gboolean       is_large = draw_chance (&random, 0.01);
  StarsField          *field = is_large ? draw_field (&random, LARGE, 400, 2, 45)
                                        : draw_field (&random, 1, 160, 2, fastest[draw_whole (&random, 0, 3)]);
  Pair                *pair = g_new (Pair, 1);

  pair->settings.method = is_large ? REFERENCE_PYRAMID : (ReferenceMethod) draw_whole (&random, 0, 2);
  pair->settings.max_shift = draw_chance (&random, 0.2) ? draw_whole (&random, 0, 5) : 64;
  pair->settings.saturation = draw_chance (&random, 0.3) ? INFINITY : 65535;
  pair->settings.reject_hot = draw_chance (&random, 0.7);
  for (gint k = 0; k < 2; k++)
    {
      pair->planes[k] = draw_frame (&random, field, k);
      pair->counts[k] = as_counts (&pair->planes[k]);
    }
  pair->true_x = field->shifts[1].x;
  pair->true_y = field->shifts[1].y;
  stars_field_free (field);
  return pair;
}

static void
pair_free (gpointer input)
{
  Pair *pair = input;

  for (gint k = 0; k < 2; k++)
    {
      plane_free (&pair->planes[k]);
      count_plane_clear (&pair->counts[k]);
    }
  g_free (pair);
}

static gchar *
pair_words (gconstpointer input)
{
  static const gchar *const methods[] = { "single", "iterated", "pyramid" };
  const Pair               *pair = input;

  return g_strdup_printf ("%d x %d, %s, max-shift %d, saturation %g, reject-hot %d, truth (%.2f, %.2f)",
                          pair->planes[0].width, pair->planes[0].height, methods[pair->settings.method],
                          pair->settings.max_shift, pair->settings.saturation, pair->settings.reject_hot, pair->true_x,
                          pair->true_y);
}

static gboolean
pair_compare (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Pair         *pair = input;
  const ShiftSettings settings = { (ShiftMethod) pair->settings.method, pair->settings.max_shift,
                                   (gfloat) pair->settings.saturation, pair->settings.reject_hot };
  Shift               found;

  shift_find (&pair->counts[0], &pair->counts[1], &settings, &found);
  answer_add (numbers, found.ok);
  answer_add (numbers, found.converged);
  answer_add (numbers, found.x);
  answer_add (numbers, found.y);
  answer_add (numbers, found.error);
  answer_add (numbers, found.pixels);
  answer_add (numbers, found.steps);
  for (gint k = 0; k < 2; k++)
    {
      const gint         n = pair->counts[k].width * pair->counts[k].height;
      g_autofree guint8 *bad = g_new (guint8, n);

      shift_bad_pixels (&pair->counts[k], settings.saturation, settings.reject_hot, bad);
      for (gint i = 0; i < n; i++)
        answer_add (numbers, bad[i]);
    }
  return TRUE;
}

/* ----------------------------------------------------------- reference -- */

static gdouble
brightest (const ReferenceFrame *frame)
{
  gdouble most = 0;

  for (gsize i = 0; i < plane_size (&frame->smooth); i++)
    if (! frame->spoilt[i])
      most = MAX (most, fabs (frame->smooth.values[i]));
  return most;
}

/* Pixels on the rim or just at the limit may be bad for one side alone: returns how many are. */
static gint
want_bad (const ReferenceFrame *frame, const gdouble *numbers, GArray *wanted)
{
  const gint w = frame->smooth.width, h = frame->smooth.height;
  gint       doubtful = 0;

  for (gint i = 0; i < w * h; i++)
    {
      const gboolean is_inside = i % w >= RIM && i % w < w - RIM && i / w >= RIM && i / w < h - RIM;
      const gboolean is_bad = (frame->bad[i] & (REFERENCE_BAD | REFERENCE_HOT)) != 0,
                     is_doubtful = ! is_inside || frame->bad[i] & REFERENCE_DOUBTFUL;

      doubtful += is_doubtful && numbers[i] != is_bad;
      answer_want (wanted, is_bad, is_doubtful ? 1 : 0);
    }
  return doubtful;
}

/* A start is the better of many that may be equally good.  Where the product began elsewhere, it must be right if the
 * reference is. */
static gboolean
is_another_start (const Pair *pair, const gdouble *found, const ReferenceShift *right)
{
  const gboolean is_large = MIN (pair->planes[0].width, pair->planes[0].height) >= LARGE;
  const gdouble  near = is_large ? RIGHT : SAME;
  const gboolean is_right = fabs (found[X] - pair->true_x) < RIGHT && fabs (found[Y] - pair->true_y) < RIGHT;
  const gboolean is_reference_right = fabs (right->x - pair->true_x) < RIGHT && fabs (right->y - pair->true_y) < RIGHT;

  return pair->settings.method == REFERENCE_PYRAMID
         && ! (found[OK] == right->ok && fabs (found[X] - right->x) < near && fabs (found[Y] - right->y) < near)
         && (! is_large || is_right || ! is_reference_right);
}

static void
want_shift (const Pair *pair, const gdouble *found, const ReferenceShift *right, gdouble light, AnswerWanted *wanted)
{
  const gboolean is_pyramid = pair->settings.method == REFERENCE_PYRAMID,
                 is_same_way = ! is_pyramid && found[STEPS] == right->steps;
  const gdouble allowed = ULPS * FLOAT_STEP * light * right->sensitivity
                          + (is_same_way ? SMALL * (1 + hypot (right->x, right->y)) : ANOTHER + 0.3 * right->error)
                          + (found[PIXELS] == right->pixels ? 0 : right->error);

  wanted[OK].within = 0;
  if (found[OK] && ! found[CONVERGED] && ! right->converged)
    return;
  wanted[X].within = wanted[Y].within = allowed;
  if (! found[OK])
    return;
  wanted[ERROR].within = 0.02 * right->error + allowed;
  wanted[CONVERGED].within = is_pyramid ? INFINITY : 0;
  wanted[STEPS].within = is_pyramid ? INFINITY : 1;
  wanted[PIXELS].within = is_pyramid ? INFINITY : 1 + right->pixels / 200;
}

static void
pair_reference (gconstpointer input, const GArray *numbers, GArray *wanted)
{
  const Pair          *pair = input;
  const gdouble       *found = &g_array_index (numbers, gdouble, 0);
  ReferenceFrame       first = reference_frame (&pair->planes[0], &pair->settings),
                 second = reference_frame (&pair->planes[1], &pair->settings);
  const ReferenceShift right = reference_shift (&first, &second, &pair->settings);
  const gdouble all[BAD] = { right.ok, right.converged, right.x, right.y, right.error, right.pixels, right.steps };
  gint                 doubtful;

  for (gint i = 0; i < BAD; i++)
    answer_want (wanted, all[i], INFINITY);
  doubtful = want_bad (&first, found + BAD, wanted);
  doubtful += want_bad (&second, found + BAD + plane_size (&first.smooth), wanted);
  if (! doubtful && ! is_another_start (pair, found, &right))
    want_shift (pair, found, &right, MAX (brightest (&first), brightest (&second)),
                &g_array_index (wanted, AnswerWanted, 0));
  reference_frame_free (&first);
  reference_frame_free (&second);
}

/* ---------------------------------------------------------------- laws -- */

static gboolean
twice_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Pair *pair = input;

  for (gint k = 0; k < 2; k++)
    for (gint i = 0; i < pair->counts[k].width * pair->counts[k].height; i++)
      pair->counts[k].pixels[i] *= 2.0f;
  pair->settings.saturation *= 2;
  return TRUE;
}

/* A frame lies where it lies. */
static gboolean
against_itself (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Pair      *pair = input;
  const gint n = pair->counts[0].width * pair->counts[0].height;

  for (gint i = 0; i < n; i++)
    {
      pair->counts[1].pixels[i] = pair->counts[0].pixels[i];
      g_array_index (wanted, AnswerWanted, BAD + n + i).value = g_array_index (wanted, AnswerWanted, BAD + i).value;
    }
  for (gint i = 0; i < BAD; i++)
    g_array_index (wanted, AnswerWanted, i) = (AnswerWanted) { 0, i == X || i == Y ? 0 : INFINITY };
  return TRUE;
}

const AnswerRow answer_shift = {
  .name = "shift", .cases = 484, .draw = pair_draw, .describe = pair_words, .clear = pair_free,
  .compute = pair_compare, .reference = pair_reference,
  .tolerance = "16 roundings of the brightest pixel times the sensitivity, pixels at a limit, another step",
  .laws = { { "twice as bright", twice_as_bright }, { "against itself", against_itself } },
  .special = shifts
};
