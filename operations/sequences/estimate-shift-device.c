/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts of frames on the device (opencl/kernels/estimate-shift.cl).  The frames and all that is made of them stay there.  Projections, medians and the sums
 * of tiles come to the host, which decides as it does in C (shift-steps.c).  A launch and an answer are of all frames that ask at the time.
 */
#include "config.h"

#include "estimate-shift-parts.h"

#include <string.h>

#define FEW_TILES 4096.0        /* whose sums are added before another thread pays */

/* ------------------------------------------------------------------- the steps -- */

/* Those that ask for the same; returns how many, and which. */
static gint
gather (const ShiftSearch *searches, gint n, ShiftAsks asks, ShiftQuery *queries)
{
  gint found = 0;

  for (gint k = 0; k < n; k++)
    if (searches[k].asks == asks)
      {
        ShiftQuery *query = &queries[found++];

        *query = (ShiftQuery) { .frame = k, .x = searches[k].x, .y = searches[k].y, .is_fresh = searches[k].is_fresh, .threshold = searches[k].threshold };
        memcpy (query->taps_x, searches[k].taps_x, sizeof query->taps_x);
        memcpy (query->taps_y, searches[k].taps_y, sizeof query->taps_y);
      }
  return found;
}

static gint
answer_medians (Shifts *s, ShiftSearch *searches)
{
  ShiftQuery queries[SHIFT_MOST_FRAMES];
  gdouble    medians[SHIFT_MOST_FRAMES];
  const gint n = gather (searches, s->n, SHIFT_ASKS_MEDIAN, queries);
  gint       status;

  if (n == 0)
    return 0;
  tessera_send (s->band, queries, n * sizeof *queries, s->queries);
  tessera_launch (s->band, &(TesseraLaunch) {
    .kernel = "shift_choose", .size = { s->width, s->down, n }, .group = PIXELS_GROUP, .cost = 4,
    .args = { ARG (s->reference.touched), ARG (s->frames.touched), ARG (s->usable), SIZE_ARGS (s), ARG (s->down), ARG (s->queries),
              ARG (s->n_steep) }
  });
  if ((status = shifts_find_medians (s, NULL, n, medians)) != 0)
    return status;
  for (gint k = 0; k < n; k++)
    shift_search_median (&searches[queries[k].frame], medians[k]);
  return 0;
}

static void
launch_sums (Shifts *s, const ShiftQuery *queries, gint n)
{
  gboolean is_fresh = FALSE;

  for (gint k = 0; k < n; k++)
    is_fresh = is_fresh || queries[k].is_fresh;
  if (is_fresh)
    tessera_launch (s->band, &(TesseraLaunch) {
      .kernel = "shift_mark", .size = { s->width, s->down, n }, .group = PIXELS_GROUP, .cost = SHIFT_TILE_HEIGHT * 4,
      .args = { ARG (s->reference.soft), ARG (s->usable), ARG (s->steep), SIZE_ARGS (s), ARG (s->down), ARG (s->queries), ARG (s->n_steep),
                LOCAL_ARG (sizeof (gint)) } });
  tessera_launch (s->band, &(TesseraLaunch) {
    .kernel = "shift_sum_tiles", .size = { (gsize) SHIFT_GROUP * s->across * s->down, 1, n }, .group = { SHIFT_GROUP, 1, 1 },
    .cost = SHIFT_TILE_HEIGHT * 5,
    .args = { ARG (s->reference.soft), ARG (s->frames.soft), ARG (s->usable), ARG (s->steep), SIZE_ARGS (s), ARG (s->queries),
              ARG (s->n_steep), ARG (SHIFT_FEWEST_STEEP), ARG (s->sums), ARG (s->across), ARG (s->down),
              LOCAL_ARG (SHIFT_SUMS * SHIFT_TILE_WIDTH * sizeof (gfloat)) }
  });
}

typedef struct
{
  const ShiftQuery *queries;
  ShiftSearch      *searches;
  const gfloat     *tiles;
  gint              n_tiles;
} Adding;

static void
add_tiles (gsize first, gsize n, gpointer data)
{
  const Adding *a = data;

  for (gsize k = first; k < first + n; k++)
    {
      gdouble sums[SHIFT_SUMS];

      shift_add_tiles (a->tiles + k * a->n_tiles * SHIFT_SUMS, a->n_tiles, sums);
      shift_search_sums (&a->searches[a->queries[k].frame], sums);
    }
}

static gint
answer_sums (Shifts *s, ShiftSearch *searches)
{
  ShiftQuery    queries[SHIFT_MOST_FRAMES];
  const gint    n = gather (searches, s->n, SHIFT_ASKS_SUMS, queries), n_tiles = s->across * s->down;
  gconstpointer tiles;
  gint          status;

  if (n == 0)
    return 0;
  tessera_send (s->band, queries, n * sizeof *queries, s->queries);
  launch_sums (s, queries, n);
  if ((status = tessera_fetch_view (s->band, s->sums, (gsize) n * n_tiles * SHIFT_SUMS * sizeof (gfloat), &tiles)) != 0)
    return status;
  tessera_spread_range (n, FEW_TILES / n_tiles, add_tiles, &(Adding) { queries, searches, tiles, n_tiles });
  return 0;
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

static void
shift_to_words (const Shift *found, gint32 words[SHIFT_WORDS])
{
  memcpy (words, &found->x, sizeof found->x);
  memcpy (words + 2, &found->y, sizeof found->y);
  memcpy (words + 4, &found->error, sizeof found->error);
  words[6] = found->pixels;
  words[7] = found->steps << 2 | (found->converged ? 2 : 0) | (found->ok ? 1 : 0);
}

void
shift_answer (const TesseraRequest *request, const Shift *found)
{
  const ShiftRequest *r = request->params;
  gint32             *words = g_new (gint32, SHIFT_WORDS * r->n);

  for (gint k = 0; k < r->n; k++)
    shift_to_words (&found[k], words + k * SHIFT_WORDS);
  tessera_answer (request, words, SHIFT_WORDS * r->n * sizeof *words);
}

static gint
search (Shifts *s)
{
  ShiftSearch searches[SHIFT_MOST_FRAMES];
  Shift       found[SHIFT_MOST_FRAMES];
  gint        status;

  tessera_spread_range (s->n, SHIFT_THREAD_COST, begin_searches, &(Beginning) { s, searches });
  while (is_searching (s, searches))
    if ((status = answer_medians (s, searches)) != 0 || (status = answer_sums (s, searches)) != 0)
      return status;
  for (gint k = 0; k < s->n; k++)
    found[k] = searches[k].found;
  shift_answer (s->band->request, found);
  return 0;
}

/* ------------------------------------------------------------------ the filter -- */

static Shifts
shifts_of (const TesseraRequest *request)
{
  const ShiftRequest *r = request->params;
  const gint          width = r->key->plane->width, height = r->key->plane->height;

  return (Shifts) { .request = r, .n = r->n, .width = width, .height = height, .across = shift_tiles (width, SHIFT_TILE_WIDTH),
                    .down = shift_tiles (height, SHIFT_TILE_HEIGHT) };
}

static gsize
sums_bytes (const Shifts *s)
{
  const gsize projections = shifts_projection_floats (s) + s->width + s->height;

  return s->n * MAX (projections, (gsize) s->across * s->down * SHIFT_SUMS) * sizeof (gfloat);
}

static gsize
means_bytes (const Shifts *s)
{
  return (gsize) s->n * (s->width + s->height) * sizeof (gdouble);
}

/* The reference's softened image and bits, its plane where that is no request's aux, and what take_all takes.  The frames that stay are counted where they
 * are used. */
gsize
shift_scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const Shifts s = shifts_of (request);
  const gsize  pixels = (gsize) s.width * s.height * sizeof (gfloat);
  const gsize  reference = pixels + shifts_bits_bytes (&s) + (s.request->key->kept || s.n > 1 ? pixels : 0);

  return reference + s.n * ((s.request->kept ? 4 : 3) * pixels + 3 * shifts_bits_bytes (&s) + SHIFT_BINS * sizeof (gint) + sizeof (ShiftMiddle)
                            + sizeof (ShiftQuery) + sizeof (gfloat) + sizeof (gint)) + sums_bytes (&s) + means_bytes (&s);
}

static void
take_all (Shifts *s)
{
  const gsize pixels = (gsize) s->n * s->width * s->height * sizeof (gfloat), bits = s->n * shifts_bits_bytes (s);

  tessera_scratch (s->band, pixels, &s->medians);
  tessera_scratch (s->band, pixels, &s->excesses);
  tessera_scratch (s->band, s->n * SHIFT_BINS * sizeof (gint), &s->counts);
  tessera_scratch (s->band, s->n * sizeof (ShiftMiddle), &s->middles);
  tessera_scratch (s->band, s->n * sizeof (gfloat), &s->thresholds);
  tessera_scratch (s->band, s->n * sizeof (ShiftQuery), &s->queries);
  tessera_scratch (s->band, bits, &s->usable);
  tessera_scratch (s->band, bits, &s->steep);
  tessera_scratch (s->band, s->n * sizeof (gint), &s->n_steep);
  tessera_scratch (s->band, sums_bytes (s), &s->sums);
  if (s->band->has_doubles)
    tessera_scratch (s->band, means_bytes (s), &s->means);
  tessera_scratch (s->band, pixels, &s->frames.soft);
  tessera_scratch (s->band, bits, &s->frames.touched);
}

static void
frames_clear (DeviceFrames *frames)
{
  for (gint k = 0; k < frames->n; k++)
    {
      g_free (frames->columns[k]);
      g_free (frames->rows[k]);
    }
}

static gint
prepare (Shifts *s)
{
  gint status;

  take_all (s);
  shifts_begin_counts (s);
  if ((status = shifts_prepare_reference (s)) != 0)
    return status;
  return s->request->planes ? shifts_prepare_planes (s)
                            : shifts_prepare_frames (s, &s->frames, &s->band->input.memory, 1, s->band->input.stride);
}

gint
shift_device (TesseraBand *band)
{
  Shifts s = shifts_of (band->request);
  gint   status;

  s.band = band;
  s.frames.n = s.n;
  if ((status = prepare (&s)) == 0)
    status = search (&s);
  frames_clear (&s.reference);
  frames_clear (&s.frames);
  return status;
}
