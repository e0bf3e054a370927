/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Separable FIR filters: see separable.h.
 */
#include "config.h"

#include "separable.h"
#include "planes.h"
#include "roll.h"

#include <string.h>

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

/* -------------------------------------------------------------- C passes -- */

static void
sum_along (const RollBlock *block, gconstpointer data)
{
  const Separable    *separable = data;
  const TesseraHalo   halo = separable_halo (separable);
  const TapList       along = separable_list (&separable->x, 4);
  const gint          n_read = halo.left + block->roi.width + halo.right;
  /* Zeros, because the last block of a row may reach beyond it. */
  tessera_autoscratch gfloat *begun = gegl_scratch_new0 (gfloat, 4 * (n_read + TAP_SUM_BLOCK));

  for (gint y = 0; y < block->roi.height; y++)
    {
      const gfloat *in = block->in + y * block->in_stride - 4 * halo.left;

      if (separable->begin)
        in = separable->begin (in, begun, n_read);
      tap_sum (in + 4 * halo.left, &along, block->out + y * block->out_stride, block->roi.width);
    }
}

static void
sum_down (const RollBlock *block, gconstpointer data)
{
  const Separable    *separable = data;
  const TapList       down = separable_list (&separable->y, block->in_stride);
  const gint          width = block->roi.width;
  tessera_autoscratch gfloat *wholes = gegl_scratch_new (gfloat, width);

  for (gint x = 0; x < width; x++)
    wholes[x] = separable->whole;
  tap_sum_rows (block->in, &down, block->out, block->out_stride, width, block->roi.height);
  for (gint y = 0; y < block->roi.height && separable->finish; y++)
    {
      gfloat       *sums = block->out + y * block->out_stride;
      const gfloat *in = block->input + y * block->input_stride;

      separable_divide (separable, sums, in, wholes, width);
      separable->finish (sums, in, width, separable->finish_data);
    }
}

void
separable_area (const TesseraRequest *request, const GeglRectangle *area, const Separable *separable)
{
  const TesseraHalo halo = separable_halo (separable);
  Roll              roll = {
    .n = 3, .in_place = TRUE, .sees_input = separable->finish != NULL,
    .passes = { { .floats = 4, .make = roll_read, .data = request },
                { { halo.left, 0, halo.right, 0 }, 4, sum_along, separable },
                { { 0, halo.top, 0, halo.bottom }, 4, sum_down, separable } }
  };

  roll_area (&roll, request, area);
}

/* ---------------------------------------------------------------- device -- */

gsize
separable_scratch_bytes (const Separable *separable, gint width, gint height)
{
  const TesseraHalo halo = separable_halo (separable);

  return (gsize) width * (height + halo.top + halo.bottom) * 4 * sizeof (gfloat) + sizeof (Separable);
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
  const TesseraHalo halo = separable_halo (separable);
  const gint        n_rows = height + halo.top + halo.bottom;
  TesseraMemory    *rows;

  tessera_scratch (band, (gsize) width * n_rows * 4 * sizeof (gfloat), &rows);
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = own && own->first ? own->first : "separable_rows", .size = { width, n_rows }, .group = { 32, 4 },
    .cost = separable->x.n,
    .args = { ARG (from->memory), ARG (from->stride), ARG (from->first % from->stride),
              ARG (from->first / from->stride - halo.top), ARG (rows), ARG (width), ARG (n_rows),
              SEPARABLE_TAPS (&separable->x) }
  });
  return separable_last (band, &(TesseraLaunch) {
    .kernel = own ? own->columns : "separable_columns", .size = { width, height }, .group = { 32, 4 }, .cost = separable->y.n,
    .args = { ARG (rows), ARG (halo.top), SEPARABLE_TAPS (&separable->y), ARG (to), ARG (width), ARG (height) }
  }, 8, own);
}

gint
separable_device (TesseraBand *band, TesseraMemory *source, const Separable *separable, const SeparableKernels *own)
{
  const TesseraImage  *input = &band->input, *output = &band->output;
  const SeparableStage from = { source, (output->y - input->y) * input->stride + output->x - input->x, input->stride };

  return separable_filter (band, &from, separable, output->memory, output->width, output->height, own);
}
