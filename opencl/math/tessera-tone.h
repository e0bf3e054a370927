/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: C and OpenCL C; needs tessera-index.h, tessera-convert.h, tessera-equalize.h, tessera-log.h and a dialect before it.
 *
 * Shadows, highlights and compression: light in stops, the curve of the base, and the shoulder.
 */
#define TONE_LEAST  1.52587890625e-05f  /* 2^-16; what is darker counts as that */
#define TONE_MID    -2.473931188f       /* log2 0.18 */
#define TONE_WHITE  2.473931188f        /* stops from there to white */
#define TONE_BINS   512                 /* of a survey: 16 a stop, from -16 on */

static inline float
tone_light (float r, float g, float b, float red, float green, float blue)
{
  return (red * r + green * g) + blue * b;
}

/* Whether a pixel of this light and alpha has a place in the grid; in the survey it has, if alpha is above 0. */
static inline int
tone_counts (float light, float alpha)
{
  return (light > 0.0f) & (light <= EQUALIZE_LARGEST) & (alpha != 0.0f) & (tessera_abs (alpha) <= EQUALIZE_LARGEST);
}

static inline float
tone_at_least (float light)
{
  return light > TONE_LEAST ? light : TONE_LEAST;
}

static inline float
tone_stops (float light)
{
  return tessera_log2 (tone_at_least (light));
}

static inline int
tone_bin (float stops)
{
  return bin_index (tessera_floor ((stops + 16.0f) * 16.0f), 0.0f, TONE_BINS - 1);
}

/* The base after the compression becomes this: shadows rise, highlights fall, and middle grey and white stay. */
static inline float
tone_lifted (float base, float shadows, float highlights)
{
  const float u = base - TONE_MID, dark = u * -0.2f, above = u > 0.0f ? u : 0.0f;
  const float t = dark > 0.0f ? (dark < 1.0f ? dark : 1.0f) : 0.0f, w = above * (1.0f / TONE_WHITE);
  const float held = w < 1.0f ? 0.7f * above * (1.0f - w) : 0.5f * (above - TONE_WHITE);

  return (base + shadows * (t * (2.0f - t))) - highlights * held;
}

/* 1/2 and less stays; what is above bends towards 1.  With one choice around it all PoCL 6.0 ends the program (TRAPS.md). */
static inline float
tone_shoulder (float v)
{
  const float z = (v > 0.5f ? v - 0.5f : 0.0f) * 2.0f;

  return (v > 0.5f ? 0.5f : v) + 0.5f * equalize_quotient (z, 1.0f + z);
}

/* By what R, G and B are multiplied. */
static inline float
tone_factor (float light, float stops, float base, float slope, float offset, float compression, float shadows, float highlights,
             float detail)
{
  const float lifted = tone_lifted (slope * base + offset, shadows, highlights);
  const float v = tessera_exp2 (lifted + detail * (stops - base));

  return equalize_quotient ((1.0f - compression) * v + compression * tone_shoulder (v), tone_at_least (light));
}
