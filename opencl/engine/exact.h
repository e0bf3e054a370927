/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether a device computes single numbers as C does.
 */
#ifndef TESSERA_EXACT_H
#define TESSERA_EXACT_H

#include "program.h"

/* Asks the device once, by the engine's program.  0, or why it may not be used: it computes otherwise, and the program
 * is refused; or an error of the driver, after which it is asked again. */
gint tessera_exact_check (const TesseraDevice *device, TesseraProgram *engine_program);

#endif
