/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Matches by the definition, and descriptors to match. */
#ifndef MATCH_PLAIN_H
#define MATCH_PLAIN_H

#include "check.h"
#include "matches.h"

/* As match_descriptors, with the ratio in thousandths; `matches` has room for n_a. */
gint match_plainly    (const guint8 *a, gint n_a, const guint8 *b, gint n_b, gint thousandths, gboolean mutual, Match *matches);

/* Random bytes below `levels`; every `repeat`th of B is one of A, changed by a bit; some are repeated. */
void draw_descriptors (CheckRandom *random, guint8 *a, gint n_a, guint8 *b, gint n_b, gint levels, gint repeat);

#endif
