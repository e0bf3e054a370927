/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files shift*.c share. */
#ifndef SHIFT_PARTS_H
#define SHIFT_PARTS_H

#include "shift.h"

#include "tessera.h"

#include <math.h>

#include "../../opencl/math/tessera-shift.h"
#include "../../opencl/math/tessera-shift-mean.h"

/* What a pixel is, in a byte; the device has bits (opencl/kernels/estimate-shift.cl). */
#define SHIFT_BAD            1
#define SHIFT_NEAR_BAD       2  /* a bad pixel lies within 3x3 */
#define SHIFT_NEAR_REFERENCE 4  /* ... within 3x3 of the pixel or of its four neighbours */
#define SHIFT_NEAR_TAPS      8  /* ... within 3x3 of the 16 taps behind a place that begins here */

/* What the pixels that are used are. */
#define SHIFT_USABLE 1
#define SHIFT_STEEP  2

struct _ShiftFrame
{
  gint     width, height;
  gfloat  *softened;
  guint8  *flags;               /* SHIFT_BAD ... */
  gdouble *columns, *rows;      /* projections on x and on y, less their running medians; NULL unless a start is wanted */
};

/* The sum of a tile's columns, which are lost. */
static inline gfloat
shift_halve (gfloat columns[SHIFT_TILE_WIDTH])
{
  for (gint half = SHIFT_TILE_WIDTH / 2; half > 0; half /= 2)
    for (gint i = 0; i < half; i++)
      columns[i] += columns[i + half];
  return columns[0];
}

static inline gint
shift_tiles (gint n, gint size)
{
  return (n + size - 1) / size;
}

/* A thread's share of the rows. */
#define SHIFT_ROW_COST(width) (64.0 * 64.0 / (width))

/* Bits of floats that are not negative, the upper ones first: those grow with the floats, so the bits of a median can be counted out. */
#define SHIFT_LEVELS 3
#define SHIFT_MOST_BINS 2048

static const gint shift_low_bits[SHIFT_LEVELS] = { 20, 10, 0 }, shift_bins[SHIFT_LEVELS] = { 2048, 1024, 1024 };

/* Writes some values that are not negative for each row, SHIFT_NO_VALUE among them, at most `most`, and returns how many.  From several threads. */
typedef gint (*ShiftValues) (gconstpointer data, gint row, gfloat *values);

#define SHIFT_NO_VALUE tessera_as_float (0x7fffffff)

/* shift-median.c: exact; the mean of the two in the middle of an even number; 0 of none. */
gdouble shift_median        (ShiftValues values, gconstpointer data, gint rows, gint most);

/* shift-bad.c: the pixels, and 0 where they are bad; SHIFT_BAD there. */
void    shift_clean         (const CountPlane *plane, const ShiftSettings *settings, gfloat *clean, guint8 *bad);
/* Of the excess over a median, from the median of its magnitudes. */
gfloat  shift_hot_threshold (gdouble median);

/* shift-frame.c: of the sums of tiles (SHIFT_TILE_HEIGHT rows or SHIFT_TILE_WIDTH columns) in each of n columns or rows, and of how many pixels
 * they are: projections less their running medians.  Sum i, t is at [i * stride + t * step]. */
gdouble *shift_projection   (const gfloat *sums, const gint *pixels, gint n, gint stride, gint tiles, gint step);
/* Of n means (shift_mean).  What is not known is as what is before it. */
gdouble *shift_projection_of (const gdouble *means, gint n);

/* shift-start.c: whole pixels, up to `most` in magnitude, the best first; returns how many, at least one. */
#define SHIFT_MOST_LAGS 6

gdouble *shift_less_median  (const gdouble *means, gint n);
gint     shift_best_lags    (const gdouble *reference, const gdouble *frame, gint n, gint most, gint lags[SHIFT_MOST_LAGS]);

/* Projections of both frames; NULL without a start. */
typedef struct
{
  const gdouble *columns, *rows;
} ShiftProjections;

/* At least so many steep pixels are to be used alone. */
#define SHIFT_FEWEST_STEEP 64

/* shift-steps.c: a search for a shift.  Who makes the sums looks at `asks`, answers, and looks again. */
typedef enum
{
  SHIFT_ASKS_NOTHING,           /* `found` is the answer */
  SHIFT_ASKS_MEDIAN,            /* of |h| and |g| of the pixels that can be used where the whole part of the shift is (x, y) */
  SHIFT_ASKS_SUMS               /* of those with h^2 + g^2 above the threshold, if they are SHIFT_FEWEST_STEEP or more, or else of all */
} ShiftAsks;

typedef enum { SHIFT_FIRST_STEPS, SHIFT_STARTS, SHIFT_OTHER_STEPS } ShiftStage;

typedef struct
{
  ShiftAsks  asks;
  gint       x, y;
  gfloat     taps_x[4], taps_y[4];
  gfloat     threshold;
  gboolean   is_fresh;          /* these pixels have not been asked for before */
  Shift      found;

  /* The search's own. */
  gint       width, height;
  gboolean   repeats, looks_beside;
  ShiftStage stage;
  Shift      now, other;        /* of the steps that are made; the best of the other starts */
  gdouble    from_x, from_y;    /* where these steps began */
  gboolean   is_damped;         /* they are a part of what the sums say: */
  gdouble    part, last_x, last_y;      /* that part, and what the last sums said */
  gdouble    residual;          /* of the last sums: squares of the difference to those of the gradient */
  gdouble    first_residual, least;
  gint       lags_x[SHIFT_MOST_LAGS], lags_y[SHIFT_MOST_LAGS], n_x, n_y, start;
} ShiftSearch;

void shift_search_begin  (ShiftSearch *search, gint width, gint height, const ShiftProjections *reference, const ShiftProjections *frame,
                          const ShiftSettings *settings);
void shift_search_median (ShiftSearch *search, gdouble median);
void shift_search_sums   (ShiftSearch *search, const gdouble sums[SHIFT_SUMS]);
/* Of the sums of tiles, row by row. */
void shift_add_tiles     (const gfloat *tiles, gint n, gdouble sums[SHIFT_SUMS]);

#endif
