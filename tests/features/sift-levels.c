/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The Gaussian levels of octaves, bit by bit, beside a plain loop over whole levels.  They are made tile by tile on some
 * threads, strip by strip, as sift-octaves.c asks for them.  A wrong column between two tiles may change no point of a photograph. */
#include <gegl.h>
#include <stdlib.h>
#include <string.h>

#include "sift-parts.h"

#include "../engine/verdict.h"
#include "../match/matching.h"

#define CASES 30

static const gint threads[] = { 2, 1, 3, 16, 7 };

static gboolean
is_high_case (gint number)
{
  return number % 5 < 3 && number % 4 == 1;
}

typedef struct
{
  gint       number, threads;
  gint       width, height;
  gboolean   is_first;
  SiftScales scales;
  gfloat    *base;
  gfloat    *levels[SIFT_MOST_LEVELS];  /* expected */
} Case;

/* ----------------------------------------------------------- plain loops -- */

static gfloat
along (const SiftBlur *blur, const gfloat *line, gsize step, gint length, gint at)
{
  gfloat sum = 0.0f;

  for (gint i = 0; i <= 2 * blur->radius; i++)
    sum += blur->weights[i] * line[step * CLAMP (at + blur->offsets[i], 0, length - 1)];
  return sum;
}

static gfloat *
blurred (const SiftBlur *blur, const gfloat *in, gint width, gint height)
{
  g_autofree gfloat *rows = g_new (gfloat, (gsize) width * height);
  gfloat            *out = g_new (gfloat, (gsize) width * height);

  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      rows[(gsize) y * width + x] = along (blur, in + (gsize) y * width, 1, width, x);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      out[(gsize) y * width + x] = along (blur, rows + x, width, height, y);
  return out;
}

/* ----------------------------------------------------------------- cases -- */

/* So high that rows of a middle strip take the place of others. */
static gint
high (const Case *c, GRand *rand)
{
  SiftOctave octave = { .scales = &c->scales, .width = c->width, .height = 1 };
  SiftRoom   planes = { NULL, 0 }, sums = { NULL, 0 };

  sift_levels_begin (&octave, &planes, &sums);
  sift_levels_end (&octave);
  tessera_large_free (planes.floats);
  tessera_large_free (sums.floats);
  return 2 * octave.strip_rows + c->scales.reach + c->scales.halo + g_rand_int_range (rand, 1, 90);
}

static void
draw (Case *c, GRand *rand, gint number)
{
  const gboolean is_high = is_high_case (number);
  SiftSettings   settings = { .intervals = g_rand_int_range (rand, 1, number % 2 ? 5 : SIFT_MOST_INTERVALS + 1), .upsample = g_rand_boolean (rand),
                              .sigma = g_rand_double_range (rand, 0.6, is_high ? 1.7 : 3.0), .contrast_threshold = 0.04, .edge_threshold = 10.0 };
  gsize          n;

  c->number = number;
  c->is_first = g_rand_boolean (rand);
  c->width = is_high ? g_rand_int_range (rand, 2500, 4500) : g_rand_int_range (rand, 12, g_rand_boolean (rand) ? 40 : 2000);
  g_object_set (gegl_config (), "threads", c->threads = threads[number % G_N_ELEMENTS (threads)], NULL);
  sift_scales_init (&c->scales, &settings, g_rand_boolean (rand));
  c->height = is_high ? high (c, rand) : g_rand_int_range (rand, 12, 60);
  n = (gsize) c->width * c->height;
  c->base = g_new (gfloat, n);
  for (gsize i = 0; i < n; i++)
    c->base[i] = (gfloat) (g_rand_double (rand) * (g_rand_int_range (rand, 0, 50) ? 1.0 : 1e4));
  for (gint l = 0; l < c->scales.n_levels; l++)
    c->levels[l] = l > 0 ? blurred (&c->scales.blurs[l], c->levels[l - 1], c->width, c->height)
                   : c->is_first ? blurred (&c->scales.first, c->base, c->width, c->height) : g_memdup2 (c->base, n * sizeof (gfloat));
}

static void
clear (Case *c)
{
  for (gint l = 0; l < c->scales.n_levels; l++)
    g_free (c->levels[l]);
  g_free (c->base);
}

/* The rows that points of the strip may read. */
static gboolean
is_strip_right (const Case *c, const SiftOctave *octave, gint top, gint bottom)
{
  const gint first = MAX (0, top - c->scales.reach), end = MIN (c->height, bottom + c->scales.reach);

  for (gint l = 0; l < c->scales.n_levels; l++)
    for (gint y = first; y < end; y++)
      for (gint x = 0; x < c->width; x++)
        if (memcmp (sift_row (&octave->levels, l, x, y), &c->levels[l][(gsize) y * c->width + x], sizeof (gfloat)) != 0)
          {
            g_print ("case %d, %d threads, %d x %d, level %d, strip of rows %d to %d: (%d, %d) is %.9g, not %.9g\n", c->number, c->threads,
                     c->width, c->height, l, top, bottom, x, y, *sift_row (&octave->levels, l, x, y), c->levels[l][(gsize) y * c->width + x]);
            return FALSE;
          }
  return TRUE;
}

static gboolean
is_next_right (const Case *c, const gfloat *next)
{
  for (gint y = 0; y < c->height / 2; y++)
    for (gint x = 0; x < c->width / 2; x++)
      if (next[(gsize) y * (c->width / 2) + x] != c->levels[c->scales.settings.intervals][(gsize) 2 * y * c->width + 2 * x])
        return FALSE;
  return TRUE;
}

static void
compare (const Case *c, SiftRoom *planes, SiftRoom *sums)
{
  const gsize n_next = (gsize) (c->width / 2) * (c->height / 2);
  gfloat     *next = g_new (gfloat, n_next + 1);
  gboolean    is_right = TRUE;
  SiftOctave  octave = { .scales = &c->scales, .is_first = c->is_first, .width = c->width, .height = c->height, .next = next };
  gint        strips = 0;

  next[n_next] = 12345.0f;
  sift_levels_begin (&octave, planes, sums);
  for (gint top = 0; top < c->height && is_right; top += octave.strip_rows, strips++)
    {
      const gint bottom = MIN (c->height, top + octave.strip_rows), end = MIN (c->height, bottom + c->scales.reach + c->scales.halo);

      if (end > octave.fed)
        sift_levels_feed (&octave, c->base + (gsize) octave.fed * c->width, end - octave.fed);
      is_right = is_strip_right (c, &octave, top, bottom);
    }
  sift_levels_end (&octave);
  expect (is_right, "case %d: a level", c->number);
  expect (! is_right || is_next_right (c, next), "case %d: what the next octave begins with", c->number);
  expect (next[n_next] == 12345.0f, "case %d: a row of the next octave too many", c->number);
  expect (! is_high_case (c->number) || strips > 2, "case %d: all rows are held, so that none takes the place of another", c->number);
  g_free (next);
}

void
sift_levels (void)
{
  GRand   *rand;
  SiftRoom planes = { NULL, 0 }, sums = { NULL, 0 };

  rand = g_rand_new_with_seed (1);
  for (gint number = 0; number < CASES; number++)
    {
      Case c;

      draw (&c, rand, number);
      compare (&c, &planes, &sums);
      clear (&c);
    }
  tessera_large_free (planes.floats);
  tessera_large_free (sums.floats);
  g_rand_free (rand);
}
