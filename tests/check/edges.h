/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * edges.h: what the parts of the edges share. */
#ifndef EDGES_H
#define EDGES_H

#include "check.h"

typedef struct
{
  const CheckFilter  *filter;
  const CheckOptions *options;
  CheckStats         *stats;
  CheckCase           c;        /* property values at random, else plain */
  CheckLeg            leg;
  gboolean            is_default;
} Edge;

void edge_set_leg     (const Edge *e);
void edge_verdict     (const Edge *e, gboolean good, const gchar *what, GString *why);

/* edges-whole.c: of filters of the whole image. */
void edge_whole_image (Edge *e, GString *why);
void edge_lost_part   (Edge *e, GString *why);

#endif
