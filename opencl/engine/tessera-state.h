/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Modes and counters, for tests and tools.  Part of tessera-control.h; names neither GEGL nor OpenCL types.
 */
#ifndef TESSERA_STATE_H
#define TESSERA_STATE_H

#include <glib.h>

typedef enum
{
  TESSERA_OPENCL_AUTO,          /* the device where it is faster than C here, else C */
  TESSERA_OPENCL_OFF,           /* C always */
  TESSERA_OPENCL_TRY,           /* the device wherever there is one, C where it fails */
  TESSERA_OPENCL_FORCE          /* the device or an error */
} TesseraOpenclMode;

/* Monotonic counters of this process, except the live_ ones; times in nanoseconds. */
typedef struct
{
  guint64 requests;             /* calls of tessera_process and tessera_survey with something to do */
  guint64 device_requests;      /* ... answered by the device */
  guint64 c_requests;           /* ... answered by C, for whatever reason */
  guint64 fallbacks;            /* ... by C after the device had been tried */
  guint64 bands;
  guint64 launches;             /* kernels enqueued */
  guint64 builds;               /* programs built, successfully or not */
  guint64 allocations;          /* device and pinned allocations made */
  guint64 live_objects;         /* OpenCL memory objects and events now alive */
  guint64 live_bytes;           /* device memory now held */
  guint64 peak_bytes;
  guint64 live_pinned_bytes;    /* pinned host memory now held */
  guint64 peak_pinned_bytes;
  guint64 uploaded_bytes, downloaded_bytes;
  guint64 objects_created;      /* memory objects, queues, programs and kernels, ever */
  guint64 process_ns;           /* time within tessera_process ... */
  guint64 read_ns, write_ns;    /* ... and of its stages on the device path, which overlap; */
  guint64 upload_ns, run_ns, download_ns;       /* only of requests that were profiled */
  guint64 build_ns;             /* building programs */
  guint64 stays, fetches;       /* results that stayed on the device, and those of them that somebody wanted on the host */
  guint64 tiles;                /* into which the device sent results directly */
  guint64 abandoned_objects;    /* of the live ones: memory that may still be used by a device that does not answer, ... */
  guint64 abandoned_bytes;      /* ... of the host's */
} TesseraCounters;

/* One kernel's profiled launches since the process began.  The names are static;
 * `reads`: pixels that its work-items read, by the launches' `cost`. */
typedef struct
{
  const gchar *filter, *kernel;
  guint64      launches, ns;
  gdouble      reads;
} TesseraKernelTime;

#endif
