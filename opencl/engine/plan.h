/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a request is cut into bands.  A plan is a value: one function makes it, another
 * makes it smaller.  Both ask nobody, so they are tested without a device.
 */
#ifndef TESSERA_PLAN_H
#define TESSERA_PLAN_H

#include "formats.h"
#include "request.h"
#include "tile-grid.h"

#define BANDS_AHEAD 4
#define MOST_SLICES 8

/* What a plan follows from. */
typedef struct
{
  const TesseraRequest *request;        /* its size, halo, formats and filter, not its buffers */
  const TesseraSurvey  *survey;         /* instead of an output, or NULL */
  TesseraTravel         input, aux, output;     /* zeros where there is none */
  TesseraTileGrid       grid;           /* the output's tiles, if the result may go into some; else zeros */
  gboolean              wants_tiles;    /* even where they are far more than the result */
  gint                  tile_height, tile_shift;        /* of the output: bands end where tiles do */
  guint                 tile_pixels;    /* TesseraSettings' */
  guint64               budget;         /* bytes of the device's memory */
  guint64               most_pinned;    /* ... and of the host's */
  gint                  rows;           /* of a band, if that is prescribed, or 0 */
} TesseraPlanBasis;

typedef struct
{
  gint     rows;                /* of a band; 0: not even a low one fits */
  gint     least;               /* rows below which bands cost more than C does */
  guint    ahead;               /* bands in flight */
  guint    slices;              /* in which a band is read and written that is alone */
  gboolean in_tiles;            /* the result may go straight into tiles */
  gboolean exact;               /* memory without room to spare */
  gboolean one_lane;            /* a request of one band */
  guint    halvings;            /* of the rows, until now */
  gint     tile_height, tile_shift;
  gint     cut_rows;            /* so many rows, in tiles that the output's edge cuts, are worth a band */
} TesseraPlan;

TesseraPlan tessera_plan         (const TesseraPlanBasis *basis);

/* After an allocation failed: less of something.  FALSE: there is no smaller plan, and the request is C's. */
gboolean    tessera_plan_smaller (TesseraPlan *plan);

/* Rows of the band that begins at `y` of `roi`. */
gint        tessera_plan_band    (const TesseraPlan *plan, const GeglRectangle *roi, gint y);

#endif
