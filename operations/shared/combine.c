/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture: see combine.h.
 */
#include "combine.h"

#include <math.h>
#include <stdlib.h>

#define CLIP       2.5
#define PER_MEDIAN 1.4826       /* standard deviation of a Gaussian / median of the distances */
#define FEW        32           /* that are sorted by insertion */
#define AT_ONCE    4096         /* pixels, at least, that a thread is given */

typedef struct
{
  const Combine *combine;
  gfloat       **rows;          /* of each frame, RaGaBaA */
  gfloat        *out;           /* RGBA */
} Band;

static gint
compare (gconstpointer a, gconstpointer b)
{
  return *(const gfloat *) a < *(const gfloat *) b ? -1 : *(const gfloat *) a > *(const gfloat *) b;
}

static void
sort (gfloat *values, gint n)
{
  if (n > FEW)
    {
      qsort (values, n, sizeof *values, compare);
      return;
    }
  for (gint i = 1; i < n; i++)
    {
      const gfloat value = values[i];
      gint         k = i;

      for (; k > 0 && values[k - 1] > value; k--)
        values[k] = values[k - 1];
      values[k] = value;
    }
}

/* Of n sorted values, at least one. */
static gfloat
middle (const gfloat *sorted, gint n)
{
  return n % 2 ? sorted[n / 2] : 0.5f * (sorted[n / 2 - 1] + sorted[n / 2]);
}

static gfloat
mean (const gfloat *values, gint n)
{
  gdouble sum = 0.0;

  for (gint i = 0; i < n; i++)
    sum += values[i];
  return (gfloat) (sum / n);
}

/* `room` has place for n. */
static gfloat
of_values (CombineMethod method, gfloat *values, gint n, gfloat *room)
{
  gfloat  median, most;
  gdouble sum = 0.0;
  gint    kept = 0;

  if (method == COMBINE_MEAN)
    return mean (values, n);
  for (gint i = 0; i < n; i++)
    room[i] = values[i];
  sort (room, n);
  median = middle (room, n);
  if (method == COMBINE_MEDIAN)
    return median;
  for (gint i = 0; i < n; i++)
    room[i] = fabsf (values[i] - median);
  sort (room, n);
  most = (gfloat) (CLIP * PER_MEDIAN) * middle (room, n);
  for (gint i = 0; i < n; i++)
    if (fabsf (values[i] - median) <= most)
      {
        sum += values[i];
        kept++;
      }
  return kept > 0 ? (gfloat) (sum / kept) : median;
}

/* Of the frames' values at a pixel; `values` has room for 4 of each frame. */
static void
combine_pixel (const Band *band, gsize pixel, gfloat *values)
{
  const Combine *combine = band->combine;
  gfloat        *out = band->out + 4 * pixel, *room = values + 3 * combine->n, largest = 0.0f;
  gint           n = 0;

  for (gint k = 0; k < combine->n; k++)
    {
      const gfloat *in = band->rows[k] + 4 * pixel;

      if (in[3] > 0.0f && isfinite (in[0] + in[1] + in[2] + in[3]))
        {
          for (gint c = 0; c < 3; c++)
            values[c * combine->n + n] = in[c] / in[3];
          largest = MAX (largest, in[3]);
          n++;
        }
    }
  for (gint c = 0; c < 3; c++)
    out[c] = n > 0 ? of_values (combine->method, values + c * combine->n, n, room) : 0.0f;
  out[3] = combine->alpha == ALPHA_COVERAGE ? (gfloat) n / combine->n : largest;
}

static void
combine_pixels (gsize offset, gsize size, gpointer data)
{
  const Band *band = data;
  gfloat     *values = g_new (gfloat, 4 * band->combine->n);

  for (gsize i = offset; i < offset + size; i++)
    combine_pixel (band, i, values);
  g_free (values);
}

void
combine_frames (const Combine *combine, const GeglRectangle *area, GeglBuffer *result)
{
  const Babl *format = babl_format_with_space ("RGBA float", combine->format);
  const gsize row = 4 * (gsize) area->width;
  const gint  rows = (gint) CLAMP (combine->memory / (row * sizeof (gfloat) * (combine->n + 1)), 1, (guint64) area->height);
  Band        band = { combine, g_new (gfloat *, combine->n), g_new (gfloat, rows * row) };

  for (gint i = 0; i < combine->n; i++)
    band.rows[i] = g_new (gfloat, rows * row);
  for (gint y = 0; y < area->height; y += rows)
    {
      const GeglRectangle part = { area->x, area->y + y, area->width, MIN (rows, area->height - y) };

      for (gint i = 0; i < combine->n; i++)
        gegl_buffer_get (combine->frames[i], &part, 1.0, combine->format, band.rows[i], GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_parallel_distribute_range ((gsize) part.width * part.height, AT_ONCE, combine_pixels, &band);
      gegl_buffer_set (result, &part, 0, format, band.out, GEGL_AUTO_ROWSTRIDE);
      if (combine->told)
        combine->told (part.height, area->height, combine->data);
    }
  for (gint i = 0; i < combine->n; i++)
    g_free (band.rows[i]);
  g_free (band.rows);
  g_free (band.out);
}
