/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A picture in the frame of another one: see resample.h.
 */
#include "resample.h"

#include <math.h>
#include <string.h>

#include "matrix.h"
#include "planes.h"
#include "soften.h"

#define TAPS        6
#define PHASES      512         /* of the kernel; between them it is a straight line, 2e-6 off at most */
#define SQUARE      64
#define RUN         64          /* result pixels whose places are found together */
#define MOST_PIXELS (1 << 20)   /* of the input that are read at once */
#define HORIZON     1e-9        /* nearer to it a place is nowhere */
#define NOTHING     1e-6        /* of a pixel: what covers less is left out of the box */
#define FARTHEST    1e9         /* a place that is an int */

/* Two pixels, or the weights of one direction. */
typedef gfloat Pair __attribute__ ((vector_size (32), aligned (4), may_alias));

/* The weights of the taps where a place is i / PHASES behind the third of them, and two zeros. */
static gfloat kernel[PHASES + 1][8];

/* What one thread works with. */
typedef struct
{
  const TesseraRequest *request;
  const Resample       *resample;
  Soften                soften;         /* of the square */
  const GeglRectangle  *rect;           /* of the result */
  gfloat               *out;            /* ... and its pixels */
} Resampling;

/* sinc (t) sinc (t / 3) */
static gdouble
lanczos (gdouble t)
{
  const gdouble angle = G_PI * t;

  if (t == 0.0)
    return 1.0;
  return 0.5 * TAPS * tessera_sin_degrees (180.0 * t) * tessera_sin_degrees (180.0 * t / (0.5 * TAPS)) / (angle * angle);
}

static void
make_kernel (void)
{
  static gsize is_made;

  if (! g_once_init_enter (&is_made))
    return;
  for (gint i = 0; i <= PHASES; i++)
    {
      gdouble weights[TAPS], sum = 0.0;

      for (gint k = 0; k < TAPS; k++)           /* at whole pixels exactly 0 and 1, whatever sin says */
        sum += weights[k] = i % PHASES ? lanczos ((gdouble) i / PHASES - (k - TAPS / 2 + 1)) : k - TAPS / 2 + 1 == i / PHASES;
      for (gint k = 0; k < TAPS; k++)
        kernel[i][k] = (gfloat) (weights[k] / sum);
    }
  g_once_init_leave (&is_made, 1);
}

gboolean
resample_init (Resample *resample, const gdouble matrix[9])
{
  make_kernel ();
  memcpy (resample->matrix, matrix, sizeof resample->matrix);
  return matrix_invert (matrix, resample->inverse);
}

gboolean
resample_box (const Resample *resample, const GeglRectangle *bounds, GeglRectangle *box)
{
  gdouble left = G_MAXDOUBLE, top = G_MAXDOUBLE, right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE;

  for (gint i = 0; i < 4; i++)          /* the picture fades within one pixel */
    {
      const gdouble x = bounds->x - 1.0 + (i & 1) * (bounds->width + 1.0), y = bounds->y - 1.0 + (i >> 1) * (bounds->height + 1.0);
      gdouble       u, v;

      if (! (matrix_map (resample->matrix, x, y, &u, &v) > HORIZON) || ! (fabs (u) < FARTHEST) || ! (fabs (v) < FARTHEST))
        return FALSE;
      left = MIN (left, u);
      right = MAX (right, u);
      top = MIN (top, v);
      bottom = MAX (bottom, v);
    }
  left = floor (left + NOTHING) + 1.0;
  top = floor (top + NOTHING) + 1.0;
  *box = (GeglRectangle) { left, top, MAX (ceil (right - NOTHING) - left, 0.0), MAX (ceil (bottom - NOTHING) - top, 0.0) };
  return ! gegl_rectangle_is_empty (box) && ! tessera_is_endless (box);
}

/* Where the pixels of a row are in the input, in pixels from its bounds' first. */
typedef struct
{
  gint   x[RUN], y[RUN];                /* of the first of the 6 x 6 pixels */
  gint   across[RUN], down[RUN];        /* weights in `kernel`, ... */
  gfloat right[RUN], below[RUN];        /* ... and how far behind them, 0 to 1 */
  gfloat covered[RUN];                  /* the part of a pixel that the picture covers; 0: it is outside */
} Places;

/* Of n result pixels, at most RUN.  What lies behind the horizon is outside. */
TESSERA_CLONES static void
map_row (const gdouble *inverse, const GeglRectangle *bounds, gint first, gint y, gint n, gdouble *restrict us, gdouble *restrict vs)
{
  const gdouble left = bounds->x, top = bounds->y;

  for (gint i = 0; i < n; i++)
    {
      gdouble       u, v;
      const gdouble w = matrix_map (inverse, first + i, y, &u, &v), from_left = u - left;

      us[i] = w > HORIZON ? from_left : -1.0;
      vs[i] = v - top;
    }
}

/* Of places along one side, as long as `size`: the first of six pixels, the weights, and how much is covered. */
TESSERA_CLONES static void
find_places (const gdouble *restrict places, gint size, gint n, gint *restrict first, gint *restrict weights, gfloat *restrict behind,
             gfloat *restrict covered)
{
  const gdouble end = size;

  for (gint i = 0; i < n; i++)
    {
      const gdouble low = places[i] > -1.0 ? places[i] : -1.0, at = low < end ? low : end;
      const gdouble before = at + 1.0, after = end - at, nearest = before < after ? before : after;
      const gfloat  part = (gfloat) nearest;
      const gint    x = (gint) before - 1;              /* the floor */
      const gfloat  phase = (gfloat) (at - x) * PHASES;
      const gint    whole = (gint) phase, number = whole < PHASES ? whole : PHASES - 1;

      first[i] = x - (TAPS / 2 - 1);
      weights[i] = number;
      behind[i] = phase - number;
      covered[i] *= part < 1.0f ? part : 1.0f;
    }
}

/* The pixel at place i.  `in` is the first of the 6 x 6. */
static inline __attribute__ ((always_inline)) Pixel
sum_pixels (const Places *places, gint i, const Pixel *in, gsize width)
{
  const gfloat *from = kernel[places->across[i]], *above = kernel[places->down[i]];
  const Pair    across = *(const Pair *) from + places->right[i] * (*(const Pair *) (from + 8) - *(const Pair *) from);
  const Pair    along = *(const Pair *) above + places->below[i] * (*(const Pair *) (above + 8) - *(const Pair *) above);
  const Pair    first_two = { across[0], across[0], across[0], across[0], across[1], across[1], across[1], across[1] };
  const Pair    next_two = { across[2], across[2], across[2], across[2], across[3], across[3], across[3], across[3] };
  const Pair    last_two = { across[4], across[4], across[4], across[4], across[5], across[5], across[5], across[5] };
  Pair          sums[3] = { { 0 } };
  union { Pair pair; Pixel pixels[2]; } both;

  for (gint j = 0; j < TAPS; j++)
    for (gint k = 0; k < TAPS / 2; k++)
      sums[k] += along[j] * ((const Pair *) (in + (gsize) j * width))[k];
  both.pair = (first_two * sums[0] + next_two * sums[1]) + last_two * sums[2];
  return both.pixels[0] + both.pixels[1];
}

/* A row of n result pixels, at most RUN, whose alpha may be more than 1.  The input begins at `need`, in pixels from the bounds' first. */
TESSERA_CLONES static void
sample_row (const Pixel *pixels, const GeglRectangle *need, const Places *places, gint n, Pixel *out)
{
  for (gint i = 0; i < n; i++)
    {
      const Pixel *in = pixels + (gsize) (places->y[i] - need->y) * need->width + (places->x[i] - need->x);

      if (! (places->covered[i] > 0.0f))
        out[i] = (Pixel) { 0 };
      else if (places->across[i] == 0 && places->down[i] == 0 && places->right[i] == 0.0f && places->below[i] == 0.0f)
        out[i] = in[2 * need->width + 2];
      else
        out[i] = sum_pixels (places, i, in, need->width);
    }
}

/* Alpha is at most the part that is covered.  Half of all solid pixels are a little more than 1, so there is no branch. */
TESSERA_CLONES static void
fade_row (const gfloat *restrict covered, gint n, Pixel *restrict out)
{
  gfloat factors[RUN];
  gint   kept[RUN];

  for (gint i = 0; i < n; i++)
    {
      const gfloat alpha = ((const gfloat *) out)[4 * i + 3];

      factors[i] = covered[i] / (alpha > 1.0f ? alpha : 1.0f);
      kept[i] = alpha <= 0.0f ? 0 : -1;
    }
  for (gint i = 0; i < n; i++)
    out[i] = (Pixel) ((Bits) (out[i] * factors[i]) & kept[i]);
}

/* The pixels of the input that `part` needs, from the bounds' first; empty: none.  FALSE: the horizon is in the way. */
static gboolean
needed_for (const Resampling *work, const GeglRectangle *part, GeglRectangle *need)
{
  const GeglRectangle *bounds = &work->request->bounds;
  const gint           reach = TAPS / 2 + work->soften.radius;
  gdouble              left = G_MAXDOUBLE, top = G_MAXDOUBLE, right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE;

  *need = (GeglRectangle) { 0, 0, 0, 0 };
  for (gint i = 0; i < 4; i++)
    {
      gdouble u, v;

      if (! (matrix_map (work->resample->inverse, part->x + (i & 1) * (part->width - 1),
                         part->y + (i >> 1) * (part->height - 1), &u, &v) > HORIZON))
        return FALSE;
      left = MIN (left, u - bounds->x);
      right = MAX (right, u - bounds->x);
      top = MIN (top, v - bounds->y);
      bottom = MAX (bottom, v - bounds->y);
    }
  left = MAX (floor (left), -1.0) - reach;
  top = MAX (floor (top), -1.0) - reach;
  right = MIN (floor (right), bounds->width - 1.0) + reach;
  bottom = MIN (floor (bottom), bounds->height - 1.0) + reach;
  if (right - left >= 2 * reach && bottom - top >= 2 * reach)
    *need = (GeglRectangle) { left, top, right - left + 1, bottom - top + 1 };
  return TRUE;
}

/* Where a pixel of the result comes to lie. */
static Pixel *
result_at (const Resampling *work, gint x, gint y)
{
  return (Pixel *) work->out + (gsize) (y - work->rect->y) * work->rect->width + (x - work->rect->x);
}

/* A row of n result pixels, at most RUN, of the pixels in `in`. */
static void
compute_row (const Resampling *work, const gfloat *in, const GeglRectangle *need, gint x, gint y, gint n)
{
  const GeglRectangle *bounds = &work->request->bounds;
  gdouble              us[RUN], vs[RUN];
  Places               places;

  map_row (work->resample->inverse, bounds, x, y, n, us, vs);
  for (gint i = 0; i < n; i++)
    places.covered[i] = 1.0f;
  find_places (us, bounds->width, n, places.x, places.across, places.right, places.covered);
  find_places (vs, bounds->height, n, places.y, places.down, places.below, places.covered);
  sample_row ((const Pixel *) in, need, &places, n, result_at (work, x, y));
  fade_row (places.covered, n, result_at (work, x, y));
}

static void
sample_part (Resampling *work, const GeglRectangle *part, const GeglRectangle *need)
{
  const TesseraRequest *request = work->request;
  const gsize           size = 4 * (gsize) need->width * need->height;
  tessera_autoscratch gfloat *in = gegl_scratch_new (gfloat, size), *room = gegl_scratch_new (gfloat, work->soften.radius ? size : 1);

  tessera_read (request->input, GEGL_RECTANGLE (request->bounds.x + need->x, request->bounds.y + need->y,
                                                need->width, need->height),
                &request->bounds, TESSERA_BORDER_CLAMP, request->input_format, in);
  soften_pixels (&work->soften, in, room, need->width, need->height, 4);
  for (gint y = part->y; y < part->y + part->height; y++)
    for (gint x = part->x; x < part->x + part->width; x += RUN)
      compute_row (work, in, need, x, y, MIN (RUN, part->x + part->width - x));
}

/* Part of a square.  One that needs too much of the input at once is halved. */
static void
compute_part (Resampling *work, const GeglRectangle *part)
{
  GeglRectangle  need;
  const gboolean is_known = needed_for (work, part, &need);

  if ((! is_known || (gsize) need.width * need.height > MOST_PIXELS) && part->width * part->height > 1)
    {
      GeglRectangle first = *part, second = *part;

      if (part->width >= part->height)
        second.x += first.width = part->width / 2;
      else
        second.y += first.height = part->height / 2;
      second.width = part->x + part->width - second.x;
      second.height = part->y + part->height - second.y;
      compute_part (work, &first);
      compute_part (work, &second);
      return;
    }
  if (is_known && need.width > 0)
    sample_part (work, part, &need);
  else
    for (gint y = part->y; y < part->y + part->height; y++)
      memset (result_at (work, part->x, y), 0, sizeof (Pixel) * part->width);
}

static void
soften_for (Resampling *work, gint square_x, gint square_y)
{
  gdouble u, v, s = 1.0;
  const gdouble x = square_x + 0.5 * (SQUARE - 1), y = square_y + 0.5 * (SQUARE - 1);

  if (matrix_map (work->resample->inverse, x, y, &u, &v) > HORIZON)
    s = matrix_scale (work->resample->matrix, u, v);
  soften_init (&work->soften, s > 0.0 && s < 1.0 ? 0.5 * sqrt (1.0 / (s * s) - 1.0) : 0.0);
}

/* The first pixel of its square. */
static gint
square_of (gint x)
{
  return x - ((x % SQUARE) + SQUARE) % SQUARE;
}

void
resample_pixels (const TesseraRequest *request, const GeglRectangle *rect, gfloat *pixels)
{
  Resampling     work = { .request = request, .resample = request->params, .rect = rect, .out = pixels };
  const gdouble *matrix = work.resample->matrix;

  if (matrix[6] == 0.0 && matrix[7] == 0.0)             /* equally soft everywhere */
    {
      soften_for (&work, rect->x, rect->y);
      compute_part (&work, rect);
      return;
    }
  for (gint y = square_of (rect->y); y < rect->y + rect->height; y += SQUARE)
    for (gint x = square_of (rect->x); x < rect->x + rect->width; x += SQUARE)
      {
        GeglRectangle part = { x, y, SQUARE, SQUARE };

        gegl_rectangle_intersect (&part, &part, rect);
        soften_for (&work, x, y);
        compute_part (&work, &part);
      }
}

static void
resample_area (const TesseraRequest *request, const GeglRectangle *area)
{
  g_autofree gfloat *pixels = g_new (gfloat, 4 * SQUARE * SQUARE);

  for (gint y = square_of (area->y); y < area->y + area->height; y += SQUARE)
    for (gint x = square_of (area->x); x < area->x + area->width; x += SQUARE)
      {
        GeglRectangle part = { x, y, SQUARE, SQUARE };

        gegl_rectangle_intersect (&part, &part, area);
        resample_pixels (request, &part, pixels);
        tessera_write (request->output, &part, request->output_format, pixels, 4 * part.width * sizeof (gfloat));
      }
}

const TesseraFilter resample_filter = { .name = "resample", .area = resample_area };
