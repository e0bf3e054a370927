/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:equalize in C, grey pictures of bytes: 256 codes are counted and looked up, whatever the bins.  The same
 * bits as equalize-rows.c, since a grey pixel's luminance is its value.
 * Price: 2.1 (CLAHE of grey u8; EPYC, 2026-11-30).
 */
#include "config.h"

#include "equalize.h"

#include "../../opencl/math/tessera-index.h"
#include "../../opencl/math/tessera-convert.h"
#include "../../opencl/math/tessera-equalize.h"

#include <string.h>

#define COLUMNS 1024            /* read, mapped and written at once ... */
#define ROWS    16              /* ... and rows */

const Babl *
equalize_bytes_format (const TesseraRequest *request, const Equalize *e)
{
  const Babl *format = e->channels == 1 && ! e->is_linear ? tessera_bytes_format (request) : NULL;

  return format && babl_format_get_n_components (format) == 1 ? format : NULL;
}

static void
read_bytes (const TesseraRequest *request, const GeglRectangle *rect, guint8 *bytes)
{
  tessera_read (request->input, rect, &request->bounds, request->border, tessera_bytes_format (request),
                (gfloat *) bytes);
}

/* The piece of `area` that begins there. */
static GeglRectangle
piece_at (const GeglRectangle *area, gint x, gint y)
{
  return (GeglRectangle) { x, y, MIN (COLUMNS, area->x + area->width - x), MIN (ROWS, area->y + area->height - y) };
}

static void
find_bins (const TesseraRequest *request, gfloat values[256], gint bins[256])
{
  const Equalize *e = request->params;
  const gfloat    high = e->bins & ~31, low = e->bins & 31;

  tessera_bytes_values (request, values);
  for (gint code = 0; code < 256; code++)
    bins[code] = equalize_bin (values[code], e->bins, high, low);
}

/* ----------------------------------------------------------------- count -- */

/* Two counts in turn, because neighbours are often equal, and a count waits for the one before. */
static void
count_piece (const TesseraRequest *request, const GeglRectangle *piece, guint8 *bytes, guint32 counts[2][256])
{
  const gint n = piece->width * piece->height;

  read_bytes (request, piece, bytes);
  for (gint i = 0; i + 1 < n; i += 2)
    {
      counts[0][bytes[i]]++;
      counts[1][bytes[i + 1]]++;
    }
  if (n % 2)
    counts[0][bytes[n - 1]]++;
}

static void
count_part (const TesseraRequest *request, const GeglRectangle *part, const gint bins[256], guint8 *bytes,
            guint32 *into)
{
  guint32 counts[2][256] = { { 0 } };

  for (gint y = part->y; y < part->y + part->height; y += ROWS)
    for (gint x = part->x; x < part->x + part->width; x += COLUMNS)
      {
        const GeglRectangle piece = piece_at (part, x, y);

        count_piece (request, &piece, bytes, counts);
      }
  for (gint code = 0; code < 256; code++)
    into[bins[code]] += counts[0][code] + counts[1][code];
}

void
equalize_survey_bytes (const TesseraRequest *request, const GeglRectangle *area, gpointer part)
{
  const Equalize      *e = request->params;
  const GeglRectangle *tiles = &e->surveyed;
  const gint          *across = e->x.edges + tiles->x, *down = e->y.edges + tiles->y;
  tessera_autoscratch guint8 *bytes = gegl_scratch_alloc (COLUMNS * ROWS);
  gfloat               values[256];
  gint                 bins[256];

  find_bins (request, values, bins);
  for (gint row = 0; row < tiles->height; row++)
    for (gint column = 0; column < tiles->width; column++)
      {
        GeglRectangle tile = { e->bounds.x + across[column], e->bounds.y + down[row],
                               across[column + 1] - across[column], down[row + 1] - down[row] };
        guint32      *into = (guint32 *) part + (row * tiles->width + column) * equalize_tile_size (e);

        if (gegl_rectangle_intersect (&tile, &tile, area))
          count_part (request, &tile, bins, bytes, into);
      }
}

/* ------------------------------------------------------------------- map -- */

typedef struct
{
  gfloat  values[256];
  gfloat *tables;               /* [row of tiles][tile][code] */
  guint8  bytes[COLUMNS * ROWS];
  gfloat  luminance[COLUMNS], mapped[COLUMNS], pixels[4 * COLUMNS * ROWS];
} Mapping;

static void
take_tables (const TesseraRequest *request, Mapping *mapping)
{
  const Equalize *e = request->params;
  const gint      tiles = e->table_rows * e->x.tiles;
  gint            bins[256];

  find_bins (request, mapping->values, bins);
  mapping->tables = gegl_scratch_new (gfloat, 256 * (gsize) tiles);
  for (gint tile = 0; tile < tiles; tile++)
    for (gint code = 0; code < 256; code++)
      mapping->tables[256 * tile + code] = e->tables[tile * equalize_tile_size (e) + bins[code]];
}

static void
look_up (const Equalize *e, Mapping *mapping, const guint8 *bytes, gint x, gint y, gint n)
{
  const EqualizePlace *places = e->x.places + x, *place = &e->y.places[y];
  const gsize          row = 256 * (gsize) e->x.tiles;
  const gfloat        *above = mapping->tables + (place->tile - e->first_row) * row, *below = above + place->next * row;

  for (gint i = 0; i < n; i++)
    {
      const gint left = 256 * places[i].tile + bytes[i], right = left + 256 * places[i].next;

      mapping->mapped[i] = equalize_mix (equalize_mix (above[left], above[right], places[i].fraction),
                                         equalize_mix (below[left], below[right], places[i].fraction), place->fraction);
    }
}

/* Opaque grey pixels. */
TESSERA_CLONES static void
scale (const gfloat *restrict luminance, const gfloat *restrict mapped, gint n, gfloat *restrict pixels)
{
  for (gint i = 0; i < n; i++)
    {
      const gfloat quotient = equalize_quotient (mapped[i], luminance[i]);
      const gfloat value = equalize_scaled (luminance[i], luminance[i], mapped[i], quotient);

      pixels[4 * i] = pixels[4 * i + 1] = pixels[4 * i + 2] = value;
      pixels[4 * i + 3] = 1.0f;
    }
}

static void
map_row (const Equalize *e, Mapping *mapping, const guint8 *bytes, gint x, gint y, gint n, gfloat *pixels)
{
  for (gint i = 0; i < n; i++)
    mapping->luminance[i] = mapping->values[bytes[i]];
  if (e->clip_limit > 0.0)
    look_up (e, mapping, bytes, x, y, n);
  else
    for (gint i = 0; i < n; i++)
      mapping->mapped[i] = mapping->tables[bytes[i]];
  scale (mapping->luminance, mapping->mapped, n, pixels);
}

static void
map_piece (const TesseraRequest *request, Mapping *mapping, const GeglRectangle *piece)
{
  const Equalize *e = request->params;

  read_bytes (request, piece, mapping->bytes);
  if (! e->mapped)
    {
      tessera_write_bytes (request, piece, mapping->bytes, piece->width);
      return;
    }
  for (gint y = 0; y < piece->height; y++)
    map_row (e, mapping, mapping->bytes + y * piece->width, piece->x - e->bounds.x, piece->y + y - e->bounds.y,
             piece->width, mapping->pixels + 4 * (gsize) y * piece->width);
  tessera_write_output (request, piece, mapping->pixels, 4 * piece->width * sizeof (gfloat));
}

void
equalize_map_bytes (const TesseraRequest *request, const GeglRectangle *area)
{
  tessera_autoscratch Mapping *mapping = gegl_scratch_new (Mapping, 1);

  take_tables (request, mapping);
  for (gint y = area->y; y < area->y + area->height; y += ROWS)
    for (gint x = area->x; x < area->x + area->width; x += COLUMNS)
      {
        const GeglRectangle piece = piece_at (area, x, y);

        map_piece (request, mapping, &piece);
      }
  gegl_scratch_free (mapping->tables);
}
