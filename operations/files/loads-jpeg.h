/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A JPEG, from its first marker to its last: are all its pixels there, and do their codes make sense?
 *
 * What libjpeg warns of is wrong: codes that there are none of, pixels that end early, bytes that no pixel takes, restarts that are missing.
 * It would go on, with grey or shifted pixels; and where a table makes no sense it ends the process.  Arithmetic codes and samples of more than 8 bits
 * are not looked at. */
#ifndef LOADS_JPEG_H
#define LOADS_JPEG_H

#include "loads-reader.h"

Walked walk_jpeg (Reader *reader);

#endif
