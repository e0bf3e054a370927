/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Sobel gradient in double, border clamp, of a I (the picture as it is seen on black; 0 where alpha is 0):
 *
 *   gx = [1 2 1]^T [-1 0 1] / 8 * a I,  gy = [-1 0 1]^T [1 2 1] / 8 * a I
 *   magnitude = hypot (gx, gy),  angle = atan2 (gy, gx), 0 where gx = gy = 0
 *   display: magnitude is gain times that, x and y are 0.5 + gain v, angle is atan2 (gy, gx) / 2 pi modulo 1;
 *            a picture: of the luminance R = G = B, and the alpha of the input
 *   vector: R = gx, G = gy, B = magnitude, A = angle of the luminance, raw
 *
 * Sobel & Feldman 1968; Oliveira, MSc thesis 2013.  The luminance is that of linear light,
 * then, if perceptual, behind the sRGB curve; of R'G'B' input (channels, perceptual; seen)
 * the colours are made linear first.  I is the component or the luminance, behind its curve.
 *
 * Tolerance: 8 u, u = 2^-24.  With Sx, Sy the same sums over |a I| and S the larger of both,
 * scale: x and y Sx, Sy; magnitude 1.5 S + 0.5 magnitude; angle 1.5 S / magnitude (divided by
 * 2 pi in display).  Of what gain multiplies, gain times that.  Copied alpha: 0.
 * Slack: 1e-37; u of a I where a is neither 0 nor 1, the product; the error of the input carried through the sums, and
 * where negative components
 * cancel in the luminance (never on input >= 0) 4 u of what cancelled times the slope of the
 * curve; u of the result where gain multiplies, display adds or folds; 1e-6 of a radian in the angle.  INFINITY
 * in the angle where the error can take both gx and gy to 0, or where it can cross the cut
 * (+-pi, in display 0 and 1).  Where the eight weighted pixels are equal and finite the angle is
 * exactly 0 (scale and slack 0).
 *
 * NaN and Inf follow the arithmetic; the taps of weight 0 (for gx the middle column, for gy the
 * middle row) do not count.  hypot (Inf, NaN) may be Inf or NaN and atan2 (Inf, Inf) a
 * multiple of pi/4 or NaN: slack INFINITY.  Where 8 Sx or 8 Sy overflows a float: INFINITY.
 */
#include "reference.h"
#include "srgb.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#define UNIT_ROUNDOFF    0x1p-24
#define CANCEL_ERROR     (4.0 * UNIT_ROUNDOFF)
#define GRADIENT_ERROR   (8.0 * UNIT_ROUNDOFF)
#define DENORMAL_SLACK   1e-37
#define ANGLE_SLACK      1e-6
#define OVERFLOW_LIMIT   (FLT_MAX / 8.0 * 0.999)
#define RESULT_LIMIT     (FLT_MAX * 0.999)
#define FULL_TURN        (2.0 * M_PI)

typedef struct
{
  const RefImage *image;
  const double   *weights;
  int             luminance, perceptual, encoded;       /* encoded: the image is R'G'B' */
} Source;

/* A value that the filter reads, or a gradient, its size and how far it may be off. */
typedef struct
{
  double value, magnitude, error;
} Quantity;

typedef struct
{
  Quantity x, y;
  int      flat;       /* all weighted pixels are equal and finite */
} Gradient;

typedef struct
{
  double out, scale, slack;
} Answer;

typedef struct
{
  int    on;
  double gain;
} Display;

static const Display raw = { 0, 1.0 };

static const double smooth[3] = { 0.125, 0.25, 0.125 };
static const double differentiate[3] = { -1.0, 0.0, 1.0 };

/* Behind its curve, the luminance of a grey pixel is its value. */
static int
is_grey (const Source *source, const double *pixel)
{
  return source->encoded && source->perceptual && pixel[0] == pixel[1] && pixel[1] == pixel[2];
}

/* The luminance; its error is at least the given fraction of itself, more where R, G, B cancel. */
static Quantity
luminance_of (const Source *source, const double *pixel)
{
  double linear = 0.0, sum = 0.0, value, reach, error;

  if (is_grey (source, pixel))
    return (Quantity) { pixel[0], fabs (pixel[0]), source->image->error * fabs (pixel[0]) };
  for (int c = 0; c < 3; c++)
    {
      double component = source->encoded ? srgb_to_linear (pixel[c]) : pixel[c];

      linear += source->weights[c] * component;
      sum += source->weights[c] * fabs (component);
    }
  value = source->perceptual ? linear_to_srgb (linear) : linear;
  if (!isfinite (value))
    return (Quantity) { value, fabs (value), 0.0 };
  reach = source->image->error * sum + CANCEL_ERROR * fmax (sum - fabs (linear) - 1e-12 * sum, 0.0);
  if (source->perceptual && reach > 0.0)
    reach *= linear_to_srgb_slope (linear - reach);
  error = fmax (reach, source->image->error * fabs (value));
  return (Quantity) { value, fabs (value), error };
}

/* a I */
static Quantity
read_value (const Source *source, int x, int y, int c)
{
  const double *pixel = ref_pixel (source->image, x, y, REF_CLAMP);
  double        alpha = pixel[3], error = source->image->error;
  Quantity      seen = { pixel[c], fabs (pixel[c]), error > 0.0 ? error * fabs (pixel[c]) : 0.0 };

  if (alpha == 0.0)
    return (Quantity) { 0.0, 0.0, 0.0 };
  if (source->luminance)
    seen = luminance_of (source, pixel);
  if (alpha == 1.0)
    return seen;
  seen.value *= alpha;
  seen.magnitude *= fabs (alpha);
  seen.error = fabs (alpha) * seen.error + (UNIT_ROUNDOFF + error) * seen.magnitude;
  return seen;
}

static void
add_tap (Quantity *sum, double weight, Quantity tap)
{
  if (weight == 0.0)
    return;
  sum->value += weight * tap.value;
  if (!isfinite (tap.value))
    return;
  sum->magnitude += fabs (weight) * tap.magnitude;
  sum->error += fabs (weight) * tap.error;
}

/* The components the filter reads are the same numbers at both places. */
static int
same_source (const Source *source, int x0, int y0, int x1, int y1, int c)
{
  const double *first = ref_pixel (source->image, x0, y0, REF_CLAMP);
  const double *second = ref_pixel (source->image, x1, y1, REF_CLAMP);

  if (first[3] == 0.0 && second[3] == 0.0)
    return 1;
  if (!(isfinite (first[3]) && first[3] == second[3]))
    return 0;
  for (int k = source->luminance ? 0 : c; k < (source->luminance ? 3 : c + 1); k++)
    if (!(isfinite (first[k]) && first[k] == second[k]))
      return 0;
  return 1;
}

static Gradient
gradient_at (const Source *source, int x, int y, int c)
{
  Gradient gradient = { { 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0 }, 1 };

  for (int dy = -1; dy <= 1; dy++)
    for (int dx = -1; dx <= 1; dx++)
      {
        Quantity tap;

        if (dx == 0 && dy == 0)
          continue;
        tap = read_value (source, x + dx, y + dy, c);
        add_tap (&gradient.x, smooth[dy + 1] * differentiate[dx + 1], tap);
        add_tap (&gradient.y, differentiate[dy + 1] * smooth[dx + 1], tap);
        gradient.flat &= same_source (source, x - 1, y - 1, x + dx, y + dy, c);
      }
  return gradient;
}

static int
overflows (const Gradient *gradient)
{
  return gradient->x.magnitude > OVERFLOW_LIMIT || gradient->y.magnitude > OVERFLOW_LIMIT;
}

/* The value times a gain.  An infinity times 0 may come out as either. */
static Answer
amplified (Answer answer, double gain)
{
  if (gain == 0.0 && !isfinite (answer.out))
    answer.slack = INFINITY;
  answer.out *= gain;
  answer.scale *= gain;
  if (isfinite (answer.out))
    answer.slack = gain * answer.slack + UNIT_ROUNDOFF * fabs (answer.out) + DENORMAL_SLACK;
  if (isfinite (answer.out) && fabs (answer.out) > RESULT_LIMIT)
    answer.slack = INFINITY;
  return answer;
}

static Answer
component_answer (const Quantity *g, const Display *display)
{
  Answer answer = { g->value, g->magnitude, g->error + DENORMAL_SLACK };

  if (g->magnitude > OVERFLOW_LIMIT)
    answer.slack = INFINITY;
  if (!display->on)
    return answer;
  answer = amplified (answer, display->gain);
  if (isfinite (answer.out))
    answer.slack += UNIT_ROUNDOFF * (0.5 + fabs (answer.out));
  answer.out += 0.5;
  return answer;
}

static Answer
magnitude_answer (const Gradient *gradient, const Display *display)
{
  double gx = gradient->x.value, gy = gradient->y.value;
  double largest = fmax (gradient->x.magnitude, gradient->y.magnitude);
  double error = fmax (gradient->x.error, gradient->y.error);
  Answer answer = { hypot (gx, gy), 1.5 * largest, 1.5 * error + 4.0 * DENORMAL_SLACK };

  if (isfinite (answer.out))
    answer.scale += 0.5 * answer.out;
  if (overflows (gradient) || (isfinite (answer.out) && answer.out > RESULT_LIMIT)
      || (isinf (answer.out) && (isnan (gx) || isnan (gy))))
    answer.slack = INFINITY;
  return display->on ? amplified (answer, display->gain) : answer;
}

/* The error can move the vector to either side of the half axis on which the angle jumps. */
static int
crosses_cut (const Gradient *gradient, double x_error, double y_error, int display)
{
  double along = display ? -gradient->x.value : gradient->x.value;
  double folding = display ? fabs (gradient->x.value) * ANGLE_SLACK : 0.0;

  return fabs (gradient->y.value) <= y_error + folding && along <= x_error;
}

static Answer
angle_answer (const Gradient *gradient, int display)
{
  double gx = gradient->x.value, gy = gradient->y.value, size = hypot (gx, gy);
  double x_error = GRADIENT_ERROR * gradient->x.magnitude + gradient->x.error + DENORMAL_SLACK;
  double y_error = GRADIENT_ERROR * gradient->y.magnitude + gradient->y.error + DENORMAL_SLACK;
  double turn = display ? FULL_TURN : 1.0;
  Answer answer = { 0.0, 0.0, 0.0 };

  if (overflows (gradient))
    answer.slack = INFINITY;
  if (gradient->flat)
    return answer;
  answer.out = gx == 0.0 && gy == 0.0 ? 0.0 : atan2 (gy, gx) / turn;
  if (display && answer.out < 0.0)
    answer.out += 1.0;
  if (isnan (gx) || isnan (gy))
    return answer;
  if (isfinite (size) && size > 0.0)
    {
      double input = 1.5 * fmax (gradient->x.error, gradient->y.error) + 2.0 * DENORMAL_SLACK;

      answer.scale = 1.5 * fmax (gradient->x.magnitude, gradient->y.magnitude) / size / turn;
      answer.slack += (ANGLE_SLACK + input / size) / turn + (display ? UNIT_ROUNDOFF : 0.0);
    }
  else
    answer.slack += ANGLE_SLACK / turn + (display ? UNIT_ROUNDOFF : 0.0);
  if (size <= 1.5 * fmax (x_error, y_error) || (isinf (gx) && isinf (gy))
      || crosses_cut (gradient, x_error, y_error, display))
    answer.slack = INFINITY;
  return answer;
}

static void
store (RefResult *result, size_t at, Answer answer)
{
  result->out[at] = answer.out;
  result->scale[at] = isfinite (answer.out) ? answer.scale : 0.0;
  result->slack[at] = answer.slack;
}

static Answer
select_answer (const Gradient *gradient, const char *output, const Display *display)
{
  if (strcmp (output, "x") == 0)
    return component_answer (&gradient->x, display);
  if (strcmp (output, "y") == 0)
    return component_answer (&gradient->y, display);
  if (strcmp (output, "angle") == 0)
    return angle_answer (gradient, display->on);
  return magnitude_answer (gradient, display);
}

static void
store_alpha (const Source *source, int x, int y, RefResult *result, size_t at)
{
  double alpha = ref_pixel (source->image, x, y, REF_CLAMP)[3];

  store (result, at, (Answer) { alpha, 0.0, isfinite (alpha) ? source->image->error * fabs (alpha) : 0.0 });
}

static void
filter_pixel (const Source *source, int x, int y, const char *output, const Display *display,
              RefResult *result, size_t at)
{
  const Answer nothing = { 0.0, 0.0, 0.0 };
  Gradient     gradient = gradient_at (source, x, y, 0);

  if (strcmp (output, "vector") == 0)
    {
      store (result, at, component_answer (&gradient.x, &raw));
      store (result, at + 1, component_answer (&gradient.y, &raw));
      store (result, at + 2, magnitude_answer (&gradient, &raw));
      store (result, at + 3, angle_answer (&gradient, 0));
      return;
    }
  for (int c = 0; c < 3; c++)
    {
      if (!source->luminance && c > 0)
        gradient = gradient_at (source, x, y, c);
      store (result, at + c,
             source->luminance && !display->on && c > 0 ? nothing : select_answer (&gradient, output, display));
    }
  if (source->luminance && !display->on)
    store (result, at + 3, nothing);
  else
    store_alpha (source, x, y, result, at + 3);
}

void
reference_sobel (const RefImage *image, int perceptual, int channels, int seen, const char *output,
                 int display, double gain, const double weights[3], RefResult *result)
{
  int     luminance = !channels || strcmp (output, "vector") == 0;
  Source  source = { image, weights, luminance, perceptual, (channels && perceptual) || seen };
  Display shown = { display, gain };

  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        size_t at = ((size_t) row * result->width + column) * 4;

        filter_pixel (&source, result->x + column, result->y + row, output, &shown, result, at);
      }
}
