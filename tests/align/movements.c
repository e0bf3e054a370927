/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Known movements of photographs are found, and unrelated pictures are refused.
 *
 *   movements [--cases N] [--unrelated N] [--seed N] [--print] PHOTOGRAPH... */
#include "align.h"

#include <stdlib.h>

#include "../engine/verdict.h"
#include "align-test.h"

#define MOST_MEDIAN 0.3         /* pixels at the corners */
#define MOST_OF_95  1.0
#define BRIGHTNESS  0.6
#define NOISE       5.0         /* of 255 */

static gint     cases = 6;
static gint     unrelated;
static gint     seed = 20261123;
static gboolean prints;
static gchar  **paths;

static const GOptionEntry options[] = {
  { "cases", 0, 0, G_OPTION_ARG_INT, &cases, NULL, NULL },
  { "unrelated", 0, 0, G_OPTION_ARG_INT, &unrelated, NULL, NULL },
  { "seed", 0, 0, G_OPTION_ARG_INT, &seed, NULL, NULL },
  { "print", 0, 0, G_OPTION_ARG_NONE, &prints, NULL, NULL },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, NULL },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static gint
by_size (gconstpointer a, gconstpointer b)
{
  return *(const gdouble *) a < *(const gdouble *) b ? -1 : 1;
}

static void
check_known (const Photo *photos, gint n_photos)
{
  CheckRandom random = { (guint64) seed };
  gdouble    *errors = g_new (gdouble, cases), *coarse = g_new (gdouble, cases);
  gint        refused = 0;

  for (gint i = 0; i < cases; i++)
    {
      const Photo *photo = &photos[i % n_photos];
      GeglBuffer  *reference = photo_buffer (photo, 0, 0), *buffer;
      gdouble      matrix[9];
      Photo        moved;
      Aligned      found;
      gint64       began;

      draw_movement (&random, photo->width, photo->height, matrix);
      moved = photo_moved (photo, matrix);
      photo_spoil (&moved, BRIGHTNESS, NOISE, &random);
      buffer = photo_buffer (&moved, 0, 0);
      began = g_get_monotonic_time ();
      found = align_buffers (buffer, reference, "homography", TRUE);
      errors[i] = found.aligned ? corner_error (found.matrix, matrix, photo->width, photo->height) : G_MAXDOUBLE;
      refused += ! found.aligned;
      if (prints)
        g_print ("%d: %s %d matches, rms %.2f, corners %.3f px, %.0f ms %s\n", i, paths[i % n_photos], found.inliers, found.error,
                 errors[i], (g_get_monotonic_time () - began) / 1e3, found.reason);
      aligned_free (&found);
      found = align_buffers (buffer, reference, "homography", FALSE);
      coarse[i] = found.aligned ? corner_error (found.matrix, matrix, photo->width, photo->height) : G_MAXDOUBLE;
      aligned_free (&found);
      photo_free (&moved);
      g_object_unref (buffer);
      g_object_unref (reference);
    }
  qsort (errors, cases, sizeof *errors, by_size);
  expect (errors[cases / 2] < MOST_MEDIAN, "%d known movements: %.3f px at the corners, the median", cases, errors[cases / 2]);
  expect (errors[(cases * 95 - 1) / 100] < MOST_OF_95, "%d known movements: %.3f px at the corners, 95 %% are nearer; %d refused", cases,
          errors[(cases * 95 - 1) / 100], refused);
  qsort (coarse, cases, sizeof *coarse, by_size);
  expect (errors[cases / 2] < 0.5 * coarse[cases / 2], "refined: %.3f px at the corners, the median; by the points alone %.3f",
          errors[cases / 2], coarse[cases / 2]);
  g_free (coarse);
  g_free (errors);
}

static void
check_unrelated (const Photo *photos, gint n_photos)
{
  for (gint a = 0; a < n_photos; a++)
    for (gint b = 0; b < n_photos; b++)
      if (a != b)
        {
          GeglBuffer *reference = photo_buffer (&photos[a], 0, 0), *buffer = photo_buffer (&photos[b], 0, 0);
          Aligned     found = align_buffers (buffer, reference, "homography", TRUE);

          expect (! found.aligned && found.reason[0], "unrelated pictures %s on %s: %s", paths[b], paths[a], found.reason);
          aligned_free (&found);
          g_object_unref (buffer);
          g_object_unref (reference);
        }
}

/* At least half of a half, left or right, in both directions. */
static Photo
draw_part (CheckRandom *random, const Photo *photo, gboolean is_right)
{
  const gint half = photo->width / 2;
  const gint width = half * (0.5 + 0.5 * check_uniform (random)), height = photo->height * (0.5 + 0.5 * check_uniform (random));
  const gint x = (half - width) * check_uniform (random), y = (photo->height - height) * check_uniform (random);

  return photo_part (photo, is_right ? half + x : x, y, width, height);
}

/* Parts of two photographs, or of one, which have nothing in common. */
static void
check_unrelated_parts (const Photo *photos, gint n_photos)
{
  static const gchar *const models[] = { "homography", "similarity", "affine", "translation" };
  CheckRandom               random = { (guint64) seed + 1 };
  gint                      wrong = 0, same = 0;

  for (gint i = 0; i < unrelated; i++)
    {
      const gint  a = n_photos * check_uniform (&random), b = n_photos * check_uniform (&random), right = check_next (&random) & 1;
      Photo       first = draw_part (&random, &photos[a], right), second = draw_part (&random, &photos[b], ! right);
      GeglBuffer *reference, *buffer;
      Aligned     found;

      photo_spoil (&second, BRIGHTNESS, NOISE, &random);
      reference = photo_buffer (&first, 0, 0);
      buffer = photo_buffer (&second, 0, 0);
      found = align_buffers (buffer, reference, models[i % G_N_ELEMENTS (models)], TRUE);
      wrong += found.aligned;
      same += a == b;
      if (prints || found.aligned)
        g_print ("%d: %s: %s on %s: %s\n", i, models[i % G_N_ELEMENTS (models)], paths[b], paths[a], found.aligned ? "aligned" : found.reason);
      aligned_free (&found);
      photo_free (&first);
      photo_free (&second);
      g_object_unref (reference);
      g_object_unref (buffer);
    }
  expect (wrong == 0, "%d drawn pairs of unrelated pictures, %d of them of one photograph: %d aligned", unrelated, same, wrong);
}

int
movements_test (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new (NULL);
  gint            n = 0;
  Photo          *photos;

  g_option_context_add_main_entries (context, options, NULL);
  if (! g_option_context_parse (context, &argc, &argv, NULL) || ! paths)
    return 2;
  g_option_context_free (context);
  gegl_init (NULL, NULL);
  photos = g_new (Photo, g_strv_length (paths));
  for (; paths[n]; n++)
    photos[n] = photo_load (paths[n]);
  if (cases > 0)
    check_known (photos, n);
  check_unrelated (photos, n);
  if (unrelated > 0)
    check_unrelated_parts (photos, n);
  for (gint i = 0; i < n; i++)
    photo_free (&photos[i]);
  g_free (photos);
  gegl_exit ();
  return expect_told ();
}
