/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * When the device is left alone because it failed, and for how long.  A driver may fail for a moment
 * (another program has filled the memory), and a session of GIMP lasts for days.  So a success makes
 * up for a failure.  After too many failures the device is tried again after a minute, then two, four ...
 * The next failure doubles the pause, until successes have made up for all failures.
 *
 * A lack of memory counts for requests of about the same size alone: one that was too large for the device says nothing about a
 * small one.  An operation may make several requests for a picture: all that fail for it are one failure.
 */
#include "breaker.h"

#include <string.h>

#include "messages.h"
#include "settings.h"

#define FILTER_FAILURES  3              /* after which a filter stays with C for a while */
#define PACKAGE_FAILURES 5              /* ... all filters */
#define PAUSE            (60 * (gint64) G_USEC_PER_SEC)
#define MOST_DOUBLINGS   5              /* of the pause: half an hour */
#define SIZES            64             /* of requests: powers of two of their pixels */
#define OUTCOMES         8              /* filters of one picture; what is more counts by the request */

typedef struct
{
  guint  failures;              /* that no success has made up for */
  guint  pauses;                /* in a row */
  gint64 until;                 /* of the present one; 0: none */
} Breaker;

typedef struct
{
  Breaker any;
  Breaker of_size[SIZES];       /* for want of memory */
} FilterBreakers;

static GMutex      lock;        /* guards what follows */
static GHashTable *filters;     /* name -> FilterBreakers */
static Breaker     package;

/* What has become of a picture's requests, filter by filter. */
typedef struct
{
  const gchar *filter;
  guint64      done;            /* sizes of requests that succeeded, a bit each */
  gboolean     has_failed;
} Outcome;

static _Thread_local guint   n_pictures;        /* that this thread computes, one within the other */
static _Thread_local Outcome outcomes[OUTCOMES];
static _Thread_local guint   n_outcomes;

static FilterBreakers *
breakers_locked (const gchar *filter)
{
  FilterBreakers *breakers;

  if (! filters)
    filters = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free);
  breakers = g_hash_table_lookup (filters, filter);
  if (! breakers)
    {
      breakers = g_new0 (FilterBreakers, 1);
      g_hash_table_insert (filters, (gpointer) filter, breakers);
    }
  return breakers;
}

static guint
size_of (guint64 pixels)
{
  return MIN (g_bit_storage (pixels), SIZES - 1);
}

static Breaker *
of_size_locked (const gchar *filter, guint64 pixels)
{
  return &breakers_locked (filter)->of_size[size_of (pixels)];
}

/* NULL: there is no picture, or no room. */
static Outcome *
outcome_of (const gchar *filter)
{
  for (guint i = 0; i < n_outcomes; i++)
    if (strcmp (outcomes[i].filter, filter) == 0)
      return &outcomes[i];
  if (n_pictures == 0 || n_outcomes == OUTCOMES)
    return NULL;
  outcomes[n_outcomes] = (Outcome) { .filter = filter };
  return &outcomes[n_outcomes++];
}

/* The first failure of a picture counts. */
static gboolean
counts (const gchar *filter)
{
  Outcome       *outcome = outcome_of (filter);
  const gboolean is_first = ! outcome || ! outcome->has_failed;

  if (outcome)
    outcome->has_failed = TRUE;
  return is_first;
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
tessera_breaker_is_open (const gchar *filter, guint64 pixels)
{
  gboolean is_open;

  g_mutex_lock (&lock);
  is_open = pauses_locked (&package, PACKAGE_FAILURES) || pauses_locked (&breakers_locked (filter)->any, FILTER_FAILURES)
            || pauses_locked (of_size_locked (filter, pixels), FILTER_FAILURES);
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

  if (! counts (filter))
    return;
  g_mutex_lock (&lock);
  of_filter = fail_locked (&breakers_locked (filter)->any, FILTER_FAILURES);
  of_package = fail_locked (&package, PACKAGE_FAILURES);
  g_mutex_unlock (&lock);
  minutes = for_minutes (of_package ? of_package : of_filter);
  if (of_package)
    tessera_log ("%u failures of the OpenCL device: all filters run in C for the next %s", PACKAGE_FAILURES, minutes);
  else if (of_filter)
    tessera_log ("%s: %u failures of the OpenCL device: it runs in C for the next %s", filter, FILTER_FAILURES, minutes);
}

void
tessera_breaker_lack (const gchar *filter, guint64 pixels)
{
  guint             of_size;
  g_autofree gchar *minutes = NULL;

  if (! counts (filter))
    return;
  g_mutex_lock (&lock);
  of_size = fail_locked (of_size_locked (filter, pixels), FILTER_FAILURES);
  g_mutex_unlock (&lock);
  minutes = for_minutes (of_size);
  if (of_size)
    tessera_log ("%s: %u times the OpenCL device had no memory: pictures of this size run in C for the next %s", filter,
                 FILTER_FAILURES, minutes);
}

/* Requests of these sizes. */
static void
succeed (const gchar *filter, guint64 sizes)
{
  g_mutex_lock (&lock);
  succeed_locked (&breakers_locked (filter)->any);
  for (guint size = 0; size < SIZES; size++)
    if (sizes >> size & 1)
      succeed_locked (&breakers_locked (filter)->of_size[size]);
  succeed_locked (&package);
  g_mutex_unlock (&lock);
}

void
tessera_breaker_succeed (const gchar *filter, guint64 pixels)
{
  const guint64 size = (guint64) 1 << size_of (pixels);
  Outcome      *outcome = outcome_of (filter);

  if (outcome)
    outcome->done |= size;
  else
    succeed (filter, size);
}

void
tessera_breaker_begin_picture (void)
{
  n_pictures++;
}

void
tessera_breaker_end_picture (void)
{
  if (--n_pictures > 0)
    return;
  for (guint i = 0; i < n_outcomes; i++)
    if (outcomes[i].done && ! outcomes[i].has_failed)
      succeed (outcomes[i].filter, outcomes[i].done);
  n_outcomes = 0;
}

void
tessera_breaker_reset (void)
{
  g_mutex_lock (&lock);
  g_clear_pointer (&filters, g_hash_table_unref);
  package = (Breaker) { 0 };
  g_mutex_unlock (&lock);
}
