/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grids: the places of a request's pixels among the cells, and the shape of a tile.
 */
#include "grid.h"

#include <math.h>

/* The first pixel x with floor (x/s + 1/2) >= cell. */
static gint64
cell_start (gint cell, gdouble s)
{
  gint64 x = ceil ((cell - 0.5) * s);

  while (floor ((x - 1) / s + 0.5) >= cell)
    x--;
  while (floor (x / s + 0.5) < cell)
    x++;
  return x;
}

/* Pixels from .. from + size - 1 of an axis whose image is 0 .. length - 1 (of any length if `infinite`). */
static void
axis_init (GridAxis *axis, gint from, gint size, gint length, gboolean infinite, gdouble s)
{
  const gint first = (gint) floor (from / s) - 1;

  axis->from = from;
  axis->size = size;
  axis->n_cells = (gint) floor ((from + size - 1) / s) + 3 - first;
  axis->starts = g_malloc ((axis->n_cells + 1) * sizeof (gint) + size * (sizeof (gint) + sizeof (gfloat)));
  axis->cells = axis->starts + axis->n_cells + 1;
  axis->fractions = (gfloat *) (axis->cells + size);
  for (gint i = 0; i <= axis->n_cells; i++)
    {
      const gint64 start = cell_start (first + i, s);

      axis->starts[i] = (gint) (infinite ? CLAMP (start, G_MININT, G_MAXINT) : CLAMP (start, 0, length));
    }
  for (gint i = 0; i < size; i++)
    {
      gdouble place = (from + i) / s;

      axis->cells[i] = (gint) floor (place) - first;
      axis->fractions[i] = (gfloat) (place - floor (place));
    }
}

/* One a process. */
static gint
odd_number (void)
{
  static gsize odd;

  if (g_once_init_enter (&odd))
    g_once_init_leave (&odd, g_random_int () | 1u);
  return (gint) (guint32) odd;
}

void
grid_params_init (GridParams *params, gdouble spatial_sigma, gdouble range_sigma, gint lanes, gint values,
                  const GeglRectangle *bounds, const GeglRectangle *roi)
{
  const gdouble  s = spatial_sigma;
  const gint     side = ceil (s);       /* pixels on a cell's side, at most */
  const gboolean infinite = gegl_rectangle_is_infinite_plane (bounds);

  *params = (GridParams) {
    .lanes = lanes,
    .values = values,
    .parts = (side + GRID_PART - 1) / GRID_PART,
    .capacity = 2,
    .odd = odd_number (),
    .most_planes = CLAMP (32 * s * s, 64, 65536),
    .range_sigma = (gfloat) range_sigma,
    .per_plane = (gfloat) (1.0 / range_sigma),
    .origin_x = infinite ? 0 : bounds->x,
    .origin_y = infinite ? 0 : bounds->y
  };
  params->usual_planes = (gint) (2 * params->per_plane) + 4;
  while (params->capacity < 3 * side * side / 2)
    params->capacity *= 2;
  axis_init (&params->x, roi->x - params->origin_x, roi->width, bounds->width, infinite, s);
  axis_init (&params->y, roi->y - params->origin_y, roi->height, bounds->height, infinite, s);
}

void
grid_params_clear (GridParams *params)
{
  g_free (params->x.starts);
  g_free (params->y.starts);
}

TesseraHalo
grid_halo (gdouble spatial_sigma)
{
  const gint pixels = (gint) ceil (2.5 * spatial_sigma) + 1;

  return (TesseraHalo) { pixels, pixels, pixels, pixels };
}

/* Only with sRGB's curve and primaries, and if colour is not divided by
 * alpha. babl's curve of gamma 1.8 goes below 0 near black, and ACES has a negative luminance of blue. */
gboolean
grid_range_is_known (GeglBuffer *buffer, const Babl *working)
{
  const Babl         *format = gegl_buffer_get_format (buffer);
  const Babl         *type = babl_format_get_type (format, 0);
  const Babl         *srgb = babl_space ("sRGB");
  const BablModelFlag flags = babl_get_model_flags (format);

  return (type == babl_type ("u8") || type == babl_type ("u16"))
         && flags & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY) && ! (flags & BABL_MODEL_FLAG_ASSOCIATED)
         && babl_format_get_space (format) == srgb && babl_format_get_space (working) == srgb;
}

void
grid_tile_shape (GridTile *tile)
{
  const GridAxis *x = &tile->params->x, *y = &tile->params->y;

  tile->cx0 = x->cells[tile->roi.x - x->from] - 1;
  tile->cx1 = x->cells[tile->roi.x + tile->roi.width - 1 - x->from] + 3;
  tile->cy0 = y->cells[tile->roi.y - y->from] - 1;
  tile->cy1 = y->cells[tile->roi.y + tile->roi.height - 1 - y->from] + 3;
  tile->cells_x = tile->cx1 - tile->cx0;
  tile->cells_y = tile->cy1 - tile->cy0;
  tile->around = (GeglRectangle) { x->starts[tile->cx0], y->starts[tile->cy0],
                                   x->starts[tile->cx1] - x->starts[tile->cx0],
                                   y->starts[tile->cy1] - y->starts[tile->cy0] };
}

gboolean
grid_tile_planes (GridTile *tile, gfloat least, gfloat most)
{
  gint64 planes;

  if (least > most)
    least = most = 0.0f;
  tile->low = grid_place (least).plane;
  planes = (gint64) grid_place (most).plane - tile->low + 2;
  tile->n_planes = MIN (planes, G_MAXINT);
  return planes <= tile->params->most_planes;
}

gboolean
grid_tile_compute (GridTile *tile, gboolean few_planes, gboolean is_smallest)
{
  const gboolean fits = few_planes ? dense_floats (tile) <= GRID_DENSE_FLOATS : sparse_words (tile) <= GRID_SPARSE_WORDS;

  if (! fits && ! is_smallest)
    return FALSE;
  if (few_planes && fits)
    grid_dense (tile);
  else
    grid_sparse (tile);
  return TRUE;
}
