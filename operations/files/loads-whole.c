/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files that end too early, or are damaged: see loads-whole.h. */
#include "loads-whole.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <glib/gstdio.h>

#include "loads-jpeg.h"
#include "loads-png.h"
#include "loads-sized.h"

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
      if (! reader_take (reader, &n, 1))
        return FALSE;
      length = n % 128 ? n % 128 : 128;
      if (length > width || ! reader_skip (reader, n > 128 ? 1 : length))
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

  if (! reader_take (reader, head, 4) || (head[0] == 1 && head[1] == 1 && head[2] == 1))
    return FALSE;
  if (head[0] != 2 || head[1] != 2)
    return reader_skip (reader, 4 * (gsize) width - 4);
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

/* ------------------------------------------------------------------- GIF -- */

/* Three bytes a colour, if the flags say that there is a table. */
static gboolean
skip_colors (Reader *reader, guint8 flags)
{
  return ! (flags & 0x80) || reader_skip (reader, 3 * ((gsize) 2 << (flags & 7)));
}

/* Each has its length before it; the last has none. */
static gboolean
skip_pieces (Reader *reader)
{
  guint8 length;

  do
    if (! reader_take (reader, &length, 1) || ! reader_skip (reader, length))
      return FALSE;
  while (length > 0);
  return TRUE;
}

/* Place, size and flags, a table of colours, how long the first code is, and the codes. */
static gboolean
skip_gif_picture (Reader *reader)
{
  guint8 head[9];

  return reader_take (reader, head, sizeof head) && skip_colors (reader, head[8]) && reader_skip (reader, 1) && skip_pieces (reader);
}

/* What is wrong with it, or NULL.  Only the byte behind the picture may be missing. */
static const gchar *
walk_gif (Reader *reader)
{
  guint8 head[13];
  gint   pictures = 0, byte;

  if (! reader_take (reader, head, sizeof head) || ! skip_colors (reader, head[10]))
    return ENDS_EARLY;
  while ((byte = next_byte (reader)) == '!' || byte == ',')
    {
      if (byte == ',' && pictures++ > 0)
        return "it is an animation, of several pictures";
      if (byte == ',' ? ! skip_gif_picture (reader) : ! (reader_skip (reader, 1) && skip_pieces (reader)))
        return ENDS_EARLY;
    }
  return pictures == 0 ? ENDS_EARLY : byte == ';' || byte < 0 ? NULL : "its pixels are damaged";
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

/* Of a file that is none of these.  What is wrong with it, or NULL. */
static const gchar *
walk_other (const gchar *path, FILE *file, gint64 size)
{
  static const gchar *const refused[] = { ".jpg", ".jpeg", ".exr", ".gegl", NULL };
  Sized                     sized = { file, size };
  gboolean                  is_whole;

  switch (sized_kind (&sized))
    {
    case SIZED_EXR:
      is_whole = sized_exr (&sized);
      break;
    case SIZED_TIFF:
      return sized_tiff (&sized);
    case SIZED_WEBP:
      if (sized_webp_moves (&sized))
        return "it is an animation, of several pictures";
      is_whole = sized_webp (&sized);
      break;
    case SIZED_PNM:
      is_whole = sized_pnm (&sized);
      break;
    case SIZED_GEGL:
      is_whole = sized_gegl (&sized);
      break;
    default:
      return is_called (path, refused) ? "it is not what its name says" : NULL;
    }
  return is_whole ? NULL : ENDS_EARLY;
}

Walked
loads_walk (const gchar *path)
{
  static const guint8 jpeg[] = { 0xff, 0xd8, 0xff }, png[] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  g_autofree Reader *reader = NULL;
  GStatBuf           about;
  FILE              *file = g_stat (path, &about) == 0 && S_ISREG (about.st_mode) ? g_fopen (path, "rb") : NULL;
  Walked             walked = { .wrong = NULL };

  if (! file)
    return (Walked) { .wrong = "it is no file, or cannot be opened" };
  reader = g_new (Reader, 1);
  *reader = (Reader) { .file = file };
  reader_refill (reader);
  if (reader->n >= sizeof jpeg && memcmp (reader->bytes, jpeg, sizeof jpeg) == 0)
    walked = walk_jpeg (reader);
  else if (reader->n >= sizeof png && memcmp (reader->bytes, png, sizeof png) == 0)
    walked = walk_png (reader);
  else if (reader->n >= 2 && memcmp (reader->bytes, "#?", 2) == 0)
    walked.wrong = is_whole_radiance (reader) ? NULL : "it ends too early, or a row is not as wide as it is";
  else if (reader->n >= 6 && (memcmp (reader->bytes, "GIF87a", 6) == 0 || memcmp (reader->bytes, "GIF89a", 6) == 0))
    walked.wrong = walk_gif (reader);
  else
    walked.wrong = walk_other (path, file, about.st_size);
  fclose (file);
  return walked;
}
