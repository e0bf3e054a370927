/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Formulas as a textbook has them, compiled as everything here is, on all threads: what
 * a filter is worth beside the obvious loop.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

typedef struct
{
  const gfloat *from;
  gfloat       *to;
} Arrays;

static gfloat
linear (gfloat c)
{
  return c <= 0.04045f ? c / 12.92f : powf ((c + 0.055f) / 1.055f, 2.4f);
}

static gfloat
toe_or_root (gfloat t)
{
  return t > 216.0f / 24389.0f ? cbrtf (t) : 841.0f / 108.0f * t + 4.0f / 29.0f;
}

/* sRGB to CIELAB, V. Oliveira, MSc thesis, 2013, chapter 4.1. */
static void
cielab (gsize first, gsize n, gpointer data)
{
  const Arrays *arrays = data;

  for (gsize i = first; i < first + n; i++)
    {
      const gfloat *from = arrays->from + 4 * i;
      gfloat       *to = arrays->to + 4 * i;
      const gfloat  r = linear (from[0]), g = linear (from[1]), b = linear (from[2]);
      const gfloat  x = toe_or_root ((0.4124f * r + 0.3576f * g + 0.1805f * b) / 0.95047f);
      const gfloat  y = toe_or_root (0.2126f * r + 0.7152f * g + 0.0722f * b);
      const gfloat  z = toe_or_root ((0.0193f * r + 0.1192f * g + 0.9505f * b) / 1.08883f);

      to[0] = 116.0f * y - 16.0f;
      to[1] = 500.0f * (x - y);
      to[2] = 200.0f * (y - z);
      to[3] = from[3];
    }
}

gdouble
bench_formula_run (const gchar *what, const gfloat *pixels, gint width, gint height)
{
  const gsize n = (gsize) width * height;
  Arrays      arrays = { pixels, g_new (gfloat, 4 * n) };
  gint64      began, ended;

  memset (arrays.to, 1, 4 * n * sizeof *arrays.to);     /* its pages are there */
  began = g_get_monotonic_time ();
  if (strcmp (what, "formula cielab") == 0)
    gegl_parallel_distribute_range (n, 4096.0, cielab, &arrays);
  else
    began = g_get_monotonic_time () + G_TIME_SPAN_DAY;
  ended = g_get_monotonic_time ();
  g_free (arrays.to);
  return (ended - began) / 1e3;
}
