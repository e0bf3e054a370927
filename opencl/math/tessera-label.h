/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C.
 */
#define SEGMENT 32              /* pixels of a row that are linked at once, at most: the bits of a uint */
#define CHUNK   64              /* numbers that one work-item adds up */

/* A pixel of alpha 0 has no colour, so it is background whatever the threshold is.  NaN is background too. */
static inline int
label_is_foreground (float value, float alpha, float threshold)
{
  return (value >= threshold) & (alpha != 0.0f);
}

/* The colour of a label: red, green and blue, 8 bits each, from the lowest on.  Hues are a golden section apart, in
 * 12 classes of brightness and saturation.  All is computed in integers.  Labels 1 to 256 have different colours, and
 * the largest component is never below 159 (tests/check/filters/label.c proves it). */
static inline int
label_color (int label)
{
  const unsigned int hue = ((unsigned int) label * 2654435769u >> 8) * 6u;      /* 24 bits of a sixth of the circle */
  const int          sector = (int) (hue >> 24), part = (int) (hue >> 16) & 255;
  const int          high = 255 - label % 3 * 48, low = high * (label / 3 % 4) / 8;
  const int          rising = low + (high - low) * part / 255, falling = high - (high - low) * part / 255;

  switch (sector)
    {
    case 0:  return high    | rising  << 8 | low     << 16;
    case 1:  return falling | high    << 8 | low     << 16;
    case 2:  return low     | high    << 8 | rising  << 16;
    case 3:  return low     | falling << 8 | high    << 16;
    case 4:  return rising  | low     << 8 | high    << 16;
    default: return high    | low     << 8 | falling << 16;
    }
}
