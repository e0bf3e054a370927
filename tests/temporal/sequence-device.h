/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Some frames, their shifts, and the background of the last: what the checks of sequence-device.c ask for.
 */
#ifndef SEQUENCE_DEVICE_H
#define SEQUENCE_DEVICE_H

#include <gegl-plugin.h>

#include "estimate-shift.h"
#include "tessera-control.h"
#include "whiten-request.h"

#define WIDTH  70
#define HEIGHT 66
#define PIXELS (WIDTH * HEIGHT)
#define FRAMES 6                /* the first is the reference */
#define N      (FRAMES - 1)

typedef struct
{
  Shift  found[N];
  gfloat whitened[PIXELS];
} Answer;

extern gfloat        *frames;   /* prepared */
extern GeglOperation *shifting, *whitening;

void     make_frames      (void);
/* New kept, and a reference; they are dropped. */
void     begin            (void);
void     end              (void);
/* To the last bit. */
gboolean is_same_shift    (const Shift *a, const Shift *b);
gboolean find_shifts      (TesseraOpenclMode mode, Answer *answer);
gboolean find_shifts_by   (ShiftMethod method, TesseraOpenclMode mode, Answer *answer);
/* One of the two images of the reference that stay on the device, and what is in its memory. */
void     lose_half        (gint half);
/* Of the last frame, from those before, into its part of `pixels`; or into the answer. */
gboolean write_background (TesseraOpenclMode mode, const Answer *answer, const GeglRectangle *extent, const gchar *format, gpointer pixels);
gboolean find_background  (TesseraOpenclMode mode, Answer *answer);
/* All of it. */
Answer   run              (TesseraOpenclMode mode);

/* sequence-sizes.c */
void     check_sizes      (void);

/* sequence-together.c: nodes are made in this graph. */
void     check_requests_together (const Answer *in_c, GeglNode *graph);

#endif
