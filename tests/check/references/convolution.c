/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Convolution (a correlation, as in its sources) with an N x M kernel in double,
 *
 *   out(x, y) = sum over i, j of w(i, j) I(x + i, y + j) / divisor + offset
 *
 * the kernel centred on the pixel.  Divisor 0 is the sum of the weights, or 1 when
 * |sum| <= 1e-6 sum |w|.  PowerVR's case study of image convolution (2015) and its tutorial
 * on local memory (2016); the text of a kernel is the specification's.
 *
 * By rgb, where the alpha of the support is not 1 throughout (outside pixels of border none have 0), alpha weighs:
 *
 *   out(x, y) = (sum of w a I) (sum of |w| / sum of |w| a) / divisor + offset,  the offset alone where sum of |w| a is 0
 *
 * scale: (|w| * |I|) / |divisor| + |offset| over the finite samples.  slack: denormals
 * (1e-37 (1 + sum |w / divisor|)) and the input's error times (|w| * |I|) / |divisor|.
 * INFINITY where the sums (before the division too) of the finite samples could overflow in
 * float, or where a weight over the divisor exceeds FLT_MAX.  What is copied (alpha; all of the
 * image where the kernel does not parse) has scale 0 and of slack the input's error only.
 *
 * Where alpha weighs, F = (|w| * |a I|) (sum |w| / sum |w| a) / |divisor| + |offset| takes the place of that: the bound
 * of the sum once for w a I and once for |w| a, and 4 u of F for a I, sum |w|, the ratio and its product.  So
 * scale is 2 F, and the slack has 4 u F, three times the input's error (of I, and twice of a), and what a denormal
 * sum of |w| a leaves open; INFINITY where that is much.
 *
 * NaN and Inf follow the arithmetic; taps of weight 0 are left out.  A NaN or Inf below a tap
 * whose weight over the divisor is no normal float may or may not reach: slack INFINITY.
 *
 * strtod () is used as it is: the process must be in a locale with the decimal point.
 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define UNIT_ROUNDOFF    0x1p-24
#define LARGEST_SIDE     63
#define ZERO_SUM         1e-6
#define DENORMAL_SLACK   1e-37
#define OVERFLOW_LIMIT   (FLT_MAX / 4.0)
#define SMALLEST_WEIGHT  (4.0 * FLT_MIN)        /* a smaller one may be 0 in float */

static const char *const presets[][2] =
  {
    { "box",       "1 1 1; 1 1 1; 1 1 1" },
    { "gaussian",  "1 2 1; 2 4 2; 1 2 1" },
    { "sharpen",   "0 -1 0; -1 5 -1; 0 -1 0" },
    { "laplacian", "0 1 0; 1 -4 1; 0 1 0" },
    { "emboss",    "-2 -1 0; -1 1 1; 0 1 2" },
    { "edge",      "-1 -1 -1; -1 8 -1; -1 -1 -1" },
    { "motion",    "1 0 0 0 0 0 0 0 0; 0 1 0 0 0 0 0 0 0; 0 0 1 0 0 0 0 0 0;"
                   "0 0 0 1 0 0 0 0 0; 0 0 0 0 1 0 0 0 0; 0 0 0 0 0 1 0 0 0;"
                   "0 0 0 0 0 0 1 0 0; 0 0 0 0 0 0 0 1 0; 0 0 0 0 0 0 0 0 1" },
  };

typedef struct
{
  int    dx, dy;
  double weight;        /* of the kernel */
  double ratio;         /* weight / divisor */
} Tap;

typedef struct
{
  Tap   *taps;          /* those of weight 0 left out */
  size_t count;
  double ratio_sum, largest_ratio;      /* of absolute values */
  double offset;
} TapList;

static const char *
skip_blanks (const char *text)
{
  while (*text == ' ' || *text == '\t' || *text == '\r' || *text == '\v' || *text == '\f')
    text++;
  return text;
}

static int
ends_row (char character)
{
  return character == '\0' || character == ';' || character == '\n';
}

/* Reads the numbers up to the end of the row, where *text is left.  0: an error. */
static int
parse_row (const char **text, double row[LARGEST_SIDE], int *count)
{
  const char *at = skip_blanks (*text);

  *count = 0;
  while (!ends_row (*at))
    {
      char       *end;
      double      number = strtod (at, &end);
      const char *next = skip_blanks (end);

      if (end == at || !isfinite (number) || *count == LARGEST_SIDE)
        return 0;
      row[(*count)++] = number;
      if (*next == ',')
        {
          next = skip_blanks (next + 1);
          if (ends_row (*next))
            return 0;           /* a comma stands between two numbers */
        }
      else if (next == end && !ends_row (*next))
        return 0;               /* neither blank nor comma */
      at = next;
    }
  *text = at;
  return 1;
}

static int
parse_text (const char *text, double *weights, int *rows, int *columns)
{
  for (;;)
    {
      double row[LARGEST_SIDE];
      int    count;

      if (!parse_row (&text, row, &count))
        return 0;
      if (count > 0)
        {
          if (*rows == LARGEST_SIDE || (*rows > 0 && count != *columns))
            return 0;
          memcpy (weights + (size_t) *rows * count, row, (size_t) count * sizeof (double));
          *columns = count;
          (*rows)++;
        }
      if (*text == '\0')
        return *rows % 2 == 1 && *columns % 2 == 1;
      text++;
    }
}

/* weights: room for 63 x 63, the rows contiguous.  An unknown preset does not parse. */
int
reference_convolution_parse (const char *kernel, const char *preset, double *weights,
                             int *rows, int *columns)
{
  const char *text = NULL;

  if (!preset || strcmp (preset, "custom") == 0)
    text = kernel;
  else
    for (size_t i = 0; i < sizeof (presets) / sizeof (presets[0]); i++)
      if (strcmp (preset, presets[i][0]) == 0)
        text = presets[i][1];
  *rows = *columns = 0;
  if (text && parse_text (text, weights, rows, columns))
    return 1;
  *rows = *columns = 0;
  return 0;
}

/* long double: the sums of any finite weights are finite. */
static long double
effective_divisor (const double *weights, size_t count, double divisor)
{
  long double sum = 0.0L, magnitude_sum = 0.0L;

  if (divisor != 0.0)
    return divisor;
  for (size_t i = 0; i < count; i++)
    {
      sum += weights[i];
      magnitude_sum += fabs (weights[i]);
    }
  return fabsl (sum) <= ZERO_SUM * magnitude_sum ? 1.0L : sum;
}

static TapList
build_taps (const double *weights, int rows, int columns, double divisor, double offset)
{
  size_t      cells = (size_t) rows * columns;
  long double effective = effective_divisor (weights, cells, divisor);
  TapList     list = { ref_allocate (cells, sizeof (Tap)), 0, 0.0, 0.0, offset };

  for (int row = 0; row < rows; row++)
    for (int column = 0; column < columns; column++)
      {
        double weight = weights[(size_t) row * columns + column];
        double ratio = (double) (weight / effective);

        if (weight == 0.0)
          continue;
        list.taps[list.count++] = (Tap) { column - columns / 2, row - rows / 2, weight, ratio };
        list.ratio_sum += fabs (ratio);
        list.largest_ratio = fmax (list.largest_ratio, fabs (ratio));
      }
  return list;
}

/* The sums over the support of one component, of its finite samples but for `sum`. */
typedef struct
{
  double sum, magnitude, undivided, largest, dropped;
  int    may_reach;     /* a NaN or Inf under a weight that may be 0 in float */
} Sums;

/* What the support's alpha adds up to. */
typedef struct
{
  int    is_opaque, is_empty;           /* 1, or 0, throughout */
  double weights, covered;              /* sum |w|, sum |w| a */
} Cover;

static Cover
support_cover (const RefImage *image, const TapList *list, RefBorder border, int x, int y)
{
  Cover cover = { 1, 1, 0.0, 0.0 };

  for (size_t i = 0; i < list->count; i++)
    {
      const Tap    *tap = &list->taps[i];
      const double *pixel = ref_pixel (image, x + tap->dx, y + tap->dy, border);
      double        alpha = pixel ? pixel[3] : 0.0;

      cover.is_opaque &= alpha == 1.0;
      cover.is_empty &= alpha == 0.0;
      cover.weights += fabs (tap->ratio);
      cover.covered += fabs (tap->ratio) * alpha;
    }
  return cover;
}

/* weighted: of a I. */
static Sums
sum_component (const RefImage *image, const TapList *list, RefBorder border, int x, int y, int c, int weighted)
{
  Sums sums = { 0 };

  for (size_t i = 0; i < list->count; i++)
    {
      const Tap    *tap = &list->taps[i];
      const double *pixel = ref_pixel (image, x + tap->dx, y + tap->dy, border);
      double        alpha = weighted && pixel ? pixel[3] : 1.0;
      double        value = ! pixel || alpha == 0.0 ? 0.0 : alpha * pixel[c];
      int           is_tiny = fabs (tap->ratio) < SMALLEST_WEIGHT;

      if (!isfinite (value) && is_tiny)
        {
          sums.may_reach = 1;
          continue;
        }
      sums.sum += tap->ratio * value;
      if (!isfinite (value))
        continue;
      sums.magnitude += fabs (tap->ratio * value);
      sums.undivided += fabs (tap->weight * value);
      sums.largest = fmax (sums.largest, fabs (value));
      if (is_tiny)
        sums.dropped += fabs (tap->ratio * value);
    }
  return sums;
}

static int
may_overflow (const TapList *list, const Sums *sums, double scale)
{
  return sums->may_reach || list->largest_ratio > FLT_MAX
         || fmax (fmax (scale, sums->undivided), sums->largest) > OVERFLOW_LIMIT;
}

static void
filter_component (const RefImage *image, const TapList *list, RefBorder border, int x, int y, int c,
                  double *out, double *scale, double *slack)
{
  Sums sums = sum_component (image, list, border, x, y, c, 0);

  *out = sums.sum + list->offset;
  *scale = sums.magnitude + fabs (list->offset);
  *slack = DENORMAL_SLACK * (1.0 + list->ratio_sum) + image->error * sums.magnitude + sums.dropped;
  if (list->largest_ratio > FLT_MAX || (!isnan (*out) && may_overflow (list, &sums, *scale)))
    *slack = INFINITY;
}

static void
filter_weighted (const RefImage *image, const TapList *list, RefBorder border, int x, int y, int c, const Cover *cover,
                 double *out, double *scale, double *slack)
{
  Sums   sums = sum_component (image, list, border, x, y, c, 1);
  double gain = cover->weights / cover->covered, denormal = DENORMAL_SLACK * (1.0 + list->ratio_sum);
  double open = (denormal + sums.dropped) / fabs (cover->covered), size;

  *scale = *slack = 0.0;
  *out = list->offset;
  if (cover->is_empty)
    {
      *scale = fabs (list->offset);     /* is rounded to a float */
      return;
    }
  *out += sums.sum * gain;
  size = sums.magnitude * fabs (gain);
  *scale = 2.0 * (size + fabs (list->offset));
  *slack = 4.0 * UNIT_ROUNDOFF * (size + fabs (list->offset)) + 3.0 * image->error * size
           + (denormal + sums.dropped) * fabs (gain) + open * size;
  if (isinf (cover->covered))
    *scale = *slack = 0.0;      /* Inf / Inf is NaN, and nothing else can be */
  else if (list->largest_ratio > FLT_MAX
           || (!isnan (*out) && (!(open < 0.1) || may_overflow (list, &sums, fmax (*scale, fabs (gain))))))
    *slack = INFINITY;
}

static void
copy_component (const RefImage *image, int x, int y, int c,
                double *out, double *scale, double *slack)
{
  double value = ref_pixel (image, x, y, REF_CLAMP)[c];

  *out = value;
  *scale = 0.0;
  *slack = c < 3 && isfinite (value) ? image->error * fabs (value) : 0.0;
}

/* "crop" asks for no pixel whose kernel leaves the image, so any border will do. */
static RefBorder
parse_border (const char *border)
{
  if (border && strcmp (border, "none") == 0)
    return REF_NONE;
  if (border && strcmp (border, "loop") == 0)
    return REF_LOOP;
  return REF_CLAMP;
}

void
reference_convolution (const RefImage *image, const char *kernel, const char *preset,
                       double divisor, double offset, const char *border, int rgba,
                       RefResult *result)
{
  double   *weights = ref_allocate (LARGEST_SIDE * LARGEST_SIDE, sizeof (double));
  int       rows, columns, filtered = 0;
  TapList   list = { 0 };
  RefBorder ref_border = parse_border (border);

  if (reference_convolution_parse (kernel, preset, weights, &rows, &columns))
    {
      list = build_taps (weights, rows, columns, divisor, offset);
      filtered = rgba ? 4 : 3;
    }
  for (int row = 0; row < result->height; row++)
    for (int column = 0; column < result->width; column++)
      {
        int   x = result->x + column, y = result->y + row;
        Cover cover = { 1, 0, 0.0, 0.0 };

        if (filtered == 3)
          cover = support_cover (image, &list, ref_border, x, y);
        for (int c = 0; c < 4; c++)
          {
            size_t  at = ((size_t) row * result->width + column) * 4 + c;
            double *out = result->out + at, *scale = result->scale + at, *slack = result->slack + at;

            if (c >= filtered)
              copy_component (image, x, y, c, out, scale, slack);
            else if (cover.is_opaque)
              filter_component (image, &list, ref_border, x, y, c, out, scale, slack);
            else
              filter_weighted (image, &list, ref_border, x, y, c, &cover, out, scale, slack);
          }
      }
  free (list.taps);
  free (weights);
}
