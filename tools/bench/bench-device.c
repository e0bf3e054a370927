/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the OpenCL device can do at best, to hold kernels and transfers against:
 * bytes copied in its memory, bytes over the bus, float operations.
 * OpenCL is opened at run time, as in libtessera.
 */
#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <gmodule.h>
#include <string.h>

#include "bench.h"
#include "system.h"

#define REPEATS   10
#define COPY_MIB  256
#define BUS_MIB   64
#define FMA_ITEMS (1 << 20)             /* on a processor an eighth */
#define FMA_LOOPS 256
#define FMA_FLOPS (FMA_LOOPS * 8.0 * 4.0 * 2.0)         /* 8 chains of float4 */

#define ENTRY_POINTS(X)                                                        \
  X (GetDeviceInfo) X (CreateCommandQueue) X (ReleaseCommandQueue)             \
  X (Finish) X (CreateBuffer) X (ReleaseMemObject) X (EnqueueMapBuffer)        \
  X (EnqueueUnmapMemObject) X (EnqueueWriteBuffer) X (EnqueueReadBuffer)       \
  X (EnqueueCopyBuffer) X (EnqueueFillBuffer) X (CreateProgramWithSource)      \
  X (BuildProgram) X (ReleaseProgram) X (CreateKernel) X (SetKernelArg)        \
  X (ReleaseKernel) X (EnqueueNDRangeKernel)

typedef struct
{
#define MEMBER(name) __typeof__ (&cl##name) name;
  ENTRY_POINTS (MEMBER)
#undef MEMBER
} Api;

typedef struct
{
  cl_context       context;
  cl_device_id     device;
  cl_command_queue queue;
  cl_kernel        fma_kernel;
  cl_mem           a, b, pinned;
  gpointer         pinned_memory, pageable_memory;
  gpointer         host;        /* one of these: the end of a transfer */
  gsize            bytes, bus_bytes, fma_items;
  gint             batch;       /* commands timed together, where one is short */
} Work;

static const gchar source[] =
  "kernel void fma_peak (global float4 *out, float x, float y)\n"
  "{\n"
  "  float4 b = (float4) (x), c = (float4) (y);\n"
  "  float4 v0 = (float4) (get_global_id (0)), v1 = v0 + 1.0f, v2 = v0 + 2.0f, v3 = v0 + 3.0f;\n"
  "  float4 v4 = v0 + 4.0f, v5 = v0 + 5.0f, v6 = v0 + 6.0f, v7 = v0 + 7.0f;\n"
  "  for (int i = 0; i < " G_STRINGIFY (FMA_LOOPS) "; i++)\n"
  "    {\n"
  "      v0 = fma (v0, b, c); v1 = fma (v1, b, c); v2 = fma (v2, b, c); v3 = fma (v3, b, c);\n"
  "      v4 = fma (v4, b, c); v5 = fma (v5, b, c); v6 = fma (v6, b, c); v7 = fma (v7, b, c);\n"
  "    }\n"
  "  out[get_global_id (0)] = ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + (v6 + v7));\n"
  "}\n";

static const Api *
opencl (void)
{
  static Api api;
  GModule *module = g_module_open (tessera_opencl_names ()[0], G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  gboolean complete = module != NULL;

#define LOAD(name) complete = complete && g_module_symbol (module, "cl" #name, (gpointer *) &api.name);
  ENTRY_POINTS (LOAD)
#undef LOAD
  return complete ? &api : NULL;
}

const gchar *
bench_device_kind (gpointer device)
{
  const Api     *cl = opencl ();
  cl_device_type type = 0;

  if (! cl || ! device
      || cl->GetDeviceInfo (device, CL_DEVICE_TYPE, sizeof type, &type, NULL) != CL_SUCCESS)
    return "other";
  return type & CL_DEVICE_TYPE_GPU ? "gpu" : type & CL_DEVICE_TYPE_CPU ? "cpu" : "other";
}

static cl_int
open_kernel (const Api *cl, Work *work)
{
  const char *text = source;
  cl_int      status;
  cl_program  program = cl->CreateProgramWithSource (work->context, 1, &text, NULL, &status);

  if (status == CL_SUCCESS)
    status = cl->BuildProgram (program, 1, &work->device, "-cl-std=CL1.2", NULL, NULL);
  if (status == CL_SUCCESS)
    work->fma_kernel = cl->CreateKernel (program, "fma_peak", &status);
  if (program)
    cl->ReleaseProgram (program);
  return status;
}

static cl_int
open_work (const Api *cl, Work *work)
{
  cl_ulong most = 0;
  cl_int   status;

  cl->GetDeviceInfo (work->device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL);
  work->bytes = MIN ((gsize) COPY_MIB << 20, most / 2 & ~(gsize) 0xfffff);
  work->batch = strcmp (bench_device_kind (work->device), "cpu") == 0 ? 1 : 8;
  work->fma_items = work->batch == 1 ? FMA_ITEMS / 8 : FMA_ITEMS;
  work->bus_bytes = MIN ((gsize) BUS_MIB << 20, work->bytes);
  work->queue = cl->CreateCommandQueue (work->context, work->device, 0, &status);
  if (status == CL_SUCCESS)
    status = open_kernel (cl, work);
  if (status == CL_SUCCESS)
    work->a = cl->CreateBuffer (work->context, CL_MEM_READ_WRITE, work->bytes, NULL, &status);
  if (status == CL_SUCCESS)
    work->b = cl->CreateBuffer (work->context, CL_MEM_READ_WRITE, work->bytes, NULL, &status);
  if (status == CL_SUCCESS)
    work->pinned = cl->CreateBuffer (work->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR,
                                     work->bus_bytes, NULL, &status);
  if (status == CL_SUCCESS)
    work->pinned_memory = cl->EnqueueMapBuffer (work->queue, work->pinned, CL_TRUE,
                                                CL_MAP_READ | CL_MAP_WRITE, 0, work->bus_bytes,
                                                0, NULL, NULL, &status);
  work->pageable_memory = g_malloc0 (work->bus_bytes);
  if (status == CL_SUCCESS)
    status = cl->EnqueueFillBuffer (work->queue, work->a, &(cl_int) { 0 }, sizeof (cl_int), 0, work->bytes,
                                    0, NULL, NULL);
  return status;
}

static void
close_work (const Api *cl, Work *work)
{
  if (work->pinned_memory)
    cl->EnqueueUnmapMemObject (work->queue, work->pinned, work->pinned_memory, 0, NULL, NULL);
  if (work->queue)
    cl->Finish (work->queue);
  for (gint i = 0; i < 3; i++)
    {
      cl_mem memory = i == 0 ? work->a : i == 1 ? work->b : work->pinned;

      if (memory)
        cl->ReleaseMemObject (memory);
    }
  if (work->fma_kernel)
    cl->ReleaseKernel (work->fma_kernel);
  if (work->queue)
    cl->ReleaseCommandQueue (work->queue);
  g_free (work->pageable_memory);
}

/* ------------------------------------------------------------ what is timed -- */

typedef cl_int (*Action) (const Api *cl, Work *work);

static cl_int
copy (const Api *cl, Work *work)
{
  return cl->EnqueueCopyBuffer (work->queue, work->a, work->b, 0, 0, work->bytes, 0, NULL, NULL);
}

static cl_int
upload (const Api *cl, Work *work)
{
  return cl->EnqueueWriteBuffer (work->queue, work->a, CL_FALSE, 0, work->bus_bytes, work->host, 0, NULL, NULL);
}

static cl_int
download (const Api *cl, Work *work)
{
  return cl->EnqueueReadBuffer (work->queue, work->a, CL_FALSE, 0, work->bus_bytes, work->host, 0, NULL, NULL);
}

static cl_int
multiply (const Api *cl, Work *work)
{
  const size_t  items = work->fma_items, group = 64;
  const cl_float x = 0.999f, y = 0.001f;
  cl_int        status = cl->SetKernelArg (work->fma_kernel, 0, sizeof work->b, &work->b);

  status |= cl->SetKernelArg (work->fma_kernel, 1, sizeof x, &x);
  status |= cl->SetKernelArg (work->fma_kernel, 2, sizeof y, &y);
  if (status != CL_SUCCESS)
    return status;
  return cl->EnqueueNDRangeKernel (work->queue, work->fma_kernel, 1, NULL, &items, &group, 0, NULL, NULL);
}

/* Giga-units a second, best of some; a failure goes to *status and stays there. */
static gdouble
best_rate (const Api *cl, Work *work, Action action, gdouble units, cl_int *status)
{
  gdouble best = 0.0;

  for (gint i = 0; i <= REPEATS && *status == CL_SUCCESS; i++)
    {
      gint64 began = g_get_monotonic_time ();

      for (gint k = 0; k < work->batch && *status == CL_SUCCESS; k++)
        *status = action (cl, work);
      if (*status == CL_SUCCESS)
        *status = cl->Finish (work->queue);
      if (i > 0)
        best = MAX (best, work->batch * units / 1e3 / MAX (1, g_get_monotonic_time () - began));
    }
  return best;
}

gboolean
bench_device_measure (gpointer context, gpointer device, BenchDevice *result)
{
  const Api *cl = opencl ();
  Work       work = { .context = context, .device = device };
  cl_int     status;

  if (! cl || ! device)
    {
      g_printerr ("bench: no OpenCL device to measure: GEGL has none (GEGL_USE_OPENCL, a driver)\n");
      return FALSE;
    }
  status = open_work (cl, &work);
  result->copy = best_rate (cl, &work, copy, 2.0 * work.bytes, &status);
  work.host = work.pinned_memory;
  result->upload_pinned = best_rate (cl, &work, upload, work.bus_bytes, &status);
  result->download_pinned = best_rate (cl, &work, download, work.bus_bytes, &status);
  work.host = work.pageable_memory;
  result->upload_pageable = best_rate (cl, &work, upload, work.bus_bytes, &status);
  result->download_pageable = best_rate (cl, &work, download, work.bus_bytes, &status);
  result->gflops = best_rate (cl, &work, multiply, FMA_FLOPS * work.fma_items, &status);
  close_work (cl, &work);
  if (status != CL_SUCCESS)
    g_printerr ("bench: measuring the device failed with OpenCL error %d\n", status);
  return status == CL_SUCCESS;
}
