/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What no drawn pairs show (answer-consensus.c): the bounds below which a transform is refused, and bits. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "matching.h"
#include "consensus-case.h"
#include "consensus-models.h"

static const gint needed[] = { 6, 8, 10, 12 };

/* ---------------------------------------------------------------------- -- */

/* Too few, on both sides of each bound.  Wrong pairs are far off: nothing but chance puts one within reach. */
static void
too_few (void)
{
  static const gdouble m[9] = { 1, 0, 30, 0, 1, -20, 0, 0, 1 };
  static Case          c;
  CheckRandom          random = { 7 };

  for (gint n = 0; n < 4; n++)
    for (gint model = 0; model < 4; model++)
      {
        gchar *reason = g_strdup_printf ("%d of %d matches agree; %d are needed", n > model ? n : 0, n, needed[model]);

        fill (&c, &random, m, n, 0, 0, WIDTH, HEIGHT);
        expect_refused ("almost no match", &c, model, reason);
        g_free (reason);
      }
  for (gint model = 0; model < 2; model++)
    {
      gchar *reason = g_strdup_printf ("%d of 25 matches agree; %d are needed", needed[model] - 1, needed[model]);

      fill (&c, &random, m, needed[model] - 1, 0, 26 - needed[model], WIDTH, HEIGHT);
      expect_refused ("one too few", &c, model, reason);
      g_free (reason);
      fill (&c, &random, m, needed[model], 0, 25, WIDTH, HEIGHT);
      expect_aligned ("just enough", &c, model, needed[model]);
      fill (&c, &random, m, 15, 0, 85, WIDTH, HEIGHT);
      expect_aligned ("15 %", &c, model, 15);
      fill (&c, &random, m, 15, 0, 86, WIDTH, HEIGHT);
      expect_refused ("below 15 %", &c, model, "15 of 101 matches agree, 14.9 %; 15 % are needed");
    }
}

/* Keypoints of several angles or sizes at one place, and many of A that look like the same one of B. */
static void
same_places (void)
{
  static const gdouble m[9] = { 1, 0, 30, 0, 1, -20, 0, 0, 1 };
  static Case          c;
  CheckRandom          random = { 8 };

  for (gint model = 0; model < 4; model++)
    {
      const gint n = needed[model] - 1;
      gchar     *reason = g_strdup_printf ("%d of %d matches agree, from %d places; %d are needed", 2 * n, 2 * n + 4, n, n + 1);

      fill (&c, &random, m, n, 0, 4, WIDTH, HEIGHT);
      for (gint i = 0, k = 0; k < n; i++)
        if (fabs (c.a[i].x - c.b[i].x - 30) < 1e-6 && fabs (c.a[i].y - c.b[i].y + 20) < 1e-6)
          {
            add (&c, c.b[i].x + (k % 2 ? 0.5 : 0), c.b[i].y, c.a[i].x + (k % 2 ? 0.5 : 0), c.a[i].y);
            k++;
          }
      expect_refused ("each place twice", &c, model, reason);
      g_free (reason);
    }
  for (gint is_of_b = 0; is_of_b < 2; is_of_b++)
    {
      fill (&c, &random, m, 7, 0, 0, WIDTH, HEIGHT);
      for (gint i = 0; i < 8; i++)
        add (&c, c.b[0].x + (is_of_b ? 0 : 0.1 * i), c.b[0].y, c.a[0].x + (is_of_b ? 0.1 * i : 0), c.a[0].y);
      expect_refused ("one place with many partners", &c, MODEL_SIMILARITY, "from 7 places; 8 are needed");
    }
}

/* Places that have x or y in common are places of their own. */
static void
places_in_rows (void)
{
  static Case c;
  Consensus   found;

  c.n = 0;
  for (gint i = 0; i < 16; i++)
    add (&c, 100 + 150 * (i % 4), 80 + 120 * (i / 4), 130 + 150 * (i % 4), 60 + 120 * (i / 4));
  found = find (&c, MODEL_TRANSLATION);
  expect (found.is_aligned && found.places == 16, "16 places in 4 rows: %d places (%s)", found.places, found.reason);
}

/* Three pairs that are nearly on a line fix nothing, be it in one picture alone. */
static void
pairs_on_lines (void)
{
  static const Pair samples[][3] = {
    { { 0, 0, 0, 0, 1, 0, 0, 0 }, { 50, 10, 50, 10, 1, 1, 1, 1 }, { 10, 40, 10, 40, 1, 2, 2, 2 } },
    { { 0, 0, 0, 0, 1, 0, 0, 0 }, { 50, 10, 50, 10, 1, 1, 1, 1 }, { 10, 40, 100, 20.01, 1, 2, 2, 2 } },
    { { 0, 0, 0, 0, 1, 0, 0, 0 }, { 50, 10, 50, 10, 1, 1, 1, 1 }, { 100, 20.01, 10, 40, 1, 2, 2, 2 } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (samples); i++)
    expect (models_may_fix (MODEL_AFFINE, samples[i]) == (i == 0), "three pairs, on a line in %s", i == 0 ? "none" : i == 1 ? "A" : "B");
}

/* What no camera makes.  All pairs agree on it, to the last. */
static void
no_camera (void)
{
  static const gdouble mirrored[9] = { -1, 0, WIDTH - 1, 0, 1, 0, 0, 0, 1 };
  static const gdouble large[9] = { 5.1, 0, -1000, 0, 5.1, -900, 0, 0, 1 }, less_large[9] = { 4.9, 0, -1000, 0, 4.9, -900, 0, 0, 1 };
  static const gdouble small[9] = { 0.19, 0, 100, 0, 0.19, 90, 0, 0, 1 }, less_small[9] = { 0.21, 0, 100, 0, 0.21, 90, 0, 0, 1 };
  static const gdouble folded[9] = { 1, 0, 0, 0, 1, 0, -1.0 / 600, 0, 1 };      /* the horizon: x = 600 */
  static const gdouble corner[9] = { 1, 0, 0, 0, 1, 0, -1.0 / 800, 1.0 / 400, 1 };      /* it cuts off the upper right corner */
  static Case          c;
  CheckRandom          random = { 9 };

  fill (&c, &random, mirrored, 300, 0, 100, WIDTH, HEIGHT);
  for (gint model = MODEL_AFFINE; model < 4; model++)
    expect_refused ("mirrored", &c, model, "on a mirrored picture");
  expect_refused ("mirrored", &c, MODEL_SIMILARITY, "of 400 matches agree");
  for (gint model = MODEL_SIMILARITY; model < 4; model++)
    {
      fill (&c, &random, large, 300, 0, 100, WIDTH, HEIGHT);
      expect_refused ("5.1 times as large", &c, model, "on a scale of areas from 26.01 to 26.01; 0.04 to 25 are believed");
      fill (&c, &random, less_large, 300, 0, 0, WIDTH, HEIGHT);
      expect_aligned ("4.9 times as large", &c, model, 300);
      fill (&c, &random, small, 300, 0, 100, WIDTH, HEIGHT);
      expect_refused ("0.19 times as large", &c, model, "on a scale of areas from 0.0361 to 0.0361; 0.04 to 25 are believed");
      fill (&c, &random, less_small, 300, 0, 0, WIDTH, HEIGHT);
      expect_aligned ("0.21 times as large", &c, model, 300);
    }
  fill (&c, &random, folded, 300, 0, 100, 350, HEIGHT);
  expect_refused ("folded", &c, MODEL_HOMOGRAPHY, "on a picture that is folded");
  fill (&c, &random, corner, 300, 0, 100, 700, HEIGHT);
  expect_refused ("a folded corner", &c, MODEL_HOMOGRAPHY, "on a picture that is folded");
}

/* The same bits on every machine; `find` must then be changed on purpose. */
static void
fixed_case (void)
{
  static const guint64 bits[4][9] = {
    { 0x3ff0000000000000, 0, 0x404446b23da92f50,
      0, 0x3ff0000000000000, 0xc03e374f83030340,
      0, 0, 0x3ff0000000000000 },
    { 0x3ff1ffcb7d4c59f1, 0xbfd00100ec75c201, 0x40444bd0eebbf2d0,
      0x3fd00100ec75c201, 0x3ff1ffcb7d4c59f1, 0xc03e3a549908be90,
      0, 0, 0x3ff0000000000000 },
    { 0x3ff2004521fb303b, 0xbfd000a6a711142d, 0x40444480b92c6040,
      0x3fd0016c5564ac91, 0x3ff1feaf93d91a5a, 0xc03e28ca93e6ae60,
      0, 0, 0x3ff0000000000000 },
    { 0x3ff1ffbe174a8619, 0xbfcff88768189405, 0x40443f59c9cacc7a,
      0x3fcffe0a27671851, 0x3ff1ffcca1edb1d0, 0xc03e2586d2c1043c,
      0x3f0fcddba2935642, 0xbeff51f95cb59c94, 0x3ff0000000000000 },
  };
  static Case c;

  for (gint model = 0; model < 4; model++)
    {
      CheckRandom random = { 13 };
      gdouble     m[9] = { 1.125, -0.25, 40.5, 0.25, 1.125, -30.25, 0x1p-14, -0x1p-15, 1 };
      Consensus   found;
      guint64     got[9];

      if (model < MODEL_HOMOGRAPHY)
        m[6] = m[7] = 0;
      if (model < MODEL_SIMILARITY)
        m[0] = m[4] = 1, m[1] = m[3] = 0;
      fill (&c, &random, m, 120, 0.5, 120, WIDTH, HEIGHT);
      found = find (&c, model);
      memcpy (got, found.matrix, sizeof got);
      if (memcmp (got, bits[model], sizeof got) != 0)
        for (gint k = 0; k < 9; k++)
          expect (got[k] == bits[model][k], "%s, the bits of matrix[%d]: 0x%016" G_GINT64_MODIFIER "x", names[model], k, got[k]);
      expect (found.is_aligned, "%s, the fixed case: %s", names[model], found.reason);
    }
}

static void
written_matrix (void)
{
  static const gdouble m[9] = { 0.123456789012, -2, 1e6 / 3, 0, 1.0 / 3, 1e-7, 123456789.4, 1e-5 / 3, 1 };
  gchar               *text = consensus_matrix_text (m);

  expect (strcmp (text, "0.123456789 -2 333333.333 0 0.333333333 1e-07 123456789 3.33333333e-06 1") == 0, "a matrix as text: %s", text);
  g_free (text);
}

void
consensus (void)
{
  too_few ();
  same_places ();
  places_in_rows ();
  pairs_on_lines ();
  no_camera ();
  believed ();
  fixed_case ();
  written_matrix ();
}
