/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: the common part of C and OpenCL C.  Orthonormal DCT-II of 8 values and what tessera:denoise does with the 64
 * coefficients of a window.  The text is the same for floats and for vectors of them, one window a lane.  Before it come
 *   WINDOW_REAL, WINDOW_ZERO    float, or a vector; 0 of it
 *   WINDOW_FUNCTION             storage class and attributes
 *   WINDOW_NAME (name)          the name of a function
 *   window_where (c, x)         x where c, else 0
 *   window_guess (x)            the float whose bits are 0x7ef311c7 less those of x: 1/x within 12 %
 *
 * The order of sums binds both paths.  A window is transformed down its columns first, then along its rows, and back along
 * the rows first.  Sums and differences of mirrored pairs come first (dct_forward), last on the way back.
 *
 * Noise: NOISE_FLOATS of them, tables of 64 by vertical, then horizontal frequency, and numbers; made in double, rounded once.
 */
#ifndef WINDOW_CONSTANTS
#define WINDOW_CONSTANTS
#define DCT_0 0.353553390593273762f     /* sqrt (1/8) */
#define DCT_1 0.490392640201615225f     /* cos (k pi/16) / 2 */
#define DCT_2 0.461939766255643378f
#define DCT_3 0.415734806151272619f
#define DCT_5 0.277785116509801112f
#define DCT_6 0.191341716182544886f
#define DCT_7 0.0975451610080641339f

#define NOISE_SQUARES 0         /* P^2 */
#define NOISE_KEPT    64        /* (2.7 P)^2 */
#define NOISE_WIENER  128       /* 1.4 P^2 */
#define NOISE_LEAST   192       /* sum of P^2 / 64 */
#define NOISE_TWICE   193       /* 2 sum of P^2 */
#define NOISE_DETAIL  194
#define NOISE_FLOATS  195
#endif

/* Of the 8 values that are `step` apart. */
WINDOW_FUNCTION void
WINDOW_NAME (dct_forward) (WINDOW_REAL *a, const int step)
{
  const WINDOW_REAL s0 = a[0] + a[7 * step], s1 = a[step] + a[6 * step], s2 = a[2 * step] + a[5 * step];
  const WINDOW_REAL s3 = a[3 * step] + a[4 * step];
  const WINDOW_REAL d0 = a[0] - a[7 * step], d1 = a[step] - a[6 * step], d2 = a[2 * step] - a[5 * step];
  const WINDOW_REAL d3 = a[3 * step] - a[4 * step];
  const WINDOW_REAL e0 = s0 + s3, e1 = s1 + s2, e2 = s0 - s3, e3 = s1 - s2;

  a[0] = (e0 + e1) * DCT_0;
  a[step] = (d0 * DCT_1 + d1 * DCT_3) + (d2 * DCT_5 + d3 * DCT_7);
  a[2 * step] = e2 * DCT_2 + e3 * DCT_6;
  a[3 * step] = (d0 * DCT_3 - d1 * DCT_7) - (d2 * DCT_1 + d3 * DCT_5);
  a[4 * step] = (e0 - e1) * DCT_0;
  a[5 * step] = (d0 * DCT_5 - d1 * DCT_1) + (d2 * DCT_7 + d3 * DCT_3);
  a[6 * step] = e2 * DCT_6 - e3 * DCT_2;
  a[7 * step] = (d0 * DCT_7 - d1 * DCT_5) + (d2 * DCT_3 - d3 * DCT_1);
}

WINDOW_FUNCTION void
WINDOW_NAME (dct_inverse) (WINDOW_REAL *a, const int step)
{
  const WINDOW_REAL f1 = a[step], f2 = a[2 * step], f3 = a[3 * step], f5 = a[5 * step], f6 = a[6 * step], f7 = a[7 * step];
  const WINDOW_REAL e0 = (a[0] + a[4 * step]) * DCT_0, e1 = (a[0] - a[4 * step]) * DCT_0;
  const WINDOW_REAL e2 = f2 * DCT_2 + f6 * DCT_6, e3 = f2 * DCT_6 - f6 * DCT_2;
  const WINDOW_REAL s0 = e0 + e2, s1 = e1 + e3, s2 = e1 - e3, s3 = e0 - e2;
  const WINDOW_REAL d0 = (f1 * DCT_1 + f3 * DCT_3) + (f5 * DCT_5 + f7 * DCT_7);
  const WINDOW_REAL d1 = (f1 * DCT_3 - f3 * DCT_7) - (f5 * DCT_1 + f7 * DCT_5);
  const WINDOW_REAL d2 = (f1 * DCT_5 - f3 * DCT_1) + (f5 * DCT_7 + f7 * DCT_3);
  const WINDOW_REAL d3 = (f1 * DCT_7 - f3 * DCT_5) + (f5 * DCT_3 - f7 * DCT_1);

  a[0] = s0 + d0;
  a[step] = s1 + d1;
  a[2 * step] = s2 + d2;
  a[3 * step] = s3 + d3;
  a[4 * step] = s3 - d3;
  a[5 * step] = s2 - d2;
  a[6 * step] = s1 - d1;
  a[7 * step] = s0 - d0;
}

/* 1/x for x of 2^-120 to 2^120, within two roundings.  Not every device divides as C does. */
WINDOW_FUNCTION WINDOW_REAL
WINDOW_NAME (window_reciprocal) (WINDOW_REAL x)
{
  WINDOW_REAL z = window_guess (x);

  z = z + z * (1.0f - x * z);
  z = z + z * (1.0f - x * z);
  return z + z * (1.0f - x * z);
}

WINDOW_FUNCTION WINDOW_REAL
WINDOW_NAME (window_sum) (const WINDOW_REAL *a)
{
  return ((a[0] + a[1]) + (a[2] + a[3])) + ((a[4] + a[5]) + (a[6] + a[7]));
}

/* Stage 1: of the coefficients f those stay that the noise does not explain.  Returns the window's weight. */
WINDOW_FUNCTION WINDOW_REAL
WINDOW_NAME (window_threshold) (WINDOW_REAL *f, TESSERA_GLOBAL const float *noise)
{
  WINDOW_REAL passed = WINDOW_ZERO;

  for (int v = 0; v < 8; v++)
    {
      WINDOW_REAL row[8];

      for (int u = 0; u < 8; u++)
        {
          const int         i = 8 * v + u;
          const WINDOW_REAL value = f[i];

          row[u] = window_where (value * value > noise[NOISE_KEPT + i], noise[NOISE_SQUARES + i] + WINDOW_ZERO);
          if (i > 0)
            f[i] = window_where (value * value > noise[NOISE_KEPT + i], value);
        }
      passed = passed + WINDOW_NAME (window_sum) (row);
    }
  return WINDOW_NAME (window_reciprocal) (passed + noise[NOISE_LEAST]);
}

/* Stage 2: f times the gain that the pilot's coefficients g ask for. */
WINDOW_FUNCTION WINDOW_REAL
WINDOW_NAME (window_wiener) (WINDOW_REAL *f, const WINDOW_REAL *g, TESSERA_GLOBAL const float *noise)
{
  WINDOW_REAL energy = WINDOW_ZERO, spread = WINDOW_ZERO, share;

  for (int v = 0; v < 8; v++)
    {
      WINDOW_REAL row[8];

      for (int u = 0; u < 8; u++)
        row[u] = g[8 * v + u] * g[8 * v + u];
      if (v == 0)
        row[0] = WINDOW_ZERO;
      energy = energy + WINDOW_NAME (window_sum) (row);
    }
  share = (energy * noise[NOISE_DETAIL]) * WINDOW_NAME (window_reciprocal) (energy + noise[NOISE_TWICE]);
  for (int v = 0; v < 8; v++)
    {
      WINDOW_REAL row[8];

      for (int u = 0; u < 8; u++)
        {
          const int         i = 8 * v + u;
          const WINDOW_REAL square = g[i] * g[i];
          WINDOW_REAL       gain = square * WINDOW_NAME (window_reciprocal) (square + noise[NOISE_WIENER + i]);

          gain = gain + (1.0f - gain) * share;
          row[u] = (gain * gain) * noise[NOISE_SQUARES + i];
          if (i > 0)
            f[i] = f[i] * gain;
        }
      spread = spread + WINDOW_NAME (window_sum) (row);
    }
  return WINDOW_NAME (window_reciprocal) (spread + noise[NOISE_LEAST]);
}
