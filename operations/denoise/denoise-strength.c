/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The noise of each frequency in stabilised Y, U and V, from the flattest blocks of the second survey (Lebrun, Colom,
 * Morel 2015), in double.
 */
#include "config.h"

#include "denoise.h"

#include <math.h>
#include <string.h>

#define LEAST_BLOCKS 32
#define QUANTILE     0.02
#define FIRST_SET    1.25       /* times the quantile */
#define PRIOR        32.0       /* blocks that say 1 */
#define LOW          1.5        /* of the next frequencies' mean: more is the picture's */
#define LEAST        1e-3
#define COUNTED      3          /* u + v of a counted coefficient */
#define FEWEST       30.0       /* degrees of freedom ... */
#define MOST         174.0      /* ... and most */
#define STEPS        16

/* For FEWEST (MOST/FEWEST)^(i/STEPS) degrees of freedom: they over their chi-square's 2 % quantile; the factor that makes the mean
 * of what is below it that of all. */
static const gdouble spread[STEPS + 1][2] = {
  { 1.839793852400075, 1.2371692389894549 },
  { 1.7726886327231417, 1.2227741009975597 },
  { 1.712343963877115, 1.2093414799038305 },
  { 1.6578974756829741, 1.1967976257443218 },
  { 1.6086208417817238, 1.185075392218143 },
  { 1.5638954835331746, 1.1741135546714598 },
  { 1.5231932459734852, 1.1638562065599338 },
  { 1.486060921820862, 1.1542522247122435 },
  { 1.4521077758928653, 1.1452547949469163 },
  { 1.4209954256208683, 1.1368209906713556 },
  { 1.3924295841858561, 1.1289113980324266 },
  { 1.3661532855993259, 1.1214897820079961 },
  { 1.3419412960508643, 1.1145227885429334 },
  { 1.3195954803590055, 1.1079796784543543 },
  { 1.2989409416707796, 1.1018320893710858 },
  { 1.2798227904925308, 1.0960538224419167 },
  { 1.2621034285080888, 1.0906206509553376 }
};

static gboolean
is_counted (gint i)
{
  return i / 8 + i % 8 >= COUNTED;
}

static gdouble
total (const DenoisePlanes *planes)
{
  gdouble n = 0.0;

  for (gint class = 0; class < PLANE_CLASSES; class++)
    n += planes->n[class];
  return n;
}

static gdouble
quantile (const DenoisePlanes *planes, gdouble all)
{
  gdouble before = 0.0;
  gint    class = 0;

  while (class < PLANE_CLASSES - 1 && before + planes->n[class] < QUANTILE * all)
    before += planes->n[class++];
  return denoise_class_at (class, (QUANTILE * all - before) / planes->n[class]);
}

/* The mean squares of the blocks whose energy is `most` at most, and how many these are.  Of the last class a part counts, as in a
 * quantile: whole classes lose up to 0.2 dB. */
static gdouble
mean_squares (const DenoisePlanes *planes, gdouble most, gdouble squares[3][64])
{
  gdouble n = 0.0;

  memset (squares, 0, 3 * sizeof squares[0]);
  for (gint class = 0; class < PLANE_CLASSES; class++)
    {
      const gdouble from = denoise_class_at (class, 0.0), to = denoise_class_at (class, 1.0);
      const gdouble part = CLAMP ((most - from) / (to - from), 0.0, 1.0);

      n += part * planes->n[class];
      for (gint i = 0; i < 3 * 64; i++)
        squares[i / 64][i % 64] += part * planes->squares[class][i / 64][i % 64];
    }
  for (gint i = 0; i < 3 * 64; i++)
    squares[i / 64][i % 64] /= 65536.0 * n;
  return n;
}

/* As many equal squares would be as uncertain. */
static gdouble
freedom (const gdouble squares[3][64])
{
  gdouble sum = 0.0, of_squares = 0.0;

  for (gint i = 0; i < 3 * 64; i++)
    if (is_counted (i % 64))
      {
        sum += squares[i / 64][i % 64];
        of_squares += squares[i / 64][i % 64] * squares[i / 64][i % 64];
      }
  return sum > 0.0 ? CLAMP (sum * sum / of_squares, FEWEST, MOST) : 0.0;
}

/* Between two rows of `spread`, linear in the logarithm. */
static gdouble
spread_at (gdouble nu, gint column)
{
  const gdouble place = MIN (STEPS * denoise_logarithm (nu / FEWEST) / denoise_logarithm (MOST / FEWEST), STEPS - 1e-9);
  const gint    i = (gint) place;

  return spread[i][column] + (place - i) * (spread[i + 1][column] - spread[i][column]);
}

static void
finish (gdouble p[64], gdouble n)
{
  gdouble low, even[64];

  for (gint i = 0; i < 64; i++)
    even[i] = ((p[i] + p[i % 8 * 8 + i / 8]) / 2.0 * n + PRIOR) / (n + PRIOR);
  low = LOW * (even[2] + even[9] + even[16]) / 3.0;
  even[0] = MIN (even[0], low);
  even[1] = MIN (even[1], low);
  even[8] = MIN (even[8], low);
  for (gint i = 0; i < 64; i++)
    p[i] = MAX (even[i], LEAST);
}

static void
set_all (gdouble squares[3][64], gdouble value)
{
  for (gint i = 0; i < 3 * 64; i++)
    squares[i / 64][i % 64] = value;
}

gdouble
denoise_mean_strength (const gdouble squares[3][64], gdouble n)
{
  gdouble mean = 0.0;

  for (gint i = 0; i < 3 * 64; i++)
    mean += squares[i / 64][i % 64] / 192.0;
  return n > 0.0 ? MAX (0.0, mean + (mean - 1.0) * PRIOR / n) : mean;
}

gdouble
denoise_strengths (const DenoisePlanes *planes, gdouble squares[3][64])
{
  const gdouble all = total (planes);
  gdouble       q, nu, n;

  set_all (squares, 1.0);
  if (all < LEAST_BLOCKS)
    return 0.0;
  q = quantile (planes, all);
  n = mean_squares (planes, FIRST_SET * q, squares);
  nu = freedom (squares);
  if (nu == 0.0)
    {
      set_all (squares, LEAST);
      return n;
    }
  n = mean_squares (planes, spread_at (nu, 0) * q, squares);
  for (gint plane = 0; plane < 3; plane++)
    {
      for (gint i = 0; i < 64; i++)
        squares[plane][i] *= spread_at (nu, 1);
      finish (squares[plane], n);
    }
  return n;
}
