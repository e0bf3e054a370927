/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the parts of tessera:equalize share: the histograms of a grid of tiles (one tile for the
 * whole image if the equalisation is global), the tables made from them, and the rows of pixels in C.
 */
#ifndef EQUALIZE_H
#define EQUALIZE_H

#include <gegl.h>

#include "tessera.h"

/* Between which two tiles a column or row of pixels lies. */
typedef struct
{
  gint   tile, next;            /* next: 1 if there is a tile after it, else 0 */
  gfloat fraction;              /* of the way */
} EqualizePlace;

/* Tiles along one axis of n pixels; positions count from the image's origin. */
typedef struct
{
  gint           n, tiles;
  gint          *edges;         /* tiles + 1 */
  EqualizePlace *places;        /* n */
} EqualizeAxis;

/* The pixels of the image on the device, from the survey for the request that follows. */
typedef struct
{
  TesseraKept *pixels;          /* of the input, on the device */
  gboolean     is_begun;        /* the memory has been asked for */
  gboolean     is_whole;        /* all rows so far are in it */
} EqualizeKept;

typedef struct
{
  gint          channels;       /* 1: luminance, 3: R', G', B' */
  gboolean      is_linear;      /* pixels are linear light, else R'G'B' */
  gint          bins;
  gdouble       clip_limit;     /* 0: global */
  gfloat        weights[3];     /* of linear R, G, B in luminance */
  GeglRectangle bounds;
  EqualizeAxis  x, y;

  GeglRectangle surveyed;       /* the tiles that a survey counts */
  gint          first_row;      /* of tiles: the tables begin there ... */
  gint          table_rows;     /* ... and how many rows there is room for */
  guint         mapped;         /* bit c: channel c has tables, else it passes unchanged */
  gfloat       *tables;         /* [row of tiles][tile][channel][bin] */
  EqualizeKept *kept;
} Equalize;

static inline gsize
equalize_tile_size (const Equalize *e)
{
  return (gsize) e->channels * e->bins;
}

static inline gsize
equalize_row_size (const Equalize *e)
{
  return equalize_tile_size (e) * e->x.tiles;
}

/* --- equalize-tables.c ------------------------------------------------------------ */

/* `edges` and `places` are to be freed. */
void equalize_axis_init (EqualizeAxis *axis, gint n, gint tiles);

/* The global tables, into e->tables, e->mapped. */
void equalize_global_tables (Equalize *e, const guint32 *counts);
/* The tables of the tiles in e->surveyed, to their place in e->tables. */
void equalize_local_tables  (const Equalize *e, const guint32 *counts);

/* --- equalize-rows.c -------------------------------------------------------------- */

/* TesseraFilter.survey_area, merge and block; params is an Equalize.  A part: guint32 of
 * each tile of `surveyed`, row by row, each channel, each bin. */
void equalize_survey_area (const TesseraRequest *request, const GeglRectangle *area, gpointer part);
void equalize_merge       (const TesseraRequest *request, const GeglRectangle *area, gpointer result, gconstpointer part);
void equalize_block       (const TesseraRequest *request, const TesseraBlock *block);

/* --- equalize-bytes.c ------------------------------------------------------------- */

/* The same of grey pictures that have this format; NULL: of others. */
const Babl *equalize_bytes_format (const TesseraRequest *request, const Equalize *e);
void        equalize_survey_bytes (const TesseraRequest *request, const GeglRectangle *area, gpointer part);
void        equalize_map_bytes    (const TesseraRequest *request, const GeglRectangle *area);

#endif
