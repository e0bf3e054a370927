/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Inside libtessera: settings, messages, counters, and the device layer as the
 * GEGL side sees it.  This header names neither GEGL nor OpenCL types, because
 * GEGL's copy of cl.h and a current one cannot meet in one translation unit.
 */
#ifndef TESSERA_INTERNAL_H
#define TESSERA_INTERNAL_H

#include <glib.h>
#include <stddef.h>

#include "tessera-state.h"

/* --- settings.c: environment, overrides, messages ----------------------- */

typedef enum
{
  DEBUG_TIMINGS = 1 << 0,
  DEBUG_PATHS   = 1 << 1,
  DEBUG_MEMORY  = 1 << 2
} TesseraDebug;

typedef enum
{
  FAULT_BUILD, FAULT_QUEUE, FAULT_KERNEL, FAULT_ALLOC, FAULT_MAP, FAULT_SET_ARG, FAULT_ENQUEUE,
  FAULT_DOWNLOAD, FAULT_WAIT, N_FAULTS
} TesseraFault;

TesseraOpenclMode tessera_mode  (void);
TesseraDebug tessera_debug      (void);
guint        tessera_memory_mib (void);     /* 0: the default */
guint        tessera_band_rows  (void);     /* 0: the engine's choice */
gboolean     tessera_tight_memory (void);
guint        tessera_tile_pixels (void);    /* of a result, from which it goes straight into tiles */
gboolean     tessera_profiling  (void);
gboolean     tessera_delivers_stored (void);

/* Microseconds, for pauses; tests move this clock. */
gint64       tessera_now        (void);

/* TRUE when an injected fault says that this call must fail. */
gboolean     tessera_fault      (TesseraFault kind);

/* One line on stderr, "tessera: ...", every time. */
void         tessera_log        (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* The same, the same text once a process only. */
void         tessera_log_once   (const gchar *format, ...) G_GNUC_PRINTF (1, 2);
/* TRUE the first time that it is asked about `key`. */
gboolean     tessera_first_time (const gchar *key);

/* --- counters ----------------------------------------------------------- */

/* Adds to a member of TesseraCounters; a peak_ follows its live_ one. */
#define tessera_count(member, amount) \
  tessera_count_at (offsetof (TesseraCounters, member), amount)
#define tessera_counter(member) tessera_counter_at (offsetof (TesseraCounters, member))

void    tessera_count_at   (gsize offset, gint64 amount);
guint64 tessera_counter_at (gsize offset);

/* A launch of `kernel` (static names) that took `ns` and read so many pixels. */
void    tessera_count_kernel (const gchar *filter, const gchar *kernel, guint64 ns, gdouble reads);

/* --- device.c ----------------------------------------------------------- */

/* GEGL's device with what the engine knows of it; constant once it is usable. */
typedef struct
{
  gboolean is_usable;
  gint64   ask_again;           /* when: it did not answer.  0: what is known holds for good */
  gpointer context, device;     /* cl_context, cl_device_id */
  gchar   *name;                /* "NVIDIA H200 (NVIDIA CUDA)" */
  gchar   *driver;              /* its version */
  gchar   *build_options;
  guint64  memory, max_allocation;
  gboolean is_processor;        /* the device is the host's own processor */
  gboolean has_local;           /* local memory is not a part of the global */
  guint64  local_memory;        /* for one group */
} TesseraDevice;

/* The device for GEGL's context and device, or NULL (the reason has been
 * logged once).  Both come as void pointers from gegl-side.c. */
const TesseraDevice *tessera_device (gpointer context, gpointer device);
/* A device that did not answer is asked again, without waiting. */
void tessera_device_retry (void);

/* Device memory that the engine may hold, in bytes. */
guint64 tessera_budget (const TesseraDevice *device);

gint         tessera_error_out_of_memory (void);
gboolean     tessera_is_out_of_memory    (gint status);
/* ... or an error that drivers also give when memory is short, and at other times. */
gboolean     tessera_may_be_memory       (gint status);
const gchar *tessera_error_name          (gint status);

/* --- memory.c: pooled device and pinned memory --------------------------- */

typedef struct _TesseraMemory TesseraMemory;

#define TESSERA_IDLE (30 * G_USEC_PER_SEC)      /* after which unused memory is given back */

/* `pinned`: host-visible staging, mapped for its whole life.  `exact`: no byte more than
 * that, where the usual room to spare would be what another needs. */
gint     tessera_memory_take    (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean exact,
                                 TesseraMemory **memory);
/* Device memory that holds `constant` for good once it has been uploaded (is_there: it
 * has been). */
gint     tessera_memory_take_constant (const TesseraDevice *device, gsize bytes, gconstpointer constant,
                                       TesseraMemory **memory, gboolean *is_there);
void     tessera_memory_give    (TesseraMemory *memory);
/* Releases memory that nothing uses any more, or that is not the host's: OpenCL waits for the commands. */
void     tessera_memory_drop    (TesseraMemory *memory);
/* The device may still be at work on it, and cannot be asked: memory of the host's stays for good. */
void     tessera_memory_abandon (TesseraMemory *memory);
gpointer tessera_memory_pointer (TesseraMemory *memory);    /* of pinned memory */
gpointer tessera_memory_object  (TesseraMemory *memory);    /* cl_mem */
void     tessera_memory_trim    (void);
/* Bytes of the host's memory that may be pinned for what travels. */
gsize    tessera_most_pinned    (void);
/* Tells the device of host memory that it will be sent to, until it is dropped. */
gint     tessera_memory_make_known (const TesseraDevice *device, gpointer pointer, gsize bytes,
                                    TesseraMemory **memory);

/* --- tile-memory.c: see pump.h ------------------------------------------------- */

/* Returns what has been idle since `since`; the device forgets what is held since then.  Is there more? */
gboolean tessera_tiles_trim  (gint64 since);
/* If the device did not want to know such memory, it is asked again. */
void     tessera_tiles_retry (void);
/* Bytes that the host has in all. */
gsize    tessera_host_memory (void);
/* Is this process a child of the one that asked first?  A driver's threads stay with that one. */
gboolean tessera_has_forked  (void);

/* --- queue.c: lanes, what is enqueued on them, and events ----------------- */

typedef struct _TesseraQueue   TesseraQueue;
typedef struct _TesseraEvent   TesseraEvent;
typedef struct _TesseraProgram TesseraProgram;

/* Commands of one lane run in order; lanes run side by side. */
typedef enum { LANE_RUN, LANE_UPLOAD, LANE_DOWNLOAD, N_LANES } TesseraLane;

/* Lanes from the free list, or new ones; every request has its own.  `one_lane`:
 * all lanes are one, for a request of a single band. */
gint  tessera_queue_take (const TesseraDevice *device, gboolean one_lane, gboolean profiled,
                          TesseraQueue **queue);
/* Waits for all that was enqueued; after a failure the lanes are not used again. */
gint  tessera_queue_give (TesseraQueue *queue, gboolean reuse);
gint  tessera_queue_finish (TesseraQueue *queue);
void  tessera_queue_flush (TesseraQueue *queue, TesseraLane lane);
gpointer tessera_queue_object (TesseraQueue *queue, TesseraLane lane);   /* cl_command_queue */
/* A kernel, or one for a layout of pixels, and whether it is known that it computes what C does (proof.c). */
typedef struct
{
  const gchar *kernel;
  gint         is_proven;
  gint         was_checked;     /* it ran while the device was compared with C */
  gint         tries;           /* checks in which it did not */
} TesseraProofMark;

/* The marks of what was launched on it before it was proven, or NULL; to be freed. */
void       tessera_queue_note_unproven (TesseraQueue *queue, TesseraProofMark *mark);
GPtrArray *tessera_queue_unproven      (TesseraQueue *queue);
/* Releases the lanes of the free list. */
void  tessera_queue_forget (void);

gint  tessera_enqueue_upload   (TesseraQueue *queue, TesseraLane lane, TesseraMemory *to, gsize offset,
                                gconstpointer from, gsize bytes, TesseraEvent **event);
/* On LANE_DOWNLOAD once `after` (or NULL) is done, or on LANE_RUN. */
gint  tessera_enqueue_download (TesseraQueue *queue, TesseraLane lane, TesseraMemory *from, gsize offset,
                                gpointer to, gsize bytes, TesseraEvent *after, TesseraEvent **event);
gint  tessera_enqueue_clear    (TesseraQueue *queue, TesseraMemory *memory, gsize bytes, TesseraEvent **event);
/* What follows on LANE_RUN waits for `event`. */
gint  tessera_enqueue_wait     (TesseraQueue *queue, TesseraEvent *event);
/* An event that is done when all of LANE_RUN up to here is. */
gint  tessera_enqueue_mark     (TesseraQueue *queue, TesseraEvent **event);

/* An event of a command that was enqueued with it (a cl_event, passed on). */
TesseraEvent *tessera_event_new (gpointer object);
/* 0 once the command is known to have happened, or the error that kept it from that. */
gint  tessera_event_wait       (TesseraEvent *event);
/* The same of `n`, in one call of the driver. */
gint  tessera_events_wait      (TesseraEvent *const *events, guint n);
/* Nanoseconds that the command ran, which is done; 0 where the driver does not say. */
guint64 tessera_event_duration (TesseraEvent *event);
void  tessera_event_free       (TesseraEvent *event);

/* --- program.c ------------------------------------------------------------- */

typedef struct
{
  guint   bytes;                /* clSetKernelArg's size */
  gconstpointer value;          /* NULL: local memory */
} TesseraRawArg;

/* The program of a source text, built on first use.  A text that the compiler refuses is not tried again;
 * whatever else fails is.  The compiler's message is logged once. */
gint  tessera_program_get (const TesseraDevice *device, const gchar *name,
                           const gchar *source, TesseraProgram **program);
/* Is this status of tessera_program_get the same the next time? */
gboolean tessera_program_is_refused (gint status);
/* It computes something else than C does: it is refused from now on. */
void     tessera_program_refuse     (TesseraProgram *program);
gint  tessera_program_launch (TesseraProgram *program, TesseraQueue *queue, const gchar *kernel,
                              const gsize offset[3], const gsize size[3], const gsize group[3],
                              const TesseraRawArg *args, guint n_args, TesseraEvent **event);
/* Forgets the programs that did not build, or all (no request may be running). */
void  tessera_program_forget (gboolean all);

/* --- speed.c ------------------------------------------------------------------ */

/* What a request cost, and whether C should be taken for the next.  `kind`: requests
 * of one cost about the same a pixel.  *c and *device: the seconds expected of each
 * where both are known, else 0. */
void     tessera_speed_note      (const gchar *filter, guint kind, guint64 pixels,
                                  gboolean on_device, gdouble seconds);
gboolean tessera_speed_prefers_c (const gchar *filter, guint kind, guint64 pixels,
                                  gdouble *c, gdouble *device);

/* In how many bands a request is best cut, by the stages that earlier ones took (or by
 * the bytes that travel); whether that is known by now; and what is learnt from one. */
guint    tessera_speed_bands      (const gchar *filter, guint kind, guint64 pixels, guint64 bytes);
gboolean tessera_speed_settled    (const gchar *filter, guint kind, guint64 pixels);
void     tessera_speed_note_bands (const gchar *filter, guint kind, guint64 pixels, guint bands,
                                   gdouble device_seconds, gdouble submit_seconds);

/* --- breaker.c ---------------------------------------------------------------- */

/* Is the device left alone for this filter, because it failed?  Filters are known by their (static) names. */
gboolean tessera_breaker_is_open (const gchar *filter);
/* Says so when a pause begins. */
void     tessera_breaker_fail    (const gchar *filter);
void     tessera_breaker_succeed (const gchar *filter);
void     tessera_breaker_reset   (void);

/* --- proof.c ------------------------------------------------------------------- */

/* Is this thread comparing the device with C, and where must it compute? */
typedef enum { TESSERA_PROOF_NONE, TESSERA_PROOF_C, TESSERA_PROOF_DEVICE } TesseraProofLeg;
TesseraProofLeg tessera_proof_leg (void);

/* --- process.c ---------------------------------------------------------------- */

/* Every failure is forgotten: of filters, of builds, of a device that did not answer. */
void tessera_forget_failures (void);

/* --- gegl-side.c ------------------------------------------------------------- */

/* GEGL's cl_context and cl_device_id. */
void tessera_gegl_device (gpointer *context, gpointer *device);

#endif
