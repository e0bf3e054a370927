/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where pixels lie in the sky, by WCSLIB: every projection and distortion that it knows (CD, PC, SIP, TPV ...), where
 * the axes are RA and DEC. */
#ifndef SKY_H
#define SKY_H

#include "frames.h"

typedef struct _Sky Sky;

typedef enum
{
  SKY_NONE,                     /* the file says nothing of it */
  SKY_SOLVED,
  SKY_UNKNOWN,                  /* what it says is not understood */
  SKY_OLD                       /* it has places of FK4 or another frame that is not turned into ICRS here */
} SkyState;

/* NULL: the file says nothing of the sky, or nothing that can be. */
Sky     *sky_new   (const FrameFacts *facts);
void     sky_free  (Sky *sky);
/* Why there is none. */
SkyState sky_state (const FrameFacts *facts);
/* Degrees, ICRS: places of FK5 are turned from their equinox to J2000.  (0, 0) is the centre of the first pixel.  NaN
 * where `sky` is NULL, or the pixel is not in the sky. */
void     sky_place (Sky *sky, gdouble x, gdouble y, gdouble *ra, gdouble *dec);

#endif
