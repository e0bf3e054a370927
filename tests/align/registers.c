/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Preloaded: whoever reads a JPEG finds that a handler of exit was registered meanwhile, as a driver does that another thread loads.  It ends
 * the process with 99. */
#include "../driver/behind.h"

#include <stdlib.h>
#include <unistd.h>

EXPORT gint jpeg_read_header (gpointer decoder, gint is_required);

static void
end (void)
{
  _exit (99);
}

EXPORT gint
jpeg_read_header (gpointer decoder, gint is_required)
{
  static gpointer function;

  atexit (end);
  return ((gint (*) (gpointer, gint)) real (&function, "jpeg_read_header")) (decoder, is_required);
}
