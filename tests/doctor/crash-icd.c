/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A driver that takes every process down that opens it: for run-doctor.py.
 */
#include <stdlib.h>

static void __attribute__ ((constructor))
crash (void)
{
  abort ();
}
