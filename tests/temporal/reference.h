/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What moves in a sequence, in double and as plainly as the definitions allow: shifts, weights, whitened frames, detections.
 * Written from the definitions alone, not from the operations.  Where these leave something open, the choice stands beside the
 * code after the word "Open:".
 *
 * A value that is not finite is missing.  What a product would write as 0 because nothing is known is NaN here. */
#ifndef TEMPORAL_REFERENCE_H
#define TEMPORAL_REFERENCE_H

#include <glib.h>

#define REFERENCE_MOST_FRAMES 64

typedef struct
{
  gint     width, height;
  gdouble *values;              /* row after row */
} Plane;

Plane   plane_new    (gint width, gint height);
Plane   plane_copy   (const Plane *plane);
void    plane_free   (Plane *plane);
gsize   plane_size   (const Plane *plane);
/* Beyond the edge: the nearest pixel. */
gdouble plane_at     (const Plane *plane, gint x, gint y);
/* Reorders the values.  An even number: the mean of the two in the middle.  None: NaN. */
gdouble median       (gdouble *values, gsize n);
/* Of the finite values; the plane stays as it is. */
gdouble plane_median (const Plane *plane);

/* Shifts (reference-shift.c). */
typedef enum { REFERENCE_SINGLE, REFERENCE_ITERATED, REFERENCE_PYRAMID } ReferenceMethod;

typedef struct
{
  ReferenceMethod method;
  gint            max_shift;
  gdouble         saturation;   /* INFINITY: off */
  gboolean        reject_hot;
} ReferenceShiftSettings;

typedef struct
{
  gboolean ok, converged;
  gdouble  x, y, error;
  gint     pixels, steps;
  gint     start_x, start_y;    /* of the pyramid */
  gdouble  sensitivity;         /* px: by how much the shift may change if each residual of the last step changes by 1 */
} ReferenceShift;

/* Why a pixel is bad.  A doubtful one is nearly hot, or just so. */
enum { REFERENCE_BAD = 1, REFERENCE_HOT = 2, REFERENCE_DOUBTFUL = 4 };

/* A frame, filtered, and which pixels of the filtered frame know nothing bad. */
typedef struct
{
  Plane   smooth;
  guint8 *bad;                  /* pixels of the frame itself */
  guint8 *spoilt;               /* a bad pixel lies within 3 x 3 */
} ReferenceFrame;

ReferenceFrame reference_frame      (const Plane *frame, const ReferenceShiftSettings *settings);
void           reference_frame_free (ReferenceFrame *frame);
ReferenceShift reference_shift      (const ReferenceFrame *reference, const ReferenceFrame *frame, const ReferenceShiftSettings *settings);

/* Weights (reference-weights.c). */
typedef struct
{
  gdouble x, y;
} Vector;

typedef struct
{
  gint     n, degree;           /* the degree that was used */
  gboolean is_lowered;
  gint     move_x[REFERENCE_MOST_FRAMES], move_y[REFERENCE_MOST_FRAMES];
  gdouble  weights[REFERENCE_MOST_FRAMES], noise_gain, condition;
  gdouble  nearest_limit;       /* the factor between 1e12 and the nearest condition number that was tried */
  gdouble  offset, mean, means[REFERENCE_MOST_FRAMES];  /* from-frames: of the current frame, of the moved ones */
  gdouble  normal[REFERENCE_MOST_FRAMES][REFERENCE_MOST_FRAMES];        /* from-frames: R + ridge, sums over pixels */
} ReferenceWeights;

/* Whole pixels by which a frame of shift `s` is moved to lie nearest to one of shift `target`. */
void reference_moves        (gint n, const Vector *shifts, Vector target, gboolean align, ReferenceWeights *weights);
void reference_from_shifts  (gint n, const Vector *shifts, Vector target, gint degree, gdouble gamma, gboolean article_ridge,
                             gboolean align, ReferenceWeights *weights);
void reference_from_frames  (gint n, const Plane *frames, const Plane *current, const Vector *shifts, Vector target, gboolean align,
                             ReferenceWeights *weights);

/* Whitening (reference-whiten.c). */
Plane reference_background   (const Plane *frames, const ReferenceWeights *weights, gint width, gint height);
Plane reference_whitened     (const Plane *current, const Plane *background);
/* `sigmas`: set too, or NULL. */
Plane reference_significance (const Plane *whitened, const Plane *background, gdouble gain, Plane *sigmas);

/* Detection (reference-detect.c). */
typedef struct
{
  gint    x, y;
  gdouble value, vx, vy;
} ReferenceSpot;

Plane    reference_filtered (const Plane *significance, gdouble fwhm);
/* ReferenceSpot, row after row. */
GArray  *reference_maxima   (const Plane *filtered, gdouble threshold);
/* What exceeds the threshold, in a frame that becomes history, loses its values.  Returns the number of pixels that had one. */
gint     reference_remove   (Plane *frame, const Plane *filtered, gdouble threshold);
/* frames[0] is the newest.  The best over all velocities at each pixel of the newest, and which that was. */
Plane    reference_track    (gint n, const Plane *const *filtered, const Vector *shifts, Plane *vx, Plane *vy);

/* Frames of any times, for the pixels of frame r; a grid of velocities (x + step i, y + step k), of which number n_x k + i is one. */
typedef struct
{
  gint          n, r;
  const Plane  *frames;
  const Vector *shifts;
  const gdouble *times;
  gdouble       clip;
  gdouble       x, y, step;
  gint          n_x;
} ReferenceTrack;

/* Only what is NaN is missing.  `terms`: the sum of what is added, without signs. */
gdouble  reference_track_at (const ReferenceTrack *track, gint x, gint y, gint velocity, gdouble *terms);

#endif
