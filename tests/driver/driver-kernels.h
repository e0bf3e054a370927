/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Kernels that do not run are found out, one by one. */
#ifndef DRIVER_KERNELS_H
#define DRIVER_KERNELS_H

void kernels_walk (void);

#endif
