/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pools of device memory and of pinned host memory.  GEGL's own iterator spends most of its time on
 * allocation (H200, 2026-11: 156 ms for the pinned memory of one 24 Mpix image, 7 ms to send it).
 * Here a steady load allocates nothing.
 *
 * Sizes are rounded up to an eighth of a power of two, so that bands of nearly the same height
 * share memory.  Near the limit they are not rounded.  Memory that has been idle for half a minute
 * is given back at the next opportunity, and all memory at exit; so is that of tiles (tile-memory.c).
 *
 * Price: 14 for pinned memory (label, 24 Mpix), Price: 2.1 for the device's (motion blur, 1 Mpix; H200, 2026-11-22).
 */
#include "pool.h"

#include <stdlib.h>

#include "system.h"
#include "settings.h"
#include "tile-memory.h"

#define GRAIN 64                /* bytes; the least that a size is rounded up to */

static GMutex         lock;     /* guards what follows; nothing of OpenCL is called under it */
static TesseraMemory *idle, *shared;    /* shared: what holds a constant and has users */
static guint          n_releasing;      /* threads that give memory back */
static GCond          released;
static gboolean       timer_runs;

static gsize
round_up (gsize bytes)
{
  gsize step = 4096;

  while (step * 16 <= bytes)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

/* ------------------------------------------------------------------ trim -- */

/* Unlinks the memory that has been idle since `since`. release_all must follow. */
static TesseraMemory *
pick_idle_locked (gint64 since)
{
  TesseraMemory **link = &idle, *picked = NULL;

  n_releasing++;
  while (*link)
    {
      TesseraMemory *memory = *link;

      if (memory->idle_since <= since)
        {
          *link = memory->next;
          memory->next = picked;
          picked = memory;
        }
      else
        link = &memory->next;
    }
  return picked;
}

static void
release_all (TesseraMemory *picked)
{
  while (picked)
    {
      TesseraMemory *next = picked->next;

      tessera_memory_drop (picked);
      picked = next;
    }
  g_mutex_lock (&lock);
  n_releasing--;
  g_cond_broadcast (&released);
  g_mutex_unlock (&lock);
}

/* Was there anything to release? */
static gboolean
trim (gint64 since)
{
  TesseraMemory *picked;

  g_mutex_lock (&lock);
  picked = pick_idle_locked (since);
  g_mutex_unlock (&lock);
  release_all (picked);
  return picked != NULL;
}

/* Memory that other threads give back counts until they have done so. */
static void
wait_for_releases (void)
{
  g_mutex_lock (&lock);
  while (n_releasing > 0)
    g_cond_wait (&released, &lock);
  g_mutex_unlock (&lock);
}

/* If the host program has a main loop (GIMP), idle memory does not wait for the next request. */
static gboolean
trim_by_timer (gpointer data G_GNUC_UNUSED)
{
  const gint64 since = g_get_monotonic_time () - TESSERA_IDLE;
  gboolean     goes_on;

  if (tessera_has_forked ())
    return G_SOURCE_REMOVE;
  goes_on = tessera_tiles_trim (since);
  trim (since);
  g_mutex_lock (&lock);
  goes_on = timer_runs = idle != NULL || goes_on;
  g_mutex_unlock (&lock);
  return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

/* Memory of tiles needs no call of its own, because its band gives other memory back too. */
static void
keep_trimming_locked (void)
{
  if (! timer_runs)
    timer_runs = g_timeout_add_seconds (TESSERA_IDLE / G_USEC_PER_SEC + 1, trim_by_timer, NULL) > 0;
}

void
tessera_pool_trim (void)
{
  tessera_tiles_trim (G_MAXINT64);
  trim (G_MAXINT64);
}

static void
at_exit (void)
{
  if (! tessera_has_forked ())          /* in a child, the driver would wait for ever for threads that are not there */
    tessera_pool_trim ();
}

static void
register_exit (void)
{
  static gsize registered;

  if (g_once_init_enter (&registered))
    g_once_init_leave (&registered, 1 + (atexit (at_exit) != 0));
}

/* ------------------------------------------------------------ take, give -- */

static TesseraMemory *
take_idle_locked (const TesseraDevice *device, gsize bytes, gboolean pinned, gconstpointer constant)
{
  TesseraMemory **best = NULL;
  TesseraMemory  *memory;

  for (TesseraMemory **link = &idle; *link; link = &(*link)->next)
    if ((*link)->context == device->context && (*link)->pinned == pinned && (*link)->constant == constant
        && (*link)->bytes >= bytes && (*link)->bytes <= 2 * round_up (bytes)
        && (! best || (*link)->bytes < (*best)->bytes))
      best = link;
  if (! best)
    return NULL;
  memory = *best;
  *best = memory->next;
  memory->next = NULL;
  return memory;
}

/* With spare room if that fits; else after giving idle memory back; else exactly. */
static gint
make_fitting (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean exactly, TesseraMemory **memory)
{
  const gsize exact = tessera_tight_memory () ? bytes : (bytes + GRAIN - 1) / GRAIN * GRAIN;
  gsize       size = exactly ? exact : round_up (bytes);
  gboolean    fits;
  gint        status = tessera_memory_make (device, size, pinned, &fits, memory);

  if (! fits)
    {
      trim (G_MAXINT64);
      wait_for_releases ();
      status = tessera_memory_make (device, size, pinned, &fits, memory);
      if (! fits)
        {
          size = exact;
          status = tessera_memory_make (device, size, pinned, &fits, memory);
        }
    }
  if (status != 0 && fits && trim (G_MAXINT64))         /* the driver has less than it said */
    status = tessera_memory_make (device, size, pinned, &fits, memory);
  return status;
}

gint
tessera_pool_take (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean exact,
                   TesseraMemory **result)
{
  bytes = MAX (bytes, 1);
  *result = NULL;
  register_exit ();
  if (exact)
    trim (G_MAXINT64);
  else if (! tessera_tight_memory ())
    {
      g_mutex_lock (&lock);
      *result = take_idle_locked (device, bytes, pinned, NULL);
      g_mutex_unlock (&lock);
    }
  return *result ? 0 : make_fitting (device, bytes, pinned, exact || tessera_tight_memory (), result);
}

/* Whoever needs a constant that was there before reads it at the same time as others.
 * Price: 12 (sequences, 10 Mpix; H200, 2026-11-24). */
static TesseraMemory *
share_locked (const TesseraDevice *device, gsize bytes, gconstpointer constant)
{
  TesseraMemory *memory = shared;

  while (memory && (memory->context != device->context || memory->constant != constant || memory->bytes < bytes))
    memory = memory->next;
  if (! memory && (memory = take_idle_locked (device, bytes, FALSE, constant)))
    {
      memory->next = shared;
      shared = memory;
    }
  if (memory)
    memory->users++;
  return memory;
}

/* Has nobody else it? */
static gboolean
leave_locked (TesseraMemory *memory)
{
  TesseraMemory **link = &shared;

  if (memory->users == 0)
    return TRUE;
  if (--memory->users > 0)
    return FALSE;
  while (*link != memory)
    link = &(*link)->next;
  *link = memory->next;
  return TRUE;
}

gint
tessera_pool_take_constant (const TesseraDevice *device, gsize bytes, gconstpointer constant,
                            TesseraMemory **result, gboolean *is_there)
{
  gint status;

  g_mutex_lock (&lock);
  *result = share_locked (device, bytes, constant);
  g_mutex_unlock (&lock);
  *is_there = *result != NULL;
  if (*is_there)
    return 0;
  status = tessera_pool_take (device, bytes, FALSE, FALSE, result);
  if (status == 0)
    (*result)->constant = constant;
  return status;
}

void
tessera_pool_drop_constant (gconstpointer constant)
{
  g_mutex_lock (&lock);
  for (gint i = 0; i < 2; i++)
    for (TesseraMemory *memory = i == 0 ? idle : shared; memory; memory = memory->next)
      if (! constant || memory->constant == constant)
        memory->constant = NULL;
  g_mutex_unlock (&lock);
}

gboolean
tessera_pool_has_constant (gconstpointer constant)
{
  gboolean has = FALSE;

  g_mutex_lock (&lock);
  for (gint i = 0; i < 2 && ! has; i++)
    for (TesseraMemory *memory = i == 0 ? idle : shared; memory && ! has; memory = memory->next)
      has = memory->constant == constant;
  g_mutex_unlock (&lock);
  return has;
}

void
tessera_pool_give (TesseraMemory *memory)
{
  TesseraMemory *picked;

  if (! memory)
    return;
  g_mutex_lock (&lock);
  if (! leave_locked (memory))
    {
      g_mutex_unlock (&lock);
      return;
    }
  memory->idle_since = g_get_monotonic_time ();
  memory->next = idle;
  idle = memory;
  picked = pick_idle_locked (memory->idle_since - TESSERA_IDLE);
  keep_trimming_locked ();
  g_mutex_unlock (&lock);
  release_all (picked);
}

void
tessera_pool_lose (TesseraMemory *memory)
{
  gboolean is_last;

  g_mutex_lock (&lock);
  memory->constant = NULL;
  is_last = leave_locked (memory);
  g_mutex_unlock (&lock);
  if (is_last)
    tessera_memory_drop (memory);
}
