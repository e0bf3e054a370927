/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See consensus-case.h. */
#include "config.h"

#include <math.h>

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
map (const gdouble *m, gdouble x, gdouble y, gdouble *u, gdouble *v)
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

      map (m, x, y, &right_u, &right_v);
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
