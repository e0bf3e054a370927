/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Inside libstub-icd: the entry points that are hooked, what the plan says of
 * a call, and the originals. */
#ifndef STUB_PLAN_H
#define STUB_PLAN_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <stddef.h>

#include "stub-icd.h"

/* X (entry, class) */
#define STUB_ENTRIES(X)                                                                 \
  X (GetPlatformInfo, QUERY) X (GetDeviceIDs, QUERY) X (GetDeviceInfo, QUERY)           \
  X (CreateContext, CREATE)                                                             \
  X (CreateCommandQueue, CREATE) X (RetainCommandQueue, CREATE)                         \
  X (ReleaseCommandQueue, RELEASE)                                                      \
  X (CreateBuffer, CREATE) X (CreateSubBuffer, CREATE) X (RetainMemObject, CREATE)      \
  X (ReleaseMemObject, RELEASE)                                                         \
  X (CreateProgramWithSource, CREATE) X (CreateProgramWithBinary, CREATE)               \
  X (RetainProgram, CREATE) X (ReleaseProgram, RELEASE) X (BuildProgram, CREATE)        \
  X (GetProgramInfo, QUERY) X (GetProgramBuildInfo, QUERY)                              \
  X (CreateKernel, CREATE) X (RetainKernel, CREATE) X (ReleaseKernel, RELEASE)          \
  X (SetKernelArg, CREATE) X (GetKernelWorkGroupInfo, QUERY)                            \
  X (EnqueueNDRangeKernel, WORK) X (EnqueueReadBuffer, WORK) X (EnqueueWriteBuffer, WORK) \
  X (EnqueueReadBufferRect, WORK) X (EnqueueWriteBufferRect, WORK)                      \
  X (EnqueueFillBuffer, WORK) X (EnqueueCopyBuffer, WORK)                               \
  X (EnqueueMapBuffer, WORK) X (EnqueueUnmapMemObject, WORK)                            \
  X (EnqueueMigrateMemObjects, WORK)                                                    \
  X (EnqueueMarkerWithWaitList, WORK) X (EnqueueBarrierWithWaitList, WORK)              \
  X (WaitForEvents, WORK) X (Flush, QUERY) X (Finish, WORK)                             \
  X (GetEventInfo, QUERY) X (GetEventProfilingInfo, QUERY)                              \
  X (SetEventCallback, CREATE) X (RetainEvent, CREATE) X (ReleaseEvent, RELEASE)

typedef enum { STUB_QUERY, STUB_CREATE, STUB_WORK, STUB_RELEASE } StubClass;

typedef enum
{
#define STUB_ID(name, class) STUB_##name,
  STUB_ENTRIES (STUB_ID)
#undef STUB_ID
  STUB_N_ENTRIES
} StubEntry;

typedef enum
{
  STUB_LIE_DOWNLOAD = 1 << 0,
  STUB_LIE_LAUNCH   = 1 << 1,
  STUB_LIE_MEMORY   = 1 << 2,
  STUB_LIE_NOTHING  = 1 << 3,
  STUB_LIE_BUILD    = 1 << 4,
  STUB_LIE_VERSION  = 1 << 5,
  STUB_LIE_ROUND    = 1 << 6,
  STUB_LIE_FIVE     = 1 << 7,
  STUB_LIE_CUT      = 1 << 8,
  STUB_LIE_GPU      = 1 << 9,
  STUB_LIE_SINGLE   = 1 << 10,
  STUB_LIE_KEPT     = 1 << 11,
  STUB_SKIP         = 1 << 12
} StubLie;

/* Commands that a rule can single out. */
typedef enum { STUB_WRITE, STUB_FILL, STUB_LAUNCH, STUB_READ, STUB_N_COMMANDS } StubCommand;

/* What becomes of one that was accepted. */
typedef enum
{
  STUB_RUNS,
  STUB_LATE,                    /* it fails, and what follows on its queue */
  STUB_ALONE,                   /* it alone fails */
  STUB_STRAY                    /* LATE, but its data come after Finish has given up */
} StubFate;

#define STUB_PROTOTYPE(type, name, arguments) type stub_icd_##name arguments;
STUB_ICD_API (STUB_PROTOTYPE)
#undef STUB_PROTOTYPE

/* --- stub-plan.c ---------------------------------------------------------- */

/* Counts the call, waits where the plan says so.  What the call must return
 * instead of doing anything, or CL_SUCCESS. */
cl_int      stub_enter       (StubEntry entry);
/* TRUE when the device is lost: what was under way has come to an end. */
gboolean    stub_is_lost     (void);
/* TRUE when the plan says this, which then counts as met. */
gboolean    stub_lies        (StubLie lie);
gboolean    stub_skips       (const char *kernel);
gboolean    stub_skips_some  (void);
/* Bytes that one piece of memory may have; 0: as many as the device says. */
guint64     stub_piece       (void);
/* Asked once for each command. */
StubFate    stub_fate        (StubCommand command);
/* What the event of a command that has failed says. */
cl_int      stub_event_code  (void);
/* FALSE where only the events say that something has failed. */
gboolean    stub_finish_tells (void);
const char *stub_entry_name  (StubEntry entry);

/* --- stub-objects.c ------------------------------------------------------- */

/* Members of StubLive: STUB_KIND (queues) and so on. */
#define STUB_KIND(member) offsetof (StubLive, member)

void        stub_count       (gsize kind, gint amount);

/* Of queues and events. */
typedef enum
{
  STUB_SPOILT = 1 << 0,         /* a command has failed; so do all that follow or wait for it */
  STUB_FAILED = 1 << 1,         /* an event: its command alone has failed */
  STUB_NUMB   = 1 << 2          /* a command before it has failed alone: kernels say that they ran, reads deliver rubbish */
} StubState;

void        stub_add_state   (const void *object, StubState state);
void        stub_drop_state  (const void *object, StubState state);
void        stub_clear_state (const void *object);
StubState   stub_state       (const void *object);

/* `event` is that of a launch of `kernel` that was accepted. */
void        stub_launched    (cl_kernel kernel, cl_event event);

/* --- stub-strays.c: transfers that outlive a Finish ------------------------- */

/* Host memory that belongs to `memory`: mapped, or the caller's own. */
void        stub_host_known  (cl_mem memory, void *pointer, gsize bytes);
/* It is unmapped, or `memory` released. */
void        stub_host_gone   (const void *memory);
/* The data of a transfer that has failed are still to come: into host memory, or (a write) into `memory`. */
void        stub_stray       (cl_mem memory, gboolean reads, const void *host, gsize bytes);
/* Other memory is being written to, read into or sent: do strays come there?  Those to host memory have then come. */
gboolean    stub_strays_into_host   (const void *host, gsize bytes);
gboolean    stub_strays_into_memory (cl_mem memory);
gboolean    stub_has_strays         (void);

/* --- stub-icd.c ----------------------------------------------------------- */

/* The driver's own function for an object's dispatch table. */
void       *stub_original    (StubEntry entry, const void *object);
/* Puts our hooks into the table of `object`, if it is a new one. */
void        stub_adopt       (const void *object);

/* --- stub-hooks.c --------------------------------------------------------- */

typedef struct
{
  size_t offset;                /* in cl_icd_dispatch */
  void  *function;
} StubHook;

extern const StubHook stub_hooks[STUB_N_ENTRIES];

#endif
