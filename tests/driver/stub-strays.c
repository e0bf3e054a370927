/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Transfers that Finish has given up and that take place all the same: a device that is stuck, not dead.
 * Their data come at the worst moment, when somebody else uses that memory. */
#include "stub-hooks.h"

#include <string.h>

typedef struct
{
  cl_mem         memory;
  const guchar  *host;
  gsize          bytes;
  gboolean       reads;         /* into `host`; else into `memory` */
} Stray;

typedef struct
{
  const void    *memory;
  const guchar  *host;
  gsize          bytes;
} Region;

static GMutex lock;             /* guards what follows */
static GSList *strays;          /* Stray; each holds a reference on its memory */
static GSList *regions;         /* Region */
static gint64  torn;

static gboolean
overlap (const guchar *a, gsize a_bytes, const guchar *b, gsize b_bytes)
{
  return a < b + b_bytes && b < a + a_bytes;
}

static GSList *
end_locked (GSList *link)
{
  Stray *stray = link->data;

  ORIGINAL (ReleaseMemObject, stray->memory) (stray->memory);
  g_free (stray);
  return g_slist_delete_link (strays, link);
}

void
stub_host_known (cl_mem memory, void *pointer, gsize bytes)
{
  Region *region = g_new (Region, 1);

  *region = (Region) { memory, pointer, bytes };
  g_mutex_lock (&lock);
  regions = g_slist_prepend (regions, region);
  g_mutex_unlock (&lock);
}

static void
tear_locked (const Region *region)
{
  for (GSList *link = strays, *next; link; link = next)
    {
      const Stray *stray = link->data;

      next = link->next;
      if (! overlap (stray->host, stray->bytes, region->host, region->bytes))
        continue;
      torn++;
      strays = end_locked (link);
    }
}

void
stub_host_gone (const void *memory)
{
  g_mutex_lock (&lock);
  for (GSList *link = regions, *next; link; link = next)
    {
      Region *region = link->data;

      next = link->next;
      if (region->memory != memory)
        continue;
      tear_locked (region);
      g_free (region);
      regions = g_slist_delete_link (regions, link);
    }
  g_mutex_unlock (&lock);
}

void
stub_stray (cl_mem memory, gboolean reads, const void *host, gsize bytes)
{
  Stray *stray = g_new (Stray, 1);

  *stray = (Stray) { memory, host, bytes, reads };
  ORIGINAL (RetainMemObject, memory) (memory);
  g_mutex_lock (&lock);
  strays = g_slist_prepend (strays, stray);
  g_mutex_unlock (&lock);
}

gboolean
stub_has_strays (void)
{
  gboolean answer;

  g_mutex_lock (&lock);
  answer = strays != NULL;
  g_mutex_unlock (&lock);
  return answer;
}

gboolean
stub_strays_into_host (const void *host, gsize bytes)
{
  gboolean came = FALSE;

  g_mutex_lock (&lock);
  for (GSList *link = strays, *next; link; link = next)
    {
      const Stray *stray = link->data;

      next = link->next;
      if (! stray->reads || ! overlap (stray->host, stray->bytes, host, bytes))
        continue;
      memset ((guchar *) stray->host, 0x5a, stray->bytes);
      strays = end_locked (link);
      came = TRUE;
    }
  g_mutex_unlock (&lock);
  return came;
}

gboolean
stub_strays_into_memory (cl_mem memory)
{
  gboolean come = FALSE;

  g_mutex_lock (&lock);
  for (GSList *link = strays, *next; link; link = next)
    {
      const Stray *stray = link->data;

      next = link->next;
      if (stray->reads || stray->memory != memory)
        continue;
      strays = end_locked (link);
      come = TRUE;
    }
  g_mutex_unlock (&lock);
  return come;
}

__attribute__ ((visibility ("default"))) gint64
stub_icd_come (void)
{
  gint64 answer = 0;

  g_mutex_lock (&lock);
  for (GSList *link = strays; link; link = link->next)
    {
      const Stray *stray = link->data;

      if (stray->reads)
        {
          memset ((guchar *) stray->host, 0x5a, stray->bytes);
          answer++;
        }
    }
  g_mutex_unlock (&lock);
  return answer;
}

__attribute__ ((visibility ("default"))) gint64
stub_icd_settle (void)
{
  gint64 answer;

  g_mutex_lock (&lock);
  while (strays)
    strays = end_locked (strays);
  answer = torn;
  torn = 0;
  g_mutex_unlock (&lock);
  return answer;
}
