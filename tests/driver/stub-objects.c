/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The stub driver's book of objects: how many live, and which have failed. */
#include "stub-plan.h"

static GMutex      lock;        /* guards what follows */
static StubLive    alive;
static GHashTable *states;      /* cl_command_queue and cl_event -> StubState */

void
stub_count (gsize kind, gint amount)
{
  g_mutex_lock (&lock);
  *(gint64 *) ((gchar *) &alive + kind) += amount;
  g_mutex_unlock (&lock);
}

static StubState
state_locked (const void *object)
{
  return states ? GPOINTER_TO_UINT (g_hash_table_lookup (states, object)) : 0;
}

static void
set_locked (const void *object, StubState state)
{
  if (! states)
    states = g_hash_table_new (NULL, NULL);
  if (state)
    g_hash_table_insert (states, (gpointer) object, GUINT_TO_POINTER (state));
  else
    g_hash_table_remove (states, object);
}

void
stub_add_state (const void *object, StubState state)
{
  g_mutex_lock (&lock);
  set_locked (object, state_locked (object) | state);
  g_mutex_unlock (&lock);
}

void
stub_drop_state (const void *object, StubState state)
{
  g_mutex_lock (&lock);
  set_locked (object, state_locked (object) & ~state);
  g_mutex_unlock (&lock);
}

void
stub_clear_state (const void *object)
{
  g_mutex_lock (&lock);
  set_locked (object, 0);
  g_mutex_unlock (&lock);
}

StubState
stub_state (const void *object)
{
  StubState state;

  g_mutex_lock (&lock);
  state = state_locked (object);
  g_mutex_unlock (&lock);
  return state;
}

__attribute__ ((visibility ("default"))) void
stub_icd_live (StubLive *live)
{
  g_mutex_lock (&lock);
  *live = alive;
  g_mutex_unlock (&lock);
}
