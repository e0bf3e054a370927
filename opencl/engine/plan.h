/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a request is cut into bands.  A plan is a value: one function makes it, another makes it smaller.  Both
 * depend only on their arguments, so they are tested without a device.
 */
#ifndef TESSERA_PLAN_H
#define TESSERA_PLAN_H

#include "formats.h"
#include "request.h"

#define BANDS_AHEAD 4           /* Price: 1.6, against 1 (motion blur, 24 Mpix; H200, 2026-11-22) */
#define MOST_SLICES 8

/* The grid of tiles that a rectangle of a buffer meets. */
typedef struct
{
  gint          width, height;  /* of a tile */
  gint          pixel, bytes;   /* bytes of a pixel, and of a tile */
  gint          x, y;           /* the first tile's first pixel ... */
  gint          column, row;    /* ... and its place as GEGL counts it */
  gint          across, down;   /* how many tiles */
  gint          first, all;     /* of a part: its first tile among all */
  GeglRectangle whole;          /* the tiles that lie entirely in the rectangle */
  GeglRectangle ours;           /* those, and the tiles that the buffer's edge cuts, if they may be ours */
} TesseraTileGrid;

/* The begin of the tile with `position`, along one axis: `shift` before a multiple of its size. */
static inline gint
tessera_tile_start (gint position, gint size, gint shift)
{
  const gint past = (position + shift) % size;

  return position - (past < 0 ? past + size : past);
}

/* The tiles of this size that `rect` meets; `whole` and `ours` are still to be found. */
TesseraTileGrid tessera_tile_grid (const GeglRectangle *rect, gint width, gint height, gint shift_x, gint shift_y,
                                   gint pixel);
/* The pixels of these tiles of the grid. */
GeglRectangle   tessera_tiles_area (const TesseraTileGrid *grid, const GeglRectangle *tiles);
/* Is the tile at (x, y) of the grid one of these? */
gboolean        tessera_is_tile    (const GeglRectangle *tiles, gint x, gint y);
/* The tiles whose pixels in `outside` all lie in `inside`. */
GeglRectangle   tessera_tiles_full (const TesseraTileGrid *grid, const GeglRectangle *inside,
                                    const GeglRectangle *outside);
/* Rows `top` to `bottom` of its tiles. */
TesseraTileGrid tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom);

/* The facts from which a plan is made. */
typedef struct
{
  const TesseraRequest *request;        /* its size, halo, formats and filter, not its buffers */
  const TesseraSurvey  *survey;         /* in place of an output, or NULL */
  TesseraTravel         input, aux, output;     /* zeros if there is none */
  TesseraTileGrid       grid;           /* the output's tiles, if the result may go into some; else zeros */
  gint                  tile_height, tile_shift;        /* of the output; bands end where tiles end */
  guint                 tile_pixels;    /* TesseraSettings' */
  guint64               budget;         /* bytes of the device's memory */
  guint64               most_pinned;    /* ... and of the host's */
  gint                  rows;           /* of a band, if prescribed; else 0 */
  gboolean              is_there, stays;        /* the input is on the device already; the result stays there */
} TesseraPlanBasis;

typedef struct
{
  gint     rows;                /* of a band; 0: not even a low one fits */
  gint     least;               /* fewer rows cost more than C */
  guint    ahead;               /* bands in flight */
  guint    slices;              /* for a band that is alone: it is read in so many parts */
  guint    result_slices;       /* ... and written; an answer is small, whatever it is about */
  gboolean in_tiles;            /* the result may go straight into tiles */
  gboolean exact;               /* memory without room to spare */
  gboolean one_lane;            /* a request of one band, unless passes run while its rows travel */
  guint    halvings;            /* of the rows, so far */
  gint     tile_height, tile_shift;
} TesseraPlan;

TesseraPlan tessera_plan         (const TesseraPlanBasis *basis);

/* Makes the plan smaller, after an allocation failed.  FALSE: there is no smaller plan, and C computes the request. */
gboolean    tessera_plan_smaller (TesseraPlan *plan);

/* Pixel reads of one launch, at most, on a device of so many processors. */
gdouble     tessera_plan_reads   (guint units);

/* Rows of the band that begins at `y` of `roi`. */
gint        tessera_plan_band    (const TesseraPlan *plan, const GeglRectangle *roi, gint y);

#endif
