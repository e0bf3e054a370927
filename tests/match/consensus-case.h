/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * consensus-case.h: pairs of places under a known transform, and wrong ones. */
#ifndef CONSENSUS_CASE_H
#define CONSENSUS_CASE_H

#include "check.h"
#include "consensus.h"

#define MOST   1000
#define WIDTH  900
#define HEIGHT 600

typedef struct
{
  MatchPlace a[MOST], b[MOST];
  Match      matches[MOST];
  gint       n;
} Case;

gdouble between (CheckRandom *random, gdouble least, gdouble most);
void    map     (const gdouble *m, gdouble x, gdouble y, gdouble *u, gdouble *v);
void    add     (Case *c, gdouble x, gdouble y, gdouble u, gdouble v);
/* `right` pairs of places of B within the rectangle, and `wrong` ones that are off by more than 10 px. */
void    fill    (Case *c, CheckRandom *random, const gdouble *m, gint right, gdouble sd, gint wrong, gdouble width, gdouble height);

#endif
