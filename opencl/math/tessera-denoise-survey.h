/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-denoise.h and a dialect (tessera.h or tessera-dialect.h) before it.
 *
 * How tessera:denoise counts noise: blocks of 8 x 8 pixels side by side, by the energy of their coefficients.  The order of
 * sums binds both paths; what is counted is whole numbers.
 */
#define SURVEY_BEGIN   4        /* pixels before the first block */
#define SURVEY_SIDE    8        /* of a block, and from one to the next */
#define SURVEY_CLIPPED 8        /* pixels of a block that may be black or white, ... */
#define SURVEY_HOLES   32       /* ... and that may be holes, which the mean of the others fills */
#define SURVEY_LARGEST 2.7e11f  /* of a colour: DENOISE_LARGEST times the least noise, at most */
#define SURVEY_TONES   32
#define SURVEY_FIRST   824      /* the bits of 2^-24, shifted: 8 classes an octave */
#define SURVEY_SHIFT   20
#define TONE_CLASSES   193      /* to 1 */
#define TONE_ROUGH     7        /* u + v of what is noise alone in a flat block ... */
#define TONE_SHARE     (1.0f / 36.0f)   /* ... and 1 over how many there are */
#define PLANE_CLASSES  353      /* to 2^20 */
#define PLANE_ROUGH    3
#define PLANE_SHARE    (1.0f / 174.0f)  /* of three planes */
#define TONES_ALIVE    (3 * SURVEY_TONES * TONE_CLASSES)        /* words: pixels of R, G, B that are not clipped, and all blocks */
#define TONES_MEANS    (TONES_ALIVE + 4)        /* where pairs of words begin */
#define PLANES_SQUARES 354      /* where pairs of 32 bits begin, after the counts of blocks */

static inline int
survey_class (float energy, int classes)
{
  const int class = (tessera_as_int (energy) >> SURVEY_SHIFT) - SURVEY_FIRST;

  return class < 0 ? 0 : class < classes ? class : classes - 1;
}

/* Of a pixel. */
static inline int
survey_is_hole (float r, float g, float b, float alpha)
{
  return (alpha == 0.0f) | ! (tessera_abs (r) <= SURVEY_LARGEST) | ! (tessera_abs (g) <= SURVEY_LARGEST)
         | ! (tessera_abs (b) <= SURVEY_LARGEST);
}

/* White that was light a moment ago is 1.055f - 0.055f, which is less than 1. */
static inline int
survey_is_clipped (float value)
{
  return (value <= 0.0f) | (value >= 0.999999f);
}

/* Of the channels that `seen` has bits of. */
static inline int
survey_any_clipped (float r, float g, float b, int seen)
{
  return (survey_is_clipped (r) & seen) | (survey_is_clipped (g) & (seen >> 1)) | (survey_is_clipped (b) & (seen >> 2));
}

/* The mean of 8 x 8 pixels whose first coefficient is f, within 0..1. */
static inline float
survey_mean (float f)
{
  const float mean = f * 0.125f;

  return mean > 0.0f ? (mean < 1.0f ? mean : 1.0f) : 0.0f;
}

/* Fills the holes of a block.  What its energy is to be multiplied by: noise of n pixels has n - 1 of 63 parts. */
static inline float
survey_fill (float *f, const unsigned char *is_hole, int holes)
{
  float total = 0.0f;

  if (holes == 0)
    return 1.0f;
  for (int v = 0; v < 8; v++)
    {
      float sum = 0.0f;

      for (int u = 0; u < 8; u++)
        sum += is_hole[8 * v + u] ? 0.0f : f[8 * v + u];
      total += sum;
    }
  total *= denoise_reciprocal ((float) (64 - holes));
  for (int i = 0; i < 64; i++)
    f[i] = is_hole[i] ? total : f[i];
  return 63.0f * denoise_reciprocal ((float) (63 - holes));
}

/* Adds the squares of the frequencies with u + v >= least. */
static inline float
survey_energy (const float *f, int least, float energy)
{
  for (int v = 0; v < 8; v++)
    for (int u = 0; u < 8; u++)
      energy += u + v >= least ? f[8 * v + u] * f[8 * v + u] : 0.0f;
  return energy;
}

static inline int
survey_tone (float mean)
{
  return bin_index ((float) SURVEY_TONES * mean, 0.0f, (float) (SURVEY_TONES - 1));
}

static inline float
survey_square (float f, float scale)
{
  const float square = (f * f) * scale;

  return square < 32768.0f ? square : 32768.0f;
}

/* 65536 times as much, rounded. */
static inline unsigned int
survey_whole (float value)
{
  return (unsigned int) (65536.0f * value + 0.5f);
}
