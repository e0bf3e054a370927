/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Bilateral grids in C: the dense grid of a tile: splat, blur, slice.
 */
#include "grid.h"
#include <string.h>

/* A row of cells of a dense grid. */
static gsize
row_floats (const GridTile *tile)
{
  return (gsize) tile->cells_x * cell_floats (tile);
}

/* Adds the pixels of [x0, x1) in the rows placed last, from y on, in raster order. */
static void
splat_channels (const GridTile *tile, const GridPlaces *places, gint y G_GNUC_UNUSED, gint rows, gint x0, gint x1,
                gfloat *cell)
{
  const gint width = 4 * tile->around.width;

  for (gint row = 0; row < rows; row++)
    for (gint k = row * width + 4 * (x0 - tile->around.x);
         k < row * width + 4 * (x1 - tile->around.x); k++)
      {
        cell[places->at[k]] += places->value[k];
        cell[places->at[k] + 4] += places->count[k];
      }
}

static void
splat_guided (const GridTile *tile, const GridPlaces *places, gint y, gint rows, gint x0, gint x1,
              gfloat *cell)
{
  for (gint row = 0; row < rows; row++)
    for (gint x = x0; x < x1; x++)
      {
        const gfloat *pixel = tile_pixel (tile, tile->pixels, x, y + row);
        const gint    k = row * tile->around.width + x - tile->around.x;
        gfloat       *sums = cell + places->at[k];

        if (places->count[k] == 0.0f)
          continue;
        for (gint c = 0; c < 3; c++)
          sums[c] += pixel[c] * pixel[3];
        sums[3] += pixel[3];
      }
}

static void
splat_plane (const GridTile *tile, const GridPlaces *places, gint y G_GNUC_UNUSED, gint rows, gint x0, gint x1, gfloat *cell)
{
  const gint width = tile->around.width, n_planes = tile->n_planes;

  for (gint row = 0; row < rows; row++)
    for (gint k = row * width + x0 - tile->around.x; k < row * width + x1 - tile->around.x; k++)
      {
        cell[places->at[k]] += places->value[k];
        cell[places->at[k] + n_planes] += places->count[k];
      }
}

/* The cells of one row of cells, part by part: each part in raster order, the
 * parts in raster order. */
static void
splat_cells (const GridTile *tile, const GridPlaces *places, gint j, gfloat *grid, gfloat *part)
{
  const gint  components = tile->params->lanes;
  const gint *starts_x = tile->params->x.starts, *starts_y = tile->params->y.starts;
  const gint  n = cell_floats (tile);
  gint        rows;
  void      (*splat) (const GridTile *, const GridPlaces *, gint, gint, gint, gint, gfloat *)
    = tile->params->of_plane ? splat_plane : tile->params->by_luminance ? splat_guided : splat_channels;

  for (gint y = starts_y[j]; y < starts_y[j + 1]; y += rows)
    {
      rows = MIN (GRID_PART, starts_y[j + 1] - y);
      for (gint row = 0; row < rows; row++)
        grid_place_row (tile, y + row, tile->around.x, tile->around.width, 1, places,
                   (gsize) row * components * tile->around.width);
      for (gint i = tile->cx0; i < tile->cx1; i++)
        {
          gfloat *cell = grid + (gsize) (i - tile->cx0) * n;

          if (tile->params->parts == 1)
            splat (tile, places, y, rows, starts_x[i], starts_x[i + 1], cell);
          for (gint x = starts_x[i]; x < starts_x[i + 1] && tile->params->parts > 1; x += GRID_PART)
            {
              memset (part, 0, n * sizeof (gfloat));
              splat (tile, places, y, rows, x, MIN (x + GRID_PART, starts_x[i + 1]), part);
              for (gint k = 0; k < n; k++)
                cell[k] += part[k];
            }
        }
    }
}

TESSERA_CLONES static void
blur_121 (const gfloat *restrict before, const gfloat *restrict here, const gfloat *restrict after,
          gfloat *restrict out, gsize n)
{
  for (gsize k = 0; k < n; k++)
    out[k] = grid_121 (before[k], here[k], after[k]);
}

/* Four values or four counts.  Written as vectors, because gcc 12 makes wrong code of the same loop over
 * scalars for AVX-512. */
typedef gfloat Four __attribute__ ((vector_size (16), aligned (4), may_alias));

/* Along z, for n cells.  Planes beyond the first and the last are empty.  By channels the counts follow the values, which are
 * relative to their plane. */
TESSERA_CLONES static void
blur_planes (const gfloat *in, gfloat *out, gsize n_cells, gint n_planes, gboolean has_counts)
{
  const Four none = { 0.0f };
  const gint step = has_counts ? 2 : 1;

  for (gsize cell = 0; cell < n_cells; cell++)
    {
      const Four *here = (const Four *) in + cell * n_planes * step;
      Four       *to = (Four *) out + cell * n_planes * step;
      Four        before = none, count_before = none;

      for (gint z = 0; z < n_planes; z++, here += step, to += step)
        {
          const gboolean is_last = z + 1 == n_planes;
          const Four     after = is_last ? none : here[step];

          if (has_counts)
            {
              const Four count_after = is_last ? none : here[3];

              to[0] = ((before - count_before) + (after + count_after)) + 2.0f * here[0];
              to[1] = (count_before + count_after) + 2.0f * here[1];
              count_before = here[1];
            }
          else
            to[0] = (before + after) + 2.0f * here[0];
          before = here[0];
        }
    }
}

/* The same of planes, whose values are relative to theirs too. */
TESSERA_CLONES static void
blur_plane (const gfloat *in, gfloat *out, gsize n_cells, gint n_planes)
{
  for (gsize cell = 0; cell < n_cells; cell++)
    {
      const gfloat *restrict values = in + cell * 2 * n_planes, *restrict counts = values + n_planes;
      gfloat *restrict       to = out + cell * 2 * n_planes;

      for (gint z = 0; z < n_planes; z++)
        {
          const gfloat before = z > 0 ? values[z - 1] : 0.0f, count_before = z > 0 ? counts[z - 1] : 0.0f;
          const gfloat after = z + 1 < n_planes ? values[z + 1] : 0.0f, count_after = z + 1 < n_planes ? counts[z + 1] : 0.0f;

          to[z] = grid_121 (before - count_before, values[z], after + count_after);
          to[n_planes + z] = grid_121 (count_before, counts[z], count_after);
        }
    }
}

/* The three passes over the tile's cells.  The outermost cells are only read, because nobody needs their blurred
 * values.  The result is in `other`. */
static void
blur_grid (const GridTile *tile, gfloat *grid, gfloat *other)
{
  const gsize row = row_floats (tile), cell = cell_floats (tile);

  for (gint j = 0; j < tile->cells_y; j++)
    {
      const gfloat *from = grid + j * row + cell;

      blur_121 (from - cell, from, from + cell, other + j * row + cell, row - 2 * cell);
    }
  for (gint j = 1; j + 1 < tile->cells_y; j++)
    {
      const gfloat *from = other + j * row + cell;

      blur_121 (from - row, from, from + row, grid + j * row + cell, row - 2 * cell);
    }
  for (gint j = 1; j + 1 < tile->cells_y; j++)
    {
      const gfloat *from = grid + j * row + cell;
      gfloat       *to = other + j * row + cell;

      if (tile->params->of_plane)
        blur_plane (from, to, tile->cells_x - 2, tile->n_planes);
      else
        blur_planes (from, to, tile->cells_x - 2, tile->n_planes, ! tile->params->by_luminance);
    }
}

TESSERA_CLONES static void
lerp_rows (const gfloat *restrict a, const gfloat *restrict b, gfloat t, gfloat *restrict out, gsize n)
{
  for (gsize k = 0; k < n; k++)
    out[k] = grid_lerp (a[k], b[k], t);
}

/* One row of results in place of the pixels; `at` and `fraction` from
 * grid_place_row, base[x] where the pixel's cell begins in `line`. */
TESSERA_CLONES static void
slice_channels (const gfloat *restrict line, gint cell, const gint *restrict base,
                const gfloat *restrict fx, const gint *restrict at, const gfloat *restrict fraction,
                const gfloat *restrict count, gfloat range_sigma, gfloat *restrict pixels, gint n)
{
  for (gint k = 0; k < 4 * n; k++)
    {
      const gfloat *g = line + base[k >> 2] + at[k];
      const gfloat  t = fx[k >> 2];
      gfloat v0 = grid_lerp (g[0], g[cell], t);
      gfloat n0 = grid_lerp (g[4], g[cell + 4], t);
      gfloat v1 = grid_lerp (g[8], g[cell + 8], t);
      gfloat n1 = grid_lerp (g[12], g[cell + 12], t);
      gfloat values = grid_lerp (v0, v1 + n1, fraction[k]);
      gfloat counts = grid_lerp (n0, n1, fraction[k]);
      gfloat result = pixels[k] + range_sigma * (values / counts - fraction[k]);

      pixels[k] = ((count[k] != 0.0f) & (counts != 0.0f)) ? result : pixels[k];
    }
}

TESSERA_CLONES static void
slice_guided (const gfloat *restrict line, gint cell, const gint *restrict base,
              const gfloat *restrict fx, const gint *restrict at, const gfloat *restrict fraction,
              const gfloat *restrict count, gfloat *restrict pixels, gint n)
{
  for (gint x = 0; x < n; x++)
    {
      const gfloat *g = line + base[x] + at[x];
      gfloat        sums[4];

      if (count[x] == 0.0f)
        continue;
      for (gint c = 0; c < 4; c++)
        sums[c] = grid_lerp (grid_lerp (g[c], g[cell + c], fx[x]),
                             grid_lerp (g[c + 4], g[cell + c + 4], fx[x]), fraction[x]);
      for (gint c = 0; c < 3; c++)
        pixels[4 * x + c] = sums[3] != 0.0f ? sums[c] / sums[3] : pixels[4 * x + c];
    }
}

/* As slice_channels; `out` is another row. */
TESSERA_CLONES static void
slice_plane (const gfloat *restrict line, gint n_planes, const gint *restrict base, const gfloat *restrict fx,
             const gint *restrict at, const gfloat *restrict fraction, const gfloat *restrict count, gfloat range_sigma,
             const gfloat *restrict values, gfloat *restrict out, gint n)
{
  const gint cell = 2 * n_planes;

  for (gint x = 0; x < n; x++)
    {
      const gfloat *g = line + base[x] + at[x], *c = g + n_planes;
      gfloat v0 = grid_lerp (g[0], g[cell], fx[x]);
      gfloat n0 = grid_lerp (c[0], c[cell], fx[x]);
      gfloat v1 = grid_lerp (g[1], g[cell + 1], fx[x]);
      gfloat n1 = grid_lerp (c[1], c[cell + 1], fx[x]);
      gfloat sums = grid_lerp (v0, v1 + n1, fraction[x]);
      gfloat counts = grid_lerp (n0, n1, fraction[x]);
      gfloat result = values[x] + range_sigma * (sums / counts - fraction[x]);

      out[x] = ((count[x] != 0.0f) & (counts != 0.0f)) ? result : values[x];
    }
}

static void
slice_dense (const GridTile *tile, const GridPlaces *places, const gfloat *grid, gfloat *line)
{
  const GridParams *params = tile->params;
  const gsize       row = row_floats (tile);
  const gint        cell = cell_floats (tile), n = tile->roi.width;
  const gint        x = tile->roi.x - params->x.from;
  g_autofree gint  *base = g_new (gint, n);

  for (gint i = 0; i < n; i++)
    base[i] = (params->x.cells[x + i] - tile->cx0) * cell;
  for (gint y = tile->roi.y; y < tile->roi.y + tile->roi.height; y++)
    {
      const gfloat *cells = grid + (params->y.cells[y - params->y.from] - tile->cy0) * row;
      gfloat       *pixels = params->of_plane ? NULL : tile_pixel (tile, tile->pixels, tile->roi.x, y);

      lerp_rows (cells + cell, cells + row + cell, params->y.fractions[y - params->y.from],
                 line + cell, row - 2 * cell);
      grid_place_row (tile, y, tile->roi.x, n, 0, places, 0);
      if (params->of_plane)
        slice_plane (line, tile->n_planes, base, params->x.fractions + x, places->at, places->value, places->count, params->range_sigma,
                     tile->plane + tile_place (tile, tile->roi.x, y),
                     tile->smoothed + (gsize) (y - tile->roi.y) * tile->smoothed_row, n);
      else if (params->by_luminance)
        slice_guided (line, cell, base, params->x.fractions + x, places->at, places->value,
                      places->count, pixels, n);
      else
        slice_channels (line, cell, base, params->x.fractions + x, places->at, places->value,
                        places->count, params->range_sigma, pixels, n);
    }
}

void
grid_dense (GridTile *tile)
{
  const gsize n = dense_floats (tile), row = row_floats (tile);
  const gsize n_places = (gsize) GRID_PART * tile->around.width * tile->params->lanes;
  gfloat      *values = grid_room (tile->room, 3 * n_places + 2 * n + row), *counts = values + n_places, *grid = counts + n_places;
  gfloat      *other = grid + n, *line = other + n;
  const GridPlaces places = { (gint *) (line + row), values, counts };

  memset (grid, 0, n * sizeof (gfloat));
  for (gint j = tile->cy0; j < tile->cy1; j++)
    splat_cells (tile, &places, j, grid + (j - tile->cy0) * row, line);
  blur_grid (tile, grid, other);
  slice_dense (tile, &places, other, line);
}
