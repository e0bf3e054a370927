/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A request on the device, band by band.
 */
#ifndef TESSERA_PUMP_H
#define TESSERA_PUMP_H

#include "job.h"

/* Computes request->roi, or surveys it.  0, or the first error: the output is then undefined. */
gint tessera_pump (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device,
                   TesseraProgram *program, TesseraProgram *engine_program, TesseraTimings *timings);

#endif
