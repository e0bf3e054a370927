/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * From candidates to keypoints: refinement, contrast, edges, order, the strongest.
 *
 *   g, H: central differences of D (a float; all else double) over column, row, layer;  o = -H^-1 g by Cramer's rule
 *   |o| < .5 thrice: accepted, else move by floor (o + .5); five rounds; dropped: det 0, o not finite, beyond the layers,
 *     in the frame, more than 8 pixels from the candidate on an axis
 *   contrast = |D + g.o / 2|, contrast intervals >= threshold;  det2 > 0 and tr^2 r < (r + 1)^2 det2
 *   x, y = (place + o) 2^octave (- .25 if doubled),  sigma 2^((layer + o) / intervals) 2^octave
 *
 * Numbers carry how far another order of the same sums may be from them.  A comparison within that is a doubt.
 */
#include "sift.h"

#include <math.h>
#include <stdlib.h>

#define ROUNDS        5
#define UNIT_ROUNDOFF 0x1p-51   /* four times that of a double: the operands are counted, not the result */
#define FAR           16.0      /* an offset that leaves whatever it is exactly */

typedef struct
{
  double value, error;
} Number;

typedef struct
{
  Number g[3], h[3][3], o[3], d;        /* of column, row, layer */
} Fit;

typedef enum { DROPPED, MOVED, ACCEPTED } Step;

/* ----------------------------------------------------------- arithmetic -- */

static Number
exact (double value)
{
  return (Number) { value, 0.0 };
}

/* What was exact is exact: small multiples of one number, as in faint pictures. */
static Number
plus (Number a, Number b)
{
  double value = a.value + b.value, part = value - a.value;
  int    is_exact = (a.value - (value - part)) + (b.value - part) == 0.0;

  return (Number) { value, a.error + b.error + (is_exact ? 0.0 : UNIT_ROUNDOFF * (fabs (a.value) + fabs (b.value))) };
}

static Number
minus (Number a, Number b)
{
  return plus (a, (Number) { -b.value, b.error });
}

static Number
times (Number a, Number b)
{
  double value = a.value * b.value, error = fabs (a.value) * b.error + fabs (b.value) * a.error + a.error * b.error;

  return (Number) { value, error + (fma (a.value, b.value, -value) == 0.0 ? 0.0 : UNIT_ROUNDOFF * fabs (value)) };
}

static Number
over (Number a, Number b)
{
  double value = a.value / b.value, room = fabs (b.value) - b.error;

  if (!(room > 0.0))
    return (Number) { value, INFINITY };
  return (Number) { value, (a.error + fabs (value) * b.error) / room
                           + (fma (value, b.value, -a.value) == 0.0 ? 0.0 : UNIT_ROUNDOFF * fabs (value)) };
}

static int
is_doubtful (Number a)
{
  return a.error > 0.0 && !(fabs (a.value) > a.error);
}

static Number
determinant (Number m[3][3])
{
  Number sum = exact (0.0);

  for (int i = 0; i < 3; i++)
    {
      int j = (i + 1) % 3, k = (i + 2) % 3;

      sum = plus (sum, times (m[0][i], minus (times (m[1][j], m[2][k]), times (m[1][k], m[2][j]))));
    }
  return sum;
}

/* ------------------------------------------------------------------ fit -- */

static Number
sample (const RefOctave *octave, const int place[3], int a, int da, int b, int db)
{
  int at[3] = { place[0], place[1], place[2] };

  at[a] += da;
  at[b] += db;
  return (Number) { reference_sift_difference (octave, at[2], at[1], at[0]), 2.0 * octave->error };
}

static void
differentiate (const RefOctave *octave, const int place[3], Fit *fit)
{
  fit->d = sample (octave, place, 0, 0, 0, 0);
  for (int a = 0; a < 3; a++)
    {
      Number before = sample (octave, place, a, -1, a, 0), after = sample (octave, place, a, 1, a, 0);

      fit->g[a] = times (minus (after, before), exact (0.5));
      fit->h[a][a] = minus (plus (after, before), times (exact (2.0), fit->d));
      for (int b = 0; b < a; b++)
        {
          Number same = plus (sample (octave, place, a, 1, b, 1), sample (octave, place, a, -1, b, -1));
          Number other = plus (sample (octave, place, a, 1, b, -1), sample (octave, place, a, -1, b, 1));

          fit->h[a][b] = fit->h[b][a] = times (minus (same, other), exact (0.25));
        }
    }
}

/* Returns the determinant of H. */
static Number
solve (Fit *fit)
{
  Number det = determinant (fit->h);

  for (int a = 0; a < 3; a++)
    {
      Number m[3][3];

      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          m[i][j] = j == a ? minus (exact (0.0), fit->g[i]) : fit->h[i][j];
      fit->o[a] = over (determinant (m), det);
    }
  return det;
}

/* ----------------------------------------------------------- refinement -- */

/* Could another rounding move otherwise?  Not if one component leads out whatever the others are. */
static int
moves_in_doubt (const Fit *fit)
{
  int doubt = 0;

  for (int a = 0; a < 3; a++)
    {
      double o = fit->o[a].value, error = fit->o[a].error;

      if (fabs (o) - error > FAR)
        return 0;
      doubt |= !(floor (o + error + 0.5) == floor (o - error + 0.5));
    }
  return doubt;
}

static int
is_allowed (const RefOctave *octave, const RefCandidate *from, const double place[3])
{
  return place[2] >= 1 && place[2] <= octave->intervals
         && place[0] >= REF_SIFT_FRAME && place[0] < octave->width - REF_SIFT_FRAME
         && place[1] >= REF_SIFT_FRAME && place[1] < octave->height - REF_SIFT_FRAME
         && fabs (place[0] - from->column) <= REF_SIFT_WALK && fabs (place[1] - from->row) <= REF_SIFT_WALK;
}

static Step
refine_once (const RefOctave *octave, const RefCandidate *from, int place[3], Fit *fit, int *doubt)
{
  double moved[3];
  Number det;

  differentiate (octave, place, fit);
  det = solve (fit);
  if (det.value == 0.0 || !isfinite (fit->o[0].value) || !isfinite (fit->o[1].value) || !isfinite (fit->o[2].value))
    {
      *doubt |= is_doubtful (det);
      return DROPPED;
    }
  *doubt |= moves_in_doubt (fit);
  if (fabs (fit->o[0].value) < 0.5 && fabs (fit->o[1].value) < 0.5 && fabs (fit->o[2].value) < 0.5)
    return ACCEPTED;
  for (int a = 0; a < 3; a++)
    moved[a] = place[a] + floor (fit->o[a].value + 0.5);
  if (!is_allowed (octave, from, moved))
    return DROPPED;
  for (int a = 0; a < 3; a++)
    place[a] = (int) moved[a];
  return MOVED;
}

static int
has_contrast (const Fit *fit, const RefSiftSettings *settings, double *response, int *doubt)
{
  Number sum = exact (0.0), margin;

  for (int a = 0; a < 3; a++)
    sum = plus (sum, times (fit->g[a], fit->o[a]));
  sum = plus (fit->d, times (sum, exact (0.5)));
  *response = fabs (sum.value);
  sum.value = *response;
  margin = minus (times (sum, exact (settings->intervals)), exact (settings->contrast_threshold));
  *doubt |= settings->contrast_threshold > 0.0 && is_doubtful (margin);
  return *response * settings->intervals >= settings->contrast_threshold;
}

static int
is_no_edge (const Fit *fit, const RefSiftSettings *settings, int *doubt)
{
  double ratio = settings->edge_threshold;
  Number trace = plus (fit->h[0][0], fit->h[1][1]);
  Number det = minus (times (fit->h[0][0], fit->h[1][1]), times (fit->h[0][1], fit->h[0][1]));
  Number left = times (times (trace, trace), exact (ratio)), right = times (exact ((ratio + 1.0) * (ratio + 1.0)), det);

  *doubt |= is_doubtful (minus (right, left));
  return det.value > 0.0 && left.value < right.value;
}

/* Fills all of the point but what the orientation says. */
static int
refine (const RefOctave *octave, const RefSiftSettings *settings, const RefCandidate *from, RefPoint *point, int *doubt)
{
  int    place[3] = { from->column, from->row, from->layer };
  double scale = ldexp (1.0, octave->index), shift = settings->upsample ? 0.25 : 0.0;
  Fit    fit;
  Step   step = MOVED;

  for (int round = 0; round < ROUNDS && step == MOVED; round++)
    step = refine_once (octave, from, place, &fit, doubt);
  if (step != ACCEPTED || !has_contrast (&fit, settings, &point->response, doubt) || !is_no_edge (&fit, settings, doubt))
    return 0;
  point->octave = octave->index;
  point->layer = place[2];
  point->row = place[1];
  point->column = place[0];
  point->x = (place[0] + fit.o[0].value) * scale - shift;
  point->y = (place[1] + fit.o[1].value) * scale - shift;
  point->sigma = settings->sigma * pow (2.0, (place[2] + fit.o[2].value) / settings->intervals) * scale;
  point->place_error = scale * fmax (fit.o[0].error, fmax (fit.o[1].error, settings->sigma * 4.0 * fit.o[2].error));
  return 1;
}

/* ---------------------------------------------------------------- lists -- */

void
reference_sift_add (RefSift *found, const RefPoint *point)
{
  /* Room is doubled at powers of 2. */
  if ((found->n & (found->n - 1)) == 0)
    found->points = realloc (found->points, (found->n ? 2 * found->n : 1) * sizeof (RefPoint));
  if (!found->points)
    abort ();
  found->points[found->n++] = *point;
}

static void
add_doubt (RefSift *found, const RefOctave *octave, const RefSiftSettings *settings, const RefCandidate *from)
{
  double scale = ldexp (1.0, octave->index), shift = settings->upsample ? 0.25 : 0.0;

  found->doubts = realloc (found->doubts, (found->n_doubts + 1) * sizeof (RefDoubt));
  if (!found->doubts)
    abort ();
  found->doubts[found->n_doubts++] = (RefDoubt) { octave->index, from->column * scale - shift, from->row * scale - shift,
                                                  (REF_SIFT_WALK + 1) * scale };
}

static int
is_known (const RefSift *found, const RefPoint *point)
{
  for (size_t i = found->n; i-- > 0;)
    {
      const RefPoint *other = found->points + i;

      if (other->octave != point->octave)
        return 0;
      if (other->layer == point->layer && other->row == point->row && other->column == point->column)
        return 1;
    }
  return 0;
}

static int
by_place (const void *first, const void *second)
{
  const RefPoint *a = first, *b = second;
  int             keys[][2] = { { a->octave, b->octave }, { a->layer, b->layer }, { a->row, b->row },
                                { a->column, b->column }, { a->bin, b->bin } };

  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
    if (keys[i][0] != keys[i][1])
      return keys[i][0] < keys[i][1] ? -1 : 1;
  return 0;
}

static int
by_response (const void *first, const void *second)
{
  const RefPoint *a = first, *b = second;

  return a->response != b->response ? (a->response > b->response ? -1 : 1) : by_place (first, second);
}

static void
keep_strongest (RefSift *found, size_t most)
{
  found->cut_low = 1.0;
  found->cut_high = 0.0;
  if (most == 0 || found->n <= most)
    return;
  qsort (found->points, found->n, sizeof (RefPoint), by_response);
  /* Equal to the last digits, and equal only by chance: two orientations of one place are in order. */
  if (found->points[most - 1].response - found->points[most].response <= 1e-11 * found->points[most].response
      && (found->points[most - 1].row != found->points[most].row
          || found->points[most - 1].column != found->points[most].column))
    {
      found->cut_low = found->points[most].response * (1.0 - 1e-10);
      found->cut_high = found->points[most].response * (1.0 + 1e-10);
    }
  found->n = most;
}

void
reference_sift (const float *luminance, int width, int height, const RefSiftSettings *settings, RefSift *found)
{
  RefOctave *octaves;
  int        n = reference_sift_octaves (luminance, width, height, settings, &octaves);

  *found = (RefSift) { NULL, 0, NULL, 0, 1.0, 0.0 };
  for (int i = 0; i < n; i++)
    {
      RefCandidate *candidates;
      size_t        count = reference_sift_candidates (octaves + i, settings, &candidates);

      for (size_t c = 0; c < count; c++)
        {
          RefPoint point = { 0 };
          int      doubt = candidates[c].doubt;

          if (candidates[c].holds && refine (octaves + i, settings, candidates + c, &point, &doubt)
              && !is_known (found, &point))
            doubt |= reference_sift_orient (octaves + i, &point, point.sigma * ldexp (1.0, -octaves[i].index), settings->root,
                                            found);
          if (doubt)
            add_doubt (found, octaves + i, settings, candidates + c);
        }
      free (candidates);
    }
  reference_sift_octaves_free (octaves, n);
  if (found->n > 0)
    qsort (found->points, found->n, sizeof (RefPoint), by_place);
  keep_strongest (found, (size_t) settings->max_features);
  if (found->n > 0)
    qsort (found->points, found->n, sizeof (RefPoint), by_place);
}

void
reference_sift_free (RefSift *found)
{
  free (found->points);
  free (found->doubts);
  *found = (RefSift) { NULL, 0, NULL, 0, 1.0, 0.0 };
}
