/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The hooks that stand in the driver's dispatch table.  Each counts its call,
 * asks the plan, and passes on to the driver. */
#include "stub-plan.h"

#include <string.h>

#define ORIGINAL(name, object) ((__typeof__ (&cl##name)) stub_original (STUB_##name, object))
#define TEBIBYTE ((cl_ulong) 1 << 40)

/* ------------------------------------------------- the common shapes -- */

#define STATUS_HOOK(name, object, declared, passed)                     \
  static cl_int CL_API_CALL                                             \
  hook_##name declared                                                  \
  {                                                                     \
    cl_int status = stub_enter (STUB_##name);                           \
                                                                        \
    return status == CL_SUCCESS ? ORIGINAL (name, object) passed : status; \
  }

#define CREATE_HOOK(type, name, kind, object, declared, passed)         \
  static type CL_API_CALL                                               \
  hook_##name declared                                                  \
  {                                                                     \
    cl_int status = stub_enter (STUB_##name);                           \
    type   made = NULL;                                                 \
                                                                        \
    if (status == CL_SUCCESS)                                           \
      made = ORIGINAL (name, object) passed;                            \
    else if (errcode)                                                   \
      *errcode = status;                                                \
    if (made)                                                           \
      {                                                                 \
        stub_adopt (made);                                              \
        stub_count (STUB_KIND (kind), 1);                               \
      }                                                                 \
    return made;                                                        \
  }

/* A release is told to fail, but releases. */
#define COUNT_HOOKS(type, Kind, kind)                                   \
  static cl_int CL_API_CALL                                             \
  hook_Retain##Kind (type object)                                       \
  {                                                                     \
    cl_int status = stub_enter (STUB_Retain##Kind);                     \
                                                                        \
    if (status == CL_SUCCESS)                                           \
      status = ORIGINAL (Retain##Kind, object) (object);                \
    if (status == CL_SUCCESS)                                           \
      stub_count (STUB_KIND (kind), 1);                                 \
    return status;                                                      \
  }                                                                     \
                                                                        \
  static cl_int CL_API_CALL                                             \
  hook_Release##Kind (type object)                                      \
  {                                                                     \
    cl_int status = stub_enter (STUB_Release##Kind), real;              \
                                                                        \
    stub_unspoil (object);                                              \
    real = ORIGINAL (Release##Kind, object) (object);                   \
    if (real == CL_SUCCESS)                                             \
      stub_count (STUB_KIND (kind), -1);                                \
    return status == CL_SUCCESS ? real : status;                        \
  }

/* What waits for something that has failed fails, and what follows it. */
static void
inherit_failure (cl_command_queue queue, cl_uint n, const cl_event *list)
{
  for (cl_uint i = 0; i < n; i++)
    if (stub_is_spoilt (list[i]))
      stub_spoil (queue);
}

/* After a command was accepted: its event, if it was asked for. */
static cl_int
enqueued (cl_command_queue queue, const cl_event *event, cl_int status)
{
  if (status != CL_SUCCESS || ! event || ! *event)
    return status;
  stub_adopt (*event);
  stub_count (STUB_KIND (events), 1);
  if (stub_is_spoilt (queue))
    stub_spoil (*event);
  return status;
}

#define ENQUEUE_HOOK(name, declared, passed)                            \
  static cl_int CL_API_CALL                                             \
  hook_##name declared                                                  \
  {                                                                     \
    cl_int status = stub_enter (STUB_##name);                           \
                                                                        \
    inherit_failure (queue, n, list);                                   \
    return status != CL_SUCCESS ? status                                \
           : enqueued (queue, event, ORIGINAL (name, queue) passed);    \
  }

COUNT_HOOKS (cl_command_queue, CommandQueue, queues)
COUNT_HOOKS (cl_mem, MemObject, memories)
COUNT_HOOKS (cl_program, Program, programs)
COUNT_HOOKS (cl_kernel, Kernel, kernels)
COUNT_HOOKS (cl_event, Event, events)

/* --------------------------------------------- platform, device, context -- */

static cl_int CL_API_CALL
hook_GetPlatformInfo (cl_platform_id platform, cl_platform_info what, size_t size, void *value,
                      size_t *size_ret)
{
  cl_int status = stub_enter (STUB_GetPlatformInfo);
  char   name[256] = "Stub ";
  size_t length = 0;

  if (status == CL_SUCCESS && what != CL_PLATFORM_NAME)
    return ORIGINAL (GetPlatformInfo, platform) (platform, what, size, value, size_ret);
  if (status == CL_SUCCESS)
    status = ORIGINAL (GetPlatformInfo, platform) (platform, what, sizeof name - 5, name + 5, NULL);
  if (status != CL_SUCCESS)
    return status;
  length = strlen (name) + 1;
  if (size_ret)
    *size_ret = length;
  if (value && size < length)
    return CL_INVALID_VALUE;
  if (value)
    memcpy (value, name, length);
  return CL_SUCCESS;
}

static cl_int CL_API_CALL
hook_GetDeviceIDs (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices,
                   cl_uint *n_ret)
{
  cl_int  status = stub_enter (STUB_GetDeviceIDs);
  cl_uint found = 0;

  if (status == CL_SUCCESS)
    status = ORIGINAL (GetDeviceIDs, platform) (platform, type, n, devices, &found);
  for (cl_uint i = 0; status == CL_SUCCESS && devices && i < found && i < n; i++)
    stub_adopt (devices[i]);
  if (status == CL_SUCCESS && n_ret)
    *n_ret = found;
  return status;
}

static cl_int CL_API_CALL
hook_GetDeviceInfo (cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
  cl_int status = stub_enter (STUB_GetDeviceInfo);

  if (status == CL_SUCCESS)
    status = ORIGINAL (GetDeviceInfo, device) (device, what, size, value, size_ret);
  if (status != CL_SUCCESS || ! value)
    return status;
  if (what == CL_DEVICE_GLOBAL_MEM_SIZE || what == CL_DEVICE_MAX_MEM_ALLOC_SIZE)
    {
      if (stub_lies (STUB_LIE_MEMORY))
        *(cl_ulong *) value = TEBIBYTE;
      if (stub_lies (STUB_LIE_NOTHING))
        *(cl_ulong *) value = 0;
    }
  if (what == CL_DEVICE_COMPILER_AVAILABLE && stub_lies (STUB_LIE_VERSION))
    *(cl_bool *) value = CL_FALSE;
  return CL_SUCCESS;
}

static cl_context CL_API_CALL
hook_CreateContext (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
                    void (CL_CALLBACK *notify) (const char *, const void *, size_t, void *), void *data,
                    cl_int *errcode)
{
  cl_int     status = stub_enter (STUB_CreateContext);
  cl_context made = NULL;

  if (status == CL_SUCCESS)
    made = ORIGINAL (CreateContext, devices[0]) (properties, n, devices, notify, data, errcode);
  else if (errcode)
    *errcode = status;
  if (made)
    stub_adopt (made);
  return made;
}

/* ---------------------------------------------- queues, memory, programs -- */

CREATE_HOOK (cl_command_queue, CreateCommandQueue, queues, context,
             (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *errcode),
             (context, device, properties, errcode))
CREATE_HOOK (cl_mem, CreateBuffer, memories, context,
             (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode),
             (context, flags, size, host, errcode))
CREATE_HOOK (cl_mem, CreateSubBuffer, memories, buffer,
             (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode),
             (buffer, flags, type, info, errcode))
CREATE_HOOK (cl_program, CreateProgramWithSource, programs, context,
             (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *errcode),
             (context, n, texts, lengths, errcode))
CREATE_HOOK (cl_program, CreateProgramWithBinary, programs, context,
             (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths,
              const unsigned char **binaries, cl_int *each, cl_int *errcode),
             (context, n, devices, lengths, binaries, each, errcode))
CREATE_HOOK (cl_kernel, CreateKernel, kernels, program,
             (cl_program program, const char *name, cl_int *errcode), (program, name, errcode))

static cl_int CL_API_CALL
hook_BuildProgram (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                   void (CL_CALLBACK *notify) (cl_program, void *), void *data)
{
  cl_int status = stub_enter (STUB_BuildProgram);

  if (status != CL_SUCCESS || stub_lies (STUB_LIE_BUILD))
    return status;
  return ORIGINAL (BuildProgram, program) (program, n, devices, options, notify, data);
}

STATUS_HOOK (GetProgramInfo, program,
             (cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret),
             (program, what, size, value, size_ret))
STATUS_HOOK (GetProgramBuildInfo, program,
             (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value,
              size_t *size_ret),
             (program, device, what, size, value, size_ret))
STATUS_HOOK (SetKernelArg, kernel, (cl_kernel kernel, cl_uint index, size_t size, const void *value),
             (kernel, index, size, value))
STATUS_HOOK (GetKernelWorkGroupInfo, kernel,
             (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *value,
              size_t *size_ret),
             (kernel, device, what, size, value, size_ret))

/* ------------------------------------------------------------- commands -- */

/* The event of a command that was accepted and never runs. */
static cl_int
enqueue_nothing (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event)
{
  return event ? enqueued (queue, event, ORIGINAL (EnqueueMarkerWithWaitList, queue) (queue, n, list, event))
               : CL_SUCCESS;
}

static cl_int CL_API_CALL
hook_EnqueueNDRangeKernel (cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                           const size_t *size, const size_t *group, cl_uint n, const cl_event *list,
                           cl_event *event)
{
  cl_int status = stub_enter (STUB_EnqueueNDRangeKernel);

  if (status != CL_SUCCESS)
    return status;
  inherit_failure (queue, n, list);
  if (stub_event_fails ())
    stub_spoil (queue);
  if (stub_is_spoilt (queue) || stub_lies (STUB_LIE_LAUNCH))
    return enqueue_nothing (queue, n, list, event);
  return enqueued (queue, event, ORIGINAL (EnqueueNDRangeKernel, queue) (queue, kernel, dimensions, offset, size,
                                                                        group, n, list, event));
}

static cl_int CL_API_CALL
hook_EnqueueReadBuffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                        void *to, cl_uint n, const cl_event *list, cl_event *event)
{
  cl_int   status = stub_enter (STUB_EnqueueReadBuffer);
  gboolean alter;

  if (status != CL_SUCCESS)
    return status;
  inherit_failure (queue, n, list);
  if (stub_event_fails ())
    stub_spoil (queue);
  alter = stub_is_spoilt (queue) || stub_lies (STUB_LIE_DOWNLOAD);
  status = ORIGINAL (EnqueueReadBuffer, queue) (queue, buffer, blocking || alter, offset, bytes, to, n, list, event);
  for (size_t i = 0; alter && status == CL_SUCCESS && i < bytes; i++)
    ((unsigned char *) to)[i] ^= 0x5a;
  status = enqueued (queue, event, status);
  return blocking && status == CL_SUCCESS && stub_is_spoilt (queue) ? CL_OUT_OF_RESOURCES : status;
}

static void * CL_API_CALL
hook_EnqueueMapBuffer (cl_command_queue queue, cl_mem buffer, cl_bool blocking, cl_map_flags flags, size_t offset,
                       size_t bytes, cl_uint n, const cl_event *list, cl_event *event, cl_int *errcode)
{
  cl_int status = stub_enter (STUB_EnqueueMapBuffer);
  void  *pointer = NULL;

  inherit_failure (queue, n, list);
  if (status == CL_SUCCESS)
    pointer = ORIGINAL (EnqueueMapBuffer, queue) (queue, buffer, blocking, flags, offset, bytes, n, list, event,
                                                  &status);
  status = enqueued (queue, event, status);
  if (errcode)
    *errcode = status;
  return pointer;
}

ENQUEUE_HOOK (EnqueueWriteBuffer,
              (cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
               const void *from, cl_uint n, const cl_event *list, cl_event *event),
              (queue, buffer, blocking, offset, bytes, from, n, list, event))
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
ENQUEUE_HOOK (EnqueueFillBuffer,
              (cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes, size_t offset,
               size_t bytes, cl_uint n, const cl_event *list, cl_event *event),
              (queue, buffer, pattern, pattern_bytes, offset, bytes, n, list, event))
ENQUEUE_HOOK (EnqueueCopyBuffer,
              (cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset, size_t to_offset, size_t bytes,
               cl_uint n, const cl_event *list, cl_event *event),
              (queue, from, to, from_offset, to_offset, bytes, n, list, event))
ENQUEUE_HOOK (EnqueueUnmapMemObject,
              (cl_command_queue queue, cl_mem memory, void *pointer, cl_uint n, const cl_event *list,
               cl_event *event),
              (queue, memory, pointer, n, list, event))
ENQUEUE_HOOK (EnqueueMigrateMemObjects,
              (cl_command_queue queue, cl_uint n_memories, const cl_mem *memories, cl_mem_migration_flags flags,
               cl_uint n, const cl_event *list, cl_event *event),
              (queue, n_memories, memories, flags, n, list, event))
ENQUEUE_HOOK (EnqueueMarkerWithWaitList,
              (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event), (queue, n, list, event))
ENQUEUE_HOOK (EnqueueBarrierWithWaitList,
              (cl_command_queue queue, cl_uint n, const cl_event *list, cl_event *event), (queue, n, list, event))

/* -------------------------------------------------------------- waiting -- */

static cl_int CL_API_CALL
hook_WaitForEvents (cl_uint n, const cl_event *events)
{
  cl_int   status = stub_enter (STUB_WaitForEvents), real;
  gboolean spoilt = FALSE;

  if (status != CL_SUCCESS && ! stub_is_lost ())
    return status;
  for (cl_uint i = 0; i < n; i++)
    spoilt |= stub_is_spoilt (events[i]);
  real = ORIGINAL (WaitForEvents, events[0]) (n, events);
  return status != CL_SUCCESS ? status : spoilt ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : real;
}

static cl_int CL_API_CALL
hook_Finish (cl_command_queue queue)
{
  cl_int status = stub_enter (STUB_Finish);
  cl_int real = ORIGINAL (Finish, queue) (queue);

  return status != CL_SUCCESS ? status
         : stub_is_spoilt (queue) && stub_finish_tells () ? CL_OUT_OF_RESOURCES : real;
}

static cl_int CL_API_CALL
hook_GetEventInfo (cl_event event, cl_event_info what, size_t size, void *value, size_t *size_ret)
{
  cl_int status = stub_enter (STUB_GetEventInfo);

  if (status == CL_SUCCESS)
    status = ORIGINAL (GetEventInfo, event) (event, what, size, value, size_ret);
  if (status == CL_SUCCESS && value && what == CL_EVENT_COMMAND_EXECUTION_STATUS && stub_is_spoilt (event))
    *(cl_int *) value = CL_OUT_OF_RESOURCES;
  return status;
}

static cl_int CL_API_CALL
hook_GetEventProfilingInfo (cl_event event, cl_profiling_info what, size_t size, void *value, size_t *size_ret)
{
  cl_int status = stub_enter (STUB_GetEventProfilingInfo);

  if (status == CL_SUCCESS && stub_is_spoilt (event))
    status = CL_PROFILING_INFO_NOT_AVAILABLE;
  return status != CL_SUCCESS ? status
         : ORIGINAL (GetEventProfilingInfo, event) (event, what, size, value, size_ret);
}

STATUS_HOOK (SetEventCallback, event,
             (cl_event event, cl_int at, void (CL_CALLBACK *notify) (cl_event, cl_int, void *), void *data),
             (event, at, notify, data))
STATUS_HOOK (Flush, queue, (cl_command_queue queue), (queue))

const StubHook stub_hooks[STUB_N_ENTRIES] = {
#define HOOK(name, class) { offsetof (cl_icd_dispatch, cl##name), (void *) hook_##name },
  STUB_ENTRIES (HOOK)
#undef HOOK
};
