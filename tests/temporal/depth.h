/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Recall against magnitude: of one frame, of any of some frames, and of shift-and-add. */
#ifndef DEPTH_H
#define DEPTH_H

#include <glib.h>

#define DEPTH_STEPS  14         /* of magnitude */
#define DEPTH_FRAMES 64
#define DEPTH_MOST   32         /* fields */

/* The value of what was found of it; -INFINITY: nothing was. */
typedef struct
{
  gint   step, n;
  gfloat frames[DEPTH_FRAMES], track;
} DepthObject;

typedef struct
{
  gdouble brightest, step;      /* magnitudes */
  gint    n_frames;
  gdouble frame_threshold, track_threshold;
  gint    objects[DEPTH_STEPS], seen[DEPTH_STEPS], any[DEPTH_STEPS], tracked[DEPTH_STEPS];
} Depth;

void     depth_add   (Depth *depth, const DepthObject *object);
/* A table in Markdown. */
void     depth_print (const Depth *depth);
/* By how many magnitudes shift-and-add finds half of the objects later than one frame; NaN where a recall does not fall through a half. */
gdouble  depth_gain  (const Depth *depth);
/* An SVG. */
gboolean depth_draw  (const Depth *depth, const gchar *path);

#endif
