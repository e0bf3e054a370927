/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The noise of the whole picture, in integer counts: by tone, and by frequency once the tones are stabilised.  Blocks of
 * 8 x 8 pixels lie side by side, and belong to the area in which their first pixel lies.
 */
#include "config.h"

#include "denoise.h"
#include "planes.h"

#define WINDOW_REAL        gfloat
#define WINDOW_ZERO        0.0f
#define WINDOW_FUNCTION    static inline
#define WINDOW_NAME(name)  name
#define window_where(c, x) ((c) ? (x) : 0.0f)
#define window_guess(x)    tessera_as_float (0x7ef311c7 - tessera_as_int (x))
#include "../../opencl/math/tessera-dct.h"

#include <stddef.h>
#include <string.h>

#define ACROSS 32               /* blocks that are read at a time */

typedef struct
{
  gfloat colours[3][64], alpha[64];
  guint8 is_hole[64];
  gint   holes;
} Block;

gdouble
denoise_class_at (gint class, gdouble part)
{
  const gdouble from = tessera_as_float ((SURVEY_FIRST + class) << SURVEY_SHIFT);
  const gdouble to = tessera_as_float ((SURVEY_FIRST + class + 1) << SURVEY_SHIFT);

  return from + part * (to - from);
}

/* Down the columns, then along the rows. */
TESSERA_CLONES static void
transform (gfloat *restrict block)
{
  for (gint x = 0; x < 8; x++)
    dct_forward (block + x, 8);
  for (gint y = 0; y < 8; y++)
    dct_forward (block + 8 * y, 1);
}

/* ------------------------------------------------------------------ tones -- */

static gint
clipped_in (const Block *block, gint c)
{
  gint clipped = 0;

  for (gint i = 0; i < 64; i++)
    clipped += (block->is_hole[i] == 0) & survey_is_clipped (block->colours[c][i]);
  return clipped;
}

static void
count_tone (DenoiseTones *tones, gint c, const Block *block)
{
  gfloat     f[64], scale, mean, energy;
  const gint clipped = clipped_in (block, c);
  gint       tone;

  tones->alive[c] += 64 - block->holes - clipped;
  if (clipped > SURVEY_CLIPPED)
    return;
  memcpy (f, block->colours[c], sizeof f);
  scale = survey_fill (f, block->is_hole, block->holes);
  transform (f);
  mean = survey_mean (f[0]);
  tone = survey_tone (mean);
  energy = survey_energy (f, TONE_ROUGH, 0.0f) * TONE_SHARE;
  tones->n[c][tone][survey_class (energy * scale, TONE_CLASSES)]++;
  tones->means[c][tone] += survey_whole (mean);
}

static void
count_tones (const Denoise *d G_GNUC_UNUSED, const Block *block, gpointer part)
{
  DenoiseTones *tones = part;

  tones->blocks++;
  for (gint c = 0; c < 3; c++)
    count_tone (tones, c, block);
}

/* ----------------------------------------------------------------- planes -- */

static gboolean
is_mostly_clipped (const Block *block, guint seen)
{
  gint clipped = 0;

  for (gint i = 0; i < 64; i++)
    clipped += (block->is_hole[i] == 0) & survey_any_clipped (block->colours[0][i], block->colours[1][i], block->colours[2][i], seen);
  return clipped > SURVEY_CLIPPED;
}

static void
count_planes (const Denoise *d, const Block *block, gpointer part)
{
  DenoisePlanes *planes = part;
  gfloat         pixels[4 * 64], f[3][64], energy = 0.0f, scale = 1.0f;
  gint           class;

  if (is_mostly_clipped (block, d->seen))
    return;
  planes_put_together (block->colours[0], block->colours[1], block->colours[2], block->alpha, 64, pixels);
  denoise_to_planes (d, pixels, 64, f[0], f[1], f[2]);
  for (gint plane = 0; plane < 3; plane++)
    {
      scale = survey_fill (f[plane], block->is_hole, block->holes);
      transform (f[plane]);
      energy = survey_energy (f[plane], PLANE_ROUGH, energy);
    }
  class = survey_class (energy * PLANE_SHARE * scale, PLANE_CLASSES);
  planes->n[class]++;
  for (gint plane = 0; plane < 3; plane++)
    for (gint i = 0; i < 64; i++)
      planes->squares[class][plane][i] += survey_whole (survey_square (f[plane][i], scale));
}

/* ------------------------------------------------------------------- rows -- */

typedef void (*CountFunction) (const Denoise *d, const Block *block, gpointer part);

/* Blocks along one side whose first pixel is before `end`, which counts from the image's edge. */
static gint
blocks_before (gint end, gint size)
{
  const gint all = MAX (0, (size - SURVEY_BEGIN) / SURVEY_SIDE);

  return CLAMP ((end - SURVEY_BEGIN + SURVEY_SIDE - 1) / SURVEY_SIDE, 0, all);
}

/* The blocks whose first pixel is in `area`: places and numbers of blocks. */
static GeglRectangle
blocks_in (const Denoise *d, const GeglRectangle *area)
{
  const GeglRectangle *bounds = &d->bounds;
  const gint           x = area->x - bounds->x, y = area->y - bounds->y;
  const gint           left = blocks_before (x, bounds->width), top = blocks_before (y, bounds->height);

  return (GeglRectangle) { left, top, blocks_before (x + area->width, bounds->width) - left,
                           blocks_before (y + area->height, bounds->height) - top };
}

static GeglRectangle
pixels_of (const Denoise *d, const GeglRectangle *blocks)
{
  return (GeglRectangle) { d->bounds.x + SURVEY_BEGIN + SURVEY_SIDE * blocks->x, d->bounds.y + SURVEY_BEGIN + SURVEY_SIDE * blocks->y,
                           SURVEY_SIDE * blocks->width, SURVEY_SIDE * blocks->height };
}

static void
take_block (const gfloat *pixels, gint width, Block *block)
{
  block->holes = 0;
  for (gint row = 0; row < 8; row++)
    planes_take_apart (pixels + 4 * row * width, 8, block->colours[0] + 8 * row, block->colours[1] + 8 * row,
                       block->colours[2] + 8 * row, block->alpha + 8 * row);
  for (gint i = 0; i < 64; i++)
    {
      block->is_hole[i] = survey_is_hole (block->colours[0][i], block->colours[1][i], block->colours[2][i], block->alpha[i]);
      block->holes += block->is_hole[i];
    }
}

static void
count_area (const TesseraRequest *request, const GeglRectangle *area, CountFunction count, gpointer part)
{
  const Denoise      *d = request->params;
  const GeglRectangle blocks = blocks_in (d, area);
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * 64 * ACROSS);
  Block               block;

  for (gint y = blocks.y; y < blocks.y + blocks.height; y++)
    for (gint x = blocks.x; x < blocks.x + blocks.width; x += ACROSS)
      {
        const GeglRectangle some = { x, y, MIN (ACROSS, blocks.x + blocks.width - x), 1 }, rect = pixels_of (d, &some);

        tessera_read_input (request, &rect, pixels);
        for (gint i = 0; i < some.width; i++)
          {
            take_block (pixels + 4 * 8 * i, rect.width, &block);
            if (block.holes <= SURVEY_HOLES)
              count (d, &block, part);
          }
      }
}

void
denoise_tones_area (const TesseraRequest *request, const GeglRectangle *area, gpointer part)
{
  count_area (request, area, count_tones, part);
}

void
denoise_planes_area (const TesseraRequest *request, const GeglRectangle *area, gpointer part)
{
  count_area (request, area, count_planes, part);
}

void
denoise_tones_merge (const TesseraRequest *request G_GNUC_UNUSED, const GeglRectangle *area G_GNUC_UNUSED, gpointer result, gconstpointer part)
{
  DenoiseTones       *all = result;
  const DenoiseTones *more = part;
  guint32            *n = &all->n[0][0][0];

  for (gsize i = 0; i < TONES_MEANS; i++)       /* and those behind it */
    n[i] += (&more->n[0][0][0])[i];
  for (gint i = 0; i < 3 * SURVEY_TONES; i++)
    (&all->means[0][0])[i] += (&more->means[0][0])[i];
}

void
denoise_planes_merge (const TesseraRequest *request G_GNUC_UNUSED, const GeglRectangle *area G_GNUC_UNUSED, gpointer result, gconstpointer part)
{
  DenoisePlanes       *all = result;
  const DenoisePlanes *more = part;

  for (gint class = 0; class < PLANE_CLASSES; class++)
    {
      all->n[class] += more->n[class];
      for (gint i = 0; more->n[class] > 0 && i < 3 * 64; i++)
        (&all->squares[class][0][0])[i] += (&more->squares[class][0][0])[i];
    }
}

/* ---------------------------------------------------------------- device -- */

/* opencl/kernels/denoise.cl counts in words of 32 bits: those that n has, and pairs of them. */
G_STATIC_ASSERT (offsetof (DenoiseTones, means) == TONES_MEANS * sizeof (guint32));
G_STATIC_ASSERT (offsetof (DenoiseTones, alive) == TONES_ALIVE * sizeof (guint32));
G_STATIC_ASSERT (offsetof (DenoisePlanes, squares) == PLANES_SQUARES * sizeof (guint32));

#define BLOCKS_ARGS(pixels, blocks, rect) ARG ((pixels).memory), ARG ((pixels).stride), ARG ((rect).x - (pixels).x), \
                                          ARG ((rect).y - (pixels).y), ARG ((blocks).width), ARG ((blocks).height)

gint
denoise_tones_survey (TesseraBand *band, TesseraMemory *part)
{
  const Denoise      *d = band->request->params;
  const GeglRectangle blocks = blocks_in (d, &band->roi), rect = pixels_of (d, &blocks);
  const DenoisePixels pixels = denoise_pixels (band);
  const gint          kept = denoise_keep_pixels (band);

  if (kept != 0 || gegl_rectangle_is_empty (&blocks))
    return kept;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_count_tones", .size = { blocks.width, blocks.height, 3 }, .group = { 32, 4, 1 }, .cost = 64,
    .args = { BLOCKS_ARGS (pixels, blocks, rect), ARG (part) }
  });
}

gint
denoise_planes_survey (TesseraBand *band, TesseraMemory *part)
{
  const Denoise      *d = band->request->params;
  const GeglRectangle blocks = blocks_in (d, &band->roi), rect = pixels_of (d, &blocks);
  const DenoisePixels pixels = denoise_pixels (band);

  if (gegl_rectangle_is_empty (&blocks))
    return 0;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_count_planes", .size = { blocks.width, blocks.height }, .group = { 32, 4 }, .cost = 192,
    .args = { BLOCKS_ARGS (pixels, blocks, rect), TABLE_ARG (d->tones, sizeof d->tones), ARG (d->seen), ARG (part) }
  });
}

gsize
denoise_planes_bytes (const TesseraRequest *request G_GNUC_UNUSED, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  return sizeof ((Denoise *) NULL)->tones;
}
