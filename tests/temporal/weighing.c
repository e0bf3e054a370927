/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the definition of weights and backgrounds promises, beside what is drawn (answer-weights.c, answer-background.c). */
#include "weighing.h"

#include <math.h>
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "once.h"

#define WIDTH  150
#define HEIGHT 91
#define MOST   24

static GRand *dice;

static FrameShift
random_shift (gdouble far)
{
  return weights_round_shift ((FrameShift) { g_rand_double_range (dice, -far, far), g_rand_double_range (dice, -far, far) });
}

/* All frames at one place: the polynomials cannot be told apart. */
static void
test_lowered (void)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 2, 0.0, FALSE, TRUE };
  FrameShift            shifts[20] = { { 0 } };
  Weights               weights;

  weights_find (NULL, (FrameShift) { 0.25, 0 }, NULL, shifts, 20, &settings, &weights);
  expect (weights.degree == 0 && weights.lowered == WEIGHTS_ILL_CONDITIONED, "20 equal shifts: degree %d, why %d",
          weights.degree, weights.lowered);
  expect (fabs (weights.a[7] - 0.05) < 1e-15, "degree 0 of 20 frames: weight %g", weights.a[7]);
  expect (weights_round_shift ((FrameShift) { 0.3, -0.3 }).x == 307.0 / 1024 , "shifts are rounded to 1/1024");
}

static void
test_moves_halves (void)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 0, 1e-3, FALSE, TRUE }, still = { .gamma = 1e-3 };
  const FrameShift      shifts[] = { { 0.5, 0 }, { -0.5, 2.5 }, { 3, -0.49 } };
  Weights               weights;

  weights_find (NULL, (FrameShift) { 0 }, NULL, shifts, 3, &settings, &weights);
  expect (weights.move_x[0] == 0 && weights.move_x[1] == 1 && weights.move_y[1] == -2 && weights.move_x[2] == -3
          && weights.move_y[2] == 0, "m = floor (s_t - s_k + 1/2): %d %d %d %d %d", weights.move_x[0], weights.move_x[1],
          weights.move_y[1], weights.move_x[2], weights.move_y[2]);
  weights_find (NULL, (FrameShift) { 0 }, NULL, shifts, 3, &still, &weights);
  expect (weights.move_x[2] == 0 && weights.move_y[1] == 0, "without align nothing is moved");
}

/* -------------------------------------------------------------- planes -- */

typedef struct
{
  CountPlane        planes[MOST + 1];   /* the last is the current one */
  const CountPlane *history[MOST];
  FrameShift        shifts[MOST + 1];
  gint              n;
} Series;

typedef gdouble (*Field) (gdouble x, gdouble y);

static void
series_init (Series *series, gint n, gdouble far, Field field)
{
  series->n = n;
  for (gint k = 0; k <= n; k++)
    {
      CountPlane *plane = &series->planes[k];

      series->shifts[k] = k > 0 ? random_shift (far) : (FrameShift) { 0 };
      count_plane_init (plane, WIDTH, HEIGHT);
      for (gint i = 0; i < WIDTH * HEIGHT; i++)
        plane->pixels[i] = field (i % WIDTH - series->shifts[k].x, i / WIDTH - series->shifts[k].y);
      if (k < n)
        series->history[k] = plane;
    }
}

static void
series_clear (Series *series)
{
  for (gint k = 0; k <= series->n; k++)
    count_plane_clear (&series->planes[k]);
}

static gdouble
cubic (gdouble x, gdouble y)
{
  const gdouble u = (x - 70.0) / 6.0, v = (y - 40.0) / 6.0;

  return 1000.0 + 300.0 * u - 200.0 * v + 150.0 * u * v + 90.0 * v * v - 250.0 * u * u * u + 120.0 * u * v * v;
}

static gdouble
quadratic (gdouble x, gdouble y)
{
  const gdouble u = (x - 70.0) / 6.0, v = (y - 40.0) / 6.0;

  return 1000.0 + 300.0 * u - 200.0 * v + 150.0 * u * v + 90.0 * v * v;
}

static gdouble
noise (gdouble x G_GNUC_UNUSED, gdouble y G_GNUC_UNUSED)
{
  return 1000.0 + g_rand_double_range (dice, -20.0, 20.0) + g_rand_double_range (dice, -20.0, 20.0);
}

/* A background that is a polynomial of the shift is predicted exactly, as far as all frames reach; one degree less is not enough. */
static void
test_polynomials (void)
{
  const Field fields[] = { quadratic, cubic };

  for (gint degree = 1; degree <= 3; degree++)
    for (gint i = 0; i < 2; i++)
      {
        const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, degree, 0.0, FALSE, TRUE };
        Series                series;
        Weights               weights;
        WhitenPlanes          planes;
        gdouble               worst = 0.0;

        series_init (&series, MOST, 3.0, fields[i]);
        whiten_planes_init (&planes, WIDTH, HEIGHT);
        whiten_frame (&series.planes[MOST], series.shifts[MOST], series.history, series.shifts, MOST, &settings, 0.0, &weights,
                      &planes);
        for (gint y = 30; y < 50; y++)
          for (gint x = 60; x < 80; x++)
            worst = MAX (worst, fabsf (planes.whitened.pixels[y * WIDTH + x]));
        expect (degree >= i + 2 ? worst < 2e-3 : worst > 8e-3, "degree %d of a background of degree %d: off by %g counts", degree,
                i + 2, worst);
        whiten_planes_clear (&planes);
        series_clear (&series);
      }
}

/* The definition, pixel for pixel. */
static gdouble
predict_plainly (const Series *series, const Weights *weights, gint x, gint y, gboolean *none)
{
  gdouble sum = 0.0, weight = 0.0, plain = 0.0;
  gint    n = 0;

  for (gint k = 0; k < series->n; k++)
    {
      const gint from_x = x - weights->move_x[k], from_y = y - weights->move_y[k];

      if (from_x < 0 || from_x >= WIDTH || from_y < 0 || from_y >= HEIGHT
          || isnan (series->planes[k].pixels[from_y * WIDTH + from_x]))
        continue;
      sum += weights->a[k] * (series->planes[k].pixels[from_y * WIDTH + from_x] - weights->mean[k]);
      weight += weights->a[k];
      plain += series->planes[k].pixels[from_y * WIDTH + from_x] - weights->mean[k];
      n++;
    }
  *none = n == 0;
  return n == series->n ? weights->level + sum : n == 0 ? 0.0
         : weights->level + ((gfloat) weight >= 0.5f ? sum / weight : plain / n);
}

/* Pixels that some frames do not cover, bad ones, ones that no frame has. */
static void
test_gaps (WeightsMethod method)
{
  const WeightsSettings settings = { method, 2, 1e-3, FALSE, TRUE };
  Series                series;
  Weights               weights;
  WhitenPlanes          planes;
  gdouble               worst = 0.0;
  gint                  wrong = 0, gone = 0;

  series_init (&series, 9, 20.0, noise);
  for (gint k = 0; k <= 9; k++)
    {
      for (gint i = 0; i < 600; i++)
        series.planes[k].pixels[g_rand_int_range (dice, 0, WIDTH * HEIGHT)] = NAN;
      for (gint i = 0; i < 60 * WIDTH * (method == WEIGHTS_FROM_SHIFTS); i++)
        series.planes[k].pixels[i] = NAN;
    }
  whiten_planes_init (&planes, WIDTH, HEIGHT);
  whiten_frame (&series.planes[9], series.shifts[9], series.history, series.shifts, 9, &settings, 0.0, &weights, &planes);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      gboolean      none;
      const gdouble plain = predict_plainly (&series, &weights, i % WIDTH, i / WIDTH, &none);

      gone += none;
      if (! none)
        worst = MAX (worst, fabs (planes.background.pixels[i] - plain));
      wrong += (none || isnan (series.planes[9].pixels[i])) != (isnan (planes.whitened.pixels[i]) != 0);
      wrong += (isnan (planes.whitened.pixels[i]) != 0) != (isnan (planes.significance.pixels[i]) != 0);
      wrong += none != (isnan (planes.background.pixels[i]) != 0);
    }
  expect (worst < 3e-3, "method %d: the background is off by %g", method, worst);
  expect (wrong == 0, "method %d: %d pixels have a value that should not, or have none", method, wrong);
  expect (method == WEIGHTS_FROM_FRAMES || gone > 500, "only %d pixels without a value", gone);
  whiten_planes_clear (&planes);
  series_clear (&series);
}

/* Linear prediction finds the frame that the current one is a copy of, and its change of level. */
static void
test_from_frames (void)
{
  const WeightsSettings settings = { WEIGHTS_FROM_FRAMES, 1, 1e-3, FALSE, FALSE };
  Series                series;
  Weights               weights;

  series_init (&series, 6, 0.0, noise);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    series.planes[6].pixels[i] = 0.75f * series.planes[2].pixels[i] + 100.0f;
  weights_find (&series.planes[6], series.shifts[6], series.history, series.shifts, 6, &settings, &weights);
  for (gint k = 0; k < 6; k++)
    expect (fabs (weights.a[k] - (k == 2 ? 0.75 : 0.0)) < 1e-3, "from frames: weight %d is %g", k, weights.a[k]);
  expect (fabs (weights_offset (&weights) - 100.0) < 2.0, "from frames: offset %g", weights_offset (&weights));
  expect (weights.degree == -1, "from frames there is no degree");
  series_clear (&series);
}

void
weighing (void)
{
  dice = g_rand_new_with_seed (20261123);
  test_lowered ();
  test_moves_halves ();
  test_from_frames ();
  g_rand_free (dice);
}

void
backgrounds (void)
{
  dice = g_rand_new_with_seed (20261124);
  test_polynomials ();
  test_gaps (WEIGHTS_FROM_SHIFTS);
  test_gaps (WEIGHTS_FROM_FRAMES);
  g_rand_free (dice);
}
