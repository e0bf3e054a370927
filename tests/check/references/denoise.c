/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Denoise in double, on straight R'G'B'A.  The noise is measured (denoise-survey.h) or told; tables make it 1 in every tone:
 *
 *   T_c(v) = integral from 0 of dt / sigma_c(t), 1024 values on 0..1, linear between and beyond
 *   Y = (R + G + B)/sqrt 3,  U = (R - B)/sqrt 2,  V = (R - 2 G + B)/sqrt 6     of T_R, T_G, T_B
 *
 * Each plane is denoised on three levels (denoise-levels.h), and goes back by the transposed matrix and the inverse tables.  Before
 * that, where the measured noise of U and V lacks high frequencies, (U, V) += mix (J - (U, V)), J the mean over 7x7 with weights
 *
 *   exp (-dx^2/8) exp (-dy^2/8) max (0, 1 - (dY^2 + 0.3 (dU^2 + dV^2)) / (16 s2))^2
 *
 * s2 the mean of the 192 P^2 with the sliders.  Nothing is clipped.
 *
 * A channel that is clipped all over (not one pixel of a block is something else) stays.
 *
 * Holes (alpha 0, or NaN or Inf in a colour) stay, and nothing depends on them.
 *
 * Readings where the text leaves room:
 *   the set of blocks with E <= X, of which there are only sums by classes, ends within the class of X, linear as a quantile is;
 *   a quantile lies in the first class up to which its share is counted;
 *   the fit's weights multiply rows; the first mean of ln s2 has sqrt (min (n, 400)); of subsets of columns that fit equally well
 *   (1e-10 of the whole) the first counts, in the order 1, d^2 x, both, d^2/1000, ...;
 *   a channel without a tone has the mean of the others' sigma;
 *   in the second stage g(0,0) counts in the weight as computed; the pilot is mirrored as the plane is;
 *   chi square's functions are not read from a table; the inverse tables are of T before it is rounded.
 *
 * scale: 1, or the largest |v| within reach where that is more: the tolerance is 2e-4 of the value range.  slack: decisions that
 * float may take otherwise (a class, a tone, a fit, a threshold within 1e-4 of itself and of what float sums are off).  All are
 * taken one way and then the other; twice what moves, the most of 5x5 pixels, is the slack.  INFINITY where squares may overflow.
 */
#include "denoise-levels.h"

#include <float.h>

#define DENOISE_REACH    72
#define DENOISE_LEVELS   3
#define DENOISE_AROUND   3
#define DENOISE_LARGE    1e13           /* squares of some thousand times a hundred of it are no floats */
#define DENOISE_SPREAD   2

typedef struct
{
  double sliders[3], detail, level;
} Settings;

static DenoisePicture
picture_new (const DenoisePicture *like)
{
  DenoisePicture picture = *like;

  for (int c = 0; c < 3; c++)
    picture.planes[c] = ref_allocate ((size_t) like->width * like->height, sizeof (double));
  return picture;
}

static void
picture_free (DenoisePicture *picture)
{
  for (int c = 0; c < 3; c++)
    free (picture->planes[c]);
}

static DenoisePicture
read_picture (const RefImage *image)
{
  size_t         count = (size_t) image->width * image->height;
  DenoisePicture like = { image->width, image->height, { NULL }, ref_allocate (count, 1), image->error };
  DenoisePicture picture = picture_new (&like);

  for (size_t i = 0; i < count; i++)
    {
      const double *pixel = image->pixels + 4 * i;

      for (int c = 0; c < 3; c++)
        picture.holes[i] |= !(fabs (pixel[c]) <= FLT_MAX) || pixel[3] == 0.0;
      for (int c = 0; c < 3 && !picture.holes[i]; c++)
        picture.planes[c][i] = pixel[c];
    }
  return picture;
}

static const double matrix[3][3] =      /* of Y, U, V, times the roots of 3, 2, 6 */
  { { 1.0, 1.0, 1.0 }, { 1.0, 0.0, -1.0 }, { 1.0, -2.0, 1.0 } };
static const double lengths[3] = { 3.0, 2.0, 6.0 };

static DenoisePicture
to_opponent (const DenoisePicture *picture, const DenoiseNoise *noise)
{
  DenoisePicture opponent = picture_new (picture);

  for (size_t i = 0; i < (size_t) picture->width * picture->height; i++)
    for (int c = 0; c < 3; c++)
      for (int k = 0; k < 3; k++)
        opponent.planes[c][i] += matrix[c][k] / sqrt (lengths[c]) * denoise_stabilise (noise, k, picture->planes[k][i]);
  return opponent;
}

static DenoisePicture
from_opponent (const DenoisePicture *opponent, const DenoiseNoise *noise)
{
  DenoisePicture picture = picture_new (opponent);

  for (size_t i = 0; i < (size_t) opponent->width * opponent->height; i++)
    for (int k = 0; k < 3; k++)
      {
        double t = 0.0;

        for (int c = 0; c < 3; c++)
          t += matrix[c][k] / sqrt (lengths[c]) * opponent->planes[c][i];
        picture.planes[k][i] = denoise_restore (noise, k, t);
      }
  return picture;
}

static void
even_noise (DenoiseNoise *noise, double sigma)
{
  for (int c = 0; c < 3; c++)
    {
      for (int j = 0; j < DENOISE_KNOTS; j++)
        noise->sigma[c][j] = sigma;
      for (int i = 0; i < 64; i++)
        noise->squares[c][i] = 1.0;
    }
  noise->mix = 0.0;
}

/* The opponent planes, and the noise. */
static DenoisePicture
survey (const DenoisePicture *picture, const Settings *settings, int lean, DenoiseNoise *noise)
{
  int            measures = settings->level == 0.0 && picture->width >= 16 && picture->height >= 16;
  DenoisePicture opponent;

  even_noise (noise, settings->level == 0.0 ? DENOISE_INVISIBLE : settings->level);
  if (measures)
    denoise_curves (picture, lean, noise);
  for (int c = 0; c < 3; c++)
    denoise_tables (noise, c);
  opponent = to_opponent (picture, noise);
  if (measures)
    denoise_frequencies (picture, &opponent, lean, noise);
  return opponent;
}

static void
clean_plane (const DenoisePicture *opponent, int c, const DenoiseNoise *noise, const Settings *settings, int lean, double *result)
{
  DenoisePlane plane = { opponent->width, opponent->height, opponent->planes[c], opponent->holes };
  DenoiseStep  step = { .step = c ? 4 : 2, .detail = c ? 0.0 : settings->detail, .lean = lean, .error = opponent->error };

  for (int i = 0; i < 64; i++)
    step.p[i] = sqrt (noise->squares[c][i]) * settings->sliders[c];
  if (settings->sliders[c] > 0.0)
    denoise_levels (&plane, &step, DENOISE_LEVELS, result);
  else
    memcpy (result, plane.values, (size_t) plane.width * plane.height * sizeof *result);
}

/* The mean of U and V around a pixel. */
static void
joint_mean (const DenoisePicture *clean, int x, int y, double s2, double mean[2])
{
  size_t at = (size_t) y * clean->width + x;
  double sums[2] = { 0.0 }, weights = 0.0;

  for (int dy = -DENOISE_AROUND; dy <= DENOISE_AROUND; dy++)
    for (int dx = -DENOISE_AROUND; dx <= DENOISE_AROUND; dx++)
      {
        size_t there = (size_t) (y + dy) * clean->width + x + dx;
        double d[3], far, weight;

        if (x + dx < 0 || x + dx >= clean->width || y + dy < 0 || y + dy >= clean->height || clean->holes[there])
          continue;
        for (int c = 0; c < 3; c++)
          d[c] = clean->planes[c][there] - clean->planes[c][at];
        far = fmax (0.0, 1.0 - (d[0] * d[0] + 0.3 * (d[1] * d[1] + d[2] * d[2])) / (16.0 * s2));
        weight = exp (-dx * dx / 8.0) * exp (-dy * dy / 8.0) * far * far;
        weights += weight;
        for (int c = 0; c < 2; c++)
          sums[c] += weight * clean->planes[c + 1][there];
      }
  for (int c = 0; c < 2; c++)
    mean[c] = sums[c] / weights;
}

static void
join_chroma (const DenoisePicture *clean, const DenoiseNoise *noise, const Settings *settings, DenoisePicture *result)
{
  double s2 = 0.0, mean[2];

  for (int i = 0; i < 192; i++)
    s2 += noise->squares[i / 64][i % 64] * settings->sliders[i / 64] * settings->sliders[i / 64] / 192.0;
  for (int i = 0; i < clean->width * clean->height; i++)
    {
      memcpy (mean, (double[2]) { clean->planes[1][i], clean->planes[2][i] }, sizeof mean);
      if (!clean->holes[i] && noise->mix > 0.0 && settings->sliders[1] > 0.0)
        joint_mean (clean, i % clean->width, i / clean->width, s2, mean);
      result->planes[0][i] = clean->planes[0][i];
      for (int c = 1; c < 3; c++)
        result->planes[c][i] = clean->planes[c][i] + noise->mix * (mean[c - 1] - clean->planes[c][i]);
    }
}

static DenoisePicture
denoised (const DenoisePicture *picture, const Settings *settings, int lean)
{
  DenoiseNoise  *noise = ref_allocate (1, sizeof (DenoiseNoise));
  DenoisePicture opponent = survey (picture, settings, lean, noise), clean = picture_new (picture), result;

  for (int c = 0; c < 3; c++)
    clean_plane (&opponent, c, noise, settings, lean, clean.planes[c]);
  join_chroma (&clean, noise, settings, &opponent);
  result = from_opponent (&opponent, noise);
  for (int c = 0; c < 3; c++)
    if (noise->stays[c])
      memcpy (result.planes[c], picture->planes[c], (size_t) picture->width * picture->height * sizeof (double));
  picture_free (&opponent);
  picture_free (&clean);
  free (noise);
  return result;
}

/* The largest of (2 reach + 1)^2 values, where it is: along rows, then columns. */
static void
spread_largest (double *values, int width, int height, int reach)
{
  double *rows = ref_allocate ((size_t) width * height, sizeof (double));

  for (int pass = 0; pass < 2; pass++)
    {
      int size = pass ? height : width, stride = pass ? width : 1;

      memcpy (rows, values, (size_t) width * height * sizeof *rows);
      for (int i = 0; i < width * height; i++)
        {
          int at = pass ? i / width : i % width, low = at < reach ? -at : -reach;
          int high = at + reach >= size ? size - 1 - at : reach;

          for (int k = low; k <= high; k++)
            values[i] = fmax (values[i], rows[i + k * stride]);
        }
    }
  free (rows);
}

/* Of each pixel: the largest |v| within reach. */
static double *
ranges (const DenoisePicture *picture)
{
  size_t  count = (size_t) picture->width * picture->height;
  double *largest = ref_allocate (count, sizeof (double)), most = 0.0;

  for (size_t i = 0; i < 3 * count; i++)
    {
      largest[i / 3] = fmax (largest[i / 3], fabs (picture->planes[i % 3][i / 3]));
      most = fmax (most, largest[i / 3]);
    }
  if (most > 1.0)
    spread_largest (largest, picture->width, picture->height, DENOISE_REACH);
  return largest;
}

/* Twice what the decisions that lean move. */
static double *
doubts (const DenoisePicture *picture, const Settings *settings, const DenoisePicture *clean)
{
  size_t  count = (size_t) picture->width * picture->height;
  double *moved = ref_allocate (count, sizeof (double));

  for (int lean = -1; lean <= 1; lean += 2)
    {
      DenoisePicture other = denoised (picture, settings, lean);

      for (size_t i = 0; i < 3 * count; i++)
        moved[i / 3] = fmax (moved[i / 3], 2.0 * fabs (other.planes[i % 3][i / 3] - clean->planes[i % 3][i / 3]));
      picture_free (&other);
    }
  spread_largest (moved, picture->width, picture->height, DENOISE_SPREAD);
  return moved;
}

static void
store (const RefImage *image, const DenoisePicture *clean, const double *largest, const double *moved, RefResult *result)
{
  for (int i = 0; i < 4 * result->width * result->height; i++)
    {
      size_t at = (size_t) (result->y + i / 4 / result->width) * image->width + (size_t) (result->x + i / 4 % result->width);
      double value = image->pixels[4 * at + i % 4];
      int    stays = i % 4 == 3 || !clean || clean->holes[at];

      result->out[i] = stays ? value : clean->planes[i % 4][at];
      result->scale[i] = stays ? 0.0 : fmax (1.0, largest[at]);
      result->slack[i] = isfinite (value) ? image->error * fabs (value) : 0.0;
      if (!stays)
        result->slack[i] = largest[at] > DENOISE_LARGE || image->error >= 1e-2 ? INFINITY : moved[at] + image->error * largest[at];
    }
}

void
reference_denoise (const RefImage *image, double lightness, double color, double detail, double level, RefResult *result)
{
  Settings       settings = { { lightness, color, color }, detail, level };
  DenoisePicture picture = read_picture (image), clean;
  double        *largest, *moved;

  if (lightness == 0.0 && color == 0.0)
    store (image, NULL, NULL, NULL, result);
  else
    {
      clean = denoised (&picture, &settings, 0);
      largest = ranges (&picture);
      moved = doubts (&picture, &settings, &clean);
      store (image, &clean, largest, moved, result);
      picture_free (&clean);
      free (largest);
      free (moved);
    }
  picture_free (&picture);
  free (picture.holes);
}
