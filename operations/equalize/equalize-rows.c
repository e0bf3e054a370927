/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:equalize in C.  Some hundred pixels at a time are taken apart into planes, so that everything but the
 * counting and the table look-ups runs in vectors.
 */
#include "config.h"

#include "equalize.h"
#include "planes.h"

#include "../../opencl/math/tessera-index.h"
#include "../../opencl/math/tessera-convert.h"
#include "../../opencl/math/tessera-equalize.h"

#define CHUNK        256        /* pixels */
#define BLOCK_HEIGHT 64         /* of CHUNK pixels: read and written at once */

typedef struct
{
  gfloat colours[3][CHUNK], alpha[CHUNK];
  gfloat luminance[CHUNK];
  gfloat mapped[CHUNK], quotients[CHUNK], scaled[CHUNK];
  gint   bins[CHUNK];
} Chunk;

TESSERA_CLONES static void
find_luminance (Chunk *restrict chunk, gint n, const gfloat weights[3], gboolean is_linear)
{
  const gfloat red = weights[0], green = weights[1], blue = weights[2];

  if (is_linear)
    for (gint i = 0; i < n; i++)
      chunk->luminance[i] = equalize_luminance (chunk->colours[0][i], chunk->colours[1][i], chunk->colours[2][i],
                                                red, green, blue, TRUE);
  else
    for (gint i = 0; i < n; i++)
      chunk->luminance[i] = equalize_luminance (chunk->colours[0][i], chunk->colours[1][i], chunk->colours[2][i],
                                                red, green, blue, FALSE);
}

TESSERA_CLONES static void
to_perceptual (gfloat *restrict values, gint n)
{
  for (gint i = 0; i < n; i++)
    values[i] = perceptual_from_linear (values[i]);
}

TESSERA_CLONES static void
to_linear (gfloat *restrict values, gint n)
{
  for (gint i = 0; i < n; i++)
    values[i] = linear_from_perceptual (values[i]);
}

TESSERA_CLONES static void
find_bins (const gfloat *restrict values, gint n, gint bins, gint *restrict found)
{
  const gfloat high = bins & ~31, low = bins & 31;

  for (gint i = 0; i < n; i++)
    found[i] = equalize_bin (values[i], bins, high, low);
}

/* -1 if a pixel is not counted. */
TESSERA_CLONES static void
leave_out (const gfloat *restrict values, const gfloat *restrict alpha, gint n, gint *restrict found)
{
  for (gint i = 0; i < n; i++)
    found[i] = values[i] == values[i] && alpha[i] != 0.0f ? found[i] : -1;
}

TESSERA_CLONES static void
find_quotients (Chunk *restrict chunk, gint n)
{
  for (gint i = 0; i < n; i++)
    chunk->quotients[i] = equalize_quotient (chunk->mapped[i], chunk->luminance[i]);
}

/* equalize_scaled_light in two loops.  In one loop, its chain of operations is longer than the processor can look
 * ahead. */
TESSERA_CLONES static void
scale_colour (Chunk *restrict chunk, gint c, gint n, gboolean is_linear)
{
  gfloat *values = chunk->colours[c];

  if (is_linear)
    {
      for (gint i = 0; i < n; i++)
        chunk->scaled[i] = equalize_scaled (perceptual_from_linear (values[i]), chunk->luminance[i],
                                            chunk->mapped[i], chunk->quotients[i]);
      for (gint i = 0; i < n; i++)
        values[i] = chunk->luminance[i] == chunk->luminance[i] ? linear_from_perceptual (chunk->scaled[i]) : values[i];
    }
  else
    for (gint i = 0; i < n; i++)
      values[i] = equalize_scaled (values[i], chunk->luminance[i], chunk->mapped[i], chunk->quotients[i]);
}

TESSERA_CLONES static void
replace_channel (gfloat *restrict values, const gfloat *restrict mapped, gint n)
{
  for (gint i = 0; i < n; i++)
    values[i] = values[i] == values[i] ? mapped[i] : values[i];
}

/* The plane that channel c is counted and looked up by. */
static const gfloat *
make_plane (const Equalize *e, Chunk *chunk, gint c, gint n)
{
  if (e->channels == 1)
    find_luminance (chunk, n, e->weights, e->is_linear);
  else if (e->is_linear)
    to_perceptual (chunk->colours[c], n);
  return e->channels == 1 ? chunk->luminance : chunk->colours[c];
}

/* ----------------------------------------------------------------- count -- */

/* A row of n pixels from x on, in the row of tiles that `counts` holds. */
TESSERA_CLONES static void
count_row (const Equalize *e, Chunk *chunk, const gfloat *pixels, gint x, gint n, guint32 *counts)
{
  planes_take_apart (pixels, n, chunk->colours[0], chunk->colours[1], chunk->colours[2], chunk->alpha);
  for (gint c = 0; c < e->channels; c++)
    {
      const gfloat *plane = make_plane (e, chunk, c, n);

      find_bins (plane, n, e->bins, chunk->bins);
      leave_out (plane, chunk->alpha, n, chunk->bins);
      for (gint tile = e->surveyed.x, i = 0; i < n; tile++)
        {
          guint32   *into = counts + (tile - e->surveyed.x) * equalize_tile_size (e) + (gsize) c * e->bins;
          const gint end = MIN (n, e->x.edges[tile + 1] - x);

          for (; i < end; i++)
            if (chunk->bins[i] >= 0)
              into[chunk->bins[i]]++;
        }
    }
}

void
equalize_survey_area (const TesseraRequest *request, const GeglRectangle *area, gpointer part)
{
  const Equalize *e = request->params;
  const gsize     row_size = equalize_tile_size (e) * e->surveyed.width;
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * CHUNK * BLOCK_HEIGHT);
  tessera_autoscratch Chunk  *chunk = gegl_scratch_new (Chunk, 1);
  gint            tile = e->surveyed.y;

  for (gint y = area->y; y < area->y + area->height; y += BLOCK_HEIGHT)
    {
      const gint height = MIN (BLOCK_HEIGHT, area->y + area->height - y);
      const gint first = tile;

      for (gint x = area->x; x < area->x + area->width; x += CHUNK)
        {
          const gint width = MIN (CHUNK, area->x + area->width - x);

          tessera_read_input (request, GEGL_RECTANGLE (x, y, width, height), pixels);
          tile = first;
          for (gint k = 0; k < height; k++)
            {
              while (e->y.edges[tile + 1] <= y + k - e->bounds.y)
                tile++;
              count_row (e, chunk, pixels + 4 * k * width, x - e->bounds.x, width,
                         (guint32 *) part + (tile - e->surveyed.y) * row_size);
            }
        }
    }
}

TESSERA_CLONES static void
add_counts (guint32 *restrict counts, const guint32 *restrict more, gsize n)
{
  for (gsize i = 0; i < n; i++)
    counts[i] += more[i];
}

/* Nothing was counted in other rows of tiles than those of the area.  Price: 1.1 (CLAHE, 24 Mpix; H200, 2026-11-24). */
void
equalize_merge (const TesseraRequest *request, const GeglRectangle *area, gpointer result, gconstpointer part)
{
  const Equalize *e = request->params;
  const gsize     row_size = equalize_tile_size (e) * e->surveyed.width;
  const gint      top = area->y - e->bounds.y, *edges = e->y.edges + e->surveyed.y;

  for (gint row = 0; row < e->surveyed.height; row++)
    if (edges[row] < top + area->height && edges[row + 1] > top)
      add_counts ((guint32 *) result + row * row_size, (const guint32 *) part + row * row_size, row_size);
}

/* ------------------------------------------------------------------- map -- */

/* Bilinear between the tables of four tiles, in the columns from x on. */
static void
look_up_between (const Equalize *e, const gfloat *above, const gfloat *below, gfloat down, gint x, gint n,
                 Chunk *chunk)
{
  const gsize          tile_size = equalize_tile_size (e);
  const EqualizePlace *places = e->x.places + x;

  for (gint i = 0; i < n; i++)
    {
      const gsize left = places[i].tile * tile_size + chunk->bins[i];
      const gsize right = left + places[i].next * tile_size;

      chunk->mapped[i] = equalize_mix (equalize_mix (above[left], above[right], places[i].fraction),
                                       equalize_mix (below[left], below[right], places[i].fraction), down);
    }
}

/* A row of n pixels, in place. */
TESSERA_CLONES static void
map_row (const Equalize *e, Chunk *chunk, gfloat *pixels, gint x, gint y, gint n)
{
  const gsize row_size = equalize_row_size (e);

  planes_take_apart (pixels, n, chunk->colours[0], chunk->colours[1], chunk->colours[2], chunk->alpha);
  for (gint c = 0; c < e->channels; c++)
    {
      const gfloat *table = e->tables + (gsize) c * e->bins;

      if (! (e->mapped & (1u << c)))
        continue;
      find_bins (make_plane (e, chunk, c, n), n, e->bins, chunk->bins);
      if (e->clip_limit > 0.0)
        {
          const EqualizePlace *place = &e->y.places[y];

          table += (place->tile - e->first_row) * row_size;
          look_up_between (e, table, table + place->next * row_size, place->fraction, x, n, chunk);
        }
      else
        for (gint i = 0; i < n; i++)
          chunk->mapped[i] = table[chunk->bins[i]];
      if (e->channels == 1)
        find_quotients (chunk, n);
      for (gint k = 0; k < 3 && e->channels == 1; k++)
        scale_colour (chunk, k, n, e->is_linear);
      if (e->channels == 3)
        replace_channel (chunk->colours[c], chunk->mapped, n);
      if (e->channels == 3 && e->is_linear)
        to_linear (chunk->colours[c], n);
    }
  planes_put_together (chunk->colours[0], chunk->colours[1], chunk->colours[2], chunk->alpha, n, pixels);
}

/* There is no halo: rows are mapped in place. */
void
equalize_block (const TesseraRequest *request, const TesseraBlock *block)
{
  const Equalize      *e = request->params;
  const GeglRectangle *roi = &block->roi;
  tessera_autoscratch Chunk *chunk = gegl_scratch_new (Chunk, 1);

  for (gint y = 0; y < roi->height && e->mapped; y++)
    map_row (e, chunk, block->out + y * block->out_stride, roi->x - e->bounds.x, roi->y + y - e->bounds.y, roi->width);
}
