/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether the device computes the pixels that C does.
 */
#ifndef TESSERA_PROOF_H
#define TESSERA_PROOF_H

#include "tessera.h"

typedef enum { TESSERA_PROOF_SAME, TESSERA_PROOF_DIFFERS, TESSERA_PROOF_FAILED } TesseraProof;

/* Does it, with these kernels (TesseraProofMark)?  Runs the request's operation, with its settings, on small
 * pictures of hard values.  FAILED: the device did not answer, and that has been said. */
TesseraProof tessera_prove (const TesseraRequest *request, const GPtrArray *unproven);

#endif
