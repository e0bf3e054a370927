/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where points fail, or leave a doubt, all pixels are asked (align-direct.h).  What points have found before is not lost: transforms on which few agree are
 * starts, and what lies around points of a movement that the pictures deny is left out: a logo, dust, a thing that moves.
 */
#ifndef ALIGN_PIXELS_H
#define ALIGN_PIXELS_H

#include "align.h"
#include "align-direct.h"

typedef struct
{
  DirectMovement movements[DIRECT_MOVEMENTS];   /* of full pixels; their places are ours */
  gint           n;
} AlignHints;

/* The pictures, and the points of each that are compared. */
typedef struct
{
  AlignPicture      *reference, *moving;
  const AlignPoints *in_a, *in_b;
  const Match       *matches;
  gint               n;
} Compared;

void     align_hints_clear (AlignHints *hints);
/* What the points found. */
void     align_hints_add   (AlignHints *hints, const Compared *compared, const Consensus *found);

/* Where the points or the squares leave a doubt: all pixels find it, or deny it, where they lead away and not nearly all of them agree with it.
 * FALSE: they do neither. */
gboolean align_ask_pixels  (const Compared *compared, const AlignSettings *settings, const AlignHints *hints, const Consensus *points, Consensus *found);
/* Without points. */
gboolean align_find_direct (AlignPicture *reference, AlignPicture *moving, const AlignSettings *settings, const AlignHints *hints, Consensus *found);
/* How far both lay a corner of B from one another. */
gdouble  align_apart       (const GeglRectangle *b, const gdouble one[9], const gdouble other[9]);

#endif
