/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether the device computes the pixels that C does.
 */
#ifndef TESSERA_PROOF_H
#define TESSERA_PROOF_H

#include "tessera.h"

typedef enum { TESSERA_PROOF_SAME, TESSERA_PROOF_DIFFERS, TESSERA_PROOF_FAILED } TesseraProof;

typedef struct _TesseraCheck TesseraCheck;

/* Does it?  Runs the request's operation, with its settings, on small pictures of hard values, in a thread of its
 * own.  The request outlives the check.  NULL: nothing has to be checked. */
TesseraCheck *tessera_check_begin (const TesseraRequest *request, gboolean is_early);

/* Waits for the answer, and frees.  FAILED: the device did not answer.  That has been said, unless the check is
 * early: beside its request. */
TesseraProof  tessera_check_end   (TesseraCheck *check);

/* Instead, where the answer is not needed.  It ends with the picture that it is at. */
void          tessera_check_drop  (TesseraCheck *check);

/* Is this part of the device's result, which is in the request's output, C's to the bit? */
gboolean      tessera_check_result (const TesseraRequest *request, const GeglRectangle *part);

#endif
