/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SIFT, from the specification alone: simple and slow, with whole octaves in memory.
 *
 * Lowe, Distinctive image features from scale-invariant keypoints, IJCV 60, 2004.
 *
 * Levels and candidates are floats in the written order, and have the bits that the operation must have.  What follows is
 * in double, where an operation may write a sum in another order.  So each decision is taken with an estimate of what rounding can
 * do to it, and the input's error.  Where that could turn it, the place is in the list of doubts.
 */
#ifndef REFERENCES_SIFT_H
#define REFERENCES_SIFT_H

#include <stddef.h>

#define REF_SIFT_MOST_INTERVALS 8
#define REF_SIFT_LENGTH         128
#define REF_SIFT_FRAME          5       /* pixels at an octave's edges that are never keypoints */
#define REF_SIFT_WALK           8       /* pixels from a candidate that its keypoint may be */

typedef struct
{
  int    octaves, intervals;
  double contrast_threshold, edge_threshold, sigma;
  int    upsample, max_features;
  double input_error;           /* how far each luminance may be from what is given; 0: it is exact */
  int    root;                  /* descriptors: roots of shares of the sum; else shares of the length */
} RefSiftSettings;

/* Pixels of the octave `index`: -1 is twice the image. */
typedef struct
{
  int    index, width, height, intervals;
  double error;                 /* of a level */
  float *levels[REF_SIFT_MOST_INTERVALS + 3];
} RefOctave;

/* Not `holds`: it is none, but may be one of an inexact input.  `doubt`: it may be none. */
typedef struct
{
  int layer, row, column, holds, doubt;
} RefCandidate;

typedef struct
{
  int    octave, layer, row, column, bin;
  double x, y, sigma, angle, response;
  double place_error, angle_error;      /* what rounding may do to x, y and sigma; to the angle (degrees) */
  double elements[REF_SIFT_LENGTH];     /* before they are rounded; at most 255 */
  double sum;                           /* of all elements as shares of the length, before 255 cuts them */
  unsigned char descriptor[REF_SIFT_LENGTH];
} RefPoint;

/* A place near which a decision hung on rounding.  Keypoints there may be or not be. */
typedef struct
{
  int    octave;
  double x, y, reach;           /* of the image; a keypoint within `reach` on both axes is excused */
} RefDoubt;

typedef struct
{
  RefPoint *points;             /* sorted by octave, layer, row, column, bin */
  size_t    n;
  RefDoubt *doubts;
  size_t    n_doubts;
  double    cut_low, cut_high;  /* responses that max-features can keep or leave; low > high: none */
} RefSift;

/* 0 if the image is too small.  Free with reference_sift_octaves_free (). */
int  reference_sift_octaves      (const float *luminance, int width, int height, const RefSiftSettings *settings,
                                  RefOctave **octaves);
void reference_sift_octaves_free (RefOctave *octaves, int n);

/* The number of taps on each side of blur `layer` (0: that before the first level), and its sigma. */
int  reference_sift_radius       (const RefSiftSettings *settings, int layer, double *sigma);

float  reference_sift_difference (const RefOctave *octave, int layer, int row, int column);
/* By layer, row, column.  Free the candidates. */
size_t reference_sift_candidates (const RefOctave *octave, const RefSiftSettings *settings, RefCandidate **candidates);

/* Free with reference_sift_free (). */
void reference_sift              (const float *luminance, int width, int height, const RefSiftSettings *settings,
                                  RefSift *found);
void reference_sift_free         (RefSift *found);

/* The strongest `most` (0: all) first, ties in the list's order.  Free the points. */
size_t reference_sift_strongest  (const RefSift *found, int most, const RefPoint ***points);
/* How much of each pixel the marks cover, in lines of that width.  The keypoints are relative to the picture. */
void   reference_sift_cover      (const RefPoint *const *points, size_t n, double scale, double width_of_line, int width,
                                  int height, double *coverage);

/* ----------------------------------------------------------- the parts -- */

/* The keypoints of a candidate's place: one for each orientation.  Adds to the list; `point` has all but bin, angle and
 * descriptor.  `s` is sigma in pixels of the octave.  Returns whether a decision was in doubt. */
int  reference_sift_orient       (const RefOctave *octave, const RefPoint *point, double s, int root, RefSift *found);
/* `root`: R. Arandjelovic, A. Zisserman, Three things everyone should know to improve object retrieval, CVPR 2012, section 3. */
void reference_sift_describe     (const RefOctave *octave, double s, int root, RefPoint *point);
void reference_sift_add          (RefSift *found, const RefPoint *point);

#endif
