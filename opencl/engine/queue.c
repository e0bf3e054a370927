/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Command queues, transfers and events.  Every request in flight has queues of its own, so that graphs
 * in several threads do not wait for one another.  One band is uploaded while another runs and a
 * third is downloaded.
 */
#include "queue.h"

#include "cl-api.h"
#include "counters.h"
#include "settings.h"

struct _TesseraQueue
{
  TesseraQueue        *next;            /* in the free list */
  const TesseraDevice *device;
  gpointer             context;
  gboolean             one_lane, profiled;
  cl_command_queue     lanes[N_LANES];  /* all but LANE_RUN are NULL until they are wanted */
  GPtrArray           *unproven;        /* of the request that has it, or NULL */
};

static GMutex        lock;              /* guards the list */
static TesseraQueue *idle;              /* Price: 1.2 (CIE Lab, 6 Mpix; H200, 2026-11-22) */

/* ---------------------------------------------------------------- queues -- */

void
tessera_queue_note_unproven (TesseraQueue *queue, TesseraProofMark *mark)
{
  if (! queue->unproven)
    queue->unproven = g_ptr_array_new ();
  if (! g_ptr_array_find (queue->unproven, mark, NULL))
    g_ptr_array_add (queue->unproven, mark);
}

GPtrArray *
tessera_queue_unproven (TesseraQueue *queue)
{
  return g_steal_pointer (&queue->unproven);
}

static void
free_queue (TesseraQueue *queue)
{
  g_clear_pointer (&queue->unproven, g_ptr_array_unref);
  for (gint i = 0; i < N_LANES; i++)
    if (queue->lanes[i])
      tessera_cl_api ()->ReleaseCommandQueue (queue->lanes[i]);
  g_free (queue);
}

static cl_int
complete (TesseraQueue *queue)
{
  cl_int status = CL_SUCCESS;

  for (gint i = 0; i < (queue->one_lane ? 1 : N_LANES) && status == CL_SUCCESS; i++)
    if (! queue->lanes[i])
      {
        if (tessera_fault (FAULT_QUEUE))
          status = CL_OUT_OF_RESOURCES;
        else
          queue->lanes[i] = tessera_cl_api ()->CreateCommandQueue (queue->context, queue->device->device,
                                                                   queue->profiled ? CL_QUEUE_PROFILING_ENABLE
                                                                                   : 0, &status);
        if (status == CL_SUCCESS)
          tessera_count (objects_created, 1);
      }
  return status;
}

gint
tessera_queue_take (const TesseraDevice *device, gboolean one_lane, gboolean profiled,
                    TesseraQueue **result)
{
  TesseraQueue *queue, **link;
  cl_int        status;

  g_mutex_lock (&lock);
  for (link = &idle; *link && ((*link)->context != device->context || (*link)->profiled != profiled);
       link = &(*link)->next)
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
      queue->profiled = profiled;
    }
  queue->one_lane = one_lane;
  status = complete (queue);
  if (status != CL_SUCCESS)
    {
      free_queue (queue);
      queue = NULL;
    }
  *result = queue;
  return tessera_status (status);
}

gint
tessera_queue_finish (TesseraQueue *queue)
{
  cl_int status = CL_SUCCESS;

  for (gint i = 0; i < N_LANES; i++)
    if (queue->lanes[i])
      {
        cl_int lane_status = tessera_cl_api ()->Finish (queue->lanes[i]);

        if (status == CL_SUCCESS)
          status = lane_status;
      }
  return tessera_status (status);
}

gint
tessera_queue_give (TesseraQueue *queue, gboolean reuse)
{
  gint status = tessera_queue_finish (queue);

  g_clear_pointer (&queue->unproven, g_ptr_array_unref);
  if (reuse && status == 0)
    {
      g_mutex_lock (&lock);
      queue->next = idle;
      idle = queue;
      g_mutex_unlock (&lock);
    }
  else
    free_queue (queue);
  return status;
}

void
tessera_queue_forget (void)
{
  TesseraQueue *queue;

  g_mutex_lock (&lock);
  queue = g_steal_pointer (&idle);
  g_mutex_unlock (&lock);
  while (queue)
    {
      TesseraQueue *next = queue->next;

      free_queue (queue);
      queue = next;
    }
}

gpointer
tessera_queue_object (TesseraQueue *queue, TesseraLane lane)
{
  return queue->lanes[queue->one_lane ? LANE_RUN : lane];
}

void
tessera_queue_flush (TesseraQueue *queue, TesseraLane lane)
{
  tessera_cl_api ()->Flush (tessera_queue_object (queue, lane));
}

/* -------------------------------------------------------------- commands -- */

gint
tessera_note_event (gint driver, TesseraEvent **event)
{
  if (driver == CL_SUCCESS)
    tessera_count (live_objects, 1);
  else
    *event = NULL;
  return tessera_status (driver);
}

gint
tessera_enqueue_upload (TesseraQueue *queue, TesseraLane lane, TesseraMemory *to, gsize offset,
                        gconstpointer from, gsize bytes, TesseraEvent **event)
{
  cl_int status;

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_INVALID_OPERATION;
  status = tessera_cl_api ()->EnqueueWriteBuffer (tessera_queue_object (queue, lane),
                                                  to->object, CL_FALSE, offset, bytes,
                                                  from, 0, NULL, event);
  if (status == CL_SUCCESS)
    tessera_count (uploaded_bytes, bytes);
  return tessera_note_event (status, event);
}

gint
tessera_enqueue_download (TesseraQueue *queue, TesseraLane lane, TesseraMemory *from, gsize offset,
                          gpointer to, gsize bytes, TesseraEvent *after, TesseraEvent **event)
{
  const gboolean waits = after && ! queue->one_lane;
  cl_int         status;

  if (tessera_fault (FAULT_DOWNLOAD))
    return CL_INVALID_OPERATION;
  status = tessera_cl_api ()->EnqueueReadBuffer (tessera_queue_object (queue, lane),
                                                 from->object, CL_FALSE, offset, bytes, to,
                                                 waits ? 1 : 0, waits ? &after : NULL, event);
  if (status == CL_SUCCESS)
    tessera_count (downloaded_bytes, bytes);
  return tessera_note_event (status, event);
}

gint
tessera_enqueue_clear (TesseraQueue *queue, TesseraMemory *memory, gsize bytes, TesseraEvent **event)
{
  const cl_int zero = 0;

  if (tessera_fault (FAULT_ENQUEUE))
    return CL_INVALID_OPERATION;
  return tessera_note_event (tessera_cl_api ()->EnqueueFillBuffer (tessera_queue_object (queue, LANE_RUN),
                                                                   memory->object, &zero,
                                                                   sizeof zero, 0, (bytes + 3) & ~ (gsize) 3,
                                                                   0, NULL, event), event);
}

gint
tessera_enqueue_wait (TesseraQueue *queue, TesseraEvent *event)
{
  if (queue->one_lane)
    return CL_SUCCESS;
  if (tessera_fault (FAULT_ENQUEUE))
    return CL_INVALID_OPERATION;
  return tessera_status (tessera_cl_api ()->EnqueueBarrierWithWaitList (tessera_queue_object (queue, LANE_RUN), 1,
                                                                        &event, NULL));
}

gint
tessera_enqueue_mark (TesseraQueue *queue, TesseraEvent **event)
{
  *event = NULL;
  if (queue->one_lane)
    return CL_SUCCESS;
  if (tessera_fault (FAULT_ENQUEUE))
    return CL_INVALID_OPERATION;
  return tessera_note_event (tessera_cl_api ()->EnqueueMarkerWithWaitList (tessera_queue_object (queue, LANE_RUN), 0,
                                                                           NULL, event), event);
}

/* ---------------------------------------------------------------- events -- */

gint
tessera_event_wait (TesseraEvent *event)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_int              status = cl->WaitForEvents (1, &event);
  cl_int              of_command = CL_COMPLETE;

  if (status == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
      && cl->GetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof of_command, &of_command, NULL)
         == CL_SUCCESS && of_command < 0)
    return tessera_status (of_command);
  return status == CL_SUCCESS && tessera_fault (FAULT_WAIT) ? CL_INVALID_OPERATION : tessera_status (status);
}

gint
tessera_event_finish (gint status, TesseraEvent *event)
{
  if (status == 0)
    status = tessera_event_wait (event);
  if (event)
    tessera_event_free (event);
  return status;
}

gint
tessera_event_failed (TesseraEvent *event)
{
  cl_int       of_command = CL_COMPLETE;
  const cl_int status = tessera_cl_api ()->GetEventInfo (event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof of_command, &of_command, NULL);

  if (status != CL_SUCCESS || of_command < 0)
    return tessera_status (status != CL_SUCCESS ? status : of_command);
  return tessera_fault (FAULT_WAIT) ? CL_INVALID_OPERATION : CL_SUCCESS;
}

guint64
tessera_event_duration (TesseraEvent *event)
{
  const TesseraClApi *cl = tessera_cl_api ();
  cl_ulong            began = 0, ended = 0;

  if (cl->GetEventProfilingInfo (event, CL_PROFILING_COMMAND_START, sizeof began, &began, NULL)
        != CL_SUCCESS
      || cl->GetEventProfilingInfo (event, CL_PROFILING_COMMAND_END, sizeof ended, &ended, NULL)
           != CL_SUCCESS)
    return 0;
  return ended > began ? ended - began : 0;
}

void
tessera_event_free (TesseraEvent *event)
{
  tessera_cl_api ()->ReleaseEvent (event);
  tessera_count (live_objects, -1);
}
