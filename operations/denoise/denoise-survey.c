/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The noise of the whole picture, in integer counts: by tone, and by frequency once the tones are stabilised.  Blocks of
 * 8 x 8 pixels lie side by side.
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

#include <string.h>

#define FIRST   4               /* pixels before the first block */
#define CLIPPED 8               /* pixels of a block that may be black or white */
#define ACROSS  32              /* blocks that are read at a time */
#define LARGEST 1e12f           /* of a colour; DENOISE_LARGEST times the least noise */

typedef struct
{
  gfloat colours[3][64], alpha[64];
} Block;

static gint
class_of (gfloat energy, gint classes)
{
  return CLAMP ((tessera_as_int (energy) >> SURVEY_SHIFT) - SURVEY_FIRST, 0, classes - 1);
}

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

static gboolean
has_hole (const Block *block)
{
  gboolean has = FALSE;

  for (gint i = 0; i < 64; i++)
    {
      has |= block->alpha[i] == 0.0f;
      for (gint c = 0; c < 3; c++)
        has |= ! (tessera_abs (block->colours[c][i]) <= LARGEST);
    }
  return has;
}

static inline gboolean
is_clipped (gfloat value)
{
  return value <= 0.0f || value >= 1.0f;
}

/* ------------------------------------------------------------------ tones -- */

static void
count_tone (DenoiseTones *tones, gint c, const gfloat *values)
{
  gfloat f[64], energy = 0.0f, mean;
  gint   clipped = 0, tone;

  for (gint i = 0; i < 64; i++)
    clipped += is_clipped (values[i]);
  if (clipped > CLIPPED)
    return;
  memcpy (f, values, sizeof f);
  transform (f);
  for (gint v = 0; v < 8; v++)
    for (gint u = 7 - v; u < 8; u++)
      energy += f[8 * v + u] * f[8 * v + u];
  energy *= 1.0f / 36.0f;
  mean = f[0] * 0.125f;
  mean = CLAMP (mean, 0.0f, 1.0f);
  tone = bin_index (32.0f * mean, 0.0f, SURVEY_TONES - 1);
  tones->n[c][tone][class_of (energy, TONE_CLASSES)]++;
  tones->means[c][tone] += (guint64) (65536.0f * mean + 0.5f);
}

static void
count_tones (const Denoise *d G_GNUC_UNUSED, const Block *block, gpointer part)
{
  for (gint c = 0; c < 3 && ! has_hole (block); c++)
    count_tone (part, c, block->colours[c]);
}

/* ----------------------------------------------------------------- planes -- */

static gboolean
is_mostly_clipped (const Block *block)
{
  gint clipped = 0;

  for (gint i = 0; i < 64; i++)
    clipped += is_clipped (block->colours[0][i]) | is_clipped (block->colours[1][i]) | is_clipped (block->colours[2][i]);
  return clipped > CLIPPED;
}

/* Of frequencies u + v >= 3. */
static gfloat
roughness (const gfloat f[3][64])
{
  gfloat energy = 0.0f;

  for (gint plane = 0; plane < 3; plane++)
    for (gint v = 0; v < 8; v++)
      for (gint u = MAX (0, 3 - v); u < 8; u++)
        energy += f[plane][8 * v + u] * f[plane][8 * v + u];
  return energy * (1.0f / 174.0f);
}

static void
count_planes (const Denoise *d, const Block *block, gpointer part)
{
  DenoisePlanes *planes = part;
  gfloat         pixels[4 * 64], f[3][64];
  gint           class;

  if (has_hole (block) || is_mostly_clipped (block))
    return;
  planes_put_together (block->colours[0], block->colours[1], block->colours[2], block->alpha, 64, pixels);
  denoise_to_planes (d, pixels, 64, f[0], f[1], f[2]);
  for (gint plane = 0; plane < 3; plane++)
    transform (f[plane]);
  class = class_of (roughness (f), PLANE_CLASSES);
  planes->n[class]++;
  for (gint plane = 0; plane < 3; plane++)
    for (gint i = 0; i < 64; i++)
      planes->squares[class][plane][i] += (guint64) (65536.0f * MIN (f[plane][i] * f[plane][i], 32768.0f) + 0.5f);
}

/* ------------------------------------------------------------------- rows -- */

/* A pass over the picture. */
typedef struct
{
  const TesseraRequest *request;
  void                (*count) (const Denoise *d, const Block *block, gpointer part);
  void                (*merge) (gpointer result, gconstpointer part);
  gsize                 bytes;          /* of the result, and of a thread's part of it */
  gpointer              result;         /* under the lock */
  GMutex                lock;
} Pass;

static gint
blocks_along (gint pixels)
{
  return MAX (0, (pixels - FIRST) / SURVEY_BLOCKS);
}

static void
count_row (const Pass *pass, gint x, gint y, gint n, gfloat *pixels, gpointer part)
{
  const Denoise      *d = pass->request->params;
  const GeglRectangle rect = { d->bounds.x + FIRST + SURVEY_BLOCKS * x, d->bounds.y + FIRST + SURVEY_BLOCKS * y, 8 * n, 8 };
  Block               block;

  tessera_read_input (pass->request, &rect, pixels);
  for (gint i = 0; i < n; i++)
    {
      for (gint row = 0; row < 8; row++)
        planes_take_apart (pixels + 4 * (8 * i + row * rect.width), 8, block.colours[0] + 8 * row, block.colours[1] + 8 * row,
                           block.colours[2] + 8 * row, block.alpha + 8 * row);
      pass->count (d, &block, part);
    }
}

static void
count_rows (gsize first, gsize n, gpointer data)
{
  Pass      *pass = data;
  const gint across = blocks_along (((const Denoise *) pass->request->params)->bounds.width);
  g_autofree gpointer part = g_malloc0 (pass->bytes);
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * 64 * ACROSS);

  for (gsize y = first; y < first + n; y++)
    for (gint x = 0; x < across; x += ACROSS)
      count_row (pass, x, y, MIN (ACROSS, across - x), pixels, part);
  g_mutex_lock (&pass->lock);
  pass->merge (pass->result, part);
  g_mutex_unlock (&pass->lock);
}

/* In C whatever path makes the result: it is a look at each pixel, and the pixels are the host's. */
static void
run_pass (Pass *pass)
{
  const GeglRectangle *bounds = &((const Denoise *) pass->request->params)->bounds;

  gegl_buffer_flush_ext (pass->request->input, NULL);   /* a filter of GEGL's may have left it on its device */
  g_mutex_init (&pass->lock);
  tessera_spread_range (blocks_along (bounds->height), 64.0 / MAX (1, blocks_along (bounds->width)), count_rows, pass);
  g_mutex_clear (&pass->lock);
}

static void
merge_tones (gpointer result, gconstpointer part)
{
  DenoiseTones       *all = result;
  const DenoiseTones *more = part;
  guint32            *n = &all->n[0][0][0];

  for (gsize i = 0; i < sizeof all->n / sizeof *n; i++)
    n[i] += (&more->n[0][0][0])[i];
  for (gint i = 0; i < 3 * SURVEY_TONES; i++)
    (&all->means[0][0])[i] += (&more->means[0][0])[i];
}

static void
merge_planes (gpointer result, gconstpointer part)
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

void
denoise_survey_tones (const TesseraRequest *request, DenoiseTones *tones)
{
  Pass pass = { .request = request, .count = count_tones, .merge = merge_tones, .bytes = sizeof *tones, .result = tones };

  run_pass (&pass);
}

void
denoise_survey_planes (const TesseraRequest *request, DenoisePlanes *planes)
{
  Pass pass = { .request = request, .count = count_planes, .merge = merge_planes, .bytes = sizeof *planes, .result = planes };

  run_pass (&pass);
}
