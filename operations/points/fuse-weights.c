/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How good a pixel of a frame is.  Values are those of the sRGB curve; what is below 0 or above 1 counts as 0 or 1.
 *
 * Exposure (T. Mertens, J. Kautz, F. Van Reeth, Exposure Fusion, 2007): alpha (1 + contrast) (1 + saturation) exposedness.
 *   contrast     |4 Y - the four neighbours'|
 *   saturation   the standard deviation of r, g, b
 *   exposedness  exp (-((r - .5)^2 + (g - .5)^2 + (b - .5)^2) / 3 / (2 .3^2))
 * The paper multiplies the first two without the 1: then a flat or grey place has no weight, and noise decides.  Its
 * sigma is .2 for each of the three, .115 for a grey; that was worse than enfuse (data/doc/align.md).
 *
 * Focus: alpha (1 + energy / 1e-6)^4; energy is that contrast squared, after three levels of the pyramid.
 */
#include "fuse.h"

#include <math.h>
#include <string.h>

#include "planes.h"
#include "sift-parts.h"

#include "../../opencl/math/tessera-sift-window.h"

#define SIGMA  0.3f
#define LEVELS 3                /* of the smoothing */
#define FLOOR  1e-6f            /* of the energy: a step of 8 bits has 15 times as much */

/* What all threads read. */
typedef struct
{
  CombineMethod method;
  FuseLevel    *level;
  const gfloat *alpha;
  gfloat        luminance[3];
} Weighing;

static inline gfloat
seen (gfloat value)
{
  return value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f;
}

TESSERA_CLONES static void
grey_pixels (const gfloat *restrict row, gint width, gfloat red, gfloat green, gfloat blue, gfloat *restrict grey)
{
  for (gint x = 0; x < width; x++)
    grey[x] = red * seen (row[4 * x]) + green * seen (row[4 * x + 1]) + blue * seen (row[4 * x + 2]);
}

static void
read_grey (const Weighing *what, gint y, gfloat *grey)
{
  const FuseLevel *level = what->level;
  const gint       width = level->width;

  grey_pixels (level->pixels + 4 * (gsize) width * CLAMP (y, 0, level->height - 1), width, what->luminance[0], what->luminance[1],
               what->luminance[2], grey + 1);
  grey[0] = grey[1];
  grey[width + 1] = grey[width];
}

TESSERA_CLONES static void
find_contrast (const gfloat *restrict above, const gfloat *restrict here, const gfloat *restrict below, gint width, gfloat *restrict out)
{
  for (gint x = 0; x < width; x++)
    out[x] = fabsf (4.0f * here[x + 1] - ((above[x + 1] + below[x + 1]) + (here[x] + here[x + 2])));
}

static inline gfloat
exposedness (gfloat r, gfloat g, gfloat b)
{
  const gfloat red = r - 0.5f, green = g - 0.5f, blue = b - 0.5f;

  return window_exp ((red * red + green * green + blue * blue) * (-1.0f / (6.0f * SIGMA * SIGMA)));
}

TESSERA_CLONES static void
weigh_exposure (gfloat *restrict row, const gfloat *restrict alpha, const gfloat *restrict contrast, gint width)
{
  for (gint x = 0; x < width; x++)
    {
      const gfloat r = seen (row[4 * x]), g = seen (row[4 * x + 1]), b = seen (row[4 * x + 2]);
      const gfloat mean = (r + g + b) * (1.0f / 3.0f), red = r - mean, green = g - mean, blue = b - mean;
      const gfloat saturation = sqrtf ((red * red + green * green + blue * blue) * (1.0f / 3.0f));

      row[4 * x + 3] = alpha[x] * ((1.0f + contrast[x]) * (1.0f + saturation) * exposedness (r, g, b));
    }
}

static void
weigh_row (const Weighing *what, gint y, const gfloat *contrast)
{
  const gint width = what->level->width;
  gfloat    *row = what->level->pixels + 4 * (gsize) width * y;

  if (what->method == COMBINE_EXPOSURE)
    weigh_exposure (row, what->alpha + (gsize) width * y, contrast, width);
  for (gint x = 0; x < width && what->method == COMBINE_FOCUS; x++)
    row[4 * x + 3] = contrast[x] * contrast[x];
}

static void
weigh_rows (gsize from, gsize n, gpointer data)
{
  const Weighing    *what = data;
  const gint         width = what->level->width, first = (gint) from;
  g_autofree gfloat *memory = g_new (gfloat, 4 * (width + 2));
  gfloat            *grey[3], *contrast = memory + 3 * (width + 2);

  for (gint i = 0; i < 3; i++)
    grey[i] = memory + i * (width + 2);
  for (gint i = 0; i < 2; i++)
    read_grey (what, first + i - 1, grey[(first + i + 2) % 3]);
  for (gint y = first; y < first + (gint) n; y++)
    {
      read_grey (what, y + 1, grey[(y + 1) % 3]);
      find_contrast (grey[(y + 2) % 3], grey[y % 3], grey[(y + 1) % 3], width, contrast);
      weigh_row (what, y, contrast);
    }
}

static void
sharpen_rows (gsize from, gsize n, gpointer data)
{
  const Weighing *what = data;
  const gsize     width = what->level->width;

  for (gsize i = from * width; i < (from + n) * width; i++)
    {
      const gfloat energy = 1.0f + what->level->pixels[4 * i + 3] * (1.0f / FLOOR), squared = energy * energy;

      what->level->pixels[4 * i + 3] = what->alpha[i] * (squared * squared);
    }
}

void
fuse_weigh (CombineMethod method, FusePyramid *frame, const gfloat *alpha, const gfloat luminance[3])
{
  Weighing      what = { method, &frame->levels[0], alpha, { luminance[0], luminance[1], luminance[2] } };
  const gdouble cost = 64.0 * 64.0 / frame->levels[0].width;

  tessera_spread_range (frame->levels[0].height, cost, weigh_rows, &what);
  if (method == COMBINE_EXPOSURE)
    return;
  fuse_smooth (frame, LEVELS);
  tessera_spread_range (frame->levels[0].height, cost, sharpen_rows, &what);
}
