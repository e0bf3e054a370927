/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * soak: very many random requests in one process, with faults, little memory and
 * changing modes among them.  C and OpenCL agree, nothing hangs, crashes or warns, and
 * memory stays flat.  soak.h says how a failure is repeated. */
#include "soak.h"

#include <glib/gstdio.h>

#define SAMPLES        10
#define MOST_REPORTED  20
#define SLACK_KIB      (16 * 1024)      /* what resident memory may grow by, and a tenth */
#define SETTLED        20000            /* requests by which every kernel and conversion has been met */

typedef struct
{
  guint64         requests, resident;
  TesseraCounters counters;
} Sample;

typedef struct
{
  SoakOptions options;
  SoakSource  sources[SOAK_SLOTS];
  SoakWeather weather;
  guint64     next;                     /* request */
  guint64     done, verified, passed, failed;
  Sample      samples[SAMPLES + 1];
  gint64      began;
} Soak;

/* -------------------------------------------------------------- verdicts -- */

static void
report (Soak *soak, const SoakRequest *request, const GString *why)
{
  gchar *text;

  if (++soak->failed > MOST_REPORTED)
    return;
  text = soak_describe (request, &soak->weather, soak->sources);
  g_print ("FAIL %s\n%s  again: soak --seed %" G_GUINT64_FORMAT " --from %" G_GUINT64_FORMAT " --requests %d\n", text,
           why->str, soak->options.seed, request->number - request->number % SOAK_SPELL, SOAK_SPELL);
  g_free (text);
}

static void
expect (Soak *soak, gboolean good, const gchar *format, ...)
{
  va_list arguments;
  gchar  *text;

  if (good)
    {
      soak->passed++;
      return;
    }
  soak->failed++;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_print ("FAIL %s (seed %" G_GUINT64_FORMAT ")\n", text, soak->options.seed);
  g_free (text);
}

/* -------------------------------------------------------------- requests -- */

static void
set_weather (Soak *soak)
{
  SoakWeather *weather = &soak->weather, old = *weather;
  gint         threads;

  soak_weather (soak->options.seed, soak->next / SOAK_SPELL, weather);
  if (weather->threads <= 0)
    weather->threads = MIN (4, (gint) g_get_num_processors ());
  g_object_get (gegl_config (), "threads", &threads, NULL);
  if (threads != weather->threads)
    g_object_set (gegl_config (), "threads", weather->threads, NULL);
  tessera_set_tile_pixels (weather->sent ? 1 : -1);
  tessera_set_memory (weather->memory);
  tessera_set_band_rows (weather->band_rows);
  if (*weather->fault || *old.fault)
    tessera_set_fault (*weather->fault ? weather->fault : NULL);
}

static void
repaint (Soak *soak, guint slot)
{
  if (! soak_source_clear (&soak->sources[slot]))
    expect (soak, FALSE, "the pixels of source %u were changed before request %" G_GUINT64_FORMAT, slot, soak->next);
  soak_source_init (&soak->sources[slot], soak->options.seed, slot, soak->next);
}

static void
drop_sources (Soak *soak)
{
  soak_run_clear ();
  for (guint slot = 0; slot < SOAK_SLOTS; slot++)
    if (! soak_source_clear (&soak->sources[slot]))
      expect (soak, FALSE, "the pixels of source %u were changed before request %" G_GUINT64_FORMAT, slot, soak->next);
}

static void
paint_sources (Soak *soak)
{
  for (guint slot = 0; slot < SOAK_SLOTS; slot++)
    soak_source_init (&soak->sources[slot], soak->options.seed, slot, soak->next);
}

/* C and then OpenCL, whatever the weather; both kinds of result are read at the end. */
static void
verify (Soak *soak, SoakRequest *request, GString *why)
{
  const guint8 *in_c, *on_device = NULL;

  tessera_set_opencl_mode (request->mode = TESSERA_OPENCL_OFF);
  in_c = soak_run (request, soak->sources, why);
  tessera_set_opencl_mode (request->mode = TESSERA_OPENCL_TRY);
  if (in_c)
    on_device = soak_run (request, soak->sources, why);
  soak->verified++;
  if (on_device && soak_same (request, in_c, on_device, why))
    soak->passed++;
  else
    report (soak, request, why);
}

static void
next_request (Soak *soak, GString *why)
{
  SoakRequest request;

  if (soak->next % SOAK_SPELL == 0)
    set_weather (soak);
  if (soak->next % SOAK_REPAINT == 0)
    repaint (soak, soak->next / SOAK_REPAINT % SOAK_SLOTS);
  g_string_truncate (why, 0);
  soak_draw (&soak->options, soak->next, soak->sources, &request);
  request.calm = ! *soak->weather.fault && ! soak->weather.memory;
  soak_watch_request (soak_describe (&request, &soak->weather, soak->sources));
  if (request.verifies)
    verify (soak, &request, why);
  else
    {
      tessera_set_opencl_mode (request.mode);
      if (! soak_run (&request, soak->sources, why))
        report (soak, &request, why);
    }
  soak->next++;
  soak->done++;
}

/* --------------------------------------------------------------- samples -- */

static gdouble
seconds_of (const Soak *soak)
{
  return (g_get_monotonic_time () - soak->began) / 1e6;
}

static gdouble
progress (const Soak *soak)
{
  gdouble by_number = (gdouble) soak->done / soak->options.requests;

  return soak->options.seconds > 0 ? MAX (by_number, seconds_of (soak) / soak->options.seconds) : by_number;
}

/* Nothing of ours is alive but what the process keeps for good. */
static void
take_sample (Soak *soak, gint tenth)
{
  Sample          *sample = &soak->samples[tenth];
  TesseraCounters *c = &sample->counters;

  soak_watch_request (g_strdup_printf ("taking a sample before request %" G_GUINT64_FORMAT, soak->next));
  drop_sources (soak);
  tessera_trim ();
  sample->requests = soak->done;
  sample->resident = soak_resident ();
  tessera_get_counters (c);
  if (tenth < SAMPLES)
    paint_sources (soak);
  expect (soak, c->live_bytes == 0 && c->live_pinned_bytes == 0,
          "after a trim %" G_GUINT64_FORMAT " bytes on the device, %" G_GUINT64_FORMAT " pinned are alive before request %"
          G_GUINT64_FORMAT, c->live_bytes, c->live_pinned_bytes, soak->next);
  expect (soak, c->live_objects == soak->samples[0].counters.live_objects,
          "after a trim %" G_GUINT64_FORMAT " objects are alive before request %" G_GUINT64_FORMAT ", at first %"
          G_GUINT64_FORMAT, c->live_objects, soak->next, soak->samples[0].counters.live_objects);
  g_print ("%3d %%: %" G_GUINT64_FORMAT " requests, %.0f s, %.0f a second, device %.0f %%, %" G_GUINT64_FORMAT
           " fallbacks, %" G_GUINT64_FORMAT " verified, %.1f MiB resident, %" G_GUINT64_FORMAT " objects\n", 10 * tenth,
           soak->done, seconds_of (soak), soak->done / MAX (seconds_of (soak), 1e-3),
           100.0 * c->device_requests / MAX (c->requests, 1), c->fallbacks, soak->verified, sample->resident / 1024.0,
           c->live_objects);
}

static void
check_memory (Soak *soak)
{
  const Sample *early = &soak->samples[2], *last = &soak->samples[SAMPLES];

#if defined (__SANITIZE_ADDRESS__) || defined (__SANITIZE_THREAD__)
  return;                               /* the sanitizer keeps what was freed */
#endif
  if (early->requests >= SETTLED)
    expect (soak, last->resident <= early->resident * 11 / 10 + SLACK_KIB,
            "resident memory grew from %.1f MiB after %" G_GUINT64_FORMAT " requests to %.1f MiB after %" G_GUINT64_FORMAT,
            early->resident / 1024.0, early->requests, last->resident / 1024.0, last->requests);
}

static void
run (Soak *soak)
{
  GString *why = g_string_new (NULL);
  gint     tenth = 0;

  soak->began = g_get_monotonic_time ();
  soak->next = soak->options.from - soak->options.from % SOAK_SPELL;
  paint_sources (soak);
  take_sample (soak, tenth++);
  while (tenth <= SAMPLES)
    {
      next_request (soak, why);
      for (; tenth <= SAMPLES && progress (soak) >= tenth / (gdouble) SAMPLES; tenth++)
        take_sample (soak, tenth);
    }
  check_memory (soak);
  g_string_free (why, TRUE);
}

static void
summarise (const Soak *soak)
{
  const TesseraCounters *c = &soak->samples[SAMPLES].counters;

  g_print ("seed %" G_GUINT64_FORMAT ": %" G_GUINT64_FORMAT " requests in %.0f s, %.0f a second; the engine's: %"
           G_GUINT64_FORMAT ", %.1f %% on the device, %.1f %% in C, %" G_GUINT64_FORMAT " fallbacks, %" G_GUINT64_FORMAT
           " bands, %" G_GUINT64_FORMAT " launches, %" G_GUINT64_FORMAT " builds, %" G_GUINT64_FORMAT
           " results stayed; %" G_GUINT64_FORMAT " verified; %" G_GUINT64_FORMAT " lines on stderr\n", soak->options.seed, soak->done, seconds_of (soak),
           soak->done / seconds_of (soak), c->requests, 100.0 * c->device_requests / MAX (c->requests, 1),
           100.0 * c->c_requests / MAX (c->requests, 1), c->fallbacks, c->bands, c->launches, c->builds, c->stays, soak->verified,
           soak_watch_lines ());
  g_print ("resident MiB:");
  for (gint i = 0; i <= SAMPLES; i++)
    g_print (" %.1f", soak->samples[i].resident / 1024.0);
  g_print ("\n");
}

/* ------------------------------------------------------------------ start -- */

static gboolean
parse_options (int *argc, char ***argv, SoakOptions *options)
{
  static gchar   *seed, *mode;
  static gint64   requests = 1000000, from;
  static gdouble  seconds;
  static gboolean verbose;
  const GOptionEntry entries[] = {
    { "requests", 'n', 0, G_OPTION_ARG_INT64, &requests, "Requests to make", "N" },
    { "seconds", 't', 0, G_OPTION_ARG_DOUBLE, &seconds, "Time limit", "T" },
    { "seed", 's', 0, G_OPTION_ARG_STRING, &seed, "Seed of the run", "S" },
    { "from", 0, 0, G_OPTION_ARG_INT64, &from, "First request", "K" },
    { "opencl-mode", 0, 0, G_OPTION_ARG_STRING, &mode, "try, off or auto: not a random one", "MODE" },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &verbose, "What the engine says on stderr", NULL },
    { NULL, 0, 0, 0, NULL, NULL, NULL }
  };
  GOptionContext *context = g_option_context_new ("- very many random requests");
  gboolean        good;

  g_option_context_add_main_entries (context, entries, NULL);
  good = g_option_context_parse (context, argc, argv, NULL) && requests > 0 && from >= 0;
  g_option_context_free (context);
  *options = (SoakOptions) { .seed = seed ? g_ascii_strtoull (seed, NULL, 0) : (guint64) g_get_real_time () % 1000000007,
                             .from = from, .requests = requests, .seconds = seconds, .mode = -1, .verbose = verbose };
  if (mode)
    options->mode = strcmp (mode, "off") == 0 ? TESSERA_OPENCL_OFF : strcmp (mode, "auto") == 0 ? TESSERA_OPENCL_AUTO
                                                                                               : TESSERA_OPENCL_TRY;
  return good;
}

int
main (int argc, char **argv)
{
  static Soak soak;
  guint       n_filters;
  gboolean    had_folder = g_file_test ("RAM", G_FILE_TEST_EXISTS);

  if (! parse_options (&argc, &argv, &soak.options))
    {
      g_printerr ("soak: bad options; see soak --help\n");
      return 2;
    }
  g_setenv ("GEGL_USE_OPENCL", "cpu", FALSE);
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_TILE_SIZE", "32x32", FALSE); /* small results have whole tiles, too */
  g_setenv ("BABL_INHIBIT_CACHE", "1", FALSE);  /* with it babl makes tables of 256 MiB at the first use */
  g_setenv ("GEGL_PATH", TEST_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S TEST_PLUGINS_DIR, FALSE);
  soak_watch_start (soak.options.verbose);
  gegl_init (NULL, NULL);
  g_object_set (gegl_config (), "use-opencl", TRUE, NULL);
  g_free (soak_take_warnings ());
  soak_filters (&n_filters);
  g_print ("seed %" G_GUINT64_FORMAT ", %u filters, %s\n", soak.options.seed, n_filters,
           tessera_device_name () ? tessera_device_name () : "no OpenCL device");
  expect (&soak, n_filters > 0, "there is no operation tessera:...");
  expect (&soak, tessera_device_name () != NULL || soak.options.mode == TESSERA_OPENCL_OFF, "there is no OpenCL device");
  if (soak.failed == 0)
    {
      run (&soak);
      summarise (&soak);
    }
  soak_watch_end ();
  g_print ("%" G_GUINT64_FORMAT " passed, %" G_GUINT64_FORMAT " failed\n", soak.passed, soak.failed);
  gegl_exit ();
  if (! had_folder)
    g_rmdir ("RAM");            /* GEGL 0.4.42 makes an empty one for GEGL_SWAP=RAM */
  return soak.failed || ! soak.passed;
}
