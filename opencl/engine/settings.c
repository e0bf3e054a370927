/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TESSERA_OPENCL, TESSERA_DEBUG, TESSERA_MEMORY, TESSERA_LOCAL, TESSERA_FAULT and
 * their overrides; messages.
 */
#include "tessera.h"
#include "internal.h"

#include <string.h>

#define MOST_MESSAGES 256       /* that are remembered: some have a person's text in them */
#define TILE_PIXELS (1 << 17)   /* of a result, below which writing is as fast as sending it straight into tiles */

static GMutex      lock;            /* guards what follows */
static gboolean    initialised;
static TesseraOpenclMode mode;
static guint       debug, memory_mib, band_rows, tile_pixels = TILE_PIXELS;
static gboolean    tight_memory;
static gboolean    profiling, delivers_stored;
static gchar       local_wish;      /* 'y', 'n' or none */
static gint        fault_countdown[N_FAULTS];       /* 0: none */
static gboolean    fault_met;
static gint64      clock_offset;
static GHashTable *messages;

static const gchar *const fault_names[N_FAULTS] = {
  "build", "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait"
};

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

static guint
parse_debug (const gchar *text)
{
  static const GDebugKey keys[] = {
    { "timings", DEBUG_TIMINGS }, { "paths", DEBUG_PATHS }, { "memory", DEBUG_MEMORY }
  };
  gchar **words = text ? g_strsplit_set (text, ",;: \t", -1) : NULL;
  guint   flags = g_parse_debug_string (text, keys, G_N_ELEMENTS (keys));

  for (guint i = 0; words && words[i]; i++)
    if (*words[i] && g_ascii_strcasecmp (words[i], "all") != 0 && g_ascii_strcasecmp (words[i], "help") != 0
        && g_parse_debug_string (words[i], keys, G_N_ELEMENTS (keys)) == 0)
      g_printerr ("tessera: TESSERA_DEBUG=%s is none of paths, timings, memory\n", words[i]);
  g_strfreev (words);
  return flags;
}

static void
initialise (void)
{
  const gchar *opencl = g_getenv ("TESSERA_OPENCL");
  const gchar *memory = g_getenv ("TESSERA_MEMORY");
  const gchar *deliver = g_getenv ("TESSERA_DELIVER");
  const gchar *local = g_getenv ("TESSERA_LOCAL");

  if (initialised)
    return;
  initialised = TRUE;
  messages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (opencl && *opencl && strcmp (opencl, "auto") != 0)
    {
      if (strcmp (opencl, "off") == 0)
        mode = TESSERA_OPENCL_OFF;
      else if (strcmp (opencl, "try") == 0)
        mode = TESSERA_OPENCL_TRY;
      else if (strcmp (opencl, "force") == 0)
        mode = TESSERA_OPENCL_FORCE;
      else
        g_printerr ("tessera: TESSERA_OPENCL=%s is none of auto, off, try, force; auto is taken\n", opencl);
    }
  delivers_stored = g_strcmp0 (deliver, "stored") == 0;
  if (deliver && *deliver && ! delivers_stored && strcmp (deliver, "float") != 0)
    g_printerr ("tessera: TESSERA_DELIVER=%s is none of float, stored; float is taken\n", deliver);
  if (g_strcmp0 (local, "yes") == 0 || g_strcmp0 (local, "no") == 0)
    local_wish = local[0];
  else if (local && *local)
    g_printerr ("tessera: TESSERA_LOCAL=%s is none of yes, no; each filter chooses for itself\n", local);
  debug = parse_debug (g_getenv ("TESSERA_DEBUG"));
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

TesseraOpenclMode tessera_mode  (void) { READ_SETTING (TesseraOpenclMode, mode); }
TesseraDebug tessera_debug      (void) { READ_SETTING (TesseraDebug, debug); }
guint        tessera_memory_mib (void) { READ_SETTING (guint, memory_mib); }
guint        tessera_band_rows  (void) { READ_SETTING (guint, band_rows); }
guint        tessera_tile_pixels (void) { READ_SETTING (guint, tile_pixels); }
gboolean     tessera_tight_memory (void) { READ_SETTING (gboolean, tight_memory); }
gboolean     tessera_profiling  (void) { READ_SETTING (gboolean, profiling || (debug & DEBUG_TIMINGS)); }
gboolean     tessera_delivers_stored (void) { READ_SETTING (gboolean, delivers_stored); }
static gchar tessera_local_wish (void) { READ_SETTING (gchar, local_wish); }
gboolean     tessera_fault_met  (void) { READ_SETTING (gboolean, fault_met); }
static gint64 tessera_clock_offset (void) { READ_SETTING (gint64, clock_offset); }

gint64
tessera_now (void)
{
  return g_get_monotonic_time () + tessera_clock_offset ();
}

gboolean
tessera_takes_local (gboolean is_possible, gboolean pays)
{
  const gchar wish = tessera_local_wish ();

  return is_possible && (wish ? wish == 'y' : pays);
}

#define WRITE_SETTING(statement)                \
  g_mutex_lock (&lock);                         \
  initialise ();                                \
  statement;                                    \
  g_mutex_unlock (&lock)

void
tessera_set_opencl_mode (TesseraOpenclMode new_mode)
{
  WRITE_SETTING (mode = new_mode);
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
tessera_set_tight_memory (gboolean tight)
{
  WRITE_SETTING (tight_memory = tight);
}

void
tessera_set_tile_pixels (gint pixels)
{
  WRITE_SETTING (tile_pixels = pixels < 0 ? TILE_PIXELS : MAX (1, (guint) pixels));
}

void
tessera_set_delivery (gboolean stored)
{
  WRITE_SETTING (delivers_stored = stored);
}

void
tessera_set_profiling (gboolean on)
{
  WRITE_SETTING (profiling = on);
}

void
tessera_set_clock_offset (gint64 microseconds)
{
  WRITE_SETTING (clock_offset = microseconds);
}

void
tessera_set_fault (const gchar *fault)
{
  WRITE_SETTING (parse_fault (fault); g_hash_table_remove_all (messages));
  tessera_forget_failures ();
  if (fault && (g_str_has_prefix (fault, fault_names[FAULT_BUILD]) || g_str_has_prefix (fault, fault_names[FAULT_KERNEL])))
    tessera_program_forget (TRUE);
  if (fault && g_str_has_prefix (fault, fault_names[FAULT_QUEUE]))
    tessera_queue_forget ();
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
  is_new = ! g_hash_table_contains (messages, key);
  if (is_new && g_hash_table_size (messages) >= MOST_MESSAGES)
    g_hash_table_remove_all (messages);         /* rather said twice than kept for good */
  if (is_new)
    g_hash_table_add (messages, g_strdup (key));
  g_mutex_unlock (&lock);
  return is_new;
}

static void
log_text_once (const gchar *format, va_list arguments)
{
  gchar *text = g_strdup_vprintf (format, arguments);

  if (tessera_first_time (text))
    g_printerr ("tessera: %s\n", text);
  g_free (text);
}

void
tessera_log_once (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  log_text_once (format, arguments);
  va_end (arguments);
}

void
tessera_say_once (const gchar *format, ...)
{
  va_list arguments;

  va_start (arguments, format);
  log_text_once (format, arguments);
  va_end (arguments);
}

void
tessera_say_path (const gchar *format, ...)
{
  va_list arguments;
  gchar  *text;

  if (! (tessera_debug () & DEBUG_PATHS))
    return;
  va_start (arguments, format);
  text = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_printerr ("tessera: %s\n", text);
  g_free (text);
}
