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
void    map_place   (const gdouble *m, gdouble x, gdouble y, gdouble *u, gdouble *v);
void    add     (Case *c, gdouble x, gdouble y, gdouble u, gdouble v);
/* `right` pairs of places of B within the rectangle, and `wrong` ones that are off by more than 10 px. */
void    fill    (Case *c, CheckRandom *random, const gdouble *m, gint right, gdouble sd, gint wrong, gdouble width, gdouble height);

extern const gchar *const names[];      /* of models */

Consensus find           (const Case *c, ConsensusModel model);
/* The mean distance of the corners of a picture. */
gdouble   corners_off   (const gdouble *m, const gdouble *other);
/* A camera that moved a bit: turned by up to 30 degrees, 0.6 to 1.6 times as large, seen from the side. */
void      draw_transform (CheckRandom *random, ConsensusModel model, gdouble *m);
void      expect_refused (const gchar *what, const Case *c, ConsensusModel model, const gchar *reason);
void      expect_aligned (const gchar *what, const Case *c, ConsensusModel model, gint inliers);

/* consensus-believed.c: what is believed, and how far. */
void      believed       (void);

#endif
