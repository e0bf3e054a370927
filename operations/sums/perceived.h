/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The luminance of a picture as it is seen, behind the sRGB curve and on black, for filters that compare contrasts.
 * What is not finite is black, and so is what has alpha 0, whatever color it hides.
 */
#ifndef PERCEIVED_H
#define PERCEIVED_H

#include "tessera.h"

/* What is read. */
typedef enum
{
  PERCEIVED_LINEAR,             /* RGBA of linear light */
  PERCEIVED_ENCODED,            /* RGBA behind the sRGB curve */
  PERCEIVED_LUMINANCE,          /* the luminance itself, opaque */
  PERCEIVED_WEIGHED             /* the luminance times alpha, and alpha */
} Perceived;

/* What carries the luminance exactly is read as it is, the rest as linear light.  For a picture that goes on with
 * something drawn on it (`is_picture`) colors need to come as well.  By the source of the pad "input". */
Perceived   perceived_input   (GeglOperation *operation, gboolean is_picture);
/* The format to read then. */
const Babl *perceived_format  (GeglOperation *operation, gboolean is_picture);
/* In which something is drawn on the picture: RGBA floats behind its curve, if that has to be read anyway. */
const Babl *perceived_picture (GeglOperation *operation);

/* What a format of floats is read as; `format` becomes another one if it has to be converted. */
Perceived   perceived_of (const Babl **format);

/* n pixels of `components` floats. */
void perceived_luminance (Perceived input, const gfloat *pixels, gint components, const gfloat weights[3], gint n,
                          gfloat *seen);

/* A color in a format of four floats. */
void perceived_color (GeglColor *color, const Babl *format, gfloat pixel[4]);

#endif
