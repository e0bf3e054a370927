/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shift-and-add, in C and on the device.  Noise, with gaps, infinities and large numbers, too; ties; grids that no four
 * velocities fill, of large steps, to either side, that leave the picture, and of more rows than a launch has. */
#include "answers.h"

#include <math.h>
#include <string.h>

#include "draws.h"
#include "objects.h"
#include "tracks.h"

#define MOST        9           /* that are drawn */
#define ROOM        64
#define FLOAT_STEP  0x1p-24
#define TINIEST     0x1p-149
#define MOST_LOOKED 200000      /* terms of the reference for an input: of the others pixels are left out */

typedef enum { NOISE, HARD, TIES, NOTHING, KINDS } Kind;

typedef struct
{
  Kind        kind;
  gboolean    is_even;          /* shifts are multiples of 1/32, so that sums of them are exact */
  gint        n, r;
  CountPlane  planes[ROOM + 1];
  TrackFrame  frames[ROOM + 1];
  TrackGrid   grid;
  gfloat      clip;
} Night;

/* ---------------------------------------------------------------- draw -- */

static gfloat
draw_pixel (StarsRandom *random, Kind kind)
{
  static const gfloat hard[] = { NAN, NAN, INFINITY, -INFINITY, 1e30f, -3e38f, -0.0f, 1e-41f };
  const gfloat        noise = (gfloat) stars_normal (random);

  switch (kind)
    {
    case HARD:
      return draw_chance (random, 0.025) ? hard[draw_whole (random, 0, G_N_ELEMENTS (hard) - 1)] : noise;
    case TIES:
      return draw_chance (random, 0.14) ? -0.0f : 1.0f;
    case NOTHING:
      return draw_chance (random, 0.2) ? NAN : -INFINITY;
    default:
      return draw_chance (random, 0.003)  ? (gfloat) (3 + 27 * stars_uniform (random))
             : draw_chance (random, 0.01) ? NAN
                                          : noise;
    }
}

static TrackGrid
draw_grid (StarsRandom *random)
{
  static const TrackGrid grids[] = { { 0.0, 0.0, 1.0, 1, 1 },        { -0.4, 0.3, 0.07, 6, 3 },
                                     { -9.0, -7.0, 4.0, 5, 4 },      { 2.5, 1.5, 3.0, 5, 4 },
                                     { -300.0, 200.0, 150.0, 4, 2 }, { -1.0, 1.0, 3.1, 3, 11 },
                                     { -1.7, -1.2, 0.31, 13, 21 },   { -0.9, -1.4, 0.8, 9, 9 },
                                     { 0.0, 0.0, 0.1, 9, 13 },       { -9.0, -3.0, 1.5, 13, 5 } };
  const gint             which = draw_whole (random, 0, G_N_ELEMENTS (grids));

  return which < (gint) G_N_ELEMENTS (grids) ? grids[which] : tracks_short_grid ();
}

static FrameShift
draw_shift (StarsRandom *random, gboolean is_even)
{
  const gdouble parts = is_even ? 32 : 25, x = draw_whole (random, -300, 300), y = draw_whole (random, -300, 300);

  return (FrameShift) { x / parts, y / parts };
}

static Night *
night_new (StarsRandom *random, gint n, gint width, gint height, Kind kind)
{
  Night         *night = g_new0 (Night, 1);
  const gboolean is_still = draw_chance (random, 0.2);

  night->kind = kind;
  night->is_even = draw_chance (random, 0.6);
  night->n = n;
  night->r = draw_whole (random, 0, n - 1);
  for (gint j = 0; j < n; j++)
    {
      count_plane_init (&night->planes[j], width, height);
      for (gint i = 0; i < width * height; i++)
        night->planes[j].pixels[i] = draw_pixel (random, kind);
      night->frames[j] = (TrackFrame) { &night->planes[j],
                                        is_still ? (FrameShift) { 0, 0 } : draw_shift (random, night->is_even), j };
    }
  return night;
}

/* The parts of a group, and one more: 16 x 32 pixels. */
static gpointer
night_draw (guint64 seed, gboolean is_small)
{
  static const gint sizes[][3] = { { 37, 45, 5 }, { 16, 32, 1 }, { 130, 70, 9 },
                                   { 1, 1, 3 },   { 17, 3, 8 },  { 48, 33, 2 } };
  StarsRandom       random = stars_random (seed, 1, 0);
  const gint        which = draw_whole (&random, 0, 2 * G_N_ELEMENTS (sizes) - 1);
  const gboolean    is_listed = which < (gint) G_N_ELEMENTS (sizes) && ! is_small;
  const gint        width = is_listed  ? sizes[which][0]
                            : is_small ? draw_whole (&random, 7, 24)
                                       : (gint) draw_log (&random, 1, 100);
  const gint        height = is_listed  ? sizes[which][1]
                             : is_small ? draw_whole (&random, 7, 26)
                                        : (gint) draw_log (&random, 1, 70);
  const gdouble     kind = draw (&random, 0, 1);
  Night *night = night_new (&random, is_listed ? sizes[which][2] : draw_whole (&random, 1, is_small ? 5 : MOST), width,
                            height,
                            kind < 0.5    ? NOISE
                            : kind < 0.85 ? HARD
                            : kind < 0.95 ? TIES
                                          : NOTHING);

  night->grid = draw_grid (&random);
  night->clip = night->kind == NOISE ? draw_chance (&random, 0.5) ? INFINITY : 3.0f : 5.0f;
  for (gint j = 0; j < night->n && draw_chance (&random, 0.3); j++)     /* times that are not those of a clock */
    night->frames[j].time = j * 1.5 - 4.0;
  return night;
}

/* Width and height, frames, velocities along each axis, as of steps of 2.2 px over all frames. */
static gpointer
night_sized (const gint *sizes)
{
  StarsRandom   random = stars_random (1, 1, 0);
  const gint    n = CLAMP (sizes[1], 1, ROOM), side = MAX (1, sizes[2]);
  const gdouble range = 2.2 / MAX (1, n - 1) * (side - 1) / 2;
  Night        *night = night_new (&random, n, sizes[0], sizes[0], NOISE);

  night->grid = (TrackGrid) { -range, -range, 2 * range / MAX (1, side - 1), side, side };
  night->clip = 10.0f;
  return night;
}

static void
night_free (gpointer input)
{
  Night *night = input;

  for (gint j = 0; j < night->n; j++)
    count_plane_clear (&night->planes[j]);
  g_free (night);
}

static gchar *
night_words (gconstpointer input)
{
  static const gchar *const kinds[KINDS] = { "noise", "hard values", "ties", "nothing" };
  const Night              *night = input;

  return g_strdup_printf ("%s, %d frames of %d x %d, %d x %d velocities from (%g, %g) by %g, for frame %d, clip %g",
                          kinds[night->kind], night->n, night->planes[0].width, night->planes[0].height,
                          night->grid.n_x, night->grid.n_y, night->grid.x, night->grid.y, night->grid.step, night->r,
                          night->clip);
}

/* -------------------------------------------------------------- answer -- */

static gboolean
night_stack (const TesseraErrand *errand, gconstpointer input, GArray *numbers)
{
  const Night   *night = input;
  const gint     size = night->planes[0].width * night->planes[0].height;
  const guint64  tried = tracks_tried ();
  TrackPlanes    planes;
  const gboolean done = tracks_stack_for (errand, night->frames, night->n, night->r, &night->grid, night->clip,
                                          &planes);

  for (gint i = 0; done && i < size; i++)
    answer_add (numbers, planes.best.pixels[i]);
  for (gint i = 0; done && i < size; i++)
    answer_add (numbers, planes.velocity[i]);
  if (done)
    answer_add (numbers, tracks_tried () - tried);
  track_planes_clear (&planes);
  return done;
}

/* Of equal velocities the first; of those that are as good as the best within the rounding, the one that was named. */
static gint
velocity_wanted (const ReferenceTrack *track, gint x, gint y, gint named, gint first, gdouble best, gdouble within)
{
  gdouble       terms;
  const gdouble value = reference_track_at (track, x, y, named, &terms);

  return value == best ? first : value >= best - 2 * within ? named : first;
}

/* A sum of floats that no float holds may be anything. */
static void
want_pixel (const ReferenceTrack *track, gint n_velocities, gint x, gint y, gint named, AnswerWanted *value,
            AnswerWanted *velocity)
{
  gdouble best = -INFINITY, most = 0;
  gint    first = 0;

  for (gint v = 0; v < n_velocities; v++)
    {
      gdouble       terms;
      const gdouble here = reference_track_at (track, x, y, v, &terms);

      most = MAX (most, isinf (terms) ? 0 : terms);
      if (here > best)
        {
          best = here;
          first = v;
        }
    }
  value->value = (gfloat) best;
  value->within = most > G_MAXFLOAT / MOST ? INFINITY : (track->n + 2) * (FLOAT_STEP * most + TINIEST);
  *velocity = (AnswerWanted) { 0, isinf (value->within) ? INFINITY : 0 };
  if (named >= 0 && named < n_velocities)
    velocity->value = velocity_wanted (track, x, y, named, first, best, value->within);
}

static void
night_reference (gconstpointer input, const GArray *numbers, GArray *wanted)
{
  const Night   *night = input;
  const gint     width = night->planes[0].width, size = width * night->planes[0].height,
             n_velocities = night->grid.n_x * night->grid.n_y;
  const gint     every = 1 + (gint) ((gint64) size * n_velocities * night->n / MOST_LOOKED);
  Plane          frames[MOST];
  Vector         shifts[MOST];
  gdouble        times[MOST];
  ReferenceTrack track = { night->n,    night->r,      frames,        shifts,           times,
                           night->clip, night->grid.x, night->grid.y, night->grid.step, night->grid.n_x };

  for (gint j = 0; j < night->n; j++)
    {
      frames[j] = as_plane (&night->planes[j]);
      shifts[j] = (Vector) { night->frames[j].shift.x, night->frames[j].shift.y };
      times[j] = night->frames[j].time;
    }
  for (gint i = 0; i < 2 * size; i++)
    answer_want (wanted, 0, INFINITY);
  for (gint i = size % every / 2; i < size; i += every)
    want_pixel (&track, n_velocities, i % width, i / width, (gint) g_array_index (numbers, gdouble, size + i),
                &g_array_index (wanted, AnswerWanted, i), &g_array_index (wanted, AnswerWanted, size + i));
  answer_want (wanted, (gdouble) size * n_velocities, 0);
  for (gint j = 0; j < night->n; j++)
    plane_free (&frames[j]);
}

/* ---------------------------------------------------------------- laws -- */

static void
scale_values (const Night *night, GArray *wanted, gdouble factor, gdouble part)
{
  for (gint i = 0; i < night->planes[0].width * night->planes[0].height; i++)
    {
      AnswerWanted *one = &g_array_index (wanted, AnswerWanted, i);

      *one = (AnswerWanted) { one->value * factor, part * fabs (one->value) };
    }
}

static gboolean
twice_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Night *night = input;

  for (gint j = 0; j < night->n; j++)
    for (gint i = 0; i < night->planes[j].width * night->planes[j].height; i++)
      night->planes[j].pixels[i] *= 2.0f;
  night->clip *= 2.0f;
  scale_values (night, wanted, 2, 0);
  return night->kind != HARD;
}

static gboolean
in_half_units (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Night *night = input;

  for (gint j = 0; j < night->n; j++)
    night->frames[j].time *= 2;
  night->grid.x /= 2;
  night->grid.y /= 2;
  night->grid.step /= 2;
  return TRUE;
}

static gboolean
all_moved (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Night *night = input;

  for (gint j = 0; j < night->n; j++)
    {
      night->frames[j].shift.x += 4.25;
      night->frames[j].shift.y -= 7.5;
    }
  return night->is_even;
}

/* It adds nothing, and its noise is counted. */
static gboolean
an_empty_frame_more (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Night     *night = input;
  const gint n = night->n, width = night->planes[0].width, height = night->planes[0].height;

  count_plane_init (&night->planes[n], width, height);
  for (gint i = 0; i < width * height; i++)
    night->planes[n].pixels[i] = NAN;
  night->frames[n] = (TrackFrame) { &night->planes[n], { 0.5, 1.5 }, 3 };
  night->n++;
  scale_values (night, wanted, sqrt (n / (n + 1.0)), 4 * FLOAT_STEP);
  return night->kind == NOISE;
}

/* Sums in another order, so that of two velocities the other may be the better one. */
static gboolean
the_other_way_round (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Night     *night = input;
  const gint size = night->planes[0].width * night->planes[0].height;

  for (gint j = 0; j < night->n / 2; j++)
    {
      const TrackFrame frame = night->frames[j];

      night->frames[j] = night->frames[night->n - 1 - j];
      night->frames[night->n - 1 - j] = frame;
    }
  night->r = night->n - 1 - night->r;
  for (gint i = 0; i < 2 * size; i++)
    g_array_index (wanted, AnswerWanted, i).within = i < size ? (night->n + 2) * FLOAT_STEP * 40 * sqrt (night->n)
                                                              : INFINITY;
  return night->kind == NOISE;
}

const AnswerRow answer_tracks = {
  .name = "tracks", .cases = 60, .draw = night_draw, .describe = night_words, .clear = night_free,
  .compute = night_stack, .reference = night_reference,
  .tolerance = "n + 2 roundings of a sum of floats, the terms without signs",
  .laws = { { "twice as bright", twice_as_bright }, { "in half units of time", in_half_units },
            { "all shifts moved", all_moved }, { "an empty frame more", an_empty_frame_more },
            { "the other way round", the_other_way_round } },
  .kernel = "tracks_try", .sized = night_sized, .special = objects_tracks
};
