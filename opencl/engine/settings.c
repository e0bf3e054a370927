/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TESSERA_OPENCL, TESSERA_DEBUG, TESSERA_MEMORY, TESSERA_DELIVER, TESSERA_KEEP_KERNELS and TESSERA_FAULT, and their overrides (control.c).
 */
#include "settings.h"

#include <stdlib.h>
#include <string.h>

#include "tessera.h"

static GMutex          lock;    /* guards what follows */
static gboolean        initialised;
static TesseraSettings settings = { .tile_pixels = TILE_PIXELS };

static guint
parse_debug (const gchar *text)
{
  static const GDebugKey keys[] = {
    { "timings", DEBUG_TIMINGS }, { "paths", DEBUG_PATHS }, { "memory", DEBUG_MEMORY }
  };
  g_auto (GStrv) words = text ? g_strsplit_set (text, ",;: \t", -1) : NULL;
  guint   flags = g_parse_debug_string (text, keys, G_N_ELEMENTS (keys));

  for (guint i = 0; words && words[i]; i++)
    if (*words[i] && g_ascii_strcasecmp (words[i], "all") != 0 && g_ascii_strcasecmp (words[i], "help") != 0
        && g_parse_debug_string (words[i], keys, G_N_ELEMENTS (keys)) == 0)
      g_printerr ("tessera: TESSERA_DEBUG=%s is none of paths, timings, memory\n", words[i]);
  return flags;
}

static TesseraOpenclMode
parse_mode (const gchar *text)
{
  if (! text || ! *text || strcmp (text, "auto") == 0 || strcmp (text, "own") == 0)
    return TESSERA_OPENCL_AUTO;
  if (strcmp (text, "off") == 0)
    return TESSERA_OPENCL_OFF;
  if (strcmp (text, "try") == 0)
    return TESSERA_OPENCL_TRY;
  if (strcmp (text, "force") == 0)
    return TESSERA_OPENCL_FORCE;
  g_printerr ("tessera: TESSERA_OPENCL=%s is none of auto, own, off, try, force; auto is taken\n", text);
  return TESSERA_OPENCL_AUTO;
}

static guint
parse_memory (const gchar *text)
{
  gchar  *end;
  guint64 value;

  if (! text || ! *text)
    return 0;
  value = g_ascii_strtoull (text, &end, 10);
  if (! *end && value > 0 && value <= G_MAXINT)
    return value;
  g_printerr ("tessera: TESSERA_MEMORY=%s is not a number of MiB; a quarter of the device's "
              "memory is taken\n", text);
  return 0;
}

static gboolean
parse_delivery (const gchar *text)
{
  const gboolean stored = g_strcmp0 (text, "stored") == 0;

  if (text && *text && ! stored && strcmp (text, "float") != 0)
    g_printerr ("tessera: TESSERA_DELIVER=%s is none of float, stored; float is taken\n", text);
  return stored;
}

static gint
parse_keeping (const gchar *text)
{
  if (! text || ! *text)
    return -1;
  if (strcmp (text, "yes") != 0 && strcmp (text, "no") != 0)
    g_printerr ("tessera: TESSERA_KEEP_KERNELS=%s is none of yes, no; no is taken\n", text);
  return strcmp (text, "yes") == 0;
}

TesseraSettings *
tessera_settings_lock (void)
{
  g_mutex_lock (&lock);
  if (! initialised)
    {
      initialised = TRUE;
      settings.mode = parse_mode (g_getenv ("TESSERA_OPENCL"));
      settings.owns_device = g_strcmp0 (g_getenv ("TESSERA_OPENCL"), "own") == 0;
      settings.delivers_stored = parse_delivery (g_getenv ("TESSERA_DELIVER"));
      settings.keeps_kernels = parse_keeping (g_getenv ("TESSERA_KEEP_KERNELS"));
      settings.debug = parse_debug (g_getenv ("TESSERA_DEBUG"));
      settings.memory_mib = parse_memory (g_getenv ("TESSERA_MEMORY"));
    }
  return &settings;
}

void
tessera_settings_unlock (void)
{
  g_mutex_unlock (&lock);
}

#define READ_SETTING(type, expression)          \
  const TesseraSettings *s = tessera_settings_lock ();  \
  const type value = (expression);              \
  tessera_settings_unlock ();                   \
  return value

TesseraOpenclMode tessera_mode    (void) { READ_SETTING (TesseraOpenclMode, s->mode); }
TesseraDebug tessera_debug        (void) { READ_SETTING (TesseraDebug, s->debug); }
guint        tessera_memory_mib   (void) { READ_SETTING (guint, s->memory_mib); }
guint        tessera_band_rows    (void) { READ_SETTING (guint, s->band_rows); }
guint        tessera_tile_pixels  (void) { READ_SETTING (guint, s->tile_pixels); }
gboolean     tessera_tight_memory (void) { READ_SETTING (gboolean, s->tight_memory); }
gboolean     tessera_profiling    (void) { READ_SETTING (gboolean, s->profiling || (s->debug & DEBUG_TIMINGS)); }
gboolean     tessera_delivers_stored (void) { READ_SETTING (gboolean, s->delivers_stored); }
gboolean     tessera_tells_progress_at_once (void) { READ_SETTING (gboolean, s->eager_progress); }
gboolean     tessera_owns_device     (void) { READ_SETTING (gboolean, s->owns_device); }
gboolean     tessera_trusts_kernels  (void) { READ_SETTING (gboolean, s->trusts_kernels); }
gboolean     tessera_sends_home      (void) { READ_SETTING (gboolean, s->sends_home); }
guint        tessera_remembers       (void) { READ_SETTING (guint, s->forgets ? 0 : 1 + s->mode); }
static gint  keeps_kernels        (void) { READ_SETTING (gint, s->keeps_kernels); }
static gint64 clock_offset        (void) { READ_SETTING (gint64, s->clock_offset); }

gboolean
tessera_keeps_kernels (gboolean on_processor)
{
  const gint wish = keeps_kernels ();

  return wish < 0 ? ! on_processor : wish;
}

gint64
tessera_now (void)
{
  return g_get_monotonic_time () + clock_offset ();
}

/* ---------------------------------------------------------------- faults -- */

static GMutex   fault_lock;             /* guards what follows */
static gboolean knows_fault;
static gint     countdown[N_FAULTS];    /* 0: none */
static gboolean met;

static const gchar *const names[N_FAULTS] = {
  "build", "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait"
};

gboolean
tessera_fault_is_of (const gchar *fault, TesseraFault kind)
{
  return fault && g_str_has_prefix (fault, names[kind]);
}

static void
inject_locked (const gchar *fault)
{
  knows_fault = TRUE;
  met = FALSE;
  for (gint kind = 0; kind < N_FAULTS; kind++)
    {
      const gsize length = strlen (names[kind]);

      if (tessera_fault_is_of (fault, kind))
        countdown[kind] = fault[length] == ':' ? MAX (1, atoi (fault + length + 1)) : 1;
      else
        countdown[kind] = 0;
    }
}

void
tessera_fault_inject (const gchar *fault)
{
  g_mutex_lock (&fault_lock);
  inject_locked (fault);
  g_mutex_unlock (&fault_lock);
}

static _Thread_local gboolean spares;

void
tessera_fault_spare (gboolean on)
{
  spares = on;
}

gboolean
tessera_fault (TesseraFault kind)
{
  gboolean fails;

  if (spares)
    return FALSE;
  g_mutex_lock (&fault_lock);
  if (! knows_fault)
    inject_locked (g_getenv ("TESSERA_FAULT"));
  fails = countdown[kind] > 0 && --countdown[kind] == 0;
  met = met || fails;
  g_mutex_unlock (&fault_lock);
  return fails;
}

gboolean
tessera_fault_was_met (void)
{
  gboolean value;

  g_mutex_lock (&fault_lock);
  value = met;
  g_mutex_unlock (&fault_lock);
  return value;
}
