/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * chains.h: a chain of filters, drawn by a number; what happens between them; one run of it. */
#ifndef CHAINS_H
#define CHAINS_H

#include <gegl.h>

#include "tessera-control.h"

#define CHAIN_MOST_STEPS 4

/* What is done to a buffer between two filters, in the order of chain_danger_names. */
typedef enum { NOTHING, READ_PIXEL, READ_SIDE_BY_SIDE, SAMPLE, ITERATE, SET_PIXELS, SET_ALL, CLEAR, CLEAR_TILES, COPY_TILES, SHARE_TILE, CLEAR_COPY,
               HAND_COPY, HAND_PART, SWITCH_OFF, LOSE, LOSE_LATER, FAIL_NEXT, SCALE, N_DANGERS } ChainDanger;

extern const gchar *const chain_danger_names[N_DANGERS];

/* A filter, and what a setting of it is drawn from. */
typedef struct
{
  const gchar *operation, *number;
  gdouble      least, most;
} ChainStep;

typedef struct
{
  guint            seed;
  const gchar     *format;
  GeglRectangle    extent, roi;
  guint            n;
  const ChainStep *steps[CHAIN_MOST_STEPS];
  gdouble          numbers[CHAIN_MOST_STEPS];
  ChainDanger      dangers[CHAIN_MOST_STEPS];   /* behind each but the last */
  gboolean         has_nop, has_second, joins, proves, remembers, evicts, has_graph;
  guint            memory;                      /* MiB, or 0 */
} ChainCase;

ChainCase   chain_drawn   (guint seed);
/* Four filters of which nothing is asked between. */
ChainCase   chain_quiet   (gint width, gint height);
/* Two filters of which the second needs nearly all of the memory. */
ChainCase   chain_tight   (void);
gchar      *chain_name    (const ChainCase *c);
GeglBuffer *chain_picture (const ChainCase *c);
/* Four floats a pixel of the roi.  The engine is set for the case; chain_compute leaves it as it is. */
gfloat     *chain_run     (const ChainCase *c, GeglBuffer *input, TesseraOpenclMode mode);
gfloat     *chain_compute (const ChainCase *c, GeglBuffer *input);
/* Does nobody ask for what stays on the device? */
gboolean    chain_is_quiet (const ChainCase *c);

/* For chain_run: the operation test:tap, which does it; `lost` tells whether the device is one that fails. */
void        chain_tap_register (void);
void        chain_tap_set      (GeglNode *tap, ChainDanger danger);
void        chain_tap_fails    (gboolean lost);

#endif
