/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Transforms that are known are found among wrong pairs, and what is no transform of a camera is refused. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "check.h"
#include "../engine/verdict.h"
#include "consensus.h"

#define MOST   1000
#define WIDTH  900
#define HEIGHT 600

static const gchar *names[] = { "translation", "similarity", "affine", "homography" };

typedef struct
{
  MatchPlace a[MOST], b[MOST];
  Match      matches[MOST];
  gint       n;
} Case;

static gdouble
between (CheckRandom *random, gdouble least, gdouble most)
{
  return least + (most - least) * check_uniform (random);
}

/* Of mean 0 and standard deviation 1. */
static gdouble
noise (CheckRandom *random)
{
  gdouble sum = -6;

  for (gint i = 0; i < 12; i++)
    sum += check_uniform (random);
  return sum;
}

static void
map (const gdouble *m, gdouble x, gdouble y, gdouble *u, gdouble *v)
{
  const gdouble w = m[6] * x + m[7] * y + m[8];

  *u = (m[0] * x + m[1] * y + m[2]) / w;
  *v = (m[3] * x + m[4] * y + m[5]) / w;
}

static void
add (Case *c, gdouble x, gdouble y, gdouble u, gdouble v)
{
  c->b[c->n] = (MatchPlace) { x, y, 1, 0 };
  c->a[c->n] = (MatchPlace) { u, v, 1, 0 };
  c->matches[c->n] = (Match) { c->n, c->n, 0 };
  c->n++;
}

/* `right` pairs of places of B within the rectangle, and `wrong` ones of two places each. */
static void
fill (Case *c, CheckRandom *random, const gdouble *m, gint right, gdouble sd, gint wrong, gdouble width, gdouble height)
{
  c->n = 0;
  for (gint i = 0; i < right + wrong; i++)
    {
      const gdouble x = between (random, 0, width - 1), y = between (random, 0, height - 1);
      gdouble       u, v;

      map (m, x, y, &u, &v);
      if (i < right)
        add (c, x, y, u + sd * noise (random), v + sd * noise (random));
      else
        add (c, x, y, between (random, 0, WIDTH - 1), between (random, 0, HEIGHT - 1));
    }
  for (gint i = c->n - 1; i > 0; i--)         /* in no order */
    {
      const gint       k = check_below (random, i + 1);
      const MatchPlace a = c->a[i], b = c->b[i];

      c->a[i] = c->a[k];
      c->b[i] = c->b[k];
      c->a[k] = a;
      c->b[k] = b;
    }
}

static Consensus
find (const Case *c, ConsensusModel model)
{
  Consensus found;

  consensus_find (c->a, c->b, c->matches, c->n, model, 1, WIDTH, HEIGHT, WIDTH, HEIGHT, NULL, &found);
  return found;
}

static gdouble
corner_error (const gdouble *m, const gdouble *other)
{
  gdouble sum = 0;

  for (gint k = 0; k < 4; k++)
    {
      gdouble u, v, s, t;

      map (m, k & 1 ? WIDTH - 1 : 0, k & 2 ? HEIGHT - 1 : 0, &u, &v);
      map (other, k & 1 ? WIDTH - 1 : 0, k & 2 ? HEIGHT - 1 : 0, &s, &t);
      sum += sqrt ((u - s) * (u - s) + (v - t) * (v - t));
    }
  return sum / 4;
}

/* A camera that moved a bit: turned by up to 30 degrees, 0.6 to 1.6 times as large, seen from the side. */
static void
draw_transform (CheckRandom *random, ConsensusModel model, gdouble *m)
{
  const gdouble scale = model == MODEL_TRANSLATION ? 1 : between (random, 0.6, 1.6);
  const gdouble angle = model == MODEL_TRANSLATION ? 0 : between (random, -0.52, 0.52);
  const gdouble a = scale * cos (angle), b = scale * sin (angle), bend = model >= MODEL_AFFINE ? 0.1 : 0, far = model == MODEL_HOMOGRAPHY ? 2e-4 : 0;
  const gdouble drawn[9] = { a + between (random, -bend, bend), -b + between (random, -bend, bend), between (random, -100, 200),
                             b + between (random, -bend, bend), a + between (random, -bend, bend), between (random, -100, 200),
                             between (random, -far, far), between (random, -far, far), 1 };

  memcpy (m, drawn, sizeof drawn);
}

/* ---------------------------------------------------------------------- -- */

static void
known_transforms (void)
{
  static Case c;

  for (gint model = 0; model < 4; model++)
    {
      CheckRandom random = { 20261123 + model };
      gdouble     worst = 0, exact = 0;

      for (gint i = 0; i < 60; i++)
        {
          gdouble   m[9];
          Consensus found;

          draw_transform (&random, model, m);
          fill (&c, &random, m, 200, 0.4, i % 3 == 2 ? 600 : 200, WIDTH, HEIGHT);
          found = find (&c, model);
          expect (found.is_aligned && found.inliers >= 180 && found.error > 0.3 && found.error < 0.9, "%s %d: %d inliers, error %g, %s",
                  names[model], i, found.inliers, found.error, found.reason);
          worst = MAX (worst, corner_error (m, found.matrix));
          fill (&c, &random, m, 40, 0, 60, WIDTH, HEIGHT);
          found = find (&c, model);
          exact = MAX (exact, corner_error (m, found.matrix));
        }
      g_print ("%s: corners off by %.3f px with noise, by %.2g px without\n", names[model], worst, exact);
      expect (worst < 0.5, "%s: corners off by %g px", names[model], worst);
      expect (exact < 1e-6, "%s: corners off by %g px without noise", names[model], exact);
    }
}

int
main (void)
{
  known_transforms ();
  return expect_told ();
}
