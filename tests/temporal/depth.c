/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * depth: how faint an object may be that one frame shows, and how faint one that shift-and-add shows, at equal false alarms.
 *
 *   depth [--size N] [--frames N] [--side N] [--fields N] [--bar MAGNITUDES] [--device 1] [--chart FILE]
 *
 * Each field (preset A) is computed twice, as tessera-sequence does it with a dark frame: once with objects of known magnitudes, once without any.  The fields without tell the
 * thresholds: as many maxima of all frames are above the one as tracks are above the other, and that is one of each in a field.  Recall of one frame is
 * the part of all objects in all frames whose maximum is within 2 px; that of shift-and-add is the part of all objects that have a track, within 3 px in
 * the first and in the last frame.  SIDE x SIDE velocities are tried.  A magnitude is 25 - 2.5 log10 (electrons in a frame). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "depth.h"
#include "detect.h"
#include "stars.h"
#include "stars-random.h"
#include "whitener.h"

#define BEFORE     20           /* frames of the history */
#define FWHM       2.2
#define GAIN       1.5
#define THRESHOLD  6.0f         /* of tessera-sequence, for what is taken out of the history */
#define WEAKEST    3.0f         /* of what is kept of a frame */
#define ALARMS     1            /* in a field */
#define SPARE      20.0         /* times as many alarms of noise are looked at */
#define BRIGHTEST  18.0         /* SNR in one frame */
#define STEP       0.25         /* magnitudes */
#define SLOWEST    0.5
#define FASTEST    3.0          /* pixels a frame */
#define NEAR_FRAME 2.0
#define NEAR_TRACK 3.0
#define OF_MOTION  100          /* the purpose of a stream */

static gint    size = 1024, n_frames = 32, side = 100, fields = 4;
static gdouble bar = 1.5;

typedef struct
{
  GArray     *frames, *tracks;  /* gfloat: the alarms of fields without objects */
  DepthObject objects[DEPTH_MOST * STARS_MOST_OBJECTS];
  gint        n_objects;
  gdouble     brightest;        /* magnitude */
  TrackGrid   grid;
} Found;

typedef struct
{
  StarsField *field;
  gint        n;                /* frames in all */
  CountPlane *frames, *filtered;
  FrameShift *shifts;
  TrackGrid   grid;
} Night;

/* That is looked at. */
static gdouble
weakest_track (const TrackGrid *grid)
{
  return tracks_threshold (size, size, grid, SPARE * ALARMS);
}

/* ---------------------------------------------------------------- a night -- */

/* The way that the generator keeps clear of bright stars is that of the frames which are added. */
static StarsField *
draw_field (gint number, gboolean has_objects)
{
  StarsRandom   random = stars_random (number, OF_MOTION, 0);
  StarsSettings settings;
  StarsField   *field;

  stars_preset (&settings, 'A', 1 + number);
  settings.width = settings.height = size;
  settings.frames = BEFORE + n_frames;
  settings.n_objects = has_objects ? MIN (4 * DEPTH_STEPS, DEPTH_STEPS * MAX (size / 200, 1)) : 0;
  for (gint i = 0; i < settings.n_objects; i++)
    {
      const gdouble speed = SLOWEST + (FASTEST - SLOWEST) * stars_uniform (&random), turn = 2 * G_PI * stars_uniform (&random);

      settings.objects[i] = (StarsMotion) { BRIGHTEST * pow (10, -0.4 * STEP * (i % DEPTH_STEPS)), speed * cos (turn), speed * sin (turn) };
    }
  field = stars_field_new (&settings);
  g_assert (field);
  for (gint i = 0; i < settings.n_objects; i++)
    {
      field->objects[i].x -= BEFORE * settings.objects[i].vx;
      field->objects[i].y -= BEFORE * settings.objects[i].vy;
    }
  return field;
}

static void
make_frames (Night *night)
{
  const gsize pixels = (gsize) size * size;
  guint16    *adu = g_new (guint16, pixels);
  CountPlane  counts, dark;

  count_plane_init (&counts, size, size);
  count_plane_init (&dark, size, size);
  for (gsize i = 0; i < pixels; i++)
    dark.pixels[i] = (gfloat) night->field->pattern[i];
  night->frames = g_new (CountPlane, night->n);
  for (gint t = 0; t < night->n; t++)
    {
      stars_frame (night->field, t, adu);
      for (gsize i = 0; i < pixels; i++)
        counts.pixels[i] = adu[i];
      whiten_prepare (&counts, &dark, 65535.0f, TRUE, &night->frames[t]);
    }
  count_plane_clear (&counts);
  count_plane_clear (&dark);
  g_free (adu);
}

static void
filter_frames (Night *night)
{
  WhitenPlanes planes;

  night->filtered = g_new (CountPlane, night->n);
  whiten_planes_init (&planes, size, size);
  for (gint t = BEFORE; t < night->n; t++)
    {
      whitener_whiten (night->frames, night->shifts, t, BEFORE, 1, &planes);
      whiten_judge (&planes, GAIN);
      count_plane_init (&night->filtered[t], size, size);
      detect_filter (&planes.significance, FWHM, &night->filtered[t]);
      removal_apply (&night->filtered[t], THRESHOLD, &night->frames[t]);
    }
  whiten_planes_clear (&planes);
}

static void
night_init (Night *night, gint number, gboolean has_objects)
{
  const gdouble step = FWHM / (n_frames - 1);

  *night = (Night) { .field = draw_field (number, has_objects), .n = BEFORE + n_frames };
  night->grid = (TrackGrid) { -step * (side - 1) / 2, -step * (side - 1) / 2, step, side, side };
  night->shifts = g_new (FrameShift, night->n);
  make_frames (night);
  whitener_shifts (night->frames, night->n, SHIFT_PYRAMID, night->shifts);
  filter_frames (night);
}

static void
night_clear (Night *night)
{
  for (gint t = 0; t < night->n; t++)
    {
      count_plane_clear (&night->frames[t]);
      if (t >= BEFORE)
        count_plane_clear (&night->filtered[t]);
    }
  g_free (night->frames);
  g_free (night->filtered);
  g_free (night->shifts);
  stars_field_free (night->field);
}

/* Tracks, less what tessera-sequence takes for the rest of a star. */
static GArray *
find_tracks (const Night *night)
{
  TrackFrame *frames = g_new (TrackFrame, n_frames);
  TrackPlanes planes;
  GArray     *tracks;

  for (gint j = 0; j < n_frames; j++)
    frames[j] = (TrackFrame) { &night->filtered[BEFORE + j], night->shifts[BEFORE + j], j };
  whitener_tracks (frames, n_frames, &night->grid, TRACKS_LIMIT, &planes);
  tracks = tracks_find (&planes, frames, n_frames, n_frames - 1, &night->grid, (gfloat) weakest_track (&night->grid));
  for (guint i = tracks->len; i-- > 0;)
    {
      const Track *track = &g_array_index (tracks, Track, i);

      if (hypot (track->v_x, track->v_y) * (n_frames - 1) < FWHM)
        g_array_remove_index (tracks, i);
    }
  track_planes_clear (&planes);
  g_free (frames);
  return tracks;
}

/* ----------------------------------------------------------- what is found -- */

static void
add_alarms (const Night *night, Found *found)
{
  GArray *tracks = find_tracks (night);

  for (gint t = BEFORE; t < night->n; t++)
    {
      GArray *maxima = detect_maxima (&night->filtered[t], WEAKEST);

      for (guint i = 0; i < maxima->len; i++)
        g_array_append_val (found->frames, g_array_index (maxima, Detection, i).value);
      g_array_free (maxima, TRUE);
    }
  for (guint i = 0; i < tracks->len; i++)
    g_array_append_val (found->tracks, g_array_index (tracks, Track, i).value);
  g_array_free (tracks, TRUE);
}

/* How far a track is from an object on the sky, in frame BEFORE + j. */
static gdouble
distance (const Night *night, const Track *track, gint object, gint j)
{
  const StarsShift *last = &night->field->shifts[night->n - 1];
  const gdouble     away = j - (n_frames - 1), time = BEFORE + j;
  const StarsMotion *motion = &night->field->settings.objects[object];

  return hypot (track->x - last->x + track->v_x * away - night->field->objects[object].x - motion->vx * time,
                track->y - last->y + track->v_y * away - night->field->objects[object].y - motion->vy * time);
}

static void
add_objects (const Night *night, Found *found)
{
  GArray *tracks = find_tracks (night);

  for (gint k = 0; k < night->field->settings.n_objects; k++)
    {
      DepthObject *object = &found->objects[found->n_objects++];

      *object = (DepthObject) { .step = k % DEPTH_STEPS, .n = n_frames, .track = -INFINITY };
      for (guint i = 0; i < tracks->len; i++)
        {
          const Track *track = &g_array_index (tracks, Track, i);

          if (distance (night, track, k, 0) <= NEAR_TRACK && distance (night, track, k, n_frames - 1) <= NEAR_TRACK)
            object->track = MAX (object->track, track->value);
        }
    }
  g_array_free (tracks, TRUE);
  for (gint j = 0; j < n_frames; j++)
    {
      GArray *maxima = detect_maxima (&night->filtered[BEFORE + j], WEAKEST);

      for (gint k = 0; k < night->field->settings.n_objects; k++)
        {
          gfloat *value = &found->objects[found->n_objects - night->field->settings.n_objects + k].frames[j];
          gdouble x, y;

          stars_object (night->field, k, BEFORE + j, &x, &y);
          *value = -INFINITY;
          for (guint i = 0; i < maxima->len; i++)
            {
              const Detection *detection = &g_array_index (maxima, Detection, i);

              if (hypot (detection->fine_x - x, detection->fine_y - y) <= NEAR_FRAME)
                *value = MAX (*value, detection->value);
            }
        }
      g_array_free (maxima, TRUE);
    }
}

static gint
falling (gconstpointer a, gconstpointer b)
{
  const gfloat p = *(const gfloat *) a, q = *(const gfloat *) b;

  return (p < q) - (p > q);
}

/* That the n strongest are above; `least` where there are no more. */
static gdouble
threshold_of (GArray *alarms, guint n, gdouble least)
{
  g_array_sort (alarms, falling);
  return alarms->len > n ? g_array_index (alarms, gfloat, n) : least;
}

static guint
count_above (const GArray *alarms, gdouble threshold)
{
  guint n = 0;

  while (n < alarms->len && g_array_index (alarms, gfloat, n) > threshold)
    n++;
  return n;
}

/* -------------------------------------------------------------------- main -- */

static void
judge (Found *found, const gchar *chart)
{
  const guint   n = ALARMS * fields;
  const gdouble own = MAX (tracks_threshold (size, size, &found->grid, 0.1), 7.0);
  Depth         depth = { .brightest = found->brightest, .step = STEP, .n_frames = n_frames };

  depth.frame_threshold = threshold_of (found->frames, n, WEAKEST);
  depth.track_threshold = threshold_of (found->tracks, n, weakest_track (&found->grid));
  for (gint i = 0; i < found->n_objects; i++)
    depth_add (&depth, &found->objects[i]);
  g_print ("%d fields of %dx%d, %d frames, %dx%d velocities\n", fields, size, size, n_frames, side, side);
  g_print ("thresholds: a frame %.2f (%u false alarms in all fields), tracks %.2f (%u)\n", depth.frame_threshold, count_above (found->frames, depth.frame_threshold),
           depth.track_threshold, count_above (found->tracks, depth.track_threshold));
  g_print ("tessera-sequence's own: a frame %.2f (%u), tracks %.2f (%u)\n", THRESHOLD, count_above (found->frames, THRESHOLD), own,
           count_above (found->tracks, own));
  depth_print (&depth);
  if (chart && ! depth_draw (&depth, chart))
    expect (FALSE, "%s cannot be written", chart);
  expect (depth_gain (&depth) >= bar, "shift-and-add goes %.2f magnitudes deeper than a frame, not %.2f", depth_gain (&depth), bar);
}

static void
run (const gchar *chart)
{
  Found *found = g_new0 (Found, 1);
  Night  night;

  found->frames = g_array_new (FALSE, FALSE, sizeof (gfloat));
  found->tracks = g_array_new (FALSE, FALSE, sizeof (gfloat));
  for (gint k = 0; k < 2 * fields; k++)
    {
      night_init (&night, k / 2, k % 2 == 0);
      (k % 2 ? add_alarms : add_objects) (&night, found);
      if (k == 0)
        found->brightest = 25.0 - 2.5 * log10 (night.field->objects[0].flux);
      found->grid = night.grid;
      night_clear (&night);
    }
  judge (found, chart);
  g_array_free (found->frames, TRUE);
  g_array_free (found->tracks, TRUE);
  g_free (found);
}

gint
main (gint argc, gchar **argv)
{
  const gchar *chart = NULL;
  gboolean     on_device = FALSE;

  gegl_init (NULL, NULL);
  for (gint i = 1; i + 1 < argc; i += 2)
    if (! strcmp (argv[i], "--size"))
      size = MAX (atoi (argv[i + 1]), 200);
    else if (! strcmp (argv[i], "--frames"))
      n_frames = CLAMP (atoi (argv[i + 1]), 2, DEPTH_FRAMES);
    else if (! strcmp (argv[i], "--side"))
      side = MAX (atoi (argv[i + 1]), 1);
    else if (! strcmp (argv[i], "--fields"))
      fields = CLAMP (atoi (argv[i + 1]), 1, DEPTH_MOST);
    else if (! strcmp (argv[i], "--bar"))
      bar = g_ascii_strtod (argv[i + 1], NULL);
    else if (! strcmp (argv[i], "--device"))
      on_device = atoi (argv[i + 1]) != 0;
    else if (! strcmp (argv[i], "--chart"))
      chart = argv[i + 1];
  whitener_begin (on_device);
  run (chart);
  whitener_end ();
  gegl_exit ();
  return expect_told ();
}
