/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Separable FIR filters: see separable.h.
 */
#include "config.h"

#include "separable.h"
#include "planes.h"

#include <string.h>

#define BLOCK TAP_SUM_BLOCK
#define STRIP 256               /* columns that go through the cache together, ... */
#define ROWS  48                /* ... this many rows at a time */

void
separable_tap (SeparableTaps *taps, gint offset, gdouble weight)
{
  g_return_if_fail (taps->n < SEPARABLE_MAX_TAPS);
  if ((gfloat) weight == 0.0f)
    return;
  taps->offsets[taps->n] = offset;
  taps->weights[taps->n++] = (gfloat) weight;
}

TesseraHalo
separable_halo (const Separable *separable)
{
  TesseraHalo halo = { 0, 0, 0, 0 };

  for (gint i = 0; i < separable->x.n; i++)
    {
      halo.left = MAX (halo.left, -separable->x.offsets[i]);
      halo.right = MAX (halo.right, separable->x.offsets[i]);
    }
  for (gint i = 0; i < separable->y.n; i++)
    {
      halo.top = MAX (halo.top, -separable->y.offsets[i]);
      halo.bottom = MAX (halo.bottom, separable->y.offsets[i]);
    }
  return halo;
}

/* ---------------------------------------------------------------- alpha -- */

TESSERA_CLONES static gboolean
is_opaque (const gfloat *pixels, gsize n_pixels)
{
  return planes_alpha_is (1.0f, pixels, n_pixels);
}

/* A function with clones would be seen outside the module, hidden or not. */
gboolean
separable_is_opaque (const gfloat *pixels, gsize n_pixels)
{
  return is_opaque (pixels, n_pixels);
}

const gfloat *
separable_weigh (const gfloat *in, gfloat *room, gint n_pixels)
{
  if (is_opaque (in, n_pixels))
    return in;
  planes_weigh (in, room, n_pixels);
  return room;
}

/* Opaque surroundings, the usual case, need no division. */
TESSERA_CLONES static gint
count_translucent (const gfloat *restrict pixels, const gfloat *restrict wholes, gint n_pixels)
{
  gint count = 0;

  for (gint x = 0; x < n_pixels; x++)
    count += pixels[4 * x + 3] != wholes[x];
  return count;
}

void
separable_divide (const Separable *separable, gfloat *sums, const gfloat *in, const gfloat *wholes, gint n_pixels)
{
  if (separable->divide && count_translucent (sums, wholes, n_pixels) > 0)
    separable->divide (sums, in, wholes, n_pixels);
}

/* --------------------------------------------------------------- C rows -- */

/* A strip's content in the cache: rows of the input and their sums along x.  The result of a row replaces the first
 * row of sums that only this result needs. */
typedef struct
{
  gint    in_stride, stride;    /* floats */
  gfloat *in, *sums;
  gfloat *begun;                /* room for a row of the input */
  gfloat  wholes[STRIP];
} Strip;

/* Row i, along x. */
static void
sum_row (const Separable *separable, const TesseraHalo *halo, const Strip *strip, gint i, gint width)
{
  const TapList along = separable_list (&separable->x, 4);
  const gfloat *in = strip->in + (gsize) i * strip->in_stride;

  if (separable->begin)
    in = separable->begin (in, strip->begun, strip->in_stride / 4);
  tap_sum (in + 4 * halo->left, &along, strip->sums + (gsize) i * strip->stride, width);
}

static void
sum_columns (const Separable *separable, const TesseraHalo *halo, const Strip *strip, gint width, gint height)
{
  const TapList down = separable_list (&separable->y, strip->stride);

  tap_sum_rows (strip->sums + halo->top * strip->stride, &down, strip->sums, strip->stride, width, height);
  for (gint y = 0; y < height && separable->finish; y++)
    {
      gfloat       *sums = strip->sums + (gsize) y * strip->stride;
      const gfloat *in = strip->in + (gsize) (y + halo->top) * strip->in_stride + 4 * halo->left;

      separable_divide (separable, sums, in, strip->wholes, width);
      separable->finish (sums, in, width, separable->finish_data);
    }
}

/* From top to bottom.  The rows that the next results also need are kept. */
static void
filter_strip (const TesseraRequest *request, const GeglRectangle *area, const Separable *separable,
              const TesseraHalo *halo, const Strip *strip)
{
  const gint kept = halo->top + halo->bottom;
  gint       have = 0;

  for (gint y = area->y; y < area->y + area->height; y += ROWS)
    {
      gint          height = MIN (ROWS, area->y + area->height - y);
      GeglRectangle rows = { area->x - halo->left, y - halo->top + have,
                             area->width + halo->left + halo->right, kept + height - have };

      tessera_read_input (request, &rows, strip->in + (gsize) have * strip->in_stride);
      for (gint i = have; i < kept + height; i++)
        sum_row (separable, halo, strip, i, area->width);
      sum_columns (separable, halo, strip, area->width, height);
      tessera_write_output (request, GEGL_RECTANGLE (area->x, y, area->width, height), strip->sums,
                            strip->stride * sizeof (gfloat));
      have = kept;
      memmove (strip->sums, strip->sums + (gsize) height * strip->stride,
               (gsize) kept * strip->stride * sizeof (gfloat));
      if (separable->finish)
        memmove (strip->in, strip->in + (gsize) height * strip->in_stride,
                 (gsize) kept * strip->in_stride * sizeof (gfloat));
    }
}

void
separable_area (const TesseraRequest *request, const GeglRectangle *area, const Separable *separable)
{
  const TesseraHalo halo = separable_halo (separable);
  const gint        n_rows = MIN (ROWS, area->height) + halo.top + halo.bottom;
  const gint        n_columns = MIN (STRIP, area->width), n_read = n_columns + halo.left + halo.right;
  /* Zeros, because the last block of a row may reach beyond it. */
  tessera_autoscratch gfloat *in = gegl_scratch_new0 (gfloat, 4 * ((gsize) n_rows * n_read + BLOCK));
  tessera_autoscratch gfloat *begun = gegl_scratch_new0 (gfloat, 4 * ((gsize) n_read + BLOCK));
  tessera_autoscratch gfloat *sums = gegl_scratch_new (gfloat, 4 * (gsize) n_rows * (n_columns + 2 * BLOCK));
  Strip             strip = { .in = in, .sums = sums, .begun = begun };

  for (gint i = 0; i < STRIP; i++)
    strip.wholes[i] = separable->whole;
  for (gint x = area->x; x < area->x + area->width; x += STRIP)
    {
      gint width = MIN (STRIP, area->x + area->width - x);

      strip.in_stride = 4 * (width + halo.left + halo.right);
      strip.stride = 4 * BLOCK * ((width + BLOCK - 1) / BLOCK | 1);     /* odd: no two rows meet in one set */
      filter_strip (request, GEGL_RECTANGLE (x, area->y, width, area->height), separable, &halo, &strip);
    }
}

/* ---------------------------------------------------------------- device -- */

gsize
separable_scratch_bytes (const Separable *separable, gint width, gint height)
{
  const TesseraHalo reach = separable_halo (separable);

  return (gsize) width * (height + reach.top + reach.bottom) * 4 * sizeof (gfloat) + sizeof (Separable);
}

gint
separable_weigh_band (TesseraBand *band, TesseraMemory *weighed)
{
  const TesseraImage *input = &band->input;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "separable_weigh", .size = { input->width, input->height }, .group = { 32, 4 }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (weighed), ARG (input->width), ARG (input->height) }
  });
}

gint
separable_last (TesseraBand *band, TesseraLaunch *launch, gint n_args, const SeparableKernels *own)
{
  const TesseraArg input[4] = { INPUT_ARGS (band) };

  if (own)
    {
      memcpy (launch->args + n_args, input, sizeof input);
      memcpy (launch->args + n_args + 4, own->args, sizeof own->args);
    }
  return tessera_launch (band, launch);
}

gint
separable_filter (TesseraBand *band, const SeparableStage *from, const Separable *separable,
                  TesseraMemory *to, gint width, gint height, const SeparableKernels *own)
{
  const TesseraHalo reach = separable_halo (separable);
  const gint        n_rows = height + reach.top + reach.bottom;
  TesseraMemory    *rows;

  tessera_scratch (band, (gsize) width * n_rows * 4 * sizeof (gfloat), &rows);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = own && own->first ? own->first : "separable_rows", .size = { width, n_rows }, .group = { 32, 4 },
    .cost = separable->x.n,
    .args = { ARG (from->memory), ARG (from->stride), ARG (from->first % from->stride),
              ARG (from->first / from->stride - reach.top), ARG (rows), ARG (width), ARG (n_rows),
              SEPARABLE_TAPS (&separable->x) }
  });
  return separable_last (band, &(TesseraLaunch) {
    .kernel = own ? own->columns : "separable_columns", .size = { width, height }, .group = { 32, 4 }, .cost = separable->y.n,
    .args = { ARG (rows), ARG (reach.top), SEPARABLE_TAPS (&separable->y), ARG (to), ARG (width), ARG (height) }
  }, 8, own);
}

gint
separable_device (TesseraBand *band, TesseraMemory *source, const Separable *separable, const SeparableKernels *own)
{
  const TesseraImage  *input = &band->input, *output = &band->output;
  const SeparableStage from = { source, (output->y - input->y) * input->stride + output->x - input->x, input->stride };

  return separable_filter (band, &from, separable, output->memory, output->width, output->height, own);
}
