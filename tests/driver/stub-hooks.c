/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The hooks that stand in the driver's dispatch table.  Each counts its call,
 * asks the plan, and passes on to the driver. */
#include "stub-hooks.h"

#include <string.h>

#define DEVICE_OPENCL_C_ALL_VERSIONS 0x1066      /* of OpenCL 3.0 */
#define TEBIBYTE ((cl_ulong) 1 << 40)

/* ------------------------------------------------- the common shapes -- */

#define CREATE_HOOK(type, name, kind, object, declared, passed)         \
  type CL_API_CALL                                                      \
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
  cl_int CL_API_CALL                                                    \
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
  cl_int CL_API_CALL                                                    \
  hook_Release##Kind (type object)                                      \
  {                                                                     \
    cl_int status = stub_enter (STUB_Release##Kind), real;              \
                                                                        \
    stub_clear_state (object);                                          \
    stub_host_gone (object);                                            \
    real = ORIGINAL (Release##Kind, object) (object);                   \
    if (real == CL_SUCCESS)                                             \
      stub_count (STUB_KIND (kind), -1);                                \
    return status == CL_SUCCESS ? real : status;                        \
  }

COUNT_HOOKS (cl_command_queue, CommandQueue, queues)
COUNT_HOOKS (cl_mem, MemObject, memories)
COUNT_HOOKS (cl_program, Program, programs)
COUNT_HOOKS (cl_kernel, Kernel, kernels)
COUNT_HOOKS (cl_event, Event, events)

/* --------------------------------------------- platform, device, context -- */

cl_int CL_API_CALL
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

cl_int CL_API_CALL
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

cl_int CL_API_CALL
hook_GetDeviceInfo (cl_device_id device, cl_device_info what, size_t size, void *value, size_t *size_ret)
{
  /* GEGL 0.4.72 does not look whether it got an answer to this, and reads what it has not been told, which may kill it. */
  cl_int status = what == DEVICE_OPENCL_C_ALL_VERSIONS ? CL_SUCCESS : stub_enter (STUB_GetDeviceInfo);

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
  if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && stub_piece ())
    *(cl_ulong *) value = stub_piece ();
  if (what == CL_DEVICE_COMPILER_AVAILABLE && stub_lies (STUB_LIE_VERSION))
    *(cl_bool *) value = CL_FALSE;
  if (what == CL_DEVICE_TYPE && stub_lies (STUB_LIE_GPU))
    *(cl_device_type *) value = CL_DEVICE_TYPE_GPU;
  if (what == CL_DEVICE_DOUBLE_FP_CONFIG && stub_lies (STUB_LIE_SINGLE))
    *(cl_device_fp_config *) value = 0;
  if (what == CL_DRIVER_VERSION && size > 2 && stub_lies (STUB_LIE_FIVE))
    memcpy (value, "5.", 2);
  return CL_SUCCESS;
}

cl_context CL_API_CALL
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

/* Where a kernel is skipped new memory holds threes: what the heap has there may be what the kernel makes. */
static cl_mem
create_buffer (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode)
{
  const cl_uint three = 3;
  cl_uint      *threes;
  cl_mem        made;

  if (host || ! stub_skips_some ())
    return ORIGINAL (CreateBuffer, context) (context, flags, size, host, errcode);
  threes = g_malloc (size + sizeof three);
  for (size_t i = 0; i <= size / sizeof three; i++)
    threes[i] = three;
  made = ORIGINAL (CreateBuffer, context) (context, flags | CL_MEM_COPY_HOST_PTR, size, threes, errcode);
  g_free (threes);
  return made;
}

static GMutex size_lock;
static gint64 largest;          /* of the device's own memory */

static void
note_size (cl_mem_flags flags, size_t size)
{
  g_mutex_lock (&size_lock);
  if (! (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_USE_HOST_PTR)))
    largest = MAX (largest, (gint64) size);
  g_mutex_unlock (&size_lock);
}

__attribute__ ((visibility ("default"))) gint64
stub_icd_largest (void)
{
  gint64 answer;

  g_mutex_lock (&size_lock);
  answer = largest;
  g_mutex_unlock (&size_lock);
  return answer;
}

cl_mem CL_API_CALL
hook_CreateBuffer (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *errcode)
{
  cl_int status = stub_enter (STUB_CreateBuffer);
  cl_mem made = NULL;

  if (status == CL_SUCCESS)
    made = create_buffer (context, flags, size, host, errcode);
  else if (errcode)
    *errcode = status;
  if (made)
    {
      stub_adopt (made);
      stub_count (STUB_KIND (memories), 1);
      note_size (flags, size);
      if (flags & CL_MEM_USE_HOST_PTR)
        stub_host_known (made, host, size);
    }
  return made;
}

CREATE_HOOK (cl_mem, CreateSubBuffer, memories, buffer,
             (cl_mem buffer, cl_mem_flags flags, cl_buffer_create_type type, const void *info, cl_int *errcode),
             (buffer, flags, type, info, errcode))
CREATE_HOOK (cl_program, CreateProgramWithSource, programs, context,
             (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *errcode),
             (context, n, texts, lengths, errcode))
/* What hands out and takes binaries that are the source behind a word, for STUB_LIE_KEPT. */
#define KEPT "kept "

static cl_program
create_kept (cl_context context, size_t length, const unsigned char *binary, cl_int *each, cl_int *errcode)
{
  const char  *source = (const char *) binary + sizeof KEPT - 1;
  const size_t bytes = length < sizeof KEPT ? 0 : strnlen (source, length - (sizeof KEPT - 1));

  if (bytes > 0 && memcmp (binary, KEPT, sizeof KEPT - 1) == 0)
    return ORIGINAL (CreateProgramWithSource, context) (context, 1, &source, &bytes, errcode);
  if (each)
    *each = CL_INVALID_BINARY;
  if (errcode)
    *errcode = CL_INVALID_BINARY;
  return NULL;
}

static cl_program
create_from_binary (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries, cl_int *each,
                    cl_int *errcode)
{
  return stub_lies (STUB_LIE_KEPT) ? create_kept (context, *lengths, *binaries, each, errcode)
         : ORIGINAL (CreateProgramWithBinary, context) (context, n, devices, lengths, binaries, each, errcode);
}

cl_program CL_API_CALL
hook_CreateProgramWithBinary (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *lengths, const unsigned char **binaries,
                              cl_int *each, cl_int *errcode)
{
  const cl_int status = stub_enter (STUB_CreateProgramWithBinary);
  cl_program   made = NULL;

  if (status == CL_SUCCESS)
    made = create_from_binary (context, n, devices, lengths, binaries, each, errcode);
  else if (errcode)
    *errcode = status;
  if (made)
    {
      stub_adopt (made);
      stub_count (STUB_KIND (programs), 1);
    }
  return made;
}

CREATE_HOOK (cl_kernel, CreateKernel, kernels, program,
             (cl_program program, const char *name, cl_int *errcode), (program, name, errcode))

static gint n_kernels;          /* atomic */

static void
note_kernels (cl_program program)
{
  size_t n = 0;

  ORIGINAL (GetProgramInfo, program) (program, CL_PROGRAM_NUM_KERNELS, sizeof n, &n, NULL);
  g_atomic_int_set (&n_kernels, (gint) n);
}

__attribute__ ((visibility ("default"))) gint64
stub_icd_kernels (void)
{
  return g_atomic_int_get (&n_kernels);
}

cl_int CL_API_CALL
hook_BuildProgram (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                   void (CL_CALLBACK *notify) (cl_program, void *), void *data)
{
  cl_int status = stub_enter (STUB_BuildProgram);

  if (status != CL_SUCCESS || stub_lies (STUB_LIE_BUILD))
    return status;
  status = ORIGINAL (BuildProgram, program) (program, n, devices, options, notify, data);
  note_kernels (program);
  return status;
}

/* The source behind the word, into value[0], or its length, which counts the source's last zero. */
static cl_int
give_kept (cl_program program, cl_program_info what, void *value)
{
  const size_t before = sizeof KEPT - 1;
  size_t       bytes = 0;
  cl_int       status = ORIGINAL (GetProgramInfo, program) (program, CL_PROGRAM_SOURCE, 0, NULL, &bytes);
  char        *to = NULL;

  if (status != CL_SUCCESS || ! value)
    return status;
  if (what == CL_PROGRAM_BINARY_SIZES)
    *(size_t *) value = before + bytes;
  else if ((to = *(char **) value))
    status = ORIGINAL (GetProgramInfo, program) (program, CL_PROGRAM_SOURCE, bytes, to + before, NULL);
  if (to)
    memcpy (to, KEPT, before);
  return status;
}

cl_int CL_API_CALL
hook_GetProgramInfo (cl_program program, cl_program_info what, size_t size, void *value, size_t *size_ret)
{
  const cl_int status = stub_enter (STUB_GetProgramInfo);

  if (status != CL_SUCCESS)
    return status;
  if ((what == CL_PROGRAM_BINARY_SIZES || what == CL_PROGRAM_BINARIES) && stub_lies (STUB_LIE_KEPT))
    return give_kept (program, what, value);
  return ORIGINAL (GetProgramInfo, program) (program, what, size, value, size_ret);
}

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

const StubHook stub_hooks[STUB_N_ENTRIES] = {
#define HOOK(name, class) { offsetof (cl_icd_dispatch, cl##name), (void *) hook_##name },
  STUB_ENTRIES (HOOK)
#undef HOOK
};
