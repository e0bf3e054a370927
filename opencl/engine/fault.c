/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TESSERA_FAULT and its override (control.c): the call that has to fail.
 */
#include "fault.h"

#include <stdlib.h>
#include <string.h>

static GMutex   lock;                   /* guards what follows */
static gboolean initialised;
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
  initialised = TRUE;
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
  g_mutex_lock (&lock);
  inject_locked (fault);
  g_mutex_unlock (&lock);
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
  g_mutex_lock (&lock);
  if (! initialised)
    inject_locked (g_getenv ("TESSERA_FAULT"));
  fails = countdown[kind] > 0 && --countdown[kind] == 0;
  met = met || fails;
  g_mutex_unlock (&lock);
  return fails;
}

gboolean
tessera_fault_was_met (void)
{
  gboolean value;

  g_mutex_lock (&lock);
  value = met;
  g_mutex_unlock (&lock);
  return value;
}
