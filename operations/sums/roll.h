/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Passes in C, as they are declared on the device, but over rows that stay in the cache.
 *
 *   pass 0 ---- window 0 ----> pass 1 ---- window 1 ----> pass 2 ----> rows of the result
 *   (reads)     its last rows  (along x)   its last rows  (along y)
 *
 * A pass is a function that makes the next rows of those that the pass before has made, and of a halo of those around them.
 * Order: the last pass is asked for the result's next rows, from top to bottom.  Each pass asks the one before for the rows that
 * its window lacks, some at a time, then makes its own.  So each row of each pass is made once, in one order, for one strip.
 * A window holds what one turn of its reader needs: the reader's halo and the rows of that turn.  What the next turn needs too
 * moves to its beginning.  Window 0 holds the rows that the last pass makes too, if that one sees the input.
 * NaN and borders: rows are moved, not computed with; what the functions write stays.  Reading extends the image.  Where
 * a pass's own edge counts beyond it, `top` and `bottom` are the edges, whose rows are repeated.
 */
#ifndef ROLL_H
#define ROLL_H

#include "tessera.h"

#define ROLL_RUN    64          /* floats: a row has room for whole runs, of as many planes of 16 n pixels as a pixel has floats */
#define ROLL_PASSES 32

/* What a pass makes at a time. */
typedef struct
{
  GeglRectangle roi;            /* where it lies */
  gfloat       *in;             /* the same place in the pass before, around which the halo lies; a pass that needs nothing else
                                 * of them may write over the first of its rows, as many as it makes */
  gsize         in_stride;      /* floats from one row to the next */
  const gfloat *input;          /* the same place in pass 0; of the last pass, if it sees the input */
  gsize         input_stride;
  gfloat       *out;
  gsize         out_stride;
} RollBlock;

typedef struct
{
  TesseraHalo   halo;           /* what it needs of the pass before */
  gint          floats;         /* of a pixel that it makes */
  void        (*make) (const RollBlock *block, gconstpointer data);
  gconstpointer data;
} RollPass;

/* Rows that a pass has made. */
typedef struct
{
  gfloat *rows;
  gsize   stride;
  gint    x, width;
  gint    first, end;           /* that are there */
  gint    next;                 /* that its pass will make */
} RollWindow;

typedef struct
{
  gint       n;
  gboolean   in_place;          /* the last pass may write over the first rows that it reads */
  gboolean   sees_input;        /* the last pass */
  gint       rows, piece;       /* that the last pass, and any other one, makes at a time: at most */
  gint       top, bottom;
  RollPass   passes[ROLL_PASSES];
  RollWindow windows[ROLL_PASSES];      /* the last one is of the result */
} Roll;

/* Makes `area`; only `n`, `passes` and both gbooleans need be set.  A filter's `area` calls it. */
void roll_area (Roll *roll, const TesseraRequest *request, const GeglRectangle *area);

/* The first pass of a filter, of as many floats as the input's pixels have; its data is the request. */
void roll_read (const RollBlock *block, gconstpointer data);

/* For passes of another kind: begins with the columns and the first row of `roi`, in memory for as many floats as it returns.
 * NULL: it is only asked for that. */
gsize roll_begin (Roll *roll, const GeglRectangle *roi, gfloat *memory);

/* The result's next n rows, as long as no others are made; their stride is the last window's. */
gfloat *roll_next (Roll *roll, gint n);

#endif
