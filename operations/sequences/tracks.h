/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Objects too faint for one frame: filtered significance planes, shifted by each velocity of a grid and added.
 *
 *   value (p, v) = sum over frames j of g (F_j (p + s_j - s_r + v (t_j - t_r))) / sqrt (n)
 *
 * g (F) is F up to a limit c, and c (2 - c / F) above it.  So a cosmic ray or a satellite adds 2 c at most, and of
 * two bright places the brighter one still has more.
 *
 * p is a pixel of the frame r, places are rounded to pixels, and beyond a plane and where it has no value (NaN) F is 0.  Noise of
 * standard deviation 1 keeps it.  Track-before-detect is this over the last 8 frames; synthetic tracking is this over
 * a night.  The velocity is against the sky: the shifts s_j are taken away.
 */
#ifndef TRACKS_H
#define TRACKS_H

#include "tessera.h"

#include "weights.h"

#define TRACKS_LIMIT 4.0f        /* that noise passes in a frame of 30000 */

typedef struct
{
  const CountPlane *filtered;
  FrameShift        shift;
  gdouble           time;       /* in frames, or in any unit: velocities are in pixels per that */
} TrackFrame;

/* Velocities (x + step i, y + step j). */
typedef struct
{
  gdouble x, y, step;
  gint    n_x, n_y;
} TrackGrid;

typedef struct
{
  gdouble x, y;                 /* in the frame r */
  gdouble v_x, v_y;
  gfloat  value;
} Track;

/* For each pixel of frame r the largest value and its velocity, n_x j + i; of equal ones the first. */
typedef struct
{
  CountPlane best;
  gint      *velocity;
} TrackPlanes;

/* -2 to 2 pixels a frame in steps of 0.25. */
TrackGrid tracks_short_grid  (void);
/* -4.5 to 4.5 pixels a frame in steps of 0.5: over eight frames an object is at most 0.9 pixels on an axis from the middle of the next velocity's track. */
TrackGrid tracks_fast_grid   (void);

/* As fine as frames of these times need it: at the ends of the sequence an object is at most fwhm / 4 on an axis from the next
 * velocity's track.  `fastest` bounds |v| on each axis; where it is 0, an object trails by at most fwhm within `exposure`, in the unit
 * of the times. */
TrackGrid tracks_grid        (const gdouble *times, gint n, gdouble fwhm, gdouble exposure, gdouble fastest);

/* The value that noise exceeds `false_alarms` times among all pixels and velocities. */
gdouble   tracks_threshold   (gint width, gint height, const TrackGrid *grid, gdouble false_alarms);

/* The threshold for tracks_find that the noise of these frames, as it is along some paths of the grid, exceeds so many times (alarms.h).
 * Paths of less than `slowest` pixels in a unit of time are not looked at. */
gfloat    tracks_noise_threshold (const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gdouble slowest, gdouble false_alarms);

/* `limit`: c; INFINITY: off. */
void      tracks_stack       (const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gfloat limit,
                              TrackPlanes *planes);
/* The same on the device where that is faster; `errand` NULL: in C.  FALSE: OpenCL is forced and could not run; the planes are then empty. */
gboolean  tracks_stack_for   (const TesseraErrand *errand, const TrackFrame *frames, gint n, gint r, const TrackGrid *grid, gfloat limit,
                              TrackPlanes *planes);
/* Whether a kernel's int can number all pixels of so many frames, with room for the layout around them. */
gboolean  tracks_are_numbered (guint64 pixels, gint n);
void      track_planes_clear (TrackPlanes *planes);

/* Tracks above the threshold, the strongest first.  A place's path has to be above it in a robust sum, too, which is
 * the track's value: a frame counts no more than 2 above the median of the path's frames, of two in the middle the
 * lower.  So an object is there in most frames, or is none.
 *
 * Of noise alone that sum is normal as the plain one is: mean -0.04 and standard deviation 1.006 for 8 frames, -0.06
 * and 1.004 for 32 (simulated, 4 and 2 million paths).  An object of which it finds half, at as many false alarms,
 * may be 0.4 % brighter for 8 frames than with the plain sum, and 1.3 % for 32; with the mean of the lowest three
 * quarters 3 % and 7 %, with sigma-G (2.5) 3 % and 12 %.  At the threshold that 2.5 of a million paths of noise pass,
 * rays of SNR 30 in two of 8 frames make 0.5 % of paths false, in three 7 %; by the mean of six 0.1 % and all, by
 * sigma-G all.
 *
 * A weaker one that is within 3 px of a stronger in a quarter of the frames is the same object; 6 px of one that is 300 times as strong, 9 px of 3000.
 * In frames in which it is, it has nothing of its own: without them it has to be above the threshold, too. */
GArray   *tracks_find        (const TrackPlanes *planes, const TrackFrame *frames, gint n, gint r, const TrackGrid *grid,
                              gfloat threshold);

/* Tracks of a coarse grid get the velocity, in steps of 0.25, and the pixel whose robust sum is the largest nearby. */
void      tracks_refine      (GArray *tracks, const TrackFrame *frames, gint n, gint r, const TrackGrid *coarse);
/* Those of two searches of the same frames; both are lost. */
GArray   *tracks_unite       (GArray *tracks, GArray *others, const TrackFrame *frames, gint n, gint r);

/* Pixels times velocities that this process has tried, for the rate. */
guint64   tracks_tried       (void);

#endif
