/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What SIFT computes of one candidate, one angle, one descriptor.
 * Dialect: the common part of C and OpenCL C with doubles; C needs math.h.  Needs tessera-extreme.h, tessera-portable.h.
 */
#define SIFT_WALK     8         /* how far a point may lie from its candidate, along an axis */
#define SIFT_ROUNDS   5
#define SIFT_ACCEPTED 0.5       /* offset along each axis */

#define SIFT_BINS     36
#define ANGLE_REACH   4.5       /* radius of an angle's window, in sigmas */
#define ANGLE_SIGMA   1.5       /* standard deviation of its weights */
#define ANGLE_PEAK    0.8       /* of the highest one */

#define CELLS         4         /* along an axis */
#define DIRECTIONS    8
#define CELL          3.0       /* width, in sigmas */
#define WINDOW        2.5       /* half the width of all that is counted, in cells */
#define CLIP          0.2
#define LENGTH        512.0
#define LEAST_LENGTH  1.2e-7

#define SIFT_LN2      0.69314718055994531

/* The greater one; the second where one is no number. */
#define SIFT_MOST_OF(a, b)  ((a) > (b) ? (a) : (b))
#define SIFT_LEAST_OF(a, b) ((a) < (b) ? (a) : (b))

static inline double
sift_power_of_2 (double x)
{
  const double whole = floor (x);

  return ldexp (portable_exp ((x - whole - 1.0) * SIFT_LN2), (int) whole + 1);
}

/* ----------------------------------------------------------------- place -- */

typedef struct
{
  int layer, row, column;
} SiftCandidate;

/* Derivatives of D, the offset to its extreme, its value there. */
typedef struct
{
  double x, y, s;
  double xx, yy, ss, xy, xs, ys;
  double dx, dy, ds;
  double value;
} SiftFit;

/* 0: no extreme, or one at no finite place. */
static inline int
sift_solve (SiftFit *f)
{
  const double a = f->yy * f->ss - f->ys * f->ys, b = f->xy * f->ss - f->ys * f->xs, c = f->xy * f->ys - f->yy * f->xs;
  const double det = (f->xx * a - f->xy * b) + f->xs * c;

  if (det == 0.0)
    return 0;
  f->dx = -((f->x * a - f->xy * (f->y * f->ss - f->ys * f->s)) + f->xs * (f->y * f->ys - f->yy * f->s)) / det;
  f->dy = -((f->xx * (f->y * f->ss - f->ys * f->s) - f->x * b) + f->xs * (f->xy * f->s - f->y * f->xs)) / det;
  f->ds = -((f->xx * (f->yy * f->s - f->y * f->ys) - f->xy * (f->xy * f->s - f->y * f->xs)) + f->x * c) / det;
  return isfinite (f->dx) && isfinite (f->dy) && isfinite (f->ds);
}

/* By central differences; d: [layer][row][column]. */
static inline int
sift_fit (const double d[27], SiftFit *f)
{
  f->value = d[13];
  f->x = 0.5 * (d[14] - d[12]);
  f->y = 0.5 * (d[16] - d[10]);
  f->s = 0.5 * (d[22] - d[4]);
  f->xx = (d[14] + d[12]) - 2.0 * f->value;
  f->yy = (d[16] + d[10]) - 2.0 * f->value;
  f->ss = (d[22] + d[4]) - 2.0 * f->value;
  f->xy = 0.25 * ((d[17] - d[15]) - (d[11] - d[9]));
  f->xs = 0.25 * ((d[23] - d[21]) - (d[5] - d[3]));
  f->ys = 0.25 * ((d[25] - d[19]) - (d[7] - d[1]));
  return sift_solve (f);
}

static inline int
sift_is_near (int from, double step, int candidate, int least, int end)
{
  const double to = from + step;

  return to >= least && to < end && fabs (to - candidate) <= SIFT_WALK;
}

/* From `at` towards the extreme.  1: it is there; 0: it has moved; -1: it leaves the octave, or goes too far. */
static inline int
sift_step (const SiftFit *f, const SiftCandidate *candidate, int width, int height, int intervals, SiftCandidate *at)
{
  const double right = floor (f->dx + 0.5), down = floor (f->dy + 0.5), up = floor (f->ds + 0.5);

  if (fabs (f->dx) < SIFT_ACCEPTED && fabs (f->dy) < SIFT_ACCEPTED && fabs (f->ds) < SIFT_ACCEPTED)
    return 1;
  if (! sift_is_near (at->column, right, candidate->column, EXTREME_FRAME, width - EXTREME_FRAME)
      || ! sift_is_near (at->row, down, candidate->row, EXTREME_FRAME, height - EXTREME_FRAME)
      || ! (at->layer + up >= 1 && at->layer + up <= intervals))
    return -1;
  at->column += (int) right;
  at->row += (int) down;
  at->layer += (int) up;
  return 0;
}

static inline double
sift_response (const SiftFit *f)
{
  return fabs (f->value + 0.5 * ((f->x * f->dx + f->y * f->dy) + f->s * f->ds));
}

/* Is it strong enough, and no edge? */
static inline int
sift_holds (const SiftFit *f, double contrast_threshold, double edge_threshold, int intervals)
{
  const double det = f->xx * f->yy - f->xy * f->xy, trace = f->xx + f->yy, r = edge_threshold;

  return sift_response (f) * intervals >= contrast_threshold && det > 0.0 && trace * trace * r < (r + 1.0) * (r + 1.0) * det;
}

/* In pixels of the image.  A multiple of 2^-32, so that the image's origin is added exactly, and a point does not depend
 * on where the image lies. */
static inline double
sift_place_of (int origin, double place)
{
  return origin + floor (place * 4294967296.0 + 0.5) / 4294967296.0;
}

/* ---------------------------------------------------------------- angles -- */

/* 0 for NaN, where a level overflows.  With floor gcc makes no vectors. */
static inline int
sift_bin (double angle)
{
  const double place = angle * 0.1 + 0.5;
  const int    bin = (int) (place >= 0.0 ? place : 0.0);

  return bin >= SIFT_BINS ? bin - SIFT_BINS : bin;
}

/* A bin between the two before it and the two behind it. */
static inline double
sift_smoothed (double before2, double before, double here, double behind, double behind2)
{
  return ((before2 + behind2) + 4.0 * (before + behind) + 6.0 * here) / 16.0;
}

static inline int
sift_is_peak (double left, double peak, double right, double highest)
{
  return peak > left && peak > right && peak >= ANGLE_PEAK * highest;
}

static inline double
sift_peak_angle (int bin, double left, double peak, double right)
{
  const double angle = 10.0 * (bin + 0.5 * (left - right) / ((left - 2.0 * peak) + right));

  return angle < 0.0 ? angle + 360.0 : angle >= 360.0 ? angle - 360.0 : angle;
}

/* ------------------------------------------------------------ descriptor -- */

static inline int
sift_window_radius (double sigma)
{
  return (int) floor (CELL * sigma * 1.41421356237309504880 * WINDOW + 0.5);
}

/* A number of a descriptor.  `is_root`: the root of its share of their sum, which is `length` then (R. Arandjelovic, A. Zisserman, Three
 * things everyone should know to improve object retrieval, CVPR 2012, section 3). */
static inline double
sift_scaled (double value, double length, int is_root)
{
  return is_root ? LENGTH * sqrt (value / length) : LENGTH * value / length;
}

static inline int
sift_element (double scaled)
{
  const double element = floor (scaled + 0.5);

  return element < 255.0 ? (int) element : element >= 255.0 ? 255 : 0;          /* 0 for NaN */
}
