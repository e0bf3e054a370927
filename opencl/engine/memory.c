/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pools of device memory and of pinned host memory.  Allocating is what GEGL's
 * own iterator spends most of its time on (156 ms for the pinned memory of one
 * 24 Mpix image against 7 ms to send it); here a steady load allocates nothing.
 *
 * Sizes are rounded up to an eighth of a power of two, so that bands of nearly
 * the same height share memory; near the limit they are not.  What has been idle
 * for half a minute is given back at the next opportunity, everything at exit.
 * Tiles have host memory of their own (tiles.c), which the device is only told of.
 */
#include "cl-api.h"
#include "internal.h"

#include <stdlib.h>

#define GRAIN 64                /* bytes; the least that a size is rounded up to */

struct _TesseraMemory
{
  TesseraMemory       *next;            /* in the free list */
  const TesseraDevice *device;
  gpointer             context;
  cl_mem               object;
  gsize                bytes;
  gboolean             pinned;
  gpointer             pointer;         /* pinned: where it is mapped */
  gint64               idle_since;
  gconstpointer        constant;        /* what it holds for good, or NULL */
  gpointer             known;           /* the caller's, which the device knows, or NULL */
};

static GMutex           lock;           /* guards what follows */
static TesseraMemory   *idle;
static cl_command_queue mapping_queue;
static gpointer         mapping_context;
static gsize            known_bytes;

static gsize
round_up (gsize bytes)
{
  gsize step = 4096;

  while (step * 16 <= bytes)
    step *= 2;
  return (bytes + step - 1) / step * step;
}

static void
count_bytes (const TesseraMemory *memory, gint64 sign)
{
  if (memory->pinned)
    tessera_count (live_pinned_bytes, sign * (gint64) memory->bytes);
  else
    tessera_count (live_bytes, sign * (gint64) memory->bytes);
}

static void
release (TesseraMemory *memory)
{
  const TesseraClApi *cl = tessera_cl_api ();

  if (memory->pointer && mapping_queue && mapping_context == memory->context)
    {
      cl->EnqueueUnmapMemObject (mapping_queue, memory->object, memory->pointer, 0, NULL, NULL);
      cl->Finish (mapping_queue);
    }
  cl->ReleaseMemObject (memory->object);
  if (memory->known)
    known_bytes -= memory->bytes;
  tessera_count (live_objects, -1);
  count_bytes (memory, -1);
  if (tessera_debug () & DEBUG_MEMORY)
    tessera_log ("memory: %" G_GSIZE_FORMAT " bytes %s released", memory->bytes,
                 memory->pinned ? "pinned" : "on the device");
  g_free (memory);
}

/* Releases idle memory that has been so since `since` or longer. */
static void
trim_locked (gint64 since)
{
  TesseraMemory **link = &idle;

  while (*link)
    {
      TesseraMemory *memory = *link;

      if (memory->idle_since <= since)
        {
          *link = memory->next;
          release (memory);
        }
      else
        link = &memory->next;
    }
}

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

static cl_int
map_locked (const TesseraClApi *cl, TesseraMemory *memory)
{
  cl_int status = CL_SUCCESS;

  if (tessera_fault (FAULT_MAP))
    return CL_MAP_FAILURE;
  if (! mapping_queue || mapping_context != memory->context)
    {
      if (mapping_queue)
        cl->ReleaseCommandQueue (mapping_queue);
      mapping_queue = cl->CreateCommandQueue (memory->context, memory->device->device, 0, &status);
      if (status != CL_SUCCESS)
        {
          mapping_queue = NULL;
          return status;
        }
      tessera_count (objects_created, 1);
      mapping_context = memory->context;
    }
  memory->pointer = cl->EnqueueMapBuffer (mapping_queue, memory->object, CL_TRUE,
                                          CL_MAP_READ | CL_MAP_WRITE, 0, memory->bytes,
                                          0, NULL, NULL, &status);
  if (status == CL_SUCCESS && ! memory->pointer)
    status = CL_MAP_FAILURE;
  return status;
}

static cl_int
allocate_locked (TesseraMemory *memory)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status = CL_SUCCESS;

  if (tessera_fault (FAULT_ALLOC))
    return CL_MEM_OBJECT_ALLOCATION_FAILURE;
  memory->object = cl->CreateBuffer (memory->context,
                                     memory->known ? CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR
                                     : memory->pinned ? CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR
                                     : CL_MEM_READ_WRITE,
                                     memory->bytes, memory->known, &status);
  if (status != CL_SUCCESS)
    return status;
  if (memory->pinned && ! memory->known && (status = map_locked (cl, memory)) != CL_SUCCESS)
    {
      cl->ReleaseMemObject (memory->object);
      return status;
    }
  tessera_count (allocations, 1);
  tessera_count (objects_created, 1);
  tessera_count (live_objects, 1);
  count_bytes (memory, 1);
  if (tessera_debug () & DEBUG_MEMORY)
    tessera_log ("memory: %" G_GSIZE_FORMAT " bytes %s allocated", memory->bytes,
                 memory->pinned ? "pinned" : "on the device");
  return CL_SUCCESS;
}

static gboolean
fits (const TesseraDevice *device, gsize bytes, gboolean pinned)
{
  if (pinned)
    return tessera_counter (live_pinned_bytes) - known_bytes + bytes <= TESSERA_MOST_PINNED;
  return bytes <= device->max_allocation
         && tessera_counter (live_bytes) + bytes <= tessera_budget (device);
}

/* Where the host program has a main loop (GIMP), idle memory does not wait for
 * the next request. */
static gboolean timer_runs;

static gboolean
trim_by_timer (gpointer data G_GNUC_UNUSED)
{
  const gint64   since = g_get_monotonic_time () - TESSERA_IDLE;
  const gboolean tiles = tessera_tiles_trim (since);
  gboolean       goes_on;

  g_mutex_lock (&lock);
  trim_locked (since);
  goes_on = timer_runs = idle != NULL || tiles;
  g_mutex_unlock (&lock);
  return goes_on ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static void
keep_trimming_locked (void)
{
  if (! timer_runs)
    timer_runs = g_timeout_add_seconds (TESSERA_IDLE / G_USEC_PER_SEC + 1, trim_by_timer, NULL) > 0;
}

/* With room to spare if that fits, else after the idle memory is gone, else exactly. */
static cl_int
allocate_fitting_locked (TesseraMemory *memory, gsize bytes, gboolean exactly)
{
  const gsize exact = (bytes + GRAIN - 1) / GRAIN * GRAIN;
  cl_int      status;

  memory->bytes = exactly ? exact : round_up (bytes);
  if (! fits (memory->device, memory->bytes, memory->pinned))
    trim_locked (G_MAXINT64);
  if (! fits (memory->device, memory->bytes, memory->pinned))
    memory->bytes = exact;
  if (! fits (memory->device, memory->bytes, memory->pinned))
    return memory->pinned ? CL_OUT_OF_HOST_MEMORY : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  status = allocate_locked (memory);
  if (status != CL_SUCCESS && idle)
    {
      trim_locked (G_MAXINT64);         /* the driver has less than it says */
      status = allocate_locked (memory);
    }
  return status;
}

gint
tessera_memory_take_constant (const TesseraDevice *device, gsize bytes, gconstpointer constant,
                              TesseraMemory **result, gboolean *is_there)
{
  g_mutex_lock (&lock);
  *result = take_idle_locked (device, bytes, FALSE, constant);
  g_mutex_unlock (&lock);
  *is_there = *result != NULL;
  if (! *is_there)
    {
      cl_int status = tessera_memory_take (device, bytes, FALSE, FALSE, result);

      if (status != CL_SUCCESS)
        return status;
      (*result)->constant = constant;
    }
  return CL_SUCCESS;
}

gint
tessera_memory_take (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean exact,
                     TesseraMemory **result)
{
  static gboolean at_exit;
  TesseraMemory  *memory;
  cl_int          status = CL_SUCCESS;

  bytes = MAX (bytes, 1);
  g_mutex_lock (&lock);
  if (exact)
    trim_locked (G_MAXINT64);
  memory = exact ? NULL : take_idle_locked (device, bytes, pinned, NULL);
  if (! memory)
    {
      if (! at_exit)
        at_exit = atexit (tessera_memory_trim) == 0;
      memory = g_new0 (TesseraMemory, 1);
      *memory = (TesseraMemory) { .device = device, .context = device->context, .pinned = pinned };
      status = allocate_fitting_locked (memory, bytes, exact);
      if (status != CL_SUCCESS)
        g_clear_pointer (&memory, g_free);
    }
  g_mutex_unlock (&lock);
  *result = memory;
  return status;
}

gint
tessera_memory_make_known (const TesseraDevice *device, gpointer pointer, gsize bytes, TesseraMemory **result)
{
  TesseraMemory *memory = g_new0 (TesseraMemory, 1);
  cl_int         status;

  *memory = (TesseraMemory) { .device = device, .context = device->context, .pinned = TRUE,
                              .bytes = bytes, .known = pointer };
  g_mutex_lock (&lock);
  status = allocate_locked (memory);
  if (status == CL_SUCCESS)
    {
      known_bytes += bytes;
      keep_trimming_locked ();
    }
  else
    g_clear_pointer (&memory, g_free);
  g_mutex_unlock (&lock);
  *result = memory;
  return status;
}

void
tessera_memory_drop (TesseraMemory *memory)
{
  g_mutex_lock (&lock);
  release (memory);
  g_mutex_unlock (&lock);
}

void
tessera_memory_abandon (TesseraMemory *memory)
{
  if (! memory->pinned)
    {
      tessera_memory_drop (memory);
      return;
    }
  /* Transfers use its address, not the object, so the driver would free it under them. */
  tessera_count (abandoned_objects, 1);
  tessera_count (abandoned_bytes, memory->bytes);
}

void
tessera_memory_give (TesseraMemory *memory)
{
  if (! memory)
    return;
  g_mutex_lock (&lock);
  memory->idle_since = g_get_monotonic_time ();
  memory->next = idle;
  idle = memory;
  trim_locked (memory->idle_since - TESSERA_IDLE);
  keep_trimming_locked ();
  g_mutex_unlock (&lock);
}

void
tessera_memory_trim (void)
{
  tessera_tiles_trim (G_MAXINT64);
  g_mutex_lock (&lock);
  trim_locked (G_MAXINT64);
  g_mutex_unlock (&lock);
}

gpointer
tessera_memory_pointer (TesseraMemory *memory)
{
  return memory->pointer;
}

gpointer
tessera_memory_object (TesseraMemory *memory)
{
  return memory->object;
}
