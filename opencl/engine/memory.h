/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Memory of the device, and host memory that the device knows, within their limits.
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
  gconstpointer        constant;        /* ... what it holds for good, or NULL, ... */
  guint                users;           /* ... and how many requests read that; 0: one has it alone, or none */
};

/* `pinned`: host-visible staging memory, mapped for its whole life. *fits: whether it fits the limit;
 * if it does not, the device is not asked. */
gint     tessera_memory_make    (const TesseraDevice *device, gsize bytes, gboolean pinned, gboolean *fits,
                                 TesseraMemory **memory);
/* Tells the device of host memory that results will be sent to, until the memory is dropped. */
gint     tessera_memory_make_known (const TesseraDevice *device, gpointer pointer, gsize bytes,
                                    TesseraMemory **memory);
/* Releases memory.  If it is the host's, nothing may use it any more; for the device's, OpenCL waits for the
 * commands. */
void     tessera_memory_drop    (TesseraMemory *memory);
/* For memory that the device may still use, when it cannot be asked: host memory stays for good. */
void     tessera_memory_abandon (TesseraMemory *memory);
/* Bytes of host memory that may be pinned for transfers. */
gsize    tessera_most_pinned    (void);

#endif
