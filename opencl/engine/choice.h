/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which path a request takes.
 */
#ifndef TESSERA_CHOICE_H
#define TESSERA_CHOICE_H

#include "device.h"
#include "request.h"

/* GEGL's, or NULL. */
const TesseraDevice *tessera_current_device (void);
/* The device to use, or NULL and the reason, to be freed. */
const TesseraDevice *tessera_choose_device (const TesseraRequest *request, gchar **reason);
/* Forgets every failure: of filters, of builds, of a device that did not answer. */
void                 tessera_forget_failures (void);
/* ... when the host program switches OpenCL on. */
void                 tessera_watch_host (void);

#endif
