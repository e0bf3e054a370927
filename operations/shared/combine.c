/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture, a square of all of them at a time: see combine.h.
 */
#include "combine.h"

#include <math.h>
#include <stdlib.h>

#include "planes.h"

#define WIDTH  128              /* of a square, as wide and high as tiles of GEGL's are */
#define HEIGHT 64
#define BAND   (4 * HEIGHT)     /* rows between two steps of progress */
#define PIXELS (COMBINE_VALUES / 4)
#define FEW    32               /* that are sorted by insertion */

/* What all threads read. */
typedef struct
{
  const Combine *combine;
  GeglBuffer    *result;
  const Babl    *format;        /* of the result, RGBA */
  gint           height;        /* of a square, at most */
} Combining;

/* What one thread works with. */
typedef struct
{
  const Combining *what;
  gfloat          *in;                          /* a square of each frame */
  gfloat          *out;
  gfloat          *values;                      /* of one pixel: three channels of n, and room for n */
  gfloat         (*rows)[COMBINE_VALUES];         /* of some pixels, n; and room for n */
} Work;

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
  most = COMBINE_CLIP * middle (room, n);
  for (gint i = 0; i < n; i++)
    if (fabsf (values[i] - median) <= most)
      {
        sum += values[i];
        kept++;
      }
  return kept > 0 ? (gfloat) (sum / kept) : median;
}

/* One that some frames may not cover.  `stride`: from frame to frame. */
static void
combine_pixel (const Work *work, const gfloat *in, gsize stride, gfloat *out)
{
  const Combine *combine = work->what->combine;
  const gint     all = combine->n;
  gfloat         largest = 0.0f;
  gint           n = 0;

  for (gint k = 0; k < all; k++, in += stride)
    if (in[3] > 0.0f && isfinite (in[0] + in[1] + in[2] + in[3]))
      {
        for (gint c = 0; c < 3; c++)
          work->values[c * all + n] = in[c] / in[3];
        largest = MAX (largest, in[3]);
        n++;
      }
  for (gint c = 0; c < 3; c++)
    out[c] = n > 0 ? of_values (combine->method, work->values + c * all, n, work->values + 3 * all) : 0.0f;
  out[3] = combine->alpha == ALPHA_COVERAGE ? (gfloat) n / all : largest;
}

/* A row of one frame.  FALSE: it does not cover all pixels, or a value is no number. */
TESSERA_CLONES static gboolean
divide_pixels (const gfloat *restrict in, gfloat *restrict row)
{
  gint good = TRUE;

  for (gint i = 0; i < PIXELS; i++)
    {
      const Pixel pixel = ((const Pixel *) in)[i], colours = pixel / pixel[3];

      ((Pixel *) row)[i] = colours;
      good &= (pixel[3] > 0.0f) & (fabsf (pixel[0] + pixel[1] + pixel[2] + pixel[3]) <= G_MAXFLOAT)
              & (fabsf (colours[0]) <= G_MAXFLOAT) & (fabsf (colours[1]) <= G_MAXFLOAT) & (fabsf (colours[2]) <= G_MAXFLOAT);
    }
  return good;
}

/* FALSE: pixel by pixel. */
static gboolean
combine_whole (const Work *work, const gfloat *in, gsize stride, gfloat *out)
{
  const Combine *combine = work->what->combine;
  const gint     n = combine->n;

  for (gint k = 0; k < n; k++)
    if (! divide_pixels (in + k * stride, work->rows[k]))
      return FALSE;
  combine_values (combine->method, work->rows, n, work->rows + n, out);
  for (gint i = 0; i < PIXELS; i++)
    {
      gfloat alpha = combine->alpha == ALPHA_COVERAGE ? 1.0f : in[4 * i + 3];

      for (gint k = 1; k < n && combine->alpha == ALPHA_LARGEST; k++)
        alpha = MAX (alpha, in[k * stride + 4 * i + 3]);
      out[4 * i + 3] = alpha;
    }
  return TRUE;
}

static void
combine_square (const Work *work, const GeglRectangle *square)
{
  const Combining *what = work->what;
  const Combine   *combine = what->combine;
  const gsize      n = (gsize) square->width * square->height, stride = 4 * n;

  for (gint k = 0; k < combine->n; k++)
    gegl_buffer_get (combine->frames[k], square, 1.0, combine->format, work->in + k * stride, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gsize i = 0; i < n;)
    if (n - i >= PIXELS && combine_whole (work, work->in + 4 * i, stride, work->out + 4 * i))
      i += PIXELS;
    else
      for (const gsize end = MIN (i + PIXELS, n); i < end; i++)
        combine_pixel (work, work->in + 4 * i, stride, work->out + 4 * i);
  gegl_buffer_set (what->result, square, 0, what->format, work->out, GEGL_AUTO_ROWSTRIDE);
}

static void
combine_area (const GeglRectangle *area, gpointer data)
{
  const Combining *what = data;
  const gint       n = what->combine->n;
  const gsize      size = 4 * WIDTH * (gsize) what->height;
  Work             work = { .what = what, .in = g_new (gfloat, n * size), .out = g_new (gfloat, size),
                            .values = g_new (gfloat, 4 * n), .rows = g_malloc_n (2 * n, sizeof *work.rows) };

  for (gint y = area->y; y < area->y + area->height; y += what->height)
    for (gint x = area->x; x < area->x + area->width; x += WIDTH)
      combine_square (&work, GEGL_RECTANGLE (x, y, MIN (WIDTH, area->x + area->width - x),
                                             MIN (what->height, area->y + area->height - y)));
  g_free (work.rows);
  g_free (work.values);
  g_free (work.out);
  g_free (work.in);
}

void
combine_frames (const Combine *combine, const GeglRectangle *area, GeglBuffer *result)
{
  Combining what = { .combine = combine, .result = result, .format = babl_format_with_space ("RGBA float", combine->format) };
  gint      threads;

  g_object_get (gegl_config (), "threads", &threads, NULL);
  what.height = CLAMP (combine->memory / (threads * (combine->n + 1) * 4 * sizeof (gfloat) * WIDTH), 1, (guint64) HEIGHT);
  for (gint y = 0; y < area->height; y += BAND)
    {
      const GeglRectangle part = { area->x, area->y + y, area->width, MIN (BAND, area->height - y) };

      gegl_parallel_distribute_area (&part, 64.0 * 64.0, GEGL_SPLIT_STRATEGY_AUTO, combine_area, &what);
      if (combine->told)
        combine->told (part.height, area->height, combine->data);
    }
}
