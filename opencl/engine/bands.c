/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One band: read tiles (all threads) -> upload -> decode -> extend the border ->
 * passes -> encode -> download -> write tiles (all threads).  Commands are
 * enqueued without waiting; only `finish` and a measure wait.
 */
#include "config.h"

#include "pump.h"

#include <gegl-plugin.h>

#define THREAD_COST   (64.0 * 64.0)     /* pixels below which a copy does not pay a thread */

/* --------------------------------------------------------- tile copies -- */

typedef struct
{
  GeglBuffer          *buffer;
  const Babl          *format;
  guchar              *pixels;          /* of rect's first pixel */
  gsize                row;
  const GeglRectangle *rect;
} Copy;

static guchar *
copy_place (const Copy *copy, const GeglRectangle *area)
{
  return copy->pixels + (area->y - copy->rect->y) * copy->row
         + (area->x - copy->rect->x) * (gsize) babl_format_get_bytes_per_pixel (copy->format);
}

static void
read_area (const GeglRectangle *area, gpointer data)
{
  const Copy *copy = data;

  gegl_buffer_get (copy->buffer, area, 1.0, copy->format, copy_place (copy, area), copy->row,
                   GEGL_ABYSS_NONE);
}

static void
write_area (const GeglRectangle *area, gpointer data)
{
  const Copy *copy = data;

  gegl_buffer_set (copy->buffer, area, 0, copy->format, copy_place (copy, area), copy->row);
}

/* ---------------------------------------------------------------- images -- */

static TesseraImage
image_for (const GeglRectangle *rect, const Babl *format)
{
  return (TesseraImage) { rect->x, rect->y, rect->width, rect->height, rect->width,
                          babl_format_get_n_components (format), NULL };
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
  return travel->table ? tessera_table (&state->band, travel->table, travel->table_bytes, table) : 0;
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

/* ----------------------------------------------------------------- begin -- */

/* A buffer and what of it a band needs. */
typedef struct
{
  GeglBuffer          *buffer;
  const TesseraTravel *travel;
  const GeglRectangle *bounds;
  TesseraBorder        border;
} Source;

/* What of `rect` is there to read; all of it where the host must extend it itself. */
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

/* Reads `part`, which lies in rows of `row` bytes from `pixels` on. */
static void
read_source (BandState *state, const Source *source, const GeglRectangle *part, gboolean on_host,
             guchar *pixels, gsize row)
{
  gint64 began = g_get_monotonic_time ();

  if (on_host)
    tessera_read (source->buffer, part, source->bounds, source->border, source->travel->format,
                  (gfloat *) pixels);
  else
    gegl_parallel_distribute_area (part, THREAD_COST, GEGL_SPLIT_STRATEGY_AUTO, read_area, &(Copy) {
      source->buffer, source->travel->format, pixels, row, part
    });
  state->pump->timings->read += (g_get_monotonic_time () - began) / 1e6;
}

/* Reads what `image` covers and sends it to the device, border included.  Pixels
 * that the device converts travel without gaps; others lie as in the image, so
 * that rows of it go to their place. */
static gint
bring (BandState *state, const Source *source, TesseraImage *image, TesseraEvent **event)
{
  Pump                *pump = state->pump;
  const TesseraTravel *travel = source->travel;
  const GeglRectangle  rect = { image->x, image->y, image->width, image->height };
  gboolean             on_host;
  const GeglRectangle  part = readable_part (source, &rect, &on_host);
  const gsize          row = (travel->converts ? part.width : image->stride) * travel->bytes;
  const gsize          indent = travel->converts ? 0 : (part.x - rect.x) * travel->bytes;
  const gsize          bytes = row * part.height;
  TesseraMemory       *staging, *raw = NULL;
  guchar              *pixels;
  gint                 status;

  pump->timings->failed_at = "allocating";
  if ((status = tessera_band_keep (state, image_bytes (image), FALSE, &image->memory)) != 0
      || (travel->converts && (status = tessera_band_keep (state, bytes, FALSE, &raw)) != 0)
      || (status = tessera_band_keep (state, bytes, TRUE, &staging)) != 0)
    return status;
  pixels = tessera_memory_pointer (staging);
  read_source (state, source, &part, on_host, pixels + indent, row);

  pump->timings->failed_at = "uploading";
  if ((status = tessera_enqueue_upload (pump->queue, LANE_UPLOAD, raw ? raw : image->memory,
                                        raw ? 0 : (part.y - rect.y) * row, pixels, bytes, event)) != 0)
    return status;
  tessera_queue_flush (pump->queue, LANE_UPLOAD);
  pump->timings->failed_at = "running";
  status = tessera_enqueue_wait (pump->queue, *event);
  if (status == 0 && raw)
    status = decode (state, travel, raw, image, &part);
  if (status == 0 && ! gegl_rectangle_equal (&part, &rect))
    status = extend (state, image, &part, source->border);
  return status;
}

static gint
measure (BandState *state)
{
  Pump                *pump = state->pump;
  const TesseraFilter *filter = pump->request->filter;
  gint                 status;

  pump->timings->failed_at = "measuring";
  if ((status = tessera_band_keep (state, filter->measure_bytes, FALSE, &state->result)) != 0
      || (status = tessera_band_keep (state, filter->measure_bytes, TRUE, &state->result_host)) != 0
      || (status = filter->measure (&state->band, state->result)) != 0)
    return status;
  return tessera_enqueue_download (pump->queue, LANE_RUN, state->result,
                                   tessera_memory_pointer (state->result_host),
                                   filter->measure_bytes, NULL, &state->measured);
}

gint
tessera_band_begin (Pump *pump, gint y, gint rows, BandState **result)
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
  status = bring (state, &(Source) { request->input, &pump->input, &request->bounds, request->border },
                  &band->input, &state->uploaded[0]);
  if (status == 0 && request->aux)
    {
      band->aux = image_for (&around, request->aux_format);
      status = bring (state, &(Source) { request->aux, &pump->aux, &request->aux_bounds,
                                         TESSERA_BORDER_CLAMP },
                      &band->aux, &state->uploaded[1]);
    }
  if (status == 0 && request->filter->measure)
    status = measure (state);
  tessera_queue_flush (pump->queue, LANE_RUN);
  return status;
}

/* ------------------------------------------------------------------- run -- */

gint
tessera_band_run (BandState *state)
{
  Pump          *pump = state->pump;
  TesseraBand   *band = &state->band;
  TesseraMemory *staging, *raw = NULL;
  gsize          bytes = (gsize) band->roi.width * band->roi.height * pump->output.bytes;
  gint           status;

  state->has_run = TRUE;
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
      || (pump->output.converts && (status = tessera_band_keep (state, bytes, FALSE, &raw)) != 0)
      || (status = tessera_band_keep (state, bytes, TRUE, &staging)) != 0)
    return status;
  state->download_to = tessera_memory_pointer (staging);
  pump->timings->failed_at = "running";
  if ((status = pump->request->filter->device (band)) != 0
      || (raw && (status = encode (state, &pump->output, &band->output, raw)) != 0)
      || (status = tessera_enqueue_mark (pump->queue, &state->ran)) != 0)
    return status;
  tessera_queue_flush (pump->queue, LANE_RUN);
  pump->timings->failed_at = "downloading";
  status = tessera_enqueue_download (pump->queue, LANE_DOWNLOAD, raw ? raw : band->output.memory,
                                     state->download_to, bytes, state->ran, &state->downloaded);
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
tessera_band_finish (BandState *state)
{
  Pump           *pump = state->pump;
  TesseraTimings *timings = pump->timings;
  gint64          began;
  gint            status;
  Copy            copy = { pump->request->output, pump->output.format, state->download_to,
                           state->band.roi.width * pump->output.bytes, &state->band.roi };

  timings->failed_at = "running";
  status = tessera_event_wait (state->downloaded);
  if (status != 0)
    return status;
  timings->upload += seconds_of (state->uploaded[0]) + seconds_of (state->uploaded[1]);
  timings->run += tessera_launches_seconds (state);
  timings->download += seconds_of (state->downloaded);

  began = g_get_monotonic_time ();
  gegl_parallel_distribute_area (&state->band.roi, THREAD_COST, GEGL_SPLIT_STRATEGY_AUTO,
                                 write_area, &copy);
  timings->write += (g_get_monotonic_time () - began) / 1e6;
  timings->bands++;
  if (pump->request->roi.height > state->band.roi.height)
    gegl_operation_progress (pump->request->operation,
                             (gdouble) (state->band.roi.y + state->band.roi.height
                                        - pump->request->roi.y) / pump->request->roi.height,
                             (gchar *) "");
  tessera_count (bands, 1);
  return 0;
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
  for (guint i = 0; i < state->n_memories; i++)
    if (idle)
      tessera_memory_give (state->memories[i]);
    else
      tessera_memory_drop (state->memories[i]);
  g_free (state);
}
