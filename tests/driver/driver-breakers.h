/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What fails again and again is left alone for a while, what failed once is not. */
#ifndef DRIVER_BREAKERS_H
#define DRIVER_BREAKERS_H

#include "driver.h"

/* Three filters. */
void breakers (const DriverCase *one, const DriverCase *two, const DriverCase *three);

#endif
