/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which results of the device are compared with C although their kernels are known.
 */
#ifndef TESSERA_SAMPLE_H
#define TESSERA_SAMPLE_H

#include "request.h"

typedef enum
{
  TESSERA_SAMPLE_NONE,
  TESSERA_SAMPLE_PART,          /* some pixels of the request's own result */
  TESSERA_SAMPLE_PICTURES       /* a request that cannot be cut: small pictures with its settings (proof.h) */
} TesseraSample;

/* Asked once for each request: the first with new settings, and now and then one after it. */
TesseraSample tessera_sample_due  (const TesseraRequest *request, const TesseraSurvey *survey);

/* The part to compare, each time another one. */
GeglRectangle tessera_sample_part (const TesseraRequest *request);

#endif
