/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Whether the device has computed what C computes.
 */
#ifndef TESSERA_PROOF_H
#define TESSERA_PROOF_H

#include "request.h"

/* What is compared of a result that can be cut: one spot, each time another one; or nine, at the corners, the edges and within.  Of any
 * other result all is compared. */
typedef enum { TESSERA_PROOF_SPOT, TESSERA_PROOF_SPOTS } TesseraProofExtent;

/* Is the device's result, in the request's output, its answer or the survey, C's to the bit?  Any NaN equals any other.  The input is as
 * it was. */
gboolean tessera_result_is_right (const TesseraRequest *request, const TesseraSurvey *survey, TesseraProofExtent extent);

/* Can that be seen of a spot? */
gboolean tessera_result_has_spots (const TesseraRequest *request, const TesseraSurvey *survey);

#endif
