/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Planes that are turned back about their middle, by Lanczos' kernel (resample.h). */
#include "sequence.h"

#include <math.h>

#include "resample.h"

#define GRID    65536.0         /* steps in a degree, so that sums are exact */
#define COVERED 0.95f           /* of a pixel's weights: with less it has no value */
#define STRIP   16              /* rows that one thread makes together */

gdouble
turn_rounded (gdouble degrees)
{
  const gdouble whole = degrees - 360.0 * floor ((degrees + 180.0) / 360.0);

  return floor (whole * GRID + 0.5) / GRID;
}

void
turn_place (gdouble degrees, gint width, gint height, gdouble *x, gdouble *y)
{
  const gdouble middle_x = 0.5 * (width - 1), middle_y = 0.5 * (height - 1), from_x = *x - middle_x, from_y = *y - middle_y;
  const gdouble sine = tessera_sin_degrees (degrees), cosine = tessera_cos_degrees (degrees);

  if (degrees == 0.0)
    return;
  *x = middle_x + cosine * from_x - sine * from_y;
  *y = middle_y + sine * from_x + cosine * from_y;
}

/* Bad pixels have no weight. */
static GeglBuffer *
as_buffer (const CountPlane *plane)
{
  const gsize n = (gsize) plane->width * plane->height;
  gfloat     *pixels = g_new0 (gfloat, 4 * n);

  for (gsize i = 0; i < n; i++)
    if (isfinite (plane->pixels[i]))
      {
        pixels[4 * i] = plane->pixels[i];
        pixels[4 * i + 3] = 1.0f;
      }
  return gegl_buffer_linear_new_from_data (pixels, babl_format ("RaGaBaA float"), GEGL_RECTANGLE (0, 0, plane->width, plane->height), GEGL_AUTO_ROWSTRIDE,
                                           g_free, pixels);
}

typedef struct
{
  const TesseraRequest *request;
  CountPlane           *plane;
} Turning;

static void
turn_strips (gsize first, gsize n, gpointer data)
{
  const Turning *turning = data;
  const gint     width = turning->plane->width, height = turning->plane->height;
  g_autofree gfloat *pixels = g_new (gfloat, 4 * (gsize) width * STRIP);

  for (gint y = (gint) first * STRIP; y < MIN ((gint) (first + n) * STRIP, height); y += STRIP)
    {
      const GeglRectangle strip = { 0, y, width, MIN (STRIP, height - y) };

      resample_pixels (turning->request, &strip, pixels);
      for (gint i = 0; i < width * strip.height; i++)
        turning->plane->pixels[(gsize) y * width + i] = pixels[4 * i + 3] > COVERED ? pixels[4 * i] / pixels[4 * i + 3] : NAN;
    }
}

void
turn_back (const CountPlane *plane, gdouble degrees, CountPlane *level)
{
  const gdouble x = 0.5 * (plane->width - 1), y = 0.5 * (plane->height - 1);
  const gdouble sine = tessera_sin_degrees (-degrees), cosine = tessera_cos_degrees (-degrees);
  const gdouble matrix[9] = { cosine, -sine, x - cosine * x + sine * y, sine, cosine, y - sine * x - cosine * y, 0, 0, 1 };
  const GeglRectangle box = { 0, 0, plane->width, plane->height };
  g_autoptr (GeglBuffer) buffer = as_buffer (plane);
  Resample               resample;
  TesseraRequest         request = { .input = buffer, .roi = box, .bounds = box, .input_format = babl_format ("RaGaBaA float"), .params = &resample };

  resample_init (&resample, matrix);
  count_plane_init (level, plane->width, plane->height);
  tessera_spread_range ((plane->height + STRIP - 1) / STRIP, 1.0, turn_strips, &(Turning) { &request, level });
}
