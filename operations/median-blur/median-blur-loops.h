/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The loops of median-blur-rank.c down the columns, for lanes.h.
 */

/* How many more of `enter` than of `leave` are below `limit`, where `counts` is -1. */
static inline LANES_TARGET gint
LANES_NAME (change_below) (const gint32 *enter, const gint32 *leave, const gint32 *counts, gint n, gint32 limit)
{
  LaneBits change = { 0 };
  gint     sum = 0;

  for (gint i = 0; i < n; i += LANES_FLOATS)
    change += ((*(const LaneBits *) (leave + i) < limit) - (*(const LaneBits *) (enter + i) < limit))
              & *(const LaneBits *) (counts + i);
  for (gint i = 0; i < LANES_FLOATS; i++)
    sum += change[i];
  return sum;
}

/* All windows, which are squares, move down by one.  Before, `ranks` is the middle of the first. */
static inline LANES_TARGET void
LANES_NAME (move_all) (Windows *windows, const Tile *tile, const gint32 *ranks)
{
  const Steps  *steps = &tile->steps;
  const gint32 *enter = ranks + steps->enter[0], *leave = ranks + steps->leave[0];

  for (gint set = 0; set < SETS; set++)
    for (gint i = steps->start[set]; i < steps->start[set + 1]; i++)
      {
        flip (windows->sets[set], enter[i]);
        flip (windows->sets[set], leave[i]);
      }
  for (gint lane = 0; lane < tile->lanes; lane++)
    windows->below[lane] += LANES_NAME (change_below) (enter, leave, steps->counts[lane], steps->n,
                                                       64 * windows->word[lane]);
  for (gint lane = 0; lane < tile->lanes && tile->samples < tile->n; lane++)
    windows->samples[lane] += LANES_NAME (change_below) (enter, leave, steps->counts[lane], steps->n, tile->samples);
}

/* `lanes` columns after `lanes` columns, from above. */
static inline __attribute__ ((always_inline)) LANES_TARGET void
LANES_NAME (slide_down) (const MedianBlock *block, const Tile *tile, gint channel, gint lanes)
{
  const MedianParams *params = block->params;
  const gint          radius = params->radius;
  const gint          columns = tile->width - 2 * radius, rows = tile->height - 2 * radius;
  const gboolean      lacks = tile->samples < tile->n;
  Windows             windows;

  for (gint set = 0; set < SETS; set++)
    windows.sets[set] = tile->words + set * ((gsize) tile->n / 64 + 1);
  for (gint column = 0; column < columns; column += lanes)
    {
      const gint x = MIN (column, columns - lanes) + radius;

      fill (&windows, tile, params, tile->ranks + (gsize) radius * tile->width + x);
      for (gint y = radius; y < radius + rows; y++)
        {
          const gsize at = (gsize) y * tile->width + x;

          for (gint lane = 0; lane < lanes; lane++)
            {
              const gint k = lacks ? params->ranks[windows.samples[lane]] : params->rank;

              if (! lacks || windows.samples[lane] > 0)
                block->pixels[4 * (at + lane) + channel] = tile->values[find_rank (&windows, lane, k, lanes == 1)];
            }
          if (y + 1 == radius + rows)
            break;
          if (lanes == 1)
            move_one (&windows, tile, tile->ranks + at);
          else
            LANES_NAME (move_all) (&windows, tile, tile->ranks + at);
        }
    }
}

static LANES_TARGET void
LANES_NAME (slide) (const MedianBlock *block, const Tile *tile, gint channel)
{
  if (tile->lanes == 1)
    LANES_NAME (slide_down) (block, tile, channel, 1);
  else
    LANES_NAME (slide_down) (block, tile, channel, tile->lanes);
}
