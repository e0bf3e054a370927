/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Questions of control.c to process.c.
 */
#ifndef TESSERA_PROCESS_H
#define TESSERA_PROCESS_H

#include "device.h"

/* GEGL's, or NULL. */
const TesseraDevice *tessera_current_device (void);
/* Forgets every failure: of filters, of builds, of a device that did not answer. */
void                 tessera_forget_failures (void);

#endif
