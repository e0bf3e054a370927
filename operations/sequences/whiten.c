/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame; see whiten.h.
 *
 * A sum over all frames is NaN where one of them has no value.  Only there it is known that some frames are not usable, so
 * only such pixels take the slower way.  The kernel (background-whiten.cl) does the same in the same order.
 */
#include "whiten.h"

#include <math.h>

#include <gegl.h>

#include "tessera.h"

#define LEAST_WEIGHT 0.5f

typedef struct
{
  const CountPlane        *current;
  const CountPlane *const *history;
  const Weights           *weights;
  WhitenPlanes            *planes;
  gfloat                   a[WEIGHTS_MAX_FRAMES], mean[WEIGHTS_MAX_FRAMES], level;
  gint                     left, right;         /* columns that all moved frames cover */
} Prediction;

void
whiten_planes_init (WhitenPlanes *planes, gint width, gint height)
{
  planes->background = (CountPlane) { width, height, tessera_reached_new (sizeof (gfloat) * (gsize) width * (gsize) height) };
  count_plane_init (&planes->whitened, width, height);
  count_plane_init (&planes->significance, width, height);
}

void
whiten_planes_clear (WhitenPlanes *planes)
{
  tessera_reached_free (planes->background.pixels);
  count_plane_clear (&planes->whitened);
  count_plane_clear (&planes->significance);
}

static const gfloat *
moved_row (const Prediction *p, gint k, gint y)
{
  const CountPlane *plane = p->history[k];
  const gint        from_y = y - p->weights->move_y[k];

  return from_y >= 0 && from_y < plane->height ? plane->pixels + (gsize) from_y * plane->width : NULL;
}

TESSERA_CLONES static void
add_row (gfloat *restrict sum, const gfloat *restrict row, gint n, gfloat a, gfloat mean)
{
  for (gint i = 0; i < n; i++)
    sum[i] += a * (row[i] - mean);
}

/* Of the frames that have a value here.  NaN: none has. */
static void
predict_pixel (const Prediction *p, gint x, gint y, gfloat *background)
{
  gfloat sum = 0.0f, weight = 0.0f, plain = 0.0f;
  gint   n = 0;

  for (gint k = 0; k < p->weights->n; k++)
    {
      const gfloat *row = moved_row (p, k, y);
      const gint    from_x = x - p->weights->move_x[k];
      const gfloat  value = row && from_x >= 0 && from_x < p->current->width ? row[from_x] - p->mean[k] : NAN;

      if (isnan (value))
        continue;
      sum += p->a[k] * value;
      weight += p->a[k];
      plain += value;
      n++;
    }
  *background = n == 0 ? NAN : p->level + (weight >= LEAST_WEIGHT ? sum / weight : plain / (gfloat) n);
}

/* The sums of the columns that all frames cover; NaN elsewhere, and in a row that one of them does not cover. */
static void
predict_row (const Prediction *p, gint y, gfloat *row)
{
  const gint width = p->current->width;
  gboolean   covered = TRUE;

  for (gint x = 0; x < width; x++)
    row[x] = x >= p->left && x < p->right ? 0.0f : NAN;
  for (gint k = 0; k < p->weights->n && covered; k++)
    {
      const gfloat *from = moved_row (p, k, y);

      covered = from != NULL;
      if (covered)
        add_row (row + p->left, from + p->left - p->weights->move_x[k], p->right - p->left, p->a[k], p->mean[k]);
    }
  for (gint x = p->left; x < p->right; x++)
    row[x] = covered ? p->level + row[x] : NAN;
}

static void
predict_rows (gsize first, gsize n, gpointer data)
{
  const Prediction *p = data;
  const gint        width = p->current->width;

  for (gsize y = first; y < first + n; y++)
    {
      gfloat       *background = p->planes->background.pixels + y * width;
      gfloat       *whitened = p->planes->whitened.pixels + y * width;
      const gfloat *current = p->current->pixels + y * width;

      predict_row (p, y, background);
      for (gint x = 0; x < width; x++)
        {
          if (isnan (background[x]))
            predict_pixel (p, x, y, &background[x]);
          whitened[x] = current[x] - background[x];
        }
    }
}

void
whiten_predict (const CountPlane *current, const CountPlane *const *history, const Weights *weights, WhitenPlanes *planes)
{
  Prediction p = { .current = current, .history = history, .weights = weights, .planes = planes,
                   .level = (gfloat) weights->level, .right = current->width };

  for (gint k = 0; k < weights->n; k++)
    {
      p.a[k] = (gfloat) weights->a[k];
      p.mean[k] = (gfloat) weights->mean[k];
      p.left = MAX (p.left, weights->move_x[k]);
      p.right = MIN (p.right, current->width + weights->move_x[k]);
    }
  p.left = MIN (p.left, current->width);
  p.right = MAX (p.right, p.left);
  tessera_spread_range (current->height, 64.0 * 64.0 / current->width / weights->n, predict_rows, &p);
}
