/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The host's conversions, for the C path. babl converts floats differently for each length of a run,
 * and is wrong in HDR.
 */
#ifndef TESSERA_CONVERT_ON_HOST_H
#define TESSERA_CONVERT_ON_HOST_H

#include "formats.h"

void tessera_decode (const TesseraTravel *travel, gconstpointer stored, gfloat *working, gsize n);
void tessera_encode (const TesseraTravel *travel, const gfloat *working, gpointer stored, gsize n);
/* If both have four floats. */
void tessera_convert_in_place (gint from, gint to, gfloat *pixels, gsize n);

#endif
