/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where this copy of Tessera lies, and what came with it. */
#ifndef TESSERA_BESIDE_H
#define TESSERA_BESIDE_H

#include <glib.h>

/* This copy has registered the base class, `type`. */
void   tessera_mark_copy (gsize type);

#endif
