/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Steps of Gauss-Newton between two planes: see direct-step.h.
 */
#include "direct-step.h"

#include <math.h>
#include <string.h>

#include "matrix.h"
#include "median.h"
#include "solve.h"
#include "tessera.h"

#define SMALL       16          /* pixels: squares of planes up to SMALL_PLANE pixels wide; they grow with them */
#define SMALL_PLANE 200
#define MOST        64
#define BIWEIGHT    4.6         /* robust standard deviations */
#define PER_MEDIAN  1.4826
#define EQUAL       1e-5        /* a root of light: a smaller deviation is rounding */
#define SPARSE      5           /* pixels from one to the next that tells of the deviation */
#define STEPS       20
#define FIRST       4           /* steps, after which they are shortened: what sways comes to rest */
#define SHORTER     0.8
#define STILL       0.02        /* pixels of the plane */
#define FARTHEST    60.0        /* pixels of the plane, that a step may move a corner */
#define LEAST_PIVOT 1e-7
#define FEW         0.06        /* of A, that both must know */

typedef struct
{
  const DirectPlane *a;
  DirectPlane        laid;              /* B; known where both are, with their neighbours */
  gfloat            *across[DIRECT_COLORS], *down[DIRECT_COLORS];       /* gradients of `laid` */
  gint               side, n;           /* of squares */
  ConsensusModel     model;
  Tangent            tangent;
  gdouble            scale[DIRECT_COLORS];      /* the deviation of the differences */
  gfloat            *differences[DIRECT_COLORS];        /* less the squares' means */
  gboolean           is_far;            /* the hessian is of the square of the gradients' mean, not of their product */
  RefineSums        *sums;
  gdouble           *seen;              /* the first such square of each: 0 where nothing is seen */
} Step;

static gint
squares_of (const Step *step, gint size)
{
  return (size + step->side - 1) / step->side;
}

static void
step_init (Step *step, const DirectPlane *a, ConsensusModel model, gboolean is_far)
{
  const gsize size = (gsize) a->width * a->height + 1;

  *step = (Step) { .a = a, .model = model, .is_far = is_far, .side = CLAMP (SMALL * ((a->width + SMALL_PLANE - 1) / SMALL_PLANE), SMALL, MOST) };
  step->n = squares_of (step, a->width) * squares_of (step, a->height);
  tangent_init (&step->tangent, a->width, a->height);
  direct_plane_init (&step->laid, a->width, a->height);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      step->across[c] = g_new (gfloat, size);
      step->down[c] = g_new (gfloat, size);
      step->differences[c] = g_new (gfloat, size);
    }
  step->sums = g_new (RefineSums, step->n + 1);
  step->seen = g_new (gdouble, step->n + 1);
}

static void
step_clear (Step *step)
{
  direct_plane_clear (&step->laid);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    {
      g_free (step->across[c]);
      g_free (step->down[c]);
      g_free (step->differences[c]);
    }
  g_free (step->sums);
  g_free (step->seen);
}

/* Gradients of B, and which pixels have all four neighbours.  Returns how many. */
static gint64
find_gradients (Step *step, gint color)
{
  const gint         width = step->a->width, height = step->a->height;
  const gfloat      *values = step->laid.values[color], *known = step->laid.known[color];
  g_autofree gfloat *all = g_new0 (gfloat, (gsize) width * height + 1);
  gint64             n = 0;

  for (gint y = 1; y < height - 1; y++)
    for (gint x = 1; x < width - 1; x++)
      {
        const gsize i = (gsize) y * width + x;

        all[i] = known[i] * known[i - 1] * known[i + 1] * known[i - width] * known[i + width];
        step->across[color][i] = 0.5f * (values[i + 1] - values[i - 1]);
        step->down[color][i] = 0.5f * (values[i + width] - values[i - width]);
        n += all[i] != 0.0f;
      }
  memcpy (step->laid.known[color], all, sizeof (gfloat) * width * height);
  return n;
}

/* A square's pixels, as rows of `side`. */
typedef struct
{
  gint x, y, width, height;
} Square;

static Square
square_of (const Step *step, gint i)
{
  const gint across = squares_of (step, step->a->width);
  Square     square = { i % across * step->side, i / across * step->side, 0, 0 };

  square.width = MIN (step->side, step->a->width - square.x);
  square.height = MIN (step->side, step->a->height - square.y);
  return square;
}

static void
subtract_square (Step *step, gint color, Square square)
{
  const gint    width = step->a->width;
  const gfloat *known = step->laid.known[color], *of_a = step->a->values[color], *of_b = step->laid.values[color];
  gfloat       *out = step->differences[color];
  gdouble       sum = 0, n = 0;

  for (gint y = square.y; y < square.y + square.height; y++)
    for (gsize i = (gsize) y * width + square.x, end = i + square.width; i < end; i++)
      {
        out[i] = known[i] * (of_b[i] - of_a[i]);
        sum += out[i];
        n += known[i];
      }
  for (gint y = square.y; y < square.y + square.height && n > 0; y++)
    for (gsize i = (gsize) y * width + square.x, end = i + square.width; i < end; i++)
      out[i] -= known[i] * (gfloat) (sum / n);
}

static void
subtract_squares (gint part, gint parts, gpointer data)
{
  Step *step = data;

  for (gint i = part; i < step->n; i += parts)
    for (gint c = 0; c < DIRECT_COLORS; c++)
      subtract_square (step, c, square_of (step, i));
}

static gdouble
deviation_of (const Step *step, gint color)
{
  const gint         n = step->a->width * step->a->height;
  g_autofree gfloat *sizes = g_new (gfloat, n / SPARSE + 1);
  gint               m = 0;

  for (gint i = 0; i < n; i += SPARSE)
    if (step->laid.known[color][i] != 0.0f)
      sizes[m++] = fabsf (step->differences[color][i]);
  if (m == 0)
    return EQUAL;
  return PER_MEDIAN * median_rank (sizes, m, m / 2) + EQUAL;
}

/* ------------------------------------------------------------------- sums -- */

/* What a change of each number adds to a pixel, from its gradients: tangent_rows. */
static inline void
fill_column (const Step *step, gdouble u, gdouble v, gdouble gx, gdouble gy, gdouble column[TANGENT_MOST])
{
  const gdouble away = gx * u + gy * v;

  column[0] = gx;
  column[1] = gy;
  column[2] = step->model == MODEL_SIMILARITY ? away : gx * u;
  column[3] = step->model == MODEL_SIMILARITY ? gy * u - gx * v : gx * v;
  column[4] = gy * u;
  column[5] = gy * v;
  column[6] = -u * away;
  column[7] = -v * away;
}

/* Of the square's pixels that are known; and the means of these columns. */
static void
fill_columns (const Step *step, gint color, Square square, const gfloat *along, const gfloat *down, gdouble *restrict columns,
              gdouble means[TANGENT_MOST])
{
  gdouble count = 0;
  gint    k = 0;

  memset (means, 0, TANGENT_MOST * sizeof *means);
  for (gint y = square.y; y < square.y + square.height; y++)
    {
      const gfloat *known = step->laid.known[color] + (gsize) y * step->a->width;
      const gdouble v = (y - step->tangent.y) / step->tangent.scale;

      for (gint x = square.x; x < square.x + square.width; x++, k++)
        if (known[x] != 0.0f)
          {
            gdouble *column = columns + (gsize) k * TANGENT_MOST;

            count++;
            fill_column (step, (x - step->tangent.x) / step->tangent.scale, v, along[k], down[k], column);
            for (gint m = 0; m < TANGENT_MOST; m++)
              means[m] += column[m];
          }
    }
  for (gint m = 0; m < TANGENT_MOST && count > 0; m++)
    means[m] /= count;
}

/* The gradients of A and of B, pixel by pixel of the square. */
static void
take_gradients (const Step *step, gint color, Square square, gfloat *restrict of_a, gfloat *restrict of_b)
{
  const gint    width = step->a->width, n = square.width * square.height;
  const gfloat *values = step->a->values[color];
  gint          k = 0;

  for (gint y = square.y; y < square.y + square.height; y++)
    for (gsize i = (gsize) y * width + square.x, end = i + square.width; i < end; i++, k++)
      if (step->laid.known[color][i] != 0.0f)
        {
          of_a[k] = 0.5f * (values[i + 1] - values[i - 1]);
          of_a[n + k] = 0.5f * (values[i + width] - values[i - width]);
          of_b[k] = step->across[color][i];
          of_b[n + k] = step->down[color][i];
        }
}

typedef struct
{
  gdouble *columns, means[TANGENT_MOST];
} Columns;

/* Each product is of A's gradient and B's: what is noise in one is not in the other.  Of the hessian also what is above its diagonal, which nobody
 * reads: a row is a vector. */
static inline void
add_pixel (const gdouble p[TANGENT_MOST], const gdouble q[TANGENT_MOST], gint numbers, gboolean is_far, gdouble half, gdouble difference, RefineSums *sums)
{
  for (gint m = 0; m < numbers; m++)
    {
      const gdouble of_a = half * p[m], of_b = half * q[m], both = 0.5 * (of_a + of_b);

      sums->steepest[m] += (of_a + of_b) * difference;
      if (is_far)
        for (gint l = 0; l < TANGENT_MOST; l++)
          sums->hessian[m][l] += both * (p[l] + q[l]);
      else
        for (gint l = 0; l < TANGENT_MOST; l++)
          sums->hessian[m][l] += of_a * q[l] + of_b * p[l];
    }
}

static inline void
subtract_means (const Columns *columns, gint k, gdouble column[TANGENT_MOST])
{
  for (gint m = 0; m < TANGENT_MOST; m++)
    column[m] = columns->columns[(gsize) k * TANGENT_MOST + m] - columns->means[m];
}

TESSERA_CLONES static void
add_pixels (const Step *step, gint color, Square square, const Columns *a, const Columns *b, RefineSums *sums, gdouble *seen)
{
  const gint    numbers = tangent_size (step->model);
  const gdouble scale = step->scale[color];
  gint          k = 0;

  for (gint y = square.y; y < square.y + square.height; y++)
    for (gint x = square.x; x < square.x + square.width; x++, k++)
      {
        const gsize   i = (gsize) y * step->a->width + x;
        const gdouble difference = step->differences[color][i], far = difference / (BIWEIGHT * scale);
        const gdouble near = 1 - far * far, weight = near > 0 ? near * near / (scale * scale) : 0;

        gdouble       p[TANGENT_MOST], q[TANGENT_MOST];

        if (step->laid.known[color][i] == 0.0f || weight == 0)
          continue;
        subtract_means (a, k, p);
        subtract_means (b, k, q);
        add_pixel (p, q, numbers, step->is_far, 0.5 * weight, difference, sums);
        *seen += weight * (p[0] + q[0]) * (p[0] + q[0]);
      }
}

static void
add_squares (gint part, gint parts, gpointer data)
{
  Step              *step = data;
  const gint         n = step->side * step->side;
  g_autofree gfloat *of_a = g_new0 (gfloat, 2 * n), *of_b = g_new0 (gfloat, 2 * n);
  Columns            a = { .columns = g_new (gdouble, TANGENT_MOST * n) }, b = { .columns = g_new (gdouble, TANGENT_MOST * n) };

  for (gint i = part; i < step->n; i += parts)
    {
      const Square square = square_of (step, i);
      const gint   size = square.width * square.height;

      memset (&step->sums[i], 0, sizeof *step->sums);
      step->seen[i] = 0;
      for (gint c = 0; c < DIRECT_COLORS; c++)
        {
          take_gradients (step, c, square, of_a, of_b);
          fill_columns (step, c, square, of_a, of_a + size, a.columns, a.means);
          fill_columns (step, c, square, of_b, of_b + size, b.columns, b.means);
          add_pixels (step, c, square, &a, &b, &step->sums[i], &step->seen[i]);
        }
    }
  g_free (a.columns);
  g_free (b.columns);
}

/* All sums of the squares at this matrix.  FALSE: too little is known. */
static gboolean
add_up (Step *step, const DirectPlane *b, const gdouble matrix[9])
{
  gdouble gains[DIRECT_COLORS];
  gint64  n = 0;

  direct_plane_lay (step->a, b, matrix, &step->laid, gains);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    n += find_gradients (step, c);
  if (n < FEW * DIRECT_COLORS * step->a->width * step->a->height)
    return FALSE;
  gegl_parallel_distribute (-1, subtract_squares, step);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    step->scale[c] = deviation_of (step, c);
  gegl_parallel_distribute (-1, add_squares, step);
  return TRUE;
}

/* The square of the gradients' mean, whose noise makes a step shorter, always has an answer. */
static gboolean
solve (const Step *step, gdouble answer[TANGENT_MOST])
{
  const gint n = tangent_size (step->model);
  gdouble    hessian[TANGENT_MOST][TANGENT_MOST] = { { 0 } };

  memset (answer, 0, TANGENT_MOST * sizeof *answer);
  for (gint i = 0; i < step->n; i++)
    for (gint k = 0; k < n; k++)
      {
        answer[k] += step->sums[i].steepest[k];
        for (gint l = 0; l <= k; l++)
          hessian[k][l] += step->sums[i].hessian[k][l];
      }
  return solve_positive (hessian[0], TANGENT_MOST, n, LEAST_PIVOT, answer);
}

gboolean
direct_step_all (const DirectPlane *a, const DirectPlane *b, ConsensusModel model, gboolean is_far, gdouble matrix[9])
{
  Step     step;
  gdouble  answer[TANGENT_MOST], went = INFINITY;
  gboolean is_known = TRUE;

  step_init (&step, a, model, is_far);
  for (gint i = 0; i < STEPS && is_known && went > STILL; i++)
    {
      is_known = add_up (&step, b, matrix) && solve (&step, answer);
      for (gint k = 0; k < TANGENT_MOST && i >= FIRST; k++)
        answer[k] *= SHORTER;
      if (is_known)
        went = tangent_apply (&step.tangent, model, answer, matrix);
      is_known &= went < FARTHEST;
    }
  step_clear (&step);
  return is_known;
}

RefineSums *
direct_step_sums (const DirectPlane *a, const DirectPlane *b, const gdouble matrix[9], gint *n)
{
  Step        step;
  RefineSums *result;

  step_init (&step, a, MODEL_HOMOGRAPHY, FALSE);
  result = g_new (RefineSums, step.n + 1);
  *n = 0;
  if (add_up (&step, b, matrix))
    for (gint i = 0; i < step.n; i++)
      if (step.seen[i] > 0)
        result[(*n)++] = step.sums[i];
  step_clear (&step);
  return result;
}
