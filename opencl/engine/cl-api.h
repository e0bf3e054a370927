/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The OpenCL entry points that the engine uses, opened at run time from the
 * ICD loader: a machine without libOpenCL still gets every filter, in C.
 */
#ifndef TESSERA_CL_API_H
#define TESSERA_CL_API_H

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <glib.h>

/* For a device of our own. */
#define TESSERA_CL_OPENING_POINTS(X)                                           \
  X (GetPlatformIDs) X (GetDeviceIDs) X (CreateContext)

#define TESSERA_CL_ENTRY_POINTS(X)                                             \
  X (GetDeviceInfo) X (GetPlatformInfo)                                        \
  X (CreateCommandQueue) X (ReleaseCommandQueue) X (Flush) X (Finish)          \
  X (CreateBuffer) X (ReleaseMemObject)                                        \
  X (EnqueueMapBuffer) X (EnqueueUnmapMemObject)                               \
  X (EnqueueWriteBuffer) X (EnqueueReadBuffer) X (EnqueueFillBuffer)           \
  X (CreateProgramWithSource) X (CreateProgramWithBinary) X (BuildProgram)     \
  X (GetProgramBuildInfo) X (GetProgramInfo)                                   \
  X (ReleaseProgram) X (CreateKernel) X (SetKernelArg) X (ReleaseKernel)       \
  X (GetKernelWorkGroupInfo)                                                   \
  X (EnqueueNDRangeKernel)                                                     \
  X (EnqueueMarkerWithWaitList) X (EnqueueBarrierWithWaitList)                 \
  X (WaitForEvents) X (GetEventInfo) X (GetEventProfilingInfo) X (ReleaseEvent)

typedef struct
{
#define TESSERA_CL_MEMBER(name) __typeof__ (&cl##name) name;
  TESSERA_CL_OPENING_POINTS (TESSERA_CL_MEMBER)
  TESSERA_CL_ENTRY_POINTS (TESSERA_CL_MEMBER)
#undef TESSERA_CL_MEMBER
} TesseraClApi;

/* The table, or NULL where there is no loader or an entry point is missing. */
const TesseraClApi *tessera_cl_api (void);

#endif
