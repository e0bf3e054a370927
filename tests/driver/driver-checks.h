/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * When kernels are checked, and what a check says of others' requests. */
#ifndef DRIVER_CHECKS_H
#define DRIVER_CHECKS_H

void checks_walk (void);

/* Of kernels that are known already. */
void later_walk  (void);

#endif
