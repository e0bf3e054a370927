/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bad pixels: see shift.h.
 *
 * Beyond the edge the nearest pixel counts.  A pixel that is not finite, or saturated, counts as 0 in the medians.
 */
#include "config.h"

#include "shift-parts.h"

#include <float.h>
#include <string.h>

#include "../../opencl/math/tessera-median-networks.h"

#define HOT_SIGMA  8.0
#define PER_MEDIAN 1.4826       /* standard deviation of a Gaussian / median of the magnitudes */

typedef struct
{
  const CountPlane *plane;
  gfloat            saturation;
  gfloat           *clean, *medians;
  guint8           *bad;
  gfloat            threshold;
} Judging;

TESSERA_CLONES static void
clean_row (const gfloat *restrict pixels, gint n, gfloat saturation, gfloat *restrict clean, guint8 *restrict bad)
{
  for (gint i = 0; i < n; i++)
    {
      const gint is_good = (tessera_abs (pixels[i]) <= FLT_MAX) & (pixels[i] < saturation);

      clean[i] = is_good ? pixels[i] : 0.0f;
      bad[i] = ! is_good;
    }
}

static void
clean_rows (gsize first, gsize n, gpointer data)
{
  const Judging *j = data;
  const gint     width = j->plane->width;

  for (gsize y = first; y < first + n; y++)
    clean_row (j->plane->pixels + y * width, width, j->saturation, j->clean + y * width, j->bad + y * width);
}

#define SWAP(a, b) \
  { \
    const gfloat less = v[a] < v[b] ? v[a] : v[b], more = v[a] < v[b] ? v[b] : v[a]; \
    v[a] = less; \
    v[b] = more; \
  }

/* `n` columns of 5, each sorted; the rows lie `n` apart. */
TESSERA_CLONES static void
sort_columns (const gfloat *const rows[5], gint n, gfloat *restrict sorted)
{
  const gfloat *r0 = rows[0], *r1 = rows[1], *r2 = rows[2], *r3 = rows[3], *r4 = rows[4];

  for (gint i = 0; i < n; i++)
    {
      gfloat v[5] = { r0[i], r1[i], r2[i], r3[i], r4[i] };

      MEDIAN_SORT_5 (SWAP)
      sorted[i] = v[0];
      sorted[i + n] = v[1];
      sorted[i + 2 * n] = v[2];
      sorted[i + 3 * n] = v[3];
      sorted[i + 4 * n] = v[4];
    }
}

#define LOAD(k) v[5 * k] = s[k * stride + i]; v[5 * k + 1] = s[k * stride + i + 1]; v[5 * k + 2] = s[k * stride + i + 2]; \
  v[5 * k + 3] = s[k * stride + i + 3]; v[5 * k + 4] = s[k * stride + i + 4];

TESSERA_CLONES static void
take_medians (const gfloat *restrict s, gint stride, gint n, gfloat *restrict medians)
{
  for (gint i = 0; i < n; i++)
    {
      gfloat v[25];

      LOAD (0) LOAD (1) LOAD (2) LOAD (3) LOAD (4)
      MEDIAN_25 (SWAP)
      medians[i] = v[MEDIAN_PLACE_25];
    }
}

static void
make_medians (gsize first, gsize n, gpointer data)
{
  const Judging *j = data;
  const gint     width = j->plane->width, height = j->plane->height, stride = width + 4;
  g_autofree gfloat *sorted = g_new (gfloat, 5 * stride);

  for (gsize y = first; y < first + n; y++)
    {
      const gfloat *rows[5];

      for (gint k = 0; k < 5; k++)
        rows[k] = j->clean + (gsize) CLAMP ((gint) y + k - 2, 0, height - 1) * width;
      sort_columns (rows, width, sorted);
      /* Two more columns at each end. */
      for (gint k = 4; k >= 0; k--)
        {
          gfloat *to = sorted + k * stride + 2;

          memmove (to, sorted + k * width, width * sizeof (gfloat));
          to[-2] = to[-1] = to[0];
          to[width] = to[width + 1] = to[width - 1];
        }
      take_medians (sorted, stride, width, j->medians + y * width);
    }
}

TESSERA_CLONES static void
excess_row (const gfloat *restrict clean, const gfloat *restrict medians, const guint8 *restrict bad, gint n, gfloat *restrict values)
{
  const gfloat none = SHIFT_NO_VALUE;

  for (gint x = 0; x < n; x++)
    {
      const gfloat excess = tessera_abs (clean[x] - medians[x]);

      values[x] = bad[x] ? none : excess;
    }
}

static gint
take_excesses (gconstpointer data, gint row, gfloat *values)
{
  const Judging *j = data;
  const gint     width = j->plane->width;
  const gsize    begin = (gsize) row * width;

  excess_row (j->clean + begin, j->medians + begin, j->bad + begin, width, values);
  return width;
}

gfloat
shift_hot_threshold (gdouble median)
{
  return (gfloat) (HOT_SIGMA * PER_MEDIAN * median);
}

TESSERA_CLONES static void
find_hot (const gfloat *restrict above, const gfloat *restrict here, const gfloat *restrict below, const gfloat *restrict medians,
          gint from, gint to, gint left, gint right, gfloat threshold, guint8 *restrict bad)
{
  for (gint x = from; x < to; x++)
    bad[x] |= shift_is_hot (here[x], medians[x], threshold, above[x], here[x + left], here[x + right], below[x]);
}

/* A neighbour beyond the edge would be the pixel itself, so the one across takes its place. */
static void
judge_rows (gsize first, gsize n, gpointer data)
{
  const Judging *j = data;
  const gint     width = j->plane->width, height = j->plane->height;

  for (gsize y = first; y < first + n && width > 1 && height > 1; y++)
    {
      const gfloat *here = j->clean + y * width;
      const gfloat *above = y > 0 ? here - width : here + width, *below = y + 1 < (gsize) height ? here + width : here - width;
      const gfloat *medians = j->medians + y * width;
      guint8       *bad = j->bad + y * width;

      find_hot (above, here, below, medians, 0, 1, 1, 1, j->threshold, bad);
      find_hot (above, here, below, medians, 1, width - 1, -1, 1, j->threshold, bad);
      find_hot (above, here, below, medians, width - 1, width, -1, -1, j->threshold, bad);
    }
}

/* `clean`: with 0 for pixels that are bad for another reason than heat. */
static void
find_bad (const CountPlane *plane, gfloat saturation, gboolean reject_hot, gfloat *clean, guint8 *bad)
{
  const gsize   pixels = (gsize) plane->width * plane->height;
  const gdouble cost = SHIFT_ROW_COST (plane->width);
  Judging       j = { .plane = plane, .saturation = saturation, .clean = clean, .bad = bad };

  tessera_spread_range (plane->height, cost, clean_rows, &j);
  if (! reject_hot)
    return;
  j.medians = tessera_large_new (pixels * sizeof (gfloat));
  tessera_spread_range (plane->height, cost / 4, make_medians, &j);
  j.threshold = shift_hot_threshold (shift_median (take_excesses, &j, plane->height, plane->width));
  tessera_spread_range (plane->height, cost, judge_rows, &j);
  tessera_large_free (j.medians);
}

void
shift_bad_pixels (const CountPlane *plane, gfloat saturation, gboolean reject_hot, guint8 *bad)
{
  gfloat *clean = tessera_large_new ((gsize) plane->width * plane->height * sizeof (gfloat));

  find_bad (plane, saturation, reject_hot, clean, bad);
  tessera_large_free (clean);
}

void
shift_clean (const CountPlane *plane, const ShiftSettings *settings, gfloat *clean, guint8 *bad)
{
  const gsize pixels = (gsize) plane->width * plane->height;

  find_bad (plane, settings->saturation, settings->reject_hot, clean, bad);
  for (gsize i = 0; i < pixels; i++)
    clean[i] = bad[i] ? 0.0f : clean[i];
}
