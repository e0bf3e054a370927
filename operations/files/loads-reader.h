/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A file, from its first byte on, for the walks over its bytes. */
#ifndef LOADS_READER_H
#define LOADS_READER_H

#include <glib.h>
#include <stdio.h>

#define READER_BLOCK 65536

typedef struct
{
  FILE  *file;
  guint8 bytes[READER_BLOCK];
  gsize  n, at;
  gint64 before;                /* bytes of the file before these */
} Reader;

static inline gboolean
reader_refill (Reader *reader)
{
  reader->before += (gint64) reader->n;
  reader->n = fread (reader->bytes, 1, READER_BLOCK, reader->file);
  reader->at = 0;
  return reader->n > 0;
}

/* Where the next byte stands. */
static inline gint64
reader_place (const Reader *reader)
{
  return reader->before + (gint64) reader->at;
}

/* -1: the file ends. */
static inline gint
next_byte (Reader *reader)
{
  return reader->at < reader->n || reader_refill (reader) ? reader->bytes[reader->at++] : -1;
}

/* FALSE: the file ends. */
static inline gboolean
reader_skip (Reader *reader, gsize n)
{
  while (n > reader->n - reader->at)
    {
      n -= reader->n - reader->at;
      if (! reader_refill (reader))
        return FALSE;
    }
  reader->at += n;
  return TRUE;
}

/* FALSE: the file ends. */
static inline gboolean
reader_take (Reader *reader, guint8 *bytes, gsize n)
{
  gint byte = 0;

  for (gsize i = 0; i < n && (byte = next_byte (reader)) >= 0; i++)
    bytes[i] = (guint8) byte;
  return byte >= 0;
}

/* What a walk has found.  `wrong`: a constant, in words that end a sentence about the file; NULL: nothing.  A file whose pixels are all there, but not
 * what should end it, is given to GEGL with that: up to `end`, and then `tail`, n bytes. */
typedef struct
{
  const gchar  *wrong;
  gint64        end;
  const guint8 *tail;           /* NULL: nothing is missing */
  gsize         n;
  gint64        exif, exif_bytes;       /* where the camera's notes stand, as a TIFF has them, and how many bytes they have; 0: there are none */
} Walked;

#define ENDS_EARLY "it ends too early"

#endif
