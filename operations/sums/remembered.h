/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What an operation has found of a whole picture, for its next request: a slider that changes the drawing alone
 * does not search again.
 *
 * The same question is asked of the same pixels: pixels are known again by their content (XXH3, 128 bits), whatever
 * buffer has them, so that nobody has to tell of a change.  To look at all of them costs as much as reading them once.
 * Therefore that is done only where the question comes a second time, or where the answer took REMEMBERED_WORTH times
 * as long.
 */
#ifndef REMEMBERED_H
#define REMEMBERED_H

#include "tessera.h"

#define REMEMBERED_WORTH 20
#define REMEMBERED_BYTES (64 << 20)     /* that an operation keeps, at most; older answers go */
#define REMEMBERED_MOST  64             /* answers of it */

/* A question that is being answered. */
typedef struct
{
  const TesseraRequest *request;
  GBytes               *question;       /* NULL: nothing is remembered */
  guint64               pixels[2];      /* their content, ... */
  gboolean              knows_pixels;   /* ... if they were looked at */
  gint                  changes;        /* of all inputs, when it was asked */
  gint64                began;
} Remembered;

/* What the request's operation asks of the pixels of roi, with these settings and the request's formats.  NULL: the caller finds it, and calls
 * remembered_keep, or remembered_give_up; else the answer, for g_bytes_unref, and no more is to be done.  From any thread. */
GBytes *remembered_find    (const TesseraRequest *request, gconstpointer settings, gsize bytes, Remembered *asked);
void    remembered_keep    (Remembered *asked, gconstpointer answer, gsize bytes);
void    remembered_give_up (Remembered *asked);

#endif
