/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TESSERA_OPENCL, TESSERA_DEBUG, TESSERA_MEMORY, TESSERA_FAULT and their
 * overrides; messages; counters.
 */
#include "tessera.h"
#include "internal.h"

#include <string.h>

static GMutex      lock;            /* guards what follows, but for the counters */
static gboolean    initialised;
static TesseraMode mode;
static guint       debug, memory_mib, band_rows;
static gint        fault_countdown[N_FAULTS];       /* 0: none */
static gboolean    fault_met;
static GHashTable *messages;

static const gchar *const fault_names[N_FAULTS] = { "build", "alloc", "enqueue", "download" };

static void
parse_fault (const gchar *text)
{
  memset (fault_countdown, 0, sizeof fault_countdown);
  fault_met = FALSE;
  for (gint kind = 0; text && kind < N_FAULTS; kind++)
    {
      gsize length = strlen (fault_names[kind]);

      if (strncmp (text, fault_names[kind], length) == 0)
        fault_countdown[kind] = text[length] == ':' ? MAX (1, atoi (text + length + 1)) : 1;
    }
}

static void
initialise (void)
{
  const GDebugKey keys[] = {
    { "timings", DEBUG_TIMINGS }, { "paths", DEBUG_PATHS }, { "memory", DEBUG_MEMORY }
  };
  const gchar *opencl = g_getenv ("TESSERA_OPENCL");
  const gchar *memory = g_getenv ("TESSERA_MEMORY");

  if (initialised)
    return;
  initialised = TRUE;
  messages = g_hash_table_new (g_str_hash, g_str_equal);
  if (opencl && *opencl && strcmp (opencl, "auto") != 0)
    {
      if (strcmp (opencl, "off") == 0)
        mode = MODE_OFF;
      else if (strcmp (opencl, "force") == 0)
        mode = MODE_FORCE;
      else
        g_printerr ("tessera: TESSERA_OPENCL=%s is none of auto, off, force; auto is taken\n", opencl);
    }
  debug = g_parse_debug_string (g_getenv ("TESSERA_DEBUG"), keys, G_N_ELEMENTS (keys));
  if (memory && *memory)
    {
      gchar  *end;
      guint64 value = g_ascii_strtoull (memory, &end, 10);

      if (*end || value == 0 || value > G_MAXINT)
        g_printerr ("tessera: TESSERA_MEMORY=%s is not a number of MiB; a quarter of the device's "
                    "memory is taken\n", memory);
      else
        memory_mib = value;
    }
  parse_fault (g_getenv ("TESSERA_FAULT"));
}

#define READ_SETTING(type, expression)          \
  type value;                                   \
  g_mutex_lock (&lock);                         \
  initialise ();                                \
  value = (expression);                         \
  g_mutex_unlock (&lock);                       \
  return value

TesseraMode  tessera_mode       (void) { READ_SETTING (TesseraMode, mode); }
TesseraDebug tessera_debug      (void) { READ_SETTING (TesseraDebug, debug); }
guint        tessera_memory_mib (void) { READ_SETTING (guint, memory_mib); }
guint        tessera_band_rows  (void) { READ_SETTING (guint, band_rows); }
gboolean     tessera_fault_met  (void) { READ_SETTING (gboolean, fault_met); }

#define WRITE_SETTING(statement)                \
  g_mutex_lock (&lock);                         \
  initialise ();                                \
  statement;                                    \
  g_mutex_unlock (&lock)

void
tessera_set_opencl_mode (TesseraOpenclMode new_mode)
{
  WRITE_SETTING (mode = new_mode == TESSERA_OPENCL_OFF   ? MODE_OFF
                      : new_mode == TESSERA_OPENCL_FORCE ? MODE_FORCE : MODE_AUTO);
}

void
tessera_set_memory (guint mebibytes)
{
  WRITE_SETTING (memory_mib = mebibytes);
}

void
tessera_set_band_rows (guint rows)
{
  WRITE_SETTING (band_rows = rows);
}

void
tessera_set_fault (const gchar *fault)
{
  WRITE_SETTING (parse_fault (fault); g_hash_table_remove_all (messages));
  tessera_forget_failures ();
  tessera_program_forget (fault && g_str_has_prefix (fault, fault_names[FAULT_BUILD]));
}

gboolean
tessera_fault (TesseraFault kind)
{
  gboolean fails;

  g_mutex_lock (&lock);
  initialise ();
  fails = fault_countdown[kind] > 0 && --fault_countdown[kind] == 0;
  fault_met = fault_met || fails;
  g_mutex_unlock (&lock);
  return fails;
}

void
tessera_log (const gchar *format, ...)
{
  va_list arguments;
  gchar  *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("tessera: %s\n", text);
  g_free (text);
}

gboolean
tessera_first_time (const gchar *key)
{
  gboolean is_new;

  g_mutex_lock (&lock);
  initialise ();
  is_new = g_hash_table_add (messages, (gpointer) g_intern_string (key));
  g_mutex_unlock (&lock);
  return is_new;
}

void
tessera_log_once (const gchar *format, ...)
{
  va_list arguments;
  gchar  *text;

  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  if (tessera_first_time (text))
    g_printerr ("tessera: %s\n", text);
  g_free (text);
}

/* --- counters --- */

static GMutex  counter_lock;
static guint64 counters[N_COUNTERS];

void
tessera_count (TesseraCounter counter, gint64 amount)
{
  g_mutex_lock (&counter_lock);
  counters[counter] += amount;
  counters[COUNT_PEAK_BYTES] = MAX (counters[COUNT_PEAK_BYTES], counters[COUNT_LIVE_BYTES]);
  g_mutex_unlock (&counter_lock);
}

guint64
tessera_counter (TesseraCounter counter)
{
  guint64 value;

  g_mutex_lock (&counter_lock);
  value = counters[counter];
  g_mutex_unlock (&counter_lock);
  return value;
}

void
tessera_get_counters (TesseraCounters *out)
{
  g_mutex_lock (&counter_lock);
  *out = (TesseraCounters) {
    .requests         = counters[COUNT_REQUESTS],
    .device_requests  = counters[COUNT_DEVICE_REQUESTS],
    .c_requests       = counters[COUNT_C_REQUESTS],
    .fallbacks        = counters[COUNT_FALLBACKS],
    .bands            = counters[COUNT_BANDS],
    .launches         = counters[COUNT_LAUNCHES],
    .builds           = counters[COUNT_BUILDS],
    .allocations      = counters[COUNT_ALLOCATIONS],
    .live_objects     = counters[COUNT_LIVE_OBJECTS],
    .live_bytes       = counters[COUNT_LIVE_BYTES],
    .peak_bytes       = counters[COUNT_PEAK_BYTES],
    .uploaded_bytes   = counters[COUNT_UPLOADED],
    .downloaded_bytes = counters[COUNT_DOWNLOADED]
  };
  g_mutex_unlock (&counter_lock);
}
