/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One request: the one place where a failure of the device turns into "run the C path on the same rectangle".
 */
#include "config.h"

#include <gegl-plugin.h>
#include <string.h>

#include "breaker.h"
#include "builds.h"
#include "choice.h"
#include "counters.h"
#include "engine.cl.h"
#include "exact.h"
#include "geometry.h"
#include "messages.h"
#include "pool.h"
#include "progress.h"
#include "proof.h"
#include "pump.h"
#include "resident.h"
#include "sample.h"
#include "settings.h"
#include "slabs.h"
#include "speed.h"

/* ---------------------------------------------------------------- device -- */

static void
log_timings (const TesseraRequest *request, const gchar *path, const TesseraTimings *timings,
             gdouble seconds)
{
  g_autofree gchar *stages = NULL, *on_device = NULL;

  if (timings && timings->run > 0)      /* otherwise nobody timed the device */
    on_device = g_strdup_printf ("upload %.1f run %.1f download %.1f ", timings->upload * 1e3, timings->run * 1e3,
                                 timings->download * 1e3);
  if (timings)
    stages = g_strdup_printf (" %u band%s, read %.1f %swrite %.1f submit %.1f ms,", timings->bands,
                              timings->bands == 1 ? "" : "s", timings->read * 1e3, on_device ? on_device : "",
                              timings->write * 1e3, timings->submit * 1e3);
  tessera_log ("%s %dx%d%+d%+d: %s,%s in all %.1f ms", request->filter->name, request->roi.width, request->roi.height,
               request->roi.x, request->roi.y, path, stages ? stages : "", seconds * 1e3);
}

/* Who refused a program has told so. */
static void
log_failure (const TesseraRequest *request, const TesseraDevice *device, const gchar *stage, gint status)
{
  const gchar      *error = tessera_error_name (status);
  g_autofree gchar *key = g_strdup_printf ("%s/%s/%s", request->filter->name, stage, error);

  if (tessera_outcome (status) != TESSERA_REFUSED && tessera_first_time (key))
    tessera_log ("%s: %s while %s for %dx%d pixels on %s; computed in C instead",
                 request->filter->name, error, stage,
                 request->roi.width, request->roi.height, device->name);
}

/* Its pixels did not all travel, so its time says nothing about others. */
static gboolean
is_short_cut (const TesseraRequest *request, const TesseraTimings *timings)
{
  return timings->stays || tessera_is_resident (request->input) || tessera_is_resident (request->aux);
}

/* After a request: what it teaches for the next choice, and its message. */
static void
note_device_request (const TesseraRequest *request, const TesseraDevice *device, const TesseraTimings *timings,
                     gdouble seconds)
{
  const gchar *filter = request->filter->name;
  gchar       *path;

  tessera_breaker_succeed (filter, tessera_request_reads (request));
  if (! is_short_cut (request, timings))
    tessera_speed_note (filter, tessera_request_kind (request), tessera_request_work (request), TRUE, seconds);
  tessera_count (device_requests, 1);
  tessera_count (read_ns, timings->read * 1e9);
  tessera_count (upload_ns, timings->upload * 1e9);
  tessera_count (run_ns, timings->run * 1e9);
  tessera_count (download_ns, timings->download * 1e9);
  tessera_count (write_ns, timings->write * 1e9);
  if (! (tessera_debug () & (DEBUG_TIMINGS | DEBUG_PATHS)))
    return;
  path = g_strconcat ("OpenCL on ", device->name, timings->stays ? " (the result stays there)" : "", NULL);
  log_timings (request, path, timings, seconds);
  g_free (path);
}

/* Does the device compute what C does?  It is looked at where the request has used a kernel for the first time in this process, and now
 * and then.  The marks of such kernels stay unproven where the result shows nothing. */
static gboolean
is_proven (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device, TesseraProgram *program,
           TesseraTimings *timings, gdouble seconds)
{
  const gint64 began = g_get_monotonic_time ();
  GPtrArray   *marks = timings->unproven;
  TesseraProof proof;
  gdouble      took;

  if (tessera_trusts_kernels () || ! tessera_sample_due (request, survey, seconds, marks != NULL))
    return TRUE;
  proof = tessera_prove_result (request, survey, timings->stays, marks ? TESSERA_PROOF_SPOTS : TESSERA_PROOF_SPOT);
  if (proof == TESSERA_PROOF_FAILED)
    {
      tessera_breaker_fail (request->filter->name);
      return FALSE;
    }
  if (proof == TESSERA_PROOF_DIFFERS)
    {
      tessera_program_refuse (program);
      tessera_say_once ("%s: %s computes other pixels than C (driver %s); C is used instead", request->filter->name,
                        device->name, device->driver);
      tessera_pool_drop_constant (NULL);        /* what its passes have kept is as wrong, and others would believe it */
      return FALSE;
    }
  for (guint i = 0; proof == TESSERA_PROOF_SAME && marks && i < marks->len; i++)
    g_atomic_int_set (&((TesseraProofMark *) g_ptr_array_index (marks, i))->is_proven, TRUE);
  took = (g_get_monotonic_time () - began) / 1e6;
  tessera_sample_note (request, took, proof == TESSERA_PROOF_BLANK);
  if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("%s: %s, checked in %.1f ms", request->filter->name, proof == TESSERA_PROOF_SAME ? "the device computes the same pixels as C"
                 : "nothing that shows whether the device computes as C does", took * 1e3);
  return TRUE;
}

/* A device that has no memory for this request may have some for a smaller one. */
static void
count_failure (const TesseraRequest *request, gint status)
{
  switch (tessera_outcome (status))
    {
    case TESSERA_DONE:
    case TESSERA_REFUSED:
    case TESSERA_UNASKED:
      break;
    case TESSERA_NO_MEMORY:
      tessera_breaker_lack (request->filter->name, tessera_request_reads (request));
      break;
    case TESSERA_MAYBE_MEMORY:
    case TESSERA_FAILED:
      tessera_breaker_fail (request->filter->name);
    }
}

/* The programs of the engine and of the filter, for a device that computes as IEEE 754 asks.  What fails has been
 * told. */
static gint
get_programs (const TesseraRequest *request, const TesseraDevice *device, TesseraProgram **engine_program,
              TesseraProgram **program)
{
  const TesseraText text = tessera_filter_text (request->filter);
  gint              status = tessera_program_get (device, &tessera_engine_text, engine_program);

  if (status == 0 && ! tessera_trusts_kernels () && (status = tessera_exact_check (device, *engine_program)) != 0)
    log_failure (request, device, "trying its arithmetic", status);
  return status != 0 ? status : tessera_program_get (device, &text, program);
}

/* C computes a part of it too, now and then, so that its speed is known. */
static void
try_c (const TesseraRequest *request, const TesseraSurvey *survey, gdouble seconds)
{
  const gchar *filter = request->filter->name;
  const guint  kind = tessera_request_kind (request);
  guint64      pixels;
  gdouble      took;

  if (tessera_mode () != TESSERA_OPENCL_AUTO || ! tessera_can_be_parted (request)
      || ! tessera_speed_wants_trial (filter, kind, tessera_request_work (request), seconds))
    return;
  took = tessera_time_part (request, survey, &pixels);
  tessera_speed_note_trial (filter, kind, pixels, took);
  if (tessera_debug () & DEBUG_PATHS)
    tessera_log ("%s: C computed %" G_GUINT64_FORMAT " pixels too, to learn its speed, in %.1f ms", filter, pixels,
                 took * 1e3);
}

static gboolean
process_on_device (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device)
{
  TesseraProgram *program, *engine_program;
  TesseraTimings  timings = { .failed_at = NULL };
  gint64          began;
  gdouble         seconds = 0.0;
  gboolean        is_right = FALSE;
  gint            status = get_programs (request, device, &engine_program, &program);

  if (status == 0)
    {
      began = g_get_monotonic_time ();
      status = tessera_pump (request, survey, device, program, engine_program, &timings);
      seconds = (g_get_monotonic_time () - began) / 1e6;
      if (status != 0)
        log_failure (request, device, timings.failed_at, status);
    }
  if (status != 0)
    count_failure (request, status);
  else
    is_right = is_proven (request, survey, device, program, &timings, seconds);
  g_clear_pointer (&timings.unproven, g_ptr_array_unref);
  if (is_right)
    {
      note_device_request (request, device, &timings, seconds);
      if (! is_short_cut (request, &timings))
        try_c (request, survey, seconds);
    }
  if (is_right && timings.stays)
    *request->resident = tessera_resident_new (timings.stays, request->output, request->filter->name);
  else
    tessera_held_unref (timings.stays);
  return is_right;
}

/* --------------------------------------------------------------------- C -- */

static void
process_in_c (const TesseraRequest *request, const TesseraSurvey *survey, const gchar *reason)
{
  const TesseraFilter *filter = request->filter;
  gint64               began = g_get_monotonic_time ();
  gdouble              seconds;

  tessera_resident_settle (request->input);
  tessera_resident_settle (request->aux);
  if (survey)
    tessera_survey_all (request, survey);
  else
    tessera_compute_all (request);
  seconds = (g_get_monotonic_time () - began) / 1e6;
  tessera_speed_note (filter->name, tessera_request_kind (request), tessera_request_work (request), FALSE, seconds);
  tessera_count (c_requests, 1);
  if (tessera_debug () & (DEBUG_TIMINGS | DEBUG_PATHS))
    {
      g_autofree gchar *path = g_strdup_printf ("C (%s)", reason);

      log_timings (request, path, NULL, seconds);
    }
}

static void
flush (GeglBuffer *buffer)
{
  if (buffer && ! tessera_is_resident (buffer))
    gegl_buffer_flush_ext (buffer, NULL);
}

/* Nobody answers meanwhile.  Of a processor nothing is kept, so each process would say it. */
static void
say_waits (const TesseraRequest *request, const TesseraDevice *device)
{
  if (tessera_mode () == TESSERA_OPENCL_FORCE && ! device->is_processor && ! tessera_is_built (request->filter, device))
    tessera_say_once ("TESSERA_OPENCL=force waits while the kernels of a filter are built");
}

/* Only auto may answer otherwise.  A program that nobody watches, and that computes more, waits. */
static gboolean
waits_for_compiler (const TesseraRequest *request)
{
  return tessera_mode () != TESSERA_OPENCL_AUTO || ! request->errand.operation;
}

static gboolean
process_timed (const TesseraRequest *request, const TesseraSurvey *survey)
{
  const TesseraDevice *device;
  g_autofree gchar    *reason = NULL;

  tessera_watch_host ();
  if (request->errand.operation)
    tessera_remember_bounds (request->errand.operation, &request->bounds);

  /* Results of GEGL's own OpenCL filters may still be on the device.  GEGL 0.4.42 fetches them at the
   * first read, but not safely from several threads. */
  flush (request->input);
  flush (request->aux);
  flush (request->output);
  device = tessera_choose_device (request, &reason);
  if (device && ! waits_for_compiler (request) && ! tessera_builds_are_done (request->filter, device))
    {
      device = NULL;
      reason = g_strdup ("its kernels are being built");
    }
  if (device)
    say_waits (request, device);
  if (device && process_on_device (request, survey, device))
    return TRUE;
  if (device)
    {
      tessera_count (fallbacks, 1);
      reason = g_strdup ("the device failed");
    }
  if (tessera_mode () == TESSERA_OPENCL_FORCE && request->filter->source && ! request->is_in_c)
    {
      tessera_log ("%s: TESSERA_OPENCL=force, but %s", request->filter->name, reason);
      return FALSE;
    }
  process_in_c (request, survey, reason);
  return TRUE;
}

static gboolean
process (const TesseraRequest *request, const TesseraSurvey *survey)
{
  gint64      began = g_get_monotonic_time ();
  TesseraWork work;
  gboolean    done;

  if (gegl_rectangle_is_empty (&request->roi))
    return TRUE;
  tessera_count (requests, 1);
  tessera_progress_begin (&work, request);
  done = process_timed (request, survey);
  tessera_progress_end (&work, done);
  tessera_count (process_ns, (g_get_monotonic_time () - began) * 1000);
  return done;
}

gboolean
tessera_process (const TesseraRequest *request)
{
  TesseraRequest placed = *request;

  if (request->answer && ! request->input && gegl_rectangle_is_empty (&request->roi))
    placed.roi = placed.bounds = (GeglRectangle) { 0, 0, 1, 1 };        /* without a picture nothing has a place */
  return process (&placed, NULL);
}

gboolean
tessera_survey (const TesseraRequest *request, gpointer result, gsize bytes)
{
  TesseraRequest survey = *request;

  survey.output = NULL;
  memset (result, 0, bytes);
  return process (&survey, &(TesseraSurvey) { result, bytes });
}
