/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Numbers that carry beside them how far a float may be from them, one operation after the other (harris-corners.c has the rules). */
#ifndef NUMBERS_H
#define NUMBERS_H

#include <float.h>
#include <math.h>

#define UNIT_ROUNDOFF 0x1p-24

/* What a float of the filter is near: within `error` of `value`.  An infinite error: anything. */
typedef struct
{
  double value, error;
} Number;

typedef enum { NO, PERHAPS, YES } Verdict;

/* The result of one operation in float. */
static Number
rounded (double value, double error)
{
  if (value == 0.0 && error == 0.0)
    return (Number) { value, 0.0 };
  error += UNIT_ROUNDOFF * (fabs (value) + error);
  if (fabs (value) - error < 2.0 * FLT_MIN)
    error += FLT_MIN;
  if (fabs (value) - error > FLT_MAX)
    return (Number) { copysign (INFINITY, value), 0.0 };
  if (!(fabs (value) + error < FLT_MAX))
    error = INFINITY;
  return (Number) { value, error };
}

static Number
sum (Number a, Number b)
{
  if (isinf (a.error) || isinf (b.error))
    return (Number) { 0.0, INFINITY };
  if (!isfinite (a.value) || !isfinite (b.value))
    return (Number) { a.value + b.value, 0.0 };
  return rounded (a.value + b.value, a.error + b.error);
}

static Number
difference (Number a, Number b)
{
  return sum (a, (Number) { -b.value, b.error });
}

/* May it be 0, or of either sign? */
static int
has_no_sign (Number a)
{
  return a.error > 0.0 && fabs (a.value) <= a.error;
}

static Number
product (Number a, Number b)
{
  if (isinf (a.error) || isinf (b.error)
      || (isinf (a.value) && has_no_sign (b)) || (isinf (b.value) && has_no_sign (a)))
    return (Number) { 0.0, INFINITY };
  if (!isfinite (a.value) || !isfinite (b.value))
    return (Number) { a.value * b.value, 0.0 };
  return rounded (a.value * b.value, fabs (a.value) * b.error + fabs (b.value) * a.error + a.error * b.error);
}

/* By a power of 2: exact, unless it overflows or a device flushes it. */
static Number
scaled (Number a, double factor)
{
  Number result = rounded (a.value * factor, a.error * factor);

  if (isinf (a.error) || !isfinite (a.value))
    return a;
  if (isfinite (result.value) && isfinite (result.error) && fabs (result.value) - result.error > 2.0 * FLT_MIN)
    result.error = a.error * factor;
  return result;
}

/* a > b, or a >= b. */
static Verdict
exceeds (Number a, Number b, int or_equal)
{
  if (isinf (a.error) || isinf (b.error))
    return PERHAPS;
  if (isnan (a.value) || isnan (b.value))
    return NO;
  if (a.error == 0.0 && b.error == 0.0)
    return (or_equal ? a.value >= b.value : a.value > b.value) ? YES : NO;
  if (a.value - a.error > b.value + b.error)
    return YES;
  return a.value + a.error < b.value - b.error ? NO : PERHAPS;
}

#endif
