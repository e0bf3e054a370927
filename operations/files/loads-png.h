/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A PNG, from its first chunk to its last: are all its pixels there, and are they what was written?
 *
 * Wrong is what libpng complains of, after which GEGL shows what it has: a checksum of a chunk that every reader needs, pixels that cannot be unpacked,
 * whose own checksum is wrong or that are too few, a row with a filter that there is none of.  The checksum of a chunk that a reader may leave out
 * does not count, nor what stands behind the last. */
#ifndef LOADS_PNG_H
#define LOADS_PNG_H

#include "loads-reader.h"

Walked walk_png (Reader *reader);

#endif
