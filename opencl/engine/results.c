/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The result of a band on its way to the host: in its stored format, in the order of tiles if it is sent
 * straight into them, in slices if the band is alone.
 */
#include "config.h"

#include "results.h"

#include <gegl-plugin.h>

#include "arrivals.h"
#include "passes.h"
#include "reach.h"

static gint
encode (BandState *state, const TesseraTravel *travel, const TesseraImage *image, TesseraMemory *raw)
{
  TesseraMemory *table;

  tessera_travel_table (state, travel, image, &table);
  return tessera_engine_launch (state, tessera_travel_variant (travel), &(TesseraLaunch) {
    .kernel = "encode_pixels",
    .size = { image->width, image->height },
    .group = { 32, 4 },
    .args = { ARG (image->memory), ARG (travel->working), ARG (raw), ARG (travel->stored), ARG (table),
              ARG (travel->alphas), FLOAT4_ARG (travel->weights[0], travel->weights[1], travel->weights[2], 0.0f),
              ARG (image->width), ARG (image->height) }
  });
}

/* Puts the result's pixels, which lie row by row, in the order of tiles; zeros in the rest of a tile.
 * Price: 1.1 for units of 16 bytes (bilateral grid, 24 Mpix; H200, 2026-11-22). */
static gint
put_in_tiles (BandState *state, TesseraMemory *rows, TesseraMemory *tiles)
{
  const TesseraTileGrid *grid = &state->grid;
  const GeglRectangle   *roi = &state->band.roi;
  const gint             unit = grid->pixel % 16 == 0 ? 16 : grid->pixel % 4 == 0 ? 4 : 1;
  const gint             units = grid->pixel / unit;

  return tessera_engine_launch (state, 0, &(TesseraLaunch) {
    .kernel = unit == 16 ? "tile_16" : unit == 4 ? "tile_4" : "tile_1",
    .size = { grid->across * grid->width * units, grid->down * grid->height },
    .group = { 32, 4 },
    .args = { ARG (rows), ARG (tiles), ARG (roi->width * units), ARG (roi->height), ARG (grid->width * units),
              ARG (grid->height), ARG ((roi->x - grid->x) * units), ARG (roi->y - grid->y), ARG (grid->across),
              ARG (grid->down) }
  });
}

/* The result's way: `from` on the device, `to` on the host.  Where the device reaches the buffer's pixels nothing is copied.
 * Price: 1.2 (sequences, 10 Mpix; H100, 2026-11-27). */
static gint
prepare_download (BandState *state, TesseraMemory **from, guchar **to)
{
  const GeglRectangle *roi = &state->band.roi;
  TesseraMemory *rows = *from;

  if (state->tiles)
    {
      *to = tessera_tiles_pointer (state->tiles);
      tessera_band_keep (state, (gsize) state->grid.all * state->grid.bytes, FALSE, from);
      return put_in_tiles (state, rows, *from);
    }
  *to = state->straight = tessera_reach_rows (state->job->request->output, state->job->output.format, roi, state->job->device);
  if (state->straight)
    return state->status;
  tessera_band_keep (state, (gsize) roi->width * roi->height * state->job->output.bytes, TRUE, &state->download_to);
  *to = state->download_to ? state->download_to->pointer : NULL;
  return state->status;
}

/* The result stays: a word of it tells that everything before it has happened. */
static gint
put_aside (BandState *state, TesseraMemory *rows)
{
  Job                 *job = state->job;
  const TesseraHeld   *held = job->stays;
  const GeglRectangle *roi = &state->band.roi;
  Slice               *last = &state->slices[0];
  gint                 status;

  state->n_slices = 1;
  tessera_copy_pixels (state, held->pixel, rows, 0, 0, roi->width, held->memory, 0, roi->y - held->rect.y, roi->width, roi->width, roi->height);
  tessera_band_keep (state, held->pixel, TRUE, &state->download_to);
  if ((status = state->status) == 0)
    status = tessera_enqueue_mark (job->queue, &state->ran);
  if (status != 0)
    return tessera_stage (job, "running", status);
  tessera_queue_flush (job->queue, LANE_RUN);
  status = tessera_enqueue_download (job->queue, LANE_DOWNLOAD, held->memory, 0, state->download_to->pointer, held->pixel, state->ran,
                                     &last->downloaded);
  tessera_queue_flush (job->queue, LANE_DOWNLOAD);
  return tessera_stage (job, "downloading", status);
}

static void
plan_slices (BandState *state)
{
  const GeglRectangle *roi = &state->band.roi;
  const gint           bottom = roi->y + roi->height;
  const gint           steps = state->tiles ? state->grid.down : roi->height;
  const gint           first = state->tiles ? state->grid.y : roi->y;
  const gint           step = state->tiles ? state->grid.height : 1;

  state->n_slices = MIN (state->job->plan.result_slices, (guint) steps);
  for (guint i = 0; i < state->n_slices; i++)
    {
      const gint from = (gint64) steps * i / state->n_slices, to = (gint64) steps * (i + 1) / state->n_slices;
      Slice     *slice = &state->slices[i];

      slice->y = MAX (roi->y, first + from * step);
      slice->rows = MIN (bottom, first + to * step) - slice->y;
      if (state->tiles)
        slice->grid = tessera_tiles_part (&state->grid, from, to);
    }
}

/* Where a slice begins in the downloaded result, and its bytes. */
static gsize
slice_start (const BandState *state, const Slice *slice)
{
  return state->tiles ? (gsize) slice->grid.first * slice->grid.bytes
                      : (gsize) (slice->y - state->band.roi.y) * state->band.roi.width * state->job->output.bytes;
}

static gsize
slice_bytes (const BandState *state, const Slice *slice)
{
  return state->tiles ? (gsize) slice->grid.across * slice->grid.down * slice->grid.bytes
                      : (gsize) slice->rows * state->band.roi.width * state->job->output.bytes;
}

static gint
download (BandState *state, TesseraMemory *from, guchar *to)
{
  Job  *job = state->job;
  gint  status = 0;

  plan_slices (state);
  for (guint i = 0; i < state->n_slices && status == 0; i++)
    {
      Slice      *slice = &state->slices[i];
      const gsize start = slice_start (state, slice);

      status = tessera_enqueue_download (job->queue, LANE_DOWNLOAD, from, start, to + start,
                                         slice_bytes (state, slice), state->ran, &slice->downloaded);
      tessera_queue_flush (job->queue, LANE_DOWNLOAD);
    }
  return status;
}

gint
tessera_result_send (BandState *state)
{
  Job           *job = state->job;
  TesseraImage  *image = &state->band.output;
  TesseraMemory *from = image->memory;
  guchar        *to;
  gint           status;

  if (job->output.converts)
    {
      tessera_band_keep (state, (gsize) image->width * image->height * job->output.bytes, FALSE, &from);
      encode (state, &job->output, image, from);
    }
  if (job->stays)
    return put_aside (state, from);
  status = prepare_download (state, &from, &to);
  if (status == 0)
    status = tessera_enqueue_mark (job->queue, &state->ran);
  if (status != 0)
    return tessera_stage (job, "running", status);
  tessera_queue_flush (job->queue, LANE_RUN);
  return tessera_stage (job, "downloading", download (state, from, to));
}

void
tessera_result_write (BandState *state, const Slice *slice, TesseraCopy *copy)
{
  const Job     *job = state->job;
  const gint     width = state->band.roi.width;
  guchar        *pixels = state->tiles ? NULL
                          : (guchar *) state->download_to->pointer + slice_start (state, slice);

  *copy = (TesseraCopy) { .buffer = job->request->output, .format = job->output.format,
                          .pixels = pixels, .row = (gsize) width * job->output.bytes,
                          .rect = { state->band.roi.x, slice->y, width, slice->rows }, .writes = TRUE,
                          .tiles = state->tiles, .grid = slice->grid };
}
