/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The stub driver's book of objects: how many live, and which have failed. */
#include "stub-plan.h"

static GMutex      lock;        /* guards what follows */
static StubLive    alive;
static GHashTable *spoilt;      /* cl_command_queue and cl_event */

void
stub_count (gsize kind, gint amount)
{
  g_mutex_lock (&lock);
  *(gint64 *) ((gchar *) &alive + kind) += amount;
  g_mutex_unlock (&lock);
}

void
stub_spoil (const void *object)
{
  g_mutex_lock (&lock);
  if (! spoilt)
    spoilt = g_hash_table_new (NULL, NULL);
  g_hash_table_add (spoilt, (gpointer) object);
  g_mutex_unlock (&lock);
}

void
stub_unspoil (const void *object)
{
  g_mutex_lock (&lock);
  if (spoilt)
    g_hash_table_remove (spoilt, object);
  g_mutex_unlock (&lock);
}

gboolean
stub_is_spoilt (const void *object)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = spoilt && g_hash_table_contains (spoilt, object);
  g_mutex_unlock (&lock);
  return answer;
}

__attribute__ ((visibility ("default"))) void
stub_icd_live (StubLive *live)
{
  g_mutex_lock (&lock);
  *live = alive;
  g_mutex_unlock (&lock);
}
