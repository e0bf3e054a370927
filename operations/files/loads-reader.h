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
} Reader;

static inline gboolean
reader_refill (Reader *reader)
{
  reader->n = fread (reader->bytes, 1, READER_BLOCK, reader->file);
  reader->at = 0;
  return reader->n > 0;
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

#endif
