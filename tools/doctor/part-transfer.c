/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The part that measures copies to, from and on the device.
 */
#include "cl-open.h"
#include "doctor.h"

#include <string.h>

#define RUNS 5

typedef struct
{
  DoctorCl         cl;
  cl_context       context;
  cl_command_queue queue;
  cl_mem           memory, other, pinned;
  gpointer         pageable, mapped;
  gsize            bytes;
} Bench;

typedef cl_int (*Copy) (Bench *bench, gpointer host);

static cl_int
upload (Bench *bench, gpointer host)
{
  return bench->cl.EnqueueWriteBuffer (bench->queue, bench->memory, CL_FALSE, 0, bench->bytes, host, 0, NULL, NULL);
}

static cl_int
download (Bench *bench, gpointer host)
{
  return bench->cl.EnqueueReadBuffer (bench->queue, bench->memory, CL_FALSE, 0, bench->bytes, host, 0, NULL, NULL);
}

static cl_int
copy (Bench *bench, gpointer host G_GNUC_UNUSED)
{
  return bench->cl.EnqueueCopyBuffer (bench->queue, bench->memory, bench->other, 0, 0, bench->bytes, 0, NULL, NULL);
}

/* GB/s of the fastest run. */
static void
measure (Bench *bench, const gchar *name, Copy function, gpointer host)
{
  gint64 best = G_MAXINT64;

  say_doing ("measuring: %s", name);
  for (gint i = 0; i <= RUNS; i++)
    {
      gint64 began = g_get_monotonic_time ();
      cl_int status = function (bench, host);

      if (status == CL_SUCCESS)
        status = bench->cl.Finish (bench->queue);
      if (status != CL_SUCCESS)
        {
          say ("error", "%s: OpenCL error %d", name, status);
          return;
        }
      if (i > 0)
        best = MIN (best, g_get_monotonic_time () - began);
    }
  say (name, "%.3f", bench->bytes / 1e3 / MAX (best, 1));
}

static cl_int
open_device (Bench *bench, cl_device_id device)
{
  const DoctorCl *cl = &bench->cl;
  cl_int          status;

  bench->context = cl->CreateContext (NULL, 1, &device, NULL, NULL, &status);
  if (status == CL_SUCCESS)
    bench->queue = cl->CreateCommandQueue (bench->context, device, 0, &status);
  if (status == CL_SUCCESS)
    bench->memory = cl->CreateBuffer (bench->context, CL_MEM_READ_WRITE, bench->bytes, NULL, &status);
  if (status == CL_SUCCESS)
    bench->other = cl->CreateBuffer (bench->context, CL_MEM_READ_WRITE, bench->bytes, NULL, &status);
  if (status == CL_SUCCESS)
    bench->pinned = cl->CreateBuffer (bench->context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bench->bytes,
                                      NULL, &status);
  if (status == CL_SUCCESS)
    bench->mapped = cl->EnqueueMapBuffer (bench->queue, bench->pinned, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                          bench->bytes, 0, NULL, NULL, &status);
  return status;
}

static void
close_device (Bench *bench)
{
  const DoctorCl *cl = &bench->cl;

  if (bench->mapped)
    cl->EnqueueUnmapMemObject (bench->queue, bench->pinned, bench->mapped, 0, NULL, NULL);
  if (bench->queue)
    cl->Finish (bench->queue);
  if (bench->pinned)
    cl->ReleaseMemObject (bench->pinned);
  if (bench->other)
    cl->ReleaseMemObject (bench->other);
  if (bench->memory)
    cl->ReleaseMemObject (bench->memory);
  if (bench->queue)
    cl->ReleaseCommandQueue (bench->queue);
  if (bench->context)
    cl->ReleaseContext (bench->context);
}

gint
run_part_transfer (gboolean quick)
{
  Bench        bench = { .bytes = (quick ? 8 : 64) << 20 };
  gboolean     images;
  cl_device_id device = NULL;
  cl_int       status;

  say_doing ("opening the device");
  if (doctor_cl_open (&bench.cl))
    device = doctor_cl_pick (&bench.cl, doctor_cl_type (g_getenv ("GEGL_USE_OPENCL")), &images);
  if (! device)
    return 1;
  bench.pageable = g_malloc (bench.bytes);
  memset (bench.pageable, 1, bench.bytes);
  status = open_device (&bench, device);
  if (status == CL_SUCCESS)
    {
      memset (bench.mapped, 1, bench.bytes);
      measure (&bench, "upload, pinned", upload, bench.mapped);
      measure (&bench, "upload, pageable", upload, bench.pageable);
      measure (&bench, "download, pinned", download, bench.mapped);
      measure (&bench, "download, pageable", download, bench.pageable);
      measure (&bench, "on the device", copy, NULL);
    }
  else if (status == CL_MEM_OBJECT_ALLOCATION_FAILURE || status == CL_OUT_OF_HOST_MEMORY
           || status == CL_INVALID_BUFFER_SIZE)
    say ("no-memory", "%u MiB", (guint) (bench.bytes >> 20));
  else
    say ("error", "opening the device: OpenCL error %d", status);
  say_doing ("closing the device");
  close_device (&bench);
  g_free (bench.pageable);
  return 0;
}
