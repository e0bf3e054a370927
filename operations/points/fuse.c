/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Aligned frames become one picture by pyramids: see fuse.h and combine.h.
 *
 * A frame is read twice, but the last: once for the sums of all frames' weights, in their order, once to be blended, in the
 * reverse order.  So no more than one of them is held.
 */
#include "fuse.h"

#include <math.h>

#include "planes.h"

#include "../../opencl/math/tessera-convert.h"

#define WIDTH  128              /* of a square, as tiles of GEGL's are */
#define HEIGHT 64

typedef struct
{
  const Combine *combine;
  GeglRectangle  box;
  FusePyramid    frame, sums;
  gfloat        *alpha;         /* of the frame that is held; 0: it has no value */
  gfloat        *weights;       /* the sum of all frames' */
  gfloat        *result;        /* its alpha, or how many frames have a value */
  gfloat         luminance[3];
  gint           k;             /* the frame that is held */
  gint           has_holes;
} Fusing;

/* ---------------------------------------------------------------- a frame -- */

/* The curve on both sides of 0: a straight line below it would make much light of little, where pyramids overshoot. */
static inline gfloat
seen_light (gfloat light)
{
  return copysignf (perceptual_from_linear (fabsf (light)), light);
}

static inline gfloat
shown_light (gfloat value)
{
  return copysignf (linear_from_perceptual (fabsf (value)), value);
}

/* What is done with a square; `pixels` has room for those of one. */
typedef void (*SquareWork) (gpointer data, const GeglRectangle *square, gfloat *pixels);

static void
for_squares (const GeglRectangle *area, SquareWork work, gpointer data)
{
  g_autofree gfloat *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint y = area->y; y < area->y + area->height; y += HEIGHT)
    for (gint x = area->x; x < area->x + area->width; x += WIDTH)
      work (data, GEGL_RECTANGLE (x, y, MIN (WIDTH, area->x + area->width - x), MIN (HEIGHT, area->y + area->height - y)), pixels);
}

/* The pixel of RaGaBaA behind the sRGB curve, and a weight of 1; or nothing, where it is none. */
static inline gfloat
see_pixel (const gfloat *in, gfloat *out)
{
  const gfloat r = seen_light (in[0] / in[3]), g = seen_light (in[1] / in[3]), b = seen_light (in[2] / in[3]);
  const gint   good = (in[3] > 0.0f) & (fabsf (in[3]) <= G_MAXFLOAT) & (fabsf (r) <= G_MAXFLOAT) & (fabsf (g) <= G_MAXFLOAT) & (fabsf (b) <= G_MAXFLOAT);

  out[0] = good ? r : 0.0f;
  out[1] = good ? g : 0.0f;
  out[2] = good ? b : 0.0f;
  out[3] = good ? 1.0f : 0.0f;
  return good ? in[3] : 0.0f;
}

/* TRUE: some pixels have no value. */
TESSERA_CLONES static gboolean
see_pixels (const gfloat *restrict in, gint n, gfloat *restrict out, gfloat *restrict alpha)
{
  gint holes = 0;

  for (gint i = 0; i < n; i++)
    {
      alpha[i] = see_pixel (in + 4 * i, out + 4 * i);
      holes |= ! (alpha[i] > 0.0f);
    }
  return holes;
}

static void
read_square (gpointer data, const GeglRectangle *square, gfloat *pixels)
{
  Fusing  *fusing = data;
  gboolean holes = FALSE;

  fusing->combine->read (fusing->k, square, pixels, fusing->combine->data);
  for (gint y = 0; y < square->height; y++)
    {
      const gsize at = (gsize) (square->y - fusing->box.y + y) * fusing->box.width + (gsize) (square->x - fusing->box.x);

      holes |= see_pixels (pixels + 4 * square->width * y, square->width, fusing->frame.levels[0].pixels + 4 * at, fusing->alpha + at);
    }
  if (holes)
    g_atomic_int_set (&fusing->has_holes, TRUE);
}

static void
read_area (const GeglRectangle *area, gpointer data)
{
  for_squares (area, read_square, data);
}

/* With its weights. */
static void
hold_frame (Fusing *fusing, gint k)
{
  fusing->k = k;
  fusing->has_holes = FALSE;
  gegl_parallel_distribute_area (&fusing->box, 64.0 * 64.0, GEGL_SPLIT_STRATEGY_AUTO, read_area, fusing);
  if (fusing->has_holes)
    fuse_fill (&fusing->frame);
  fuse_weigh (fusing->combine->method, &fusing->frame, fusing->alpha, fusing->luminance);
}

/* ---------------------------------------------------------------- weights -- */

static void
add_weights (gsize from, gsize n, gpointer data)
{
  const Fusing *fusing = data;
  const gsize   width = fusing->box.width;
  const gboolean is_first = fusing->k == 0;

  for (gsize i = from * width; i < (from + n) * width; i++)
    {
      const gfloat alpha = fusing->alpha[i], before = is_first ? 0.0f : fusing->result[i];

      fusing->weights[i] = (is_first ? 0.0f : fusing->weights[i]) + fusing->frame.levels[0].pixels[4 * i + 3];
      fusing->result[i] = fusing->combine->alpha == ALPHA_LARGEST ? MAX (before, alpha) : before + (alpha > 0.0f ? 1.0f : 0.0f);
    }
}

static void
divide_weights (gsize from, gsize n, gpointer data)
{
  const Fusing *fusing = data;
  const gsize   width = fusing->box.width;
  gfloat       *pixels = fusing->frame.levels[0].pixels;

  for (gsize i = from * width; i < (from + n) * width; i++)
    pixels[4 * i + 3] = fusing->weights[i] > 0.0f ? pixels[4 * i + 3] / fusing->weights[i] : 0.0f;
}

/* ----------------------------------------------------------------- result -- */

TESSERA_CLONES static void
show_pixels (const gfloat *restrict in, const gfloat *restrict alpha, gfloat whole, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n; i++)
    {
      const gfloat r = shown_light (in[4 * i]), g = shown_light (in[4 * i + 1]), b = shown_light (in[4 * i + 2]);

      out[4 * i] = alpha[i] > 0.0f ? r : 0.0f;
      out[4 * i + 1] = alpha[i] > 0.0f ? g : 0.0f;
      out[4 * i + 2] = alpha[i] > 0.0f ? b : 0.0f;
      out[4 * i + 3] = alpha[i] / whole;
    }
}

typedef struct
{
  const Fusing *fusing;
  GeglBuffer   *result;
  const Babl   *format;
} Writing;

static void
write_square (gpointer data, const GeglRectangle *square, gfloat *pixels)
{
  const Writing *writing = data;
  const Fusing  *fusing = writing->fusing;
  const gfloat   whole = fusing->combine->alpha == ALPHA_LARGEST ? 1.0f : (gfloat) fusing->combine->n;

  for (gint y = 0; y < square->height; y++)
    {
      const gsize at = (gsize) (square->y - fusing->box.y + y) * fusing->box.width + (gsize) (square->x - fusing->box.x);

      show_pixels (fusing->sums.levels[0].pixels + 4 * at, fusing->result + at, whole, square->width, pixels + 4 * square->width * y);
    }
  tessera_write (writing->result, square, writing->format, pixels, 4 * square->width * sizeof (gfloat));
}

static void
write_area (const GeglRectangle *area, gpointer data)
{
  for_squares (area, write_square, data);
}

static void
tell (const Fusing *fusing, gint step)
{
  const Combine *combine = fusing->combine;
  const gint     height = fusing->box.height, steps = 2 * combine->n;

  if (combine->told)
    combine->told ((gint) ((gint64) height * (step + 1) / steps - (gint64) height * step / steps), height, combine->data);
}

static void
fuse_frames (Fusing *fusing)
{
  const gint    n = fusing->combine->n, height = fusing->box.height;
  const gdouble cost = 64.0 * 64.0 / fusing->box.width;

  for (gint k = 0; k < n; k++)
    {
      hold_frame (fusing, k);
      tessera_spread_range (height, cost, add_weights, fusing);
      tell (fusing, k);
    }
  for (gint k = n - 1; k >= 0; k--)             /* the last one is still held */
    {
      if (k < n - 1)
        hold_frame (fusing, k);
      tessera_spread_range (height, cost, divide_weights, fusing);
      fuse_add (&fusing->frame, &fusing->sums, k == n - 1);
      tell (fusing, 2 * n - 1 - k);
    }
  fuse_collapse (&fusing->sums);
}

void
combine_fuse (const Combine *combine, const GeglRectangle *box, GeglBuffer *result)
{
  const gsize n = (gsize) box->width * box->height;
  gfloat     *planes = tessera_large_new (3 * n * sizeof (gfloat));
  Fusing      fusing = { .combine = combine, .box = *box, .alpha = planes, .weights = planes + n, .result = planes + 2 * n };
  Writing     writing = { &fusing, result, babl_format_with_space ("RGBA float", combine->format) };

  tessera_luminance (combine->format, fusing.luminance);
  fuse_pyramid_init (&fusing.frame, box->width, box->height);
  fuse_pyramid_init (&fusing.sums, box->width, box->height);
  fuse_frames (&fusing);
  gegl_parallel_distribute_area (box, 64.0 * 64.0, GEGL_SPLIT_STRATEGY_AUTO, write_area, &writing);
  fuse_pyramid_clear (&fusing.sums);
  fuse_pyramid_clear (&fusing.frame);
  tessera_large_free (planes);
}
