/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Lanes, what is enqueued on them, and events.
 */
#ifndef TESSERA_QUEUE_H
#define TESSERA_QUEUE_H

#include "device.h"
#include "memory.h"

typedef struct _TesseraQueue   TesseraQueue;

/* Whether a kernel is known to give C's results. */
typedef struct
{
  gint is_proven;               /* atomic */
} TesseraProofMark;

typedef struct _cl_event       TesseraEvent;    /* a pointer to one is a cl_event */

/* Commands of one lane run in order.  Lanes run side by side.  Price: 1.2, against one (motion blur, 24 Mpix; H200, 2026-11-22). */
typedef enum { LANE_RUN, LANE_UPLOAD, LANE_DOWNLOAD, N_LANES } TesseraLane;

/* Lanes from the free list, or new ones; every request has its own.  `one_lane`:
 * all lanes are one, for a request of a single band. */
gint  tessera_queue_take (const TesseraDevice *device, gboolean one_lane, gboolean profiled,
                          TesseraQueue **queue);
/* Waits for all enqueued commands.  After a failure the lanes are not used again. */
gint  tessera_queue_give (TesseraQueue *queue, gboolean reuse);
gint  tessera_queue_finish (TesseraQueue *queue);
void  tessera_queue_flush (TesseraQueue *queue, TesseraLane lane);
gpointer tessera_queue_object (TesseraQueue *queue, TesseraLane lane);   /* cl_command_queue */
/* The marks of the kernels that were launched on it before they were proven, or NULL; to be freed. */
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
/* Later commands on LANE_RUN wait for `event`. */
gint  tessera_enqueue_wait     (TesseraQueue *queue, TesseraEvent *event);
/* An event that is done when all of LANE_RUN up to here is. */
gint  tessera_enqueue_mark     (TesseraQueue *queue, TesseraEvent **event);

/* Counts the event of a command that was enqueued; there is none if it was not.  The status of what the driver said. */
gint  tessera_note_event       (gint driver, TesseraEvent **event);
/* 0 once the command is known to have happened, or its error. */
gint  tessera_event_wait       (TesseraEvent *event);
/* Of a command that was enqueued with this status: waits if it was, and frees the event, if there is one. */
gint  tessera_event_finish     (gint status, TesseraEvent *event);
/* Its error, or 0; a later command of the queue has happened.  Without a wait: NVIDIA's driver sees late that a kernel has ended, and a wait for it is one
 * for what other requests have asked for meanwhile.  Price: 1.2 (sequences, 10 Mpix; H100, 2026-11-27). */
gint  tessera_event_failed     (TesseraEvent *event);
/* The nanoseconds that a finished command ran; 0 if the driver does not say. */
guint64 tessera_event_duration (TesseraEvent *event);
void  tessera_event_free       (TesseraEvent *event);

#endif
