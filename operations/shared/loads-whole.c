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

/* FALSE: the file ends. */
static gboolean
take (Reader *reader, guint8 *bytes, gsize n)
{
  gint byte = 0;

  for (gsize i = 0; i < n && (byte = next_byte (reader)) >= 0; i++)
    bytes[i] = (guint8) byte;
  return byte >= 0;
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
      guint8 n[2];

      if (marker < 0)
        return FALSE;
      if (IS_ALONE (marker))
        continue;
      if (! take (reader, n, 2) || 256 * n[0] + n[1] < 2 || ! skip (reader, (gsize) (256 * n[0] + n[1] - 2)))
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

      if (! take (reader, head, sizeof head))
        return FALSE;
      for (guint i = 0; i < 4; i++)
        n = 256 * n + head[i];
      if (n > G_MAXINT32 || ! skip (reader, n + CHECKSUM))
        return FALSE;
    }
  while (memcmp (head + 4, "IEND", 4) != 0);
  return TRUE;
}

/* --------------------------------------------------------------- Radiance -- */

/* What there is room for of the next line.  FALSE: the file ends. */
static gboolean
take_line (Reader *reader, gchar *line, gsize room)
{
  gsize n = 0;
  gint  byte;

  while ((byte = next_byte (reader)) >= 0 && byte != '\n')
    if (n + 1 < room)
      line[n++] = (gchar) byte;
  line[n] = '\0';
  return byte >= 0;
}

/* One of the four components of a row: runs of a byte and dumps of some, exactly as many pixels as the row has. */
static gboolean
skip_component (Reader *reader, guint width)
{
  guint  length;
  guint8 n;

  for (; width > 0; width -= length)
    {
      if (! take (reader, &n, 1))
        return FALSE;
      length = n % 128 ? n % 128 : 128;
      if (length > width || ! skip (reader, n > 128 ? 1 : length))
        return FALSE;
    }
  return TRUE;
}

/* Pixels of four bytes; or behind 2, 2 and their number each of the four by itself.  A row that begins with 1, 1, 1 repeats a pixel, and there is none
 * before it; of a row of another number of pixels GEGL leaves the rest as memory had it, or makes no picture. */
static gboolean
skip_row (Reader *reader, guint width)
{
  guint8 head[4];

  if (! take (reader, head, 4) || (head[0] == 1 && head[1] == 1 && head[2] == 1))
    return FALSE;
  if (head[0] != 2 || head[1] != 2)
    return skip (reader, 4 * (gsize) width - 4);
  if (256u * head[2] + head[3] != width)
    return FALSE;
  for (gint component = 0; component < 4; component++)
    if (! skip_component (reader, width))
      return FALSE;
  return TRUE;
}

/* Behind an empty line stands the size.  Of other sizes GEGL makes no picture. */
static gboolean
is_whole_radiance (Reader *reader)
{
  gchar line[64];
  guint width, height;

  do
    if (! take_line (reader, line, sizeof line))
      return FALSE;
  while (line[0] != '\0');
  if (! take_line (reader, line, sizeof line) || sscanf (line, "%*1[+-]%*1[Yy] %u %*1[+-]%*1[Xx] %u", &height, &width) != 2 || width < 1)
    return FALSE;
  while (height > 0 && skip_row (reader, width))
    height--;
  return height == 0;
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

/* Of a file that is none of these. */
static gboolean
is_other_whole (const gchar *path, FILE *file, gint64 size)
{
  static const gchar *const refused[] = { ".jpg", ".jpeg", ".exr", ".gegl", NULL };
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
    case SIZED_GEGL:
      return sized_gegl (&sized);
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
  else if (reader->n >= 2 && memcmp (reader->bytes, "#?", 2) == 0)
    is = is_whole_radiance (reader);
  else
    is = is_other_whole (path, file, about.st_size);
  fclose (file);
  return is;
}
