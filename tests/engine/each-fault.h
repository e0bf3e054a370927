/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * each-fault.h: a call whose device fails at each step; which kernels ran. */
#ifndef EACH_FAULT_H
#define EACH_FAULT_H

#include <glib.h>

/* The n-th build, allocation ... fails, n = 1, 2, ... until none is met; if `farther`, n grows by a quarter each time.  `call` says what is
 * expected of its answer.  Here it is expected that faults were met, and that nothing is left behind. */
void each_fault (gboolean farther, void (*call) (const gchar *fault, gpointer data), gpointer data);

/* While it was profiled, in any module. */
guint64 launches_of (const gchar *kernel);

#endif
