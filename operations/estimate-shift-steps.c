/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The steps of all frames' searches on the device: what the searches (shift-steps.c) ask for, each of all frames that ask for the same.
 */
#include "config.h"

#include "estimate-shift-device.h"

#include <string.h>

/* Those that ask for the same; returns how many, and which. */
static gint
gather (const ShiftSearch *searches, gint n, ShiftAsks asks, Query *queries)
{
  gint found = 0;

  for (gint k = 0; k < n; k++)
    if (searches[k].asks == asks)
      {
        Query *query = &queries[found++];

        *query = (Query) { .frame = k, .x = searches[k].x, .y = searches[k].y, .is_fresh = searches[k].is_fresh, .threshold = searches[k].threshold };
        memcpy (query->taps_x, searches[k].taps_x, sizeof query->taps_x);
        memcpy (query->taps_y, searches[k].taps_y, sizeof query->taps_y);
      }
  return found;
}

static gboolean
answer_medians (Shifts *s, ShiftSearch *searches)
{
  Query      queries[SHIFT_MOST_FRAMES];
  gdouble    medians[SHIFT_MOST_FRAMES];
  const gint n = gather (searches, s->n, SHIFT_ASKS_MEDIAN, queries);

  if (n == 0)
    return TRUE;
  if (! send (s, queries, n * sizeof *queries, s->queries)
      || ! launch (s, &(TesseraLaunch) {
           .kernel = "shift_choose", .size = PIXELS (s, n), .cost = 2,
           .args = { ARG (s->reference.flags), ARG (s->frames.flags), ARG (s->used), SIZE_ARGS (s), ARG (s->queries), ARG (s->n_steep) } })
      || ! shift_find_medians (s, TRUE, n, medians))
    return FALSE;
  for (gint k = 0; k < n; k++)
    shift_search_median (&searches[queries[k].frame], medians[k]);
  return TRUE;
}

static gboolean
launch_sums (Shifts *s, gint n)
{
  return launch (s, &(TesseraLaunch) {
           .kernel = "shift_mark", .size = PIXELS (s, n), .cost = 5,
           .args = { ARG (s->reference.soft), ARG (s->used), SIZE_ARGS (s), ARG (s->queries), ARG (s->n_steep), LOCAL_ARG (sizeof (gint)) } })
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_sum_tiles", .size = { (gsize) GROUP * s->across * s->down, 1, n }, .group = { GROUP, 1, 1 },
              .cost = SHIFT_TILE_HEIGHT * 5,
              .args = { ARG (s->reference.soft), ARG (s->frames.soft), ARG (s->used), SIZE_ARGS (s), ARG (s->queries), ARG (s->n_steep),
                        ARG (SHIFT_FEWEST_STEEP), ARG (s->sums), ARG (s->across), ARG (s->down),
                        LOCAL_ARG (SHIFT_SUMS * SHIFT_TILE_WIDTH * sizeof (gfloat)) } });
}

static gboolean
answer_sums (Shifts *s, ShiftSearch *searches)
{
  Query       queries[SHIFT_MOST_FRAMES];
  const gint  n = gather (searches, s->n, SHIFT_ASKS_SUMS, queries), n_tiles = s->across * s->down;
  const gsize bytes = (gsize) n * n_tiles * SHIFT_SUMS * sizeof (gfloat);
  gfloat     *tiles;

  if (n == 0)
    return TRUE;
  tiles = g_malloc (bytes);
  if (send (s, queries, n * sizeof *queries, s->queries) && launch_sums (s, n) && bring (s, s->sums, bytes, tiles))
    for (gint k = 0; k < n; k++)
      {
        gdouble sums[SHIFT_SUMS];

        shift_add_tiles (tiles + (gsize) k * n_tiles * SHIFT_SUMS, n_tiles, sums);
        shift_search_sums (&searches[queries[k].frame], sums);
      }
  g_free (tiles);
  return s->status == 0;
}

typedef struct
{
  const Shifts *s;
  ShiftSearch  *searches;
} Beginning;

static void
begin_searches (gsize first, gsize n, gpointer data)
{
  const Beginning *b = data;
  const Shifts    *s = b->s;
  const ShiftKey  *key = s->request->key;

  for (gsize k = first; k < first + n; k++)
    shift_search_begin (&b->searches[k], s->width, s->height, &(ShiftProjections) { key->columns, key->rows },
                        &(ShiftProjections) { s->frames.columns[k], s->frames.rows[k] }, &s->request->settings);
}

static gboolean
is_searching (const Shifts *s, const ShiftSearch *searches)
{
  for (gint k = 0; k < s->n; k++)
    if (searches[k].asks != SHIFT_ASKS_NOTHING)
      return TRUE;
  return FALSE;
}

void
shift_find_all (Shifts *s)
{
  ShiftSearch searches[SHIFT_MOST_FRAMES];
  gint32      words[SHIFT_MOST_FRAMES * SHIFT_WORDS];

  gegl_parallel_distribute_range (s->n, THREAD_COST, begin_searches, &(Beginning) { s, searches });
  while (is_searching (s, searches))
    if (! answer_medians (s, searches) || ! answer_sums (s, searches))
      return;
  for (gint k = 0; k < s->n; k++)
    shift_to_words (&searches[k].found, words + k * SHIFT_WORDS);
  send (s, words, s->n * SHIFT_WORDS * sizeof *words, s->band->output.memory);
}
