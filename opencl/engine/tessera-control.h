/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-control.h: switches and answers for tests, the bench and the doctor.  No filter needs it, and it
 * is not installed.
 */
#ifndef TESSERA_CONTROL_H
#define TESSERA_CONTROL_H

#include "tessera-state.h"
#include "tessera.h"

G_BEGIN_DECLS

/* Overrides the environment variable TESSERA_OPENCL for the rest of the process. */
TESSERA_API void tessera_set_opencl_mode (TesseraOpenclMode mode);

/* Overrides TESSERA_MEMORY: the most device memory in MiB that the engine
 * holds, 0 for the default (a quarter of the device's).  Forgets what has failed. */
TESSERA_API void tessera_set_memory (guint mebibytes);

/* Overrides the band height, in rows; 0 for the engine's own choice.  Results
 * do not depend on it: tests prove that. */
TESSERA_API void tessera_set_band_rows (guint rows);

/* Device memory has exactly the requested bytes, so that a device that checks each access finds one beyond
 * them. */
TESSERA_API void tessera_set_tight_memory (gboolean tight);

/* Least number of pixels for which a result is written directly into tiles; -1: default, G_MAXINT: never.
 * The pixels are the same either way. */
TESSERA_API void tessera_set_tile_pixels (gint pixels);

/* Overrides TESSERA_DELIVER=float|stored (see tessera_result_format). */
TESSERA_API void tessera_set_delivery (gboolean stored);

/* Times each upload, kernel and download of all requests, as TESSERA_DEBUG=timings
 * does; without it none is, since it costs. */
TESSERA_API void tessera_set_profiling (gboolean profiling);

/* Overrides TESSERA_FAULT ("KIND:N": the N-th such call from now on fails, once;
 * NULL for none).  The kinds: build, queue (creating one), kernel (creating one),
 * alloc, map (pinned memory), set-arg, enqueue (uploads, launches, clears),
 * download, wait (for a command to finish).  tessera_fault_met says whether it did.
 * Also forgets earlier failures, and after build, queue or kernel the objects made.
 * Requests may run meanwhile. */
TESSERA_API void     tessera_set_fault (const gchar *fault);
TESSERA_API gboolean tessera_fault_met (void);

/* Whether kernels are compared with C at their first use and now and then after it (the default).  A harness that
 * compares them itself switches this off, to see what they do. */
TESSERA_API void tessera_set_proof (gboolean on);

/* Whether operations remember what they found of a picture (the default).  Whoever times the same request again, or compares two, switches this
 * off. */
TESSERA_API void tessera_set_remembering (gboolean on);

/* Whether a result may stay on the device for the next of our filters (the default). */
TESSERA_API void tessera_set_residence (gboolean on);

/* Waits until no program is being built beside the requests. */
TESSERA_API void tessera_finish_builds (void);

/* Sets how far the clock is ahead that says how long a device that failed is left alone. */
TESSERA_API void tessera_set_clock_offset (gint64 microseconds);

/* Progress is signalled from the first moment and without a pause, even for short work. */
TESSERA_API void tessera_set_eager_progress (gboolean eager);

/* The counters of tessera-state.h. */
TESSERA_API void tessera_get_counters (TesseraCounters *counters);

/* The peaks of those counters begin anew, at what is live. */
TESSERA_API void tessera_restart_peaks (void);

/* Copies up to `room` entries, one for each kernel; returns how many there are.  The names are static. */
TESSERA_API guint tessera_get_kernel_times (TesseraKernelTime *times, guint room);

/* "NVIDIA H200 (NVIDIA CUDA)" or NULL where there is no device.  Static. */
TESSERA_API const gchar *tessera_device_name (void);

/* What is kept goes from the device, as for want of room. */
TESSERA_API void tessera_drop_kept (const TesseraKept *kept);

/* Gives every pooled buffer back to the device; for tests and low memory. */
TESSERA_API void tessera_trim (void);

/* Why results cannot be sent straight into tiles ("copies the memory of ..."; the subject is GEGL), or NULL.
 * Tried at the first call, after GEGL has been initialised. */
TESSERA_API const gchar *tessera_tiles_refused (void);

/* The stored formats that the engine converts by itself ("RGBA u8"), one after another; NULL behind the last.  Free it. */
TESSERA_API gchar *tessera_known_format (guint i);

G_END_DECLS

#endif
