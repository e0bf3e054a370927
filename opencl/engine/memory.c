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

#define GRAIN       64          /* bytes; the least that a size is rounded up to */
#define MOST_PINNED ((gsize) 2 << 30)   /* bytes, ... */
#define MOST_SHARE  8                   /* ... and of the host's memory one part in so many */

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

/* Nothing of OpenCL is called with a lock held: an allocation may take 150 ms, and GIMP's main thread comes by. */
static GMutex           lock;           /* guards what follows */
static TesseraMemory   *idle;
static gsize            known_bytes;
static gsize            reserved_bytes, reserved_pinned_bytes;  /* for what is being allocated */
static gsize            abandoned_bytes;                        /* of the pools, pinned */
static guint            n_releasing;                            /* threads that give memory back */
static GCond            released;

static GMutex           mapping_lock;   /* guards what follows */
static cl_command_queue mapping_queue;
static gpointer         mapping_context;

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

/* The queue on which memory is mapped and unmapped; NULL and the error if it cannot be made. */
static cl_command_queue
queue_for_mapping (const TesseraMemory *memory, cl_int *status)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_command_queue    queue;

  *status = CL_SUCCESS;
  g_mutex_lock (&mapping_lock);
  if (! mapping_queue || mapping_context != memory->context)
    {
      if (mapping_queue)
        cl->ReleaseCommandQueue (mapping_queue);
      mapping_queue = cl->CreateCommandQueue (memory->context, memory->device->device, 0, status);
      if (*status != CL_SUCCESS)
        mapping_queue = NULL;
      else
        tessera_count (objects_created, 1);
      mapping_context = memory->context;
    }
  queue = mapping_queue;
  g_mutex_unlock (&mapping_lock);
  return queue;
}

static void
release (TesseraMemory *memory)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status;

  if (memory->pointer)
    {
      cl_command_queue queue = queue_for_mapping (memory, &status);

      if (queue)
        {
          cl->EnqueueUnmapMemObject (queue, memory->object, memory->pointer, 0, NULL, NULL);
          cl->Finish (queue);
        }
    }
  cl->ReleaseMemObject (memory->object);
  if (memory->known)
    {
      g_mutex_lock (&lock);
      known_bytes -= memory->bytes;
      g_mutex_unlock (&lock);
    }
  tessera_count (live_objects, -1);
  count_bytes (memory, -1);
  if (tessera_debug () & DEBUG_MEMORY)
    tessera_log ("memory: %" G_GSIZE_FORMAT " bytes %s released", memory->bytes,
                 memory->pinned ? "pinned" : "on the device");
  g_free (memory);
}

/* Unlinks what has been idle since `since` or longer; release_all must follow. */
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

      release (picked);
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

/* What other threads give back counts until they have. */
static void
wait_for_releases (void)
{
  g_mutex_lock (&lock);
  while (n_releasing > 0)
    g_cond_wait (&released, &lock);
  g_mutex_unlock (&lock);
}

static TesseraMemory *
take_idle_locked (const TesseraDevice *device, gsize bytes, gboolean pinned, gconstpointer constant)
{
  const gboolean  is_proof = tessera_proof_leg () != TESSERA_PROOF_NONE;       /* short, and after a request */
  TesseraMemory **best = NULL;
  TesseraMemory  *memory;

  for (TesseraMemory **link = &idle; *link; link = &(*link)->next)
    if ((*link)->context == device->context && (*link)->pinned == pinned && (*link)->constant == constant
        && (*link)->bytes >= bytes && ((*link)->bytes <= 2 * round_up (bytes) || is_proof)
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
map (const TesseraClApi *cl, TesseraMemory *memory)
{
  cl_command_queue queue;
  cl_int           status;

  if (tessera_fault (FAULT_MAP))
    return CL_MAP_FAILURE;
  if (! (queue = queue_for_mapping (memory, &status)))
    return status;
  memory->pointer = cl->EnqueueMapBuffer (queue, memory->object, CL_TRUE,
                                          CL_MAP_READ | CL_MAP_WRITE, 0, memory->bytes,
                                          0, NULL, NULL, &status);
  if (status == CL_SUCCESS && ! memory->pointer)
    status = CL_MAP_FAILURE;
  return status;
}

static cl_int
allocate (TesseraMemory *memory)
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
  if (memory->pinned && ! memory->known && (status = map (cl, memory)) != CL_SUCCESS)
    {
      cl->ReleaseMemObject (memory->object);
      return status;
    }
  tessera_count (allocations, 1);
  tessera_count (objects_created, 1);
  tessera_count (live_objects, 1);
  if (tessera_debug () & DEBUG_MEMORY)
    tessera_log ("memory: %" G_GSIZE_FORMAT " bytes %s allocated", memory->bytes,
                 memory->pinned ? "pinned" : "on the device");
  return CL_SUCCESS;
}

/* Memory of the host's that the system cannot page out. */
gsize
tessera_most_pinned (void)
{
  return MIN (MOST_PINNED, tessera_host_memory () / MOST_SHARE);
}

static gboolean
fits_locked (const TesseraDevice *device, gsize bytes, gboolean pinned)
{
  if (pinned)
    return tessera_counter (live_pinned_bytes) - known_bytes - abandoned_bytes + reserved_pinned_bytes + bytes
           <= tessera_most_pinned ();
  return bytes <= device->max_allocation
         && tessera_counter (live_bytes) + reserved_bytes + bytes <= tessera_budget (device);
}

static gsize *
reserved_for (const TesseraMemory *memory)
{
  return memory->pinned ? &reserved_pinned_bytes : &reserved_bytes;
}

static gboolean
reserve (TesseraMemory *memory, gsize bytes)
{
  gboolean fits;

  g_mutex_lock (&lock);
  fits = fits_locked (memory->device, bytes, memory->pinned);
  if (fits)
    {
      memory->bytes = bytes;
      *reserved_for (memory) += bytes;
    }
  g_mutex_unlock (&lock);
  return fits;
}

/* What was reserved is there now, or not. */
static void
settle (TesseraMemory *memory, gboolean is_there)
{
  g_mutex_lock (&lock);
  *reserved_for (memory) -= memory->bytes;
  if (is_there)
    count_bytes (memory, 1);
  g_mutex_unlock (&lock);
}

/* Where the host program has a main loop (GIMP), idle memory does not wait for
 * the next request. */
static gboolean timer_runs;

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

static void
keep_trimming_locked (void)
{
  if (! timer_runs)
    timer_runs = g_timeout_add_seconds (TESSERA_IDLE / G_USEC_PER_SEC + 1, trim_by_timer, NULL) > 0;
}

/* With room to spare if that fits, else after the idle memory is gone, else exactly. */
static cl_int
allocate_fitting (TesseraMemory *memory, gsize bytes, gboolean exactly)
{
  const gsize exact = tessera_tight_memory () ? bytes : (bytes + GRAIN - 1) / GRAIN * GRAIN;
  const gsize usual = exactly ? exact : round_up (bytes);
  gboolean    fits = reserve (memory, usual);
  cl_int      status;

  if (! fits)
    {
      trim (G_MAXINT64);
      wait_for_releases ();
      fits = reserve (memory, usual) || reserve (memory, exact);
    }
  if (! fits)
    return memory->pinned ? CL_OUT_OF_HOST_MEMORY : CL_MEM_OBJECT_ALLOCATION_FAILURE;
  status = allocate (memory);
  if (status != CL_SUCCESS && trim (G_MAXINT64))        /* the driver has less than it says */
    status = allocate (memory);
  settle (memory, status == CL_SUCCESS);
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

static void
at_exit (void)
{
  if (! tessera_has_forked ())          /* else the driver's threads are not there, and it waits for them for ever */
    tessera_memory_trim ();
}

gint
tessera_memory_take (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean exact,
                     TesseraMemory **result)
{
  static gsize   registered;
  TesseraMemory *memory = NULL;
  cl_int         status = CL_SUCCESS;

  bytes = MAX (bytes, 1);
  exact = exact || tessera_tight_memory ();
  if (g_once_init_enter (&registered))
    {
      tessera_has_forked ();            /* from now on */
      g_once_init_leave (&registered, 1 + (atexit (at_exit) != 0));
    }
  if (exact)
    trim (G_MAXINT64);
  else
    {
      g_mutex_lock (&lock);
      memory = take_idle_locked (device, bytes, pinned, NULL);
      g_mutex_unlock (&lock);
    }
  if (! memory)
    {
      memory = g_new0 (TesseraMemory, 1);
      *memory = (TesseraMemory) { .device = device, .context = device->context, .pinned = pinned };
      status = allocate_fitting (memory, bytes, exact);
      if (status != CL_SUCCESS)
        g_clear_pointer (&memory, g_free);
    }
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
  status = allocate (memory);
  g_mutex_lock (&lock);
  if (status == CL_SUCCESS)
    {
      count_bytes (memory, 1);
      known_bytes += bytes;
      keep_trimming_locked ();
    }
  g_mutex_unlock (&lock);
  if (status != CL_SUCCESS)
    g_clear_pointer (&memory, g_free);
  *result = memory;
  return status;
}

void
tessera_memory_drop (TesseraMemory *memory)
{
  release (memory);
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
  if (memory->known)
    return;
  g_mutex_lock (&lock);
  abandoned_bytes += memory->bytes;     /* else a few failures would use up the limit for good */
  g_mutex_unlock (&lock);
}

void
tessera_memory_give (TesseraMemory *memory)
{
  TesseraMemory *picked;

  if (! memory)
    return;
  g_mutex_lock (&lock);
  memory->idle_since = g_get_monotonic_time ();
  memory->next = idle;
  idle = memory;
  picked = pick_idle_locked (memory->idle_since - TESSERA_IDLE);
  keep_trimming_locked ();
  g_mutex_unlock (&lock);
  release_all (picked);
}

void
tessera_memory_trim (void)
{
  tessera_tiles_trim (G_MAXINT64);
  trim (G_MAXINT64);
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
