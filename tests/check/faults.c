/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Makes the N-th call of each kind fail, N = 1, 2, ... until none is met.  The
 * result must be C's, bit for bit, with one line on stderr and nothing left
 * behind; and the next request must run on the device again. */
#include "check.h"

#include "../engine/captured.h"

#define MAX_FAULTS 2000         /* bilateral-grid sets over 300 arguments */
#define ARGUMENT_STEP 5
#define MANY 32                 /* calls of a kind, of which each is tried */

typedef struct
{
  const CheckFilter  *filter;
  const CheckOptions *options;
  CheckStats         *stats;
  CheckCase           c;
  CheckSource        *source, *aux;
  GeglRectangle       roi;
  CheckPixels         in_c, on_device;
  gboolean            has_device;       /* is on_device known yet? */
} Faults;

/* ----------------------------------------------------------------- runs -- */

static gboolean
run_mode (Faults *f, TesseraOpenclMode mode, CheckPixels *pixels, GString *why)
{
  tessera_set_opencl_mode (mode);
  tessera_set_band_rows (f->c.field[CHECK_BANDS]);
  return check_blit (f->filter, &f->c, f->source, f->aux, &f->roi, pixels, why);
}

static gboolean
expect (gboolean condition, const gchar *what, GString *why)
{
  if (! condition)
    g_string_append_printf (why, "  %s\n", what);
  return condition;
}

/* A forced request without a fault runs on the device, and always alike. */
static gboolean
device_works (Faults *f, GString *why)
{
  CheckPixels     pixels = { 0 };
  TesseraCounters before, after;
  gboolean        good;

  tessera_get_counters (&before);
  good = run_mode (f, TESSERA_OPENCL_FORCE, &pixels, why);
  tessera_get_counters (&after);
  good &= expect (after.device_requests > before.device_requests && after.fallbacks == before.fallbacks,
                  "the next request did not run on the device", why);
  if (f->has_device)
    {
      good = good && check_same_bits (&pixels, &f->on_device, "after the fault vs before it", why);
      check_pixels_clear (&pixels);
    }
  else if (good)
    {
      f->on_device = pixels;
      f->has_device = TRUE;
    }
  else
    check_pixels_clear (&pixels);
  return good;
}

/* After a fault that was met.  An allocation that failed may be answered by a lower
 * band, or, where an earlier request has left idle memory, by giving that back: then
 * the device's result and no fallback are right too.  Of several requests one falls
 * back, or all where there is no program. */
static gboolean
fault_handled (Faults *f, const gchar *fault, const CheckPixels *pixels, gint lines,
               const TesseraCounters *before, const TesseraCounters *after, GString *why)
{
  guint64       fallbacks = after->fallbacks - before->fallbacks, device = after->device_requests - before->device_requests;
  const guint64 requests = MAX (f->filter->requests, 1);
  const guint64 failing = strcmp (fault, "build") ? 1 : requests;
  gboolean      good;

  if ((g_str_has_prefix (fault, "alloc") || ((requests > 1 || f->filter->draws_points) && g_str_has_prefix (fault, "map")))
      && device == requests && ! fallbacks)
    return expect (lines <= 1, "more than one line on stderr", why)
           & (! f->has_device || check_same_bits (pixels, &f->on_device, "lower bands vs usual", why));
  good = expect (fallbacks == failing, "not one fallback", why);
  good &= expect (device == requests - failing, "the device request is counted although it failed", why);
  good &= expect (after->c_requests - before->c_requests == failing, "not one C request", why);
  good &= expect (lines == 1, "not one line on stderr", why);
  return good & check_same_bits (pixels, &f->in_c, "after the fault vs C", why);
}

/* FALSE when the fault was not met: the walk is over. */
static gboolean
one_fault (Faults *f, const gchar *fault)
{
  GString        *why = g_string_new (NULL);
  gchar          *title = g_strdup_printf ("%s, fault %s (again: check --filter %s --faults --seed %"
                                           G_GUINT64_FORMAT ")", f->filter->name, fault, f->filter->name,
                                           f->options->seed);
  TesseraCounters before, after, trimmed;
  Captured        captured;
  CheckPixels     pixels = { 0 };
  gboolean        met, good = TRUE;
  gint            lines;

  tessera_trim ();
  tessera_get_counters (&before);
  tessera_set_fault (fault);
  captured_begin (&captured);
  good = run_mode (f, TESSERA_OPENCL_TRY, &pixels, why);
  met = tessera_fault_met ();
  g_strfreev (captured_end (&captured, why, &lines));
  tessera_get_counters (&after);
  tessera_set_fault (NULL);
  if (met)
    {
      good &= fault_handled (f, fault, &pixels, lines, &before, &after, why);
      tessera_trim ();
      tessera_get_counters (&trimmed);
      good &= expect (trimmed.live_objects == before.live_objects, "objects were left behind", why);
      good &= device_works (f, why);
    }
  else
    good &= expect (after.fallbacks == before.fallbacks && lines == 0, "a fallback without a fault", why)
            & (! f->has_device || check_same_bits (&pixels, &f->on_device, "no fault vs usual", why));
  check_verdict (f->stats, good, title, why, f->options->quiet);
  check_pixels_clear (&pixels);
  g_string_free (why, TRUE);
  g_free (title);
  return met;
}

/* Calls are many, and made by the same code whatever the bands are: where `few`, ever fewer of the later ones, and some of the
 * arguments, which the seed picks. */
static void
walk (Faults *f, gboolean few)
{
  static const gchar *const kinds[] = { "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait" };

  if (! one_fault (f, "build"))
    check_verdict (f->stats, FALSE, "fault build was never met", NULL, f->options->quiet);
  for (guint kind = 0; kind < G_N_ELEMENTS (kinds); kind++)
    {
      const gint step = few && ! strcmp (kinds[kind], "set-arg") ? ARGUMENT_STEP : 1;
      gboolean   met = TRUE;
      gint       n = step > 1 ? (gint) (f->options->seed % step) : 0, walked = 0;

      while (met && n < MAX_FAULTS)
        {
          gchar *fault = g_strdup_printf ("%s:%d", kinds[kind], n + 1);

          met = one_fault (f, fault);
          walked += met;
          n += step + (few ? n / MANY : 0);
          g_free (fault);
        }
      if (met || ! walked)
        check_verdict (f->stats, FALSE, met ? "a kind of fault is met without end" : "a kind of fault was never met", NULL,
                       f->options->quiet);
    }
}

void
check_faults (const CheckFilter  *filter,
              const CheckOptions *options,
              CheckStats         *stats)
{
  /* Bands of rows; bands of tiles; one band of tiles, in slices. */
  static const struct { gint sent, bands; } ways[] = { { 0, 17 }, { 1, 17 }, { 1, 0 } };

  Faults   f = { .filter = filter, .options = options, .stats = stats };
  GString *why = g_string_new (NULL);

  check_draw (filter, options->seed, 2000000, options->max_size, &f.c);
  memset (f.c.field, 0, sizeof f.c.field);
  check_default_values (filter, f.c.value);
  f.c.field[CHECK_WIDTH] = 61;
  f.c.field[CHECK_HEIGHT] = 50;
  f.c.field[CHECK_AUX] = filter->has_aux;
  f.source = check_source_draw (filter, &f.c);
  f.aux = check_aux_draw (filter, &f.c);
  f.roi = check_roi (filter, &f.c);
  check_set_threads (0);
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++)
    {
      tessera_set_tile_pixels (ways[i].sent ? 1 : -1);
      f.c.field[CHECK_BANDS] = ways[i].bands;
      check_pixels_clear (&f.in_c);
      if (run_mode (&f, TESSERA_OPENCL_OFF, &f.in_c, why))
        walk (&f, i + 1 < G_N_ELEMENTS (ways) || ! options->every_fault);
      else
        check_verdict (stats, FALSE, "the C leg before the faults", why, options->quiet);
    }
  tessera_set_tile_pixels (-1);
  tessera_set_fault (NULL);
  tessera_set_band_rows (0);
  check_pixels_clear (&f.in_c);
  check_pixels_clear (&f.on_device);
  check_source_free (f.source);
  check_source_free (f.aux);
  g_string_free (why, TRUE);
}
