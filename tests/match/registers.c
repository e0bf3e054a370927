/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Preloaded: whoever writes a JPEG finds that a handler of exit was registered meanwhile, as a driver does that another thread loads.  It ends
 * the process with 99. */
#include "../driver/behind.h"

#include <stdlib.h>
#include <unistd.h>

EXPORT void jpeg_start_compress (gpointer encoder, gint writes_tables);

static void
end (void)
{
  _exit (99);
}

EXPORT void
jpeg_start_compress (gpointer encoder, gint writes_tables)
{
  static gpointer function;

  atexit (end);
  ((void (*) (gpointer, gint)) real (&function, "jpeg_start_compress")) (encoder, writes_tables);
}
