/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame, on the device or in C: what tessera:background-whiten and tessera-sequence call. */
#ifndef WHITEN_REQUEST_H
#define WHITEN_REQUEST_H

#include "tessera.h"
#include "whiten.h"

/* Prepared frames (whiten_prepare) of one size, and what keeps each of them on the device; NULL: it travels each time. */
typedef struct
{
  const CountPlane *current;
  TesseraKept      *current_kept;
  gint              n;
  const CountPlane *history[WEIGHTS_MAX_FRAMES];        /* the oldest first */
  TesseraKept      *kept[WEIGHTS_MAX_FRAMES];
} WhitenFrames;

typedef enum
{
  WHITEN_WHITENED, WHITEN_BACKGROUND,
  WHITEN_BOTH                           /* in counts, into planes only */
} WhitenResult;

/* `request` has the operation, the output and its format, roi and bounds.  The result is
 * written times `factor`, 0 where there is none.  Planes may be written in any case.  FALSE: OpenCL is forced and could not run. */
gboolean background_whiten_predict (const TesseraRequest *request, const WhitenFrames *frames, const Weights *weights, WhitenResult result,
                                    gfloat factor, WhitenPlanes *planes);
/* A plane of the whole frame, times `factor`; 0 for NaN. */
gboolean background_whiten_write   (const TesseraRequest *request, const CountPlane *plane, gfloat factor);

#endif
