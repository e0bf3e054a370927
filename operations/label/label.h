/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Declarations that the parts of tessera:label share.
 */
#ifndef LABEL_H
#define LABEL_H

#include <gegl.h>

#include "tessera.h"

typedef enum { LABEL_BYTES, LABEL_COLORS, LABEL_INDEX, LABEL_MASK } LabelResult;

typedef struct
{
  gboolean       by_alpha;
  gfloat         threshold;     /* NaN: nothing is foreground */
  gfloat         weights[3];    /* of R, G, B in luminance */
  gint           diagonals;     /* 1: they connect */
  gint           min_area;
  LabelResult    result;
  gboolean       has_alpha;     /* the input */
  gboolean       is_associated; /* LABEL_COLORS: times alpha */
  const gfloat  *values;        /* for LABEL_COLORS: the 256 codes as floats */
  TesseraMemory **labels, **ranks;      /* on the device, from `arrived` to `device` */
} Label;

/* TesseraFilter.spread (label-runs.c); params is a Label. */
/* Makes the request's answer: how many components there are. */
void label_answer (const TesseraRequest *request, gint count);

void label_spread (const TesseraRequest *request);

/* ----------------------------------------------------------------- in C -- */

#define LABEL_STRIP_HEIGHT 64
#define LABEL_BLOCK_WIDTH  256

/* Rows of the image with their runs of foreground, from edges[2 k] to edges[2 k + 1] - 1. */
typedef struct
{
  gint   y, height;
  gint  *edges, n_edges, room;
  gint  *parents;               /* of runs, then their components, counted from the strip's first */
  gint   rows[LABEL_STRIP_HEIGHT + 1];  /* the first run of each row */
  gint  *areas;                 /* of components */
  gint   n_components, first_component;
  gboolean is_opaque;
} LabelStrip;

typedef struct
{
  const TesseraRequest *request;
  const Label          *label;
  GeglRectangle         image;
  LabelStrip           *strips;
  gint                  n_strips;
  gint                 *components;     /* their parents, then their labels; 0: left out */
  gint                 *areas;
  gint                  next;           /* atomic: the next strip to work on */
} Labelling;

/* GeglParallelDistributeFunc; data is a Labelling. */
void label_paint_strips (gint thread, gint n_threads, gpointer data);

#endif
