/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matched filter and maxima; see detect.h.
 *
 * The filter is separable: sums along x, then along y, from the first tap to the last.
 */
#include "detect.h"

#include <math.h>
#include <string.h>

#include <gegl.h>

#include "alarms.h"
#include "median.h"
#include "tessera.h"

#define FWHM_TO_SIGMA 2.3548
#define GLARE         3.0        /* a tenth of the ratio from which on light reaches beyond the filter */
#define NOISE         2.5f       /* what is above it tells of the noise, ... */
#define FEW           16         /* ... but the highest ones may be objects: so many, ... */
#define APART         23         /* pixels of which one is looked at, for how wide the noise is */
#define MANY          2500       /* ... or one in so many pixels */

typedef struct
{
  const CountPlane *plane;
  CountPlane       *filtered;
  gfloat           *taps;       /* 2 reach + 1 */
  gint              reach;
} Matched;

static gint
find_reach (gdouble fwhm)
{
  return (gint) ceil (3.0 * fwhm / FWHM_TO_SIGMA);
}

/* exp (-i^2 / 2 s^2). */
static gdouble
star (gdouble fwhm, gint i)
{
  const gdouble s = fwhm / FWHM_TO_SIGMA;

  return tessera_exp (-0.5 * i * i / (s * s));
}

static void
taps_init (Matched *m, gdouble fwhm)
{
  gdouble squares = 0.0;

  m->reach = find_reach (fwhm);
  m->taps = g_new (gfloat, 2 * m->reach + 1);
  for (gint i = -m->reach; i <= m->reach; i++)
    squares += star (fwhm, i) * star (fwhm, i);
  for (gint i = -m->reach; i <= m->reach; i++)
    m->taps[i + m->reach] = (gfloat) (star (fwhm, i) / sqrt (squares));
}

TESSERA_CLONES static void
add_scaled (gfloat *restrict sum, const gfloat *restrict row, gfloat tap, gint n)
{
  for (gint i = 0; i < n; i++)
    sum[i] += tap * row[i];
}

/* Sums along x of row y of the plane; 0 beyond it.  `padded` has room for the reach on both sides, which is 0. */
static void
filter_row (const Matched *m, gint y, gfloat *padded, gfloat *sums)
{
  const gint width = m->plane->width;

  memset (sums, 0, sizeof (gfloat) * width);
  if (y < 0 || y >= m->plane->height)
    return;
  for (gint x = 0; x < width; x++)
    {
      const gfloat value = m->plane->pixels[(gsize) y * width + x];

      padded[m->reach + x] = isnan (value) ? 0.0f : value;
    }
  for (gint i = 0; i <= 2 * m->reach; i++)
    add_scaled (sums, padded + i, m->taps[i], width);
}

/* `rows` is a ring of the 2 reach + 1 rows around a result row. */
static void
filter_rows (gsize first, gsize n, gpointer data)
{
  const Matched *m = data;
  const gint     width = m->plane->width, n_taps = 2 * m->reach + 1;
  g_autofree gfloat *padded = g_new0 (gfloat, width + 2 * m->reach), *rows = g_new (gfloat, (gsize) n_taps * width);

  for (gint y = (gint) first - m->reach; y < (gint) (first + n) + m->reach; y++)
    {
      const gint    to = y - m->reach;
      const gfloat *plane;
      gfloat       *result;

      filter_row (m, y, padded, rows + (gsize) ((y + n_taps) % n_taps) * width);
      if (to < (gint) first)
        continue;
      plane = m->plane->pixels + (gsize) to * width;
      result = m->filtered->pixels + (gsize) to * width;
      memset (result, 0, sizeof (gfloat) * width);
      for (gint i = 0; i < n_taps; i++)
        add_scaled (result, rows + (gsize) ((to - m->reach + i + n_taps) % n_taps) * width, m->taps[i], width);
      for (gint x = 0; x < width; x++)
        result[x] = isnan (plane[x]) ? NAN : result[x];
    }
}

void
detect_filter (const CountPlane *plane, gdouble fwhm, CountPlane *filtered)
{
  Matched m = { .plane = plane, .filtered = filtered };

  taps_init (&m, fwhm);
  tessera_spread_range (plane->height, MAX (64.0 * 64.0 / plane->width, 4.0 * m.reach), filter_rows, &m);
  g_free (m.taps);
}

typedef struct
{
  const CountPlane *plane;
  gfloat            threshold;
  guint8           *rows;
} Looking;

TESSERA_CLONES static gboolean
is_above (const gfloat *restrict row, gint n, gfloat threshold)
{
  gint any = 0;

  for (gint i = 0; i < n; i++)
    any |= row[i] > threshold;
  return any;
}

static void
look_at_rows (gsize first, gsize n, gpointer data)
{
  const Looking *l = data;

  for (gsize y = first; y < first + n; y++)
    l->rows[y] = is_above (l->plane->pixels + y * l->plane->width, l->plane->width, l->threshold);
}

guint8 *
detect_rows_above (const CountPlane *plane, gfloat threshold)
{
  Looking l = { plane, threshold, g_new (guint8, plane->height) };

  tessera_spread_range (plane->height, 64.0 * 64.0 / plane->width, look_at_rows, &l);
  return l.rows;
}

/* NaN is no maximum, and lower than any; times the sign. */
static gboolean
is_maximum (const CountPlane *plane, gint x, gint y, gfloat sign)
{
  const gfloat value = sign * plane->pixels[(gsize) y * plane->width + x];

  for (gint i = 0; i < 9; i++)
    {
      const gfloat other = sign * plane->pixels[(gsize) (y + i / 3 - 1) * plane->width + x + i % 3 - 1];

      if (i < 4 ? other >= value : other > value)
        return FALSE;
    }
  return TRUE;
}

/* Where a parabola through three values has its top, from the middle one. */
static gdouble
top_of (gfloat low, gfloat middle, gfloat high)
{
  const gdouble bend = (gdouble) low - 2.0 * middle + high, top = 0.5 * ((gdouble) low - high) / bend;

  return bend < 0.0 ? CLAMP (top, -0.5, 0.5) : 0.0;
}

GArray *
detect_maxima (const CountPlane *filtered, gfloat threshold)
{
  const gint width = filtered->width;
  GArray    *found = g_array_new (FALSE, FALSE, sizeof (Detection));
  g_autofree guint8 *rows = detect_rows_above (filtered, threshold);

  for (gint y = DETECT_BORDER; y < filtered->height - DETECT_BORDER; y++)
    for (gint x = DETECT_BORDER; x < width - DETECT_BORDER && rows[y]; x++)
      {
        const gfloat *at = filtered->pixels + (gsize) y * width + x;

        if (*at > threshold && is_maximum (filtered, x, y, 1.0f))
          {
            const Detection detection = { x, y, x + top_of (at[-1], at[0], at[1]), y + top_of (at[-width], at[0], at[width]),
                                          *at };

            g_array_append_val (found, detection);
          }
      }
  return found;
}

gdouble
detect_reach (gdouble weaker, gdouble stronger)
{
  return DETECT_NEAR * MAX (1.0, log10 (stronger / weaker / GLARE));
}

static gboolean
is_wing (const Detection *of, const Detection *other)
{
  const gdouble reach = detect_reach (of->value, other->value);

  return reach > DETECT_NEAR && fabs (of->fine_x - other->fine_x) <= reach && fabs (of->fine_y - other->fine_y) <= reach;
}

/* Those that are strong enough for the weakest to be a wing of theirs: a night has many detections, and few of these. */
static GArray *
glaring (const GArray *found)
{
  GArray *strong  = g_array_new (FALSE, FALSE, sizeof (Detection));
  gdouble weakest = G_MAXDOUBLE;

  for (guint i = 0; i < found->len; i++)
    weakest = MIN (weakest, g_array_index (found, Detection, i).value);
  for (guint i = 0; i < found->len; i++)
    if (detect_reach (weakest, g_array_index (found, Detection, i).value) > DETECT_NEAR)
      g_array_append_val (strong, g_array_index (found, Detection, i));
  return strong;
}

void
detect_drop_wings (GArray *found)
{
  g_autoptr (GArray) strong = glaring (found);
  guint              n_left = 0;

  for (guint i = 0; i < found->len; i++)
    {
      const Detection of       = g_array_index (found, Detection, i);
      gboolean        is_alone = TRUE;

      for (guint k = 0; k < strong->len && is_alone; k++)
        is_alone = ! is_wing (&of, &g_array_index (strong, Detection, k));
      if (is_alone)
        g_array_index (found, Detection, n_left++) = of;
    }
  g_array_set_size (found, n_left);
}

/* Those beyond NOISE, times the sign: the first is of what is bright, the other of what is dark. */
static void
find_extrema (const CountPlane *plane, const CountPlane *filtered, GArray *const sides[2])
{
  for (gint y = DETECT_BORDER; y < filtered->height - DETECT_BORDER; y++)
    for (gint x = DETECT_BORDER; x < filtered->width - DETECT_BORDER; x++)
      {
        const gfloat    value = filtered->pixels[(gsize) y * filtered->width + x], size = fabsf (value);
        const Detection found = { .x = x, .y = y, .value = value };

        if (size > NOISE && is_maximum (filtered, x, y, value > 0.0f ? 1.0f : -1.0f) && ! detect_is_ray (plane, &found))
          g_array_append_val (sides[value < 0.0f], size);
      }
}

gfloat
detect_noise_threshold (const CountPlane *plane, const CountPlane *filtered, gdouble false_alarms)
{
  const gsize  n_pixels = (gsize) filtered->width * filtered->height;
  GArray      *sides[2];
  gfloat       thresholds[2];

  for (gint i = 0; i < 2; i++)
    sides[i] = g_array_new (FALSE, FALSE, sizeof (gfloat));
  find_extrema (plane, filtered, sides);
  for (gint i = 0; i < 2; i++)
    {
      thresholds[i] = alarms_threshold ((gfloat *) sides[i]->data, sides[i]->len, MAX (FEW, n_pixels / MANY), n_pixels, false_alarms);
      g_array_free (sides[i], TRUE);
    }
  return MAX (thresholds[0], thresholds[1]);
}

gfloat
detect_trail_threshold (const CountPlane *filtered, gdouble false_alarms)
{
  const gsize n_pixels = (gsize) filtered->width * filtered->height;
  g_autofree gfloat *values = g_new (gfloat, n_pixels / APART + 1);
  gsize       n = 0;

  for (gsize i = 0; i < n_pixels; i += APART)
    if (! isnan (filtered->pixels[i]))
      values[n++] = fabsf (filtered->pixels[i]);
  return (gfloat) (alarms_normal (MIN (false_alarms / n_pixels, 0.5)) * MAX (n > 0 ? 1.4826 * median_of (values, n) : 1.0, 1.0));
}

gdouble
detect_flux (const CountPlane *whitened, gint x, gint y, gdouble fwhm)
{
  const gint reach = find_reach (fwhm);
  gdouble    total = 0.0, product = 0.0, squares = 0.0;

  for (gint j = -reach; j <= reach; j++)
    for (gint i = -reach; i <= reach; i++)
      {
        const gdouble p = star (fwhm, i) * star (fwhm, j);

        total += p;
        if (x + i >= 0 && x + i < whitened->width && y + j >= 0 && y + j < whitened->height)
          {
            const gfloat value = whitened->pixels[(gsize) (y + j) * whitened->width + x + i];

            product += isnan (value) ? 0.0 : p * value;
            squares += isnan (value) ? 0.0 : p * p;
          }
      }
  return squares > 0.0 ? product * total / squares : 0.0;
}
