/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:bilateral-filter: tessera:bilateral-grid, guided by the image itself.
 * Without a second input GIMP 3 takes it as a layer effect.
 */
#define TESSERA_BILATERAL_FILTER
#include "tessera-bilateral-grid.c"
