/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:background-whiten where the device fails: the N-th call of each kind, N = 1, 2, ... until none is met.  The result is C's, bit for bit,
 * nothing is left behind, and the next request runs on the device again. */
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "answers.h"
#include "background-whiten.h"
#include "graphs.h"
#include "tessera-control.h"

#define MOST 500

static const gchar *const kinds[] = { "build", "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait" };

static Answer
run (TesseraOpenclMode mode, gint result)
{
  tessera_set_opencl_mode (mode);
  return ask ("six", "history", 6, "result", result, "gain", 1.5, "shifts", "0 0 .8 -.45 1.6 -.9 2.4 -1.35 3.2 -1.8 4 -2.25 4.8 -2.7");
}

static gboolean
is_same (Answer *one, Answer *other)
{
  const gboolean same = ! memcmp (one->pixels, other->pixels, sizeof one->pixels);

  answer_clear (one);
  return same;
}

/* FALSE: the fault was not met. */
static gboolean
one_fault (const gchar *kind, gint n, gint result, Answer *in_c)
{
  gchar          *fault = g_strdup_printf ("%s:%d", kind, n);
  TesseraCounters before, after;
  Answer          answer;
  gboolean        met;

  tessera_trim ();
  tessera_get_counters (&before);
  tessera_set_fault (fault);
  answer = run (TESSERA_OPENCL_TRY, result);
  met = tessera_fault_met ();
  tessera_set_fault (NULL);
  tessera_trim ();
  tessera_get_counters (&after);
  expect (is_same (&answer, in_c), "result %d, %s: not C's pixels", result, fault);
  expect (after.live_objects == before.live_objects, "result %d, %s: objects are left behind", result, fault);
  if (met)
    {
      answer = run (TESSERA_OPENCL_FORCE, result);
      expect (is_same (&answer, in_c), "result %d, after %s: not C's pixels", result, fault);
      tessera_get_counters (&before);
      expect (before.device_requests > after.device_requests && before.fallbacks == after.fallbacks,
              "result %d, after %s: not on the device", result, fault);
    }
  g_free (fault);
  return met;
}

static void
walk (gint result)
{
  Answer in_c = run (TESSERA_OPENCL_OFF, result);

  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      gint n = 1;

      while (n < MOST && one_fault (kinds[kind], n, result, &in_c))
        n += ! strcmp (kinds[kind], "set-arg") ? 7 : 1;
      expect (n > 1 && n < MOST, "result %d: %s was met %d times", result, kinds[kind], n - 1);
    }
  answer_clear (&in_c);
}

/* A frame of the history travels to the device once: what travels again is the current one, and small tables. */
static void
test_travels (void)
{
  const guint64   frame = sizeof (gfloat) * WIDTH * HEIGHT;
  TesseraCounters before, first, second;
  Answer          answer;

  tessera_trim ();
  tessera_get_counters (&before);
  answer = run (TESSERA_OPENCL_FORCE, 0);
  answer_clear (&answer);
  tessera_get_counters (&first);
  answer = run (TESSERA_OPENCL_FORCE, 1);
  answer_clear (&answer);
  tessera_get_counters (&second);
  expect (first.uploaded_bytes - before.uploaded_bytes >= 7 * frame, "a request with 6 frames uploads %" G_GUINT64_FORMAT " bytes",
          first.uploaded_bytes - before.uploaded_bytes);
  expect (second.uploaded_bytes - first.uploaded_bytes < (second.device_requests - first.device_requests) * frame + 4096,
          "%" G_GUINT64_FORMAT " more requests upload %" G_GUINT64_FORMAT " bytes, a frame has %" G_GUINT64_FORMAT,
          second.device_requests - first.device_requests, second.uploaded_bytes - first.uploaded_bytes, frame);
}

/* The shifts are found where the frames are. */
static Answer
run_without_shifts (TesseraOpenclMode mode)
{
  tessera_set_opencl_mode (mode);
  return ask ("six", "history", 6);
}

static gboolean
has_same_shifts (Answer *one, const Answer *other)
{
  const gboolean same = ! strcmp (one->shifts, other->shifts) && ! strcmp (one->notes, other->notes);

  return is_same (one, (Answer *) other) && same;
}

static void
test_found (void)
{
  const guint64   frame = sizeof (gfloat) * WIDTH * HEIGHT;
  TesseraCounters before, after;
  Answer          in_c = run_without_shifts (TESSERA_OPENCL_OFF), answer = run_without_shifts (TESSERA_OPENCL_FORCE);

  expect (has_same_shifts (&answer, &in_c), "not C's shifts");
  tessera_get_counters (&before);
  answer = run_without_shifts (TESSERA_OPENCL_FORCE);
  tessera_get_counters (&after);
  expect (has_same_shifts (&answer, &in_c), "not C's shifts the second time");
  expect (after.device_requests == before.device_requests + 2, "%" G_GUINT64_FORMAT " requests on the device",
          after.device_requests - before.device_requests);
  expect (after.uploaded_bytes - before.uploaded_bytes < frame + frame / 2, "for shifts and result %" G_GUINT64_FORMAT " bytes travel, a frame has %" G_GUINT64_FORMAT,
          after.uploaded_bytes - before.uploaded_bytes, frame);
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    for (gint n = 1; n < 80; n += 1 + n / 3)
      {
        gchar *fault = g_strdup_printf ("%s:%d", kinds[kind], n);

        tessera_trim ();
        tessera_set_fault (fault);
        answer = run_without_shifts (TESSERA_OPENCL_TRY);
        tessera_set_fault (NULL);
        expect (has_same_shifts (&answer, &in_c), "%s: not C's shifts", fault);
        g_free (fault);
      }
  answer_clear (&in_c);
}

/* Frames that have little in common, or nothing, or not one pixel of the current one. */
static void
test_far (void)
{
  static const gchar *const far[] = {
    "0 0 20 -10 0 0 0 0 -15 12 0 0 0 0", "0 0 60 0 -60 0 0 0 0 0 0 0 0 0", "0 0 0 50 0 -50 0 0 0 0 0 0 0 0", "0 0 30 0 60 0 90 0 120 0 150 0 180 0",
    "9e5 -9e5 0 0 0 0 0 0 0 0 0 0 0 0", "9e5 9e5 9e5 9e5 9e5 9e5 9e5 9e5 9e5 9e5 9e5 9e5 0 0"
  };

  for (guint i = 0; i < G_N_ELEMENTS (far); i++)
    {
      Answer in_c, on_device;

      tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
      in_c = ask ("six", "history", 6, "result", 1, "shifts", far[i]);
      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      on_device = ask ("six", "history", 6, "result", 1, "shifts", far[i]);
      expect (is_same (&on_device, &in_c), "shifts %s: not C's pixels", far[i]);
      answer_clear (&in_c);
    }
}

/* For a slow device that looks at each access. */
static void
test_small (gint result)
{
  Answer in_c, on_device;

  tessera_set_tight_memory (TRUE);
  in_c = run (TESSERA_OPENCL_OFF, result);
  on_device = run (TESSERA_OPENCL_FORCE, result);
  expect (is_same (&on_device, &in_c), "result %d: not C's pixels", result);
  answer_clear (&in_c);
}

void
background_whiten_faults (void)
{
  const gboolean is_small = answers_are_small ();

  graph_init ();
  tessera_set_proof (FALSE);
  for (gint result = 0; result < 3; result++)
    is_small ? test_small (result) : walk (result);
  test_far ();
  if (! is_small)
    {
      test_travels ();
      test_found ();
    }
  graph_clear ();
}
