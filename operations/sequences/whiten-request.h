/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Background and whitened frame, on the device or in C: what tessera:background-whiten and tessera-sequence call. */
#ifndef WHITEN_REQUEST_H
#define WHITEN_REQUEST_H

#include "tessera.h"
#include "whiten.h"

/* A prepared frame (whiten_prepare), and where its content is, against a reference that all frames share. */
typedef struct
{
  CountPlane   plane;
  FrameShift   shift;
  TesseraKept *kept;                    /* on the device; NULL: it travels each time */
} WhitenFrame;

/* A frame and its history, of one size; the caller's planes. */
typedef struct
{
  gint        n;                        /* frames of the history */
  WhitenFrame all[WEIGHTS_MAX_FRAMES + 1];      /* the oldest first; all[n] is the current one */
} WhitenFrames;

typedef enum
{
  WHITEN_WHITENED, WHITEN_BACKGROUND,
  WHITEN_BOTH                           /* in counts, into planes only */
} WhitenResult;

/* Finds the weights and predicts the current frame.  `request` has the operation, the output and its format, roi and
 * bounds.  The result is written times `factor`, 0 where there is none.  Planes may be written in any case.
 * FALSE: OpenCL is forced and could not run. */
gboolean background_whiten_predict (const TesseraRequest *request, const WhitenFrames *frames,
                                    const WeightsSettings *settings, WhitenResult result, gfloat factor,
                                    WhitenPlanes *planes, Weights *weights);
/* A plane of the whole frame, times `factor`; 0 for NaN. */
gboolean background_whiten_write   (const TesseraRequest *request, const CountPlane *plane, gfloat factor);

#endif
