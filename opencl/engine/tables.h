/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The codes of u8 and u16.
 */
#ifndef TESSERA_TABLES_H
#define TESSERA_TABLES_H

#include <glib.h>

/* Of u8 behind sRGB's curve: the code of a float of light, by the upper half of its bits, where at most one code
 * begins.  The word there has that half's code above.  Below it has what carries into the code once the float's lower
 * half is added, if that is large enough. */
typedef struct
{
  gfloat  least;                /* smaller floats have its code */
  gint    first;                /* the upper half of its bits */
  guint32 words[];
} TesseraCodeWords;

/* How many codes the integers of a layout have (opencl/math/tessera-convert.h). */
gint          tessera_code_count (gint stored);
/* The value of each code, or the least float of each code; kept for the process. */
const gfloat *tessera_code_table (gint stored, gint working, gboolean encodes);
/* The same codes as by the least floats; NULL of other codes and curves. */
const TesseraCodeWords *tessera_code_words (gint stored, gint working);

#endif
