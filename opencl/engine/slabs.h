/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path.
 */
#ifndef TESSERA_SLABS_H
#define TESSERA_SLABS_H

#include "request.h"

void tessera_compute_all (const TesseraRequest *request);
void tessera_survey_all  (const TesseraRequest *request, const TesseraSurvey *survey);

/* For speed.c: can a part of the request be computed for itself, and how long does one from its middle take?  Its work
 * in *pixels.  The request's output and survey are not touched. */
gboolean tessera_can_be_parted (const TesseraRequest *request);
gdouble  tessera_time_part     (const TesseraRequest *request, const TesseraSurvey *survey, guint64 *pixels);

#endif
