/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Histogram equalisation in double.  A plane of values v (R', G', B' each, or the luminance
 * Y' = sRGB curve of w . linear RGB) is counted in bins floor (v bins), clamped to
 * 0..bins - 1; NaN and pixels of alpha 0 are not counted; the latter are mapped like others.
 *
 *   global: m(b) = max (0, cdf(b) - cdf(b0)) / (n - cdf(b0)), b0 the first non-empty bin;
 *           fewer than two non-empty bins: unchanged
 *   CLAHE (Zuiderveld, Graphics Gems IV, 1994), clip-limit c > 0: in each of min (tiles, W) x
 *           min (tiles, H) tiles counts above max (1, c n / bins) are cut, the excess is spread
 *           evenly over all bins, once; m = cdf / n, (b + 1) / bins where n = 0; bilinear
 *           between the tile centres (first + last) / 2, constant outside them
 *   channels: v becomes m;  luminance: R', G', B' times m / Y', grey m where Y' is less than the smallest
 *   normal float
 *
 * Tolerance: none; scale is 0 and the whole bound is in slack, u = 2^-24:
 *   2 u, or 2e-6 with CLAHE; in luminance besides q |out|, q = e / (1 - e),
 *   e = 4e-6 + 8 u sum |w c| / |Y| (the specification's, to first order);
 *   the interval that m and the factor R'/Y' span while every pixel of the image, counted or
 *   mapped, may lie in any bin that it can reach: in channels those of v bins exactly and rounded
 *   to float, in luminance those of Y' (1 +- e) bins; both widened by the input's error.
 * So a pixel near a bin's edge gets the step between the two bins, not an infinite slack.
 * INFINITY: where it is open whether there are two non-empty bins, whether Y' <= 0, and where an
 * intermediate would overflow a float; everywhere if such a pixel holds an infinity too, because
 * Inf - Inf leaves it uncounted.
 *
 * A pixel whose v is NaN passes unchanged (luminance: all of it).  +Inf is in the last bin, -Inf
 * in the first; in luminance Inf m / Inf is NaN and finite m / Inf is 0, by the arithmetic.
 */
#include "equalize-samples.h"

#define GLOBAL_ERROR     (2.0 * UNIT_ROUNDOFF)
#define CLAHE_ERROR      2e-6

static double
stretch (double cdf, double first, double n)
{
  return n > first ? fmax (0.0, cdf - first) / (n - first) : 0.0;
}

/* The first (last) non-empty bin lies between the least and the most that the pixels can reach. */
static TableUse
build_global_table (const Plane *plane, Bin *bins, Estimate *table)
{
  int    n = count_pixels (plane, 0, 0, plane->image->width, plane->image->height, bins);
  int    first = 0, first_least = 0, first_most = 0, last_least = 0, last_most = 0;
  double c0_least, c0_most;

  if (n == 0)
    return TABLE_UNCHANGED;
  for (int b = plane->bins - 1; b >= 0; b--)
    {
      first = bins[b].cdf.value > 0.0 ? b : first;
      first_least = bins[b].cdf.high > 0.0 ? b : first_least;
      first_most = bins[b].cdf.low > 0.0 ? b : first_most;
      last_least = bins[b].cdf.high >= n ? b : last_least;
      last_most = bins[b].cdf.low >= n ? b : last_most;
    }
  if (first_least == last_most)
    return TABLE_UNCHANGED;
  if (last_least <= first_most)
    return TABLE_UNKNOWN;
  c0_least = first_least == first_most ? bins[first_most].cdf.low : 1.0;
  c0_most = bins[first_most].cdf.high;
  for (int b = 0; b < plane->bins; b++)
    {
      table[b].value = stretch (bins[b].cdf.value, bins[first].cdf.value, n);
      table[b].low = stretch (bins[b].cdf.low, c0_most, n);
      table[b].high = stretch (bins[b].cdf.high, c0_least, n);
    }
  return TABLE_MAPS;
}

static int
tile_start (int index, int size, int tiles)
{
  return (int) ((long long) index * size / tiles);
}

static double
tile_centre (int index, int size, int tiles)
{
  return (tile_start (index, size, tiles) + tile_start (index + 1, size, tiles) - 1) / 2.0;
}

/* cdf'(b) = P(b) + f E, P the sum of the clipped counts up to b, E = n - P(bins - 1) the excess,
 * f = (b + 1)/bins.  With X(b) the cut part of the counts up to b this is
 * cdf(b) - (1 - f) X(b) + f (X(bins - 1) - X(b)), in which each term has its bounds. */
static void
build_clahe_table (const Plane *plane, int column, int row, Estimate *table)
{
  Bin     *bins = ref_allocate (plane->bins, sizeof (Bin));
  int      n = count_pixels (plane, tile_start (column, plane->image->width, plane->tiles_x),
                             tile_start (row, plane->image->height, plane->tiles_y),
                             tile_start (column + 1, plane->image->width, plane->tiles_x),
                             tile_start (row + 1, plane->image->height, plane->tiles_y), bins);
  double   limit = fmax (1.0, plane->clip_limit * n / plane->bins), kept = 0.0, sum = 0.0;
  Estimate cut = { 0.0, 0.0, 0.0 }, all = { 0.0, 0.0, 0.0 };

  for (int b = 0; b < plane->bins; b++)
    {
      kept += fmin (bins[b].count, limit);
      all.low += bins[b].least - fmin (bins[b].least, limit);
      all.high += bins[b].most - fmin (bins[b].most, limit);
    }
  for (int b = 0; b < plane->bins; b++)
    {
      double f = (b + 1.0) / plane->bins;

      sum += fmin (bins[b].count, limit);
      cut.low += bins[b].least - fmin (bins[b].least, limit);
      cut.high += bins[b].most - fmin (bins[b].most, limit);
      table[b] = (Estimate) { sum + f * (n - kept),
                              bins[b].cdf.low - (1.0 - f) * cut.high + f * (all.low - cut.low),
                              bins[b].cdf.high - (1.0 - f) * cut.low + f * (all.high - cut.high) };
      table[b] = n == 0 ? (Estimate) { f, f, f }
                        : (Estimate) { table[b].value / n, table[b].low / n, table[b].high / n };
    }
  free (bins);
}

/* The tables of a row of tiles; the row before stays, the one before that makes room. */
static const Estimate *
tile_row (Plane *plane, int row)
{
  int slot = row & 1;

  for (int i = 0; i < plane->tiles_x && plane->rows[slot] != row; i++)
    build_clahe_table (plane, i, row, plane->tables[slot] + (size_t) i * plane->bins);
  plane->rows[slot] = row;
  return plane->tables[slot];
}

/* The tile whose centre is the last at or before the position, and the weight of the next. */
static void
find_tile (int position, int size, int tiles, int *tile, double *weight)
{
  int    i = 0;
  double centre;

  while (i + 1 < tiles && tile_centre (i + 1, size, tiles) <= position)
    i++;
  centre = tile_centre (i, size, tiles);
  *tile = i;
  *weight = 0.0;
  if (i + 1 < tiles && position > centre)
    *weight = (position - centre) / (tile_centre (i + 1, size, tiles) - centre);
}

static Estimate
map_sample (Plane *plane, int x, int y)
{
  const Sample *sample = &plane->samples[(size_t) y * plane->image->width + x];
  Estimate      m = { 0.0, 0.0, 0.0 };
  int           left, top;
  double        wx, wy;

  find_tile (x, plane->image->width, plane->tiles_x, &left, &wx);
  find_tile (y, plane->image->height, plane->tiles_y, &top, &wy);
  for (int j = 0; j < 2; j++)
    for (int i = 0; i < 2; i++)
      {
        double          weight = (i ? wx : 1.0 - wx) * (j ? wy : 1.0 - wy);
        const Estimate *table;

        if (weight == 0.0)
          continue;
        table = tile_row (plane, top + j) + (size_t) (left + i) * plane->bins;
        m.value += weight * table[sample->bin].value;
        m.low += weight * table[sample->low].low;
        m.high += weight * table[sample->high].high;
      }
  return m;
}

static void
open_plane (Plane *plane, int channel, int tiles)
{
  size_t total = (size_t) plane->image->width * plane->image->height;
  int    global = !(plane->clip_limit > 0.0);
  Bin   *bins = ref_allocate (plane->bins, sizeof (Bin));

  plane->channel = channel;
  plane->samples = ref_allocate (total, sizeof (Sample));
  for (size_t i = 0; i < total; i++)
    plane->samples[i] = make_sample (plane, plane->image->pixels + i * 4);
  plane->tiles_x = global ? 1 : tiles < plane->image->width ? tiles : plane->image->width;
  plane->tiles_y = global ? 1 : tiles < plane->image->height ? tiles : plane->image->height;
  for (int i = 0; i < 2; i++)
    plane->tables[i] = ref_allocate ((size_t) plane->bins * plane->tiles_x, sizeof (Estimate));
  plane->rows[0] = global ? 0 : -1;
  plane->rows[1] = -1;
  plane->use = global ? build_global_table (plane, bins, plane->tables[0]) : TABLE_MAPS;
  for (size_t i = 0; i < total; i++)
    if (plane->samples[i].counted && plane->samples[i].overflows && !isfinite (plane->samples[i].value))
      plane->use = TABLE_UNKNOWN;
  free (bins);
}

/* One component in luminance mode: value times m / Y', or m. */
static void
scale_component (const Plane *plane, const Sample *sample, Estimate m, double value,
                 double *out, double *slack)
{
  double luma = sample->value, low = luma - sample->deviation, relative, factor, high;

  if (luma < FLT_MIN)
    {
      *out = m.value;
      *slack += fmax (m.high - m.value, m.value - m.low);
    }
  else
    {
      *out = value * (m.value / luma);
      if (!isfinite (luma) || !isfinite (value))
        return;
      factor = fabs (value) / luma;
      high = fmax (m.high, m.value);
      relative = low >= FLT_MIN ? sample->deviation / low + plane->image->error : 0.0;
      *slack += factor * (fmax (m.high - m.value, m.value - m.low) + relative * high);
      if (factor > OVERFLOW_LIMIT)
        *slack = INFINITY;
    }
  if (low < FLT_MIN && luma + sample->deviation >= FLT_MIN)
    *slack = INFINITY;
}

static void
store_component (Plane *plane, int x, int y, int c, RefResult *result, size_t at)
{
  size_t        from = (size_t) y * plane->image->width + x;
  const Sample *sample = &plane->samples[from];
  double        value = plane->image->pixels[from * 4 + c];
  double       *out = &result->out[at + c], *slack = &result->slack[at + c];
  Estimate      m;

  result->scale[at + c] = 0.0;
  *out = value;
  *slack = isfinite (value) ? plane->image->error * fabs (value) : 0.0;
  if (c == 3 || isnan (sample->value) || plane->use == TABLE_UNCHANGED)
    return;
  if (plane->use == TABLE_UNKNOWN)
    {
      *slack = INFINITY;
      return;
    }
  m = map_sample (plane, x, y);
  *slack = DENORMAL_SLACK + (plane->clip_limit > 0.0 ? CLAHE_ERROR : GLOBAL_ERROR);
  if (plane->channels)
    {
      *out = m.value;
      *slack += fmax (m.high - m.value, m.value - m.low);
    }
  else
    scale_component (plane, sample, m, value, out, slack);
  if (sample->overflows)
    *slack = INFINITY;
}

void
reference_equalize (const RefImage *image, int channels, int bins, double clip_limit, int tiles,
                    const double weights[3], RefResult *result)
{
  Plane plane = { .image = image, .weights = weights, .channels = channels, .bins = bins,
                  .clip_limit = clip_limit };

  for (int p = 0; p < (channels ? 3 : 1); p++)
    {
      open_plane (&plane, p, tiles);
      for (int row = 0; row < result->height; row++)
        for (int column = 0; column < result->width; column++)
          {
            size_t at = ((size_t) row * result->width + column) * 4;

            for (int c = 0; c < 4; c++)
              if (!channels || c == p || c == 3)
                store_component (&plane, result->x + column, result->y + row, c, result, at);
          }
      free (plane.samples);
      free (plane.tables[0]);
      free (plane.tables[1]);
    }
}
