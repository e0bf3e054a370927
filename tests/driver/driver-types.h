/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All operations on all stored types, while single commands fail late or alone. */
#ifndef DRIVER_TYPES_H
#define DRIVER_TYPES_H

#include "driver.h"

/* `all`: every stored type and every way to fail; else 8 bits (or `format`: "RGBA half"), and what single commands do.
 * `operation` ("motion-blur") and `plan` ("late write:%d") narrow it down, or are NULL or "". */
void types_walk (gboolean all, const gchar *operation, const gchar *format, const gchar *plan);

#endif
