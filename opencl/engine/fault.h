/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Faults that tests inject: calls that fail although the device would do them.
 */
#ifndef TESSERA_FAULT_H
#define TESSERA_FAULT_H

#include <glib.h>

typedef enum
{
  FAULT_BUILD, FAULT_QUEUE, FAULT_KERNEL, FAULT_ALLOC, FAULT_MAP, FAULT_SET_ARG, FAULT_ENQUEUE,
  FAULT_DOWNLOAD, FAULT_WAIT, N_FAULTS
} TesseraFault;

/* TRUE when an injected fault says that this call must fail. */
gboolean tessera_fault         (TesseraFault kind);

/* "KIND:N" in place of TESSERA_FAULT's, or NULL for none; whether it is of this kind; whether it was met. */
void     tessera_fault_inject  (const gchar *fault);
gboolean tessera_fault_is_of   (const gchar *fault, TesseraFault kind);
gboolean tessera_fault_was_met (void);

/* The calls of this thread are not counted: they are no request's. */
void     tessera_fault_spare    (gboolean on);

#endif
