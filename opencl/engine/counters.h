/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The engine's counters.
 */
#ifndef TESSERA_COUNTERS_H
#define TESSERA_COUNTERS_H

#include <stddef.h>

#include "tessera-state.h"

/* Adds to a member of TesseraCounters; a peak_ follows its live_ one. */
#define tessera_count(member, amount) \
  tessera_count_at (offsetof (TesseraCounters, member), amount)
#define tessera_counter(member) tessera_counter_at (offsetof (TesseraCounters, member))

void    tessera_count_at   (gsize offset, gint64 amount);
guint64 tessera_counter_at (gsize offset);
void    tessera_counters_read (TesseraCounters *counters);
void    tessera_counters_restart_peaks (void);

/* Notes a launch of `kernel` (a static name): its nanoseconds, and the pixels that it read. */
void    tessera_count_kernel (const gchar *filter, const gchar *kernel, guint64 ns, gdouble reads);
/* Copies up to `room` entries; returns how many there are. */
guint   tessera_kernel_times_read (TesseraKernelTime *times, guint room);

#endif
