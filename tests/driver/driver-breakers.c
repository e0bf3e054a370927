/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Three failures put a filter on C, five all of them: for a minute, then for two, four ...  A success makes up for a
 * failure, and who switches OpenCL off and on has the device tried.  A program that could not be built once is
 * built the next time, unless the compiler refuses it; what may be a lack of memory is tried in smaller bands.  If that fails too, it
 * is a failure for pictures of this size.  Failures are counted by pictures, not by requests. */
#include "driver-breakers.h"

#include "driver-walk.h"

#define BROKEN "from EnqueueNDRangeKernel:1:CL_INVALID_OPERATION"

typedef enum { ON_DEVICE, FAILS, IN_C } Way;

static gint64 clock_now;        /* seconds that the clock has been moved by */

static void
let_pass (gint64 seconds)
{
  clock_now += seconds;
  tessera_set_clock_offset (clock_now * G_USEC_PER_SEC);
}

static void
begin (void)
{
  stub.set_plan (NULL);
  tessera_set_fault (NULL);             /* nothing has failed yet */
}

/* One request under `plan`: which way does it go, and what is said?  `line`: a part of the one line, "" for none, NULL
 * where it does not matter. */
static void
ask (Walk *walk, const gchar *plan, Way way, const gchar *line, const gchar *title)
{
  GString        *why = g_string_new (NULL);
  const gint64    writes = stub.calls ("EnqueueWriteBuffer"), builds = stub.calls ("CreateProgramWithSource");
  const gint64    buffers = stub.calls ("CreateBuffer"), queues = stub.calls ("CreateCommandQueue");
  TesseraCounters before, after;
  Captured        capture;
  DriverSaid      said;
  gfloat         *pixels;
  gboolean        was_tried;

  driver_now (title);
  tessera_get_counters (&before);
  captured_begin (&capture);
  stub.set_plan (plan);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  pixels = driver_run (walk->c, &walk->picture);
  stub.set_plan (NULL);
  driver_captured_end (&capture, &said);
  tessera_get_counters (&after);
  was_tried = stub.calls ("EnqueueWriteBuffer") > writes || stub.calls ("CreateProgramWithSource") > builds
              || stub.calls ("CreateBuffer") > buffers || stub.calls ("CreateCommandQueue") > queues;
  driver_same (walk->c, pixels, walk->in_c, "this request and C", why);
  if (was_tried != (way != IN_C))
    g_string_append (why, was_tried ? "  the device was tried\n" : "  the device was not tried\n");
  if ((after.device_requests > before.device_requests) != (way == ON_DEVICE))
    g_string_append (why, way == ON_DEVICE ? "  the device did not answer it\n" : "  the device answered it\n");
  if (said.warnings || (line && (said.lines != (*line ? 1 : 0) || ! strstr (said.text->str, line))))
    g_string_append_printf (why, "  expected on stderr: %s\n%s", line && *line ? line : "nothing", said.text->str);
  driver_verdict (! why->len, title, why->str);
  driver_said_clear (&said);
  g_string_free (why, TRUE);
  g_free (pixels);
}

static void
ask_often (Walk *walk, guint n, const gchar *title)
{
  for (guint i = 0; i < n; i++)
    ask (walk, NULL, ON_DEVICE, "", title);
}

/* ---------------------------------------------------------------- limits -- */

static void
of_a_filter (Walk *blur, Walk *grid)
{
  begin ();
  ask (blur, BROKEN, FAILS, "computed in C instead", "first failure of a filter");
  ask (blur, BROKEN, FAILS, "", "second failure of a filter");
  ask (blur, BROKEN, FAILS, "3 failures of the OpenCL device: it runs in C for the next minute", "third failure of a filter");
  ask (blur, BROKEN, IN_C, "", "after three failures of a filter");
  ask_often (grid, 3, "another filter, which makes up for them");
  let_pass (58);
  ask (blur, BROKEN, IN_C, "", "nearly a minute later");
  let_pass (3);
  ask (blur, BROKEN, FAILS, "3 failures of the OpenCL device: it runs in C for the next 2 minutes", "a minute later");
  ask_often (grid, 1, "another filter meanwhile");
  let_pass (118);
  ask (blur, NULL, IN_C, "", "nearly two minutes later");
  let_pass (3);
  ask (blur, BROKEN, FAILS, "3 failures of the OpenCL device: it runs in C for the next 4 minutes", "two minutes later");
  ask_often (grid, 1, "another filter meanwhile");
  let_pass (238);
  ask (blur, NULL, IN_C, "", "nearly four minutes later");
  let_pass (3);
  ask_often (blur, 3, "four minutes later, on a driver that is whole again");
  ask (blur, BROKEN, FAILS, "", "a failure after successes");
  ask (blur, BROKEN, FAILS, "", "a second failure after successes");
  ask (blur, BROKEN, FAILS, "it runs in C for the next minute", "three failures after successes");
}

static void
of_all (Walk *blur, Walk *grid, Walk *other)
{
  begin ();
  for (gint i = 0; i < 3; i++)
    ask (blur, BROKEN, FAILS, NULL, "failures of one filter");
  ask (grid, BROKEN, FAILS, "computed in C instead", "first failure of another filter");
  ask (grid, BROKEN, FAILS, "5 failures of the OpenCL device: all filters run in C for the next minute", "fifth failure");
  ask (grid, BROKEN, IN_C, "", "after five failures");
  ask (other, NULL, IN_C, "", "after five failures, a filter that never failed");
  let_pass (61);
  ask (other, BROKEN, FAILS, NULL, "a minute later");
  ask (grid, NULL, IN_C, "", "after one more failure");
  let_pass (118);
  ask (grid, NULL, IN_C, "", "nearly two minutes later");
  let_pass (3);
  ask (grid, NULL, ON_DEVICE, "", "two minutes later");
}

/* Now and then a failure, and many successes. */
static void
spread (Walk *blur, Walk *grid)
{
  begin ();
  for (gint i = 0; i < 5; i++)
    {
      ask_often (i % 2 ? blur : grid, 100, "between failures");
      ask (i % 2 ? grid : blur, BROKEN, FAILS, NULL, "a failure now and then");
    }
  ask_often (blur, 1, "after failures now and then");
  ask_often (grid, 1, "after failures now and then, another filter");
}

/* GIMP's preferences. */
static void
switched (Walk *blur)
{
  for (gint asked = 0; asked < 2; asked++)
    {
      begin ();
      for (gint i = 0; i < 4; i++)
        ask (blur, BROKEN, i < 3 ? FAILS : IN_C, NULL, "failures before OpenCL is switched off");
      g_object_set (gegl_config (), "use-opencl", FALSE, NULL);
      if (asked)
        ask (blur, NULL, IN_C, "", "OpenCL is off");
      g_object_set (gegl_config (), "use-opencl", TRUE, NULL);
      ask (blur, NULL, ON_DEVICE, "", asked ? "OpenCL is on again" : "OpenCL was switched off and on");
    }
}

/* -------------------------------------------------------------- programs -- */

static void
build_once (Walk *blur, const gchar *entry, gint n, const gchar *code, gboolean refused)
{
  gchar *plan = g_strdup_printf ("fail %s:%d:%s", entry, n, code);
  gchar *after = g_strdup_printf ("after %s", plan);
  gint64 builds;

  begin ();
  forget_objects ();
  ask (blur, plan, FAILS, code, plan);
  builds = stub.calls (entry);
  ask (blur, NULL, refused ? IN_C : ON_DEVICE, "", after);
  driver_verdict ((stub.calls (entry) > builds) != refused, after,
                  refused ? "  it was built again\n" : "  it was not built again\n");
  forget_objects ();
  g_free (after);
  g_free (plan);
}

static void
programs (Walk *blur)
{
  static const gchar *const passing[] = { "CL_OUT_OF_HOST_MEMORY", "CL_OUT_OF_RESOURCES" };

  for (gint n = 1; n <= 2; n++)         /* the engine's own, and the filter's */
    {
      for (guint i = 0; i < G_N_ELEMENTS (passing); i++)
        {
          build_once (blur, "BuildProgram", n, passing[i], FALSE);
          build_once (blur, "CreateProgramWithSource", n, passing[i], FALSE);
        }
      build_once (blur, "BuildProgram", n, "CL_BUILD_PROGRAM_FAILURE", TRUE);
    }
}

/* ---------------------------------------------------------------- memory -- */

/* As often as it likes: there may be room for less, and nothing is switched off. */
static void
memory (Walk *blur)
{
  static const gchar *const plans[] = {
    "fail EnqueueNDRangeKernel:1:CL_OUT_OF_RESOURCES", "fail EnqueueWriteBuffer:1:CL_OUT_OF_RESOURCES",
    "fail EnqueueReadBuffer:1:CL_OUT_OF_RESOURCES", "fail EnqueueWriteBuffer:2:CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "alone write:1", "alone launch:2", "alone read:1", "late launch:1", "alone launch:1:CL_MEM_OBJECT_ALLOCATION_FAILURE"
  };

  begin ();
  ask_often (blur, 1, "before memory is short");
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    ask (blur, plans[i], ON_DEVICE, "", plans[i]);
  ask_often (blur, 1, "after memory was short");
}

/* Another program has filled the card's memory, and keeps it.  The smallest plan fails, too: the device is left alone, but not for
 * smaller pictures, and not by other filters. */
static void
lasting_lack (Walk *blur, Walk *small, Walk *grid)
{
  static const gchar *const plans[] = {
    "from EnqueueNDRangeKernel:1:CL_MEM_OBJECT_ALLOCATION_FAILURE", "from CreateBuffer:1:CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "from CreateBuffer:1:CL_OUT_OF_HOST_MEMORY", "from EnqueueWriteBuffer:1:CL_OUT_OF_HOST_MEMORY",
    "from CreateCommandQueue:1:CL_OUT_OF_HOST_MEMORY", "from Finish:1:CL_OUT_OF_HOST_MEMORY", "from WaitForEvents:1:CL_MEM_OBJECT_ALLOCATION_FAILURE",
    "from SetKernelArg:1:CL_OUT_OF_HOST_MEMORY", "from EnqueueReadBuffer:1:CL_MEM_OBJECT_ALLOCATION_FAILURE"
  };

  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    {
      begin ();
      tessera_set_fault ("queue:1000000000");   /* queues are made anew */
      begin ();
      tessera_trim ();
      ask (blur, plans[i], FAILS, "computed in C instead", plans[i]);
      ask (blur, plans[i], FAILS, NULL, plans[i]);
      ask (blur, plans[i], FAILS, NULL, plans[i]);
      ask (blur, plans[i], IN_C, "", plans[i]);
    }
  ask (small, NULL, ON_DEVICE, "", "a smaller picture while memory is short");
  ask (grid, NULL, ON_DEVICE, "", "another filter while memory is short");
  ask (blur, NULL, IN_C, "", "successes of smaller pictures do not count");
  let_pass (58);
  ask (blur, NULL, IN_C, "", "nearly a minute after memory was short");
  let_pass (3);
  ask (blur, plans[G_N_ELEMENTS (plans) - 1], FAILS, "run in C for the next 2 minutes", "a minute after memory was short");
  let_pass (118);
  ask (blur, NULL, IN_C, "", "nearly two minutes after memory was short");
  let_pass (3);
  ask_often (blur, 3, "two minutes after, when there is memory again");
  ask (blur, plans[0], FAILS, NULL, "a lack of memory after successes");
  ask_often (blur, 1, "after one lack of memory");
}

/* A picture of equalize is two requests. */
static void
by_pictures (Walk *two)
{
  static const gchar first[] = "fail EnqueueNDRangeKernel:1:CL_INVALID_OPERATION";

  begin ();
  for (gint i = 0; i < 3; i++)
    ask (two, BROKEN, FAILS, NULL, "both requests of a picture fail");
  ask (two, NULL, IN_C, "", "after three pictures that failed twice");
  begin ();
  for (gint i = 0; i < 3; i++)
    ask (two, first, i < 2 ? ON_DEVICE : FAILS, NULL, "the first of a picture's two requests fails");
  ask (two, NULL, IN_C, "", "after three pictures of which the half failed");
}

/* ------------------------------------------------------------------- all -- */

static const DriverCase small_blur = { .name = "motion-blur", .operation = "tessera:motion-blur", .settings = "length=13.5 angle=27",
                                       .format = "RaGaBaA float", .width = 20, .height = 20 };
static const DriverCase equalize = { .name = "equalize", .operation = "tessera:equalize", .settings = "", .format = "RGBA float",
                                     .width = 61, .height = 50 };

void
breakers (const DriverCase *one, const DriverCase *two, const DriverCase *three)
{
  Walk     blur, grid, other, small, pictures;
  gboolean good = walk_init (&blur, one) & walk_init (&grid, two) & walk_init (&other, three) & walk_init (&small, &small_blur)
                  & walk_init (&pictures, &equalize);

  if (good)
    {
      of_a_filter (&blur, &grid);
      of_all (&blur, &grid, &other);
      spread (&blur, &grid);
      switched (&blur);
      programs (&blur);
      memory (&blur);
      lasting_lack (&blur, &small, &grid);
      by_pictures (&pictures);
    }
  else
    driver_verdict (FALSE, "circuit breakers", "  the filters do not run on the device\n");
  begin ();
  let_pass (- clock_now);
  walk_fault (&blur, "delay Flush:1", FORGET_NOTHING);
  walk_clear (&blur);
  walk_clear (&grid);
  walk_clear (&other);
  walk_clear (&small);
  walk_clear (&pictures);
}
