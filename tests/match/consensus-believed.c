/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which transforms are believed: by chance, by where their pairs lie, of which kind, and of two the one that covers more. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "consensus-case.h"
#include "matrix.h"

/* Of many wrong pairs some agree by chance: the more there are, the more are asked for. */
static void
chance (void)
{
  static Case c;
  CheckRandom random = { 14 };
  gint        aligned = 0;

  for (gint i = 0; i < 200; i++)
    {
      const ConsensusModel model = i % 5;
      const gint           crowd = i % 3 == 2 ? 3 : 1;  /* in a ninth of the picture */
      Consensus            found;

      fill (&c, &random, (gdouble[]) MATRIX_IDENTITY, 0, 0, 20 + i, WIDTH, HEIGHT);
      for (gint k = 0; k < c.n && crowd > 1; k++)
        c.a[k].x /= crowd, c.a[k].y /= crowd;
      found = find (&c, model);
      aligned += found.is_aligned || found.is_likely;
    }
  expect (aligned == 0, "unrelated pairs: %d of 200 believed", aligned);
}

/* What lies in one corner fixes a shift, but no perspective, nor that there is none. */
static void
badly_placed (void)
{
  static const gdouble m[9] = MATRIX_IDENTITY;
  static Case          c;
  CheckRandom          random = { 10 };

  for (gint model = 0; model < 5; model++)
    {
      fill (&c, &random, m, 100, 0, 0, 0.13 * WIDTH, 0.13 * HEIGHT);
      if (model >= MODEL_AFFINE)
        expect_refused ("in a corner", &c, model, "pixels open at a corner of what both pictures show; 3 are allowed");
      else
        expect (find (&c, model).is_aligned, "in a corner, %s: aligned", names[model]);
      fill (&c, &random, m, 100, 0, 0, 0.7 * WIDTH, 0.7 * HEIGHT);
      expect_aligned ("in most of it", &c, model, 100);
    }
  for (gint model = MODEL_AFFINE; model < 4; model++)
    {
      c.n = 0;
      for (gint i = 0; i < 50; i++)
        add (&c, 10 * i, 5 * i, 10 * i, 5 * i);
      expect_refused ("on a line", &c, model, "0 of 50 matches agree");
    }
  for (gint model = 0; model < 4; model++)
    {
      c.n = 0;
      for (gint i = 0; i < 50; i++)
        add (&c, 100, 100, 100, 100);
      expect_refused ("in one place", &c, model, model == 0 ? "50 of 50 matches agree, from 1 places; 6 are needed" : "0 of 50 matches agree");
    }
}

/* Most pairs lie in a small part, and one or two far away are wrong: a homography bends to take them in.  Whatever is believed is right. */
static void
far_pair (void)
{
  static Case c;
  CheckRandom random = { 15 };
  gint        aligned = 0;

  for (gint i = 0; i < 80; i++)
    {
      const ConsensusModel model = i % 2 ? MODEL_HOMOGRAPHY : MODEL_AUTO;
      const gdouble        side = between (&random, 40, 200), x = between (&random, 0, WIDTH - side), y = between (&random, 0, HEIGHT - side);
      gdouble              m[9];
      Consensus            found;

      draw_transform (&random, MODEL_HOMOGRAPHY, m);
      fill (&c, &random, m, 32, 0.35, 0, side, side);
      for (gint k = 0; k < c.n; k++)
        {
          gdouble off_x = 0, off_y = 0;

          if (k < 1 + i % 3)
            {
              c.b[k].x = between (&random, 0, WIDTH - 1) - x;
              c.b[k].y = between (&random, 0, HEIGHT - 1) - y;
              off_x = between (&random, -12, 12);
              off_y = between (&random, -12, 12);
            }
          else
            {
              off_x = 0.35 * (between (&random, -1, 1) + between (&random, -1, 1));
              off_y = 0.35 * (between (&random, -1, 1) + between (&random, -1, 1));
            }
          c.b[k].x += x;
          c.b[k].y += y;
          map_place (m, c.b[k].x, c.b[k].y, &c.a[k].x, &c.a[k].y);
          c.a[k].x += off_x;
          c.a[k].y += off_y;
        }
      found = find (&c, model);
      aligned += found.is_aligned;
      if (found.is_aligned)
        expect (corners_off (m, found.matrix) < 4 * found.error + 1, "one far pair %d, %s: aligned, but off by %.1f px where %.1f are told", i,
                names[model], corners_off (m, found.matrix), found.error);
    }
  expect (aligned < 40, "one far pair: %d of 80 aligned", aligned);
}

/* A kind is asked for that is too small.  In a small part of the picture nothing denies it; a few pairs further away may.  What is believed is as
 * near as it says. */
static void
small_kind (void)
{
  static Case c;
  CheckRandom random = { 19 };
  gint        aligned = 0;

  for (gint i = 0; i < 120; i++)
    {
      const ConsensusModel model = i % 3;
      const gdouble        side = between (&random, 60, 120), x = between (&random, 0, WIDTH - side), y = between (&random, 0, HEIGHT - side);
      gdouble              m[9];
      Consensus            found;

      draw_transform (&random, MODEL_HOMOGRAPHY, m);
      fill (&c, &random, m, 31 + 10, 0, 0, WIDTH, HEIGHT);
      for (gint k = 0; k < c.n; k++)
        {
          const gdouble part = k < 31 ? side : side * (1 + i % 4), off_x = between (&random, -0.6, 0.6), off_y = between (&random, -0.6, 0.6);

          c.b[k].x = x + part * c.b[k].x / WIDTH;
          c.b[k].y = y + part * c.b[k].y / HEIGHT;
          map_place (m, c.b[k].x, c.b[k].y, &c.a[k].x, &c.a[k].y);
          c.a[k].x += off_x;
          c.a[k].y += off_y;
        }
      found = find (&c, model);
      aligned += found.is_aligned;
      expect (! found.is_aligned || corners_off (m, found.matrix) < 4 * found.error + 1,
              "a kind that is too small %d, %s: aligned, but off by %.1f px where %.1f are told", i, names[model], corners_off (m, found.matrix), found.error);
    }
  expect (aligned < 12, "a kind that is too small: %d of 120 aligned", aligned);
}

/* Each kind of movement is found for what it is. */
static void
least_kind (void)
{
  static Case c;
  CheckRandom random = { 16 };
  gint        wrong[4] = { 0 };

  for (gint i = 0; i < 80; i++)
    {
      const ConsensusModel kind = i % 4;
      gdouble              m[9];
      Consensus            found;

      draw_transform (&random, kind, m);
      fill (&c, &random, m, 300, 0.4, i % 8 < 4 ? 50 : 400, WIDTH, HEIGHT);
      found = find (&c, MODEL_AUTO);
      expect (found.is_aligned && corners_off (m, found.matrix) < 0.5, "auto, of a %s: %d, off by %g px, %s", names[kind], found.is_aligned,
              corners_off (m, found.matrix), found.reason);
      expect (found.error > 0.02 && found.error < 0.6, "auto, of a %s: an error of %g px", names[kind], found.error);
      wrong[kind] += found.model != kind;
    }
  for (gint kind = 0; kind < 4; kind++)
    expect (wrong[kind] <= 1, "auto: %d of 20 movements by %s taken for others", wrong[kind], names[kind]);
}

/* What turns in front of the scene has more pairs than the scene, which only moved: who asks for a shift gets the scene's. */
static void
turning_object (void)
{
  static const gdouble m[9] = { 1, 0, 12, 0, 1, -7, 0, 0, 1 };
  static Case          c;
  CheckRandom          random = { 18 };
  Consensus            found;

  fill (&c, &random, m, 100, 0.3, 0, WIDTH, HEIGHT);
  for (gint i = 0; i < 130; i++)
    {
      const gdouble x = between (&random, -100, 100), y = between (&random, -100, 100);

      add (&c, 320 + x, 240 + y, 320 + x * cos (0.35) - y * sin (0.35), 240 + x * sin (0.35) + y * cos (0.35));
    }
  found = find (&c, MODEL_TRANSLATION);
  expect (found.is_aligned && corners_off (m, found.matrix) < 0.5, "an object that turns: %d, off by %g px, %s", found.is_aligned,
          corners_off (m, found.matrix), found.reason);
}

/* A stamp that stands still has most of the pairs, the scene covers more: it wins, and both are named.  So does the larger of two parts. */
static void
two_movements (void)
{
  static const gdouble m[9] = { 0.998, -0.02, 31, 0.02, 0.998, -14, 0, 0, 1 };
  static Case          c;

  for (gint model = MODEL_SIMILARITY; model < 5; model++)
    {
      CheckRandom random = { 17 };
      Consensus   found;

      fill (&c, &random, m, 120, 0.3, 40, WIDTH, HEIGHT);
      for (gint i = 0; i < 300; i++)
        {
          const gdouble x = between (&random, 20, 260), y = between (&random, HEIGHT - 60, HEIGHT - 10);

          add (&c, x, y, x, y);
        }
      found = find (&c, model);
      expect (found.is_aligned && corners_off (m, found.matrix) < 1.5, "a stamp, %s: %d, off by %g px, %s", names[model], found.is_aligned,
              corners_off (m, found.matrix), found.reason);
      expect (strstr (found.reason, "two movements") && strstr (found.reason, "300"), "a stamp, %s: both are named: %s", names[model], found.reason);
    }
}

void
believed (void)
{
  badly_placed ();
  chance ();
  far_pair ();
  small_kind ();
  least_kind ();
  turning_object ();
  two_movements ();
}
