/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What two pictures have in common under a drawn transform, how far another one takes its corners, the inverse, and the nine
 * numbers as text.  The reference finds the corners of what is common one by one, without clipping. */
#include "answers.h"

#include <math.h>
#include <string.h>

#include "consensus-case.h"
#include "matrix.h"
#include "tangent.h"

#define MOST_CORNERS 24         /* 4 of each picture, and 16 where sides cross */

typedef struct
{
  ConsensusModel model;
  gdouble        matrix[9], other[9];
  gint           width, height, a_width, a_height;
} Transforms;

static gpointer
transforms_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  CheckRandom random = { seed };
  Transforms *t = g_new0 (Transforms, 1);

  t->model = (ConsensusModel) check_below (&random, 4);
  draw_transform (&random, t->model, t->matrix);
  if (check_chance (&random, 20))       /* far away: less in common, or nothing */
    t->matrix[check_chance (&random, 50) ? 2 : 5] += between (&random, -1500, 1500);
  draw_transform (&random, t->model, t->other);
  t->width = 1 + check_below (&random, WIDTH);
  t->height = 1 + check_below (&random, HEIGHT);
  t->a_width = 1 + check_below (&random, WIDTH);
  t->a_height = 1 + check_below (&random, HEIGHT);
  return t;
}

static gchar *
transforms_words (gconstpointer input)
{
  const Transforms *t = input;

  return g_strdup_printf ("%s, %d x %d on %d x %d", names[t->model], t->width, t->height, t->a_width, t->a_height);
}

/* -------------------------------------------------------------- answer -- */

/* Twice the area of corners in their order. */
static gdouble
area_of (gdouble corners[][2], gint n)
{
  gdouble sum = 0;

  for (gint i = 0; i < n; i++)
    sum += corners[i][0] * corners[(i + 1) % n][1] - corners[(i + 1) % n][0] * corners[i][1];
  return fabs (sum);
}

/* The area that is common, how far apart, the inverse, and what is read of the text. */
static gboolean
transforms_find (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Transforms *t = input;
  gdouble           corners[TANGENT_CORNERS][2], inverse[9] = { 0 }, read[9] = { 0 };
  const gint        n = tangent_overlap (t->matrix, t->width, t->height, t->a_width, t->a_height, corners);
  g_autofree gchar *text = consensus_matrix_text (t->matrix);

  answer_add (numbers, area_of (corners, n));
  answer_add (numbers, tangent_apart (t->matrix, t->other, t->width, t->height, t->a_width, t->a_height));
  matrix_invert (t->matrix, inverse);
  consensus_matrix_read (text, read);
  for (gint k = 0; k < 9; k++)
    answer_add (numbers, inverse[k]);
  for (gint k = 0; k < 9; k++)
    answer_add (numbers, read[k]);
  return TRUE;
}

/* ----------------------------------------------------------- reference -- */

/* A row of the inverse: Cramer's rule, of the columns that are left. */
static void
invert_plainly (const gdouble *m, gdouble *inverse)
{
  gdouble size = 0;

  for (gint i = 0; i < 3; i++)
    for (gint k = 0; k < 3; k++)
      {
        const gint r = (k + 1) % 3, s = (k + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;

        inverse[3 * i + k] = m[3 * r + c] * m[3 * s + d] - m[3 * r + d] * m[3 * s + c];
      }
  size = inverse[8];
  for (gint k = 0; k < 9; k++)
    inverse[k] /= size;
}

/* A picture begins and ends half a pixel beyond the centres. */
static gboolean
is_in (gdouble x, gdouble y, gint width, gint height)
{
  return fmin (x, y) >= -0.5 - 1e-9 && x <= width - 0.5 + 1e-9 && y <= height - 0.5 + 1e-9;
}

/* Adds a place of A that both pictures have. */
static void
add_common (const Transforms *t, const gdouble *inverse, gdouble x, gdouble y, gdouble corners[][2], gint *n)
{
  gdouble u, v;

  map_place (inverse, x, y, &u, &v);
  if (is_in (x, y, t->a_width, t->a_height) && is_in (u, v, t->width, t->height))
    {
      corners[*n][0] = x;
      corners[(*n)++][1] = y;
    }
}

static void
corner_of (gint k, gint width, gint height, gdouble place[2])
{
  place[0] = k == 1 || k == 2 ? width - 0.5 : -0.5;
  place[1] = k >= 2 ? height - 0.5 : -0.5;
}

/* Where the line of B's side from p to q crosses A's side k. */
static void
add_crossing (const Transforms *t, const gdouble *inverse, const gdouble p[2], const gdouble q[2], gint k, gdouble corners[][2], gint *n)
{
  const gdouble at = k == 0 || k == 3 ? -0.5 : k == 1 ? t->a_width - 0.5 : t->a_height - 0.5;
  const gint    along = k % 2 == 0;     /* sides 0 and 2 are those of y */
  const gdouble part = (at - p[along]) / (q[along] - p[along]);

  if (part > 0 && part < 1)
    add_common (t, inverse, p[0] + part * (q[0] - p[0]), p[1] + part * (q[1] - p[1]), corners, n);
}

static gint
corners_of (const Transforms *t, const gdouble *inverse, gdouble corners[][2])
{
  gdouble of_b[4][2], place[2];
  gint    n = 0;

  for (gint k = 0; k < 4; k++)
    {
      corner_of (k, t->a_width, t->a_height, place);
      add_common (t, inverse, place[0], place[1], corners, &n);
      corner_of (k, t->width, t->height, place);
      map_place (t->matrix, place[0], place[1], &of_b[k][0], &of_b[k][1]);
      add_common (t, inverse, of_b[k][0], of_b[k][1], corners, &n);
    }
  for (gint side = 0; side < 16; side++)
    add_crossing (t, inverse, of_b[side / 4], of_b[(side / 4 + 1) % 4], side % 4, corners, &n);
  return n;
}

/* Around their middle. */
static void
sort_corners (gdouble corners[][2], gint n)
{
  gdouble x = 0, y = 0;

  for (gint i = 0; i < n; i++)
    {
      x += corners[i][0] / n;
      y += corners[i][1] / n;
    }
  for (gint i = 0; i < n; i++)
    for (gint k = i + 1; k < n; k++)
      if (atan2 (corners[k][1] - y, corners[k][0] - x) < atan2 (corners[i][1] - y, corners[i][0] - x))
        for (gint axis = 0; axis < 2; axis++)
          {
            const gdouble kept = corners[i][axis];

            corners[i][axis] = corners[k][axis];
            corners[k][axis] = kept;
          }
}

static gdouble
apart_of (const Transforms *t, const gdouble *inverse, gdouble corners[][2], gint n)
{
  gdouble most = 0;

  for (gint i = 0; i < n; i++)
    {
      gdouble u, v, x, y;

      map_place (inverse, corners[i][0], corners[i][1], &u, &v);
      map_place (t->other, u, v, &x, &y);
      most = fmax (most, hypot (x - corners[i][0], y - corners[i][1]));
    }
  return most;
}

static void
transforms_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const Transforms *t = input;
  gdouble           corners[MOST_CORNERS][2], inverse[9];
  gint              n;

  invert_plainly (t->matrix, inverse);
  n = corners_of (t, inverse, corners);
  sort_corners (corners, n);
  answer_want (wanted, area_of (corners, n), 1e-2);
  answer_want (wanted, apart_of (t, inverse, corners, n), 1e-5);
  for (gint k = 0; k < 9; k++)
    answer_want (wanted, inverse[k], 1e-9 * fmax (1, fabs (inverse[k])));
  for (gint k = 0; k < 9; k++)
    answer_want (wanted, t->matrix[k], 5.1e-9 * fabs (t->matrix[k]));
}

const AnswerRow answer_transforms = {
  .name = "transforms", .cases = 2000, .draw = transforms_draw, .describe = transforms_words, .clear = g_free,
  .compute = transforms_find, .reference = transforms_reference,
  .tolerance = "1e-9 px of places of a thousand, times a thousand for areas; nine digits of a text"
};
