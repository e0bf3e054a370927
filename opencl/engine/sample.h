/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which results of the device are compared with C although their kernels are known.
 */
#ifndef TESSERA_SAMPLE_H
#define TESSERA_SAMPLE_H

#include "request.h"

/* Asked once for each request, which took so long: the first with new settings, and now and then one after it. */
gboolean tessera_sample_due  (const TesseraRequest *request, const TesseraSurvey *survey, gdouble seconds);

/* A result of this filter was compared, which took so long. */
void     tessera_sample_note (const TesseraRequest *request, gdouble seconds);

#endif
