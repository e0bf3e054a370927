/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One block of frames, from its files alone. */
#include "sequence.h"

#include <math.h>

#include "../progress.h"
#include "fits.h"
#include "sky.h"

#define MOST_LEFT    0.05        /* of stars, by shifts */
#define DETECTS_FROM 2          /* frames of the history: one does not tell which of the two a star's rest is in */
#define REMOVES_FROM 5          /* frames of the history: objects go from the next */

typedef struct
{
  Sequence     *sequence;
  gint          first;          /* frames before it are computed, not told */
  GString      *text;
  Ahead        *ahead;
  gint          chain;          /* of the past */
  gdouble       light;          /* of the youngest of the history */
  gint          solved;         /* one more than the last chain of which a frame's sky is told */
  GArray       *history;        /* Past, the oldest first: counts, objects removed */
  GArray       *filtered;       /* Past: of the matched filter */
  Removal       removal;
  WhitenPlanes  planes;
  Sky          *sky;            /* of the frame that is added */
} Block;

static void
past_clear (gpointer data)
{
  Past *past = data;

  tessera_kept_unref (past->frame.kept);
  count_plane_clear (&past->frame.plane);
}

static void
past_add (GArray *past, const Past *added, guint most)
{
  if (past->len >= most)
    g_array_remove_index (past, 0);
  g_array_append_vals (past, added, 1);
}

/* ------------------------------------------------------------------- tracks -- */

static gdouble track_seconds;

gdouble
block_track_seconds (void)
{
  return track_seconds;
}

/* Rows of the tracks that are in the last n filtered frames. */
static void
search (Block *block, gint n, gboolean is_long)
{
  const SequenceSettings *settings = &block->sequence->settings;
  const Past             *past = &g_array_index (block->filtered, Past, block->filtered->len - n);
  g_autofree TrackFrame  *frames = g_new (TrackFrame, n);
  g_autofree gdouble     *times = g_new (gdouble, n);
  TrackGrid               grid = tracks_short_grid ();
  gfloat                  threshold;
  TrackPlanes             found;
  GArray                 *tracks;
  gint64                  began;

  for (gint i = 0; i < n; i++)
    {
      times[i] = -times_between (block->sequence, past[i].index, past[n - 1].index);
      frames[i] = (TrackFrame) { &past[i].frame.plane, past[i].frame.shift, times[i] };
    }
  if (is_long)
    {
      grid = tracks_grid (times, n, settings->fwhm, 1.0, settings->fastest);
      if ((gdouble) grid.n_x * grid.n_y * n > SEQUENCE_MOST_MOVES)
        {
          progress_say ("frame %d: no search over %d frames, because so many are missing between them", past[n - 1].index, n);
          return;
        }
    }
  else if (! times_grid (block->sequence, past[0].index, past[n - 1].index, &grid))
    return;
  began = g_get_monotonic_time ();
  if (! tracks_stack_for (&(TesseraErrand) { .operation = NULL }, frames, n, n - 1, &grid, TRACKS_LIMIT, &found))
    {
      g_atomic_int_set (&block->sequence->is_refused, TRUE);
      return;
    }
  track_seconds += (g_get_monotonic_time () - began) / 1e6;
  threshold = search_threshold (block->sequence, frames, n, &grid);
  row_add_search (block->text, past[n - 1].index, n, threshold);
  tracks = tracks_find (&found, frames, n, n - 1, &grid, threshold);
  for (guint i = 0; i < tracks->len; i++)
    {
      const Track *track = &g_array_index (tracks, Track, i);
      ObjectRow    row = { .index = past[n - 1].index, .frames = n, .x = track->x, .y = track->y, .v_x = track->v_x, .v_y = track->v_y,
                           .value = track->value, .flux = NAN };

      if (-hypot (row.v_x, row.v_y) * times[0] < settings->fwhm)          /* what is left of a star */
        continue;
      sky_place (block->sky, row.x, row.y, &row.ra, &row.dec);
      row_add_object (block->text, &row);
    }
  g_array_free (tracks, TRUE);
  track_planes_clear (&found);
}

static void
search_tracks (Block *block, gint index)
{
  const SequenceSettings *settings = &block->sequence->settings;
  const gint              n = (gint) block->filtered->len;

  if (settings->every > 0 && (index + 1) % settings->every == 0 && n >= SEQUENCE_SHORT)
    search (block, SEQUENCE_SHORT, FALSE);
  if (settings->stack > 0 && (index + 1) % MAX (settings->stack / 2, 1) == 0 && n >= settings->stack)
    search (block, settings->stack, TRUE);
}

/* ------------------------------------------------------------- one frame -- */

static gboolean
write_planes (Block *block, const Past *now, const Weights *weights, GError **error)
{
  const CountPlane *const   planes[] = { &block->planes.whitened, &block->planes.background, &block->planes.significance,
                                          &now->frame.plane };
  gboolean                  success = TRUE;

  for (gint i = 0; i < WRITE_KINDS && success; i++)
    if (block->sequence->settings.writes[i])
      {
        g_autofree gchar *path = folder_plane (block->sequence->folder, (WriteKind) i, now->index);
        g_autofree gchar *card = g_strdup_printf ("NOISEGAI= %20.6f", weights->noise_gain);
        const gchar *cards[] = { card, NULL };

        success = fits_write (path, planes[i], cards, error);
      }
  return success;
}

/* Weights and planes; returns what is left of stars. */
static gdouble
whiten_by (Block *block, const Past *now, WeightsMethod method, Weights *weights)
{
  const SequenceSettings *settings = &block->sequence->settings;
  WhitenFrames            frames = { .n = (gint) block->history->len };

  for (gint i = 0; i < frames.n; i++)
    frames.all[i] = g_array_index (block->history, Past, i).frame;
  frames.all[frames.n] = now->frame;
  sequence_whiten (block->sequence, &frames, method, &block->planes, weights);
  whiten_judge (&block->planes, sequence_gain (block->sequence));
  return settings->chooses ? left_of_stars (&block->planes) : 0.0;
}

/* Where the air lets through less, or the stars are wider, the shifts do not say so.  Frames do; they cost signal,
 * and time. */
static void
whiten (Block *block, const Past *now, Weights *weights)
{
  const SequenceSettings *settings = &block->sequence->settings;
  const gdouble           left = whiten_by (block, now, settings->weights.method, weights);

  if (settings->chooses && left > MOST_LEFT && whiten_by (block, now, WEIGHTS_FROM_FRAMES, weights) > left)
    whiten_by (block, now, settings->weights.method, weights);
}

/* Detections; what the frame becomes as history is in its plane. */
static gboolean
judge (Block *block, Past *now, FrameRow *row, GString *objects, GError **error)
{
  const SequenceSettings *settings = &block->sequence->settings;
  const gint              n = (gint) block->history->len, index = now->index;
  WhitenFrame             filtered = { .shift = now->frame.shift };
  Weights                 weights;
  gfloat                  threshold;
  g_autoptr (GArray)      found = NULL;
  gboolean                success = TRUE;

  whiten (block, now, &weights);
  count_plane_init (&filtered.plane, now->frame.plane.width, now->frame.plane.height);
  detect_filter (&block->planes.significance, settings->fwhm, &filtered.plane);
  clean_new_sky (block->history, now, &filtered.plane);
  row->rays = clean_trails (block->sequence, &block->planes, block->history, now, &filtered.plane, objects);
  threshold = frame_threshold (block->sequence, &block->planes.significance, &filtered.plane, FALSE);
  found = detect_maxima (&filtered.plane, n < MIN (settings->history, DETECTS_FROM) ? INFINITY : threshold);
  for (guint i = 0; i < found->len; i++)
    {
      const Detection *detection = &g_array_index (found, Detection, i);
      ObjectRow        object = { .index = index, .frames = 1, .x = detection->fine_x, .y = detection->fine_y, .v_x = NAN, .v_y = NAN,
                                  .value = detection->value,
                                  .flux = detect_flux (&block->planes.whitened, detection->x, detection->y, settings->fwhm) };

      if (clean_is_star (&block->planes, detection->x, detection->y))
        continue;
      row->detections++;
      sky_place (block->sky, object.x, object.y, &object.ra, &object.dec);
      row_add_object (objects, &object);
    }
  row->threshold = threshold;
  row->quality.noise = quality_noise (&block->planes.whitened);
  row->n = n;
  row->degree = weights.degree;
  row->noise_gain = weights.noise_gain;
  if (index >= block->first)
    success = write_planes (block, now, &weights, error);
  if (settings->removes && n >= MIN (settings->history, REMOVES_FROM))
    clean_objects (&block->planes, &block->removal, now, &filtered.plane, threshold);
  clean_stars (&block->planes, &filtered.plane);
  past_add (block->filtered, &(Past) { filtered, index }, MAX (SEQUENCE_SHORT, settings->stack));
  return success;
}

static void
forget (Block *block, gint chain)
{
  g_array_set_size (block->history, 0);
  g_array_set_size (block->filtered, 0);
  removal_clear (&block->removal);
  block->removal = (Removal) { 0 };
  block->chain = chain;
}

/* One of a chain is enough, as all its frames lie against it. */
static void
add_sky (Block *block, const FrameRow *row, const FrameFacts *facts)
{
  if (row->state == FRAME_UNREADABLE || row->state == FRAME_LOST || row->sky != SKY_SOLVED || block->solved > row->chain)
    return;
  block->solved = row->chain + 1;
  row_add_solved (block->text, row->index, facts);
}

/* A frame before `begin` is only background of later ones: it is not judged. */
static gboolean
add_frame (Block *block, gint index, gint begin, GError **error)
{
  const SequenceSettings *settings = &block->sequence->settings;
  FrameRow                row = { .index = index, .degree = -1, .noise_gain = NAN, .threshold = NAN, .name = frame_name (&block->sequence->list.frames[index]) };
  g_autoptr (GString)     objects = g_string_new (NULL);
  Past                    now = { .index = index };
  Arrived                 frame;
  gboolean                success = TRUE;

  ahead_next (block->ahead, &frame);
  block->sky = sky_new (&frame.facts);
  row.facts = frame.facts;
  row.facts.sky = NULL;
  row.sky = block->sky ? SKY_SOLVED : sky_state (&frame.facts);
  row.quality = frame.quality;
  row.error = frame.found.error;
  row.pixels = frame.found.pixels;
  now.frame = (WhitenFrame) { frame.plane, frame.shift, frame.kept };
  row.state = ! frame.plane.pixels ? FRAME_UNREADABLE : frame.has_place ? FRAME_USED : FRAME_LOST;
  if (frame.plane.pixels)
    {
      if (block->chain != frame.chain)
        forget (block, frame.chain);
      if (row.state == FRAME_USED && index >= begin && block->history->len == 0)
        row.state = FRAME_FIRST;
      else if (row.state == FRAME_USED && index >= begin)
        success = judge (block, &now, &row, objects, error);
      if (row.state == FRAME_LOST)
        past_clear (&now);
      else
        {
          past_add (block->history, &now, settings->history);
          block->light = frame.quality.light;
        }
    }
  sequence_tell (block->sequence);
  if (g_atomic_int_get (&block->sequence->is_refused) && success)
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "OpenCL is forced, but the device did not compute %s", row.name);
      success = FALSE;
    }
  row.chain = block->chain;
  row.x = frame.shift.x;
  row.y = frame.shift.y;
  row.reason = frame.reason ? frame.reason->message : NULL;
  if (index >= block->first)
    {
      row_add_frame (block->text, &row);
      add_sky (block, &row, &frame.facts);
      g_string_append (block->text, objects->str);
      if (row.state == FRAME_USED && success)
        search_tracks (block, index);
    }
  g_clear_pointer (&block->sky, sky_free);
  frame_facts_clear (&frame.facts);
  g_clear_error (&frame.reason);
  g_free (row.name);
  return success;
}

/* ------------------------------------------------------------------ a block -- */

GString *
block_make (Sequence *sequence, gint number, GError **error)
{
  const SequenceSettings *settings = &sequence->settings;
  const gint              first = number * settings->block, end = MIN (first + settings->block, sequence->list.n);
  const gint              begin = MAX (first - MAX (settings->history, MAX (SEQUENCE_SHORT, settings->stack)), 0);
  const gint              oldest = MAX (begin - settings->history, 0), key = oldest - oldest % SEQUENCE_GROUP;
  Block                   block = { .sequence = sequence, .first = first, .text = g_string_new (NULL) };
  gboolean                success = TRUE;

  block.history = g_array_new (FALSE, FALSE, sizeof (Past));
  block.filtered = g_array_new (FALSE, FALSE, sizeof (Past));
  g_array_set_clear_func (block.history, past_clear);
  g_array_set_clear_func (block.filtered, past_clear);
  whiten_planes_init (&block.planes, sequence->width, sequence->height);
  content_begin (sequence, key, end);
  block.ahead = ahead_new (sequence, oldest, end);
  for (gint i = oldest; i < end && success; i++)
    {
      success = add_frame (&block, i, begin, error);
      if (i == first - 1 && block.history->len > 0)
        {
          const Past *last = &g_array_index (block.history, Past, block.history->len - 1);

          row_add_overlap (block.text, last->index, last->frame.shift, block.chain);
          row_add_light (block.text, last->index, block.light);
        }
    }
  ahead_free (block.ahead);
  g_array_free (block.history, TRUE);
  g_array_free (block.filtered, TRUE);
  removal_clear (&block.removal);
  whiten_planes_clear (&block.planes);
  if (! success || ! content_end (sequence, key, end, block.text, error))
    {
      g_string_free (block.text, TRUE);
      return NULL;
    }
  return block.text;
}
