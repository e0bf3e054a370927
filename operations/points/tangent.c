/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Small transforms of the reference's plane: see tangent.h.
 */
#include "tangent.h"

#include <math.h>
#include <string.h>

#include "matrix.h"

/* One standard deviation of what a camera does, at the edge, as a part of half the side: 5 degrees of tilt of a lens of 28 mm are 0.06; two views
 * of one flat thing are more. */
#define EXPECTED 0.1

typedef struct
{
  gdouble x, y;
} Corner;

void
tangent_init (Tangent *tangent, gint a_width, gint a_height)
{
  *tangent = (Tangent) { 0.5 * MAX (a_width, a_height), 0.5 * (a_width - 1), 0.5 * (a_height - 1) };
}

gint
tangent_size (ConsensusModel model)
{
  return 2 * ((gint) model + 1);        /* in the order of the enum */
}

void
tangent_rows (const Tangent *tangent, ConsensusModel model, gdouble x, gdouble y, gdouble along[TANGENT_MOST], gdouble down[TANGENT_MOST])
{
  const gdouble  u = (x - tangent->x) / tangent->scale, v = (y - tangent->y) / tangent->scale;
  const gboolean is_similar = model == MODEL_SIMILARITY;
  const gdouble  for_x[TANGENT_MOST] = { 1, 0, u, is_similar ? -v : v, 0, 0, -u * u, -u * v };
  const gdouble  for_y[TANGENT_MOST] = { 0, 1, is_similar ? v : 0, is_similar ? u : 0, u, v, -u * v, -v * v };

  memcpy (along, for_x, sizeof for_x);
  memcpy (down, for_y, sizeof for_y);
}

gdouble
tangent_apply (const Tangent *t, ConsensusModel model, const gdouble numbers[TANGENT_MOST], gdouble matrix[9])
{
  const gboolean is_similar = model == MODEL_SIMILARITY, has_more = model >= MODEL_AFFINE;
  gdouble        p[TANGENT_MOST] = { 0 }, in[9], out[9], most = 0;

  for (gint k = 0; k < tangent_size (model); k++)
    p[k] = numbers[k] / t->scale;
  {
    const gdouble small[9] = { 1.0 + (is_similar || has_more ? p[2] : 0.0), is_similar ? -p[3] : has_more ? p[3] : 0.0, p[0],
                               is_similar ? p[3] : has_more ? p[4] : 0.0, 1.0 + (is_similar ? p[2] : has_more ? p[5] : 0.0), p[1],
                               p[6], p[7], 1.0 };

    matrix_place (1.0 / t->scale, -t->x / t->scale, -t->y / t->scale, in);
    matrix_place (t->scale, t->x, t->y, out);
    matrix_multiply (small, in, in);
    matrix_multiply (out, in, out);
    matrix_normalize (out);
  }
  for (gint i = 0; i < 4; i++)
    {
      const gdouble x = (i & 1) * 2.0 * t->x, y = (i >> 1) * 2.0 * t->y;
      gdouble       u, v;

      matrix_map (out, x, y, &u, &v);
      most = MAX (most, sqrt ((u - x) * (u - x) + (v - y) * (v - y)));
    }
  matrix_multiply (out, matrix, matrix);
  matrix_normalize (matrix);
  return most;
}

void
tangent_expect (const Tangent *tangent, gdouble variance, gdouble equations[TANGENT_MOST][TANGENT_MOST])
{
  const gdouble sd = EXPECTED * tangent->scale, weight = variance / (sd * sd);

  equations[2][2] += weight;            /* (2 - 5)^2, stretched along x; (3 + 4)^2, sheared */
  equations[5][5] += weight;
  equations[2][5] -= weight;
  equations[5][2] -= weight;
  equations[3][3] += weight;
  equations[4][4] += weight;
  equations[3][4] += weight;
  equations[4][3] += weight;
  equations[6][6] += weight;
  equations[7][7] += weight;
}

/* ------------------------------------------------------------------ overlap -- */

/* Cuts off what lies on the wrong side of one line, sign * (x or y) <= limit (Sutherland and Hodgman, 1974). */
static gint
cut (const Corner *corners, gint n, gboolean is_y, gdouble sign, gdouble limit, Corner *kept)
{
  gint m = 0;

  for (gint i = 0; i < n; i++)
    {
      const Corner  p = corners[i], q = corners[(i + 1) % n];
      const gdouble over_p = sign * (is_y ? p.y : p.x) - limit, over_q = sign * (is_y ? q.y : q.x) - limit;

      if (over_p <= 0)
        kept[m++] = p;
      if ((over_p < 0 && over_q > 0) || (over_p > 0 && over_q < 0))
        {
          const gdouble part = over_p / (over_p - over_q);

          kept[m++] = (Corner) { p.x + part * (q.x - p.x), p.y + part * (q.y - p.y) };
        }
    }
  return m;
}

gint
tangent_overlap (const gdouble matrix[9], gint width, gint height, gint a_width, gint a_height, gdouble corners[TANGENT_CORNERS][2])
{
  Corner places[2][2 * TANGENT_CORNERS];
  gint   n = 4;

  for (gint i = 0; i < 4; i++)
    matrix_map (matrix, i == 1 || i == 2 ? width - 0.5 : -0.5, i >= 2 ? height - 0.5 : -0.5, &places[0][i].x, &places[0][i].y);
  n = cut (places[0], n, FALSE, -1, 0.5, places[1]);
  n = cut (places[1], n, FALSE, 1, a_width - 0.5, places[0]);
  n = cut (places[0], n, TRUE, -1, 0.5, places[1]);
  n = cut (places[1], n, TRUE, 1, a_height - 0.5, places[0]);
  for (gint i = 0; i < MIN (n, TANGENT_CORNERS); i++)
    {
      corners[i][0] = places[0][i].x;
      corners[i][1] = places[0][i].y;
    }
  return MIN (n, TANGENT_CORNERS);
}

gdouble
tangent_apart (const gdouble matrix[9], const gdouble other[9], gint width, gint height, gint a_width, gint a_height)
{
  gdouble    corners[TANGENT_CORNERS][2], inverse[9], most = 0;
  const gint n = tangent_overlap (matrix, width, height, a_width, a_height, corners);

  if (! matrix_invert (matrix, inverse))
    return INFINITY;
  for (gint i = 0; i < n; i++)
    {
      gdouble x, y, u, v;

      matrix_map (inverse, corners[i][0], corners[i][1], &x, &y);
      if (matrix_map (other, x, y, &u, &v) > 0)
        most = MAX (most, hypot (u - corners[i][0], v - corners[i][1]));
    }
  return most;
}

gdouble
tangent_worst (const Tangent *tangent, ConsensusModel model, const gdouble *numbers, const gdouble covariance[TANGENT_MOST][TANGENT_MOST],
               const gdouble corners[][2], gint n)
{
  const gint size = tangent_size (model);
  gdouble    worst = 0;

  for (gint i = 0; i < n; i++)
    {
      gdouble rows[2][TANGENT_MOST], spread[2][2] = { { 0 } }, move[2] = { 0 }, half, apart;

      tangent_rows (tangent, model, corners[i][0], corners[i][1], rows[0], rows[1]);
      for (gint j = 0; j < size; j++)
        {
          for (gint k = 0; k < size; k++)
            for (gint e = 0; e < 4; e++)
              spread[e >> 1][e & 1] += rows[e >> 1][j] * covariance[j][k] * rows[e & 1][k];
          for (gint e = 0; e < 2 && numbers; e++)
            move[e] += rows[e][j] * numbers[j];
        }
      half = 0.5 * (spread[0][0] - spread[1][1]);
      apart = sqrt (half * half + spread[0][1] * spread[0][1]);
      worst = MAX (worst, move[0] * move[0] + move[1] * move[1] + 0.5 * (spread[0][0] + spread[1][1]) + apart);
    }
  return sqrt (worst);
}

/* By the distribution's table, within some percent. */
gdouble
tangent_rare_f (gint more, gdouble left)
{
  static const gdouble limits[3] = { 6.91, 4.62, 3.74 }, grows[3] = { 6.92, 8.27, 9.3 }, from[3] = { 4.2, 4.5, 4.66 };
  const gint           k = more / 2 - 1;

  return left > from[k] + 1 ? limits[k] * (1 + grows[k] / (left - from[k])) : INFINITY;
}
