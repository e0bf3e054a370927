/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The hooks of all that is enqueued and waited for.  A command that has failed is not carried out; its
 * event says so, and what waits for it fails.  Where a driver passes a failure on, all that follows on the
 * queue fails too (STUB_SPOILT).  Where it does not, what follows reports success (STUB_NUMB).  Kernels are not
 * run then, though: what they would read could lead them anywhere; what is read back is rubbish. */
#include "stub-hooks.h"

#include <string.h>

#define NO_COMMAND STUB_N_COMMANDS      /* none that a rule can single out */

/* ------------------------------------------------------------- failures -- */

typedef struct
{
  StubState state;              /* 0: all is well; else what its event will say */
  gboolean  is_stray;           /* its data will come after all */
} Verdict;

/* What befalls the command that is being enqueued. */
static Verdict
judge (cl_command_queue queue, StubCommand command, cl_uint n, const cl_event *list)
{
  const StubFate fate = command == NO_COMMAND ? STUB_RUNS : stub_fate (command);
  StubState      inherited = 0;

  for (cl_uint i = 0; i < n; i++)
    inherited |= stub_state (list[i]);
  if (inherited & STUB_FAILED || (fate == STUB_ALONE && command != STUB_READ))
    inherited |= STUB_NUMB;             /* a read that fails harms nothing on the device */
  if (fate == STUB_ALONE)
    inherited |= STUB_FAILED;
  if (fate == STUB_LATE || fate == STUB_STRAY)
    inherited |= STUB_SPOILT;
  stub_add_state (queue, inherited & (STUB_SPOILT | STUB_NUMB));
  return (Verdict) { stub_state (queue) | inherited, fate == STUB_STRAY };
}

/* After a command was accepted: its event, if it was asked for. */
static cl_int
enqueued (const cl_event *event, cl_int status, StubState state)
{
  if (status != CL_SUCCESS || ! event || ! *event)
    return status;
  stub_adopt (*event);
  stub_count (STUB_KIND (events), 1);
  stub_clear_state (*event);
  stub_add_state (*event, state);
  return status;
}

/* The event of a command that was accepted and is not carried out. */
static cl_int
enqueue_nothing (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event, StubState state)
{
  return event ? enqueued (event, ORIGINAL (EnqueueMarkerWithWaitList, queue) (queue, n, list, event), state)
               : CL_SUCCESS;
}

/* What memory holds that should have been written to, or was by a stray: nobody's data.  Numbers that, as an
 * index, lead nowhere. */
static cl_int
spoil_memory (cl_command_queue queue, cl_mem buffer, cl_uint word, size_t offset, size_t bytes)
{
  const size_t size = offset % 4 == 0 && bytes % 4 == 0 ? 4 : 1;

  return ORIGINAL (EnqueueFillBuffer, queue) (queue, buffer, &word, size, offset, bytes, 0, NULL, NULL);
}

#define ENQUEUE_HOOK(name, declared, passed)                            \
  cl_int CL_API_CALL                                                    \
  hook_##name declared                                                  \
  {                                                                     \
    cl_int status = stub_enter (STUB_##name);                           \
                                                                        \
    return status != CL_SUCCESS ? status                                \
           : enqueued (event, ORIGINAL (name, queue) passed,            \
                       judge (queue, NO_COMMAND, n, list).state);       \
  }

/* ------------------------------------------------------------- commands -- */

static gboolean
is_skipped (cl_kernel kernel)
{
  char name[64] = "";

  return (*(cl_icd_dispatch **) kernel)->clGetKernelInfo (kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL)
         == CL_SUCCESS && stub_skips (name);
}

cl_int CL_API_CALL
hook_EnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                           const size_t *size, const size_t *group, cl_uint n, const cl_event *list,
                           cl_event *event)
{
  cl_int    status = stub_enter (STUB_EnqueueNDRangeKernel);
  StubState state;

  if (status != CL_SUCCESS)
    return status;
  state = judge (queue, STUB_LAUNCH, n, list).state;
  if (state || stub_lies (STUB_LIE_LAUNCH) || is_skipped (kernel))
    return enqueue_nothing (queue, n, list, event, state);
  if (offset && group && size[0] >= 2 * group[0] && stub_lies (STUB_LIE_CUT))
    {
      const size_t left = size[0] / group[0] / 2 * group[0];

      status = ORIGINAL (EnqueueNDRangeKernel, queue) (queue, kernel, 3, offset, (size_t[]) { left, size[1], size[2] }, group, n, list, NULL);
      if (status != CL_SUCCESS)
        return status;
      status = enqueued (event, ORIGINAL (EnqueueNDRangeKernel, queue) (queue, kernel, 3, (size_t[]) { offset[0] + left, offset[1], offset[2] },
                                                                       (size_t[]) { size[0] - left, size[1], size[2] }, group, 0, NULL, event), state);
    }
  else
    status = enqueued (event, ORIGINAL (EnqueueNDRangeKernel, queue) (queue, kernel, dimensions, offset, size, group, n, list, event), state);
  if (status == CL_SUCCESS && event)
    stub_launched (kernel, *event);
  return status;
}

/* The rubbish that comes instead of what was to be read. */
static void
alter (unsigned char *bytes, size_t n, gboolean rounds)
{
  cl_uint word;

  for (size_t i = 0; ! rounds && i < n; i++)
    bytes[i] ^= 0x5a;
  for (size_t i = 6 * sizeof word; rounds && i + sizeof word <= n; i += sizeof word)
    {
      memcpy (&word, bytes + i, sizeof word);
      word ^= 1;
      memcpy (bytes + i, &word, sizeof word);
    }
}

cl_int CL_API_CALL
hook_EnqueueReadBuffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                        void *to, cl_uint n, const cl_event *list, cl_event *event)
{
  cl_int   status = stub_enter (STUB_EnqueueReadBuffer);
  gboolean rubbish, rounds, waits;
  Verdict  verdict;

  if (status != CL_SUCCESS)
    return status;
  verdict = judge (queue, STUB_READ, n, list);
  if (verdict.is_stray)
    {
      stub_stray (buffer, TRUE, to, bytes);
      return enqueue_nothing (queue, n, list, event, verdict.state);
    }
  rubbish = verdict.state || stub_lies (STUB_LIE_DOWNLOAD);
  rounds = ! rubbish && stub_lies (STUB_LIE_ROUND);
  waits = blocking || rubbish || rounds || stub_has_strays ();
  status = ORIGINAL (EnqueueReadBuffer, queue) (queue, buffer, waits, offset, bytes, to, n, list, event);
  if (status == CL_SUCCESS && (rubbish || rounds))
    alter (to, bytes, rounds);
  if (status == CL_SUCCESS && waits)
    stub_strays_into_host (to, bytes);
  status = enqueued (event, status, verdict.state);
  return blocking && status == CL_SUCCESS && verdict.state & (STUB_SPOILT | STUB_FAILED) ? stub_event_code () : status;
}

cl_int CL_API_CALL
hook_EnqueueWriteBuffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                         const void *from, cl_uint n, const cl_event *list, cl_event *event)
{
  cl_int  status = stub_enter (STUB_EnqueueWriteBuffer);
  Verdict verdict;

  if (status != CL_SUCCESS)
    return status;
  verdict = judge (queue, STUB_WRITE, n, list);
  if (verdict.is_stray)
    stub_stray (buffer, FALSE, from, bytes);
  if (verdict.state & (STUB_SPOILT | STUB_FAILED))
    {
      spoil_memory (queue, buffer, 0, offset, bytes);
      return enqueue_nothing (queue, n, list, event, verdict.state);
    }
  stub_strays_into_host (from, bytes);
  status = ORIGINAL (EnqueueWriteBuffer, queue) (queue, buffer, blocking, offset, bytes, from, n, list, event);
  if (status == CL_SUCCESS && stub_strays_into_memory (buffer))
    spoil_memory (queue, buffer, 0, offset, bytes);
  return enqueued (event, status, verdict.state);
}

cl_int CL_API_CALL
hook_EnqueueFillBuffer (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                        size_t offset, size_t bytes, cl_uint n, const cl_event *list, cl_event *event)
{
  cl_int    status = stub_enter (STUB_EnqueueFillBuffer);
  StubState state;

  if (status != CL_SUCCESS)
    return status;
  state = judge (queue, STUB_FILL, n, list).state;
  if (state & (STUB_SPOILT | STUB_FAILED))
    {
      spoil_memory (queue, buffer, 1, offset, bytes);
      return enqueue_nothing (queue, n, list, event, state);
    }
  return enqueued (event, ORIGINAL (EnqueueFillBuffer, queue) (queue, buffer, pattern, pattern_bytes, offset, bytes, n,
                                                              list, event), state);
}

void * CL_API_CALL
hook_EnqueueMapBuffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                       size_t bytes, cl_uint n, const cl_event *list, cl_event *event, cl_int *errcode)
{
  cl_int status = stub_enter (STUB_EnqueueMapBuffer);
  void  *pointer = NULL;

  if (status == CL_SUCCESS)
    {
      const StubState state = judge (queue, NO_COMMAND, n, list).state;

      pointer = ORIGINAL (EnqueueMapBuffer, queue) (queue, buffer, blocking, flags, offset, bytes, n, list, event,
                                                    &status);
      status = enqueued (event, status, state);
    }
  if (pointer && status == CL_SUCCESS)
    stub_host_known (buffer, pointer, bytes);
  if (errcode)
    *errcode = status;
  return pointer;
}

cl_int CL_API_CALL
hook_EnqueueUnmapMemObject (cl_command_queue queue, cl_mem memory, void *pointer, cl_uint n, const cl_event *list,
                            cl_event *event)
{
  cl_int status = stub_enter (STUB_EnqueueUnmapMemObject);

  if (status != CL_SUCCESS)
    return status;
  stub_host_gone (memory);
  return enqueued (event, ORIGINAL (EnqueueUnmapMemObject, queue) (queue, memory, pointer, n, list, event),
                   judge (queue, NO_COMMAND, n, list).state);
}

ENQUEUE_HOOK (EnqueueReadBufferRect,
              (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
               const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row,
               size_t host_slice, void *to, cl_uint n, const cl_event *list, cl_event *event),
              (queue, buffer, blocking, origin, host_origin, region, row, slice, host_row, host_slice, to, n,
               list, event))
ENQUEUE_HOOK (EnqueueWriteBufferRect,
              (cl_command_queue queue, cl_mem buffer, cl_bool blocking, const size_t *origin,
               const size_t *host_origin, const size_t *region, size_t row, size_t slice, size_t host_row,
               size_t host_slice, const void *from, cl_uint n, const cl_event *list, cl_event *event),
              (queue, buffer, blocking, origin, host_origin, region, row, slice, host_row, host_slice, from, n,
               list, event))
ENQUEUE_HOOK (EnqueueCopyBuffer,
              (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
               cl_uint n, const cl_event *list, cl_event *event),
              (queue, from, to, from_offset, to_offset, bytes, n, list, event))
ENQUEUE_HOOK (EnqueueMigrateMemObjects,
              (cl_command_queue queue, cl_uint n_memories, const cl_mem *memories, cl_mem_migration_flags flags,
               cl_uint n, const cl_event *list, cl_event *event),
              (queue, n_memories, memories, flags, n, list, event))
ENQUEUE_HOOK (EnqueueMarkerWithWaitList,
              (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event), (queue, n, list, event))
ENQUEUE_HOOK (EnqueueBarrierWithWaitList,
              (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event), (queue, n, list, event))

/* -------------------------------------------------------------- waiting -- */

cl_int CL_API_CALL
hook_WaitForEvents (cl_uint n, const cl_event *events)
{
  cl_int    status = stub_enter (STUB_WaitForEvents), real;
  StubState state = 0;

  if (status != CL_SUCCESS && ! stub_is_lost ())
    return status;
  for (cl_uint i = 0; i < n; i++)
    state |= stub_state (events[i]);
  real = ORIGINAL (WaitForEvents, events[0]) (n, events);
  return status != CL_SUCCESS ? status
         : state & (STUB_SPOILT | STUB_FAILED) ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : real;
}

/* What is enqueued after this has nothing to do with what failed alone before. */
cl_int CL_API_CALL
hook_Finish (cl_command_queue queue)
{
  cl_int status = stub_enter (STUB_Finish);
  cl_int real = ORIGINAL (Finish, queue) (queue);

  stub_drop_state (queue, STUB_NUMB);
  return status != CL_SUCCESS ? status
         : stub_state (queue) & STUB_SPOILT && stub_finish_tells () ? CL_OUT_OF_RESOURCES : real;
}

cl_int CL_API_CALL
hook_GetEventInfo (cl_event event, cl_event_info what, size_t size, void *value, size_t *size_ret)
{
  cl_int status = stub_enter (STUB_GetEventInfo);

  if (status == CL_SUCCESS)
    status = ORIGINAL (GetEventInfo, event) (event, what, size, value, size_ret);
  if (status == CL_SUCCESS && value && what == CL_EVENT_COMMAND_EXECUTION_STATUS
      && stub_state (event) & (STUB_SPOILT | STUB_FAILED))
    *(cl_int *) value = stub_event_code ();
  return status;
}

cl_int CL_API_CALL
hook_GetEventProfilingInfo (cl_event event, cl_profiling_info what, size_t size, void *value, size_t *size_ret)
{
  cl_int status = stub_enter (STUB_GetEventProfilingInfo);

  if (status == CL_SUCCESS && stub_state (event) & (STUB_SPOILT | STUB_FAILED))
    status = CL_PROFILING_INFO_NOT_AVAILABLE;
  return status != CL_SUCCESS ? status
         : ORIGINAL (GetEventProfilingInfo, event) (event, what, size, value, size_ret);
}

STATUS_HOOK (SetEventCallback, event,
             (cl_event event, cl_int at, void (CL_CALLBACK *notify) (cl_event, cl_int, void *), void *data),
             (event, at, notify, data))
STATUS_HOOK (Flush, queue, (cl_command_queue queue), (queue))
