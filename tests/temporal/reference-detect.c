/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What stands out: matched filter, maxima, objects taken out of the history, and objects that only several frames together show. */
#include "reference.h"

#include <math.h>
#include <string.h>

#define FWHM_OF_SD    2.3548
#define EDGE          3
#define MOST_PART     0.01
#define GROWN         2         /* 5 x 5 */
#define FASTEST       2.0
#define SPEED_STEP    0.25

/* A pixel of which nothing is known is no detection.  Open: the filter is cut to the square within ceil (3 s) each way, not to the
 * disc. */
Plane
reference_filtered (const Plane *significance, gdouble fwhm)
{
  const gint    w = significance->width, h = significance->height;
  const gdouble s = fwhm / FWHM_OF_SD;
  const gint    reach = (gint) ceil (3 * s), n = 2 * reach + 1;
  gdouble      *kernel = g_new (gdouble, n * n), squares = 0;
  Plane         filtered = plane_new (w, h);

  for (gint k = 0; k < n * n; k++)
    {
      const gint x = k % n - reach, y = k / n - reach;

      kernel[k] = exp (-(x * x + y * y) / (2 * s * s));
      squares += kernel[k] * kernel[k];
    }
  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      {
        gdouble sum = 0;

        for (gint j = MAX (-reach, -y); j <= MIN (reach, h - 1 - y); j++)
          for (gint i = MAX (-reach, -x); i <= MIN (reach, w - 1 - x); i++)
            {
              const gdouble value = significance->values[(gsize) (y + j) * w + x + i];

              if (isfinite (value))
                sum += kernel[(j + reach) * n + i + reach] * value;
            }
        filtered.values[(gsize) y * w + x] = isfinite (significance->values[(gsize) y * w + x]) ? sum / sqrt (squares) : NAN;
      }
  g_free (kernel);
  return filtered;
}

/* Open: of equal neighbours the first, row after row, is the maximum. */
static gboolean
is_maximum (const Plane *plane, gint x, gint y)
{
  const gdouble own = plane_at (plane, x, y);

  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++)
      {
        const gdouble other = plane_at (plane, x + i, y + j);

        if (other > own || ((j < 0 || (j == 0 && i < 0)) && other == own))
          return FALSE;
      }
  return TRUE;
}

GArray *
reference_maxima (const Plane *filtered, gdouble threshold)
{
  GArray *spots = g_array_new (FALSE, TRUE, sizeof (ReferenceSpot));

  for (gint y = EDGE; y < filtered->height - EDGE; y++)
    for (gint x = EDGE; x < filtered->width - EDGE; x++)
      {
        const ReferenceSpot spot = { x, y, plane_at (filtered, x, y), 0, 0 };

        if (spot.value > threshold && is_maximum (filtered, x, y))
          g_array_append_val (spots, spot);
      }
  return spots;
}

static gint
stronger_first (gconstpointer a, gconstpointer b)
{
  const ReferenceSpot *left = a, *right = b;

  if (left->value != right->value)
    return left->value > right->value ? -1 : 1;
  return left->y != right->y ? left->y - right->y : left->x - right->x;
}

/* The strongest first, each with the 5 x 5 pixels around it, until 1 % of the frame has lost its values. */
gint
reference_remove (Plane *frame, const Plane *filtered, gdouble threshold)
{
  const gint w = frame->width, h = frame->height, most = (gint) floor (MOST_PART * w * h);
  GArray    *over = g_array_new (FALSE, TRUE, sizeof (ReferenceSpot));
  gint       lost = 0;

  for (gint y = 0; y < h; y++)
    for (gint x = 0; x < w; x++)
      {
        const ReferenceSpot spot = { x, y, plane_at (filtered, x, y), 0, 0 };

        if (spot.value > threshold)
          g_array_append_val (over, spot);
      }
  g_array_sort (over, stronger_first);
  for (guint k = 0; k < over->len; k++)
    {
      const ReferenceSpot *spot = &g_array_index (over, ReferenceSpot, k);

      for (gint y = MAX (0, spot->y - GROWN); y <= MIN (h - 1, spot->y + GROWN); y++)
        for (gint x = MAX (0, spot->x - GROWN); x <= MIN (w - 1, spot->x + GROWN); x++)
          if (lost < most && ! isnan (frame->values[(gsize) y * w + x]))
            {
              frame->values[(gsize) y * w + x] = NAN;
              lost++;
            }
    }
  g_array_free (over, TRUE);
  return lost;
}

static void
add_moved (Plane *sum, const Plane *frame, gint dx, gint dy)
{
  const gint w = sum->width, h = sum->height;

  for (gint y = MAX (0, -dy); y < MIN (h, h - dy); y++)
    for (gint x = MAX (0, -dx); x < MIN (w, w - dx); x++)
      {
        const gdouble value = frame->values[(gsize) (y + dy) * w + x + dx];

        sum->values[(gsize) y * w + x] += isfinite (value) ? value : 0;
      }
}

/* Open: between pixels the nearest counts (a mean of pixels would have less noise than sqrt (n) allows for); what lies outside a frame
 * or is not known counts as 0; of equal velocities the first, by rows of vy. */
Plane
reference_track (gint n, const Plane *const *filtered, const Vector *shifts, Plane *vx, Plane *vy)
{
  const gint w = filtered[0]->width, h = filtered[0]->height, speeds = (gint) (2 * FASTEST / SPEED_STEP) + 1;
  Plane      best = plane_new (w, h), sum = plane_new (w, h);

  for (gint k = 0; k < speeds * speeds; k++)
    {
      const Vector v = { -FASTEST + k % speeds * SPEED_STEP, -FASTEST + k / speeds * SPEED_STEP };

      memset (sum.values, 0, plane_size (&sum) * sizeof (gdouble));
      for (gint j = 0; j < n; j++)
        add_moved (&sum, filtered[j], (gint) floor (shifts[j].x - shifts[0].x - v.x * j + 0.5),
                   (gint) floor (shifts[j].y - shifts[0].y - v.y * j + 0.5));
      for (gsize i = 0; i < plane_size (&sum); i++)
        {
          const gdouble value = sum.values[i] / n * sqrt (n);

          if (k == 0 || value > best.values[i])
            {
              best.values[i] = value;
              vx->values[i] = v.x;
              vy->values[i] = v.y;
            }
        }
    }
  plane_free (&sum);
  return best;
}

/* Of a pixel and a velocity of a grid (tracks.h); `terms`: what the rounding of a sum goes with. */
gdouble
reference_track_at (const ReferenceTrack *track, gint x, gint y, gint velocity, gdouble *terms)
{
  const gdouble v_x = track->x + track->step * (velocity % track->n_x), v_y = track->y + track->step * (velocity / track->n_x);
  const Vector *here = &track->shifts[track->r];
  gdouble       sum = 0;

  *terms = 0;
  for (gint j = 0; j < track->n; j++)
    {
      const Plane  *plane = &track->frames[j];
      const gdouble time = track->times[j] - track->times[track->r];
      const gdouble u = x + floor (track->shifts[j].x - here->x + v_x * time + 0.5), v = y + floor (track->shifts[j].y - here->y + v_y * time + 0.5);
      gdouble       value = 0;

      if (u >= 0 && u < plane->width && v >= 0 && v < plane->height)
        value = plane->values[(gsize) v * plane->width + (gsize) u];
      value = isnan (value) ? 0 : value > track->clip ? track->clip * (2 - track->clip / value) : value;
      sum += value;
      *terms += fabs (value);
    }
  *terms /= sqrt (track->n);
  return sum / sqrt (track->n);
}
