/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Passes in C, declared as on the device; their rows stay in the cache.
 *
 *   pass 0 ---- window 0 ----> pass 1 ---- window 1 ----> pass 2 ----> rows of the result
 *   (reads)     its last rows  (along x)   its last rows  (along y)
 *
 * Pass: a function that makes some rows, from the rows of the pass before and a halo around them.
 * Order: the last pass is asked for the result's next rows, from top to bottom.  A pass asks the one before
 * for what its window lacks, a piece at a time, then makes its own rows.  So each row is made once, in order.
 * Rows held: the reader's halo and the rows that it makes at a time.  Those that it needs again move to the
 * window's beginning.  Window 0 also holds what the last pass makes, if that one sees the input.
 * NaN: rows are moved, never computed with; NaN goes where the functions take it.
 * Borders: reading extends the image, so a pass tests none.  If what a pass makes has edges of its own, `top`
 * and `bottom` are these, and their rows are repeated beyond; columns are its function's affair.
 */
#ifndef ROLL_H
#define ROLL_H

#include "tessera.h"

#define ROLL_RUN    64          /* floats: a row has room for whole runs, and for its pixels in planes of 16 n floats */
#define ROLL_PASSES 32

/* What a pass makes at a time. */
typedef struct
{
  GeglRectangle roi;            /* where it lies */
  gfloat       *in;             /* the same place in the pass before.  Of its rows with the halo, those that this
                                 * one alone reads are the first: as many as it makes, and free to be written over */
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

/* For results that are no request's: begins with the columns and the first row of `roi`, in memory for as many
 * floats as it returns.  NULL: it is only asked for that.  Set are `rows`, `piece`, `top` and `bottom` too. */
gsize roll_begin (Roll *roll, const GeglRectangle *roi, gfloat *memory);

/* The result's next n rows, as long as no others are made; their stride is the last window's. */
gfloat *roll_next (Roll *roll, gint n);

#endif
