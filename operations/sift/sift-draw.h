/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Points as a picture: for each a circle of its size, with the radius at its angle.
 */
#ifndef SIFT_DRAW_H
#define SIFT_DRAW_H

#include "sift-drawing.h"

/* Is drawing a request of its own, which the device may answer? */
gboolean sift_draws_apart (const TesseraRequest *request, SiftPicture picture);

/* Writes request->roi: the input with the marks, the marks alone, or 1 on the pixel of each point and 0 elsewhere.
 * Pixels are request->output_format: RGBA floats with straight alpha, of the mask one float.  FALSE only if OpenCL is forced
 * and could not run. */
gboolean sift_draw (const TesseraRequest *request, const SiftDrawing *drawing);

#endif
