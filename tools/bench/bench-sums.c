/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the bench adds up: the host's memory, times, counters, and what was not as it should be.
 */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- memory -- */

/* Lets the kernel forget the peak of this process, where it can. */
gboolean
bench_forget_host_peak (void)
{
  FILE    *file = fopen ("/proc/self/clear_refs", "w");
  gboolean done = FALSE;

  if (file)
    {
      done = fputs ("5", file) >= 0;
      done = fclose (file) == 0 && done;
    }
  return done;
}

/* MiB; 0 where this is not known. */
gdouble
bench_host_peak (void)
{
  g_autofree gchar *text = NULL;
  gdouble mib = 0.0;

  if (g_file_get_contents ("/proc/self/status", &text, NULL, NULL))
    {
      const gchar *line = strstr (text, "VmHWM:");

      mib = line ? g_ascii_strtod (line + 6, NULL) / 1024.0 : 0.0;
    }
  return mib;
}

/* ----------------------------------------------------------------- times -- */

int
bench_compare (const void *a, const void *b)
{
  const gdouble *p = a, *q = b;

  return (*p > *q) - (*p < *q);
}

void
bench_add_time (BenchTimes *times, gdouble ms)
{
  times->times = g_renew (gdouble, times->times, times->runs + 1);
  times->times[times->runs++] = ms;
}

void
bench_sum_up (BenchTimes *times)
{
  if (times->runs == 0)
    return;
  qsort (times->times, times->runs, sizeof *times->times, bench_compare);
  times->best = times->times[0];
  times->median = times->times[times->runs / 2];
  times->mean = 0.0;
  for (gint i = 0; i < times->runs; i++)
    times->mean += times->times[i] / times->runs;
}

/* Mean milliseconds of a run, from a sum over those with timed commands. */
gdouble
bench_stage_ms (const BenchResult *result, guint64 sum_ns)
{
  return sum_ns / 1e6 / MAX (1, result->staged.runs);
}

/* -------------------------------------------------------------- counters -- */

/* sums += after - before: all members are guint64. */
void
bench_add_counters (TesseraCounters *sums, const TesseraCounters *before, const TesseraCounters *after)
{
  guint64       *sum = (guint64 *) sums;
  const guint64 *from = (const guint64 *) before, *to = (const guint64 *) after;

  for (gsize i = 0; i < sizeof *sums / sizeof *sum; i++)
    sum[i] += to[i] - from[i];
}

static const gchar *
path_taken (const TesseraCounters *sums)
{
  if (sums->requests == 0)
    return "none";
  if (sums->device_requests + sums->c_requests < sums->requests)
    return "failed";
  if (sums->device_requests == sums->requests)
    return "OpenCL";
  return sums->c_requests == sums->requests ? "C" : "mixed";
}

static void
flag (BenchResult *result, const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  g_ptr_array_add (result->flags, g_strdup_vprintf (format, arguments));
  va_end (arguments);
}

void
bench_look_for_trouble (BenchResult *result)
{
  const TesseraCounters *sums = &result->sums;
  const gchar *mode = g_getenv ("TESSERA_OPENCL");
  const gchar *wanted = NULL;

  result->path = path_taken (sums);
  if (! tessera_device_name () || g_strcmp0 (mode, "off") == 0)
    wanted = "C";
  else if (g_strcmp0 (mode, "force") == 0 || g_strcmp0 (mode, "try") == 0)
    wanted = "OpenCL";
  if (wanted && strcmp (result->path, wanted) != 0)
    flag (result, "ran on %s, not on %s: %d requests, %d on the device, %d in C", result->path, wanted,
          (gint) sums->requests, (gint) sums->device_requests, (gint) sums->c_requests);
  result->astray = result->flags->len > 0 || sums->fallbacks > 0;
  if (sums->fallbacks)
    flag (result, "%d requests fell back to C", (gint) sums->fallbacks);
  if (sums->allocations || sums->builds || sums->objects_created)
    flag (result, "not steady: %d allocations, %d builds, %d objects made in %d requests after the warm-up",
          (gint) sums->allocations, (gint) sums->builds, (gint) sums->objects_created, (gint) sums->requests);
}
