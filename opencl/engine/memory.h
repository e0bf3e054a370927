/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Memory of the device's, and of the host's that the device knows, within their limits.
 */
#ifndef TESSERA_MEMORY_H
#define TESSERA_MEMORY_H

#include "device.h"

typedef struct _TesseraMemory TesseraMemory;

struct _TesseraMemory
{
  const TesseraDevice *device;
  gpointer             context;         /* cl_context */
  gpointer             object;          /* cl_mem */
  gsize                bytes;
  gboolean             pinned;
  gpointer             pointer;         /* pinned: where it is mapped */
  gpointer             known;           /* the caller's, which the device knows, or NULL */

  TesseraMemory       *next;            /* the pool's: in its free list, ... */
  gint64               idle_since;
  gconstpointer        constant;        /* ... and what it holds for good, or NULL */
};

/* `pinned`: host-visible staging, mapped for its whole life.  *fits: it did within the limit; if it does not, nothing is
 * asked of the device. */
gint     tessera_memory_make    (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean *fits,
                                 TesseraMemory **memory);
/* Tells the device of host memory that it will be sent to, until it is dropped. */
gint     tessera_memory_make_known (const TesseraDevice *device, gpointer pointer, gsize bytes,
                                    TesseraMemory **memory);
/* Releases memory that nothing uses any more, or that is not the host's: OpenCL waits for the commands. */
void     tessera_memory_drop    (TesseraMemory *memory);
/* The device may still be at work on it, and cannot be asked: memory of the host's stays for good. */
void     tessera_memory_abandon (TesseraMemory *memory);
gpointer tessera_memory_pointer (TesseraMemory *memory);    /* of pinned memory */
gpointer tessera_memory_object  (TesseraMemory *memory);    /* cl_mem */
/* Bytes of the host's memory that may be pinned for what travels. */
gsize    tessera_most_pinned    (void);

#endif
