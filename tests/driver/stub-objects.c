/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The stub driver's book of objects: how many live, which have failed, which launches overlap. */
#include "stub-hooks.h"

static GMutex      lock;        /* guards what follows */
static StubLive    alive;
static GHashTable *states;      /* cl_command_queue and cl_event -> StubState */
static GHashTable *launches;    /* a kernel's name -> cl_event of its last launch; NULL while nobody counts */
static gint64      overlapped;

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

/* ------------------------------------------------------------ launches -- */

static gboolean
is_under_way (cl_event event)
{
  cl_int status = CL_COMPLETE;

  ORIGINAL (GetEventInfo, event) (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL);
  return status > CL_COMPLETE;
}

void
stub_launched (cl_kernel kernel, cl_event event)
{
  char     name[64] = "";
  cl_event last;

  (*(cl_icd_dispatch **) kernel)->clGetKernelInfo (kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
  g_mutex_lock (&lock);
  if (launches)
    {
      last = g_hash_table_lookup (launches, name);
      overlapped += last && is_under_way (last);
      if (last)
        ORIGINAL (ReleaseEvent, last) (last);
      ORIGINAL (RetainEvent, event) (event);
      g_hash_table_insert (launches, g_strdup (name), event);
    }
  g_mutex_unlock (&lock);
}

__attribute__ ((visibility ("default"))) gint64
stub_icd_overlaps (void)
{
  gint64 answer;

  g_mutex_lock (&lock);
  if (! launches)
    launches = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  answer = overlapped;
  overlapped = 0;
  g_mutex_unlock (&lock);
  return answer;
}
