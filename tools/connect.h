/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * GEGL 0.4.60 has another name for gegl_node_connect_to.
 */
#ifndef CONNECT_H
#define CONNECT_H

#include <gegl.h>

#if GEGL_MICRO_VERSION >= 60
#define gegl_node_connect_to gegl_node_connect
#endif

#endif
