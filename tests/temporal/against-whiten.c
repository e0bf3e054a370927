/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background, whitened frame and significance, pixel by pixel.  The product sums in float: N + 4 roundings of the largest terms.  Both
 * sides are given the same weights, and the same background for the significance. */
#include "against.h"

#include "whiten.h"
#include "../engine/verdict.h"

#include <math.h>
#include <string.h>

#define FLOAT_STEP 0x1p-24
#define FEWEST     0.5          /* renormalised weights sum to this at least: terms become so much larger */
#define ROUNDINGS  16           /* of a significance */

static Weights
same_weights (const ReferenceWeights *w)
{
  Weights same;

  memset (&same, 0, sizeof same);
  same.n = w->n;
  for (gint k = 0; k < w->n; k++)
    {
      same.move_x[k] = w->move_x[k];
      same.move_y[k] = w->move_y[k];
      same.a[k] = w->weights[k];
      same.mean[k] = w->means[k];
    }
  same.level = w->mean;
  same.degree = w->degree;
  same.noise_gain = w->noise_gain;
  return same;
}

static gdouble
largest (const Plane *plane)
{
  gdouble most = 0;

  for (gsize i = 0; i < plane_size (plane); i++)
    if (isfinite (plane->values[i]))
      most = MAX (most, fabs (plane->values[i]));
  return most;
}

static void
fill (Plane *plane, gdouble value)
{
  for (gsize i = 0; i < plane_size (plane); i++)
    plane->values[i] = value;
}

void
against_background (StarsRandom *random, const gchar *name)
{
  const gint        n = (gint) draw_log (random, 1, REFERENCE_MOST_FRAMES + 0.99), degree = draw_whole (random, 0, 3);
  const gboolean    is_from_frames = n <= 16 && draw_chance (random, 0.4), align = draw_chance (random, 0.8), article = draw_chance (random, 0.2);
  StarsField       *field = draw_field (random, 1, 90, n + 1, draw_chance (random, 0.3) ? 5 : 0.7);
  Vector            shifts[REFERENCE_MOST_FRAMES + 1];
  Plane             frames[REFERENCE_MOST_FRAMES + 1], background, whitened, allowed;
  CountPlane        counts[REFERENCE_MOST_FRAMES + 1];
  const CountPlane *history[REFERENCE_MOST_FRAMES + 1];
  ReferenceWeights  weights;
  Weights           same;
  WhitenPlanes      planes;
  gdouble           terms = 0;
  gchar            *text = g_strdup_printf ("%s, %d frames of %d x %d, from-%s, degree %d, align %d, article %d", name, n, field->settings.width, field->settings.height,
                                            is_from_frames ? "frames" : "shifts", degree, align, article);

  for (gint k = 0; k <= n; k++)
    {
      shifts[k] = (Vector) { field->shifts[k].x, field->shifts[k].y };
      frames[k] = draw_frame (random, field, k);
      for (gsize i = 0; i < plane_size (frames + k); i++)
        if (! isfinite (frames[k].values[i]) || frames[k].values[i] >= 65535)
          frames[k].values[i] = NAN;
      counts[k] = as_counts (frames + k);
      history[k] = counts + k;
    }
  if (is_from_frames)
    reference_from_frames (n, frames, frames + n, shifts, shifts[n], align, &weights);
  else
    reference_from_shifts (n, shifts, shifts[n], degree, 1e-3, article, align, &weights);
  background = reference_background (frames, &weights, frames[n].width, frames[n].height);
  whitened = reference_whitened (frames + n, &background);
  same = same_weights (&weights);
  whiten_planes_init (&planes, frames[n].width, frames[n].height);
  whiten_predict (counts + n, history, &same, &planes);
  for (gint k = 0; k < n; k++)
    terms += fabs (weights.weights[k]) * (largest (frames + k) + fabs (weights.means[k])) + largest (frames + k) / n;
  allowed = plane_new (frames[n].width, frames[n].height);
  fill (&allowed, (n + 4) * FLOAT_STEP * (terms / FEWEST + fabs (weights.mean) + largest (frames + n)));
  expect_planes (&planes.whitened, &whitened, &allowed, "whitened", text);
  expect_planes (&planes.background, &background, &allowed, "background", text);
  for (gint k = 0; k <= n; k++)
    {
      plane_free (frames + k);
      count_plane_clear (counts + k);
    }
  plane_free (&background);
  plane_free (&whitened);
  plane_free (&allowed);
  whiten_planes_clear (&planes);
  stars_field_free (field);
  g_free (text);
}

/* Some pixels of the frame are not known, and of some of these not the background either.  No block of 64 is wholly unknown: what then
 * stands for it is open. */
static void
forget_some (StarsRandom *random, gboolean has_gaps, Plane *whitened, Plane *background)
{
  const gint w = whitened->width, left = draw_whole (random, 0, w / 2), whole = draw_chance (random, 0.2) ? draw_whole (random, 1, 50) : 0;

  for (gsize i = 0; i < plane_size (whitened); i++)
    {
      const gint x = (gint) (i % w), y = (gint) (i / w);

      if (draw_chance (random, 0.01) || (x >= left && x < left + whole && y < whole))
        {
          whitened->values[i] = NAN;
          if (has_gaps && draw_chance (random, 0.5))
            background->values[i] = NAN;
        }
    }
}

static void
against_judged (StarsRandom *random, gboolean has_gaps, const gchar *name)
{
  StarsField   *field = draw_field (random, 1, 300, 1, 0);
  const gdouble gain = draw_chance (random, 0.3) ? 0 : draw_log (random, 0.1, 10);
  const gboolean forgets = draw_chance (random, 0.4);
  Plane         background = draw_frame (random, field, 0), whitened = draw_noise (random, background.width, background.height);
  Plane         sigmas = plane_copy (&background), allowed = plane_copy (&background), significance;
  WhitenPlanes  planes;
  gchar        *text = g_strdup_printf ("%s, %d x %d, gain %g, %s", name, background.width, background.height, gain, forgets ? "not all known" : "all known");
  const gdouble sd = draw_log (random, 0.5, 100);

  for (gsize i = 0; i < plane_size (&background); i++)
    {
      if (! isfinite (background.values[i]))
        background.values[i] = 1000;
      whitened.values[i] = (gfloat) (isfinite (whitened.values[i]) ? sd * whitened.values[i] : 0);
    }
  if (forgets)
    forget_some (random, has_gaps, &whitened, &background);
  significance = reference_significance (&whitened, &background, gain, &sigmas);
  whiten_planes_init (&planes, background.width, background.height);
  for (gsize i = 0; i < plane_size (&background); i++)
    {
      const gdouble s = sigmas.values[i], b = fabs (background.values[i]);
      /* The gradient is at most the neighbours' difference: 0.1 of it is in sigma. */
      const gdouble of_sigma = isfinite (b) && s > 0 ? ((gain > 0 ? b / gain : 0) + 0.1 * s * b) / (s * s) : 0;

      planes.background.pixels[i] = (gfloat) background.values[i];
      planes.whitened.pixels[i] = (gfloat) whitened.values[i];
      allowed.values[i] = ROUNDINGS * FLOAT_STEP * (fabs (significance.values[i]) * (1 + of_sigma) + (s > 0 ? (fabs (whitened.values[i]) + sd) / s : 0));
    }
  whiten_judge (&planes, gain);
  expect_planes (&planes.significance, &significance, &allowed, "significance", text);
  plane_free (&background);
  plane_free (&whitened);
  plane_free (&sigmas);
  plane_free (&allowed);
  plane_free (&significance);
  whiten_planes_clear (&planes);
  stars_field_free (field);
  g_free (text);
}

void
against_significance (StarsRandom *random, const gchar *name)
{
  against_judged (random, FALSE, name);
}

/* Nothing is known of the background of some pixels: no gradient is made of that. */
void
against_significance_gaps (StarsRandom *random, const gchar *name)
{
  against_judged (random, TRUE, name);
}
