/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Command queues, transfers and events.  Every request in flight has a queue
 * of its own, so that graphs in several threads do not wait for one another.
 */
#include "cl-api.h"
#include "internal.h"

struct _TesseraQueue
{
  TesseraQueue        *next;            /* in the free list */
  const TesseraDevice *device;
  gpointer             context;
  cl_command_queue     object;
};

struct _TesseraEvent
{
  cl_event object;
};

static GMutex        lock;              /* guards the list */
static TesseraQueue *idle;

gint
tessera_queue_take (const TesseraDevice *device, TesseraQueue **result)
{
  const TesseraClApi *cl = tessera_cl_api ();
  TesseraQueue       *queue, **link;
  cl_int              status = CL_SUCCESS;

  g_mutex_lock (&lock);
  for (link = &idle; *link && (*link)->context != device->context; link = &(*link)->next)
    ;
  queue = *link;
  if (queue)
    *link = queue->next;
  g_mutex_unlock (&lock);

  if (! queue)
    {
      queue = g_new0 (TesseraQueue, 1);
      queue->device = device;
      queue->context = device->context;
      queue->object = cl->CreateCommandQueue (device->context, device->device,
                                              CL_QUEUE_PROFILING_ENABLE, &status);
      if (status != CL_SUCCESS)
        g_clear_pointer (&queue, g_free);
    }
  *result = queue;
  return status;
}

gint
tessera_queue_give (TesseraQueue *queue, gboolean reuse)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status;

  if (! queue)
    return CL_SUCCESS;
  status = cl->Finish (queue->object);
  if (reuse && status == CL_SUCCESS)
    {
      g_mutex_lock (&lock);
      queue->next = idle;
      idle = queue;
      g_mutex_unlock (&lock);
    }
  else
    {
      cl->ReleaseCommandQueue (queue->object);
      g_free (queue);
    }
  return status;
}

gint
tessera_queue_finish (TesseraQueue *queue)
{
  return tessera_cl_api ()->Finish (queue->object);
}

void
tessera_queue_flush (TesseraQueue *queue)
{
  tessera_cl_api ()->Flush (queue->object);
}

static void
wrap_event (cl_event object, TesseraEvent **event)
{
  *event = g_new (TesseraEvent, 1);
  (*event)->object = object;
  tessera_count (live_objects, 1);
}

gint
tessera_enqueue_upload (TesseraQueue *queue, TesseraMemory *to, gsize offset,
                        gconstpointer from, gsize bytes, TesseraEvent **event)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_event            object = NULL;
  cl_int              status;

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_OUT_OF_RESOURCES;
  status = cl->EnqueueWriteBuffer (queue->object, tessera_memory_object (to), CL_FALSE,
                                   offset, bytes, from, 0, NULL, event ? &object : NULL);
  if (status != CL_SUCCESS)
    return status;
  tessera_count (uploaded_bytes, bytes);
  if (event)
    wrap_event (object, event);
  return CL_SUCCESS;
}

gint
tessera_enqueue_download (TesseraQueue *queue, TesseraMemory *from, gpointer to, gsize bytes,
                          TesseraEvent **event)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_event            object = NULL;
  cl_int              status;

  if (tessera_fault (FAULT_DOWNLOAD))
    return CL_OUT_OF_RESOURCES;
  status = cl->EnqueueReadBuffer (queue->object, tessera_memory_object (from), CL_FALSE,
                                  0, bytes, to, 0, NULL, &object);
  if (status != CL_SUCCESS)
    return status;
  tessera_count (downloaded_bytes, bytes);
  wrap_event (object, event);
  return CL_SUCCESS;
}

gint
tessera_enqueue_clear (TesseraQueue *queue, TesseraMemory *memory, gsize bytes)
{
  const cl_int zero = 0;

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_OUT_OF_RESOURCES;
  return tessera_cl_api ()->EnqueueFillBuffer (queue->object, tessera_memory_object (memory),
                                               &zero, sizeof zero, 0, (bytes + 3) & ~ (gsize) 3,
                                               0, NULL, NULL);
}

gint
tessera_event_finish (TesseraEvent *event, guint64 *began, guint64 *ended)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_ulong            from = 0, to = 0;
  cl_int              status;

  status = cl->WaitForEvents (1, &event->object);
  if (began && status == CL_SUCCESS
      && cl->GetEventProfilingInfo (event->object, CL_PROFILING_COMMAND_START,
                                    sizeof from, &from, NULL) == CL_SUCCESS
      && cl->GetEventProfilingInfo (event->object, CL_PROFILING_COMMAND_END,
                                    sizeof to, &to, NULL) == CL_SUCCESS)
    {
      *began = from;
      *ended = to;
    }
  cl->ReleaseEvent (event->object);
  tessera_count (live_objects, -1);
  g_free (event);
  return status;
}

gpointer
tessera_queue_object (TesseraQueue *queue)
{
  return queue->object;
}

void
tessera_queue_forget (void)
{
  const TesseraClApi *cl = tessera_cl_api ();
  TesseraQueue       *queue;

  g_mutex_lock (&lock);
  while ((queue = idle))
    {
      idle = queue->next;
      cl->ReleaseCommandQueue (queue->object);
      g_free (queue);
    }
  g_mutex_unlock (&lock);
}
