/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What a band needs on its way to the device: the pixels to read from a buffer, their upload,
 * their conversion to floats, their border.
 */
#include "config.h"

#include "arrivals.h"

#include <gegl-plugin.h>

#include "passes.h"
#include "reach.h"

/* ---------------------------------------------------------------- images -- */

TesseraImage
tessera_image_for (const GeglRectangle *rect, const Babl *format)
{
  return (TesseraImage) { rect->x, rect->y, rect->width, rect->height, rect->width,
                          babl_format_get_bytes_per_pixel (format) / sizeof (gfloat), NULL };
}

gsize
tessera_image_bytes (const TesseraImage *image)
{
  return (gsize) image->stride * image->height * image->components * sizeof (gfloat);
}

gint
tessera_travel_table (BandState *state, const TesseraTravel *travel, const TesseraImage *image, TesseraMemory **table)
{
  *table = image->memory;
  return travel->table ? tessera_constant_table (state, travel->table, travel->table_bytes, table) : 0;
}

guint
tessera_travel_variant (const TesseraTravel *travel)
{
  return (guint) travel->stored << 16 | (guint) travel->working;
}

/* ------------------------------------------------------------------ read -- */

/* The part of `rect` that is to be read: all of it if the host must extend the border itself.  The device does if it can.
 * Price: 4.8 (Gaussian blur, 24 Mpix; H200, 2026-11-22). */
static GeglRectangle
readable_part (const Source *source, const GeglRectangle *rect, gboolean *on_host)
{
  GeglRectangle part = *rect;

  *on_host = FALSE;
  if (! gegl_rectangle_is_infinite_plane (source->bounds) && ! gegl_rectangle_contains (source->bounds, rect))
    {
      *on_host = source->border == TESSERA_BORDER_LOOP
                 || ! gegl_rectangle_intersect (&part, rect, source->bounds);
      if (*on_host)
        part = *rect;
    }
  return part;
}

gint
tessera_arrival_expect (BandState *state, const Source *source, TesseraImage *image, Arrival *arrival,
                        TesseraCopy *copies, guint *n)
{
  const TesseraTravel *travel = source->travel;
  const GeglRectangle  rect = { image->x, image->y, image->width, image->height };
  gboolean             on_host;
  const GeglRectangle  part = readable_part (source, &rect, &on_host);
  const gsize          row = (travel->converts ? part.width : image->stride) * travel->bytes;
  const gsize          indent = travel->converts ? 0 : (part.x - rect.x) * travel->bytes;
  TesseraMemory       *staging;
  guchar              *pixels;
  gint                 status;

  *arrival = (Arrival) { .travel = travel, .border = source->border, .image = image, .part = part,
                         .offset = travel->converts ? 0 : (part.y - rect.y) * row,
                         .bytes = row * part.height };
  if ((status = tessera_band_keep (state, tessera_image_bytes (image), FALSE, &image->memory)) != 0)
    return status;
  if (on_host && source->border == TESSERA_BORDER_NONE)         /* nothing but border */
    {
      arrival->bytes = 0;
      return 0;
    }
  if (travel->converts && (status = tessera_band_keep (state, arrival->bytes, FALSE, &arrival->raw)) != 0)
    return status;
  if (source->held && ! on_host && gegl_rectangle_contains (&source->held->rect, &part))
    {
      arrival->held = source->held;
      arrival->ready = arrival->bytes;
      return 0;
    }
  if (! on_host && row == part.width * travel->bytes
      && (arrival->from = tessera_reach_rows (source->buffer, travel->format, &part, state->job->device)))
    {
      arrival->ready = arrival->bytes;
      return 0;
    }
  if ((status = tessera_band_keep (state, arrival->bytes, TRUE, &staging)) != 0)
    return status;
  arrival->from = pixels = staging->pointer;
  if (on_host)
    {
      gint64 began = g_get_monotonic_time ();

      tessera_read (source->buffer, &part, source->bounds, source->border, travel->format, (gfloat *) pixels);
      arrival->ready = arrival->bytes;
      state->job->timings->read += (g_get_monotonic_time () - began) / 1e6;
    }
  else
    copies[(*n)++] = (TesseraCopy) { .buffer = source->buffer, .format = travel->format, .pixels = pixels + indent,
                                     .row = row, .rect = part, .ready = &arrival->ready };
  return 0;
}

/* ------------------------------------------------------------------ send -- */

static gint
extend (BandState *state, const TesseraImage *image, const GeglRectangle *part, TesseraBorder border)
{
  const gint left = part->x - image->x, right = left + part->width;
  const gint top = part->y - image->y, bottom = top + part->height;
  const gint rims[4][4] = {            /* x, y, width, height */
    { 0, 0, image->width, top },
    { 0, bottom, image->width, image->height - bottom },
    { 0, top, left, part->height },
    { right, top, image->width - right, part->height }
  };

  for (gint i = 0; i < 4; i++)
    if (rims[i][2] && rims[i][3])
      tessera_engine_launch (state, 0, &(TesseraLaunch) {
        .kernel = "extend_pixels",
        .size = { rims[i][2], rims[i][3] },
        .args = { ARG (image->memory), ARG (image->components), ARG (image->stride), ARG (rims[i][0]),
                  ARG (rims[i][1]), ARG (rims[i][0] + rims[i][2]), ARG (rims[i][1] + rims[i][3]), ARG (left),
                  ARG (top), ARG (right), ARG (bottom), ARG (border == TESSERA_BORDER_NONE) }
      });
  return state->status;
}

/* On the device, the rows up to `bottom` as they travelled become those of the image. */
static gint
decode (BandState *state, Arrival *arrival, gint bottom)
{
  const TesseraTravel *travel = arrival->travel;
  const TesseraImage  *image = arrival->image;
  const GeglRectangle *part = &arrival->part;
  const gint           top = arrival->decoded;
  TesseraMemory       *table;

  if (bottom <= top)
    return 0;
  arrival->decoded = bottom;
  tessera_travel_table (state, travel, image, &table);
  return tessera_engine_launch (state, tessera_travel_variant (travel), &(TesseraLaunch) {
    .kernel = "decode_pixels",
    .size = { part->width, bottom - top },
    .group = { 32, 4 },
    .args = { ARG (arrival->raw), ARG (travel->stored), ARG (image->memory), ARG (travel->working), ARG (table),
              ARG (travel->alphas), ARG (image->stride), ARG (part->x - image->x), ARG (part->y - image->y),
              ARG (part->width), ARG (top), ARG (bottom) }
  });
}

gint
tessera_copy_pixels (BandState *state, gsize pixel, TesseraMemory *from, gint from_x, gint from_y, gint from_width,
                     TesseraMemory *to, gint to_x, gint to_y, gint to_width, gint width, gint height)
{
  const gint unit = pixel % 16 == 0 ? 16 : pixel % 4 == 0 ? 4 : 1;
  const gint units = pixel / unit;

  return tessera_engine_launch (state, 0, &(TesseraLaunch) {
    .kernel = unit == 16 ? "copy_16" : unit == 4 ? "copy_4" : "copy_1",
    .size = { width * units, height },
    .group = { 32, 4 },
    .args = { ARG (from), ARG (from_x * units), ARG (from_y), ARG (from_width * units), ARG (to), ARG (to_x * units), ARG (to_y),
              ARG (to_width * units), ARG (width * units), ARG (height) }
  });
}

/* In place of an upload. */
static gint
copy_held (BandState *state, Arrival *arrival)
{
  const TesseraHeld   *held = arrival->held;
  const TesseraImage  *image = arrival->image;
  const GeglRectangle *part = &arrival->part;
  const gboolean       is_raw = arrival->raw != NULL;
  gint                 status;

  status = tessera_copy_pixels (state, held->pixel, held->memory, part->x - held->rect.x, part->y - held->rect.y, held->rect.width,
                                is_raw ? arrival->raw : image->memory, is_raw ? 0 : part->x - image->x, is_raw ? 0 : part->y - image->y,
                                is_raw ? part->width : image->stride, part->width, part->height);
  arrival->sent = arrival->ready;
  return tessera_stage (state->job, "running", status);
}

static gint
send_ready (BandState *state, Arrival *arrival)
{
  Job        *job = state->job;
  const gsize bytes = arrival->ready - arrival->sent;
  gint        status;

  if (bytes == 0)
    return 0;
  if (arrival->held)
    return copy_held (state, arrival);
  status = tessera_enqueue_upload (job->queue, LANE_UPLOAD, arrival->raw ? arrival->raw : arrival->image->memory,
                                   arrival->offset + arrival->sent,
                                   arrival->from + arrival->sent,
                                   bytes, &arrival->uploads[arrival->n_uploads]);
  if (status != 0)
    return tessera_stage (job, "uploading", status);
  arrival->n_uploads++;
  arrival->sent = arrival->ready;
  tessera_queue_flush (job->queue, LANE_UPLOAD);
  return 0;
}

/* What is enqueued now comes after the pixels. */
static gint
wait_for_sent (BandState *state, const Arrival *arrival)
{
  return arrival->held ? 0 : tessera_enqueue_wait (state->job->queue, arrival->uploads[arrival->n_uploads - 1]);
}

/* Rows up to `bottom` are on the device, or will be there before commands that are enqueued now. */
static gint
use_rows (BandState *state, Arrival *arrival, gint bottom)
{
  Job                 *job = state->job;
  const TesseraFilter *filter = job->request->filter;
  const gint           top = arrival->used;
  gint                 status;

  if (! filter->arrived || job->survey || arrival != &state->arrivals[0] || bottom <= top)
    return 0;
  arrival->used = bottom;
  status = tessera_stage (job, "running", filter->arrived (&state->band, top, bottom));
  tessera_queue_flush (job->queue, LANE_RUN);
  return status;
}

/* The rows on their way, if pixels need no border.  Price: 1.1 for stored pixels (label, 24 Mpix u8; H200, 2026-11-23). */
static gint
use_sent (BandState *state, Arrival *arrival)
{
  const TesseraImage *image = arrival->image;
  gint                bottom, status;

  if (arrival->sent == 0 || arrival->part.width < image->width || arrival->part.height < image->height)
    return 0;
  bottom = arrival->sent / (arrival->bytes / image->height);
  if ((status = wait_for_sent (state, arrival)) != 0)
    return tessera_stage (state->job, "running", status);
  status = arrival->raw ? tessera_stage (state->job, "running", decode (state, arrival, bottom)) : 0;
  return status != 0 ? status : use_rows (state, arrival, bottom);
}

gint
tessera_arrival_send_ready (BandState *state, Arrival *arrival)
{
  const gint status = send_ready (state, arrival);

  return status != 0 ? status : use_sent (state, arrival);
}

gint
tessera_arrival_send (BandState *state, Arrival *arrival)
{
  Job                *job = state->job;
  const TesseraImage *image = arrival->image;
  gint                status;

  if (arrival->bytes == 0)
    {
      status = tessera_stage (job, "running", tessera_band_clear (state, image->memory, tessera_image_bytes (image)));
      return status != 0 ? status : use_rows (state, arrival, image->height);
    }
  arrival->ready = arrival->bytes;
  if ((status = send_ready (state, arrival)) != 0)
    return status;
  status = wait_for_sent (state, arrival);
  if (status == 0 && arrival->raw)
    status = decode (state, arrival, arrival->part.height);
  if (status == 0 && (arrival->part.width < image->width || arrival->part.height < image->height))
    status = extend (state, image, &arrival->part, arrival->border);
  return status != 0 ? tessera_stage (job, "running", status) : use_rows (state, arrival, image->height);
}
