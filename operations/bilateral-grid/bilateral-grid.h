/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the files of tessera:bilateral-grid share.
 *
 * Coordinates here are pixels from the image's origin.  "Range cells" are the
 * cells that a request needs: from one before to two after those of its pixels.
 */
#ifndef BILATERAL_GRID_H
#define BILATERAL_GRID_H

#include "tessera.h"

#include "../../opencl/math/tessera-index.h"
#include "../../opencl/math/tessera-grid.h"

/* One axis of a request.  Computed on the host, in double, rounded once. */
typedef struct
{
  gint    from, size;           /* the request's pixels */
  gint    n_cells;
  gint   *starts;               /* n_cells + 1: the first pixel of each cell, within the image; to be freed, with the next */
  gint   *cells;                /* size: floor (x/s), as an index into starts */
  gfloat *fractions;            /* size: x/s - floor (x/s) */
} GridAxis;

typedef struct
{
  gboolean by_luminance;        /* one grid, guided by luminance; else one for each channel */
  gboolean has_alpha;           /* the input */
  gint     values;              /* sums beside the count: 1 or 4 */
  gint     lanes;               /* tables a cell: 4 or 1 */
  gint     capacity;            /* entries of a sparse table */
  gint     odd;                 /* for its slots */
  gint     parts;               /* parts along a cell's side */
  gint     most_planes;         /* with more planes, sparse cells are cheaper */
  gfloat   range_sigma, per_plane;      /* r and 1/r */
  gfloat   weights[3];          /* luminance of R, G, B */
  gint     origin_x, origin_y;  /* the image's, in GEGL's coordinates */
  GridAxis x, y;
} GridParams;

/* p of a pixel's luminance. */
static inline gfloat
grid_luminance_planes (const GridParams *params, const gfloat *pixel)
{
  return ((params->weights[0] * pixel[0] + params->weights[1] * pixel[1])
          + params->weights[2] * pixel[2]) * params->per_plane;
}

/* -------------------------------------------------------- tiles (C path) -- */

/* A rectangle of pixels to compute, the cells that it needs (x1, y1 exclusive), and those cells' pixels. */
typedef struct
{
  const TesseraRequest *request;
  const GridParams     *params;
  GeglRectangle         roi;            /* image coordinates, as all here */
  gint                  cx0, cy0, cx1, cy1, cells_x, cells_y;
  GeglRectangle         around;
  gfloat               *pixels, *guide; /* of around, RGBA; guide NULL or RGBA */
  gint                  low, n_planes;  /* planes low .. low + n_planes - 1 */
} GridTile;

static inline gfloat *
tile_pixel (const GridTile *tile, gfloat *pixels, gint x, gint y)
{
  return pixels + 4 * ((gsize) (y - tile->around.y) * tile->around.width + x - tile->around.x);
}

/* Numbers of a cell of a dense grid, [plane][8]: values in 0..3, counts in 4..7.  By luminance [plane][4]: premultiplied R, G, B, A. */
static inline gint
cell_floats (const GridTile *tile)
{
  return (tile->params->by_luminance ? 4 : 8) * tile->n_planes;
}

/* Numbers in a tile's dense grid and in its sparse one. */
static inline gsize
dense_floats (const GridTile *tile)
{
  return (gsize) tile->cells_x * tile->cells_y * cell_floats (tile);
}

static inline gsize
sparse_words (const GridTile *tile)
{
  return (gsize) tile->cells_x * tile->cells_y * tile->params->capacity * GRID_ENTRY (tile->params->values);
}

/* Both write the result over the tile's roi, within its pixels. */
void bilateral_grid_dense  (GridTile *tile);
void bilateral_grid_sparse (GridTile *tile);

/* The C path of any part of a request. */
void bilateral_grid_area (const TesseraRequest *request, const GeglRectangle *area);

/* ---------------------------------------------------------------- device -- */

/* TesseraFilter's members; params is a GridParams. */
gsize bilateral_grid_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint  bilateral_grid_measure       (TesseraBand *band, TesseraMemory *result);
gint  bilateral_grid_device        (TesseraBand *band);

#endif
