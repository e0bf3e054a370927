/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A request on the device, band by band.
 */
#ifndef TESSERA_PUMP_H
#define TESSERA_PUMP_H

#include "job.h"
#include "proof.h"

/* Computes request->roi, or surveys it.  0, or the first error: the output is then undefined.  `check`: NULL until
 * one of the kernels that it uses has to be checked; it begins the check.  `checks`: at once, where there is a plan. */
gint tessera_pump (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device,
                   TesseraProgram *program, TesseraProgram *engine_program,
                   TesseraTimings *timings, gboolean checks, TesseraCheck **check);

#endif
