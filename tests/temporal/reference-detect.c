/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What stands out: matched filter, maxima, objects taken out of the history, and objects that only several frames together show. */
#include "reference.h"

#include <math.h>
#include <string.h>

#define FWHM_OF_SD    2.3548
#define EDGE          3
#define MOST_IN_A_ROW 3
#define MOST_PART     0.01
#define GROWN         2         /* 5 x 5 */
#define FASTEST       2.0
#define SPEED_STEP    0.25

/* Open: the filter is cut to the square within ceil (3 s) each way, not to the disc. */
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
        filtered.values[(gsize) y * w + x] = sum / sqrt (squares);
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

/* The counts of the frame before, where the sky has moved them.  Open: the move is rounded to whole pixels. */
static guint8 *
moved_counts (const guint8 *counts, gint w, gint h, Vector since)
{
  const gint dx = (gint) floor (since.x + 0.5), dy = (gint) floor (since.y + 0.5);
  guint8    *moved = g_new0 (guint8, (gsize) w * h);

  for (gint y = MAX (0, dy); y < MIN (h, h + dy); y++)
    for (gint x = MAX (0, dx); x < MIN (w, w + dx); x++)
      moved[(gsize) y * w + x] = counts[(gsize) (y - dy) * w + x - dx];
  return moved;
}

/* Open: the limit of 1 % counts the pixels that exceed the threshold and those grown around them; the first that would pass it ends the
 * list.  Open: a pixel that has been replaced three times in a row is kept once and then counts from 0. */
gint
reference_remove (Plane *frame, const Plane *background, const Plane *filtered, gdouble threshold, Vector since, guint8 *counts)
{
  const gint w = frame->width, h = frame->height, most = (gint) (MOST_PART * w * h);
  GArray    *over = g_array_new (FALSE, TRUE, sizeof (ReferenceSpot));
  guint8    *before = moved_counts (counts, w, h, since), *mask = g_new0 (guint8, (gsize) w * h);
  gint       marked = 0, replaced = 0;

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
      gint                 more = 0;

      for (gint pass = 0; pass < 2 && marked + more <= most; pass++)
        for (gint y = MAX (0, spot->y - GROWN); y <= MIN (h - 1, spot->y + GROWN); y++)
          for (gint x = MAX (0, spot->x - GROWN); x <= MIN (w - 1, spot->x + GROWN); x++)
            {
              more += pass == 0 && ! mask[(gsize) y * w + x];
              mask[(gsize) y * w + x] |= pass;
            }
      if (marked + more > most)
        break;
      marked += more;
    }
  for (gsize i = 0; i < (gsize) w * h; i++)
    {
      counts[i] = mask[i] && before[i] < MOST_IN_A_ROW && isfinite (background->values[i]) ? before[i] + 1 : 0;
      if (counts[i])
        {
          frame->values[i] = background->values[i];
          replaced++;
        }
    }
  g_array_free (over, TRUE);
  g_free (before);
  g_free (mask);
  return replaced;
}

static void
add_moved (Plane *sum, const Plane *frame, gint dx, gint dy)
{
  const gint w = sum->width, h = sum->height;

  for (gint y = MAX (0, -dy); y < MIN (h, h - dy); y++)
    for (gint x = MAX (0, -dx); x < MIN (w, w - dx); x++)
      sum->values[(gsize) y * w + x] += frame->values[(gsize) (y + dy) * w + x + dx];
}

/* Open: between pixels the nearest counts (a mean of pixels would have less noise than sqrt (n) allows for); what lies outside a frame
 * counts as 0; of equal velocities the first, by rows of vy. */
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
