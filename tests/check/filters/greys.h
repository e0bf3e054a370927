/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Greys of a small picture, what C makes of them, and promises about that. */
#ifndef GREYS_H
#define GREYS_H

#include "check.h"

typedef struct
{
  gint    width, height;
  gfloat *before, *after;
} Greys;

static inline Greys
greys_new (gint width, gint height)
{
  return (Greys) { width, height, g_new (gfloat, width * height), g_new0 (gfloat, width * height) };
}

static inline void
greys_clear (Greys *greys)
{
  g_free (greys->before);
  g_free (greys->after);
}

/* With these values of the filter's properties. */
static inline void
greys_run (const CheckOptions *options, const CheckFilter *filter, const gdouble *values, Greys *greys, GString *why)
{
  const gint    n = greys->width * greys->height;
  CheckCase     c = { .content_seed = options->seed };
  GeglRectangle roi = { 0, 0, greys->width, greys->height };
  CheckPixels   result = { 0 };
  CheckSource  *source;
  gfloat       *pixels = g_new (gfloat, 4 * n);

  memcpy (c.value, values, filter->n_properties * sizeof *values);
  c.field[CHECK_WIDTH] = greys->width;
  c.field[CHECK_HEIGHT] = greys->height;
  for (gint i = 0; i < 4 * n; i++)
    pixels[i] = i % 4 < 3 ? greys->before[i / 4] : 1.0f;
  source = check_source_new (filter, &c, pixels);
  if (check_run (filter, &c, source, NULL, &roi, CHECK_LEG_C, &result, why))
    for (gint i = 0; i < n; i++)
      greys->after[i] = result.pixels[4 * i];
  check_pixels_clear (&result);
  check_source_free (source);
  g_free (pixels);
}

static inline void
greys_hold (const CheckOptions *options, CheckStats *stats, const CheckFilter *filter, const gchar *what, gboolean at_least, gdouble value,
            gdouble bar, GString *why)
{
  const gboolean good = why->len == 0 && (at_least ? value >= bar : value <= bar);
  g_autofree gchar *title = g_strdup_printf ("%s: %s: %.4f, at %s %g", filter->name, what, value, at_least ? "least" : "most", bar);

  check_verdict (stats, good, title, why, options->quiet);
  g_string_truncate (why, 0);
}

#endif
