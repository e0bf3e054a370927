/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A preset's frames as planes, and how well a filter did on them: the measures of the acceptance, whoever computed the planes. */
#ifndef SEQUENCE_TRUTH_H
#define SEQUENCE_TRUTH_H

#include "reference.h"
#include "stars.h"

typedef struct
{
  StarsField *field;
  Plane      *frames;           /* ADU, less the dark frame if it was asked for */
  gint        n;
} Sequence;

Sequence sequence_new      (gchar preset, guint64 seed, gint frames, gboolean less_dark);
void     sequence_free     (Sequence *sequence);
/* The sum of min (|whitened / noise|, 50)^2 over the pixels 24 px inside, by their number. */
gdouble  sequence_residual (const Sequence *sequence, gint frame, const Plane *whitened);
/* The largest value within 1.5 px of an object. */
gdouble  sequence_peak     (const Sequence *sequence, gint frame, gint object, const Plane *filtered);
/* Which object a place belongs to: within 2 px; near an object, but no detection of it (4 px): NEAR_AN_OBJECT; else FALSE_ALARM. */
enum { NEAR_AN_OBJECT = -1, FALSE_ALARM = -2 };
gint     sequence_owner    (const Sequence *sequence, gint frame, gdouble x, gdouble y);

#endif
