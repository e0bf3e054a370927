/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The pictures of the check of a device.
 */
#ifndef TESSERA_PROOF_PICTURES_H
#define TESSERA_PROOF_PICTURES_H

#include <gegl.h>

/* Pictures: pixels as they are stored, 0 to 1; floats of all kinds, NaN and Inf included; only denormals,
 * which would drown in a sum with others. */
typedef enum { LOOK_STORED, LOOK_WILD, LOOK_TINY, LOOKS } Look;

/* At the place of `like`, and in its format if that is one of ours.  `answers`: for a filter that looks for something. */
GeglBuffer *tessera_proof_picture (GeglBuffer *like, Look look, gboolean answers);

#endif
