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
#define MOST_PIXELS (1 << 20)   /* of the input that are read at once */
#define HORIZON     1e-9        /* nearer to it a place is nowhere */

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
  gfloat               *out;            /* SQUARE x SQUARE */
  gfloat               *in, *room;      /* of in_size floats */
  gsize                 in_size;
} Work;

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

/* Where a result pixel is in the input, in pixels from its bounds' first.  FALSE: outside. */
static inline gboolean
find_place (const Work *work, gint x, gint y, gdouble *u, gdouble *v)
{
  const GeglRectangle *bounds = &work->request->bounds;

  if (! (matrix_map (work->resample->inverse, x, y, u, v) > HORIZON))
    return FALSE;
  *u -= bounds->x;
  *v -= bounds->y;
  return *u > -1.0 && *u < bounds->width && *v > -1.0 && *v < bounds->height;
}

/* How much of a pixel at u the picture covers. */
static inline gfloat
cover (gdouble u, gint size)
{
  return (gfloat) MIN (MIN (u + 1.0, size - u), 1.0);
}

/* A row of n result pixels.  The input begins at `need`, in pixels from the bounds' first. */
TESSERA_CLONES static void
sample_row (const Work *work, const GeglRectangle *need, gint first, gint y, gint n, Pixel *out)
{
  const GeglRectangle *bounds = &work->request->bounds;

  for (gint i = 0; i < n; i++)
    {
      gdouble      u, v, x0, y0;
      gfloat       covered, right, down;
      const Pixel *in;
      Pixel        sum = { 0 };

      out[i] = sum;
      if (! find_place (work, first + i, y, &u, &v))
        continue;
      x0 = floor (u);
      y0 = floor (v);
      right = (gfloat) (u - x0) * PHASES;
      down = (gfloat) (v - y0) * PHASES;
      in = (const Pixel *) work->in + (gsize) ((gint) y0 - 2 - need->y) * need->width + ((gint) x0 - 2 - need->x);
      if (right == 0.0f && down == 0.0f)
        sum = in[2 * need->width + 2];
      else
        {
          const gint a = MIN ((gint) right, PHASES - 1), b = MIN ((gint) down, PHASES - 1);
          const Pair from = *(const Pair *) kernel[a], across = from + (right - a) * (*(const Pair *) kernel[a + 1] - from);
          const Pair above = *(const Pair *) kernel[b], along = above + (down - b) * (*(const Pair *) kernel[b + 1] - above);
          const Pair first_two = { across[0], across[0], across[0], across[0], across[1], across[1], across[1], across[1] };
          const Pair next_two = { across[2], across[2], across[2], across[2], across[3], across[3], across[3], across[3] };
          const Pair last_two = { across[4], across[4], across[4], across[4], across[5], across[5], across[5], across[5] };
          Pair       pairs = { 0 };

          for (gint j = 0; j < TAPS; j++)
            {
              const Pair *row = (const Pair *) (in + (gsize) j * need->width);

              pairs += along[j] * ((first_two * row[0] + next_two * row[1]) + last_two * row[2]);
            }
          sum = (Pixel) { pairs[0] + pairs[4], pairs[1] + pairs[5], pairs[2] + pairs[6], pairs[3] + pairs[7] };
        }
      if (sum[3] <= 0.0f)
        continue;
      covered = cover (u, bounds->width) * cover (v, bounds->height);
      out[i] = sum[3] > 1.0f ? sum * (covered / sum[3]) : sum * covered;
    }
}

/* The pixels of the input that `part` needs, from the bounds' first; empty: none.  FALSE: the horizon is in the way. */
static gboolean
needed_for (const Work *work, const GeglRectangle *part, GeglRectangle *need)
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

static void
read_needed (Work *work, const GeglRectangle *need)
{
  const TesseraRequest *request = work->request;
  const gsize           size = 4 * (gsize) need->width * need->height;

  if (size > work->in_size)
    {
      g_free (work->in);
      g_free (work->room);
      work->in = g_new (gfloat, size);
      work->room = g_new (gfloat, size);
      work->in_size = size;
    }
  tessera_read (request->input, GEGL_RECTANGLE (request->bounds.x + need->x, request->bounds.y + need->y,
                                                need->width, need->height),
                &request->bounds, TESSERA_BORDER_CLAMP, request->input_format, work->in);
  soften_pixels (&work->soften, work->in, work->room, need->width, need->height, 4);
}

/* Part of a square.  One that needs too much of the input at once is halved. */
static void
compute_part (Work *work, const GeglRectangle *part)
{
  Pixel        *out = (Pixel *) work->out;
  GeglRectangle need;
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
    {
      read_needed (work, &need);
      for (gint y = 0; y < part->height; y++)
        sample_row (work, &need, part->x, part->y + y, part->width, out + y * part->width);
    }
  else
    memset (out, 0, sizeof (Pixel) * part->width * part->height);
  tessera_write (work->request->output, part, work->request->output_format, work->out,
                 4 * part->width * sizeof (gfloat));
}

static void
soften_for (Work *work, gint square_x, gint square_y)
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

static void
resample_area (const TesseraRequest *request, const GeglRectangle *area)
{
  Work work = { .request = request, .resample = request->params, .out = g_new (gfloat, 4 * SQUARE * SQUARE) };

  for (gint y = square_of (area->y); y < area->y + area->height; y += SQUARE)
    for (gint x = square_of (area->x); x < area->x + area->width; x += SQUARE)
      {
        GeglRectangle part = { x, y, SQUARE, SQUARE };

        gegl_rectangle_intersect (&part, &part, area);
        soften_for (&work, x, y);
        compute_part (&work, &part);
      }
  g_free (work.room);
  g_free (work.in);
  g_free (work.out);
}

const TesseraFilter resample_filter = { .name = "resample", .area = resample_area };
