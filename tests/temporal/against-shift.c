/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts.  What may differ: the product filters in float.  A residual is then off by some units of the last place of the brightest
 * pixels that count, and the shift by that times the reference's `sensitivity`.  A pixel whose gradient is just at the limit may count
 * or not, and a last step of just 0.001 px be followed by another.  A start may be a pixel off, so that a pyramid takes other steps. */
#include "against.h"

#include "once.h"
#include "../engine/verdict.h"

#include <math.h>

#define ULPS        16.0
#define FLOAT_STEP  0x1p-24
#define SMALL       2e-5        /* px: pixels at the limit */
#define ANOTHER     2e-3        /* px: another step, or other steps: and a part of the error, as noise makes them long */

#define RIM         2           /* px: windows of 5 x 5 are not whole; only the reference cuts them */
#define LARGE       256         /* px: smaller frames have few stars */
#define RIGHT       0.5         /* px */
#define SAME        0.02        /* px: in small frames noise makes solutions near to each other */

static gdouble
brightest (const ReferenceFrame *frame)
{
  gdouble most = 0;

  for (gsize i = 0; i < plane_size (&frame->smooth); i++)
    if (! frame->spoilt[i])
      most = MAX (most, fabs (frame->smooth.values[i]));
  return most;
}

static void
compare (const Shift *found, const ReferenceShift *wanted, gboolean is_pyramid, gdouble light, const gchar *name, const gchar *settings)
{
  const gboolean is_same_way = ! is_pyramid && found->steps == wanted->steps;
  const gdouble  size = hypot (wanted->x, wanted->y);
  const gdouble  allowed = ULPS * FLOAT_STEP * light * wanted->sensitivity + (is_same_way ? SMALL * (1 + size) : ANOTHER + 0.3 * wanted->error)
                           + (found->pixels == wanted->pixels ? 0 : wanted->error);

  expect (found->ok == wanted->ok, "%s, %s: ok %d, the reference has %d with %d pixels", name, settings, found->ok, wanted->ok, wanted->pixels);
  if (found->ok != wanted->ok || (found->ok && ! found->converged && ! wanted->converged))
    return;
  expect (fabs (found->x - wanted->x) <= allowed && fabs (found->y - wanted->y) <= allowed,
          "%s, %s: (%.6f, %.6f), the reference has (%.6f, %.6f), %.2g is allowed; started at (%d, %d)", name, settings, found->x, found->y, wanted->x,
          wanted->y, allowed, wanted->start_x, wanted->start_y);
  if (! found->ok)
    return;
  expect (is_pyramid || (found->converged == wanted->converged && ABS (found->steps - wanted->steps) <= 1), "%s, %s: converged %d after %d steps, the reference %d after %d",
          name, settings, found->converged, found->steps, wanted->converged, wanted->steps);
  expect (is_pyramid || ABS (found->pixels - wanted->pixels) <= 1 + wanted->pixels / 200, "%s, %s: %d pixels, the reference has %d", name, settings, found->pixels, wanted->pixels);
  expect (fabs (found->error - wanted->error) <= 0.02 * wanted->error + allowed, "%s, %s: error %.6f, the reference has %.6f", name, settings, found->error, wanted->error);
}

/* The pixels that are bad for one side alone; `doubtful`: those on the rim or just at the limit, which may be. */
static gint
compare_bad (const CountPlane *plane, const ReferenceFrame *reference, const ReferenceShiftSettings *settings, gint *doubtful)
{
  const gint w = plane->width, h = plane->height;
  guint8    *bad = g_new (guint8, (gsize) w * h);
  gint       wrong = 0;

  shift_bad_pixels (plane, (gfloat) settings->saturation, settings->reject_hot, bad);
  for (gint i = 0; i < w * h; i++)
    if (bad[i] != ((reference->bad[i] & (REFERENCE_BAD | REFERENCE_HOT)) != 0))
      {
        const gboolean is_inside = i % w >= RIM && i % w < w - RIM && i / w >= RIM && i / w < h - RIM;
        const gboolean is_doubtful = ! is_inside || reference->bad[i] & REFERENCE_DOUBTFUL;

        wrong += ! is_doubtful;
        *doubtful += is_doubtful;
      }
  g_free (bad);
  return wrong;
}

/* A start is the better of many that may be equally good.  Where the product began elsewhere, it must be right if the reference is. */
static gboolean
is_another_start (const Shift *found, const ReferenceShift *wanted, const ReferenceShiftSettings *settings, const StarsShift *truth, gboolean is_large, const gchar *name, const gchar *text)
{
  const gdouble  near = is_large ? RIGHT : SAME;
  const gboolean is_right = fabs (found->x - truth->x) < RIGHT && fabs (found->y - truth->y) < RIGHT;
  const gboolean is_reference_right = fabs (wanted->x - truth->x) < RIGHT && fabs (wanted->y - truth->y) < RIGHT;

  if (settings->method != REFERENCE_PYRAMID || (found->ok == wanted->ok && fabs (found->x - wanted->x) < near && fabs (found->y - wanted->y) < near))
    return FALSE;
  if (is_large)
    expect (is_right || ! is_reference_right, "%s, %s: (%.3f, %.3f) is wrong, the reference has (%.3f, %.3f), and started at (%d, %d)", name, text, found->x, found->y,
            wanted->x, wanted->y, wanted->start_x, wanted->start_y);
  return TRUE;
}

static void
against_field (StarsRandom *random, StarsField *field, ReferenceMethod method, const gchar *name)
{
  const ReferenceShiftSettings settings = { method, draw_chance (random, 0.2) ? draw_whole (random, 0, 5) : 64,
                                            draw_chance (random, 0.3) ? INFINITY : 65535, draw_chance (random, 0.7) };
  const ShiftSettings          same = { (ShiftMethod) settings.method, settings.max_shift, settings.saturation, settings.reject_hot };
  Plane                        first = draw_frame (random, field, 0), second = draw_frame (random, field, 1);
  CountPlane                   a = as_counts (&first), b = as_counts (&second);
  ReferenceFrame               reference = reference_frame (&first, &settings), frame = reference_frame (&second, &settings);
  const ReferenceShift         wanted = reference_shift (&reference, &frame, &settings);
  gchar                       *text = g_strdup_printf ("%d x %d, %s, max-shift %d, saturation %g, reject-hot %d, truth (%.2f, %.2f)", first.width, first.height,
                                                       settings.method == REFERENCE_SINGLE ? "single" : settings.method == REFERENCE_ITERATED ? "iterated" : "pyramid",
                                                       settings.max_shift, settings.saturation, settings.reject_hot, field->shifts[1].x, field->shifts[1].y);
  gint                         doubtful = 0;
  const gint                   wrong = compare_bad (&a, &reference, &settings, &doubtful) + compare_bad (&b, &frame, &settings, &doubtful);
  Shift                        found;

  expect (wrong == 0, "%s, %s: %d pixels are bad for one and not for the other", name, text, wrong);
  shift_find (&a, &b, &same, &found);
  if (! doubtful && ! wrong && ! is_another_start (&found, &wanted, &settings, field->shifts + 1, MIN (first.width, first.height) >= LARGE, name, text))
    compare (&found, &wanted, settings.method == REFERENCE_PYRAMID, MAX (brightest (&reference), brightest (&frame)), name, text);
  reference_frame_free (&reference);
  reference_frame_free (&frame);
  plane_free (&first);
  plane_free (&second);
  count_plane_clear (&a);
  count_plane_clear (&b);
  stars_field_free (field);
  g_free (text);
}

void
against_shift (StarsRandom *random, const gchar *name)
{
  const gdouble fastest[] = { 1.5, 1.5, 5, 30 };                /* 5: steps are capped */

  against_field (random, draw_field (random, 1, 160, 2, fastest[draw_whole (random, 0, 3)]), draw_whole (random, 0, 2), name);
}

void
against_starts (StarsRandom *random, const gchar *name)
{
  against_field (random, draw_field (random, LARGE, 400, 2, 45), REFERENCE_PYRAMID, name);
}
