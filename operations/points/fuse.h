/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of exposure fusion and focus stacking share.  fuse.c leads (combine.h has its function), fuse-weights.c
 * says how good each pixel of a frame is, fuse-pyramid.c blends.
 */
#ifndef FUSE_H
#define FUSE_H

#include "combine.h"

#define FUSE_MOST_LEVELS 32

/* Four floats a pixel: R~, G~, B~, and a weight. */
typedef struct
{
  gint    width, height;
  gfloat *pixels;
} FuseLevel;

/* Each level is half of the one before, down to one pixel.  n: of all; blended: the last one that blending needs. */
typedef struct
{
  gint      n, blended;
  FuseLevel levels[FUSE_MOST_LEVELS];
  gfloat   *memory;
} FusePyramid;

/* fuse-pyramid.c.  Uninitialised. */
void     fuse_pyramid_init  (FusePyramid *pyramid, gint width, gint height);
void     fuse_pyramid_clear (FusePyramid *pyramid);
/* Levels 1 to `last` from level 0. */
void     fuse_reduce        (FusePyramid *pyramid, gint last);
/* Where the weight of a pixel is 0, its colour comes from its neighbours; elsewhere it is 1. */
void     fuse_fill          (FusePyramid *pyramid);
/* The weights become smooth, as after `last` times reduced. */
void     fuse_smooth        (FusePyramid *pyramid, gint last);
/* Weight by weight, a frame's details go into the sums, whose weights become sums of weights.  `is_first`: there is nothing in them. */
void     fuse_add           (FusePyramid *frame, FusePyramid *sums, gboolean is_first);
/* Level 0 becomes the picture. */
void     fuse_collapse      (FusePyramid *sums);

/* fuse-weights.c: the fourth value of each pixel becomes its weight; `alpha` of the frame, `luminance` weighs R, G, B. */
void     fuse_weigh         (CombineMethod method, FusePyramid *frame, const gfloat *alpha, const gfloat luminance[3]);

#endif
