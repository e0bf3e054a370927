/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The parts of tessera:estimate-shift. */
#ifndef ESTIMATE_SHIFT_H
#define ESTIMATE_SHIFT_H

#include "shift-parts.h"

/* Of a request whose input is the frame and whose aux is the reference, in counts, both from (0, 0) on.  The output is one pixel of SHIFT_WORDS
 * words: what was found. */
typedef struct
{
  const CountPlane *reference, *frame;
  ShiftSettings     settings;
} ShiftRequest;

#define SHIFT_WORDS 8

void  shift_to_words      (const Shift *found, gint32 words[SHIFT_WORDS]);
Shift shift_of_words      (const gint32 words[SHIFT_WORDS]);

gsize shift_scratch_bytes (const TesseraRequest *request, gint width, gint height);
gint  shift_device        (TesseraBand *band);

#endif
