/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files shift*.c share. */
#ifndef SHIFT_PARTS_H
#define SHIFT_PARTS_H

#include "shift.h"

#include "tessera.h"

#include "../opencl/math/tessera-shift.h"

struct _ShiftFrame
{
  gint     width, height;
  gfloat  *softened;
  guint8  *flags;               /* SHIFT_BAD ... */
  gdouble *columns, *rows;      /* projections on x and on y, less their running medians */
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

/* Values that are not negative, some for each row: writes at most `most` and returns how many.  From several threads. */
typedef gint (*ShiftValues) (gconstpointer data, gint row, gfloat *values);

/* shift-median.c: the exact median, the mean of the two in the middle of an even number; 0 of none.  `n` may be NULL. */
gdouble shift_median (ShiftValues values, gconstpointer data, gint rows, gint most, gsize *n);

/* shift-bad.c: the pixels, and 0 where they are bad; SHIFT_BAD there. */
void    shift_clean  (const CountPlane *plane, const ShiftSettings *settings, gfloat *clean, guint8 *bad);

/* shift-start.c: whole pixels, up to `most` in magnitude. */
gdouble *shift_projection_new (const gdouble *means, gint n);
gint     shift_best_lag       (const gdouble *reference, const gdouble *frame, gint n, gint most);

/* shift-steps.c */
void shift_steps (const ShiftFrame *reference, const ShiftFrame *frame, gboolean repeats, Shift *found);

#endif
