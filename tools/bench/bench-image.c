/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Test pictures, and a grid of pixels by which two results are compared.
 */
#include "bench.h"

#include <math.h>
#include <string.h>

#define STRIP 256               /* rows painted; the picture repeats them */

const Babl *
bench_format (const gchar *name)
{
  if (strcmp (name, "float") == 0)
    return babl_format ("RGBA float");
  if (strcmp (name, "u8") == 0)
    return babl_format ("R'G'B'A u8");
  return babl_format_exists (name) ? babl_format (name) : NULL;
}

gboolean
bench_is_u8 (const Babl *format)
{
  return babl_format_get_type (format, 0) == babl_type ("u8");
}

gdouble
bench_mpix (GeglBuffer *buffer)
{
  return gegl_buffer_get_width (buffer) / 1e6 * gegl_buffer_get_height (buffer);
}

/* Something like a photograph: smooth shapes, texture and noise, values 0..1. */
static void
paint_row (gfloat *row, gint width, gint y)
{
  guint32 state = 1 + 2654435761u * (guint32) y;

  for (gint x = 0; x < width; x++)
    for (gint c = 0; c < 4; c++)
      {
        gfloat noise, shape;

        state = state * 1664525u + 1013904223u;
        noise = (state >> 8) / 16777216.0f;
        shape = ((x / (64 + 16 * c)) ^ (y / (48 + 16 * c))) % 8 / 8.0f;
        row[4 * x + c] = c == 3 ? 1.0f : 0.85f * shape + 0.1f * noise
                                         + 0.05f * ((x * 3 + y * 5) % 97) / 97.0f;
      }
}

/* One pixel of two is white, at random. */
static void
paint_dots (gfloat *row, gint width, gint y)
{
  guint32 state = 1 + 2654435761u * (guint32) y;

  for (gint x = 0; x < width; x++)
    {
      state = state * 1664525u + 1013904223u;
      for (gint c = 0; c < 4; c++)
        row[4 * x + c] = c == 3 ? 1.0f : (gfloat) (state >> 31);
    }
}

void
bench_shape (gdouble mpix, gint *width, gint *height)
{
  *height = MAX (2, (gint) (1000 * sqrt (mpix * 2.0 / 3.0)) / 2 * 2);
  *width = *height * 3 / 2;
}

gboolean
bench_size (const gchar *text, gint *width, gint *height)
{
  gchar  *end;
  gdouble mpix = g_ascii_strtod (text, &end);

  if (*end == 'x')
    {
      *width = mpix;
      *height = g_ascii_strtod (end + 1, &end);
    }
  else
    {
      bench_shape (mpix, width, height);
    }
  return end != text && ! *end && mpix >= 1e-4 && *width >= 1 && *height >= 1
         && (gint64) *width * *height <= 1000000000;
}

/* In tiles of GEGL's own size. */
GeglBuffer *
bench_picture (gint width, gint height, const Babl *format, gboolean dots)
{
  const Babl *painted = babl_format ("RGBA float");
  const gsize bytes = babl_format_get_bytes_per_pixel (format);
  GeglBuffer *buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), format);
  g_autofree gfloat *row = g_new (gfloat, 4 * (gsize) width);
  g_autofree guint8 *strip = g_malloc (bytes * width * STRIP);

  for (gint y = 0; y < MIN (STRIP, height); y++)
    {
      if (dots)
        paint_dots (row, width, y);
      else
        paint_row (row, width, y);
      babl_process (babl_fish (painted, format), row, strip + y * bytes * width, width);
    }
  for (gint y = 0; y < height; y += STRIP)
    gegl_buffer_set (buffer, GEGL_RECTANGLE (0, y, width, MIN (STRIP, height - y)), 0, format,
                     strip, GEGL_AUTO_ROWSTRIDE);
  return buffer;
}

void
bench_sample (GeglBuffer *buffer, gfloat samples[BENCH_SAMPLES])
{
  const Babl *format = babl_format (bench_is_u8 (gegl_buffer_get_format (buffer)) ? "R'G'B'A float"
                                                                                  : "RGBA float");
  const gint  width = gegl_buffer_get_width (buffer), height = gegl_buffer_get_height (buffer);
  g_autofree gfloat *row = g_new (gfloat, 4 * (gsize) width);

  for (gint j = 0; j < BENCH_GRID; j++)
    {
      const gint y = (gint64) j * (height - 1) / (BENCH_GRID - 1);

      gegl_buffer_get (buffer, GEGL_RECTANGLE (0, y, width, 1), 1.0, format, row,
                       GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      for (gint i = 0; i < BENCH_GRID; i++)
        {
          /* The columns shift from row to row. */
          const gint x = ((gint64) i * width / BENCH_GRID + 7 * j) % width;

          memcpy (samples + 4 * (j * BENCH_GRID + i), row + 4 * x, 4 * sizeof *row);
        }
    }
}

/* The largest absolute difference; infinite where one of the two is not finite. */
gdouble
bench_difference (const gfloat *a, const gfloat *b)
{
  gdouble worst = 0.0;

  for (gint i = 0; i < BENCH_SAMPLES; i++)
    {
      const gdouble difference = fabs ((gdouble) a[i] - b[i]);

      worst = MAX (worst, isfinite (difference) ? difference : INFINITY);
    }
  return worst;
}
