/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Makes the N-th call of each OpenCL function fail, N = 1, 2, ... until none is
 * met.  Whatever fails, the result is C's or the device's usual one, to the bit,
 * nothing is left behind, and the next request runs on the device again. */
#include "driver-walk.h"

#include "cl-api.h"

#define BAND_ROWS 17
#define EVERY     10            /* from here on, N grows in larger steps */
#define MOST      2000

static const struct { const gchar *entry, *code; } codes[] = {
  { "CreateBuffer", "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
  { "CreateBuffer", "CL_OUT_OF_RESOURCES" },
  { "EnqueueMapBuffer", "CL_MAP_FAILURE" },
  { "BuildProgram", "CL_BUILD_PROGRAM_FAILURE" },
  { "EnqueueNDRangeKernel", "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
  { "EnqueueWriteBuffer", "CL_MEM_OBJECT_ALLOCATION_FAILURE" },
  { "WaitForEvents", "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST" },
  { "Finish", "CL_DEVICE_NOT_AVAILABLE" }
};

/* ----------------------------------------------------------------- runs -- */

void
forget_objects (void)
{
  tessera_set_fault ("build:1000000000");
  tessera_set_fault ("queue:1000000000");
  tessera_set_fault (NULL);
}

static gfloat *
run_mode (Walk *walk, TesseraOpenclMode mode)
{
  tessera_set_opencl_mode (mode);
  tessera_set_band_rows (BAND_ROWS);
  return driver_run (walk->c, &walk->picture);
}

static gboolean
expect (gboolean condition, const gchar *what, GString *why)
{
  if (! condition)
    g_string_append_printf (why, "  %s\n", what);
  return condition;
}

gboolean
walk_init (Walk *walk, const DriverCase *c)
{
  TesseraCounters before, after;

  *walk = (Walk) { .c = c, .seed = 2 };
  driver_picture_init (&walk->picture, c, 1);
  walk->in_c = run_mode (walk, TESSERA_OPENCL_OFF);
  tessera_get_counters (&before);
  walk->on_device = run_mode (walk, TESSERA_OPENCL_FORCE);
  tessera_get_counters (&after);
  walk->requests = after.device_requests - before.device_requests;
  return walk->requests > 0 && after.bands > before.bands + ! c->is_whole;
}

void
walk_clear (Walk *walk)
{
  driver_picture_clear (&walk->picture);
  g_free (walk->in_c);
  g_free (walk->on_device);
}

/* ---------------------------------------------------------- one failure -- */

static gboolean
next_request_good (Walk *walk, GString *why)
{
  TesseraCounters before, after;
  gfloat         *pixels;
  gboolean        good;

  tessera_get_counters (&before);
  pixels = run_mode (walk, TESSERA_OPENCL_FORCE);
  tessera_get_counters (&after);
  good = expect (after.device_requests > before.device_requests && after.c_requests == before.c_requests,
                 "the next request did not run on the device", why)
         && driver_same (walk->c, pixels, walk->on_device, "the next request and the usual one", why);
  g_free (pixels);
  return good;
}

static gboolean
result_good (Walk *walk, const gfloat *pixels, const TesseraCounters *before, const TesseraCounters *after,
             gint lines, GString *why)
{
  const guint64 fallbacks = after->fallbacks - before->fallbacks, c = after->c_requests - before->c_requests;
  const guint64 device = after->device_requests - before->device_requests;
  gboolean      good = expect (c + device == walk->requests, "not as many requests in C or on the device as usual", why);

  /* Of several requests the later ones may go to C at once. */
  good &= expect ((c > 0) == (fallbacks > 0) && fallbacks <= c, "C requests without a fallback", why);
  if (fallbacks)
    good &= expect (lines >= 1 && lines <= (gint) fallbacks, "not one line on stderr for each fallback, or for all", why)
            & driver_same (walk->c, pixels, walk->in_c, "after the failure and in C", why);
  else
    good &= expect (lines == 0, "a line on stderr without a fallback", why)
            & driver_same (walk->c, pixels, walk->on_device, "recovered and the usual device result", why);
  return good;
}

/* What a device that does not answer may still use is left on purpose, and counted. */
static guint64
take_off_abandoned (StubLive *now, const TesseraCounters *before)
{
  TesseraCounters after;

  tessera_get_counters (&after);
  now->memories -= after.abandoned_objects - before->abandoned_objects;
  return after.abandoned_objects - before->abandoned_objects;
}

/* Memory and events, after all idle memory has been given back. */
static gboolean
nothing_left (const TesseraCounters *before, const StubLive *live, GString *why)
{
  TesseraCounters after;
  StubLive        now;
  guint64         abandoned;

  tessera_trim ();
  tessera_get_counters (&after);
  stub.live (&now);
  now.queues = live->queues;
  now.programs = live->programs;
  now.kernels = live->kernels;
  abandoned = take_off_abandoned (&now, before);
  return expect (after.live_objects == before->live_objects + abandoned, "objects of the engine were left behind", why)
         & expect (after.live_bytes == before->live_bytes
                   && after.live_pinned_bytes - before->live_pinned_bytes
                      == after.abandoned_bytes - before->abandoned_bytes,
                   "bytes of the engine were left behind", why)
         & driver_same_live (live, &now, why);
}

gboolean
walk_fault (Walk *walk, const gchar *plan, FaultFlags flags)
{
  GString        *why = g_string_new (NULL);
  gchar          *title = g_strdup_printf ("%s, plan \"%s\"", walk->c->name, plan);
  TesseraCounters before, after;
  Captured        capture;
  DriverSaid      said;
  StubLive        live;
  gfloat         *pixels;
  gboolean        met, good;

  driver_now (title);
  tessera_trim ();
  stub.live (&live);
  tessera_get_counters (&before);
  captured_begin (&capture);
  good = stub.set_plan (plan);
  if (flags & FORGET_OBJECTS)
    forget_objects ();
  pixels = run_mode (walk, TESSERA_OPENCL_TRY);
  tessera_trim ();
  met = stub.met ();
  stub.set_plan (NULL);
  driver_captured_end (&capture, &said);
  tessera_get_counters (&after);
  good &= result_good (walk, pixels, &before, &after, said.lines, why);
  good &= expect (! said.warnings, "GLib's warnings", why);
  tessera_set_fault (NULL);
  good &= nothing_left (&before, &live, why);
  if (met && flags & FORGET_AFTER)
    forget_objects ();
  if (met)
    good &= next_request_good (walk, why);
  if (! good)
    g_string_append (why, said.text->str);
  driver_verdict (good, title, why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
  g_free (title);
  g_free (pixels);
  return met;
}

/* ------------------------------------------------------------------ lies -- */

/* The operation under a lie: C's pixels.  The first time a line for each filter that was deceived, `again` none, as the device is not asked again.
 * A kernel that is skipped may belong to one filter of the operation alone; another one then runs on the device. */
static void
deceive (Walk *walk, const DriverPicture *picture, const gfloat *in_c, const gchar *plan, gboolean again, const gchar *title)
{
  GString        *why = g_string_new (NULL);
  const gint64    launches = stub.calls ("EnqueueNDRangeKernel");
  const gboolean  skips = g_str_has_prefix (plan, "skip ");
  const gint      most = again ? 0 : (gint) walk->requests, least = skips ? MIN (most, 1) : most;
  TesseraCounters before, after;
  Captured        capture;
  DriverSaid      said;
  gfloat         *pixels;
  guint64         c, device;

  stub.set_plan (plan);
  tessera_get_counters (&before);
  captured_begin (&capture);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  pixels = driver_run (walk->c, picture);
  driver_captured_end (&capture, &said);
  tessera_get_counters (&after);
  c = after.c_requests - before.c_requests;
  device = after.device_requests - before.device_requests;
  driver_same (walk->c, pixels, in_c, "on a device that lies and in C", why);
  expect (c > 0 && c + device == walk->requests && (skips || device == 0), "C did not answer", why);
  expect (said.lines >= least && said.lines <= most && ! said.warnings, "not the lines that were expected", why);
  expect (again || (strstr (said.text->str, "computes other pixels than C (driver ")
                      && strstr (said.text->str, tessera_device_name ())), "no line that names the device and its driver", why);
  expect (again || stub.met (), "was not met", why);
  expect (! again || (! stub.met () && (skips || stub.calls ("EnqueueNDRangeKernel") == launches)), "the device was asked again", why);
  stub.set_plan (NULL);
  if (why->len)
    g_string_append (why, said.text->str);
  driver_verdict (! why->len, title, why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
  g_free (pixels);
}

/* Each time about another picture: memory that a kernel leaves as it is may hold what it has made of the last one. */
void
walk_lie (Walk *walk, const gchar *plan)
{
  gchar        *title = g_strdup_printf ("%s, plan \"%s\"", walk->c->name, plan);
  GString      *why = g_string_new (NULL);
  DriverPicture picture;
  gfloat       *in_c;

  driver_now (title);
  driver_picture_init (&picture, walk->c, walk->seed++);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  in_c = driver_run (walk->c, &picture);
  tessera_trim ();
  forget_objects ();
  deceive (walk, &picture, in_c, plan, FALSE, title);
  deceive (walk, &picture, in_c, plan, TRUE, title);
  driver_picture_clear (&picture);
  g_free (in_c);
  forget_objects ();
  next_request_good (walk, why);
  driver_verdict (! why->len, title, why->str);
  g_string_free (why, TRUE);
  g_free (title);
}

/* Each launch is cut as that of a wide row is: the check finds C's pixels, and the device answers. */
void
walk_cut (Walk *walk)
{
  gchar          *title = g_strconcat (walk->c->name, ", each launch in two parts", NULL);
  GString        *why = g_string_new (NULL);
  TesseraCounters before, after;
  gfloat         *pixels;

  driver_now (title);
  tessera_trim ();
  forget_objects ();
  stub.set_plan ("lie:cut");
  tessera_get_counters (&before);
  pixels = run_mode (walk, TESSERA_OPENCL_TRY);
  tessera_get_counters (&after);
  driver_same (walk->c, pixels, walk->in_c, "in two parts and in C", why);
  expect (after.device_requests > before.device_requests && after.fallbacks == before.fallbacks, "the device did not answer", why);
  expect (stub.met (), "was not met", why);
  stub.set_plan (NULL);
  forget_objects ();
  driver_verdict (! why->len, title, why->str);
  g_string_free (why, TRUE);
  g_free (title);
  g_free (pixels);
}

/* ----------------------------------------------------------------- walks -- */

/* N = 1, 2, ... until it is not met; %d stands for N.  Returns whether any was.
 * Afterwards the driver has no more objects than before. */
static gboolean
walk_plans (Walk *walk, const gchar *format, FaultFlags flags)
{
  TesseraCounters counters;
  StubLive before, after;
  GString *why = g_string_new (NULL);
  gint     n = 1;

  forget_objects ();
  tessera_trim ();
  stub.live (&before);
  tessera_get_counters (&counters);
  if (flags & FORGET_OBJECTS)
    g_free (run_mode (walk, TESSERA_OPENCL_FORCE));     /* something to forget */
  for (; n <= MOST; n += n < EVERY ? 1 : 1 + n / (flags & FORGET_OBJECTS ? 2 : 8))
    {
      gchar   *number = g_strdup_printf ("%d", n);
      gchar  **parts = g_strsplit (format, "%d", -1);
      gchar   *plan = g_strjoinv (number, parts);
      gboolean met = walk_fault (walk, plan, flags);

      g_free (plan);
      g_strfreev (parts);
      g_free (number);
      if (! met)
        break;
    }
  forget_objects ();
  tessera_trim ();
  stub.live (&after);
  take_off_abandoned (&after, &counters);
  if (! driver_same_live (&before, &after, why))
    driver_verdict (FALSE, format, why->str);
  g_string_free (why, TRUE);
  return n > 1;
}

static gboolean
is_made_once (const gchar *entry)
{
  return g_str_has_suffix (entry, "Queue") || strstr (entry, "Program")
         || strcmp (entry, "CreateKernel") == 0 || strcmp (entry, "ReleaseKernel") == 0;
}

static void
walk_entry (Walk *walk, const gchar *entry, GHashTable *met)
{
  const FaultFlags flags = is_made_once (entry) ? FORGET_OBJECTS : FORGET_NOTHING;
  gboolean         has_code = FALSE;

  for (guint i = 0; i <= G_N_ELEMENTS (codes); i++)
    {
      const gchar *code = i < G_N_ELEMENTS (codes) ? codes[i].code : "CL_OUT_OF_RESOURCES";
      gchar       *fail, *from;

      if (i < G_N_ELEMENTS (codes) ? strcmp (entry, codes[i].entry) != 0
        : has_code || (walk->c->is_variant && flags & FORGET_OBJECTS))
        continue;
      has_code = TRUE;
      fail = g_strdup_printf ("fail %s:%%d:%s", entry, code);
      from = g_strdup_printf ("from %s:1:%s", entry, code);
      if (walk_plans (walk, fail, flags))
        {
          g_hash_table_add (met, (gpointer) entry);
          walk_fault (walk, from, flags);
        }
      g_free (fail);
      g_free (from);
    }
}

void
walk_all (Walk *walk, GHashTable *met)
{
#define WALK_ENTRY(name) walk_entry (walk, #name, met);
  TESSERA_CL_ENTRY_POINTS (WALK_ENTRY)
#undef WALK_ENTRY
  walk_plans (walk, "lost:%d", FORGET_NOTHING);
  walk_plans (walk, "event:%d", FORGET_NOTHING);
  walk_plans (walk, "quiet-event:%d", FORGET_NOTHING);
  walk_plans (walk, "host-memory:%d", FORGET_NOTHING);
  walk_plans (walk, "from CreateBuffer:%d:CL_MEM_OBJECT_ALLOCATION_FAILURE", FORGET_NOTHING);
  if (walk->c->is_variant)
    return;
  walk_plans (walk, "lost:%d:CL_DEVICE_NOT_AVAILABLE", FORGET_OBJECTS);
  /* What kept a command from happening is asked for once it is known that something did. */
  if (stub.calls ("GetEventInfo") > 0 && walk_fault (walk, "fail GetEventInfo:1:CL_OUT_OF_HOST_MEMORY; event:1", FORGET_NOTHING))
    g_hash_table_add (met, (gpointer) "GetEventInfo");
  /* The compiler's message is asked for twice: its length and its text. */
  for (gint n = 1; n <= 2; n++)
    {
      gchar *plan = g_strdup_printf ("fail BuildProgram:1:CL_BUILD_PROGRAM_FAILURE; "
                                     "fail GetProgramBuildInfo:%d:CL_OUT_OF_RESOURCES", n);
      gint64 calls = stub.calls ("GetProgramBuildInfo");

      walk_fault (walk, plan, FORGET_OBJECTS);
      if (stub.calls ("GetProgramBuildInfo") >= calls + n)
        g_hash_table_add (met, (gpointer) "GetProgramBuildInfo");
      g_free (plan);
    }
}
