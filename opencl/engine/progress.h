/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How far an operation is.
 */
#ifndef TESSERA_PROGRESS_H
#define TESSERA_PROGRESS_H

#include "tessera.h"

typedef struct _TesseraTelling TesseraTelling;
typedef struct _TesseraWork    TesseraWork;

/* What a thread is at, on its stack. */
struct _TesseraWork
{
  TesseraWork          *outer;          /* ... and was before: reading an input may call for another request */
  const TesseraRequest *request;
  TesseraTelling       *telling;
  gdouble               from, to;       /* the part of the request that is counted now */
  guint64               mine, done;     /* pixels of it that are this thread's; those that are done */
  gboolean              reads;          /* they are done when they have been read */
};

void tessera_progress_begin (TesseraWork *begun, const TesseraRequest *request);
void tessera_progress_end   (TesseraWork *ended, gboolean success);
/* Of what this thread called for; nothing on any other.  So much of the request is done; so many pixels of
 * the step are this thread's; it has read or written some. */
void tessera_progress_tell  (gdouble part);
void tessera_progress_mine  (guint64 pixels);
void tessera_progress_count (gboolean reads, guint64 pixels);

#endif
