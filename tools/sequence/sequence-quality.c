/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How good a frame is: stars, seeing, sky and transparency, by the stars of its reference.
 *
 * The seeing of a star is the curvature of the logarithm of its three middle pixels on each axis, which is that of a Gaussian wherever in a
 * pixel its middle is; a pixel's own width is taken from it.  Light is kept as its binary logarithm, rounded to 1/1024, so that
 * sums along a chain of references are exact whoever adds them. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "median.h"

#define FEWEST   5              /* stars that say something */
#define DARKEST  0.25           /* of a star's light in the reference: less is no star */
#define STEPS    1024.0         /* of a logarithm */
#define SAMPLES  65536          /* pixels of which the sky is the median, about */
#define SIGMAS   2.3548         /* of a full width at half maximum */
#define PIXEL    (1.0 / 12.0)   /* variance of a pixel's own width */
#define HALO     0.1            /* of a star's light, ... */
#define WIDER    2.5            /* ... in a Gaussian that is so many times wider */

/* ------------------------------------------------------------------- planes -- */

/* Of pixels that have a number, far apart from one another in rows of any width. */
static GArray *
samples_of (const CountPlane *plane)
{
  const gsize n = (gsize) plane->width * plane->height, step = MAX (n / SAMPLES, 1) | 1;
  GArray     *samples = g_array_sized_new (FALSE, FALSE, sizeof (gfloat), (guint) (n / step + 1));

  for (gsize i = 0; i < n; i += step)
    if (isfinite (plane->pixels[i]))
      g_array_append_val (samples, plane->pixels[i]);
  return samples;
}

gdouble
quality_noise (const CountPlane *plane)
{
  g_autoptr (GArray) samples = samples_of (plane);
  gfloat            *values = (gfloat *) (gpointer) samples->data;
  const gfloat       middle = median_of (values, samples->len);

  for (guint i = 0; i < samples->len; i++)
    values[i] = fabsf (values[i] - middle);
  return 1.4826 * median_of (values, samples->len);
}

/* -------------------------------------------------------------------- stars -- */

/* The curvature along one axis; NaN: there is no top. */
static gdouble
curvature (gdouble before, gdouble top, gdouble after)
{
  return before > 0.0 && after > 0.0 && top > before && top > after ? 2.0 * log (top) - log (before) - log (after) : NAN;
}

/* In pixels; NaN: the star has no top at this pixel. */
static gfloat
width_of_star (const CountPlane *plane, gint x, gint y)
{
  const gdouble under = light_rim (plane, x, y);
  const gsize   at = (gsize) y * plane->width + x;
  const gfloat *pixels = plane->pixels;
  gdouble       across, down;

  if (! isfinite (under))
    return NAN;
  across = curvature (pixels[at - 1] - under, pixels[at] - under, pixels[at + 1] - under);
  down = curvature (pixels[at - plane->width] - under, pixels[at] - under, pixels[at + plane->width] - under);
  return (gfloat) (SIGMAS * sqrt (MAX (2.0 / (across + down) - PIXEL, 0.0)));
}

/* Of nine pixels the brightest. */
static void
to_top (const CountPlane *plane, gint *x, gint *y)
{
  const gint middle_x = *x, middle_y = *y;

  for (gint i = 0; i < 9; i++)
    {
      const gint at_x = middle_x + i % 3 - 1, at_y = middle_y + i / 3 - 1;

      if (plane->pixels[(gsize) at_y * plane->width + at_x] > plane->pixels[(gsize) *y * plane->width + *x])
        {
          *x = at_x;
          *y = at_y;
        }
    }
}

static gfloat
median_or_none (const GArray *values)
{
  return values->len >= FEWEST ? median_of ((const gfloat *) (gconstpointer) values->data, values->len) : NAN;
}

static void
add_star (const CountPlane *plane, const LightStar *star, gint x, gint y, GArray *parts, GArray *widths)
{
  const gfloat part = (gfloat) (light_at (plane, x, y) / star->light);
  gfloat       width;

  if (! (part > DARKEST))
    return;
  g_array_append_val (parts, part);
  to_top (plane, &x, &y);
  width = width_of_star (plane, x, y);
  if (isfinite (width))
    g_array_append_val (widths, width);
}

/* The part of a Gaussian's light that is in a square. */
static gdouble
within (gdouble side, gdouble sigma)
{
  const gdouble part = erf (side / 2.0 / (sigma * G_SQRT2));

  return part * part;
}

/* What light_at has of a Gaussian's. */
static gdouble
caught (gdouble sigma)
{
  return within (5.0, sigma) - 25.0 / 32.0 * (within (9.0, sigma) - within (7.0, sigma));
}

/* Wider stars lie less in the pixels whose light is added. */
static gdouble
part_of_star (gdouble seeing)
{
  const gdouble sigma = sqrt (seeing * seeing / (SIGMAS * SIGMAS) + PIXEL);

  return isfinite (seeing) ? (1.0 - HALO) * caught (sigma) + HALO * caught (WIDER * sigma) : 1.0;
}

Quality
quality_of (const Key *key, const CountPlane *plane, const Shift *found)
{
  g_autoptr (GArray) parts = g_array_new (FALSE, FALSE, sizeof (gfloat)), widths = g_array_new (FALSE, FALSE, sizeof (gfloat));
  g_autoptr (GArray) samples = samples_of (plane);
  gdouble            seeing;

  for (guint i = 0; i < key->stars->len && found->ok; i++)
    {
      const LightStar *star = &g_array_index (key->stars, LightStar, i);

      add_star (plane, star, star->x + (gint) floor (found->x + 0.5), star->y + (gint) floor (found->y + 0.5), parts, widths);
    }
  seeing = median_or_none (widths);
  return (Quality) { .stars = (gint) parts->len, .seeing = seeing,
                     .sky = median_of ((const gfloat *) (gconstpointer) samples->data, samples->len),
                     .light = floor (log2 (median_or_none (parts) * part_of_star (key->seeing) / part_of_star (seeing)) * STEPS + 0.5) / STEPS, .noise = NAN, .transparency = NAN };
}

/* --------------------------------------------------------------------- cut -- */

gchar *
quality_fault (const QualityCut *cut, const Quality *quality)
{
  const gdouble light = exp2 (quality->light);

  return quality->stars < cut->least_stars      ? g_strdup_printf ("--quality: it has %d stars", quality->stars)
         : isfinite (cut->most_seeing) && isnan (quality->seeing) ? g_strdup_printf ("--quality: its seeing is not known: it shows %d stars, fewer than %d with a width", quality->stars, FEWEST)
         : isfinite (cut->least_light) && isnan (light) ? g_strdup_printf ("--quality: its transparency is not known: it shows %d stars, fewer than %d", quality->stars, FEWEST)
         : quality->seeing > cut->most_seeing   ? g_strdup_printf ("--quality: its seeing is %.2f px", quality->seeing)
         : quality->sky > cut->most_sky         ? g_strdup_printf ("--quality: its sky has %.1f counts", quality->sky)
         : light < cut->least_light             ? g_strdup_printf ("--quality: it has %.0f %% of the light of its reference", 100.0 * light)
                                                : NULL;
}

gboolean
quality_parse (const gchar *text, QualityCut *cut)
{
  static const gchar *const names[] = { "stars>=", "seeing<=", "sky<=", "transparency>=" };
  gdouble *const            limits[] = { &cut->least_stars, &cut->most_seeing, &cut->most_sky, &cut->least_light };
  g_auto (GStrv)            words = g_strsplit (text ? text : "", ",", -1);
  gboolean                  is_good = TRUE;

  *cut = (QualityCut) { -INFINITY, INFINITY, INFINITY, -INFINITY };
  for (gchar **word = words; *word && is_good; word++)
    {
      guint  i = 0;
      gchar *end = NULL;

      while (i < G_N_ELEMENTS (names) && ! g_str_has_prefix (*word, names[i]))
        i++;
      is_good = i < G_N_ELEMENTS (names);
      if (is_good)
        *limits[i] = g_ascii_strtod (*word + strlen (names[i]), &end);
      is_good = is_good && end > *word + strlen (names[i]) && ! *end && isfinite (*limits[i]);
    }
  return is_good;
}

/* ------------------------------------------------------------------- tables -- */

static gboolean
is_shown (const FrameRow *row, gint chain)
{
  return row->chain == chain && row_is_used (row) && isfinite (row->quality.light);
}

/* From the frame `first` on, all of one chain. */
static void
set_transparency (GArray *rows, guint first, guint end)
{
  const gint         chain = g_array_index (rows, FrameRow, first).chain;
  g_autoptr (GArray) lights = g_array_new (FALSE, FALSE, sizeof (gfloat));
  gfloat             middle;

  for (guint i = first; i < end; i++)
    if (is_shown (&g_array_index (rows, FrameRow, i), chain))
      g_array_append_vals (lights, &(gfloat) { (gfloat) g_array_index (rows, FrameRow, i).quality.light }, 1);
  middle = median_of ((const gfloat *) (gconstpointer) lights->data, lights->len);
  for (guint i = first; i < end; i++)
    {
      Quality *quality = &g_array_index (rows, FrameRow, i).quality;

      quality->transparency = exp2 (quality->light - middle);
    }
}

void
tables_judge (Tables *tables)
{
  const GArray *rows = tables->frames;

  for (guint first = 0, end; first < rows->len; first = end)
    {
      for (end = first + 1; end < rows->len && g_array_index (rows, FrameRow, end).chain == g_array_index (rows, FrameRow, first).chain; end++)
        ;
      set_transparency (tables->frames, first, end);
    }
}
