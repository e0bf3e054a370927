/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add on the device: the bits of C, whatever fails.
 * --small: little, for a slow device that looks at each access.  --time WIDTH FRAMES SIDE [rounds]: how long SIDE x SIDE velocities take in C and on the
 * device. */
#include <gegl-plugin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tessera-control.h"
#include "tracks.h"

#include "../engine/each-fault.h"
#include "../engine/verdict.h"

static const TesseraErrand errand;      /* a program's */

typedef struct
{
  CountPlane *planes;
  TrackFrame *frames;
  gint        n;
} Night;

/* Noise; `hard`: gaps, infinities and large numbers, too. */
static Night
night_new (GRand *random, gint width, gint height, gint n, gboolean hard)
{
  static const gfloat values[] = { NAN, NAN, INFINITY, -INFINITY, 1e30f, -3e38f, -0.0f, 1e-41f };
  Night               night = { g_new (CountPlane, n), g_new0 (TrackFrame, n), n };

  for (gint j = 0; j < n; j++)
    {
      count_plane_init (&night.planes[j], width, height);
      for (gint i = 0; i < width * height; i++)
        night.planes[j].pixels[i] = hard && g_rand_int_range (random, 0, 40) == 0 ? values[g_rand_int_range (random, 0, G_N_ELEMENTS (values))]
                                    : ((gint) g_rand_int_range (random, 0, 2001) - 1000) / 300.0f;
      night.frames[j].filtered = &night.planes[j];
      night.frames[j].time = j;
      night.frames[j].shift.x = g_rand_int_range (random, 0, 100) / 25.0 - 2.0;
      night.frames[j].shift.y = g_rand_int_range (random, 0, 100) / 25.0 - 2.0;
    }
  return night;
}

static void
night_clear (Night *night)
{
  for (gint j = 0; j < night->n; j++)
    count_plane_clear (&night->planes[j]);
  g_free (night->planes);
  g_free (night->frames);
}

static gboolean
are_same (const TrackPlanes *a, const TrackPlanes *b)
{
  const gsize bytes = 4 * (gsize) a->best.width * a->best.height;

  return a->velocity && b->velocity && memcmp (a->best.pixels, b->best.pixels, bytes) == 0 && memcmp (a->velocity, b->velocity, bytes) == 0;
}

static void
compare (const gchar *what, const Night *night, gint r, const TrackGrid *grid, gfloat clip)
{
  TesseraCounters before, after;
  TrackPlanes     in_c, on_device;
  gboolean        done;

  tracks_stack (night->frames, night->n, r, grid, clip, &in_c);
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_get_counters (&before);
  done = tracks_stack_for (&errand, night->frames, night->n, r, grid, clip, &on_device);
  tessera_get_counters (&after);
  expect (done && after.device_requests == before.device_requests + 1, "%s: it ran on the device", what);
  expect (are_same (&in_c, &on_device), "%s: %d frames of %dx%d, %dx%d velocities, from frame %d on: other bits than in C", what, night->n,
          in_c.best.width, in_c.best.height, grid->n_x, grid->n_y, r);
  track_planes_clear (&in_c);
  track_planes_clear (&on_device);
}

/* Grids that no four velocities fill, of large steps, to either side, one that leaves the picture, and of more rows than a launch has; what lies beyond; what is flat. */
static void
check_grids (gboolean small)
{
  static const TrackGrid grids[] = { { -2.0, -2.0, 0.25, 17, 17 }, { 0.0, 0.0, 1.0, 1, 1 }, { -0.4, 0.3, 0.07, 6, 3 }, { -9.0, -7.0, 4.0, 5, 4 },
                                     { 2.5, 1.5, 3.0, 5, 4 },
                                     { -300.0, 200.0, 150.0, 4, 2 }, { -1.0, 1.0, 3.1, 3, 11 },
                                     { -1.7, -1.2, 0.31, 13, 21 }, { -0.9, -1.4, 0.8, 9, 9 } };
  static const gint sizes[][3] = { { 37, 45, 5 }, { 16, 32, 1 }, { 130, 70, 9 }, { 1, 1, 3 }, { 17, 3, 8 }, { 48, 33, 2 } };

  GRand      *random = g_rand_new_with_seed (20261123);

  for (guint i = 0; i < (small ? 2 : G_N_ELEMENTS (sizes)); i++)
    for (guint k = small ? 2 : 0; k < (small ? 5 : G_N_ELEMENTS (grids)); k++)
      for (gint hard = 0; hard < (small ? 1 : 2); hard++)
        {
          Night night = night_new (random, small ? sizes[i][0] / 2 + 1 : sizes[i][0], small ? sizes[i][1] / 2 : sizes[i][1], sizes[i][2], hard);

          compare (hard ? "hard values" : "noise", &night, small ? 0 : (gint) g_rand_int_range (random, 0, night.n), &grids[k], hard ? 5.0f : INFINITY);
          night_clear (&night);
        }
  g_rand_free (random);
}

/* Everywhere the same: the first velocity. */
static void
check_ties (void)
{
  const TrackGrid grid = { 0.0, 0.0, 0.1, 9, 13 };
  GRand          *random = g_rand_new_with_seed (1);
  Night           night = night_new (random, 50, 40, 4, FALSE);

  for (gint j = 0; j < night.n; j++)
    for (gint i = 0; i < 50 * 40; i++)
      night.planes[j].pixels[i] = i % 7 ? 1.0f : -0.0f;
  compare ("ties", &night, 1, &grid, INFINITY);
  for (gint j = 0; j < night.n; j++)
    for (gint i = 0; i < 50 * 40; i++)
      night.planes[j].pixels[i] = j ? -INFINITY : NAN;
  compare ("nothing", &night, 3, &grid, INFINITY);
  night_clear (&night);
  g_rand_free (random);
}

/* With the check that other programs have, which searches tracks: the device is used. */
static void
check_proof (void)
{
  const TrackGrid grid = { -1.0, -1.0, 0.5, 5, 5 };
  GRand          *random = g_rand_new_with_seed (2);
  Night           night = night_new (random, 61, 37, 4, FALSE);

  tessera_set_profiling (TRUE);
  compare ("checked", &night, 2, &grid, INFINITY);
  expect (launches_of ("tracks_try") == 1, "the check launches nothing: %d launches", (gint) launches_of ("tracks_try"));
  tessera_set_profiling (FALSE);
  night_clear (&night);
  g_rand_free (random);
}

typedef struct
{
  const Night       *night;
  const TrackGrid   *grid;
  const TrackPlanes *in_c;
} Faulty;

static void
stack_under (const gchar *fault, gpointer data)
{
  const Faulty *faulty = data;
  TrackPlanes   other;

  expect (tracks_stack_for (&errand, faulty->night->frames, faulty->night->n, 3, faulty->grid, 4.0f, &other) && are_same (faulty->in_c, &other),
          "%s: other bits than in C", fault);
  track_planes_clear (&other);
}

static void
walk_faults (void)
{
  const TrackGrid grid = { -1.0, -1.0, 0.5, 5, 5 };
  GRand          *random = g_rand_new_with_seed (20261126);
  Night           night = night_new (random, 61, 37, 4, FALSE);
  TrackPlanes     in_c, other;

  tracks_stack (night.frames, night.n, 3, &grid, 4.0f, &in_c);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  each_fault (FALSE, stack_under, &(Faulty) { &night, &grid, &in_c });
  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  tessera_set_fault ("enqueue:1");
  expect (! tracks_stack_for (&errand, night.frames, night.n, 3, &grid, 4.0f, &other) && ! other.velocity, "a device that is forced and fails");
  tessera_set_fault (NULL);
  track_planes_clear (&in_c);
  night_clear (&night);
  g_rand_free (random);
}

static gint
measure (gint width, gint n, gint side, gint rounds)
{
  const gdouble     range = 2.2 / MAX (1, n - 1) * (side - 1) / 2;      /* steps of 2.2 px over all frames */
  const TrackGrid   grid = { -range, -range, 2 * range / MAX (1, side - 1), side, side };
  const gdouble     tried = (gdouble) width * width * side * side;
  GRand            *random = g_rand_new_with_seed (1);
  Night             night = night_new (random, width, width, n, FALSE);
  TrackPlanes       in_c, other;
  TesseraKernelTime times[16];
  guint             n_times;
  gdouble           c = INFINITY;

  /* The least of three: the first one finds threads and memory cold. */
  for (gint i = 0; i < 3; i++)
    {
      const gint64 began = g_get_monotonic_time ();

      if (i > 0)
        track_planes_clear (&in_c);
      tracks_stack (night.frames, n, n - 1, &grid, 10.0f, &in_c);
      c = MIN (c, (g_get_monotonic_time () - began) / 1e6);
    }
  g_print ("device: %s\n%d frames of %dx%d, %dx%d velocities\nC: %.1f ms, %.4g trajectories a second\n",
           tessera_device_name () ? tessera_device_name () : "none", n, width, width, side, side, c * 1e3, tried / c);
  for (gint i = 0; i < 2 * rounds && tessera_device_name (); i++)
    {
      TesseraCounters before, after;
      gdouble         seconds;
      gint64          began;

      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      tessera_set_profiling (i >= rounds);
      tessera_get_counters (&before);
      began = g_get_monotonic_time ();
      tracks_stack_for (&errand, night.frames, n, n - 1, &grid, 10.0f, &other);
      seconds = (g_get_monotonic_time () - began) / 1e6;
      tessera_get_counters (&after);
      expect (are_same (&in_c, &other), "other bits than in C");
      g_print ("device%s: %.2f ms (read %.2f, upload %.2f, kernels %.2f, download %.2f, engine %.2f), %.4g trajectories a second, %.1f times C\n",
               i >= rounds ? ", timed" : "", seconds * 1e3, (after.read_ns - before.read_ns) / 1e6, (after.upload_ns - before.upload_ns) / 1e6,
               (after.run_ns - before.run_ns) / 1e6, (after.download_ns - before.download_ns) / 1e6, (after.process_ns - before.process_ns) / 1e6,
               tried / seconds, c / seconds);
      track_planes_clear (&other);
    }
  n_times = MIN (tessera_get_kernel_times (times, G_N_ELEMENTS (times)), G_N_ELEMENTS (times));
  for (guint i = 0; i < n_times; i++)
    g_print ("  %s: %.3f ms a request\n", times[i].kernel, times[i].ns / 1e6 / rounds);
  track_planes_clear (&in_c);
  night_clear (&night);
  g_rand_free (random);
  return expect_told ();
}

/* A kernel numbers the pixels of all frames with an int: more are left to C. */
static void
check_numbers (void)
{
  expect (tracks_are_numbered (G_MAXINT / 4, 1) && tracks_are_numbered (24000000, 22), "pixels that an int can number are not numbered");
  expect (! tracks_are_numbered (G_MAXINT / 4 + 1, 1) && ! tracks_are_numbered (24000000, 23)
          && ! tracks_are_numbered ((guint64) G_MAXINT * 4, 64), "more pixels than an int can number are numbered");
}

int
main (int argc, char **argv)
{
  gegl_init (NULL, NULL);
  if (argc > 4 && strcmp (argv[1], "--time") == 0)
    return measure (atoi (argv[2]), atoi (argv[3]), atoi (argv[4]), argc > 5 ? atoi (argv[5]) : 4);
  else if (! tessera_device_name ())
    g_print ("there is no device\n");
  else
    {
      if (argc < 2)
        {
          check_numbers ();
          check_proof ();
        }
      tessera_set_proof (FALSE);
      tessera_set_tight_memory (argc > 1 && strcmp (argv[1], "--small") == 0);
      check_grids (argc > 1);
      if (argc < 2)
        {
          check_ties ();
          walk_faults ();
        }
    }
  gegl_exit ();
  return expect_told ();
}
