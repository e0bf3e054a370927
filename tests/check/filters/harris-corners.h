/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of tessera:harris-corners' table share. */
#ifndef CHECK_HARRIS_CORNERS_H
#define CHECK_HARRIS_CORNERS_H

#include "check.h"

#define DRAWN_IN "R~G~B~A float"     /* sRGB's curve in every space */
#define ARM      3                   /* of a cross */

enum { RESULT, SIGMA, K, THRESHOLD };
enum { OVERLAY, CORNERS, STRENGTH, RESPONSE };

void check_harris_bits (const CheckOptions *options, CheckStats *stats);

#endif
