/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sRGB to CIELAB and back, in double.  Oliveira, MSc thesis 2013, ch. 4.1; CIE 15.
 *
 *   c = ((c' + 0.055) / 1.055)^2.4 where c' > 0.04045, else c' / 12.92
 *   (X, Y, Z) = M (R, G, B)
 *   f(t) = cbrt (t) where t > 216/24389, else 841/108 t + 4/29
 *   L = 116 f(Y/Yn) - 16,  a = 500 (f(X/Xn) - f(Y/Yn)),  b = 200 (f(Y/Yn) - f(Z/Zn))
 *
 * M follows from the primaries and the white (D65) or is the sRGB profile's (D50).  The
 * linear parts go on below 0: nothing is clipped.  `display` holds L/100, (a + 128)/255,
 * (b + 128)/255 in R, G, B.  The inverse undoes all of it; alpha is kept.
 *
 * Tolerance: 1e-4, for both directions.
 * Forward, scale: (1, 8.6, 3.4) max (1, largest |f|), divided by 100, 255, 255 in `display`.
 * Inverse, scale: 0.1 (1e-5) where R', G' and B' lie in 0..1 (to 1e-5), as the specification says of
 *   the round trip; elsewhere, where it says nothing, 0.1 max (1, |c'|, S g'(c) / 50), where
 *   S = F sum |M^-1| |dX/df| is how f's rounding errors reach c (F the largest |f|, at least
 *   1) and g' the slope of the sRGB curve: with the tolerance, 3.4 u S g'.
 * Slack: 1e-37; the error of the input carried through by the largest slopes; forward, where
 *   negative components cancel in X, Y, Z (never on input >= 0), 16 u of what cancelled times
 *   the slope of f; in `display` u of the magnitudes that the offset adds up.
 *
 * NaN and Inf follow the arithmetic (an infinite R', G' or B': L infinite, a and b NaN).
 * Where an intermediate would overflow a float the slack is INFINITY.
 */
#include "reference.h"
#include "srgb.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

#define UNIT_ROUNDOFF    0x1p-24
#define DENORMAL_SLACK   1e-37
#define OVERFLOW_LIMIT   (FLT_MAX / 4.0)
#define F_THRESHOLD      (216.0 / 24389.0)
#define F_SLOPE          (841.0 / 108.0)
#define F_OFFSET         (4.0 / 29.0)
#define CANCEL_ERROR     (16.0 * UNIT_ROUNDOFF)
#define INVERSE_SCALE    0.1
#define INVERSE_NORM     50.0
#define GAMUT_MARGIN     1e-5

typedef struct
{
  double forward[3][3], inverse[3][3], white[3];
} Space;

/* Not decreasing in v. */
static double
srgb_to_linear_slope (double v)
{
  return v > 0.04045 ? 2.4 / 1.055 * pow ((v + 0.055) / 1.055, 1.4) : 1.0 / 12.92;
}

static double
lab_f (double t)
{
  return t > F_THRESHOLD ? cbrt (t) : F_SLOPE * t + F_OFFSET;
}

/* Not increasing in t. */
static double
lab_f_slope (double t)
{
  return t > F_THRESHOLD ? 1.0 / (3.0 * cbrt (t) * cbrt (t)) : F_SLOPE;
}

static double
lab_f_inverse (double f)
{
  return f > 6.0 / 29.0 ? f * f * f : (f - F_OFFSET) / F_SLOPE;
}

/* Not decreasing in f. */
static double
lab_f_inverse_slope (double f)
{
  return f > 6.0 / 29.0 ? 3.0 * f * f : 1.0 / F_SLOPE;
}

static void
invert_matrix (double m[3][3], double inverse[3][3])
{
  double determinant = 0.0;

  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      {
        int r0 = (j + 1) % 3, r1 = (j + 2) % 3, c0 = (i + 1) % 3, c1 = (i + 2) % 3;

        inverse[i][j] = m[r0][c0] * m[r1][c1] - m[r0][c1] * m[r1][c0];
      }
  for (int j = 0; j < 3; j++)
    determinant += m[0][j] * inverse[j][0];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      inverse[i][j] /= determinant;
}

/* The columns of the matrix are the primaries' X, Y, Z scaled to add up to the white. */
static void
matrix_from_primaries (const double white[3], double matrix[3][3])
{
  static const double primaries[3][2] = { { 0.64, 0.33 }, { 0.30, 0.60 }, { 0.15, 0.06 } };
  double              columns[3][3], inverse[3][3];

  for (int c = 0; c < 3; c++)
    {
      double x = primaries[c][0], y = primaries[c][1];

      columns[0][c] = x / y;
      columns[1][c] = 1.0;
      columns[2][c] = (1.0 - x - y) / y;
    }
  invert_matrix (columns, inverse);
  for (int c = 0; c < 3; c++)
    {
      double gain = 0.0;

      for (int k = 0; k < 3; k++)
        gain += inverse[c][k] * white[k];
      for (int r = 0; r < 3; r++)
        matrix[r][c] = columns[r][c] * gain;
    }
}

static Space
make_space (int d50)
{
  static const double profile[3][3] = { { 0.43603516, 0.38511658, 0.14305115 },
                                        { 0.22248840, 0.71690369, 0.06060791 },
                                        { 0.01391602, 0.09706116, 0.71392822 } };
  static const double whites[2][3] = { { 0.95047, 1.0, 1.08883 },
                                       { 0.96420288, 1.0, 0.82490540 } };
  Space               space;

  for (int i = 0; i < 3; i++)
    {
      space.white[i] = whites[d50 ? 1 : 0][i];
      for (int j = 0; j < 3; j++)
        space.forward[i][j] = profile[i][j];
    }
  if (!d50)
    matrix_from_primaries (space.white, space.forward);
  invert_matrix (space.forward, space.inverse);
  return space;
}

static double
largest_f (const double f[3])
{
  double largest = 1.0;

  for (int i = 0; i < 3; i++)
    largest = isfinite (f[i]) ? fmax (largest, fabs (f[i])) : largest;
  return largest;
}

/* f of X/Xn, Y/Yn, Z/Zn and how far each may be off; not 0 where a float would overflow. */
static int
forward_f (const Space *space, const double *pixel, double error, double f[3], double f_error[3])
{
  int overflows = 0;

  for (int i = 0; i < 3; i++)
    {
      double sum = 0.0, magnitude = 0.0, input_error = 0.0, t_error;

      for (int j = 0; j < 3; j++)
        {
          double v = pixel[j], weight = space->forward[i][j] / space->white[i];
          double linear = srgb_to_linear (v);

          sum += weight * linear;
          if (!isfinite (v))
            continue;
          magnitude += weight * fabs (linear);
          input_error += weight * error * fabs (v) * srgb_to_linear_slope (v + error * fabs (v));
          overflows |= fabs (linear) > OVERFLOW_LIMIT;
        }
      f[i] = lab_f (sum);
      t_error = input_error;
      if (isfinite (sum))
        t_error += CANCEL_ERROR * fmax (magnitude - fabs (sum) - 1e-12 * magnitude, 0.0);
      f_error[i] = t_error > 0.0 && isfinite (sum) ? t_error * lab_f_slope (sum - t_error) : 0.0;
      overflows |= magnitude > OVERFLOW_LIMIT;
    }
  return overflows;
}

static void
forward_pixel (const Space *space, const double *pixel, double error, int display,
               double *out, double *scale, double *slack)
{
  static const double relative[3] = { 1.0, 8.6, 3.4 };
  double              f[3], f_error[3];
  int                 overflows = forward_f (space, pixel, error, f, f_error);

  out[0] = 116.0 * f[1] - 16.0;
  out[1] = 500.0 * (f[0] - f[1]);
  out[2] = 200.0 * (f[1] - f[2]);
  slack[0] = DENORMAL_SLACK + 116.0 * f_error[1];
  slack[1] = DENORMAL_SLACK + 500.0 * (f_error[0] + f_error[1]);
  slack[2] = DENORMAL_SLACK + 200.0 * (f_error[1] + f_error[2]);
  for (int c = 0; c < 3; c++)
    {
      double range = c == 0 ? 100.0 : 255.0, offset = c == 0 ? 0.0 : 128.0;

      scale[c] = isfinite (out[c]) ? relative[c] * largest_f (f) : 0.0;
      if (display)
        {
          if (isfinite (out[c]))
            slack[c] += UNIT_ROUNDOFF * (fabs (out[c]) + offset);
          out[c] = (out[c] + offset) / range;
          scale[c] /= range;
          slack[c] /= range;
        }
      if (overflows)
        slack[c] = INFINITY;
    }
}

/* f of X, Y, Z from the pixel's L, a, b and how far the input's error may move each. */
static void
inverse_f (const double *pixel, double error, int display, double f[3], double f_error[3])
{
  double l = display ? 100.0 * pixel[0] : pixel[0];
  double a = display ? 255.0 * pixel[1] - 128.0 : pixel[1];
  double b = display ? 255.0 * pixel[2] - 128.0 : pixel[2];
  double l_error = error * fabs (l) / 116.0;
  double a_error = error * (display ? 255.0 : 1.0) * fabs (pixel[1]) / 500.0;
  double b_error = error * (display ? 255.0 : 1.0) * fabs (pixel[2]) / 200.0;

  f[1] = (l + 16.0) / 116.0;
  f[0] = f[1] + a / 500.0;
  f[2] = f[1] - b / 200.0;
  f_error[0] = l_error + a_error;
  f_error[1] = l_error;
  f_error[2] = l_error + b_error;
}

static void
inverse_pixel (const Space *space, const double *pixel, double error, int display,
               double *out, double *scale, double *slack)
{
  double f[3], f_error[3], scales[3];
  int    overflows = 0, in_gamut = 1;

  inverse_f (pixel, error, display, f, f_error);
  for (int c = 0; c < 3; c++)
    {
      double linear = 0.0, rounding = 0.0, input_error = 0.0, slope;

      for (int j = 0; j < 3; j++)
        {
          double weight = space->inverse[c][j] * space->white[j];
          double term = weight * lab_f_inverse (f[j]);

          linear += term;
          if (!isfinite (f[j]))
            continue;
          rounding += fabs (weight) * lab_f_inverse_slope (f[j]) * largest_f (f);
          if (f_error[j] > 0.0)
            input_error += fabs (weight) * f_error[j] * lab_f_inverse_slope (f[j] + f_error[j]);
          overflows |= fabs (term) > OVERFLOW_LIMIT;
        }
      out[c] = linear_to_srgb (linear);
      in_gamut &= out[c] >= -GAMUT_MARGIN && out[c] <= 1.0 + GAMUT_MARGIN;
      slope = linear_to_srgb_slope (linear - 4.0 * UNIT_ROUNDOFF * rounding - input_error);
      scales[c] = fmax (fmax (1.0, fabs (out[c])), rounding * slope / INVERSE_NORM);
      slack[c] = DENORMAL_SLACK + (input_error > 0.0 ? input_error * slope : 0.0);
      overflows |= isfinite (linear) && fabs (linear) > OVERFLOW_LIMIT;
    }
  for (int c = 0; c < 3; c++)
    {
      scale[c] = INVERSE_SCALE * (in_gamut ? 1.0 : scales[c]);
      if (!isfinite (out[c]))
        {
          scale[c] = 0.0;
          slack[c] = 0.0;
        }
      if (overflows)
        slack[c] = INFINITY;
    }
}

void
reference_cielab (const RefImage *image, int inverse, int d50, int display, RefResult *result)
{
  Space space = make_space (d50);

  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t        at = ((size_t) row * result->width + column) * 4;
        size_t        x = (size_t) (result->x + column), y = (size_t) (result->y + row);
        const double *pixel = image->pixels + (y * image->width + x) * 4;

        if (inverse)
          inverse_pixel (&space, pixel, image->error, display,
                         result->out + at, result->scale + at, result->slack + at);
        else
          forward_pixel (&space, pixel, image->error, display,
                         result->out + at, result->scale + at, result->slack + at);
        result->out[at + 3] = pixel[3];
        result->scale[at + 3] = 0.0;
        result->slack[at + 3] = image->error > 0.0 && isfinite (pixel[3])
                                ? image->error * fabs (pixel[3]) : 0.0;
      }
}
