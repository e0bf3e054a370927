/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "sequence-truth.h"

#include <math.h>

#define INSIDE    24
#define MOST      50.0
#define PEAK_AWAY 1.5
#define FOUND     2.0
#define NEAR      4.0

Sequence
sequence_new (gchar preset, guint64 seed, gint frames, gboolean less_dark)
{
  StarsSettings settings;
  Sequence      sequence = { .n = frames };

  stars_preset (&settings, preset, seed);
  settings.frames = frames;
  sequence.field = stars_field_new (&settings);
  g_assert (sequence.field);
  sequence.frames = g_new (Plane, frames);
  for (gint k = 0; k < frames; k++)
    {
      Plane   *plane = sequence.frames + k;
      guint16 *adu = g_new (guint16, (gsize) settings.width * settings.height);

      *plane = plane_new (settings.width, settings.height);
      stars_frame (sequence.field, k, adu);
      for (gsize i = 0; i < plane_size (plane); i++)
        plane->values[i] = adu[i] - (less_dark ? sequence.field->pattern[i] : 0);
      g_free (adu);
    }
  return sequence;
}

void
sequence_free (Sequence *sequence)
{
  for (gint k = 0; k < sequence->n; k++)
    plane_free (sequence->frames + k);
  g_free (sequence->frames);
  stars_field_free (sequence->field);
}

gdouble
sequence_residual (const Sequence *sequence, gint frame, const Plane *whitened)
{
  const StarsSettings *s = &sequence->field->settings;
  Plane                light = plane_new (s->width, s->height);
  gdouble              sum = 0;
  gint                 count = 0;

  stars_light (sequence->field, frame, light.values);
  for (gint y = INSIDE; y < s->height - INSIDE; y++)
    for (gint x = INSIDE; x < s->width - INSIDE; x++)
      {
        const gsize   i = (gsize) y * s->width + x;
        const gdouble noise = sqrt (light.values[i] + s->read_noise * s->read_noise) / s->gain;
        const gdouble part = isfinite (whitened->values[i]) ? MIN (fabs (whitened->values[i] / noise), MOST) : 0;

        sum += part * part;
        count++;
      }
  plane_free (&light);
  return sum / count;
}

gdouble
sequence_peak (const Sequence *sequence, gint frame, gint object, const Plane *filtered)
{
  gdouble x, y, best = -INFINITY;

  stars_object (sequence->field, object, frame, &x, &y);
  for (gint j = (gint) floor (y) - 2; j <= (gint) floor (y) + 3; j++)
    for (gint i = (gint) floor (x) - 2; i <= (gint) floor (x) + 3; i++)
      if (hypot (i - x, j - y) <= PEAK_AWAY)
        best = MAX (best, plane_at (filtered, i, j));
  return best;
}

gint
sequence_owner (const Sequence *sequence, gint frame, gdouble x, gdouble y)
{
  gint owner = FALSE_ALARM;

  for (gint k = 0; k < sequence->field->settings.n_objects; k++)
    {
      gdouble u, v;

      stars_object (sequence->field, k, frame, &u, &v);
      if (hypot (u - x, v - y) <= FOUND)
        return k;
      if (hypot (u - x, v - y) <= NEAR)
        owner = NEAR_AN_OBJECT;
    }
  return owner;
}
