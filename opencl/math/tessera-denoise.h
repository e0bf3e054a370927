/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-index.h and a dialect (tessera.h or tessera-dialect.h) before it.
 *
 * What tessera:denoise does with single pixels.  In planes a hole is NaN.
 */
#define DENOISE_FORWARD 1024    /* values of a table of tones, uniform on 0..1 */
#define DENOISE_INVERSE 2048    /* of its inverse, uniform on 0..T(1) */
#define DENOISE_LARGEST 2.81474976710656e14f    /* 2^48 times the noise; what is beyond is a hole: no square overflows */
#define DENOISE_Y       0.577350269189625765f   /* 1/sqrt 3 */
#define DENOISE_U       0.707106781186547524f   /* 1/sqrt 2 */
#define DENOISE_V       0.408248290463863017f   /* 1/sqrt 6 */
#define DENOISE_WINDOW  7                       /* pixels of a side of the window of colours */

static inline float
denoise_hole (void)
{
  return tessera_as_float (0x7fc00000);
}

/* The table of n values at `place`, counted in values; beyond both ends the end's slope goes on. */
static inline float
denoise_table (TESSERA_GLOBAL const float *table, int n, float place)
{
  const int   i = bin_index (place, 0.0f, (float) (n - 2));
  const float from = table[i];

  return from + (place - (float) i) * (table[i + 1] - from);
}

static inline float
denoise_y (float r, float g, float b)
{
  return ((r + g) + b) * DENOISE_Y;
}

static inline float
denoise_u (float r, float b)
{
  return (r - b) * DENOISE_U;
}

static inline float
denoise_v (float r, float g, float b)
{
  return ((r - 2.0f * g) + b) * DENOISE_V;
}

/* Back from Y, U and V. */
static inline float
denoise_r (float y, float u, float v)
{
  return (y * DENOISE_Y + u * DENOISE_U) + v * DENOISE_V;
}

static inline float
denoise_g (float y, float v)
{
  return y * DENOISE_Y - v * (2.0f * DENOISE_V);
}

static inline float
denoise_b (float y, float u, float v)
{
  return (y * DENOISE_Y - u * DENOISE_U) + v * DENOISE_V;
}

static inline int
denoise_is_plain (float tone)
{
  return tessera_abs (tone) <= DENOISE_LARGEST;
}

/* Index i of n pixels, mirrored at the edges: -1 is 0. */
static inline int
denoise_mirror (int i, int n)
{
  while (i < 0 || i >= n)
    i = i < 0 ? -1 - i : 2 * n - 1 - i;
  return i;
}

/* The mean of those that are no holes. */
static inline float
denoise_mean (float a, float b, float c, float d)
{
  const int   n = (a == a) + (b == b) + (c == c) + (d == d);
  const float sum = ((a == a ? a : 0.0f) + (b == b ? b : 0.0f)) + ((c == c ? c : 0.0f) + (d == d ? d : 0.0f));

  return n == 4 ? sum * 0.25f : n == 3 ? sum * 0.333333333f : n == 2 ? sum * 0.5f : n == 1 ? sum : denoise_hole ();
}

/* What a coarse pixel adds: nothing in a hole. */
static inline float
denoise_correction (float coarse, float mean)
{
  const float correction = coarse - mean;

  return correction == correction ? correction : 0.0f;
}

/* Bilinear in the middle of a quarter: of the nearest pixel, those beside it and below or above it, and the farthest. */
static inline float
denoise_between (float near, float beside, float over, float far)
{
  return 0.75f * (0.75f * near + 0.25f * beside) + 0.25f * (0.75f * over + 0.25f * far);
}

/* The weight of a pixel whose colours differ by so much. */
static inline float
denoise_likeness (float y, float u, float v, float share, float weight)
{
  float like = 1.0f - (y * y + 0.3f * (u * u + v * v)) * share;

  like = like > 0.0f ? like : 0.0f;
  return (weight * like) * like;
}

/* 1/x for x of 2^-120 to 2^120, within two roundings.  Not every device divides as C does. */
static inline float
denoise_reciprocal (float x)
{
  float z = tessera_as_float (0x7ef311c7 - tessera_as_int (x));

  z = z + z * (1.0f - x * z);
  z = z + z * (1.0f - x * z);
  return z + z * (1.0f - x * z);
}
