/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames of a field of stars for what is timed. */
#include "star-counts.h"

#include <stdio.h>

#include "../engine/verdict.h"
#include "stars.h"

gfloat *
star_counts (gint width, gint height, gint n, const gchar *saved)
{
  const gsize  pixels = (gsize) width * height;
  gfloat      *counts = g_new (gfloat, n * pixels);
  guint16     *adu = g_new (guint16, pixels);
  FILE        *file = saved ? fopen (saved, "wb") : NULL;
  StarsField  *field = stars_field_empty ('A', 1, width, height, n);

  for (gint k = 0; k < n; k++)
    {
      stars_frame (field, k, adu);
      for (gsize i = 0; i < pixels; i++)
        counts[k * pixels + i] = adu[i];
      if (saved)
        expect (file && fwrite (adu, sizeof *adu, pixels, file) == pixels, "%s cannot be written", saved);
    }
  if (file)
    fclose (file);
  g_free (adu);
  stars_field_free (field);
  return counts;
}
