/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Carries out the plan of a request (plan.c) and keeps some bands in flight.  The host reads band k+1 and
 * writes band k-1 while the device uploads, runs and downloads the bands between.  If an allocation
 * fails, there is a smaller plan.
 */
#include "config.h"

#include "pump.h"

#include <gegl-plugin.h>
#include <string.h>

#include "bands.h"
#include "passes.h"
#include "resident.h"
#include "settings.h"

#define PARTS 840               /* of a band that is read in slices; any number of slices divides it */

typedef struct
{
  Job        job;
  BandState *bands[BANDS_AHEAD];        /* in flight, oldest first */
  guint      n_bands;
  BandState *pending;                   /* the newest, if it has been read but not sent yet; or NULL */
} Pump;

/* ----------------------------------------------------------------- bands -- */

/* Runs the bands that have not run yet, up to `band`, or all. */
static gint
run_before (Pump *pump, const BandState *band)
{
  gint status = 0;

  for (guint i = 0; i < pump->n_bands && pump->bands[i] != band && status == 0; i++)
    if (! pump->bands[i]->has_run)
      status = tessera_band_run (pump->bands[i]);
  return status;
}

/* Sends a band on its way.  A measured band runs one step later: its measure has then had the time of a
 * copy to come back.  It runs before the next band is sent, or it would wait for that band's upload.
 * Price: 1.1 (bilateral grid, 24 Mpix u8; H200, 2026-11-22). */
static gint
submit (Pump *pump, BandState *band)
{
  const gint64 began = g_get_monotonic_time ();
  gint         status = run_before (pump, band);

  if (status == 0)
    status = tessera_band_send (band);
  if (status == 0 && ! pump->job.request->filter->measure)
    status = tessera_band_run (band);
  pump->job.timings->submit += (g_get_monotonic_time () - began) / 1e6;
  return status;
}

static gint
submit_pending (Pump *pump)
{
  BandState *pending = g_steal_pointer (&pump->pending);

  return pending ? submit (pump, pending) : 0;
}

/* The work of one thread while the others copy. */
typedef struct
{
  Pump      *pump;
  BandState *sliced;            /* the band that is read slice by slice, or NULL */
  gint       status;
} Beside;

static void
submit_beside (gpointer data)
{
  Beside *beside = data;

  beside->status = beside->sliced ? tessera_band_send_ready (beside->sliced) : submit_pending (beside->pump);
}

/* Called on one thread of a copy: submits the pending band, or the ready rows of a sliced one.
 * Price: 1.4 (motion blur, 24 Mpix u8; H200, 2026-11-22). */
static gint
do_copies (Pump *pump, TesseraCopy *copies, guint n, BandState *sliced)
{
  Beside beside = { pump, sliced, 0 };

  tessera_copy (copies, n, pump->pending || sliced ? submit_beside : NULL, &beside);
  for (guint i = 0; i < n; i++)
    if (copies[i].writes)
      pump->job.timings->write += copies[i].seconds;
    else
      pump->job.timings->read += copies[i].seconds;
  return beside.status;
}

/* Runs the oldest band if it has not run, waits for it, and adds its writes. */
static gint
wait_for_oldest (Pump *pump, TesseraCopy *copies, guint *n)
{
  BandState *oldest = pump->bands[0];
  gint       status = oldest == pump->pending ? submit_pending (pump) : 0;

  if (status == 0 && ! oldest->has_run)
    status = tessera_band_run (oldest);
  return status != 0 ? status : tessera_band_wait (oldest, 0, copies, n);
}

static void
drop_oldest (Pump *pump)
{
  tessera_band_written (pump->bands[0]);
  tessera_band_free (pump->bands[0], TRUE);
  pump->n_bands--;
  memmove (pump->bands, pump->bands + 1, pump->n_bands * sizeof *pump->bands);
}

static gint
finish_oldest (Pump *pump)
{
  TesseraCopy copy;
  guint       n = 0;
  gint        status = wait_for_oldest (pump, &copy, &n);

  if (status == 0)
    status = do_copies (pump, &copy, n, NULL);
  for (guint slice = 1; status == 0 && slice < pump->bands[0]->n_slices; slice++)
    {
      n = 0;
      status = tessera_band_wait (pump->bands[0], slice, &copy, &n);
      if (status == 0)
        status = do_copies (pump, &copy, n, NULL);
    }
  if (status == 0)
    drop_oldest (pump);
  return status;                /* drop_bands frees the rest */
}

/* Where a slice ends, in PARTS of the rows.  The last slices are shorter, because nothing else happens during
 * the upload of the last one. */
static gint
slice_end (gint from, gint slices)
{
  const gint usual = PARTS / slices, half = (PARTS - from + 1) / 2;
  const gint least = slices == MOST_SLICES ? usual / 4 : usual;

  return MIN (PARTS, from + CLAMP (half, least, usual));
}

/* Reads a band that is alone.  The rows that have been read are sent meanwhile. */
static gint
read_in_slices (Pump *pump, BandState *band, const TesseraCopy *copies, guint n)
{
  gint status = 0;

  for (gint from = 0, to; from < PARTS && status == 0; from = to)
    {
      TesseraCopy parts[TESSERA_MOST_COPIES];

      to = slice_end (from, pump->job.plan.slices);
      for (guint i = 0; i < n; i++)
        {
          const gint top = (gint64) copies[i].rect.height * from / PARTS;
          const gint bottom = (gint64) copies[i].rect.height * to / PARTS;

          parts[i] = copies[i];
          parts[i].rect.y += top;
          parts[i].rect.height = bottom - top;
          parts[i].pixels += top * copies[i].row;
        }
      status = do_copies (pump, parts, n, band);
      for (guint i = 0; i < n; i++)
        *copies[i].ready = (parts[i].rect.y + parts[i].rect.height - copies[i].rect.y) * copies[i].row;
    }
  return status;
}

/* Writes the oldest band, reads the new one and submits the one before, all at the same time. */
static gint
push_band (Pump *pump, gint y, gint rows)
{
  TesseraCopy copies[TESSERA_MOST_COPIES];
  BandState  *state;
  gboolean    is_full = pump->n_bands >= pump->job.plan.ahead;
  guint       n = 0, n_oldest;
  gint        status = 0, new_status, copy_status = 0;

  if (is_full && (status = wait_for_oldest (pump, copies, &n)) != 0)
    return status;
  n_oldest = n;
  new_status = tessera_band_prepare (&pump->job, y, rows, &state, copies, &n);
  if (new_status == 0 && n_oldest == 0 && pump->job.plan.slices > 1)
    copy_status = read_in_slices (pump, state, copies, n);
  else if (new_status == 0 || is_full)
    copy_status = do_copies (pump, copies, new_status == 0 ? n : n_oldest, NULL);
  if (is_full)
    drop_oldest (pump);
  pump->bands[pump->n_bands++] = state;
  if (new_status == 0 && copy_status == 0)
    pump->pending = state;
  return new_status != 0 ? new_status : copy_status;
}

/* Drops the bands in flight after an error. *y: the first row that was not written.  An error if the device
 * cannot even finish the enqueued commands. */
static gint
drop_bands (Pump *pump, gint *y)
{
  gint status;

  if (pump->n_bands == 0)
    return 0;
  *y = pump->bands[0]->band.roi.y;
  pump->pending = NULL;
  status = tessera_queue_finish (pump->job.queue);
  while (pump->n_bands)
    tessera_band_free (pump->bands[--pump->n_bands], status == 0);
  return status;
}

/* The rows that were delivered before a failure come from these kernels. */
static void
keep_unproven (Pump *pump)
{
  GPtrArray *more = pump->job.queue ? tessera_queue_unproven (pump->job.queue) : NULL;

  if (more && pump->job.timings->unproven)
    g_ptr_array_extend_and_steal (pump->job.timings->unproven, more);
  else if (more)
    pump->job.timings->unproven = more;
}

/* After a failure: sends tables again that may not have arrived, and replaces lanes on which nothing may run
 * any more. */
static gint
begin_anew (Pump *pump)
{
  gboolean idle;

  keep_unproven (pump);
  idle = tessera_queue_give (g_steal_pointer (&pump->job.queue), FALSE) == 0;
  tessera_tables_free (&pump->job, FALSE, idle);
  return tessera_queue_take (pump->job.device, pump->job.plan.one_lane, pump->job.profiled, &pump->job.queue);
}

static gboolean
may_fit_smaller (gint status)
{
  const TesseraOutcome outcome = tessera_outcome (status);

  return outcome == TESSERA_NO_MEMORY || outcome == TESSERA_MAYBE_MEMORY;
}

static gint
pump_bands (Pump *pump)
{
  const GeglRectangle *roi = &pump->job.request->roi;
  const gint           end = roi->y + roi->height;
  gint                 y = roi->y;
  gint                 status = 0;

  while (y < end || pump->n_bands)
    {
      if (y < end)
        {
          const gint rows = tessera_plan_band (&pump->job.plan, roi, y);

          status = push_band (pump, y, rows);
          y += rows;
        }
      else if ((status = submit_pending (pump)) == 0 && (status = run_before (pump, NULL)) == 0)        /* no more bands come, so all run */
        status = finish_oldest (pump);
      if (status != 0
          && (drop_bands (pump, &y) != 0 || ! may_fit_smaller (status)
              || ! tessera_plan_smaller (&pump->job.plan) || begin_anew (pump) != 0))
        return status;
    }
  return 0;
}

static TesseraPlan
make_plan (const Job *job)
{
  const guint64         budget = tessera_budget (job->device), held = tessera_held_bytes ();
  const TesseraRequest *request = job->request;
  TesseraPlanBasis      basis = { .request = request, .survey = job->survey, .input = job->input, .aux = job->aux,
                                  /* a survey's are planned as if it made what it reads */
                                  .output = job->survey ? job->input : job->output,
                                  .budget = budget > held ? budget - held : 0, .is_there = job->held[0] != NULL, .stays = job->stays != NULL,
                                  .most_pinned = tessera_most_pinned (), .tile_pixels = tessera_tile_pixels (),
                                  .rows = tessera_band_rows (), .tile_height = 1 };
  GeglBuffer           *like = request->output ? request->output : request->input;

  if (like)
    g_object_get (like, "tile-height", &basis.tile_height, "shift-y", &basis.tile_shift, NULL);
  if (! request->output || ! tessera_tiles_plan (request->output, job->output.format, &request->roi, &basis.grid))
    basis.grid = (TesseraTileGrid) { 0 };
  return tessera_plan (&basis);
}

/* What is on the device already, and what stays there. */
static void
find_held (Job *job)
{
  const TesseraRequest *request = job->request;

  if (! request->is_blind)
    job->held[0] = tessera_resident_held (request->input, job->device, job->input.format);
  if (request->aux)
    job->held[1] = tessera_resident_held (request->aux, job->device, job->aux.format);
  if (request->output && request->resident && ! *request->resident && ! job->survey && job->output.format == gegl_buffer_get_format (request->output))
    job->stays = tessera_held_new (job->device, &request->roi, job->output.format);
}

static void
leave_held (Job *job, gboolean good)
{
  tessera_held_unref (job->held[0]);
  tessera_held_unref (job->held[1]);
  if (good)
    job->timings->stays = job->stays;
  else if (job->stays)
    tessera_held_lose (job->stays);
}

/* If there was too little memory beside what is held: that goes to the host, and so does the result. */
static gboolean
may_make_room (Job *job, gint status)
{
  const gboolean holds = job->stays || job->held[0] || job->held[1];

  if (! holds || ! (may_fit_smaller (status) || tessera_outcome (status) == TESSERA_UNASKED))
    return FALSE;
  leave_held (job, FALSE);
  job->stays = job->held[0] = job->held[1] = NULL;
  tessera_resident_settle (job->request->input);
  tessera_resident_settle (job->request->aux);
  return TRUE;
}

static gint
carry_out (Pump *pump)
{
  Job *job = &pump->job;
  gint y, status, end_status;

  job->plan = make_plan (job);
  if (job->plan.rows == 0)
    return tessera_stage (job, "planning bands", tessera_error (TESSERA_UNASKED));
  job->profiled = tessera_profiling ();
  status = tessera_stage (job, "creating a queue",
                          tessera_queue_take (job->device, job->plan.one_lane, job->profiled, &job->queue));
  if (status != 0)
    return status;
  status = pump_bands (pump);
  drop_bands (pump, &y);
  keep_unproven (pump);
  end_status = job->queue ? tessera_stage (job, "running", tessera_queue_give (job->queue, status == 0)) : 0;
  tessera_tables_free (job, status == 0 && end_status == 0, end_status == 0);
  return status != 0 ? status : end_status;
}

gint
tessera_pump (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device,
              TesseraProgram *program, TesseraProgram *engine_program, TesseraTimings *timings)
{
  Pump pump = { .job = { .request = request, .survey = survey, .device = device, .program = program,
                         .engine_program = engine_program, .timings = timings } };
  Job *job = &pump.job;
  gint status;

  if (! request->is_blind)
    job->input = tessera_travel_tables (gegl_buffer_get_format (request->input), request->input_format, FALSE);
  if (request->output)
    job->output = tessera_travel_tables (gegl_buffer_get_format (request->output), request->output_format, TRUE);
  if (request->aux)
    job->aux = tessera_travel_tables (gegl_buffer_get_format (request->aux), request->aux_format, FALSE);
  find_held (job);
  status = carry_out (&pump);
  if (may_make_room (job, status))
    status = carry_out (&pump);
  leave_held (job, status == 0);
  return status;
}
