/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pixels between buffers and staging memory, on all threads.
 */
#ifndef TESSERA_COPIES_H
#define TESSERA_COPIES_H

#include "tiles.h"

#define TESSERA_MOST_COPIES 3           /* input and aux of one band, output of another */

typedef struct
{
  GeglBuffer     *buffer;
  const Babl     *format;
  guchar         *pixels;               /* of rect's first pixel */
  gsize           row;                  /* bytes */
  GeglRectangle   rect;
  gboolean        writes;               /* into the buffer, else from it */
  gdouble         seconds;              /* what it took */
  TesseraTiles   *tiles;                /* the pixels lie in these, or NULL */
  TesseraTileGrid grid;
  guchar         *there;                /* tessera_copy: where the rectangle lies in the buffer, or NULL */
  gsize          *ready;                /* where the caller counts the bytes that have been read, or NULL */
} TesseraCopy;

/* Does all copies, on all threads.  `beside`, if not NULL, is called on one of the threads. */
void tessera_copy (TesseraCopy *copies, guint n, void (*beside) (gpointer data), gpointer data);

#endif
