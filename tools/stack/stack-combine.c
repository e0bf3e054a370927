/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture, some rows of all of them at a time.
 *
 * Per pixel and channel, of the frames whose alpha there is above 0 and whose values are numbers, in linear light:
 * mean; median (of an even number the mean of the two in the middle); clipped, the mean of what lies within 2.5 robust
 * standard deviations of the median.  Sums are in the frames' order.
 */
#include "stack.h"

#include <math.h>
#include <stdlib.h>

#define CLIP       2.5
#define PER_MEDIAN 1.4826       /* standard deviation of a Gaussian / median of the distances */
#define LEAST_ROWS 1
#define FEW        32           /* that are sorted by insertion */

typedef struct
{
  StackMethod method;
  gint        n;
  gfloat    **rows;             /* of each frame, RaGaBaA */
  gfloat     *out;              /* RGBA */
  gint        all;              /* frames of which coverage is a part */
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
combine (StackMethod method, gfloat *values, gint n, gfloat *room)
{
  gfloat  median, most;
  gdouble sum = 0.0;
  gint    kept = 0;

  if (method == METHOD_MEAN)
    return mean (values, n);
  for (gint i = 0; i < n; i++)
    room[i] = values[i];
  sort (room, n);
  median = middle (room, n);
  if (method == METHOD_MEDIAN)
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

static void
combine_pixels (gsize offset, gsize size, gpointer data)
{
  const Band *band = data;
  gfloat     *values = g_new (gfloat, 4 * band->n), *room = values + 3 * band->n;

  for (gsize i = offset; i < offset + size; i++)
    {
      gfloat *out = band->out + 4 * i;
      gint    n = 0;

      for (gint k = 0; k < band->n; k++)
        {
          const gfloat *in = band->rows[k] + 4 * i;

          if (in[3] > 0.0f && isfinite (in[0] + in[1] + in[2] + in[3]))
            {
              for (gint c = 0; c < 3; c++)
                values[c * band->n + n] = in[c] / in[3];
              n++;
            }
        }
      for (gint c = 0; c < 3; c++)
        out[c] = n > 0 ? combine (band->method, values + c * band->n, n, room) : 0.0f;
      out[3] = (gfloat) n / band->all;
    }
  g_free (values);
}

GeglBuffer *
stack_combine (const Stack *stack, StackMethod method, guint64 memory)
{
  const GeglRectangle *box = gegl_buffer_get_extent (stack->frames[stack->reference].aligned);
  const Babl          *space = gegl_buffer_get_format (stack->frames[stack->reference].aligned);
  const Babl          *format = babl_format_with_space ("RGBA float", space);
  GeglBuffer          *result = gegl_buffer_new (box, format);
  GeglBuffer         **buffers = g_new0 (GeglBuffer *, stack->n);
  Band                 band = { .method = method };
  gsize                row = 4 * (gsize) box->width;
  gint                 rows;

  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].aligned)
      buffers[band.n++] = stack->frames[i].aligned;
  band.all = band.n;
  rows = CLAMP (memory / 4 / (row * sizeof (gfloat) * (band.n + 1)), LEAST_ROWS, (guint64) box->height);
  band.rows = g_new (gfloat *, band.n);
  for (gint i = 0; i < band.n; i++)
    band.rows[i] = g_malloc (rows * row * sizeof (gfloat));
  band.out = g_malloc (rows * row * sizeof (gfloat));
  for (gint y = 0; y < box->height; y += rows)
    {
      const GeglRectangle part = { box->x, box->y + y, box->width, MIN (rows, box->height - y) };

      for (gint i = 0; i < band.n; i++)
        gegl_buffer_get (buffers[i], &part, 1.0, NULL, band.rows[i], GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      gegl_parallel_distribute_range ((gsize) part.width * part.height, 4096, combine_pixels, &band);
      gegl_buffer_set (result, &part, 0, format, band.out, GEGL_AUTO_ROWSTRIDE);
      stack_progress_step (stack->n * 0.25 * part.height / box->height, "row %d of %d", y + part.height, box->height);
    }
  for (gint i = 0; i < band.n; i++)
    g_free (band.rows[i]);
  g_free (band.rows);
  g_free (band.out);
  g_free (buffers);
  return result;
}
