/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One band: read tiles -> upload -> decode -> extend the border -> passes -> encode ->
 * download -> write tiles.  Commands are enqueued without waiting; what is read and
 * written is done by pump.c, for several bands at once.
 */
#include "config.h"

#include "pump.h"

#include <gegl-plugin.h>

/* ---------------------------------------------------------------- images -- */

static TesseraImage
image_for (const GeglRectangle *rect, const Babl *format)
{
  return (TesseraImage) { rect->x, rect->y, rect->width, rect->height, rect->width,
                          babl_format_get_bytes_per_pixel (format) / sizeof (gfloat), NULL };
}

static gsize
image_bytes (const TesseraImage *image)
{
  return (gsize) image->stride * image->height * image->components * sizeof (gfloat);
}

static gint
extend (BandState *state, const TesseraImage *image, const GeglRectangle *part, TesseraBorder border)
{
  const gsize left = part->x - image->x, right = left + part->width;
  const gsize top = part->y - image->y, bottom = top + part->height;
  const gsize rims[4][4] = {            /* x, y, width, height */
    { 0, 0, image->width, top },
    { 0, bottom, image->width, image->height - bottom },
    { 0, top, left, part->height },
    { right, top, image->width - right, part->height }
  };
  gint status = 0;

  for (gint i = 0; i < 4 && status == 0; i++)
    if (rims[i][2] && rims[i][3])
      status = tessera_engine_launch (state, &(TesseraLaunch) {
        .kernel = "extend_pixels",
        .size = { rims[i][2], rims[i][3] },
        .args = { TESSERA_MEMORY_ARG (image->memory), TESSERA_INT_ARG (image->components),
                  TESSERA_INT_ARG (image->stride),
                  TESSERA_INT_ARG (rims[i][0]), TESSERA_INT_ARG (rims[i][1]),
                  TESSERA_INT_ARG (rims[i][0] + rims[i][2]), TESSERA_INT_ARG (rims[i][1] + rims[i][3]),
                  TESSERA_INT_ARG (left), TESSERA_INT_ARG (top),
                  TESSERA_INT_ARG (right), TESSERA_INT_ARG (bottom),
                  TESSERA_INT_ARG (border == TESSERA_BORDER_NONE) }
      });
  return status;
}

/* The table of a format that has none (floats): the image, which is not looked at. */
static gint
travel_table (BandState *state, const TesseraTravel *travel, const TesseraImage *image,
              TesseraMemory **table)
{
  *table = image->memory;
  return travel->table ? tessera_constant_table (state, travel->table, travel->table_bytes, table) : 0;
}

/* The pixels as they travelled, on the device, become the image's. */
static gint
decode (BandState *state, const TesseraTravel *travel, TesseraMemory *raw, const TesseraImage *image,
        const GeglRectangle *part)
{
  TesseraMemory *table;
  gint           status = travel_table (state, travel, image, &table);

  return status != 0 ? status : tessera_engine_launch (state, &(TesseraLaunch) {
    .kernel = "decode_pixels",
    .size = { part->width, part->height },
    .group = { 32, 4 },
    .args = { TESSERA_MEMORY_ARG (raw), TESSERA_INT_ARG (travel->stored),
              TESSERA_MEMORY_ARG (image->memory), TESSERA_INT_ARG (travel->working),
              TESSERA_MEMORY_ARG (table), TESSERA_INT_ARG (travel->alphas),
              TESSERA_INT_ARG (image->stride), TESSERA_INT_ARG (part->x - image->x),
              TESSERA_INT_ARG (part->y - image->y), TESSERA_INT_ARG (part->width),
              TESSERA_INT_ARG (part->height) }
  });
}

static gint
encode (BandState *state, const TesseraTravel *travel, const TesseraImage *image, TesseraMemory *raw)
{
  TesseraMemory *table;
  gint           status = travel_table (state, travel, image, &table);

  return status != 0 ? status : tessera_engine_launch (state, &(TesseraLaunch) {
    .kernel = "encode_pixels",
    .size = { image->width, image->height },
    .group = { 32, 4 },
    .args = { TESSERA_MEMORY_ARG (image->memory), TESSERA_INT_ARG (travel->working),
              TESSERA_MEMORY_ARG (raw), TESSERA_INT_ARG (travel->stored),
              TESSERA_MEMORY_ARG (table), TESSERA_INT_ARG (travel->alphas),
              TESSERA_FLOAT4_ARG (travel->weights[0], travel->weights[1], travel->weights[2], 0.0f),
              TESSERA_INT_ARG (image->width), TESSERA_INT_ARG (image->height) }
  });
}

/* --------------------------------------------------------------- prepare -- */

/* A buffer and what of it a band needs. */
typedef struct
{
  GeglBuffer          *buffer;
  const TesseraTravel *travel;
  const GeglRectangle *bounds;
  TesseraBorder        border;
} Source;

/* What of `rect` there is to read; all of it where the host must extend it itself. */
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

/* Memory for what `image` covers, and the copy that brings it to the host's side of
 * it.  Pixels that the device converts travel without gaps; others lie as in the
 * image, so that rows of it go to their place. */
static gint
expect (BandState *state, const Source *source, TesseraImage *image, Arrival *arrival,
        TesseraCopy *copies, guint *n)
{
  const TesseraTravel *travel = source->travel;
  const GeglRectangle  rect = { image->x, image->y, image->width, image->height };
  gboolean             on_host;
  const GeglRectangle  part = readable_part (source, &rect, &on_host);
  const gsize          row = (travel->converts ? part.width : image->stride) * travel->bytes;
  const gsize          indent = travel->converts ? 0 : (part.x - rect.x) * travel->bytes;
  guchar              *pixels;
  gint                 status;

  *arrival = (Arrival) { .travel = travel, .border = source->border, .image = image, .part = part,
                         .offset = travel->converts ? 0 : (part.y - rect.y) * row,
                         .bytes = row * part.height };
  if ((status = tessera_band_keep (state, image_bytes (image), FALSE, &image->memory)) != 0)
    return status;
  if (on_host && source->border == TESSERA_BORDER_NONE)         /* nothing but border */
    {
      arrival->bytes = 0;
      return 0;
    }
  if ((travel->converts && (status = tessera_band_keep (state, arrival->bytes, FALSE, &arrival->raw)) != 0)
      || (status = tessera_band_keep (state, arrival->bytes, TRUE, &arrival->staging)) != 0)
    return status;
  pixels = tessera_memory_pointer (arrival->staging);
  if (on_host)
    {
      gint64 began = g_get_monotonic_time ();

      tessera_read (source->buffer, &part, source->bounds, source->border, travel->format, (gfloat *) pixels);
      state->pump->timings->read += (g_get_monotonic_time () - began) / 1e6;
    }
  else
    copies[(*n)++] = (TesseraCopy) { .buffer = source->buffer, .format = travel->format, .pixels = pixels + indent,
                                     .row = row, .rect = part };
  return 0;
}

gint
tessera_band_prepare (Pump *pump, gint y, gint rows, BandState **result, TesseraCopy *copies, guint *n)
{
  const TesseraRequest *request = pump->request;
  BandState            *state = g_new0 (BandState, 1);
  TesseraBand          *band = &state->band;
  GeglRectangle         around;
  gint                  status;

  *result = state;
  state->pump = pump;
  state->launches = tessera_launches_new ();
  band->request = request;
  band->roi = (GeglRectangle) { request->roi.x, y, request->roi.width, rows };
  around = tessera_grow (&band->roi, &request->halo);
  band->input = image_for (&around, request->input_format);
  pump->timings->failed_at = "allocating";
  status = expect (state, &(Source) { request->input, &pump->input, &request->bounds, request->border },
                   &band->input, &state->arrivals[0], copies, n);
  if (status == 0 && request->aux)
    {
      band->aux = image_for (&around, request->aux_format);
      status = expect (state, &(Source) { request->aux, &pump->aux, &request->aux_bounds,
                                          TESSERA_BORDER_CLAMP },
                       &band->aux, &state->arrivals[1], copies, n);
    }
  if (status == 0 && pump->in_tiles
      && tessera_tiles_plan (request->output, pump->output.format, &band->roi, &state->grid))
    state->tiles = tessera_tiles_take (pump->device, &state->grid);
  return status;
}

/* ------------------------------------------------------------------ send -- */

static gint
send (BandState *state, const Arrival *arrival, TesseraEvent **event)
{
  Pump               *pump = state->pump;
  const TesseraImage *image = arrival->image;
  gint                status;

  pump->timings->failed_at = "uploading";
  if (arrival->bytes == 0)
    return tessera_enqueue_clear (pump->queue, image->memory, image_bytes (image));
  status = tessera_enqueue_upload (pump->queue, LANE_UPLOAD, arrival->raw ? arrival->raw : image->memory,
                                   arrival->offset, tessera_memory_pointer (arrival->staging),
                                   arrival->bytes, event);
  if (status != 0)
    return status;
  tessera_queue_flush (pump->queue, LANE_UPLOAD);
  pump->timings->failed_at = "running";
  status = tessera_enqueue_wait (pump->queue, *event);
  if (status == 0 && arrival->raw)
    status = decode (state, arrival->travel, arrival->raw, image, &arrival->part);
  if (status == 0 && (arrival->part.width < image->width || arrival->part.height < image->height))
    status = extend (state, image, &arrival->part, arrival->border);
  return status;
}

static gint
measure (BandState *state)
{
  Pump                *pump = state->pump;
  const TesseraFilter *filter = pump->request->filter;
  const gsize          bytes = pump->survey ? pump->survey->bytes : filter->measure_bytes;
  gint                 status;

  pump->timings->failed_at = "measuring";
  if ((status = tessera_band_keep (state, bytes, FALSE, &state->result)) != 0
      || (status = tessera_band_keep (state, bytes, TRUE, &state->result_host)) != 0)
    return status;
  if (pump->survey && (status = tessera_enqueue_clear (pump->queue, state->result, bytes)) != 0)
    return status;
  status = pump->survey ? filter->survey (&state->band, state->result)
                        : filter->measure (&state->band, state->result);
  return status != 0 ? status
                     : tessera_enqueue_download (pump->queue, LANE_RUN, state->result,
                                                 tessera_memory_pointer (state->result_host),
                                                 bytes, NULL, &state->measured);
}

gint
tessera_band_send (BandState *state)
{
  Pump *pump = state->pump;
  gint  status = send (state, &state->arrivals[0], &state->uploaded[0]);

  if (status == 0 && pump->request->aux)
    status = send (state, &state->arrivals[1], &state->uploaded[1]);
  if (status == 0 && (pump->survey || pump->request->filter->measure))
    status = measure (state);
  tessera_queue_flush (pump->queue, LANE_RUN);
  return status;
}

/* ------------------------------------------------------------------- run -- */

/* The pixels of the result, which lie row by row, put in the order of tiles. */
static gint
put_in_tiles (BandState *state, TesseraMemory *rows, TesseraMemory *tiles)
{
  const TesseraTileGrid *grid = &state->grid;
  const GeglRectangle   *roi = &state->band.roi;
  const gint             unit = grid->pixel % 16 == 0 ? 16 : grid->pixel % 4 == 0 ? 4 : 1;
  const gint             units = grid->pixel / unit;

  return tessera_engine_launch (state, &(TesseraLaunch) {
    .kernel = unit == 16 ? "tile_16" : unit == 4 ? "tile_4" : "tile_1",
    .size = { roi->width * units, roi->height },
    .group = { 32, 4 },
    .args = { TESSERA_MEMORY_ARG (rows), TESSERA_MEMORY_ARG (tiles),
              TESSERA_INT_ARG (roi->width * units), TESSERA_INT_ARG (roi->height),
              TESSERA_INT_ARG (grid->width * units), TESSERA_INT_ARG (grid->height),
              TESSERA_INT_ARG ((roi->x - grid->x) * units), TESSERA_INT_ARG (roi->y - grid->y),
              TESSERA_INT_ARG (grid->across) }
  });
}

/* Where the result is to go: `from` on the device, `to` on the host. */
static gint
prepare_download (BandState *state, TesseraMemory **from, gpointer *to, gsize *bytes)
{
  TesseraMemory *rows = *from;
  gint           status;

  if (state->tiles)
    {
      *bytes = (gsize) state->grid.across * state->grid.down * state->grid.bytes;
      *to = tessera_tiles_pointer (state->tiles);
      status = tessera_band_keep (state, *bytes, FALSE, from);
      return status != 0 ? status : put_in_tiles (state, rows, *from);
    }
  status = tessera_band_keep (state, *bytes, TRUE, &state->download_to);
  *to = status == 0 ? tessera_memory_pointer (state->download_to) : NULL;
  return status;
}

gint
tessera_band_run (BandState *state)
{
  Pump          *pump = state->pump;
  TesseraBand   *band = &state->band;
  TesseraMemory *raw = NULL, *from;
  gpointer       to;
  gsize          bytes = (gsize) band->roi.width * band->roi.height * pump->output.bytes;
  gint           status;

  state->has_run = TRUE;
  if (pump->survey)
    return 0;
  if (state->measured)
    {
      pump->timings->failed_at = "measuring";
      if ((status = tessera_event_wait (state->measured)) != 0)
        return status;
      band->measured = tessera_memory_pointer (state->result_host);
    }
  pump->timings->failed_at = "allocating";
  band->output = image_for (&band->roi, pump->request->output_format);
  if ((status = tessera_band_keep (state, image_bytes (&band->output), FALSE, &band->output.memory)) != 0
      || (pump->output.converts && (status = tessera_band_keep (state, bytes, FALSE, &raw)) != 0))
    return status;
  from = raw ? raw : band->output.memory;
  pump->timings->failed_at = "running";
  if ((status = pump->request->filter->device (band)) != 0
      || (raw && (status = encode (state, &pump->output, &band->output, raw)) != 0)
      || (status = prepare_download (state, &from, &to, &bytes)) != 0
      || (status = tessera_enqueue_mark (pump->queue, &state->ran)) != 0)
    return status;
  tessera_queue_flush (pump->queue, LANE_RUN);
  pump->timings->failed_at = "downloading";
  status = tessera_enqueue_download (pump->queue, LANE_DOWNLOAD, from, to, bytes, state->ran, &state->downloaded);
  tessera_queue_flush (pump->queue, LANE_DOWNLOAD);
  return status;
}

/* ---------------------------------------------------------------- finish -- */

static gdouble
seconds_of (TesseraEvent *event)
{
  return event ? tessera_event_duration (event) / 1e9 : 0.0;
}

gint
tessera_band_wait (BandState *state, TesseraCopy *copies, guint *n)
{
  Pump           *pump = state->pump;
  TesseraTimings *timings = pump->timings;
  const gsize     row = state->band.roi.width * pump->output.bytes;
  gint            status;

  timings->failed_at = "running";
  status = tessera_event_wait (pump->survey ? state->measured : state->downloaded);
  for (guint i = 0; i < G_N_ELEMENTS (state->uploaded) && status == 0; i++)
    if (state->uploaded[i])
      status = tessera_event_wait (state->uploaded[i]);         /* done long ago; did it fail? */
  if (status != 0)
    return status;
  if (pump->profiled)
    {
      timings->upload += seconds_of (state->uploaded[0]) + seconds_of (state->uploaded[1]);
      timings->run += tessera_launches_seconds (state);
      timings->download += seconds_of (pump->survey ? state->measured : state->downloaded);
    }
  if (pump->survey)
    pump->request->filter->merge (pump->request, pump->survey->result,
                                  tessera_memory_pointer (state->result_host));
  for (guint i = 0; i < state->n_memories; i++)         /* the device is done with this band */
    if (state->memories[i] != state->download_to)
      tessera_memory_give (state->memories[i]);
  state->n_memories = 0;
  if (pump->survey)
    return 0;
  copies[*n] = (TesseraCopy) { .buffer = pump->request->output, .format = pump->output.format, .row = row,
                               .rect = state->band.roi, .writes = TRUE, .tiles = state->tiles, .grid = &state->grid };
  if (state->tiles)
    copies[*n].pixels = tessera_tiles_pointer (state->tiles);
  else
    {
      state->memories[state->n_memories++] = state->download_to;
      copies[*n].pixels = tessera_memory_pointer (state->download_to);
    }
  (*n)++;
  return 0;
}

void
tessera_band_written (BandState *state)
{
  const TesseraRequest *request = state->pump->request;
  const GeglRectangle  *roi = &state->band.roi;

  state->pump->timings->bands++;
  tessera_count (bands, 1);
  tessera_progress_tell ((gdouble) (roi->y + roi->height - request->roi.y) / request->roi.height);
}

void
tessera_band_free (BandState *state, gboolean idle)
{
  TesseraEvent *events[] = { state->uploaded[0], state->uploaded[1], state->measured, state->ran,
                             state->downloaded };

  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    if (events[i])
      tessera_event_free (events[i]);
  tessera_launches_free (state);
  if (state->tiles)
    tessera_tiles_give (state->tiles, idle);
  for (guint i = 0; i < state->n_memories; i++)
    if (idle)
      tessera_memory_give (state->memories[i]);
    else
      tessera_memory_drop (state->memories[i]);
  g_free (state);
}
