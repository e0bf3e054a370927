/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "against.h"

#include "../engine/verdict.h"

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
expect_planes (const CountPlane *found, const Plane *wanted, const Plane *allowed, const gchar *what, const gchar *name)
{
  gdouble worst = 0;
  gsize   at = 0;
  gint    count = 0;

  for (gsize i = 0; i < plane_size (wanted); i++)
    {
      const gdouble is = found->pixels[i], should = wanted->values[i];
      const gdouble over = isfinite (is) != isfinite (should) ? INFINITY : isfinite (is) ? fabs (is - should) - allowed->values[i] : 0;

      count += over > 0;
      if (over > worst)
        {
          worst = over;
          at = i;
        }
    }
  expect (count == 0, "%s: %s: %d of %d x %d pixels are off; at (%d, %d) %.9g, the reference has %.9g, %.3g is allowed", name, what, count, wanted->width,
          wanted->height, (gint) (at % wanted->width), (gint) (at / wanted->width), found->pixels[at], wanted->values[at], allowed->values[at]);
}

gint
main (gint argc, gchar **argv)
{
  const struct { const gchar *name; AgainstCase run; gdouble part; } areas[] =
    {
      { "shift", against_shift, 12 }, { "starts", against_starts, 0.1 }, { "from-shifts", against_from_shifts, 10 },
      { "from-frames", against_from_frames, 1 }, { "background", against_background, 2 },
      { "significance", against_significance, 1 }, { "detection", against_detection, 2 },
      { "removal", against_removal, 2 }, { "tracks", against_tracks, 1 },
      { "significance-gaps", against_significance_gaps, 1 }, { "removal-gaps", against_removal_gaps, 1 }
    };
  gchar             *only = NULL;
  gint               cases = 40, one = -1, seed = 20261123;
  const GOptionEntry entries[] =
    {
      { "only", 0, 0, G_OPTION_ARG_STRING, &only, "one area", "AREA" },
      { "cases", 0, 0, G_OPTION_ARG_INT, &cases, "so many in each", "40" },
      { "case", 0, 0, G_OPTION_ARG_INT, &one, "that one alone", "N" },
      { "seed", 0, 0, G_OPTION_ARG_INT, &seed, "other cases", "20261123" },
      { NULL, 0, 0, 0, NULL, NULL, NULL }
    };
  GOptionContext *context = g_option_context_new (NULL);

  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL))
    return 2;
  for (gsize a = 0; a < G_N_ELEMENTS (areas); a++)
    for (gint k = MAX (one, 0); k < (one >= 0 ? one + 1 : cases * areas[a].part) && (! only || ! strcmp (only, areas[a].name)); k++)
      {
        StarsRandom random = stars_random (seed, (guint) a + 1, k);
        gchar      *name = g_strdup_printf ("--seed %d --only %s --case %d", seed, areas[a].name, k);

        areas[a].run (&random, name);
        g_free (name);
      }
  g_option_context_free (context);
  return expect_told ();
}
