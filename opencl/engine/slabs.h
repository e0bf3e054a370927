/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path.
 */
#ifndef TESSERA_SLABS_H
#define TESSERA_SLABS_H

#include "request.h"

void tessera_compute_all (const TesseraRequest *request);
void tessera_survey_all  (const TesseraRequest *request, const TesseraSurvey *survey);

#endif
