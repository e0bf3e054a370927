/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See consensus-case.h. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "consensus-case.h"

gdouble
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

void
map_place (const gdouble *m, gdouble x, gdouble y, gdouble *u, gdouble *v)
{
  const gdouble w = m[6] * x + m[7] * y + m[8];

  *u = (m[0] * x + m[1] * y + m[2]) / w;
  *v = (m[3] * x + m[4] * y + m[5]) / w;
}

void
add (Case *c, gdouble x, gdouble y, gdouble u, gdouble v)
{
  c->b[c->n] = (MatchPlace) { x, y, 1, 0 };
  c->a[c->n] = (MatchPlace) { u, v, 1, 0 };
  c->matches[c->n] = (Match) { c->n, c->n, 0 };
  c->n++;
}

/* No two numbers are drawn in one expression, because compilers choose the order. */
void
fill (Case *c, CheckRandom *random, const gdouble *m, gint right, gdouble sd, gint wrong, gdouble width, gdouble height)
{
  c->n = 0;
  for (gint i = 0; i < right + wrong; i++)
    {
      const gdouble x = between (random, 0, width - 1), y = between (random, 0, height - 1);
      gdouble       u, v, right_u, right_v;

      map_place (m, x, y, &right_u, &right_v);
      do
        {
          u = i < right ? right_u + sd * noise (random) : between (random, 0, WIDTH - 1);
          v = i < right ? right_v + sd * noise (random) : between (random, 0, HEIGHT - 1);
        }
      while (i >= right && fabs (u - right_u) < 10 && fabs (v - right_v) < 10);
      add (c, x, y, u, v);
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

const gchar *const names[] = { "translation", "similarity", "affine", "homography", "auto" };

Consensus
find (const Case *c, ConsensusModel model)
{
  Consensus found;

  consensus_find (c->a, c->b, c->matches, c->n, model, 1, WIDTH, HEIGHT, WIDTH, HEIGHT, NULL, &found);
  return found;
}

gdouble
corners_off (const gdouble *m, const gdouble *other)
{
  gdouble sum = 0;

  for (gint k = 0; k < 4; k++)
    {
      gdouble u, v, s, t;

      map_place (m, k & 1 ? WIDTH - 1 : 0, k & 2 ? HEIGHT - 1 : 0, &u, &v);
      map_place (other, k & 1 ? WIDTH - 1 : 0, k & 2 ? HEIGHT - 1 : 0, &s, &t);
      sum += sqrt ((u - s) * (u - s) + (v - t) * (v - t));
    }
  return sum / 4;
}

void
draw_transform (CheckRandom *random, ConsensusModel model, gdouble *m)
{
  const gdouble scale = model == MODEL_TRANSLATION ? 1 : between (random, 0.6, 1.6);
  const gdouble angle = model == MODEL_TRANSLATION ? 0 : between (random, -0.52, 0.52);
  const gdouble a = scale * cos (angle), b = scale * sin (angle), bend = model >= MODEL_AFFINE ? 0.1 : 0, far = model == MODEL_HOMOGRAPHY ? 2e-4 : 0;
  const gdouble middle[9] = { a, -b, 50, b, a, 50, 0, 0, 1 }, range[9] = { bend, bend, 150, bend, bend, 150, far, far, 0 };

  for (gint k = 0; k < 9; k++)
    m[k] = middle[k] + between (random, -range[k], range[k]);
}

void
expect_refused (const gchar *what, const Case *c, ConsensusModel model, const gchar *reason)
{
  static const gdouble identity[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  const Consensus      found = find (c, model);

  expect (! found.is_aligned && strstr (found.reason, reason) && memcmp (found.matrix, identity, sizeof identity) == 0,
          "%s, %s: refused with \"%s\": aligned %d, \"%s\"", what, names[model], reason, found.is_aligned, found.reason);
}

void
expect_aligned (const gchar *what, const Case *c, ConsensusModel model, gint inliers)
{
  const Consensus found = find (c, model);

  expect (found.is_aligned && found.inliers == inliers && found.reason[0] == '\0', "%s, %s: aligned with %d: %d, %d, \"%s\"", what,
          names[model], inliers, found.is_aligned, found.inliers, found.reason);
}
