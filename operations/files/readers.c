/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The module. */
#include "readers.h"

#include <gmodule.h>

G_MODULE_EXPORT extern const Readers tessera_readers;
const Readers tessera_readers = { fits_read_header, fits_read_shares, loads_judge };
