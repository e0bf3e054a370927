/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The shift of a frame (operations/sequences/shift.h): against the truth, against the definition in double, and what holds for any frames. */
#include "shifts.h"

#include <gegl.h>
#include <math.h>
#include <string.h>

#include "count-plane.h"
#include "reference.h"
#include "once.h"
#include "stars.h"

#include "../engine/verdict.h"

#define CEILING 60000           /* of the generator */

static CountPlane
frame_of (const StarsField *field, gint frame)
{
  const gint n = field->settings.width * field->settings.height;
  guint16   *adu = g_new (guint16, n);
  CountPlane plane;

  count_plane_init (&plane, field->settings.width, field->settings.height);
  stars_frame (field, frame, adu);
  for (gint i = 0; i < n; i++)
    plane.pixels[i] = adu[i];
  g_free (adu);
  return plane;
}

static StarsField *
field_of (gchar preset, guint64 seed, gint width, gint height)
{
  return stars_field_empty (preset, seed, width, height, 0);
}

static ShiftSettings
settings_of (ShiftMethod method)
{
  ShiftSettings settings = SHIFT_DEFAULTS;

  settings.method = method;
  settings.saturation = CEILING;
  return settings;
}

static Shift
find (const CountPlane *reference, const CountPlane *frame, ShiftMethod method)
{
  const ShiftSettings settings = settings_of (method);
  Shift               found;

  shift_find (reference, frame, &settings, &found);
  return found;
}

/* ------------------------------------------------------------------ the truth -- */

/* The rms error per axis against the truth, of frames 1 to n. */
static gdouble
rms_error (const StarsField *field, ShiftMethod method, gint n, gint *unsure)
{
  const ShiftSettings settings = settings_of (method);
  CountPlane          first = frame_of (field, 0);
  ShiftFrame         *reference = shift_frame_new (&first, &settings);
  gdouble             squares = 0;

  for (gint i = 1; i <= n; i++)
    {
      CountPlane  plane = frame_of (field, i);
      ShiftFrame *frame = shift_frame_new (&plane, &settings);
      Shift       found;

      shift_between (reference, frame, &settings, &found);
      squares += pow (found.x - field->shifts[i].x + field->shifts[0].x, 2) + pow (found.y - field->shifts[i].y + field->shifts[0].y, 2);
      *unsure += ! found.converged;
      shift_frame_free (frame);
      count_plane_clear (&plane);
    }
  shift_frame_free (reference);
  count_plane_clear (&first);
  return sqrt (squares / 2 / n);
}

static void
check_presets (void)
{
  for (const gchar *preset = "ABCD"; *preset; preset++)
    {
      StarsField *field = field_of (*preset, 20261123, 512, 512);
      gint        unsure = 0;
      gdouble     error = rms_error (field, SHIFT_PYRAMID, 19, &unsure);

      expect (error <= 0.006 && unsure == 0, "preset %c: %.4f px rms, %d frames did not converge", *preset, error, unsure);
      g_print ("preset %c: %.4f px rms", *preset, error);
      if (*preset == 'A')
        {
          error = rms_error (field, SHIFT_SINGLE, 19, &unsure);
          expect (error <= 0.06, "preset A, one step: %.4f px rms", error);
          g_print (", %.4f in one step", error);
        }
      g_print ("\n");
      stars_field_free (field);
    }
}

/* Whole pixels come from the stars, not from a fixed pattern and not from hot pixels that stand still. */
static void
check_starts (void)
{
  static const gdouble drifts[][2] = { { 45, -38 }, { -45, 0.4 }, { 12.5, 44.6 } };

  for (gsize i = 0; i < G_N_ELEMENTS (drifts); i++)
    {
      StarsSettings settings;
      StarsField   *field;
      gint          unsure = 0;
      gdouble       error;

      stars_preset (&settings, 'A', 7 + i);
      settings.n_objects = 0;
      settings.frames = 2;
      settings.hot_most = 5000;
      settings.drift_x = drifts[i][0];
      settings.drift_y = drifts[i][1];
      field = stars_field_new (&settings);
      error = rms_error (field, SHIFT_PYRAMID, 1, &unsure);
      expect (error <= 0.02 && unsure == 0, "a drift of (%g, %g): %.4f px off", drifts[i][0], drifts[i][1], error);
      stars_field_free (field);
    }
}

/* ------------------------------------------------------------- the definition -- */

static ReferenceFrame
reference_of (const CountPlane *plane, const ReferenceShiftSettings *settings)
{
  Plane          values = plane_new (plane->width, plane->height);
  ReferenceFrame frame;

  for (gsize i = 0; i < plane_size (&values); i++)
    values.values[i] = plane->pixels[i];
  frame = reference_frame (&values, settings);
  plane_free (&values);
  return frame;
}

/* Floats against doubles: 2e-5 px is what the last bits of 30 million counts make. */
static void
expect_as_defined (const gchar *what, const CountPlane *a, const CountPlane *b)
{
  for (ShiftMethod method = SHIFT_SINGLE; method <= SHIFT_PYRAMID; method++)
    {
      const ReferenceShiftSettings settings = { (ReferenceMethod) method, 64, CEILING, TRUE };
      ReferenceFrame               reference = reference_of (a, &settings), frame = reference_of (b, &settings);
      const ReferenceShift         right = reference_shift (&reference, &frame, &settings);
      const Shift                  found = find (a, b, method);

      expect (found.ok == right.ok && found.converged == right.converged && found.steps == right.steps
              && ABS (found.pixels - right.pixels) <= right.pixels / 200,
              "%s, method %d: ok %d, converged %d, %d steps, %d pixels; the definition: %d, %d, %d, %d", what, method, found.ok,
              found.converged, found.steps, found.pixels, right.ok, right.converged, right.steps, right.pixels);
      expect (fabs (found.x - right.x) <= 2e-5 && fabs (found.y - right.y) <= 2e-5, "%s, method %d: (%.6f, %.6f), the definition: (%.6f, %.6f)",
              what, method, found.x, found.y, right.x, right.y);
      expect (! found.ok || fabs (found.error - right.error) <= 1e-3 * right.error, "%s, method %d: error %g, the definition: %g", what,
              method, found.error, right.error);
      reference_frame_free (&reference);
      reference_frame_free (&frame);
    }
}

static void
check_definition (void)
{
  for (gint i = 0; i < 6; i++)
    {
      StarsField *field = field_of ("ABCDAC"[i], 40 + i, (const gint[]) { 128, 200, 160, 97, 64, 211 }[i], (const gint[]) { 128, 90, 131, 150, 65, 80 }[i]);
      CountPlane  a = frame_of (field, 0), b = frame_of (field, 1 + i % 3);
      gchar      *what = g_strdup_printf ("field %d", i);

      for (gint k = 0; i % 2 && k < 20; k++)
        {
          a.pixels[k * 397 % (a.width * a.height)] = (const gfloat[]) { NAN, INFINITY, -INFINITY, 65535, 61000 }[k % 5];
          b.pixels[k * 811 % (a.width * a.height)] = (const gfloat[]) { 30000, NAN, 65535, -INFINITY, 20000 }[k % 5];
        }
      expect_as_defined (what, &a, &b);
      g_free (what);
      count_plane_clear (&a);
      count_plane_clear (&b);
      stars_field_free (field);
    }
}

/* --------------------------------------------------------------------- the laws -- */

static CountPlane
part_of (const CountPlane *plane, gint x, gint y, gint width, gint height)
{
  CountPlane part;

  count_plane_init (&part, width, height);
  for (gint row = 0; row < height; row++)
    memcpy (part.pixels + row * width, plane->pixels + (y + row) * plane->width + x, width * sizeof (gfloat));
  return part;
}

static void
check_laws (void)
{
  StarsField *field = field_of ('C', 3, 300, 280);
  CountPlane  a = frame_of (field, 0), b = frame_of (field, 6), near = part_of (&a, 40, 40, 200, 190), far = part_of (&a, 31, 53, 200, 190);
  Shift       first, other;

  first = find (&a, &a, SHIFT_PYRAMID);
  expect (first.converged && first.x == 0 && first.y == 0 && first.steps == 1 && first.error == 0.003, "a frame against itself: (%g, %g) in %d steps, error %g", first.x, first.y,
          first.steps, first.error);
  first = find (&near, &far, SHIFT_PYRAMID);
  expect (first.converged && fabs (first.x - 9) < 1e-9 && fabs (first.y + 13) < 1e-9, "moved by (9, -13): (%g, %g)", first.x, first.y);
  first = find (&a, &b, SHIFT_PYRAMID);
  other = find (&b, &a, SHIFT_PYRAMID);
  expect (first.converged && hypot (first.x + other.x, first.y + other.y) < 0.02, "there and back: (%g, %g)", first.x + other.x, first.y + other.y);
  count_plane_clear (&far);
  count_plane_clear (&near);
  count_plane_clear (&b);
  count_plane_clear (&a);
  stars_field_free (field);
}

/* Hot pixels that stand still while the sky moves. */
static void
check_hot (void)
{
  StarsField   *field = field_of ('B', 5, 256, 256);
  CountPlane    a = frame_of (field, 0), b = frame_of (field, 8);
  ShiftSettings settings = settings_of (SHIFT_ITERATED);
  const gdouble x = field->shifts[8].x - field->shifts[0].x, y = field->shifts[8].y - field->shifts[0].y;
  guint8       *bad = g_new (guint8, 256 * 256);
  gint          planted = 0, marked = 0;
  Shift         with, without;

  for (gint i = 0; i < 400; i++)
    {
      const gint at = (5 + i / 20 * 12) * 256 + 5 + i % 20 * 12;

      a.pixels[at] += 3000;
      b.pixels[at] += 3000;
    }
  shift_find (&a, &b, &settings, &with);
  settings.reject_hot = FALSE;
  shift_find (&a, &b, &settings, &without);
  expect (hypot (x, y) > 0.2 && hypot (with.x - x, with.y - y) < 0.02 && hypot (without.x - x, without.y - y) > 0.1,
          "hot pixels: (%.3f, %.3f) without them, (%.3f, %.3f) with them, the truth is (%.3f, %.3f)", with.x, with.y, without.x, without.y, x, y);
  shift_bad_pixels (&a, CEILING, TRUE, bad);
  for (gint i = 0; i < 256 * 256; i++)
    {
      const gboolean is_planted = i % 256 >= 5 && (i % 256 - 5) % 12 == 0 && i / 256 >= 5 && (i / 256 - 5) % 12 == 0
                                  && i % 256 <= 5 + 19 * 12 && i / 256 <= 5 + 19 * 12;

      planted += bad[i] && is_planted;
      marked += bad[i] && ! is_planted;
    }
  expect (planted >= 370 && marked <= 2, "hot pixels: %d of 400 are marked, and %d others", planted, marked);
  g_free (bad);
  count_plane_clear (&b);
  count_plane_clear (&a);
  stars_field_free (field);
}

/* A running sum of floats over 10 million pixels is worth nothing; here all pixels are used. */
static void
check_large (void)
{
  const gint    width = 3888, height = 2592;
  const gdouble x = 0.05, y = -0.03, fx = 2 * G_PI / 64, fy = 2 * G_PI / 48;
  ShiftSettings settings = { SHIFT_SINGLE, 0, INFINITY, FALSE };
  CountPlane    a, b;
  Shift         found;

  count_plane_init (&a, width, height);
  count_plane_init (&b, width, height);
  for (gint j = 0; j < height; j++)
    {
      const gdouble down = 8000 * sin (fy * j), moved = 8000 * sin (fy * (j - y));

      for (gint i = 0; i < width; i++)
        {
          a.pixels[(gsize) j * width + i] = i && j ? a.pixels[i] - a.pixels[0] + 20000 + down : 20000 + 8000 * sin (fx * i) + down;
          b.pixels[(gsize) j * width + i] = i && j ? b.pixels[i] - b.pixels[0] + 20000 - 8000 * sin (fx * x) + moved : 20000 + 8000 * sin (fx * (i - x)) + moved;
        }
    }
  shift_find (&a, &b, &settings, &found);
  expect (found.ok && found.pixels > 10e6 && hypot (found.x - x, found.y - y) < 5e-4, "10 million pixels: (%.5f, %.5f) of %d, the truth is (%g, %g)",
          found.x, found.y, found.pixels, x, y);
  count_plane_clear (&a);
  count_plane_clear (&b);
}

/* ------------------------------------------------------------------ hard frames -- */

static void
check_hard (void)
{
  static const gint   sizes[][2] = { { 1, 1 }, { 1, 90 }, { 70, 1 }, { 2, 2 }, { 4, 4 }, { 5, 5 }, { 7, 6 }, { 8, 8 }, { 66, 18 } };
  static const gfloat values[] = { 0, 1000, NAN, INFINITY, -1e38f, 3e38f, 65535 };

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    for (gsize v = 0; v < G_N_ELEMENTS (values); v++)
      for (ShiftMethod method = SHIFT_SINGLE; method <= SHIFT_PYRAMID; method++)
        {
          CountPlane a, b;
          Shift      flat, mixed;

          count_plane_init (&a, sizes[k][0], sizes[k][1]);
          count_plane_init (&b, sizes[k][0], sizes[k][1]);
          for (gint i = 0; i < a.width * a.height; i++)
            {
              a.pixels[i] = values[v];
              b.pixels[i] = (i * 7919 % 13) * 100;
            }
          flat = find (&a, &a, method);
          mixed = find (&b, &a, method);
          expect (! flat.ok && ! flat.converged && flat.x == 0 && flat.y == 0 && isinf (flat.error), "%dx%d of %g: nothing", a.width, a.height, values[v]);
          expect (isfinite (mixed.x) && isfinite (mixed.y), "%dx%d, %g against a pattern: a number", a.width, a.height, values[v]);
          count_plane_clear (&a);
          count_plane_clear (&b);
        }
}

/* Edges along one direction alone say nothing about the other. */
static void
check_singular (void)
{
  CountPlane a, b;
  Shift      found;

  count_plane_init (&a, 120, 100);
  count_plane_init (&b, 120, 101);
  for (gint i = 0; i < 120 * 100; i++)
    a.pixels[i] = i % 120 / 20 % 2 * 5000;
  found = find (&a, &a, SHIFT_PYRAMID);
  expect (! found.ok && found.x == 0 && found.y == 0, "stripes: nothing");
  memset (b.pixels, 0, 120 * 101 * sizeof (gfloat));
  found = find (&a, &b, SHIFT_PYRAMID);
  expect (! found.ok, "frames of different sizes: nothing");
  count_plane_clear (&b);
  count_plane_clear (&a);
}

void
shifts (void)
{
  check_presets ();
  check_starts ();
  check_definition ();
  check_laws ();
  check_hot ();
  check_large ();
  check_hard ();
  check_singular ();
  shift_lags ();
}
