/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * limits-parts.h: what the parts of `limits` share. */
#ifndef LIMITS_PARTS_H
#define LIMITS_PARTS_H

#include <gegl.h>

#include "tessera.h"
#include "tessera-control.h"
#include "verdict.h"

GeglBuffer *new_buffer (gint width, gint height, const gchar *format);
GeglNode   *new_filter (GeglNode *graph, GeglBuffer *input, const gchar *operation);

/* limits-memory.c */
void        pinned     (void);
void        held       (void);
void        owned      (void);
void        given_back (void);

#endif
