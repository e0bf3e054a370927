/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * When the device is left alone because it failed, and for how long.  A driver may fail for a moment
 * (another program has filled the memory), and a session of GIMP lasts for days.  So a success makes
 * up for a failure.  After too many failures the device is tried again after a minute, then two, four ...
 * The next failure doubles the pause, until successes have made up for all failures.
 */
#include "breaker.h"

#include "messages.h"
#include "settings.h"

#define FILTER_FAILURES  3              /* after which a filter stays with C for a while */
#define PACKAGE_FAILURES 5              /* ... all filters */
#define PAUSE            (60 * (gint64) G_USEC_PER_SEC)
#define MOST_DOUBLINGS   5              /* of the pause: half an hour */

typedef struct
{
  guint  failures;              /* that no success has made up for */
  guint  pauses;                /* in a row */
  gint64 until;                 /* of the present one; 0: none */
} Breaker;

static GMutex      lock;        /* guards what follows */
static GHashTable *filters;     /* name -> Breaker */
static Breaker     package;

static Breaker *
breaker_locked (const gchar *filter)
{
  Breaker *breaker;

  if (! filters)
    filters = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  breaker = g_hash_table_lookup (filters, filter);
  if (! breaker)
    {
      breaker = g_new0 (Breaker, 1);
      g_hash_table_insert (filters, (gpointer) filter, breaker);
    }
  return breaker;
}

/* After a pause, one more failure begins the next pause. */
static gboolean
pauses_locked (Breaker *breaker, guint most)
{
  if (breaker->until == 0)
    return FALSE;
  if (tessera_now () < breaker->until)
    return TRUE;
  breaker->until = 0;
  breaker->failures = most - 1;
  return FALSE;
}

/* The minutes of the pause that begins now, or 0. */
static guint
fail_locked (Breaker *breaker, guint most)
{
  guint minutes;

  if (++breaker->failures < most || breaker->until != 0)
    return 0;
  minutes = 1u << MIN (breaker->pauses, MOST_DOUBLINGS);
  breaker->pauses++;
  breaker->until = tessera_now () + minutes * PAUSE;
  return minutes;
}

static void
succeed_locked (Breaker *breaker)
{
  if (breaker->failures > 0)
    breaker->failures--;
  if (breaker->failures == 0)
    breaker->pauses = 0;
}

gboolean
tessera_breaker_is_open (const gchar *filter)
{
  gboolean is_open;

  g_mutex_lock (&lock);
  is_open = pauses_locked (&package, PACKAGE_FAILURES) || pauses_locked (breaker_locked (filter), FILTER_FAILURES);
  g_mutex_unlock (&lock);
  return is_open;
}

static gchar *
for_minutes (guint minutes)
{
  return minutes == 1 ? g_strdup ("minute") : g_strdup_printf ("%u minutes", minutes);
}

void
tessera_breaker_fail (const gchar *filter)
{
  guint  of_filter, of_package;
  g_autofree gchar *minutes = NULL;

  g_mutex_lock (&lock);
  of_filter = fail_locked (breaker_locked (filter), FILTER_FAILURES);
  of_package = fail_locked (&package, PACKAGE_FAILURES);
  g_mutex_unlock (&lock);
  minutes = for_minutes (of_package ? of_package : of_filter);
  if (of_package)
    tessera_log ("%u failures of the OpenCL device: all filters run in C for the next %s", PACKAGE_FAILURES, minutes);
  else if (of_filter)
    tessera_log ("%s: %u failures of the OpenCL device: it runs in C for the next %s", filter, FILTER_FAILURES, minutes);
}

void
tessera_breaker_succeed (const gchar *filter)
{
  g_mutex_lock (&lock);
  succeed_locked (breaker_locked (filter));
  succeed_locked (&package);
  g_mutex_unlock (&lock);
}

void
tessera_breaker_reset (void)
{
  g_mutex_lock (&lock);
  g_clear_pointer (&filters, g_hash_table_unref);
  package = (Breaker) { 0 };
  g_mutex_unlock (&lock);
}
