/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One request: the one place where a failure of the device turns into "run the C path on the same rectangle".
 */
#include "config.h"

#include <gegl-plugin.h>
#include <string.h>

#include "breaker.h"
#include "choice.h"
#include "counters.h"
#include "engine.cl.h"
#include "geometry.h"
#include "messages.h"
#include "pool.h"
#include "progress.h"
#include "proof-state.h"
#include "proof.h"
#include "pump.h"
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

static void
log_failure (const TesseraRequest *request, const TesseraDevice *device,
             const TesseraTimings *timings, gint status)
{
  g_autofree gchar *key = g_strdup_printf ("%s/%s/%d", request->filter->name, timings->failed_at, status);

  if (tessera_first_time (key))
    tessera_log ("%s: %s while %s for %dx%d pixels on %s; computed in C instead",
                 request->filter->name, tessera_error_name (status), timings->failed_at,
                 request->roi.width, request->roi.height, device->name);
}

/* After a request: what it teaches for the next choice, and its message. */
static void
note_device_request (const TesseraRequest *request, const TesseraDevice *device, const TesseraTimings *timings,
                     gdouble seconds)
{
  const gchar *filter = request->filter->name;
  gchar       *path;

  tessera_breaker_succeed (filter, tessera_request_reads (request));
  tessera_speed_note (filter, tessera_request_kind (request), tessera_request_work (request), TRUE, seconds);
  tessera_count (device_requests, 1);
  tessera_count (read_ns, timings->read * 1e9);
  tessera_count (upload_ns, timings->upload * 1e9);
  tessera_count (run_ns, timings->run * 1e9);
  tessera_count (download_ns, timings->download * 1e9);
  tessera_count (write_ns, timings->write * 1e9);
  if (! (tessera_debug () & (DEBUG_TIMINGS | DEBUG_PATHS)))
    return;
  path = g_strconcat ("OpenCL on ", device->name, NULL);
  log_timings (request, path, timings, seconds);
  g_free (path);
}

/* Adds an answer to what the check compares. */
static void
note_answer (const TesseraRequest *request)
{
  const gsize bytes = (gsize) request->roi.width * request->roi.height * babl_format_get_bytes_per_pixel (request->output_format);
  g_autofree guchar *answer = g_malloc (bytes);

  gegl_buffer_get (request->output, &request->roi, 1.0, request->output_format, answer, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  tessera_proof_compare (answer, bytes);
}

/* A kernel is proven if it ran in a check that found no difference (proof.c). */
static gboolean
have_run_in_check (GPtrArray *marks)
{
  gboolean all = TRUE;

  for (guint i = 0; i < marks->len; i++)
    if (tessera_proof_state.leg != TESSERA_PROOF_NONE)
      tessera_proof_note_run (g_ptr_array_index (marks, i));
    else
      all &= g_atomic_int_get (&((TesseraProofMark *) g_ptr_array_index (marks, i))->is_proven);
  return all || tessera_trusts_kernels ();
}

/* What small pictures do not need is compared where it is needed: the request's own result with C's. */
static TesseraProof
prove_result (const TesseraRequest *request, const TesseraSurvey *survey, GPtrArray *marks)
{
  if (survey)
    return TESSERA_PROOF_FAILED;        /* what it has found is not in a buffer */
  if (! tessera_check_result (request, &request->roi))
    return TESSERA_PROOF_DIFFERS;
  for (guint i = 0; i < marks->len; i++)
    g_atomic_int_set (&((TesseraProofMark *) g_ptr_array_index (marks, i))->is_proven, TRUE);
  return TESSERA_PROOF_SAME;
}

/* Does the device compute the right pixels with the kernels that this request used first?  `check` ran beside the
 * request, if one did.  If it FAILED, the request may have held the memory that it needed: the device is asked again.
 * If others have proven all kernels meanwhile, nothing is left to ask.  Kernels that are known are asked again now and then. */
static TesseraProof
prove (const TesseraRequest *request, const TesseraSurvey *survey, GPtrArray *unproven, TesseraCheck *check, TesseraSample sample)
{
  const gboolean has_early = check != NULL;
  TesseraProof   proof = tessera_check_end (check);

  if (! has_early || proof == TESSERA_PROOF_FAILED)
    proof = unproven ? tessera_check_end (tessera_check_begin (request, FALSE)) : TESSERA_PROOF_SAME;
  if (proof == TESSERA_PROOF_SAME && unproven && ! have_run_in_check (unproven))
    proof = prove_result (request, survey, unproven);
  else if (proof == TESSERA_PROOF_SAME && sample == TESSERA_SAMPLE_PART)
    {
      const GeglRectangle part = tessera_sample_part (request);

      proof = tessera_check_result (request, &part) ? TESSERA_PROOF_SAME : TESSERA_PROOF_DIFFERS;
    }
  return proof;
}

static gboolean
is_proven (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device, TesseraProgram *program,
           GPtrArray *unproven, TesseraCheck *check, TesseraSample sample)
{
  const TesseraProof proof = prove (request, survey, unproven, check, sample);

  if (proof == TESSERA_PROOF_DIFFERS)
    {
      tessera_program_refuse (program);
      tessera_say_once ("%s: %s computes other pixels than C (driver %s); C is used instead", request->filter->name,
                        device->name, device->driver);
    }
  if (proof != TESSERA_PROOF_SAME)
    tessera_pool_drop_constant (NULL);  /* what its passes have kept is as wrong, and others would believe it */
  return proof == TESSERA_PROOF_SAME;
}

/* A device that has no memory for this request may have some for a smaller one. */
static void
note_failure (const TesseraRequest *request, const TesseraDevice *device, const TesseraTimings *timings, gint status)
{
  tessera_proof_state.has_failed = TRUE;        /* if this is a check: whosever, for some of its kernels ran */
  if (tessera_proof_state.is_early)
    return;
  log_failure (request, device, timings, status);
  if (! tessera_is_out_of_memory (status) || tessera_proof_state.leg != TESSERA_PROOF_NONE)
    tessera_breaker_fail (request->filter->name);
  else if (! timings->is_unasked)
    tessera_breaker_lack (request->filter->name, tessera_request_reads (request));
}

static gboolean
process_on_device (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device)
{
  const TesseraFilter *filter = request->filter;
  TesseraProgram      *program, *engine_program;
  TesseraTimings       timings = { .failed_at = "building" };
  TesseraCheck        *check = NULL;
  TesseraSample        sample;
  gint64               began;
  gdouble              seconds;
  gboolean             is_right;
  gint                 status;

  if ((status = tessera_program_get (device, "engine", tessera_engine_cl, &engine_program)) != 0
      || (status = tessera_program_get (device, filter->name, filter->source, &program)) != 0)
    {
      if (! tessera_program_is_refused (status))        /* the build itself has said so, once */
        tessera_breaker_fail (filter->name);
      return FALSE;
    }
  sample = tessera_sample_due (request, survey);
  began = g_get_monotonic_time ();
  status = tessera_pump (request, survey, device, program, engine_program, &timings,
                         sample == TESSERA_SAMPLE_PICTURES || tessera_program_is_new (program), &check);
  seconds = (g_get_monotonic_time () - began) / 1e6;
  if (status != 0)
    {
      tessera_check_drop (check);       /* its answer is not needed */
      g_clear_pointer (&timings.unproven, g_ptr_array_unref);
      note_failure (request, device, &timings, status);
      return FALSE;
    }
  is_right = is_proven (request, survey, device, program, timings.unproven, check, sample);
  g_clear_pointer (&timings.unproven, g_ptr_array_unref);
  if (is_right && tessera_proof_state.leg == TESSERA_PROOF_NONE)
    note_device_request (request, device, &timings, seconds);
  return is_right;
}

/* --------------------------------------------------------------------- C -- */

static void
process_in_c (const TesseraRequest *request, const TesseraSurvey *survey, const gchar *reason)
{
  const TesseraFilter *filter = request->filter;
  gint64               began = g_get_monotonic_time ();
  gdouble              seconds;

  if (survey)
    tessera_survey_all (request, survey);
  else
    tessera_compute_all (request);
  if (tessera_proof_state.leg != TESSERA_PROOF_NONE)
    return;
  seconds = (g_get_monotonic_time () - began) / 1e6;
  tessera_speed_note (filter->name, tessera_request_kind (request), tessera_request_work (request), FALSE, seconds);
  tessera_count (c_requests, 1);
  if (tessera_debug () & (DEBUG_TIMINGS | DEBUG_PATHS))
    {
      g_autofree gchar *path = g_strdup_printf ("C (%s)", reason);

      log_timings (request, path, NULL, seconds);
    }
}

static gboolean
process_timed (const TesseraRequest *request, const TesseraSurvey *survey)
{
  const TesseraDevice *device;
  g_autofree gchar    *reason = NULL;

  tessera_watch_host ();
  tessera_remember_bounds (request->operation, &request->bounds);

  /* Results of GEGL's own OpenCL filters may still be on the device.  GEGL 0.4.42 fetches them at the
   * first read, but not safely from several threads. */
  gegl_buffer_flush_ext (request->input, NULL);
  if (request->aux)
    gegl_buffer_flush_ext (request->aux, NULL);
  if (! survey)
    gegl_buffer_flush_ext (request->output, NULL);
  device = tessera_choose_device (request, &reason);
  if (device && process_on_device (request, survey, device))
    return TRUE;
  /* In a check C still computes it, because GEGL warns of tiles that nobody wrote.  Another filter of the operation may have to stay in C. */
  if (tessera_proof_state.leg == TESSERA_PROOF_DEVICE)
    tessera_proof_state.has_failed |= request->filter->source && g_strcmp0 (request->filter->name, tessera_proof_state.filter) == 0;
  else if (device)
    tessera_count (fallbacks, 1);
  if (device)
    reason = g_strdup ("the device failed");
  if (tessera_mode () == TESSERA_OPENCL_FORCE && request->filter->source && tessera_proof_state.leg == TESSERA_PROOF_NONE)
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
  if (tessera_proof_state.leg == TESSERA_PROOF_NONE)
    tessera_count (requests, 1);
  tessera_progress_begin (&work, request);
  done = process_timed (request, survey);
  if (done && request->filter->answers && tessera_proof_state.leg != TESSERA_PROOF_NONE)
    note_answer (request);
  tessera_progress_end (&work, done);
  if (tessera_proof_state.leg == TESSERA_PROOF_NONE)
    tessera_count (process_ns, (g_get_monotonic_time () - began) * 1000);
  return done;
}

gboolean
tessera_process (const TesseraRequest *request)
{
  return process (request, NULL);
}

gboolean
tessera_survey (const TesseraRequest *request, gpointer result, gsize bytes)
{
  TesseraRequest survey = *request;

  survey.output = request->input;       /* not touched, but bands are planned by its format */
  memset (result, 0, bytes);
  return process (&survey, &(TesseraSurvey) { result, bytes });
}
