/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-stack: photographs of one subject, laid on one another and made one. */
#ifndef STACK_H
#define STACK_H

#include <gegl.h>

#include "../progress.h"
#include "align.h"
#include "combine.h"
#include "content.h"

typedef struct
{
  gchar      *path;             /* as it was given */
  FileState   state;            /* of the file, when the run began */
  gchar       hash[CONTENT_LENGTH];     /* of its bytes; empty: not needed so far */
  gboolean    is_known;         /* found, or kept from an earlier run */
  gboolean    is_aligned;
  gdouble     matrix[9];        /* its places -> the reference's */
  gchar      *reason;           /* why it is left out, or what there is to know of its transform; or NULL */
  gchar      *unread;           /* why it cannot be read; or NULL */
  GeglBuffer *picture;          /* decoded, of a frame that is aligned; or NULL */
} StackFrame;

typedef struct
{
  StackFrame *frames;
  gint        n, reference;
  AlignSettings settings;
  gchar        *kept;           /* the file of transforms */
  gchar        *result;         /* its line about the last output, or NULL */
  gboolean      is_unkept;      /* it cannot be written, and that has been said */
  GeglNode     *node;           /* whose operation makes the requests */
} Stack;

/* stack-frames.c.  The mean energy of the gradient in the middle half; negative: no picture. */
gdouble     stack_sharpness (StackFrame *frame);
/* A request that reads the picture in a format of floats. */
TesseraRequest stack_request (const Stack *stack, GeglBuffer *picture, const Babl *format);
/* Aligns all frames that can be, one after another.  FALSE, and it has said why: the reference is no picture, or OpenCL is forced. */
gboolean    stack_align     (Stack *stack);

/* stack-kept.c: the transforms of an earlier run; all that this one has. */
void        stack_remember  (Stack *stack);
gboolean    stack_keep      (const Stack *stack, GError **error);
/* A frame of the picture whose bytes are others now than those that were read; NULL: there is none. */
const gchar *stack_changed  (const Stack *stack);
/* Of how many frames an earlier run made the output that is there; 0: not known.  And what the next run is to know of it. */
gint        stack_made_of     (const Stack *stack, const gchar *output);
void        stack_note_result (Stack *stack, const gchar *output, gint n);

/* stack-combine.c: a picture of that format; alpha is the part of the frames that cover a pixel.  `memory` in bytes. */
GeglBuffer *stack_combine   (const Stack *stack, CombineMethod method, const Babl *format, guint64 memory);

#endif
