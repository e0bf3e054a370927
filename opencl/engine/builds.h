/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Programs that are built while C answers.
 */
#ifndef TESSERA_BUILDS_H
#define TESSERA_BUILDS_H

#include "device.h"
#include "program.h"
#include "tessera.h"

static inline TesseraText
tessera_filter_text (const TesseraFilter *filter)
{
  return (TesseraText) { filter->name, filter->source, filter->define };
}

/* Are the engine's program and the filter's there, or known not to build? */
gboolean tessera_is_built        (const TesseraFilter *filter, const TesseraDevice *device);
/* The same.  If not, a thread begins to build them; it is
 * waited for a moment.  TRUE also where no thread is to be had: then the caller builds.  FALSE where the process ends. */
gboolean tessera_builds_are_done (const TesseraFilter *filter, const TesseraDevice *device);
/* The engine's own device is opened by that thread; or at once, if `waits`, or if there is none. */
void     tessera_builds_open_own (gboolean waits);
/* Waits until all are built; or, if `drops`, the one that is in the compiler: the others are not begun. */
void     tessera_builds_end      (gboolean drops);

#endif
