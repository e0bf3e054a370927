/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The nearest descriptors, before some are kept: in C (match-rows.c), and on the device or in C (match-device.c). */
#ifndef MATCH_PARTS_H
#define MATCH_PARTS_H

#include "matches.h"

typedef struct
{
  const guint8 *a, *b;
  gint          n_a, n_b;       /* both above 0 */
} MatchTask;

/* Of one descriptor of A; four words for the device. */
typedef struct
{
  gfloat best, second;          /* whole numbers; infinite where B has one descriptor alone */
  gint   index;                 /* the nearest of B, of several the first */
  gint   back;                  /* the nearest to that of all of A, of several the first */
} MatchRow;

/* match-rows.c: in C, on all threads. */
void     match_rows    (const MatchTask *task, MatchRow *rows);

/* match-device.c: on the device or in C, a row for each descriptor of A; to be freed.  NULL: OpenCL is forced and could not run. */
MatchRow *match_process (const TesseraErrand *errand, const MatchTask *task);

#endif
