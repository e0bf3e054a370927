/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which results of the device are compared with C although their kernels are known.
 */
#ifndef TESSERA_SAMPLE_H
#define TESSERA_SAMPLE_H

#include "request.h"

/* Asked once for each request, which took so long: the first with new settings, and now and then one after it.  `is_unproven`: it has used
 * kernels that are not known yet. */
gboolean tessera_sample_due  (const TesseraRequest *request, const TesseraSurvey *survey, gdouble seconds, gboolean is_unproven);

/* A result of this filter was compared, which took so long.  `is_blank`: it shows nothing, so the next one counts as the first. */
void     tessera_sample_note (const TesseraRequest *request, gdouble seconds, gboolean is_blank);

#endif
