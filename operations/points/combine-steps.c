/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How far apart two values of 8 bits are, as light: see combine.h. */
#include "combine.h"

#include <math.h>

#define LEVELS 256
#define REACH  4                /* levels above a value, whose steps are averaged */

/* A byte each; of palettes, and of inks, what they stand for is shown as if it were R'G'B'. */
static const Babl *
of_bytes (const Babl *format)
{
  const gint n = babl_format_get_n_components (format), colors = n - babl_format_has_alpha (format);

  if (babl_format_is_palette (format))
    return babl_format ("R'G'B' u8");
  if (babl_format_get_bytes_per_pixel (format) != n)
    return NULL;
  return colors == 1 || colors == 3 ? format : babl_format_with_space ("R'G'B' u8", format);
}

/* The light of each level of grey. */
static void
light_levels (const Babl *format, const Babl *light, gfloat levels[LEVELS])
{
  const gint        n = babl_format_get_n_components (format);
  g_autofree guint8 *greys = g_malloc ((gsize) LEVELS * (gsize) n);
  gfloat            colors[LEVELS][3];

  for (gint i = 0; i < LEVELS * n; i++)
    greys[i] = babl_format_has_alpha (format) && i % n == n - 1 ? G_MAXUINT8 : (guint8) (i / n);
  babl_process (babl_fish (format, light), greys, colors, LEVELS);
  for (gint k = 0; k < LEVELS; k++)
    levels[k] = colors[k][1];
}

/* The larger one of what is there and of that format's, for each square root of light. */
static void
add_steps (const gfloat levels[LEVELS], CombineSteps *steps)
{
  gint k = 0;

  for (gint i = 0; i <= COMBINE_ROOTS; i++)
    {
      const gfloat root = (gfloat) i / COMBINE_ROOTS;
      gfloat       step;

      while (k < LEVELS - 1 - REACH && levels[k + 1] <= root * root)
        k++;
      step = (levels[k + REACH] - levels[k]) / REACH;
      if (isfinite (step))
        steps->of[i] = MAX (steps->of[i], step);
    }
}

gboolean
combine_steps (const Babl *const *formats, gint n, const Babl *space, CombineSteps *steps)
{
  const Babl *light = babl_format_with_space ("RGB float", space), *last = NULL;
  gfloat      levels[LEVELS];

  *steps = (CombineSteps) { { 0 } };
  for (gint i = 0; i < n; i++)
    {
      const Babl *bytes = of_bytes (formats[i]);

      if (! bytes || bytes == last)
        continue;
      light_levels (bytes, light, levels);
      add_steps (levels, steps);
      last = bytes;
    }
  return last != NULL;
}
