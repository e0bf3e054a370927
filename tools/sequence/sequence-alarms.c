/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Thresholds from false alarms in a night.  Each frame and each search has its share of them, and a threshold from its own noise.  So parts, and a
 * run that goes on, decide as one run does. */
#include "sequence.h"

#include <math.h>

/* Frames of the night that alarms are counted in. */
static gint
night_of (const Sequence *sequence)
{
  return sequence->settings.night > 0 ? sequence->settings.night : sequence->list.n;
}

gfloat
frame_threshold (const Sequence *sequence, const CountPlane *significance, const CountPlane *filtered, gboolean has_trails)
{
  const SequenceSettings *settings = &sequence->settings;
  const gdouble           share = settings->false_detections / night_of (sequence);

  return settings->threshold > 0.0 ? (gfloat) settings->threshold
         : has_trails              ? detect_trail_threshold (filtered, share)
                                   : detect_noise_threshold (significance, filtered, share);
}

gint
sequence_fast_every (const SequenceSettings *settings)
{
  return settings->every * ((SEQUENCE_SHORT + settings->every - 1) / settings->every);
}

/* In all frames, if none is lost; the last may have a search more of each kind. */
static gint
count_searches (const Sequence *sequence)
{
  const SequenceSettings *settings = &sequence->settings;
  const gint              n = night_of (sequence);

  return (settings->every > 0 ? n / settings->every + n / sequence_fast_every (settings) + 1 : 0)
         + (settings->stack > 0 ? n / MAX (settings->stack / 2, 1) + 1 : 0);
}

gfloat
search_threshold (const Sequence *sequence, const TrackFrame *frames, gint n, const TrackGrid *grid)
{
  const SequenceSettings *settings = &sequence->settings;

  return settings->track_threshold > 0.0 ? (gfloat) settings->track_threshold
                                         : tracks_noise_threshold (frames, n, n - 1, grid, settings->fwhm / (n - 1),
                                                                   settings->false_tracks / MAX (count_searches (sequence), 1));
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

Thresholds
tables_thresholds (const Tables *tables, gboolean of_searches)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (gdouble));

  for (guint i = 0; ! of_searches && i < tables->frames->len; i++)
    if (isfinite (g_array_index (tables->frames, FrameRow, i).threshold))
      g_array_append_val (all, g_array_index (tables->frames, FrameRow, i).threshold);
  if (of_searches)
    g_array_append_vals (all, tables->searches->data, tables->searches->len);
  g_array_sort (all, compare);
  if (all->len == 0)
    return (Thresholds) { NAN, NAN, NAN };
  return (Thresholds) { g_array_index (all, gdouble, 0), g_array_index (all, gdouble, all->len / 2), g_array_index (all, gdouble, all->len - 1) };
}

gdouble
tables_gain (const Tables *tables)
{
  g_autoptr (GArray) all = g_array_new (FALSE, FALSE, sizeof (gdouble));

  for (guint i = 0; i < tables->frames->len; i++)
    if (g_array_index (tables->frames, FrameRow, i).gain > 0.0)
      g_array_append_val (all, g_array_index (tables->frames, FrameRow, i).gain);
  g_array_sort (all, compare);
  return all->len > 0 ? g_array_index (all, gdouble, all->len / 2) : 0.0;
}
