/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files of the shifts on the device share: see estimate-shift-device.c. */
#ifndef ESTIMATE_SHIFT_PARTS_H
#define ESTIMATE_SHIFT_PARTS_H

#include "estimate-shift.h"

#define SHIFT_BINS 2048         /* opencl/kernels/estimate-shift-middle.h */
#define SHIFT_GROUP 64          /* of launches that use local memory for each item */
#define SHIFT_THREAD_COST 0.05  /* of what one frame's projections cost */

/* As Middle in opencl/kernels/estimate-shift-middle.h: the prefixes are the bits of the two in the middle. */
typedef struct
{
  gint32 n, prefix[2], rank[2];
} ShiftMiddle;

/* As Query in opencl/kernels/estimate-shift.cl. */
typedef struct
{
  gint32 frame, x, y, is_fresh;
  gfloat taps_x[4], taps_y[4], threshold;
  gint32 spare[3];
} ShiftQuery;

/* Frames behind one another: softened, and which pixels their bad ones touch (a guint16 for each column of a tile). */
typedef struct
{
  gint           n;
  TesseraMemory *soft, *touched;
  gdouble       *columns[SHIFT_MOST_FRAMES], *rows[SHIFT_MOST_FRAMES];
} DeviceFrames;

typedef struct
{
  TesseraBand        *band;
  const ShiftRequest *request;
  gint                n, width, height, across, down;   /* frames; in pixels; in tiles */
  TesseraMemory      *medians, *excesses;               /* the reference's, then the frames' */
  TesseraMemory      *counts, *middles, *thresholds;
  TesseraMemory      *queries, *usable, *steep, *n_steep, *sums;
  TesseraMemory      *means;                            /* of projections, in double; NULL: the device has none */
  DeviceFrames        reference, frames;
} Shifts;

#define PIXELS_GROUP { 64, 4, 1 }

/* Of a bit for each pixel of a frame: a guint16 for each column of a tile. */
static inline gsize
shifts_bits_bytes (const Shifts *s)
{
  return (gsize) s->width * s->down * sizeof (guint16);
}

#define SIZE_ARGS(s) ARG ((s)->width), ARG ((s)->height)

/* estimate-shift-prepare.c.  As those of tessera.h: 0, or an error. */
void  shifts_begin_counts      (Shifts *s);
/* Of these excesses of n frames, or, without, of the slopes of n queries. */
gint  shifts_find_medians      (Shifts *s, TesseraMemory *excesses, gint n, gdouble *medians);
/* Floats of the projections of one frame: sums of columns, then of rows. */
gsize shifts_projection_floats (const Shifts *s);
/* From n memories, each of which has as many of the frames, one behind the other.  Frames that are kept stay on the device for others. */
gint  shifts_prepare_frames    (Shifts *s, DeviceFrames *frames, TesseraMemory *const *pixels, gint n, gint stride);
/* From the planes of the request, which stay where they are. */
gint  shifts_prepare_planes    (Shifts *s);
/* What is made of the reference may be there, from another request. */
gint  shifts_prepare_reference (Shifts *s);

#endif
