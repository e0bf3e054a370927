/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Questions about a request that several files ask.
 */
#ifndef TESSERA_REQUEST_H
#define TESSERA_REQUEST_H

#include "tessera.h"

/* The state of tessera_survey. */
typedef struct
{
  gpointer result;
  gsize    bytes;               /* of the result and of each part */
} TesseraSurvey;

static inline guint64
tessera_request_pixels (const TesseraRequest *request)
{
  return (guint64) request->roi.width * request->roi.height;
}

/* For breaker.c: what it needs memory for. */
static inline guint64
tessera_request_reads (const TesseraRequest *request)
{
  return tessera_pixels_around (request, request->roi.width, request->roi.height);
}

/* What the request is about: the result of one that cannot be cut may be small, whatever that is. */
static inline guint64
tessera_request_subject (const TesseraRequest *request)
{
  return request->filter->whole ? tessera_request_reads (request) : tessera_request_pixels (request);
}

/* For speed.c. */
static inline guint64
tessera_request_work (const TesseraRequest *request)
{
  return request->filter->work ? request->filter->work (request) : tessera_request_subject (request);
}

/* For speed.c: requests of one kind cost about the same a pixel.  A border that is the image repeated is read piece by piece. */
static inline guint
tessera_request_kind (const TesseraRequest *request)
{
  const TesseraHalo *halo = &request->halo;

  return (request->border == TESSERA_BORDER_LOOP ? 1 : 0) << 16 | g_bit_storage (halo->left + halo->right + halo->top + halo->bottom) << 8
         | request->cost_class;
}

#endif
