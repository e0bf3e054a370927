/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Switches and answers for tests, the bench and the doctor.  This file stands above all other files of
 * the engine, because an injected fault makes several of them forget.
 */
#include "config.h"

#include "tessera-control.h"

#include "breaker.h"
#include "builds.h"
#include "choice.h"
#include "counters.h"
#include "formats.h"
#include "messages.h"
#include "pool.h"
#include "program.h"
#include "queue.h"
#include "settings.h"
#include "tile-share.h"

/* -------------------------------------------------------------- switches -- */

#define WRITE_SETTING(member, value)                    \
  tessera_settings_lock ()->member = (value);           \
  tessera_settings_unlock ()

void tessera_set_opencl_mode   (TesseraOpenclMode mode) { WRITE_SETTING (mode, mode); }
void tessera_set_band_rows     (guint rows) { WRITE_SETTING (band_rows, rows); }
void tessera_set_tight_memory  (gboolean tight) { WRITE_SETTING (tight_memory, tight); }
void tessera_set_delivery      (gboolean stored) { WRITE_SETTING (delivers_stored, stored); }
void tessera_set_profiling     (gboolean on) { WRITE_SETTING (profiling, on); }
void tessera_set_clock_offset  (gint64 microseconds) { WRITE_SETTING (clock_offset, microseconds); }
void tessera_set_eager_progress (gboolean eager) { WRITE_SETTING (eager_progress, eager); }
void tessera_set_proof         (gboolean on) { WRITE_SETTING (trusts_kernels, ! on); }
void tessera_set_remembering   (gboolean on) { WRITE_SETTING (forgets, ! on); }
void tessera_set_residence     (gboolean on) { WRITE_SETTING (sends_home, ! on); }

void
tessera_set_memory (guint mebibytes)
{
  WRITE_SETTING (memory_mib, mebibytes);
  tessera_breaker_reset ();             /* what did not fit may fit now */
}

void
tessera_set_tile_pixels (gint pixels)
{
  WRITE_SETTING (tile_pixels, pixels < 0 ? TILE_PIXELS : MAX (1, (guint) pixels));
}

/* --------------------------------------------------------------- faults -- */

void
tessera_set_fault (const gchar *fault)
{
  tessera_fault_inject (fault);
  tessera_messages_forget ();
  tessera_forget_failures ();
  if (tessera_fault_is_of (fault, FAULT_BUILD) || tessera_fault_is_of (fault, FAULT_KERNEL))
    tessera_program_forget (TRUE);
  if (tessera_fault_is_of (fault, FAULT_QUEUE))
    tessera_queue_forget ();
}

gboolean tessera_fault_met (void) { return tessera_fault_was_met (); }

/* ----------------------------------------------------------------- state -- */

const gchar *
tessera_device_name (void)
{
  const TesseraDevice *device = tessera_current_device ();

  return device ? device->name : NULL;
}

guint64
tessera_device_memory (void)
{
  const TesseraDevice *device = tessera_mode () != TESSERA_OPENCL_OFF ? tessera_current_device () : NULL;

  return device ? tessera_budget (device) : 0;
}

void  tessera_get_counters     (TesseraCounters *counters) { tessera_counters_read (counters); }
void  tessera_restart_peaks    (void) { tessera_counters_restart_peaks (); }
guint tessera_get_kernel_times (TesseraKernelTime *times, guint room) { return tessera_kernel_times_read (times, room); }
void  tessera_finish_builds    (void) { tessera_builds_end (FALSE); }
void  tessera_trim             (void) { tessera_pool_trim (); }
void  tessera_drop_kept        (const TesseraKept *kept) { tessera_pool_drop_constant (kept); }
const gchar *tessera_tiles_refused (void) { return tessera_tile_sharing_obstacle (); }
gchar       *tessera_known_format  (guint i) { return tessera_stored_format (i); }
