/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Roots of light at five sizes: see direct-planes.h.
 */
#include "direct-planes.h"

#include <math.h>
#include <string.h>

#include "matrix.h"
#include "median.h"
#include "soften.h"

#define SOFTNESS    1.0         /* pixels of each level */
#define BLOWN_OUT   0.93f       /* of a colour: of cameras' 8 bits some 247 */
#define SEE_THROUGH 0.5f        /* alpha */
#define KNOWN       0.7f        /* of what a value is made of, so that it is known */
#define SURE        0.99f       /* between four of B's */
#define SPARSE      3           /* pixels from one to the next that tells of the noise */
#define LAG         2           /* of the differences */
/* Noise that is softened by 1 pixel is alike by exp (-LAG^2 / 4) at that lag, by the square of it along the diagonal: of a + d - b - c it leaves this part. */
#define NOISE_LEFT  (4 * (1 - 2 * 0.3679 + 0.1353))
#define PER_MEDIAN  1.4826

void
direct_plane_init (DirectPlane *plane, gint width, gint height)
{
  plane->width = width;
  plane->height = height;
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      plane->values[c] = g_new0 (gfloat, (gsize) width * height + 1);
      plane->known[c] = g_new0 (gfloat, (gsize) width * height + 1);
    }
}

void
direct_plane_clear (DirectPlane *plane)
{
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      g_free (plane->values[c]);
      g_free (plane->known[c]);
    }
}

/* Adds a row of the picture to the row of level 0 that it is part of; of each value as much as is known. */
static void
add_row (const gfloat *pixels, gint side, DirectPlane *to, gint row)
{
  const gfloat share = 1.0f / (side * side);

  for (gint x = 0; x < to->width * side; x++)
    {
      const gfloat *pixel = pixels + 4 * (gsize) x;
      const gsize   i = (gsize) row * to->width + x / side;

      for (gint c = 0; c < DIRECT_COLORS && pixel[3] >= SEE_THROUGH; c++)
        {
          const gfloat light = pixel[c] / pixel[3];

          if (light < BLOWN_OUT && light > -BLOWN_OUT)
            {
              to->values[c][i] += share * sqrtf (MAX (light, 0.0f));
              to->known[c][i] += share;
            }
        }
    }
}

typedef struct
{
  const RefinePicture *of;
  gint                 side;
  DirectPlane         *to;
} Reading;

static void
read_rows (gint part, gint parts, gpointer data)
{
  const Reading       *reading = data;
  const GeglRectangle *bounds = &reading->of->bounds;
  const gint           side = reading->side, width = reading->to->width * side;
  g_autofree gfloat   *pixels = g_new (gfloat, 4 * (gsize) width + 1);

  for (gint row = part; row < reading->to->height; row += parts)
    for (gint y = row * side; y < (row + 1) * side && width > 0; y++)
      {
        tessera_read (reading->of->buffer, GEGL_RECTANGLE (bounds->x, bounds->y + y, width, 1), bounds, TESSERA_BORDER_CLAMP, reading->of->format, pixels);
        add_row (pixels, side, reading->to, row);
      }
}

static void
halve (const DirectPlane *from, DirectPlane *to)
{
  direct_plane_init (to, from->width / 2, from->height / 2);
  for (gint c = 0; c < 2 * DIRECT_COLORS; c++)
    {
      const gfloat *in = c < DIRECT_COLORS ? from->values[c] : from->known[c - DIRECT_COLORS];
      gfloat       *out = c < DIRECT_COLORS ? to->values[c] : to->known[c - DIRECT_COLORS];

      for (gint y = 0; y < to->height; y++)
        for (gint x = 0; x < to->width; x++)
          {
            const gfloat *at = in + (gsize) 2 * y * from->width + 2 * x;

            out[(gsize) y * to->width + x] = 0.25f * ((at[0] + at[1]) + (at[from->width] + at[from->width + 1]));
          }
    }
}

/* A margin of nothing around it: so edges are softened as what is unknown is. */
static void
soften_plane (const Soften *soften, gfloat *values, gint width, gint height)
{
  const gint         r = soften->radius, wide = width + 2 * r, high = height + 2 * r;
  g_autofree gfloat *framed = g_new0 (gfloat, (gsize) wide * high), *room = g_new (gfloat, (gsize) wide * high);

  for (gint y = 0; y < height; y++)
    memcpy (framed + (gsize) (y + r) * wide + r, values + (gsize) y * width, width * sizeof *values);
  soften_pixels (soften, framed, room, wide, high, 1);
  for (gint y = 0; y < height; y++)
    memcpy (values + (gsize) y * width, framed + (gsize) (y + r) * wide + r, width * sizeof *values);
}

/* From sums of what is known to values. */
static void
finish (DirectPlane *plane)
{
  Soften soften;

  soften_init (&soften, SOFTNESS);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      soften_plane (&soften, plane->values[c], plane->width, plane->height);
      soften_plane (&soften, plane->known[c], plane->width, plane->height);
      for (gint i = 0; i < plane->width * plane->height; i++)
        {
          const gboolean is_known = plane->known[c][i] > KNOWN;

          plane->values[c][i] = is_known ? plane->values[c][i] / plane->known[c][i] : 0.0f;
          plane->known[c][i] = is_known;
        }
    }
}

static gdouble
noise_of (const DirectPlane *plane, gint color)
{
  const gfloat      *values = plane->values[color], *known = plane->known[color];
  const gint         down = LAG * plane->width;
  g_autofree gfloat *differences = g_new (gfloat, (gsize) plane->width * plane->height + 1);
  gint               n = 0;
  gdouble            deviation;

  for (gint y = 0; y + LAG < plane->height; y += SPARSE)
    for (gint x = 0; x + LAG < plane->width; x += SPARSE)
      {
        const gint i = y * plane->width + x;

        if (known[i] * known[i + LAG] * known[i + down] * known[i + down + LAG] > 0.0f)
          differences[n++] = fabsf ((values[i] + values[i + down + LAG]) - (values[i + LAG] + values[i + down]));
      }
  if (n == 0)
    return 0.0;
  deviation = PER_MEDIAN * median_rank (differences, n, n / 2);
  return deviation * deviation / NOISE_LEFT;
}

void
direct_picture_init (DirectPicture *picture, const RefinePicture *of, gint side)
{
  Reading reading = { of, side, picture->levels };

  direct_plane_init (&picture->levels[0], of->bounds.width / side, of->bounds.height / side);
  gegl_parallel_distribute (-1, read_rows, &reading);
  for (gint level = 1; level < DIRECT_LEVELS; level++)
    halve (&picture->levels[level - 1], &picture->levels[level]);
  for (gint level = 0; level < DIRECT_LEVELS; level++)
    finish (&picture->levels[level]);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    picture->noise[c] = noise_of (&picture->levels[0], c);
}

void
direct_picture_clear (DirectPicture *picture)
{
  for (gint level = 0; level < DIRECT_LEVELS; level++)
    direct_plane_clear (&picture->levels[level]);
}

/* ------------------------------------------------------------------- laying -- */

typedef struct
{
  const DirectPlane *a, *b;
  gdouble            inverse[9];
  DirectPlane       *out;
} Laying;

static gfloat
between (const gfloat *values, gint width, gfloat s, gfloat t)
{
  return (1 - t) * ((1 - s) * values[0] + s * values[1]) + t * ((1 - s) * values[width] + s * values[width + 1]);
}

static void
lay_rows (gint part, gint parts, gpointer data)
{
  const Laying      *laying = data;
  const DirectPlane *b = laying->b;
  const DirectPlane *out = laying->out;

  for (gint y = part; y < out->height; y += parts)
    for (gint x = 0; x < out->width; x++)
      {
        const gsize i = (gsize) y * out->width + x;
        gdouble     u, v;
        gint        column, row;

        for (gint c = 0; c < DIRECT_COLORS; c++)
          out->values[c][i] = out->known[c][i] = 0.0f;
        if (! (matrix_map (laying->inverse, x, y, &u, &v) > 0 && u >= 0 && v >= 0 && u < b->width - 1 && v < b->height - 1))
          continue;
        column = (gint) u;
        row = (gint) v;
        for (gint c = 0; c < DIRECT_COLORS; c++)
          {
            const gsize from = (gsize) row * b->width + column;

            if (laying->a->known[c][i] == 0.0f || between (b->known[c] + from, b->width, (gfloat) (u - column), (gfloat) (v - row)) < SURE)
              continue;
            out->values[c][i] = between (b->values[c] + from, b->width, (gfloat) (u - column), (gfloat) (v - row));
            out->known[c][i] = 1.0f;
          }
      }
}

void
direct_plane_lay (const DirectPlane *a, const DirectPlane *b, const gdouble matrix[9], DirectPlane *out, gdouble gains[DIRECT_COLORS])
{
  Laying laying = { .a = a, .b = b, .out = out };

  if (! matrix_invert (matrix, laying.inverse))
    memset (laying.inverse, 0, sizeof laying.inverse);
  gegl_parallel_distribute (-1, lay_rows, &laying);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      gdouble of_a = 1e-6, of_b = 1e-6;

      for (gint i = 0; i < a->width * a->height; i++)
        {
          of_a += out->known[c][i] * a->values[c][i];
          of_b += out->known[c][i] * out->values[c][i];
        }
      gains[c] = MAX (of_b / of_a, 1e-3);
      for (gint i = 0; i < a->width * a->height; i++)
        out->values[c][i] /= (gfloat) gains[c];
    }
}

void
direct_take_mean (gint width, gint height, const gfloat *values, const gfloat *known, gint reach, gfloat *out)
{
  const gint          wide = width + 1;
  g_autofree gdouble *sums = g_new0 (gdouble, (gsize) wide * (height + 1)), *counts = g_new0 (gdouble, (gsize) wide * (height + 1));

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      {
        const gsize i = (gsize) y * width + x, at = (gsize) (y + 1) * wide + x + 1;

        sums[at] = sums[at - 1] + sums[at - wide] - sums[at - wide - 1] + known[i] * values[i];
        counts[at] = counts[at - 1] + counts[at - wide] - counts[at - wide - 1] + known[i];
      }
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      {
        const gint  left = MAX (x - reach, 0), right = MIN (x + reach + 1, width), top = MAX (y - reach, 0) * wide, bottom = MIN (y + reach + 1, height) * wide;
        const gsize i = (gsize) y * width + x;

        out[i] = known[i] == 0.0f ? 0.0f
                 : values[i] - (gfloat) ((sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left])
                                         / (counts[bottom + right] - counts[bottom + left] - counts[top + right] + counts[top + left]));
      }
}
