/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the parts of tessera:label share.
 */
#ifndef LABEL_H
#define LABEL_H

#include <gegl.h>

#include "tessera.h"

typedef enum { LABEL_BYTES, LABEL_COLORS, LABEL_INDEX, LABEL_MASK } LabelResult;

typedef struct
{
  gboolean       by_alpha;
  gfloat         threshold;     /* NaN: nothing is foreground */
  gfloat         weights[3];    /* of R, G, B in luminance */
  gint           diagonals;     /* 1: they connect */
  gint           min_area;
  LabelResult    result;
  const gfloat  *values;        /* LABEL_COLORS: what the 256 codes are as floats */
  gint          *count;         /* of components, found on the way */
  TesseraMemory **labels, **ranks;      /* on the device, from `measure` to `device` */
} Label;

/* TesseraFilter.spread (label-runs.c) and the device's members (label-device.c); params is a Label. */
void  label_spread        (const TesseraRequest *request);
gsize label_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint  label_arrived       (TesseraBand *band, gint top, gint bottom);
gint  label_measure       (TesseraBand *band, TesseraMemory *total);
gint  label_device        (TesseraBand *band);

#endif
