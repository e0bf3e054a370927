/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Memory of the device, pinned memory of the host, and host memory that the device is told of.  It is
 * made within its limits, mapped, counted and released here. pool.c keeps memory for another use.
 */
#include "memory.h"

#include "cl-api.h"
#include "counters.h"
#include "messages.h"
#include "system.h"
#include "settings.h"

#define MOST_PINNED ((gsize) 2 << 30)   /* bytes, ... */
#define MOST_SHARE  8                   /* ... and at most this fraction (1/n) of the host's memory */

/* Nothing of OpenCL is called with a lock held: an allocation may take 150 ms, and GIMP's main thread comes by. */
static GMutex           lock;           /* guards what follows */
static gsize            known_bytes;
static gsize            reserved_bytes, reserved_pinned_bytes;  /* for what is being allocated */
static gsize            abandoned_bytes;                        /* pinned, but not the known ones */

static GMutex           mapping_lock;   /* guards what follows */
static cl_command_queue mapping_queue;
static gpointer         mapping_context;

/* -------------------------------------------------------------- mapping -- */

/* The queue on which memory is mapped and unmapped; NULL and the error if it cannot be made.  Of two that are made at the same
 * time one is dropped. */
static cl_command_queue
queue_for_mapping (const TesseraMemory *memory, cl_int *status)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_command_queue    queue, made, dropped;

  *status = CL_SUCCESS;
  g_mutex_lock (&mapping_lock);
  queue = mapping_context == memory->context ? mapping_queue : NULL;
  g_mutex_unlock (&mapping_lock);
  if (queue)
    return queue;
  made = cl->CreateCommandQueue (memory->context, memory->device->device, 0, status);
  if (*status != CL_SUCCESS)
    return NULL;
  tessera_count (objects_created, 1);
  g_mutex_lock (&mapping_lock);
  if (mapping_queue && mapping_context == memory->context)
    dropped = made;
  else
    {
      dropped = mapping_queue;
      mapping_queue = made;
      mapping_context = memory->context;
    }
  queue = mapping_queue;
  g_mutex_unlock (&mapping_lock);
  if (dropped)
    cl->ReleaseCommandQueue (dropped);
  return queue;
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

static void
unmap (const TesseraClApi *cl, TesseraMemory *memory)
{
  cl_int           status;
  cl_command_queue queue = queue_for_mapping (memory, &status);

  if (! queue)
    return;
  cl->EnqueueUnmapMemObject (queue, memory->object, memory->pointer, 0, NULL, NULL);
  cl->Finish (queue);
}

/* --------------------------------------------------------------- limits -- */

/* Memory of the host's that the system cannot page out. */
gsize
tessera_most_pinned (void)
{
  return MIN (MOST_PINNED, tessera_host_memory () / MOST_SHARE);
}

static void
count_bytes (const TesseraMemory *memory, gint64 sign)
{
  if (memory->pinned)
    tessera_count (live_pinned_bytes, sign * (gint64) memory->bytes);
  else
    tessera_count (live_bytes, sign * (gint64) memory->bytes);
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
reserve (TesseraMemory *memory)
{
  gboolean fits;

  g_mutex_lock (&lock);
  fits = fits_locked (memory->device, memory->bytes, memory->pinned);
  if (fits)
    *reserved_for (memory) += memory->bytes;
  g_mutex_unlock (&lock);
  return fits;
}

/* The reserved memory has been allocated now, or has failed. */
static void
settle (TesseraMemory *memory, gboolean is_there)
{
  g_mutex_lock (&lock);
  *reserved_for (memory) -= memory->bytes;
  if (is_there)
    count_bytes (memory, 1);
  g_mutex_unlock (&lock);
}

/* --------------------------------------------------------- make, release -- */

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

gint
tessera_memory_make (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean *fits,
                     TesseraMemory **result)
{
  TesseraMemory *memory = g_new0 (TesseraMemory, 1);
  cl_int         status = pinned ? CL_OUT_OF_HOST_MEMORY : CL_MEM_OBJECT_ALLOCATION_FAILURE;

  *memory = (TesseraMemory) { .device = device, .context = device->context, .pinned = pinned, .bytes = bytes };
  *fits = reserve (memory);
  if (*fits)
    {
      status = allocate (memory);
      settle (memory, status == CL_SUCCESS);
    }
  if (status != CL_SUCCESS)
    g_clear_pointer (&memory, g_free);
  *result = memory;
  return tessera_status (status);
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
    }
  g_mutex_unlock (&lock);
  if (status != CL_SUCCESS)
    g_clear_pointer (&memory, g_free);
  *result = memory;
  return tessera_status (status);
}

void
tessera_memory_drop (TesseraMemory *memory)
{
  const TesseraClApi *cl = tessera_cl_api ();

  if (memory->pointer)
    unmap (cl, memory);
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

void
tessera_memory_abandon (TesseraMemory *memory)
{
  if (! memory->pinned)
    {
      tessera_memory_drop (memory);
      return;
    }
  /* Transfers use its address, not the object.  So the driver would free it under them. */
  tessera_count (abandoned_objects, 1);
  tessera_count (abandoned_bytes, memory->bytes);
  if (memory->known)
    return;
  g_mutex_lock (&lock);
  abandoned_bytes += memory->bytes;     /* not counted as live: a few failures would use up the limit for good */
  g_mutex_unlock (&lock);
}
