/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The progress of an operation.
 */
#ifndef TESSERA_PROGRESS_H
#define TESSERA_PROGRESS_H

#include "tessera.h"

typedef struct _TesseraTelling TesseraTelling;
typedef struct _TesseraWork    TesseraWork;

/* The work of a thread, on its stack. */
struct _TesseraWork
{
  TesseraWork          *outer;          /* ... its work before: reading an input may call for another request */
  const TesseraRequest *request;
  TesseraTelling       *telling;
  gdouble               from, to;       /* the part of the request that is counted now */
  guint64               mine, done;     /* pixels of this thread in that part; those that are done */
  gboolean              reads;          /* a pixel is done when it has been read */
};

void tessera_progress_begin (TesseraWork *begun, const TesseraRequest *request);
void tessera_progress_end   (TesseraWork *ended, gboolean success);
/* For the request that this thread has called for; on any other thread these do nothing.  The done part of the
 * request; the pixels of a step that are this thread's; the pixels that it has read or written. */
void tessera_progress_tell  (gdouble part);
void tessera_progress_mine  (guint64 pixels);
void tessera_progress_count (gboolean reads, guint64 pixels);

#endif
