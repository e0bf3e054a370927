/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts of frames against a reference, on the device or in C: what tessera:estimate-shift and tessera-sequence call. */
#ifndef ESTIMATE_SHIFT_H
#define ESTIMATE_SHIFT_H

#include "shift-parts.h"

#define SHIFT_MOST_FRAMES 16    /* of a request, ... */
#define SHIFT_MOST_BYTES  ((guint64) 128 << 20) /* ... and of its frames */
#define SHIFT_ROOM        12    /* device memory for a byte of frames: what is made of them takes five times as much, and as much again stays for others */

/* A reference, and what has been made of it.  Requests at the same time may have one key only as long as all of that stays: who makes it anew replaces it. */
typedef struct
{
  const CountPlane *plane;              /* the caller's */
  ShiftFrame       *in_c;               /* NULL: C has not needed it yet */
  guint64           serial;             /* under which the plane itself stays on the device, or 0 */
  guint64           soft, touched;      /* what stays on the device (tessera_kept_memory); 0: nothing does */
  gdouble          *columns, *rows;     /* as the device has made them, or NULL */
} ShiftKey;

/* `stays`: it is the reference of more than one request. */
void     shift_key_init  (ShiftKey *key, const CountPlane *plane, gboolean stays);
void     shift_key_clear (ShiftKey *key);

/* Frames of the reference's size, in counts. */
typedef struct
{
  ShiftKey          *key;
  gint               n;         /* up to SHIFT_MOST_FRAMES */
  const gfloat      *frames;    /* one behind the other in memory; NULL: `planes` */
  const guint64     *serials;   /* under which the frames stay on the device, NaN where a pixel is bad; NULL: they do not */
  ShiftSettings      settings;
  const CountPlane **planes;    /* prepared (whiten_prepare); the serials are theirs, and one that is on the device does not travel again */
  ShiftFrame      ***in_c;      /* where what C makes of each plane is kept, for any thread; or NULL */
} ShiftRequest;

/* Of such frames, how many a request of the operation may well have, so that they fit the device; 1 in C. */
gint shift_frames_at_once (GeglOperation *operation, gint width, gint height);

/* Where frames stay on the device, it is checked with tessera:background-whiten: these `shifts` keep its oldest frame there. */
#define SHIFT_TRIAL "kept"

#define SHIFT_PROGRESS 0.5      /* of the work of an operation that asks for `planes` and then uses their shifts */

/* `operation` is a tessera:estimate-shift, with which a device is checked if no frame stays.  FALSE: OpenCL is forced and could not run. */
gboolean shift_request (GeglOperation *operation, const ShiftRequest *params, Shift *found);

/* The same by C alone. */
void     shift_compare_in_c (const ShiftRequest *params, Shift *found);

/* estimate-shift-device.c: the output has a row of SHIFT_WORDS words for each frame. */
#define SHIFT_WORDS 8

void     shift_to_words      (const Shift *found, gint32 words[SHIFT_WORDS]);
gsize    shift_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint     shift_device        (TesseraBand *band);

#endif
