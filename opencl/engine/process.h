/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What control.c asks of the file that answers requests.
 */
#ifndef TESSERA_PROCESS_H
#define TESSERA_PROCESS_H

#include "device.h"

/* GEGL's, or NULL. */
const TesseraDevice *tessera_current_device (void);
/* Every failure is forgotten: of filters, of builds, of a device that did not answer. */
void                 tessera_forget_failures (void);

#endif
