/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What pixels say of two pictures, they say of the same pictures with x and y exchanged; and pixels that show something else do not
 * count.  The pictures are not square, and no whole number of squares wide or high. */
#include <math.h>

#include "check.h"
#include "direct-step.h"
#include "matrix.h"
#include "refine.h"
#include "../engine/verdict.h"
#include "../match/matching.h"

#define WAVES  24
#define SPOILT 100              /* one pixel in so many */
#define N      TANGENT_MOST

typedef struct
{
  gdouble along[WAVES], down[WAVES], phase[WAVES];
} Scene;

static const gint exchanged[N] = { 1, 0, 5, 4, 3, 2, 7, 6 };   /* numbers of a homography (tangent.h) */

/* Waves of 7 pixels and more. */
static Scene
scene_draw (CheckRandom *random)
{
  Scene scene;

  for (gint i = 0; i < WAVES; i++)
    {
      const gdouble angle = 2 * G_PI * check_uniform (random), wave = 2 * G_PI / (7 + 40 * check_uniform (random));

      scene.along[i] = wave * cos (angle);
      scene.down[i] = wave * sin (angle);
      scene.phase[i] = 2 * G_PI * check_uniform (random);
    }
  return scene;
}

static gdouble
light_at (const Scene *scene, gdouble x, gdouble y)
{
  gdouble sum = 0;

  for (gint i = 0; i < WAVES; i++)
    sum += sin (scene->along[i] * x + scene->down[i] * y + scene->phase[i]);
  return 0.4 + 0.05 * sum;
}

/* ----------------------------------------------------------- planes -- */

static DirectPlane
plane_of (const Scene *scene, gint width, gint height, gboolean is_turned)
{
  DirectPlane plane;

  direct_plane_init (&plane, is_turned ? height : width, is_turned ? width : height);
  for (gint i = 0; i < width * height; i++)
    for (gint c = 0; c < DIRECT_COLORS; c++)
      {
        const gint x = i % width, y = i / width, at = is_turned ? x * height + y : i;

        plane.values[c][at] = (gfloat) light_at (scene, x + 5 * c, y);
        plane.known[c][at] = 1;
      }
  return plane;
}

/* The sums of all squares, of a plane with itself: no difference weighs less. */
static void
sum_plane (const Scene *scene, gint width, gint height, gboolean is_turned, gdouble hessian[N][N])
{
  static const gdouble identity[9] = MATRIX_IDENTITY;
  DirectPlane          plane = plane_of (scene, width, height, is_turned);
  gint                 n;
  RefineSums          *sums = direct_step_sums (&plane, &plane, identity, &n);

  for (gint k = 0; k < N; k++)
    for (gint l = 0; l < N; l++)
      {
        hessian[k][l] = 0;
        for (gint i = 0; i < n; i++)
          hessian[k][l] += sums[i].hessian[MAX (k, l)][MIN (k, l)];
      }
  g_free (sums);
  direct_plane_clear (&plane);
}

static void
check_planes (void)
{
  static const gint sizes[][2] = { { 100, 52 }, { 96, 57 }, { 131, 48 } };
  CheckRandom       random = { 31 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      const Scene scene = scene_draw (&random);
      gdouble     as_is[N][N], turned[N][N], worst = 0;

      sum_plane (&scene, sizes[i][0], sizes[i][1], FALSE, as_is);
      sum_plane (&scene, sizes[i][0], sizes[i][1], TRUE, turned);
      for (gint k = 0; k < N; k++)
        for (gint l = 0; l < N; l++)
          worst = MAX (worst, fabs (turned[exchanged[k]][exchanged[l]] - as_is[k][l]) / as_is[0][0]);
      expect (as_is[0][0] > 0 && worst < 1e-5, "%d x %d, x and y exchanged: sums %.2g off", sizes[i][0], sizes[i][1], worst);
    }
}

/* --------------------------------------------------------- pictures -- */

#define WIDTH  620
#define HEIGHT 230

/* The scene from `x`, `y` on, with noise; `spoilt`: some pixels are what they like. */
static RefinePicture
picture_of (const Scene *scene, gdouble x, gdouble y, gboolean is_turned, gboolean is_spoilt, guint64 seed)
{
  const gint          width = is_turned ? HEIGHT : WIDTH, height = is_turned ? WIDTH : HEIGHT;
  const GeglRectangle bounds = { 0, 0, width, height };
  const Babl         *format = babl_format ("RaGaBaA float");
  g_autofree gfloat  *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);
  CheckRandom         random = { seed };

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      const gint     at = is_turned ? i % WIDTH * HEIGHT + i / WIDTH : i;
      const gdouble  noise = 0.01 * (check_uniform (&random) - 0.5), other = check_uniform (&random);
      const gboolean is_other = check_below (&random, SPOILT) == 0 && is_spoilt;

      for (gint c = 0; c < 3; c++)
        pixels[4 * at + c] = (gfloat) (is_other ? other : light_at (scene, i % WIDTH + x, i / WIDTH + y) + noise);
      pixels[4 * at + 3] = 1;
    }
  {
    RefinePicture picture = { gegl_buffer_new (&bounds, format), bounds, format };

    gegl_buffer_set (picture.buffer, &bounds, 0, format, pixels, GEGL_AUTO_ROWSTRIDE);
    return picture;
  }
}

/* B is (1.3, -0.8) off; the start half a pixel less.  The verdict. */
static RefineVerdict
refined (const Scene *scene, gboolean is_turned, gboolean is_spoilt, gdouble matrix[9])
{
  static const gdouble start[9] = { 1, 0, 0.9, 0, 1, -0.5, 0, 0, 1 }, turned_start[9] = { 1, 0, -0.5, 0, 1, 0.9, 0, 0, 1 };
  RefinePicture        a = picture_of (scene, 0, 0, is_turned, FALSE, 5), b = picture_of (scene, 1.3, -0.8, is_turned, is_spoilt, 6);
  RefineKnown          known = { .precision = { { 0 } } };
  ConsensusModel       model = MODEL_HOMOGRAPHY;
  RefineVerdict        verdict;

  memcpy (matrix, is_turned ? turned_start : start, 9 * sizeof *matrix);
  memcpy (known.matrix, matrix, sizeof known.matrix);
  for (gint k = 0; k < N; k++)
    known.precision[k][k] = 1e-2;
  refine_near (&a, &b, &known, FALSE, &model, matrix, &verdict);
  g_object_unref (a.buffer);
  g_object_unref (b.buffer);
  return verdict;
}

static gdouble
off (const gdouble matrix[9])
{
  static const gdouble right[9] = { 1, 0, 1.3, 0, 1, -0.8, 0, 0, 1 };

  return tangent_apart (right, matrix, WIDTH, HEIGHT, WIDTH, HEIGHT);
}

static void
check_pictures (void)
{
  CheckRandom         random = { 32 };
  const Scene         scene = scene_draw (&random);
  gdouble             as_is[9], turned[9], spoilt[9];
  const RefineVerdict of_as_is = refined (&scene, FALSE, FALSE, as_is), of_turned = refined (&scene, TRUE, FALSE, turned);
  const RefineVerdict of_spoilt = refined (&scene, FALSE, TRUE, spoilt);
  const gdouble       back[9] = { turned[4], turned[3], turned[5], turned[1], turned[0], turned[2], turned[7], turned[6], turned[8] };

  expect (of_as_is.is_known && off (as_is) < 0.02, "refined: %.4f px off, said %.4f", off (as_is), of_as_is.error);
  expect (off (back) < 0.02 && fabs (of_turned.error / of_as_is.error - 1) < 1e-3, "x and y exchanged: %.4f px off, said %.4f, not %.4f", off (back),
          of_turned.error, of_as_is.error);
  expect (off (spoilt) < 0.02 && of_spoilt.error < 2 * of_as_is.error, "one pixel of %d is another: %.4f px off, said %.4f, not %.4f", SPOILT,
          off (spoilt), of_spoilt.error, of_as_is.error);
}

void
turned_pixels (void)
{
  check_planes ();
  check_pictures ();
}
