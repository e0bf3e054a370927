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

/* --- device.c ----------------------------------------------------------- */

/* GEGL's device with what the engine knows of it.  One a process. */
typedef struct
{
  gpointer context, device;     /* cl_context, cl_device_id */
  gchar   *name;                /* "NVIDIA H200 (NVIDIA CUDA)" */
  gchar   *build_options;
  guint64  memory, max_allocation;
} TesseraDevice;

/* The device for GEGL's context and device, or NULL (the reason has been
 * logged once).  Both come as void pointers from gegl-side.c. */
const TesseraDevice *tessera_device (gpointer context, gpointer device);

/* Device memory that the engine may hold, in bytes. */
guint64 tessera_budget (const TesseraDevice *device);

gint         tessera_error_out_of_memory (void);
gboolean     tessera_is_out_of_memory    (gint status);
const gchar *tessera_error_name          (gint status);

/* --- memory.c: pooled device and pinned memory --------------------------- */

typedef struct _TesseraMemory TesseraMemory;

/* `pinned`: host-visible staging, mapped for its whole life. */
gint     tessera_memory_take    (const TesseraDevice *device, gsize bytes, gboolean pinned,
                                 TesseraMemory **memory);
void     tessera_memory_give    (TesseraMemory *memory);
gpointer tessera_memory_pointer (TesseraMemory *memory);    /* of pinned memory */
gpointer tessera_memory_object  (TesseraMemory *memory);    /* cl_mem */
void     tessera_memory_trim    (void);

/* --- queue.c: a queue, what is enqueued on it, and events ------------------ */

typedef struct _TesseraQueue   TesseraQueue;
typedef struct _TesseraEvent   TesseraEvent;
typedef struct _TesseraProgram TesseraProgram;

/* A queue from the free list, or a new one; every request has its own. */
gint  tessera_queue_take (const TesseraDevice *device, TesseraQueue **queue);
/* Waits for all that was enqueued; after a failure the queue is not reused. */
gint  tessera_queue_give (TesseraQueue *queue, gboolean reuse);
gint  tessera_queue_finish (TesseraQueue *queue);
void  tessera_queue_flush (TesseraQueue *queue);
gpointer tessera_queue_object (TesseraQueue *queue);     /* cl_command_queue */
/* Releases the queues of the free list. */
void  tessera_queue_forget (void);

gint  tessera_enqueue_upload   (TesseraQueue *queue, TesseraMemory *to, gsize offset,
                                gconstpointer from, gsize bytes, TesseraEvent **event);
gint  tessera_enqueue_download (TesseraQueue *queue, TesseraMemory *from,
                                gpointer to, gsize bytes, TesseraEvent **event);
gint  tessera_enqueue_clear    (TesseraQueue *queue, TesseraMemory *memory, gsize bytes);

/* Waits; then the nanoseconds at which the command began and ended, where the
 * queue measures (else 0).  Frees the event. */
gint  tessera_event_finish     (TesseraEvent *event, guint64 *began, guint64 *ended);

/* --- program.c ------------------------------------------------------------- */

typedef struct
{
  guint   bytes;                /* clSetKernelArg's size */
  gconstpointer value;          /* NULL: local memory */
} TesseraRawArg;

/* The program of a source text, built on first use.  A text that did not build
 * is not tried again.  The compiler's message is logged once. */
gint  tessera_program_get (const TesseraDevice *device, const gchar *name,
                           const gchar *source, TesseraProgram **program);
gint  tessera_program_launch (TesseraProgram *program, TesseraQueue *queue, const gchar *kernel,
                              const gsize offset[3], const gsize size[3], const gsize group[3],
                              const TesseraRawArg *args, guint n_args);
/* Forgets the programs that did not build, or all (no request may be running). */
void  tessera_program_forget (gboolean all);

/* --- process.c ---------------------------------------------------------------- */

/* Lets filters that were switched off after failures try the device again. */
void tessera_forget_failures (void);

/* --- gegl-side.c ------------------------------------------------------------- */

/* GEGL's cl_context and cl_device_id. */
void tessera_gegl_device (gpointer *context, gpointer *device);

#endif
