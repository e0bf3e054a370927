/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One band: read tiles -> upload -> decode -> extend the border -> passes -> encode ->
 * download -> write tiles.  Commands are enqueued without waiting.
 * pump.c reads and writes, for several bands at once.
 */
#include "config.h"

#include "bands.h"

#include <gegl-plugin.h>
#include <string.h>

#include "arrivals.h"
#include "counters.h"
#include "passes.h"
#include "pool.h"
#include "progress.h"
#include "reach.h"
#include "results.h"

#define KEPT_PART 3             /* of the budget for memory: what one request keeps for the next is no more */

gint
tessera_band_prepare (Job *job, gint y, gint rows, BandState **result, TesseraCopy *copies, guint *n)
{
  const TesseraRequest *request = job->request;
  BandState            *state = g_new0 (BandState, 1);
  TesseraBand          *band = &state->band;
  GeglRectangle         around;
  gint                  status = 0;

  *result = state;
  state->job = job;
  state->commands = tessera_commands_new ();
  state->sent = g_ptr_array_new ();
  band->request = request;
  band->on_processor = job->device->is_processor;
  band->has_doubles = job->device->has_doubles;
  band->roi = (GeglRectangle) { request->roi.x, y, request->roi.width, rows };
  around = tessera_grow (&band->roi, &request->halo);
  if (request->input_format)
    band->input = tessera_image_for (&around, request->input_format);
  if (! request->is_blind)
    status = tessera_arrival_expect (state, &(Source) { request->input, &job->input, job->held[0], &request->bounds, request->border },
                     &band->input, &state->arrivals[0], copies, n);
  if (status == 0 && request->aux)
    {
      band->aux = tessera_image_for (&around, request->aux_format);
      status = tessera_arrival_expect (state, &(Source) { request->aux, &job->aux, job->held[1], &request->aux_bounds,
                                          TESSERA_BORDER_CLAMP },
                       &band->aux, &state->arrivals[1], copies, n);
    }
  if (status == 0 && job->plan.in_tiles
      && tessera_tiles_plan (request->output, job->output.format, &band->roi, &state->grid))
    state->tiles = tessera_tiles_take (job->device, state->grid.all, state->grid.bytes);
  return tessera_stage (job, "allocating", status);
}

/* Has the device done everything for this band so far?  After a failed command, not every driver lets
 * the next ones fail too.  So each command is looked at before its result is believed. */
static gint
look_back (BandState *state)
{
  TesseraTimings *timings = state->job->timings;
  gint            status = 0;

  for (guint k = 0; k < G_N_ELEMENTS (state->arrivals); k++)
    for (Arrival *arrival = &state->arrivals[k]; arrival->n_seen < arrival->n_uploads && status == 0; arrival->n_seen++)
      {
        TesseraEvent *upload = arrival->uploads[arrival->n_seen];

        if ((status = tessera_event_wait (upload)) == 0 && state->job->profiled)
          timings->upload += tessera_event_duration (upload) / 1e9;
      }
  return status != 0 ? status : tessera_commands_see (state);
}

static gint
fetch (BandState *state, TesseraMemory *memory, gsize bytes)
{
  gint status = tessera_enqueue_download (state->job->queue, LANE_RUN, memory, 0, state->fetch_host->pointer, bytes, NULL, &state->fetched);

  if (status != 0)
    return status;
  tessera_queue_flush (state->job->queue, LANE_RUN);
  status = tessera_event_wait (state->fetched);
  return status != 0 ? status : look_back (state);
}

gint
tessera_fetch_view (TesseraBand *band, TesseraMemory *memory, gsize bytes, gconstpointer *seen)
{
  BandState *state = band_state (band);

  if (bytes > state->fetch_bytes)
    state->fetch_bytes = tessera_band_keep (state, bytes, TRUE, &state->fetch_host) == 0 ? bytes : 0;
  if (state->status == 0)
    state->status = fetch (state, memory, bytes);
  if (state->status == 0)
    {
      g_clear_pointer (&state->fetched, tessera_event_free);
      *seen = state->fetch_host->pointer;
    }
  return state->status;
}

gint
tessera_fetch (TesseraBand *band, TesseraMemory *memory, gsize bytes, gpointer to)
{
  gconstpointer seen;
  gint          status = tessera_fetch_view (band, memory, bytes, &seen);

  if (status == 0)
    memcpy (to, seen, bytes);
  return status;
}

gboolean
tessera_may_keep (const TesseraBand *band, gsize bytes)
{
  return bytes <= tessera_budget (band_state (band)->job->device) / KEPT_PART;
}

/* What the passes of a filter came to.  It may answer 0 though one of its steps has failed, if there was no more to do. */
static gint
first_failure (const BandState *state, gint status)
{
  return status != 0 ? status : state->status;
}

static gint
measure (BandState *state)
{
  Job                 *job = state->job;
  const TesseraFilter *filter = job->request->filter;
  const gsize          bytes = job->survey ? job->survey->bytes : filter->measure_bytes;
  TesseraMemory       *answer;
  gint                 status;

  tessera_band_keep (state, bytes, FALSE, &answer);
  if ((status = tessera_band_keep (state, bytes, TRUE, &state->answer_host)) != 0)
    return status;
  if (job->survey && (status = tessera_band_clear (state, answer, bytes)) != 0)
    return status;
  status = first_failure (state, job->survey ? filter->survey (&state->band, answer) : filter->measure (&state->band, answer));
  return status != 0 ? status : tessera_enqueue_download (job->queue, LANE_RUN, answer, 0, state->answer_host->pointer,
                                                          bytes, NULL, &state->answered);
}

gint
tessera_band_send (BandState *state)
{
  Job  *job = state->job;
  gint  status = job->request->is_blind ? 0 : tessera_arrival_send (state, &state->arrivals[0]);

  if (status == 0 && job->request->aux)
    status = tessera_arrival_send (state, &state->arrivals[1]);
  if (status == 0 && (job->survey || job->request->filter->measure))
    status = tessera_stage (job, "measuring", measure (state));
  tessera_queue_flush (job->queue, LANE_RUN);
  return status;
}

gint
tessera_band_send_ready (BandState *state)
{
  gint status = 0;

  for (guint i = 0; i < G_N_ELEMENTS (state->arrivals) && status == 0; i++)
    status = tessera_arrival_send_ready (state, &state->arrivals[i]);
  return status;
}

gint
tessera_band_run (BandState *state)
{
  Job         *job = state->job;
  TesseraBand *band = &state->band;
  gint         status;

  state->has_run = TRUE;
  if (job->survey)
    return 0;
  if (state->answered)
    {
      if ((status = tessera_event_wait (state->answered)) != 0 || (status = look_back (state)) != 0)
        return tessera_stage (job, "measuring", status);
      band->measured = state->answer_host->pointer;
    }
  if (! job->request->output)
    return tessera_stage (job, "running", first_failure (state, job->request->filter->device (band)));
  band->output = tessera_image_for (&band->roi, job->request->output_format);
  status = tessera_band_keep (state, tessera_image_bytes (&band->output), FALSE, &band->output.memory);
  if (status != 0)
    return tessera_stage (job, "allocating", status);
  status = tessera_stage (job, "running", first_failure (state, job->request->filter->device (band)));
  return status != 0 ? status : tessera_result_send (state);
}

/* The memory of the download is still needed. */
static void
give_memories (BandState *state)
{
  for (guint i = 0; i < state->n_memories; i++)
    if (state->memories[i] != state->download_to)
      tessera_pool_give (state->memories[i]);
  state->n_memories = 0;
  if (state->download_to)
    state->memories[state->n_memories++] = state->download_to;
}

gint
tessera_band_wait (BandState *state, guint slice, TesseraCopy *copies, guint *n)
{
  Job          *job = state->job;
  TesseraEvent *event = job->survey ? state->answered : state->slices[slice].downloaded;       /* NULL: fetched */
  gint          status = event ? tessera_event_wait (event) : 0;

  if (status == 0 && slice == 0)
    status = look_back (state);
  if (status != 0)
    return tessera_stage (job, "running", status);
  if (job->profiled && event)
    job->timings->download += tessera_event_duration (event) / 1e9;
  if (job->survey)
    job->request->filter->merge (job->request, &state->band.roi, job->survey->result, state->answer_host->pointer);
  else if (event && ! state->straight && ! job->stays)
    tessera_result_write (state, &state->slices[slice], &copies[(*n)++]);
  if (slice + 1 >= state->n_slices)
    give_memories (state);              /* the device is done with this band */
  return 0;
}

void
tessera_band_written (BandState *state)
{
  const TesseraRequest *request = state->job->request;
  const GeglRectangle  *roi = &state->band.roi;

  state->job->timings->bands++;
  tessera_count (bands, 1);
  tessera_progress_tell ((gdouble) (roi->y + roi->height - request->roi.y) / request->roi.height);
}

static void
free_event (TesseraEvent *event)
{
  if (event)
    tessera_event_free (event);
}

void
tessera_band_free (BandState *state, gboolean idle)
{
  free_event (state->answered);
  free_event (state->ran);
  free_event (state->fetched);
  for (guint k = 0; k < G_N_ELEMENTS (state->arrivals); k++)
    {
      if (! idle && state->arrivals[k].from)
        tessera_reach_lose (state->arrivals[k].from);
      for (guint i = 0; i < state->arrivals[k].n_uploads; i++)
        free_event (state->arrivals[k].uploads[i]);
    }
  if (! idle && state->straight)
    tessera_reach_lose (state->straight);
  for (guint i = 0; i < state->n_slices; i++)
    free_event (state->slices[i].downloaded);
  tessera_commands_free (state);
  for (guint i = 0; idle && i < state->sent->len; i++)          /* else the device may still read it */
    g_free (state->sent->pdata[i]);
  g_ptr_array_unref (state->sent);
  if (state->tiles)
    tessera_tiles_give (state->tiles, idle);
  for (guint i = 0; i < state->n_memories; i++)
    if (idle)
      tessera_pool_give (state->memories[i]);
    else
      tessera_memory_abandon (state->memories[i]);
  g_free (state);
}
