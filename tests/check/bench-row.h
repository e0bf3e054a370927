/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What `bench` times: the table of a filter has its rows, beside what is tested.
 */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <glib.h>

/* One line of the table.  A step is "operation property=value ..."; the steps of
 * a chain are separated by " | ".  A chain is measured with the sink `whole` only. */
typedef struct _BenchRow
{
  const gchar *title;
  const gchar *ours;
  const gchar *rival;           /* GEGL's own; NULL: there is none */
  const gchar *peer;            /* OpenCV's (bench-peer.cpp) or a formula's; NULL: there is none */
  const gchar *result;          /* babl format that the results are written in; NULL: the picture's */
  const gchar *rival_result;
  gboolean     dots;            /* the picture: random dots, else like a photograph */
} BenchRow;

#endif
