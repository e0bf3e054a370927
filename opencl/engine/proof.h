/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether the device has computed what C computes.
 */
#ifndef TESSERA_PROOF_H
#define TESSERA_PROOF_H

#include "held.h"
#include "request.h"

/* What is compared of a result that can be cut: one spot, each time another one; or nine, at the corners, the edges and within.  Of any
 * other result all is compared. */
typedef enum { TESSERA_PROOF_SPOT, TESSERA_PROOF_SPOTS } TesseraProofExtent;

/* BLANK: it is the same, but it says little of the kernels: all of one value, or nothing was found.  FAILED: what stays on the device could not
 * be looked at. */
typedef enum { TESSERA_PROOF_DIFFERS, TESSERA_PROOF_BLANK, TESSERA_PROOF_SAME, TESSERA_PROOF_FAILED } TesseraProof;

/* Is the device's result, in the request's output or what `stays` of it (or NULL), its answer or the survey, C's to the bit?  Any NaN equals any other.  The input is as
 * it was. */
TesseraProof tessera_prove_result (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraHeld *stays,
                                   TesseraProofExtent extent);

/* Can that be seen of a spot? */
gboolean tessera_result_has_spots (const TesseraRequest *request, const TesseraSurvey *survey);

#endif
