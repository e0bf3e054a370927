/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * pixels: what tessera:align asks where points fail, by itself.  Sums over noisy pixels lead as far as the scene went; blocks that show noise alone have no vote; a
 * scene that went far is found; a shift that holds for the stars of one part alone is none. */
#include "align.h"

#include <math.h>
#include <string.h>

#include "align-direct.h"
#include "align-stars.h"
#include "direct-step.h"
#include "direct-vote.h"
#include "matrix.h"
#include "../engine/verdict.h"
#include "../match/matching.h"

static gdouble
gaussian (CheckRandom *random)
{
  const gdouble u = check_uniform (random), v = check_uniform (random);

  return sqrt (-2 * log (1 - u)) * cos (2 * G_PI * v);
}

/* ------------------------------------------------------------------- noise -- */

#define WIDE   192
#define HIGH   128
#define PERIOD 16.0             /* pixels */
#define HEIGHT 0.04

/* Waves across and down, with noise whose gradients are as large as theirs. */
static void
fill_waves (DirectPlane *plane, gdouble x, CheckRandom *random)
{
  const gdouble wave = 2 * G_PI / PERIOD, noise = HEIGHT * wave;

  direct_plane_init (plane, WIDE, HIGH);
  for (gint c = 0; c < DIRECT_COLORS; c++)
    for (gint i = 0; i < WIDE * HIGH; i++)
      {
        plane->values[c][i] = (gfloat) (0.5 + HEIGHT * (sin (wave * (i % WIDE - x) + c) + sin (wave * (i / WIDE))) + noise * gaussian (random));
        plane->known[c][i] = 1;
      }
}

/* The step that the sums ask for is what B is off, though there is as much noise as scene. */
static void
check_noise (void)
{
  static const gdouble identity[9] = MATRIX_IDENTITY;

  for (gint turn = 0; turn < 4; turn++)
    {
      const gdouble off = 0.3 - 0.2 * turn;
      CheckRandom   random = { 101 + (guint64) turn };
      DirectPlane   a, b;
      RefineSums   *sums;
      gdouble       steepest = 0, hessian = 0;
      gint          n;

      fill_waves (&a, 0, &random);
      fill_waves (&b, off, &random);
      sums = direct_step_sums (&a, &b, identity, &n);
      for (gint i = 0; i < n; i++)
        {
          steepest += sums[i].steepest[0];
          hessian += sums[i].hessian[0][0];
        }
      expect (fabs (steepest / hessian + off) < 0.1 * fabs (off) + 0.03, "noise: B is %.2f px off, %d squares say %.3f", off, n, -steepest / hessian);
      g_free (sums);
      direct_plane_clear (&a);
      direct_plane_clear (&b);
    }
}

/* ------------------------------------------------------------------ blocks -- */

#define SCENE_WIDTH  256
#define SCENE_HEIGHT 192

/* Spots of all colours, of a size, up to `right`; beyond it nothing. */
static Photo
draw_scene (guint64 seed, gint width, gint height, gdouble softness, gint right)
{
  Photo       noise = { width, height, g_new (gfloat, 3 * (gsize) width * height) }, scene;
  CheckRandom random = { seed };

  for (gint i = 0; i < 3 * width * height; i++)
    noise.values[i] = (gfloat) (110 + 150 * softness * (i / 3 % width < right ? check_uniform (&random) - 0.5 : 0));
  scene = photo_softened (&noise, softness);
  photo_free (&noise);
  return scene;
}

static gboolean
find_direct (const Photo *moving, const Photo *fixed, gdouble matrix[9], DirectVote *vote)
{
  const Babl    *format = babl_format ("RaGaBaA float");
  GeglBuffer    *b = photo_buffer (moving, 0, 0), *a = photo_buffer (fixed, 0, 0);
  RefinePicture  of_a = { a, *gegl_buffer_get_extent (a), format }, of_b = { b, *gegl_buffer_get_extent (b), format };
  ConsensusModel model = MODEL_HOMOGRAPHY;
  DirectHints    hints = { .n = 0 };
  RefineVerdict  verdict;
  const gboolean is_found = align_direct (&of_a, &of_b, &hints, TRUE, &model, matrix, NULL, vote, &verdict);

  g_object_unref (a);
  g_object_unref (b);
  return is_found;
}

/* With noise of each picture's own; it is found to within so many pixels at the corners. */
static void
expect_direct (const gchar *what, Photo *moving, Photo *fixed, const gdouble shift[9], guint64 seed, gdouble most, DirectVote *vote)
{
  gdouble     matrix[9] = MATRIX_IDENTITY;
  CheckRandom random = { seed };
  gboolean    is_found;

  photo_spoil (fixed, 1, 8, &random);
  photo_spoil (moving, 1, 8, &random);
  is_found = find_direct (moving, fixed, matrix, vote);
  expect (is_found && corner_error (matrix, shift, SCENE_WIDTH, SCENE_HEIGHT) < most, "%s: %s, corners %.2f px off", what, is_found ? "found" : "lost",
          corner_error (matrix, shift, SCENE_WIDTH, SCENE_HEIGHT));
}

/* Where a half of both pictures is a wall, the wall's noise denies nothing. */
static void
check_wall (void)
{
  const gdouble shift[9] = { 1, 0, 6, 0, 1, -4, 0, 0, 1 };
  Photo         fixed = draw_scene (7, SCENE_WIDTH, SCENE_HEIGHT, 4, SCENE_WIDTH / 2), moved = photo_moved (&fixed, shift);
  DirectVote    vote;

  expect_direct ("beside a wall", &moved, &fixed, shift, 8, 0.5, &vote);
  /* of 4 x 3 and 8 x 6 blocks: half, and those that see the edge of the wall */
  expect (vote.seen[0] <= 3 * 3 && vote.seen[1] <= 5 * 6, "beside a wall: %d large blocks are seen, %d small ones", vote.seen[0], vote.seen[1]);
  expect (vote.agree[0] >= 4 && vote.agree[1] >= 15, "beside a wall: %d large blocks agree, %d small ones", vote.agree[0], vote.agree[1]);
  photo_free (&fixed);
  photo_free (&moved);
}

/* Farther than any spot is wide, and than the steps from no shift lead. */
static void
check_far (void)
{
  static const gint shifts[][2] = { { 80, -40 }, { -70, 50 } };

  for (guint i = 0; i < G_N_ELEMENTS (shifts); i++)
    {
      const gint    x = shifts[i][0], y = shifts[i][1];
      const gdouble shift[9] = { 1, 0, x, 0, 1, y, 0, 0, 1 };
      Photo         whole = draw_scene (20 + i, SCENE_WIDTH + ABS (x), SCENE_HEIGHT + ABS (y), 4, G_MAXINT);
      Photo         fixed = photo_part (&whole, MAX (-x, 0), MAX (-y, 0), SCENE_WIDTH, SCENE_HEIGHT), moved = photo_part (&whole, MAX (x, 0), MAX (y, 0), SCENE_WIDTH, SCENE_HEIGHT);
      DirectVote    vote;

      expect_direct (i == 0 ? "away to the right" : "away to the left", &moved, &fixed, shift, 30 + i, 1, &vote);
      photo_free (&whole);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* Turned so far that no shift leads there. */
static void
check_turned (void)
{
  static const gdouble turns[][3] = { { -24, 1.35, 3 }, { -27, 1.4, 4 } };       /* degrees, size, softness */

  for (guint i = 0; i < G_N_ELEMENTS (turns); i++)
    {
      const gdouble angle = turns[i][0] * G_PI / 180, c = turns[i][1] * cos (angle), s = turns[i][1] * sin (angle), x = 0.5 * SCENE_WIDTH, y = 0.5 * SCENE_HEIGHT;
      const gdouble turn[9] = { c, -s, x - c * x + s * y + 9, s, c, y - s * x - c * y - 5, 0, 0, 1 };
      const gdouble there[9] = { c, -s, turn[2] + x, s, c, turn[5] + y, 0, 0, 1 };
      Photo         whole = draw_scene (53 + 2 * i, 2 * SCENE_WIDTH, 2 * SCENE_HEIGHT, turns[i][2], G_MAXINT);
      Photo         fixed = photo_part (&whole, x, y, SCENE_WIDTH, SCENE_HEIGHT), moved = photo_moved_to (&whole, there, SCENE_WIDTH, SCENE_HEIGHT);
      DirectVote    vote;

      expect_direct ("turned", &moved, &fixed, turn, 63 + 2 * i, 1, &vote);
      photo_free (&whole);
      photo_free (&fixed);
      photo_free (&moved);
    }
}

/* ------------------------------------------------------------------- a thing -- */

#define THING 96                /* pixels, a side */

static void
hold_thing (Photo *photo, const Photo *thing, gint x, gint y)
{
  for (gint v = 0; v < THING; v++)
    memcpy (photo->values + 3 * ((gsize) (y + v) * photo->width + x), thing->values + 3 * (gsize) v * thing->width, 3 * THING * sizeof (gfloat));
}

/* Of the blocks that differ after the scene's movement those are excused where the thing lies; where nothing moved so, none. */
static void
check_excused (void)
{
  static const gdouble still[9] = MATRIX_IDENTITY, thing_went[9] = { 1, 0, 32, 0, 1, -16, 0, 0, 1 }, nothing_went[9] = { 1, 0, -40, 0, 1, 56, 0, 0, 1 };
  const Babl          *format = babl_format ("RaGaBaA float");
  Photo                pictures[2] = { draw_scene (7, SCENE_WIDTH, SCENE_HEIGHT, 4, G_MAXINT), draw_scene (7, SCENE_WIDTH, SCENE_HEIGHT, 4, G_MAXINT) };
  Photo                thing = draw_scene (8, THING, THING, 2, G_MAXINT);
  DirectPicture        of[2];
  gint                 seen, agree, excused, by_nothing, by_itself;

  hold_thing (&pictures[0], &thing, 112, 48);
  hold_thing (&pictures[1], &thing, 80, 64);
  for (gint k = 0; k < 2; k++)
    {
      GeglBuffer   *buffer = photo_buffer (&pictures[k], 0, 0);
      RefinePicture picture = { buffer, *gegl_buffer_get_extent (buffer), format };

      direct_picture_init (&of[k], &picture, 1);
      g_object_unref (buffer);
      photo_free (&pictures[k]);
    }
  direct_vote (&of[0], &of[1], 0, still, &seen, &agree);
  excused = direct_excused (&of[0], &of[1], 0, still, thing_went);
  by_nothing = direct_excused (&of[0], &of[1], 0, still, nothing_went);
  by_itself = direct_excused (&of[0], &of[1], 0, still, still);
  expect (excused >= 0.75 * (seen - agree) && agree + excused <= seen, "of %d blocks %d agree, and a thing excuses %d", seen, agree, excused);
  expect (by_nothing <= 0.25 * (seen - agree), "of %d blocks that differ a movement that nothing made excuses %d", seen - agree, by_nothing);
  expect (by_itself == 0, "the scene's own movement excuses %d blocks, and only those that agree move so", by_itself);
  for (gint k = 0; k < 2; k++)
    direct_picture_clear (&of[k]);
  photo_free (&thing);
}

/* ------------------------------------------------------------------- stars -- */

#define STARS      120
#define SKY_WIDTH  420
#define SKY_HEIGHT 300

typedef gdouble Star[3];        /* place and height */

static void
draw_stars (guint64 seed, Star *stars)
{
  CheckRandom random = { seed };

  for (gint i = 0; i < STARS; i++)
    {
      stars[i][0] = SKY_WIDTH * check_uniform (&random);
      stars[i][1] = SKY_HEIGHT * check_uniform (&random);
      stars[i][2] = 60 + 120 * check_uniform (&random);
    }
}

/* Those above `split` of the height, and those below it, elsewhere by so much. */
static GeglBuffer *
draw_sky (const Star *stars, gdouble split, const gint above[2], const gint below[2], guint64 seed)
{
  Photo       sky = { SKY_WIDTH, SKY_HEIGHT, g_new (gfloat, 3 * SKY_WIDTH * SKY_HEIGHT) };
  CheckRandom random = { seed };
  GeglBuffer *buffer;

  for (gint i = 0; i < 3 * SKY_WIDTH * SKY_HEIGHT; i++)
    sky.values[i] = 30;
  for (gint i = 0; i < STARS; i++)
    {
      const gint   *went = stars[i][1] < split * SKY_HEIGHT ? above : below;
      const gdouble x = stars[i][0] + went[0], y = stars[i][1] + went[1];

      for (gint v = MAX (0, (gint) y - 5); v < MIN (SKY_HEIGHT, y + 6); v++)
        for (gint u = MAX (0, (gint) x - 5); u < MIN (SKY_WIDTH, x + 6); u++)
          for (gint k = 0; k < 3; k++)
            sky.values[3 * (v * SKY_WIDTH + u) + k] += (gfloat) (stars[i][2] * exp (-0.5 * ((u - x) * (u - x) + (v - y) * (v - y)) / 1.4));
    }
  photo_spoil (&sky, 1, 2, &random);
  buffer = photo_buffer (&sky, 0, 0);
  photo_free (&sky);
  return buffer;
}

/* Where those of a part of the picture went elsewhere, more of the others than chance would have it are found again; yet it is no movement of the picture. */
static void
check_stars (void)
{
  static const gdouble        splits[] = { 1.0, 0.75, 0.6 };
  static const gint           none[2] = { 0, 0 }, above[2] = { 9, -6 }, below[2] = { -15, 8 };
  static const ConsensusModel models[] = { MODEL_TRANSLATION, MODEL_AUTO };

  for (guint i = 0; i < 2 * G_N_ELEMENTS (splits); i++)
    {
      const gdouble shift[9] = { 1, 0, above[0], 0, 1, above[1], 0, 0, 1 }, split = splits[i / 2];
      const Babl   *format = babl_format ("RaGaBaA float");
      Star          stars[STARS];
      GeglBuffer   *a, *b;
      RefinePicture of_a, of_b;
      Consensus     found;
      gboolean      is_found;

      draw_stars (40 + i, stars);
      a = draw_sky (stars, split, above, below, 60 + i);
      b = draw_sky (stars, split, none, none, 80 + i);
      of_a = (RefinePicture) { a, *gegl_buffer_get_extent (a), format };
      of_b = (RefinePicture) { b, *gegl_buffer_get_extent (b), format };
      is_found = align_stars (&of_a, &of_b, models[i % 2], &found);
      if (split == 1)
        expect (is_found && corner_error (found.matrix, shift, SKY_WIDTH, SKY_HEIGHT) < 0.3, "a star field: %s, corners %.2f px off", is_found ? "found" : "lost",
                corner_error (found.matrix, shift, SKY_WIDTH, SKY_HEIGHT));
      else
        expect (! is_found, "stars, of which %g went elsewhere: %s", 1 - split, found.reason);
      g_object_unref (a);
      g_object_unref (b);
    }
}

void
pixels (void)
{
  check_noise ();
  check_wall ();
  check_far ();
  check_turned ();
  check_excused ();
  check_stars ();
}
