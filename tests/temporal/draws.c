/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See draws.h. */
#include "draws.h"

#include <math.h>
#include <string.h>

gdouble
draw (StarsRandom *random, gdouble least, gdouble most)
{
  return least + (most - least) * stars_uniform (random);
}

gint
draw_whole (StarsRandom *random, gint least, gint most)
{
  return least + (gint) (stars_uniform (random) * (most - least + 1));
}

gdouble
draw_log (StarsRandom *random, gdouble least, gdouble most)
{
  return least * exp (stars_uniform (random) * log (most / least));
}

gboolean
draw_chance (StarsRandom *random, gdouble chance)
{
  return stars_uniform (random) < chance;
}

StarsField *
draw_field (StarsRandom *random, gint least, gint most, gint n, gdouble fastest)
{
  StarsSettings settings;

  stars_preset (&settings, "ABCD"[draw_whole (random, 0, 3)], (guint64) (stars_uniform (random) * 1e15));
  settings.width = (gint) draw_log (random, least, most + 1);
  settings.height = (gint) draw_log (random, least, most + 1);
  settings.frames = n;
  settings.density = draw_log (random, 3000, 60000);
  settings.drift_x = draw (random, -fastest, fastest);
  settings.drift_y = draw (random, -fastest, fastest);
  settings.cosmic_rays = draw_chance (random, 0.3) ? draw (random, 0, 3) : 0;
  settings.seeing = draw_chance (random, 0.3) ? draw (random, 0, 0.2) : 0;
  settings.fwhm = draw_chance (random, 0.3) ? draw (random, 2.2, 9) : settings.fwhm;
  settings.hot_most = draw_chance (random, 0.3) ? 5000 : 500;
  settings.hot = draw_chance (random, 0.2) ? 2000 : settings.hot;
  settings.n_objects = 0;
  return stars_field_new (&settings);
}

static void
spoil (StarsRandom *random, Plane *plane)
{
  const gdouble bad[] = { NAN, INFINITY, -INFINITY, 65535, 70000, 0, -500 };
  const gint    n = 1 + (gint) (draw (random, 0, 0.01) * plane_size (plane));

  for (gint k = 0; k < n; k++)
    plane->values[draw_whole (random, 0, (gint) plane_size (plane) - 1)] = bad[draw_whole (random, 0, (gint) G_N_ELEMENTS (bad) - 1)];
}

Plane
draw_frame (StarsRandom *random, const StarsField *field, gint frame)
{
  Plane          plane = plane_new (field->settings.width, field->settings.height);
  guint16       *adu = g_new (guint16, plane_size (&plane));
  const gboolean is_flat = draw_chance (random, 0.03);
  const gdouble  scale = draw_chance (random, 0.1) ? draw_log (random, 1e-3, 1) : 1;

  stars_frame (field, frame, adu);
  for (gsize i = 0; i < plane_size (&plane); i++)
    plane.values[i] = (gfloat) (scale * (is_flat ? 1000.3 : adu[i]));
  if (draw_chance (random, 0.3))
    spoil (random, &plane);
  g_free (adu);
  return plane;
}

Plane
draw_noise (StarsRandom *random, gint width, gint height)
{
  Plane         plane = plane_new (width, height);
  const gdouble peaks = draw_chance (random, 0.1) ? 0.1 : 0.003, missing = draw_chance (random, 0.3) ? 0.02 : 0;

  for (gsize i = 0; i < plane_size (&plane); i++)
    {
      plane.values[i] = (gfloat) (stars_normal (random) + (draw_chance (random, peaks) ? draw (random, 3, 30) : 0));
      if (draw_chance (random, missing))
        plane.values[i] = NAN;
    }
  return plane;
}

CountPlane
as_counts (const Plane *plane)
{
  CountPlane counts;

  count_plane_init (&counts, plane->width, plane->height);
  for (gsize i = 0; i < plane_size (plane); i++)
    counts.pixels[i] = (gfloat) plane->values[i];
  return counts;
}

Plane
as_plane (const CountPlane *counts)
{
  Plane plane = plane_new (counts->width, counts->height);

  for (gsize i = 0; i < plane_size (&plane); i++)
    plane.values[i] = counts->pixels[i];
  return plane;
}

void
double_counts (CountPlane *planes, gint n)
{
  for (gint k = 0; k < n; k++)
    for (gint i = 0; i < planes[k].width * planes[k].height; i++)
      planes[k].pixels[i] *= 2.0f;
}
