/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The codes of u8 and u16.
 */
#ifndef TESSERA_TABLES_H
#define TESSERA_TABLES_H

#include <glib.h>

/* How many codes the integers of a layout have (opencl/math/tessera-convert.h). */
gint          tessera_code_count (gint stored);
/* The value of each code, or the least float of each code; kept for the process. */
const gfloat *tessera_code_table (gint stored, gint working, gboolean encodes);

#endif
