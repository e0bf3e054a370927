/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The engine's settings, from the environment and from tests.
 */
#ifndef TESSERA_SETTINGS_H
#define TESSERA_SETTINGS_H

#include "tessera-state.h"

#define TILE_PIXELS (1 << 17)   /* of a result; for a smaller one, writing is as fast as sending it straight into tiles */

typedef enum
{
  DEBUG_TIMINGS = 1 << 0,
  DEBUG_PATHS   = 1 << 1,
  DEBUG_MEMORY  = 1 << 2
} TesseraDebug;

typedef struct
{
  TesseraOpenclMode mode;
  TesseraDebug      debug;
  guint             memory_mib;         /* 0: the default */
  guint             band_rows;          /* 0: the engine's choice */
  guint             tile_pixels;        /* of a result, from which it goes straight into tiles */
  gboolean          tight_memory, profiling, delivers_stored, eager_progress;
  gboolean          owns_device;        /* one of ours, where GEGL's OpenCL is off */
  gboolean          trusts_kernels;     /* they are not compared with C */
  gint              keeps_kernels;      /* what the compiler made; negative: unless the device is a processor (TRAPS.md) */
  gboolean          forgets;            /* operations remember nothing of a request */
  gboolean          sends_home;         /* no result stays on the device */
  gint64            clock_offset;       /* microseconds */
} TesseraSettings;

/* The environment's settings with the changes since then; to be unlocked at once. */
TesseraSettings *tessera_settings_lock   (void);
void             tessera_settings_unlock (void);

TesseraOpenclMode tessera_mode         (void);
TesseraDebug tessera_debug             (void);
guint        tessera_memory_mib        (void);
guint        tessera_band_rows         (void);
guint        tessera_tile_pixels       (void);
gboolean     tessera_tight_memory      (void);
gboolean     tessera_profiling         (void);
gboolean     tessera_delivers_stored   (void);
gboolean     tessera_tells_progress_at_once (void);
gboolean     tessera_owns_device       (void);
gboolean     tessera_trusts_kernels    (void);
gboolean     tessera_sends_home        (void);
gboolean     tessera_keeps_kernels     (gboolean on_processor);

/* Microseconds, for pauses; tests move this clock. */
gint64       tessera_now               (void);

/* Faults that tests inject: calls that fail although the device would do them. */
typedef enum
{
  FAULT_BUILD, FAULT_QUEUE, FAULT_KERNEL, FAULT_ALLOC, FAULT_MAP, FAULT_SET_ARG, FAULT_ENQUEUE,
  FAULT_DOWNLOAD, FAULT_WAIT, N_FAULTS
} TesseraFault;

/* TRUE when an injected fault says that this call must fail. */
gboolean tessera_fault         (TesseraFault kind);

/* "KIND:N" in place of TESSERA_FAULT's, or NULL for none; whether it is of this kind; whether it was met. */
void     tessera_fault_inject  (const gchar *fault);
gboolean tessera_fault_is_of   (const gchar *fault, TesseraFault kind);
gboolean tessera_fault_was_met (void);

/* The calls of this thread are not counted: they are no request's. */
void     tessera_fault_spare    (gboolean on);

#endif
