/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One block of frames, from its files alone.
 *
 * What is taken from a frame before others are predicted from it depends on the frames before.  So there are legs of LEG frames, whatever the blocks are: all
 * frames of a leg are computed as one run does that begins at one place before it, and a block computes what it has of each leg. */
#include "sequence.h"

#include <math.h>

#include "../progress.h"
#include "fits.h"
#include "sky.h"

#define LEG          100        /* frames */
#define LEAVES       1.25       /* widths of a star, in a long search: its velocities are one apart, and what is left of a star drifts */
#define DETECTS_FROM 2          /* frames of the history: one does not tell which of the two a star's rest is in */
#define REMOVES_FROM 5          /* frames of the history: objects go from the next */

/* A frame that is not told yet. */
typedef struct
{
  FrameRow   row;               /* without what the judgement adds; owns its words */
  FrameFacts facts;
} Waiting;

typedef struct
{
  Sequence     *sequence;
  gint          leg;            /* its first frame */
  gint          begin;          /* frames before it are only background of others, ... */
  gint          first, end;     /* ... and those outside of these are computed, not told */
  GString      *text;
  Ahead        *ahead;
  gint          chain;          /* of the frames that are held */
  gint          lit;            /* its last frame whose stars' light is known, -1: none, ... */
  gdouble       light;          /* ... and that light */
  gint          solved;         /* one more than the last chain of which a frame's sky is told */
  Held        held;
  GQueue        waiting;        /* Waiting, the oldest first */
  GArray       *filtered;       /* PlacedFrame: of the matched filter */
  GainShown     gain;           /* by the frames before the next one */
  WhitenPlanes  planes;
  FrameShift    at;             /* of their background, ... */
  gboolean      has_background; /* ... if there is one, in this chain */
  Sky          *sky;            /* of the frame that is told */
} Block;

static void
waiting_free (gpointer data)
{
  Waiting *frame = data;

  frame_facts_clear (&frame->facts);
  g_free (frame->row.name);
  g_free (frame->row.reason);
  g_free (frame);
}

static void
add_filtered (Block *block, const PlacedFrame *frame)
{
  if (block->filtered->len >= (guint) MAX (SEQUENCE_SHORT, block->sequence->settings.stack))
    g_array_remove_index (block->filtered, 0);
  g_array_append_vals (block->filtered, frame, 1);
}

/* ------------------------------------------------------------------- tracks -- */

static gdouble track_seconds;

gdouble
block_track_seconds (void)
{
  return track_seconds;
}

/* The last n filtered frames. */
typedef struct
{
  gint        n;
  const PlacedFrame *past;
  TrackFrame *frames;
  gdouble    *times;            /* before the last, negative */
} Stretch;

static Stretch
stretch_of (const Block *block, gint n)
{
  Stretch s = { n, &g_array_index (block->filtered, PlacedFrame, block->filtered->len - n), g_new (TrackFrame, n), g_new (gdouble, n) };

  for (gint i = 0; i < n; i++)
    {
      s.times[i] = -times_between (block->sequence, s.past[i].index, s.past[n - 1].index);
      s.frames[i] = (TrackFrame) { &s.past[i].frame.plane, s.past[i].frame.shift, s.times[i] };
    }
  return s;
}

static void
stretch_clear (Stretch *s)
{
  g_free (s->frames);
  g_free (s->times);
}

/* The tracks of one grid; the search's threshold becomes a row. */
static GArray *
find_tracks (Block *block, const Stretch *s, const TrackGrid *grid)
{
  const gint64 began = g_get_monotonic_time ();
  TrackPlanes  planes;
  GArray      *tracks;
  gfloat       threshold;

  if (! tracks_stack_for (&(TesseraErrand) { .operation = NULL }, s->frames, s->n, s->n - 1, grid, TRACKS_LIMIT, &planes))
    {
      g_atomic_int_set (&block->sequence->is_refused, TRUE);
      return g_array_new (FALSE, FALSE, sizeof (Track));
    }
  track_seconds += (g_get_monotonic_time () - began) / 1e6;
  threshold = search_threshold (block->sequence, s->frames, s->n, grid);
  row_add_search (block->text, s->past[s->n - 1].index, s->n, threshold);
  tracks = tracks_find (&planes, s->frames, s->n, s->n - 1, grid, threshold);
  track_planes_clear (&planes);
  return tracks;
}

/* Beyond the fastest velocities are others: what is found with one of them moves by another. */
static gboolean
is_at_edge (const Track *track, const TrackGrid *grid)
{
  return track->v_x <= grid->x || track->v_x >= grid->x + grid->step * (grid->n_x - 1)
         || track->v_y <= grid->y || track->v_y >= grid->y + grid->step * (grid->n_y - 1);
}

/* `grid` NULL: those with any velocity.  What moves by less than so many widths of a star is still. */
static void
add_tracks (Block *block, const Stretch *s, GArray *tracks, const TrackGrid *grid, gdouble widths)
{
  for (guint i = 0; i < tracks->len; i++)
    {
      const Track *track = &g_array_index (tracks, Track, i);
      ObjectRow    row = { .index = s->past[s->n - 1].index, .frames = s->n, .x = track->x, .y = track->y, .v_x = track->v_x, .v_y = track->v_y,
                           .value = track->value, .flux = NAN };

      row.is_still = -hypot (row.v_x, row.v_y) * s->times[0] < widths * block->sequence->settings.fwhm;         /* what is left of a star */
      if (! row.is_still && grid && is_at_edge (track, grid))
        continue;
      turn_place (s->past[s->n - 1].applied, block->sequence->width, block->sequence->height, &row.x, &row.y);
      sky_place (block->sky, row.x, row.y, &row.ra, &row.dec);
      row_add_object (block->text, &row);
    }
  g_array_free (tracks, TRUE);
}

/* What the finer grid has it tells better. */
static void
drop_within (GArray *tracks, const TrackGrid *grid)
{
  for (guint i = tracks->len; i-- > 0;)
    {
      const Track *track = &g_array_index (tracks, Track, i);

      if (MAX (fabs (track->v_x), fabs (track->v_y)) <= -grid->x)
        g_array_remove_index (tracks, i);
    }
}

/* Each frame is in one search for fast objects. */
static void
search_short (Block *block, gint index)
{
  Stretch   s = stretch_of (block, SEQUENCE_SHORT);
  TrackGrid grid = tracks_short_grid (), fast = tracks_fast_grid ();
  const gint first = s.past[0].index, last = s.past[SEQUENCE_SHORT - 1].index;

  if (times_grid (block->sequence, first, last, &grid) && times_grid (block->sequence, first, last, &fast))
    {
      const gboolean is_fast = (index + 1) % sequence_fast_every (&block->sequence->settings) == 0;
      GArray        *tracks = find_tracks (block, &s, &grid);

      if (is_fast)
        {
          GArray *others = find_tracks (block, &s, &fast);

          drop_within (others, &grid);
          tracks_refine (others, s.frames, s.n, s.n - 1, &fast);
          tracks = tracks_unite (tracks, others, s.frames, s.n, s.n - 1);
        }
      add_tracks (block, &s, tracks, is_fast ? &fast : &grid, 1.0);
    }
  stretch_clear (&s);
}

static void
search_long (Block *block, gint n)
{
  const SequenceSettings *settings = &block->sequence->settings;
  Stretch   s = stretch_of (block, n);
  TrackGrid grid = tracks_grid (s.times, n, settings->fwhm, 1.0, settings->fastest);

  if ((gdouble) grid.n_x * grid.n_y * n > SEQUENCE_MOST_MOVES)
    progress_say ("frame %d: no search over %d frames, because so many are missing between them", s.past[n - 1].index, n);
  else
    add_tracks (block, &s, find_tracks (block, &s, &grid), settings->fastest > 0.0 ? &grid : NULL, LEAVES);
  stretch_clear (&s);
}

/* Now and then, and in the night's last frame, of however many. */
static void
search_tracks (Block *block, gint index)
{
  const SequenceSettings *settings = &block->sequence->settings;
  const gint              n = (gint) block->filtered->len;
  const gboolean          is_over = index + 1 == block->sequence->list.n;
  const gboolean          is_long_due = settings->stack > 0 && (index + 1) % MAX (settings->stack / 2, 1) == 0 && n >= settings->stack;

  if (settings->every > 0 && ((index + 1) % settings->every == 0 || is_over) && n >= SEQUENCE_SHORT)
    search_short (block, index);
  if (is_long_due || (settings->stack > 0 && is_over && n >= SEQUENCE_SHORT))
    search_long (block, MIN (settings->stack, n));
}

/* ------------------------------------------------------------- one frame -- */

static gboolean
write_planes (Block *block, const PlacedFrame *now, const Weights *weights, GError **error)
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

/* Of the filtered frame; returns how many there are. */
static gint
add_detections (const Block *block, const PlacedFrame *now, const CountPlane *filtered, gfloat threshold, GString *objects)
{
  g_autoptr (GArray) found = detect_maxima (filtered, threshold);
  gint               n = 0;

  detect_drop_wings (found);
  for (guint i = 0; i < found->len; i++)
    {
      const Detection *detection = &g_array_index (found, Detection, i);
      ObjectRow          object = { .index = now->index, .frames = 1, .x = detection->fine_x, .y = detection->fine_y, .v_x = NAN, .v_y = NAN,
                                  .value = detection->value,
                                  .flux = detect_flux (&block->planes.whitened, detection->x, detection->y, block->sequence->settings.fwhm) };

      if (clean_is_star (&block->planes, now->applied != 0.0, detection->x, detection->y))
        continue;
      n++;
      turn_place (now->applied, filtered->width, filtered->height, &object.x, &object.y);
      sky_place (block->sky, object.x, object.y, &object.ra, &object.dec);
      row_add_object (objects, &object);
    }
  return n;
}

/* By the background of the frame before; the first has its own, as good as it is.  What passes through the frame itself is hidden too, until its stars
 * have told how it is predicted. */
static void
screen (Block *block, PlacedFrame *now, WhitenFrames *frames)
{
  const SequenceSettings *settings = &block->sequence->settings;
  Weights                 weights;

  screen_lift (now);
  if (block->has_background)
    screen_frame (now, &block->planes.background, block->at, settings->step);
  if (settings->is_past || ! settings->removes || ! held_needs_screen (&block->held))
    return;
  if (! block->has_background)
    {
      held_history (&block->held, now, frames);
      sequence_whiten (block->sequence, frames, settings->weights.method, &block->planes, &weights);
      block->at = now->frame.shift;
    }
  held_screen (&block->held, &block->planes.background, block->at);
}

/* What was hidden in the frame is judged by the background that its stars have chosen. */
static void
unhide (Block *block, PlacedFrame *now, WhitenFrames *frames, gdouble gain)
{
  const CountPlane *plane = &now->frame.plane;
  WhitenPlanes     *planes = &block->planes;

  if (! screen_lift (now))
    return;
  frames->all[frames->n] = now->frame;
  for (gsize i = 0; i < (gsize) plane->width * plane->height; i++)
    planes->whitened.pixels[i] = plane->pixels[i] - planes->background.pixels[i];
  whiten_judge_steps (planes, gain, block->sequence->settings.step);
}

/* Detections; what the frame becomes as history is in its plane. */
static gboolean
judge (Block *block, PlacedFrame *now, WhitenFrames *frames, FrameRow *row, GString *objects, GError **error)
{
  const SequenceSettings *settings = &block->sequence->settings;
  PlacedFrame             filtered = { .frame = { .shift = now->frame.shift }, .index = now->index, .applied = now->applied };
  const CountPlane       *plane = &filtered.frame.plane;
  const gdouble           gain = settings->gain < 0.0 ? block->gain.gain : sequence_gain (block->sequence);
  Weights                 weights;
  gboolean                success = TRUE;

  background_find (block->sequence, frames, gain, &block->planes, &weights);
  unhide (block, now, frames, gain);
  count_plane_init (&filtered.frame.plane, now->frame.plane.width, now->frame.plane.height);
  detect_filter (&block->planes.significance, settings->fwhm, &filtered.frame.plane);
  clean_new_sky (frames, &filtered.frame.plane);
  clean_rim (frames, &block->planes, &filtered.frame.plane);
  columns_clear_stars (&now->frame.plane, &block->planes, &filtered.frame.plane);
  row->rays = clean_trails (block->sequence, &block->planes, held_alone (&block->held, now, frames), now, row->quality.seeing, &filtered.frame.plane, objects);
  clean_wide (&filtered.frame.plane);
  row->threshold = frame_threshold (block->sequence, &block->planes.significance, plane, FALSE);
  row->detections = add_detections (block, now, plane, frames->n < MIN (settings->history, DETECTS_FROM) ? INFINITY : (gfloat) row->threshold, objects);
  row->quality.noise = quality_noise (&block->planes.whitened);
  row->gain = settings->gain < 0.0 ? block->gain.gain : 0.0;
  if (settings->gain < 0.0)
    gain_add (&block->gain, frames, &block->planes.background, weights.noise_gain, settings->step);
  row->n = frames->n;
  row->degree = weights.degree;
  row->noise_gain = weights.noise_gain;
  if (now->index >= block->first)
    success = write_planes (block, now, &weights, error);
  if (settings->removes && frames->n >= MIN (settings->history, REMOVES_FROM))
    clean_objects (&block->planes, now, plane, (gfloat) row->threshold);
  clean_stars (&block->planes, now->applied != 0.0, &filtered.frame.plane);
  add_filtered (block, &filtered);
  block->at = now->frame.shift;
  block->has_background = TRUE;
  return success;
}

/* One of a chain and a leg is enough, as all its frames lie against it. */
static void
add_sky (Block *block, const FrameRow *row, const FrameFacts *facts)
{
  if (row->index < block->leg || row->state == FRAME_UNREADABLE || row->state == FRAME_LOST || row->sky != SKY_SOLVED || block->solved > row->chain)
    return;
  block->solved = row->chain + 1;
  if (row->index >= block->first)
    row_add_solved (block->text, row->index, facts);
}

static void
tell (Block *block, const Waiting *frame, const GString *objects)
{
  const gboolean is_told = frame->row.index >= block->first;

  if (is_told)
    {
      row_add_frame (block->text, &frame->row);
      row_add_gain (block->text, &frame->row);
      row_add_turn (block->text, &frame->row, block->sequence->width, block->sequence->height);
    }
  add_sky (block, &frame->row, &frame->facts);
  if (! is_told)
    return;
  g_string_append_len (block->text, objects->str, (gssize) objects->len);
  if (frame->row.state == FRAME_USED)
    search_tracks (block, frame->row.index);
}

/* `now`: the frame in the held; NULL: it has no place there. */
static gboolean
conclude (Block *block, Waiting *frame, PlacedFrame *now, GError **error)
{
  g_autoptr (GString) objects = g_string_new (NULL);
  FrameRow           *row = &frame->row;
  WhitenFrames        frames;
  gboolean            success = TRUE;

  block->sky = sky_new (&frame->facts);
  row->sky = block->sky ? SKY_SOLVED : sky_state (&frame->facts);
  if (now)
    {
      held_history (&block->held, now, &frames);
      if (frames.n > 0)
        screen (block, now, &frames);
      held_history (&block->held, now, &frames);
      if (frames.n == 0)
        row->state = FRAME_FIRST;
      else
        success = judge (block, now, &frames, row, objects, error);
    }
  sequence_tell (block->sequence);
  if (g_atomic_int_get (&block->sequence->is_refused) && success)
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "OpenCL is forced, but the device did not compute %s", row->name);
      success = FALSE;
    }
  if (success)
    tell (block, frame, objects);
  g_clear_pointer (&block->sky, sky_free);
  return success;
}

/* The frame that has waited longest; none from the block's end on. */
static gboolean
conclude_next (Block *block, PlacedFrame *now, GError **error)
{
  Waiting *frame = g_queue_pop_head (&block->waiting);
  gboolean success = conclude (block, frame, now, error);

  waiting_free (frame);
  return success;
}

static gint
waiting_index (const Block *block)
{
  const Waiting *frame = g_queue_peek_head ((GQueue *) &block->waiting);

  return frame && frame->row.index < block->end ? frame->row.index : -1;
}

/* All that can be judged, and those before them that cannot be used.  `is_last`: nothing follows in their chain. */
static gboolean
conclude_all (Block *block, gboolean is_last, GError **error)
{
  PlacedFrame *now;
  gboolean     success = TRUE;

  while (success && (now = held_next (&block->held, is_last)) && now->index < block->end)
    {
      while (success && waiting_index (block) < now->index)
        success = conclude_next (block, NULL, error);
      success = success && conclude_next (block, now, error);
    }
  while (success && is_last && waiting_index (block) >= 0)
    success = conclude_next (block, NULL, error);
  return success;
}

static void
forget (Block *block, gint chain)
{
  held_forget (&block->held);
  g_array_set_size (block->filtered, 0);
  block->has_background = FALSE;
  block->chain = chain;
  block->lit = -1;
}

static Waiting *
waiting_new (const Block *block, gint index, Arrived *frame)
{
  Waiting *waiting = g_new (Waiting, 1);

  *waiting = (Waiting) { { .index = index, .state = ! frame->plane.pixels ? FRAME_UNREADABLE : frame->has_place ? FRAME_USED : FRAME_LOST,
                           .chain = block->chain, .quality = frame->quality, .x = frame->shift.x, .y = frame->shift.y, .error = frame->found.error, .pixels = frame->found.pixels,
                           .angle = frame->has_place ? frame->applied : 0.0, .angle_error = frame->has_place ? frame->turn.error : 0.0, .degree = -1, .noise_gain = NAN, .threshold = NAN, .facts = frame->facts, .name = frame_name (&block->sequence->list.frames[index]),
                           .reason = frame->reason ? g_strdup (frame->reason->message) : NULL }, frame->facts };
  waiting->row.facts.sky = NULL;
  g_clear_error (&frame->reason);
  return waiting;
}

static gboolean
add_frame (Block *block, gint index, GError **error)
{
  Arrived     frame;
  PlacedFrame placed;
  gboolean    success = TRUE;

  ahead_next (block->ahead, &frame);
  if (frame.plane.pixels && block->chain != frame.chain)
    {
      success = conclude_all (block, TRUE, error);
      forget (block, frame.chain);
    }
  placed = (PlacedFrame) { .frame = { frame.plane, frame.shift, frame.kept }, .index = index, .applied = frame.applied };
  if (frame.has_place && isfinite (frame.quality.light))
    {
      block->lit = index;
      block->light = frame.quality.light;
    }
  g_queue_push_tail (&block->waiting, waiting_new (block, index, &frame));
  if (frame.plane.pixels && frame.has_place)
    held_add (&block->held, &placed, index >= block->begin);
  else
    placed_clear (&placed);
  return success && conclude_all (block, FALSE, error);
}

/* ------------------------------------------------------------------ a block -- */

/* How the block lies against the one before. */
static void
tell_joint (Block *block)
{
  const GArray      *frames = block->held.frames;
  const PlacedFrame *before = frames->len > 0 ? &g_array_index (frames, PlacedFrame, frames->len - 1) : NULL;

  if (! before)
    {
      row_add_overlap (block->text, -1, (FrameShift) { NAN, NAN }, block->first == block->leg ? -1 : block->chain);
      return;
    }
  row_add_overlap (block->text, before->index, before->frame.shift, block->chain);
  row_add_overlap_turn (block->text, before->index, before->applied);
  if (block->lit >= 0)
    row_add_light (block->text, block->lit, block->light);
}

/* Until all of the block's own frames are told; returns how far it went. */
static gint
add_frames (Block *block, gint oldest, gint last, gboolean *success, GError **error)
{
  gint i = oldest;

  for (; i < last && *success && (i < block->end || waiting_index (block) >= 0); i++)
    {
      *success = add_frame (block, i, error);
      if (i == block->first - 1)
        tell_joint (block);
    }
  *success = *success && conclude_all (block, TRUE, error);
  return i;
}

/* What a part of a leg depends on: frames from `key` to before `last`, if there are so many. */
typedef struct
{
  gint begin, oldest, key, last;
} Reach;

static Reach
reach_of (const SequenceSettings *settings, gint leg)
{
  const gint begin = MAX (leg - MAX (held_before (settings), MAX (SEQUENCE_SHORT, settings->stack)), 0), oldest = MAX (begin - held_before (settings), 0);

  return (Reach) { begin, oldest, oldest - oldest % SEQUENCE_GROUP, leg + LEG + held_after (settings) };
}

/* Frames of one leg; a frame's place depends on all frames of its group.  Returns how far it went; `is_open`: more frames would make it another part. */
static gint
make_part (Sequence *sequence, GString *text, gint first, gint end, gboolean *is_open, gboolean *success, GError **error)
{
  const gint  leg = first - first % LEG, n = sequence->list.n;
  const Reach reach = reach_of (&sequence->settings, leg);
  Block       block = { .sequence = sequence, .leg = leg, .begin = reach.begin, .first = first, .end = end, .lit = -1, .text = text };
  gint        next;

  held_init (&block.held, &sequence->settings);
  gain_init (&block.gain);
  g_queue_init (&block.waiting);
  block.filtered = g_array_new (FALSE, FALSE, sizeof (PlacedFrame));
  g_array_set_clear_func (block.filtered, placed_clear);
  whiten_planes_init (&block.planes, sequence->width, sequence->height);
  block.ahead = ahead_new (sequence, reach.oldest, MIN (reach.last, n));
  next = add_frames (&block, reach.oldest, MIN (reach.last, n), success, error);
  *is_open = *is_open || end == n || (next == n && n < reach.last) || (next + SEQUENCE_GROUP - 1) / SEQUENCE_GROUP * SEQUENCE_GROUP > n;
  ahead_free (block.ahead);
  held_clear (&block.held);
  g_queue_clear_full (&block.waiting, waiting_free);
  g_array_free (block.filtered, TRUE);
  gain_clear (&block.gain);
  whiten_planes_clear (&block.planes);
  return next;
}

GString *
block_make (Sequence *sequence, gint number, GError **error)
{
  const SequenceSettings *settings = &sequence->settings;
  const gint              first = number * settings->block, end = MIN (first + settings->block, sequence->list.n);
  const gint              key = reach_of (settings, first - first % LEG).key;
  GString                *text = g_string_new (NULL);
  gboolean                success = TRUE, is_open = FALSE;
  gint                    next = first;

  content_begin (sequence, key, sequence->list.n);
  for (gint i = first, part; i < end && success; i = part)
    {
      part = MIN (i - i % LEG + LEG, end);
      next = make_part (sequence, text, i, part, &is_open, &success, error);
    }
  if (success && content_end (sequence, is_open, key, next, text, error))
    return text;
  g_string_free (text, TRUE);
  return NULL;
}
