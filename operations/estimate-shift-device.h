/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files estimate-shift-device.c and estimate-shift-steps.c share.
 */
#ifndef ESTIMATE_SHIFT_DEVICE_H
#define ESTIMATE_SHIFT_DEVICE_H

#include "estimate-shift.h"

#define GROUP       64          /* of launches that use local memory for each item */
#define THREAD_COST 0.05        /* of what one frame's projections cost */

/* As Query in opencl/kernels/estimate-shift.cl. */
typedef struct
{
  gint32 frame, x, y, is_fresh;
  gfloat taps_x[4], taps_y[4], threshold;
  gint32 spare[3];
} Query;

/* Frames behind one another: softened, and what their bad pixels touch. */
typedef struct
{
  gint           n;
  TesseraMemory *soft, *flags;
  gdouble       *columns[SHIFT_MOST_FRAMES], *rows[SHIFT_MOST_FRAMES];
} DeviceFrames;

typedef struct
{
  TesseraBand        *band;
  const ShiftRequest *request;
  gint                n, width, height, across, down;   /* frames; in pixels; in tiles */
  gint                status;
  TesseraMemory      *clean, *medians, *bad;            /* the reference's, then the frames' */
  TesseraMemory      *counts, *middles, *thresholds;
  TesseraMemory      *queries, *used, *n_steep, *sums;
  DeviceFrames        reference, frames;
} Shifts;

/* ------------------------------------------------------------------- launches -- */

/* Each returns TRUE if it went well so far. */

static inline gboolean
launch (Shifts *s, const TesseraLaunch *launch)
{
  if (s->status == 0)
    s->status = tessera_launch (s->band, launch);
  return s->status == 0;
}

static inline gboolean
bring (Shifts *s, TesseraMemory *memory, gsize bytes, gpointer to)
{
  if (s->status == 0)
    s->status = tessera_fetch (s->band, memory, bytes, to);
  return s->status == 0;
}

static inline gboolean
send (Shifts *s, gconstpointer data, gsize bytes, TesseraMemory *memory)
{
  if (s->status == 0)
    s->status = tessera_send (s->band, data, bytes, memory);
  return s->status == 0;
}

static inline gboolean
take (Shifts *s, gsize bytes, TesseraMemory **memory)
{
  if (s->status == 0)
    s->status = tessera_scratch (s->band, bytes, memory);
  return s->status == 0;
}

#define PIXELS(s, n) { (s)->width, (s)->height, (n) }
#define SIZE_ARGS(s) ARG ((s)->width), ARG ((s)->height)

/* Of the slopes of n queries, or of the excesses of n frames. */
gboolean shift_find_medians (Shifts *s, gboolean slopes, gint n, gdouble *medians);

/* estimate-shift-steps.c: the shifts of all frames, into the band's output. */
void     shift_find_all     (Shifts *s);

#endif
