/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The engine's counters, for tests, the bench and the doctor.
 */
#include "counters.h"

static GMutex          counter_lock;
static TesseraCounters counters;

static guint64 *
counter_at (gsize offset)
{
  return (guint64 *) ((gchar *) &counters + offset);
}

void
tessera_count_at (gsize offset, gint64 amount)
{
  g_mutex_lock (&counter_lock);
  *counter_at (offset) += amount;
  counters.peak_bytes = MAX (counters.peak_bytes, counters.live_bytes);
  counters.peak_pinned_bytes = MAX (counters.peak_pinned_bytes, counters.live_pinned_bytes);
  g_mutex_unlock (&counter_lock);
}

guint64
tessera_counter_at (gsize offset)
{
  guint64 value;

  g_mutex_lock (&counter_lock);
  value = *counter_at (offset);
  g_mutex_unlock (&counter_lock);
  return value;
}

void
tessera_counters_read (TesseraCounters *out)
{
  g_mutex_lock (&counter_lock);
  *out = counters;
  g_mutex_unlock (&counter_lock);
}

void
tessera_counters_restart_peaks (void)
{
  g_mutex_lock (&counter_lock);
  counters.peak_bytes = counters.live_bytes;
  counters.peak_pinned_bytes = counters.live_pinned_bytes;
  g_mutex_unlock (&counter_lock);
}

/* ---------------------------------------------------------- kernel times -- */

#define MOST_KERNELS 128

static GMutex            kernel_lock;
static TesseraKernelTime kernels[MOST_KERNELS];
static guint             n_kernels;

void
tessera_count_kernel (const gchar *filter, const gchar *kernel, guint64 ns, gdouble reads)
{
  guint i = 0;

  g_mutex_lock (&kernel_lock);
  while (i < n_kernels && (kernels[i].filter != filter || kernels[i].kernel != kernel))
    i++;
  if (i < MOST_KERNELS)
    {
      kernels[i].filter = filter;
      kernels[i].kernel = kernel;
      kernels[i].launches++;
      kernels[i].ns += ns;
      kernels[i].reads += reads;
      n_kernels = MAX (n_kernels, i + 1);
    }
  g_mutex_unlock (&kernel_lock);
}

guint
tessera_kernel_times_read (TesseraKernelTime *times, guint room)
{
  guint n;

  g_mutex_lock (&kernel_lock);
  n = MIN (room, n_kernels);
  for (guint i = 0; i < n; i++)
    times[i] = kernels[i];
  n = n_kernels;
  g_mutex_unlock (&kernel_lock);
  return n;
}
