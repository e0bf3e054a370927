/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Work on all threads, whoever else has some.
 */
#ifndef TESSERA_SPREAD_H
#define TESSERA_SPREAD_H

#include <gegl.h>

/* As gegl_parallel_distribute, which lets the caller do everything by itself while another has GEGL's threads. */
void tessera_spread (gint most, GeglParallelDistributeFunc work, gpointer data);

#endif
