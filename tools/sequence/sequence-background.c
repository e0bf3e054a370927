/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The background of a frame, in the way that leaves least of the stars. */
#include "sequence.h"

#define MOST_LEFT     0.05      /* of stars, by shifts, ... */
#define BY_LIGHT_LEFT 0.02      /* ... and with the light of the frame: frames leave less */

/* How it may be predicted, in this order: as asked for; with the light of the frame; from the frames. */
typedef enum { BY_SETTINGS, BY_LIGHT, BY_FRAMES } Way;

/* Weights and planes; returns what is left of stars. */
static gdouble
predict (Sequence *sequence, const WhitenFrames *frames, Way way, gdouble gain, WhitenPlanes *planes, Weights *weights)
{
  const SequenceSettings *settings = &sequence->settings;
  const WeightsMethod     method = way == BY_FRAMES ? WEIGHTS_FROM_FRAMES : settings->weights.method;

  sequence_whiten (sequence, frames, method, planes, weights);
  if (way == BY_LIGHT && ! left_scale (&frames->all[frames->n].plane, planes))
    return G_MAXDOUBLE;
  whiten_judge_steps (planes, gain, settings->step);
  return settings->chooses ? left_of_stars (planes) : 0.0;
}

/* Where the air lets through less, or the stars are wider, the shifts do not say so.  The light of the stars does, and
 * frames do, which cost signal, and time.  Price of the light: 1.4 of the time of a night whose transparency varies by
 * 20 % (40 frames of 1024 x 1024; 2 cores of an EPYC, 2026-11). */
void
background_find (Sequence *sequence, const WhitenFrames *frames, gdouble gain, WhitenPlanes *planes, Weights *weights)
{
  gdouble least = predict (sequence, frames, BY_SETTINGS, gain, planes, weights);
  Way     best = BY_SETTINGS, last = BY_SETTINGS;

  while (sequence->settings.chooses && least > (last == BY_LIGHT ? BY_LIGHT_LEFT : MOST_LEFT) && last < BY_FRAMES)
    {
      const gdouble left = predict (sequence, frames, ++last, gain, planes, weights);

      if (left < least)
        {
          least = left;
          best = last;
        }
    }
  if (last != best)
    predict (sequence, frames, best, gain, planes, weights);
}
