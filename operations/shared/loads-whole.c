/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early: see loads-whole.h. */
#include "loads-whole.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <glib/gstdio.h>

#include "loads-sized.h"

#define BLOCK 65536

typedef struct
{
  FILE  *file;
  guint8 bytes[BLOCK];
  gsize  n, at;
} Reader;

static gboolean
refill (Reader *reader)
{
  reader->n = fread (reader->bytes, 1, BLOCK, reader->file);
  reader->at = 0;
  return reader->n > 0;
}

/* -1: the file ends. */
static gint
next_byte (Reader *reader)
{
  return reader->at < reader->n || refill (reader) ? reader->bytes[reader->at++] : -1;
}

/* FALSE: the file ends. */
static gboolean
skip (Reader *reader, gsize n)
{
  while (n > reader->n - reader->at)
    {
      n -= reader->n - reader->at;
      if (! refill (reader))
        return FALSE;
    }
  reader->at += n;
  return TRUE;
}

/* ------------------------------------------------------------------- JPEG -- */

#define IS_ALONE(m) ((m) == 0x01 || ((m) >= 0xd0 && (m) <= 0xd8))       /* without a segment: TEM, RST0..7, SOI */

/* The next marker, behind whatever stands before it: coded pixels, where 0xff is followed by 0, or bytes that fill.  -1: the file ends. */
static gint
next_marker (Reader *reader)
{
  const guint8 *found;
  gint          byte;

  do
    {
      while (! (found = memchr (reader->bytes + reader->at, 0xff, reader->n - reader->at)))
        if (! refill (reader))
          return -1;
      reader->at = (gsize) (found - reader->bytes) + 1;
      do
        byte = next_byte (reader);
      while (byte == 0xff);
    }
  while (byte == 0);
  return byte;
}

/* From its first marker to its last. */
static gboolean
is_whole_jpeg (Reader *reader)
{
  gboolean has_pixels = FALSE;
  gint     marker;

  while ((marker = next_marker (reader)) != 0xd9)
    {
      gint high, low;

      if (marker < 0)
        return FALSE;
      if (IS_ALONE (marker))
        continue;
      high = next_byte (reader);
      low = next_byte (reader);
      if (high < 0 || low < 0 || 256 * high + low < 2 || ! skip (reader, (gsize) (256 * high + low - 2)))
        return FALSE;
      has_pixels = has_pixels || marker == 0xda;
    }
  return has_pixels;
}

/* -------------------------------------------------------------------- PNG -- */

#define CHECKSUM 4

static gboolean
is_whole_png (Reader *reader)
{
  guint8 head[8];               /* of a chunk: how many bytes it has, and what it is */

  if (! skip (reader, sizeof head))
    return FALSE;
  do
    {
      gsize n = 0;

      for (guint i = 0; i < sizeof head; i++)
        {
          const gint byte = next_byte (reader);

          if (byte < 0)
            return FALSE;
          head[i] = (guint8) byte;
        }
      for (guint i = 0; i < 4; i++)
        n = 256 * n + head[i];
      if (n > G_MAXINT32 || ! skip (reader, n + CHECKSUM))
        return FALSE;
    }
  while (memcmp (head + 4, "IEND", 4) != 0);
  return TRUE;
}

/* -------------------------------------------------------------------- any -- */

static gboolean
is_called (const gchar *path, const gchar *const *endings)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);
  gboolean          is = FALSE;

  for (; *endings; endings++)
    is = is || g_str_has_suffix (lower, *endings);
  return is;
}

/* Of a file that is neither JPEG nor PNG. */
static gboolean
is_other_whole (const gchar *path, FILE *file, gint64 size)
{
  static const gchar *const refused[] = { ".jpg", ".jpeg", ".exr", NULL };
  Sized                     sized = { file, size };

  switch (sized_kind (&sized))
    {
    case SIZED_EXR:
      return sized_exr (&sized);
    case SIZED_TIFF:
      return sized_tiff (&sized);
    case SIZED_WEBP:
      return sized_webp (&sized);
    case SIZED_PNM:
      return sized_pnm (&sized);
    default:
      return ! is_called (path, refused);
    }
}

gboolean
loads_whole (const gchar *path)
{
  static const guint8 jpeg[] = { 0xff, 0xd8, 0xff }, png[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  g_autofree Reader *reader = NULL;
  GStatBuf           about;
  FILE              *file = g_stat (path, &about) == 0 && S_ISREG (about.st_mode) ? g_fopen (path, "rb") : NULL;
  gboolean is;

  if (! file)
    return FALSE;
  reader = g_new (Reader, 1);
  reader->file = file;
  refill (reader);
  if (reader->n >= sizeof jpeg && memcmp (reader->bytes, jpeg, sizeof jpeg) == 0)
    is = is_whole_jpeg (reader);
  else if (reader->n >= sizeof png && memcmp (reader->bytes, png, sizeof png) == 0)
    is = is_whole_png (reader);
  else
    is = is_other_whole (path, file, about.st_size);
  fclose (file);
  return is;
}
