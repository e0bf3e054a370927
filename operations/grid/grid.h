/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The bilateral grid (tessera-bilateral-grid.c has its definition), for operations that smooth pictures or planes by one.
 *
 * Coordinates here are pixels from the image's origin.  "Range cells" are the
 * cells that a request needs: from one before to two after those of its pixels.
 */
#ifndef GRID_H
#define GRID_H

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
  gboolean by_luminance;        /* one grid, guided by luminance; else one for each channel, or for a plane */
  gboolean of_plane;            /* what is smoothed guides, and has a weight: two floats a pixel, not four */
  gboolean has_alpha;           /* the input */
  gint     values;              /* sums beside the count: 1 or 4 */
  gint     lanes;               /* tables a cell: 4 by channels, else 1 */
  gint     capacity;            /* entries of a sparse table */
  gint     odd;                 /* for its slots */
  gint     parts;               /* parts along a cell's side */
  gint     most_planes;         /* with more planes, sparse cells are cheaper */
  gint     usual_planes;        /* that values 0..2 touch, unless said otherwise: memory is planned for these */
  gfloat   range_sigma, per_plane;      /* r and 1/r */
  gfloat   weights[3];          /* luminance of R, G, B */
  gint     origin_x, origin_y;  /* the image's, in GEGL's coordinates */
  GridAxis x, y;
} GridParams;

/* What the settings and the place of a request make of the parameters, for `lanes` grids of `values` sums; to be cleared. */
void grid_params_init  (GridParams *params, gdouble spatial_sigma, gdouble range_sigma, gint lanes, gint values,
                        const GeglRectangle *bounds, const GeglRectangle *roi);
void grid_params_clear (GridParams *params);

/* A pixel's support: 2.5 sigma, and one for the rounding. */
TesseraHalo grid_halo (gdouble spatial_sigma);

/* Do all values of this buffer lie in 0 .. 1 in this format?  Few planes hold them then, and nobody has to look. */
gboolean grid_range_is_known (GeglBuffer *buffer, const Babl *working);

/* p of a pixel's luminance. */
static inline gfloat
grid_luminance_planes (const GridParams *params, const gfloat *pixel)
{
  return ((params->weights[0] * pixel[0] + params->weights[1] * pixel[1])
          + params->weights[2] * pixel[2]) * params->per_plane;
}

/* -------------------------------------------------------- tiles (C path) -- */

/* Memory that a thread's tiles use one after the other.  It begins as zeros, and its memory is to be freed. */
typedef struct
{
  gfloat *memory;
  gsize   floats;
} GridRoom;

/* Room for so many, uninitialised, in place of what was there. */
static inline gfloat *
grid_room (GridRoom *room, gsize floats)
{
  if (room->floats < floats)
    {
      g_free (room->memory);
      *room = (GridRoom) { g_new (gfloat, floats), floats };
    }
  return room->memory;
}

/* A rectangle of pixels to compute, the cells that it needs (x1, y1 exclusive), and those cells' pixels. */
typedef struct
{
  const TesseraRequest *request;
  const GridParams     *params;
  GeglRectangle         roi;            /* image coordinates, as all here */
  gint                  cx0, cy0, cx1, cy1, cells_x, cells_y;
  GeglRectangle         around;
  gfloat               *pixels, *guide; /* of around, RGBA; guide NULL or RGBA */
  const gfloat         *plane, *weights;        /* of around, in place of both */
  gint                  row;            /* pixels from one row of any of them to the next */
  gint                  low, n_planes;  /* planes low .. low + n_planes - 1 */
  gfloat               *smoothed;       /* of a plane: of the roi's first pixel, ... */
  gint                  smoothed_row;   /* ... and floats from one row of it to the next */
  GridRoom             *room;
} GridTile;

static inline gfloat *
tile_pixel (const GridTile *tile, gfloat *pixels, gint x, gint y)
{
  return pixels + 4 * ((gsize) (y - tile->around.y) * tile->row + x - tile->around.x);
}

/* Where a pixel is in the planes. */
static inline gsize
tile_place (const GridTile *tile, gint x, gint y)
{
  return (gsize) (y - tile->around.y) * tile->row + x - tile->around.x;
}

/* Numbers of a cell of a dense grid, [plane][8]: values in 0..3, counts in 4..7.  By luminance [plane][4]: premultiplied R, G, B, A.
 * Of a plane [2][plane]: values, then counts. */
static inline gint
cell_floats (const GridTile *tile)
{
  return (tile->params->of_plane ? 2 : tile->params->by_luminance ? 4 : 8) * tile->n_planes;
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

/* Places of the pixels of up to GRID_PART rows. */
typedef struct
{
  gint   *at;
  gfloat *value, *count;
} GridPlaces;

/* Those of n pixels from (x, y) on, to element k and those behind.  `nearest`: the nearest plane, and by alpha, as they are added. */
void grid_place_row (const GridTile *tile, gint y, gint x, gint n, gint nearest, const GridPlaces *places, gsize k);

#define GRID_DENSE_FLOATS (4 << 20)     /* numbers of a tile's grid; for more, tiles are smaller */
#define GRID_SPARSE_WORDS (4 << 20)

/* Finds the cells that the tile's roi needs, and their pixels. */
void grid_tile_shape (GridTile *tile);

/* Sets low and n_planes so that they span every plane from p = least to p = most (least > most: nothing counts).  FALSE if these
 * are too many for a dense grid. */
gboolean grid_tile_planes (GridTile *tile, gfloat least, gfloat most);

/* Computes the result, if the tile's grid, dense or sparse, is not too large.  FALSE: it is, and is not the smallest. */
gboolean grid_tile_compute (GridTile *tile, gboolean is_dense, gboolean is_smallest);

/* Pixels on the side of a cell, at least: a tile is not cut further. */
static inline gint
grid_smallest_tile (const GridParams *params)
{
  return params->parts * GRID_PART;
}

/* Both write the result over the tile's roi, within its pixels; of a plane to `smoothed`. */
void grid_dense  (GridTile *tile);
void grid_sparse (GridTile *tile);

/* --------------------------------------------------------------- a plane -- */

/* A plane of values that is smoothed by itself, as tessera:bilateral-grid smooths a channel: each adds (w v, w). */
typedef struct
{
  GeglRectangle around;         /* what is there */
  const gfloat *values, *weights;       /* weights of 0 and what does not count: such a value passes through */
} GridPlane;

#define GRID_CHUNK  256                 /* pixels that the functions below are given at a time, at most */
#define GRID_PLANES 2

/* What an operation that smooths a plane of its picture does in C. */
typedef struct
{
  const GridParams *grids[GRID_PLANES]; /* NULL: there is none; the first has the shortest reach */
  void (*make)  (gconstpointer data, const gfloat *pixels, gint n, gfloat *values, gfloat *weights);
  /* In place; what a grid that is not there has smoothed is what the first has. */
  void (*apply) (gconstpointer data, gfloat *pixels, gint n, const gfloat *values, const gfloat *const smoothed[GRID_PLANES]);
  gconstpointer     data;
} GridJob;

/* Computes `area`, tile by tile: a filter's `area` calls it. */
void grid_plane_area (const TesseraRequest *request, const GeglRectangle *area, const GridJob *job);

/* ---------------------------------------------------------------- device -- */

/* A band's place in the request's tables. */
typedef struct
{
  const GridParams *params;
  gint              row, cell_row, n_cell_rows;
  gint              from_x, from_y;     /* of the uploaded image */
} GridBand;

GridBand grid_band (const TesseraBand *band, const GridParams *params);

/* Bytes of a sparse grid's cells, and of the grid of `height` rows of pixels. */
gsize    grid_sparse_bytes  (const GridParams *params, gsize cells);
gsize    grid_scratch_bytes (const GridParams *params, gint height);

/* Whether to take the dense grid. */
gboolean grid_dense_pays    (const GridParams *params, gsize cells, gint64 n_planes);

#define GRID_STARTS_ARG(axis)    TABLE_ARG ((axis).starts, ((axis).n_cells + 1) * sizeof (gint))
#define GRID_PLACES_ARGS(axis)   TABLE_ARG ((axis).cells, (axis).size * sizeof (gint)), \
                                 TABLE_ARG ((axis).fractions, (axis).size * sizeof (gfloat))

/* Pairs (value, weight) of band->input's pixels, by the kernel of this name that each such filter has. */
TesseraMemory *grid_pairs (TesseraBand *band, const gfloat weights[3]);

/* Cells of parts, splatted, are joined in `a`, if there are several, and blurred there by way of `b`.  moving: 1 if values are relative to their plane. */
void  grid_join_and_blur (TesseraBand *band, TesseraMemory *in_parts, gint parts, TesseraMemory *a, TesseraMemory *b,
                          gint cells_x, gint cells_y, gint n_planes, gfloat moving);

/* Measures the least and the greatest value of a band's pairs (value, weight) that counts: two ints for grid_plane_band. */
gint  grid_plane_measure (TesseraBand *band, TesseraMemory *pairs, TesseraMemory *result);

/* Smooths a plane on the device, by the kernels of tessera-grid-plane.h: of pairs of band->input's pixels, floats of band->output's.
 * `measured` NULL: all values lie in known[0] .. known[1]. */
gint  grid_plane_band (TesseraBand *band, const GridParams *params, TesseraMemory *pairs, const gint *measured, const gfloat known[2],
                       TesseraMemory *smoothed);

#endif
