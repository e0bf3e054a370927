/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A sequence of frames on its way: shifts of some, backgrounds of those before.
 */
#ifndef SEQUENCE_PIPE_H
#define SEQUENCE_PIPE_H

#include <gegl-plugin.h>

#include "estimate-shift.h"
#include "whiten-request.h"

#define MOST_AT_ONCE 6
#define MOST_BEHIND  12          /* frames; then the oldest of those that are whitened is waited for */

/* What all runs share. */
typedef struct
{
  gint           width, height, n_history, batch;
  gint           distinct;              /* frames in `counts`, which come again and again */
  gint           ahead, whitening;      /* batches whose shifts are looked for, and frames that are whitened, at the same time; 0, 1: one after the other */
  const gfloat  *counts;                /* of these frames, one behind the other */
  GeglOperation *shift_operation, *whiten_operation;
} Speed;

typedef struct _Run Run;

/* A frame that is whitened. */
typedef struct
{
  Run     *run;
  WhitenFrames frames;          /* planes of frames on the device are as they came: what is prepared is there alone */
  gfloat  *whitened;
  gint     number;              /* in the sequence */
  gboolean is_busy;             /* guarded by the run's lock, as the number */
} Slot;

struct _Run
{
  const Speed *speed;
  gboolean     on_device;
  ShiftKey     key;
  CountPlane   reference;
  WhitenFrame  past[WEIGHTS_MAX_FRAMES + MOST_BEHIND];
  gint         n_past;
  Slot         slots[MOST_AT_ONCE];
  gint         n_sent;                  /* to be whitened */
  GThreadPool *whiteners;
  GMutex       lock;
  GCond        whitened;
  Shift        last;
  const gfloat *last_whitened;
  gint64       time, shift_time, whiten_time;   /* microseconds: all, and each by itself, the sum of all threads */
};

void  run_init   (Run *run, const Speed *speed, gboolean on_device);
void  run_frames (Run *run, gint n);
void  run_clear  (Run *run);
gsize frame_size (const Speed *speed);

#endif
