/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture, a square of all of them at a time: see combine.h.
 */
#include "combine.h"

#include <math.h>

#include "planes.h"

#define WIDTH  128              /* of a square, as wide and high as tiles of GEGL's are */
#define HEIGHT 64
#define BAND   (4 * HEIGHT)     /* rows between two steps of progress */
#define PIXELS (COMBINE_VALUES / 3)        /* their colours, plane by plane, are a row */

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
  gfloat         (*rows)[COMBINE_VALUES];         /* of some pixels, n; and room for n */
} CombineWork;

/* The colours of some pixels of one frame, with infinity where it does not cover them or a value is no number.  Of the frames so far:
 * how many cover each pixel, and their largest alpha. */
TESSERA_CLONES static void
divide_pixels (const gfloat *restrict in, gint n, gfloat *restrict row, gfloat *restrict covering, gfloat *restrict largest)
{
  gfloat *restrict red = row, *restrict green = row + PIXELS, *restrict blue = row + 2 * PIXELS;
  gfloat  alpha[PIXELS];

  planes_take_apart (in, n, red, green, blue, alpha);
  for (gint i = 0; i < n; i++)
    {
      const gfloat sum = red[i] + green[i] + blue[i] + alpha[i];
      const gfloat r = red[i] / alpha[i], g = green[i] / alpha[i], b = blue[i] / alpha[i];
      const gint   good = (alpha[i] > 0.0f) & (fabsf (sum) <= G_MAXFLOAT)
                          & (fabsf (r) <= G_MAXFLOAT) & (fabsf (g) <= G_MAXFLOAT) & (fabsf (b) <= G_MAXFLOAT);

      red[i] = good ? r : INFINITY;
      green[i] = good ? g : INFINITY;
      blue[i] = good ? b : INFINITY;
      covering[i] += good ? 1.0f : 0.0f;
      largest[i] = (good & (alpha[i] > largest[i])) ? alpha[i] : largest[i];
    }
  for (gint i = n; i < PIXELS; i++)
    red[i] = green[i] = blue[i] = 0.0f;
}

/* n pixels, at most PIXELS.  `stride`: from frame to frame. */
static void
combine_pixels (const CombineWork *work, const gfloat *in, gsize stride, gint n, gfloat *out)
{
  const Combine *combine = work->what->combine;
  gfloat         values[COMBINE_VALUES], covering[PIXELS] = { 0 }, alpha[PIXELS] = { 0 };

  for (gint k = 0; k < combine->n; k++)
    divide_pixels (in + k * stride, n, work->rows[k], covering, alpha);
  combine_values (combine_is_whole (combine->method) ? COMBINE_MEAN : combine->method, work->rows, combine->n, combine->steps, work->rows + combine->n, values);
  for (gint i = 0; i < n && combine->alpha == ALPHA_COVERAGE; i++)
    alpha[i] = covering[i] / combine->n;
  planes_put_together (values, values + PIXELS, values + 2 * PIXELS, alpha, n, out);
}

static void
combine_square (const CombineWork *work, const GeglRectangle *square)
{
  const Combining *what = work->what;
  const Combine   *combine = what->combine;
  const gsize      n = (gsize) square->width * square->height, stride = 4 * n;

  for (gint k = 0; k < combine->n; k++)
    combine->read (k, square, work->in + k * stride, combine->data);
  for (gsize i = 0; i < n; i += PIXELS)
    combine_pixels (work, work->in + 4 * i, stride, MIN (PIXELS, n - i), work->out + 4 * i);
  tessera_write (what->result, square, what->format, work->out, 4 * square->width * sizeof (gfloat));
}

static void
combine_area (const GeglRectangle *area, gpointer data)
{
  const Combining *what = data;
  const gint       n = what->combine->n;
  const gsize      size = 4 * WIDTH * (gsize) what->height;
  CombineWork      work = { .what = what, .in = g_new (gfloat, n * size), .out = g_new (gfloat, size),
                            .rows = g_malloc_n (2 * n, sizeof *work.rows) };

  for (gint y = area->y; y < area->y + area->height; y += what->height)
    for (gint x = area->x; x < area->x + area->width; x += WIDTH)
      combine_square (&work, GEGL_RECTANGLE (x, y, MIN (WIDTH, area->x + area->width - x),
                                             MIN (what->height, area->y + area->height - y)));
  g_free (work.rows);
  g_free (work.out);
  g_free (work.in);
}

void
combine_frames (const Combine *combine, const GeglRectangle *area, GeglBuffer *result)
{
  Combining what = { .combine = combine, .result = result, .format = babl_format_with_space ("RGBA float", combine->format) };
  gint      threads;

  if (combine_is_whole (combine->method) && combine->n > 1)
    {
      combine_fuse (combine, area, result);
      return;
    }
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
