/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Tiles, and the tables from their histograms, in double, rounded once to float.
 */
#include "config.h"

#include "equalize.h"

#include <gegl-plugin.h>

/* ----------------------------------------------------------------- tiles -- */

static gdouble
centre (const EqualizeAxis *axis, gint tile)
{
  return (axis->edges[tile] + axis->edges[tile + 1] - 1) / 2.0;
}

void
equalize_axis_init (EqualizeAxis *axis, gint n, gint tiles)
{
  gint tile = 0;

  axis->n = n;
  axis->tiles = MIN (tiles, n);
  axis->edges = g_new (gint, axis->tiles + 1);
  axis->places = g_new (EqualizePlace, n);
  for (gint i = 0; i <= axis->tiles; i++)
    axis->edges[i] = (gint64) i * n / axis->tiles;
  for (gint i = 0; i < n; i++)
    {
      EqualizePlace *place = &axis->places[i];

      while (tile + 1 < axis->tiles && centre (axis, tile + 1) <= i)
        tile++;
      place->tile = tile;
      place->next = tile + 1 < axis->tiles && i > centre (axis, tile);
      place->fraction = place->next ? (i - centre (axis, tile)) / (centre (axis, tile + 1) - centre (axis, tile))
                                    : 0.0;
    }
}

/* ---------------------------------------------------------------- tables -- */

/* FALSE, and no table, if fewer than two bins hold anything. */
static gboolean
stretch (const guint32 *counts, gint bins, gfloat *table)
{
  gdouble n = 0, first = 0, cdf = 0;
  gint    filled = 0;

  for (gint b = 0; b < bins; b++)
    {
      n += counts[b];
      filled += counts[b] > 0;
      if (filled == 1 && counts[b])
        first = counts[b];
    }
  if (filled < 2)
    return FALSE;
  for (gint b = 0; b < bins; b++)
    {
      cdf += counts[b];
      table[b] = MAX (0.0, cdf - first) / (n - first);
    }
  return TRUE;
}

void
equalize_global_tables (Equalize *e, const guint32 *counts)
{
  e->mapped = 0;
  for (gint c = 0; c < e->channels; c++)
    if (stretch (counts + (gsize) c * e->bins, e->bins, e->tables + (gsize) c * e->bins))
      e->mapped |= 1u << c;
}

static void
clip (const guint32 *counts, gint bins, gdouble clip_limit, gfloat *table)
{
  gdouble n = 0, kept = 0, cdf = 0, limit, share, scale;

  for (gint b = 0; b < bins; b++)
    n += counts[b];
  limit = MAX (1.0, clip_limit * n / bins);
  for (gint b = 0; b < bins; b++)
    kept += MIN (counts[b], limit);
  share = n > 0 ? (n - kept) / bins : 1.0;
  scale = n > 0 ? 1.0 / n : 1.0 / bins;
  for (gint b = 0; b < bins; b++)
    {
      cdf += MIN (counts[b], limit);
      table[b] = (cdf + (b + 1) * share) * scale;
    }
}

typedef struct
{
  const Equalize *e;
  const guint32  *counts;
} Clipping;

static void
clip_some (gsize first, gsize n, gpointer data)
{
  const Clipping *clipping = data;
  const Equalize *e = clipping->e;
  const gsize     bins = e->bins;

  for (gsize i = first; i < first + n; i++)
    {
      const gsize tile = i / e->channels, channel = i % e->channels;
      const gint  row = e->surveyed.y + (gint) (tile / e->surveyed.width);
      const gint  column = e->surveyed.x + (gint) (tile % e->surveyed.width);

      clip (clipping->counts + i * bins, e->bins, e->clip_limit,
            e->tables + (row - e->first_row) * equalize_row_size (e) + column * equalize_tile_size (e)
            + channel * bins);
    }
}

void
equalize_local_tables (const Equalize *e, const guint32 *counts)
{
  Clipping clipping = { e, counts };

  gegl_parallel_distribute_range ((gsize) e->surveyed.width * e->surveyed.height * e->channels,
                                  1024.0 / e->bins, clip_some, &clipping);
}
