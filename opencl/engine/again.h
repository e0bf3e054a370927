/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a result that stays on the device is computed again.
 */
#ifndef TESSERA_AGAIN_H
#define TESSERA_AGAIN_H

#include "tessera.h"

/* Carries a request out, with a copy of an operation's properties. */
typedef gboolean (*TesseraRun) (TesseraRequest *request, gconstpointer properties);

/* If the device loses the buffer's pixels, `run` makes them of the request, as the class made it, and of `size` bytes of properties. */
void tessera_resident_insure (GeglBuffer *resident, const TesseraRequest *request, TesseraRun run, gconstpointer properties, gsize size);

#endif
