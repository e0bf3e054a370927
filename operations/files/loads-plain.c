/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Kinds of files that no library judges: see loads-plain.h. */
#include "loads-plain.h"

#include <string.h>

#include "loads-judge.h"
#include "loads-reader.h"

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
        return MOVES;
      if (byte == ',' ? ! skip_gif_picture (reader) : ! (reader_skip (reader, 1) && skip_pieces (reader)))
        return ENDS_EARLY;
    }
  return pictures == 0 ? ENDS_EARLY : byte == ';' || byte < 0 ? NULL : DAMAGED;
}

/* ------------------------------------------------------------------- sized -- */

/* A file whose head says where its pixels end.  What a head says that is not understood is GEGL's to judge. */
typedef struct
{
  FILE  *file;
  gint64 size;
} Sized;

/* FALSE: not all n bytes are there. */
static gboolean
read_at (const Sized *sized, gint64 at, gsize n, guint8 *bytes)
{
  return at >= 0 && at <= sized->size && (gint64) n <= sized->size - at && fseek (sized->file, (glong) at, SEEK_SET) == 0
         && fread (bytes, 1, n, sized->file) == n;
}

static guint64
number_of (const guint8 *bytes, gint n, gboolean is_big_endian)
{
  guint64 number = 0;

  for (gint i = 0; i < n; i++)
    number = number << 8 | bytes[is_big_endian ? i : n - 1 - i];
  return number;
}

static guint64
number_at (const Sized *sized, gint64 at, gint n, gboolean is_big_endian)
{
  guint8 bytes[8];

  return read_at (sized, at, (gsize) n, bytes) ? number_of (bytes, n, is_big_endian) : 0;
}

static gboolean
has (const Sized *sized, guint64 at, guint64 n)
{
  return at <= (guint64) sized->size && n <= (guint64) sized->size - at;
}

/* ------------------------------------------------------------ GEGL's buffer -- */

#define BUFFER_HEAD 256
#define BUFFER_NAME 26          /* where the format's name stands, and the bytes that it and more have */
#define BUFFER_TEXT 64
#define BUFFER_OTHERS 1024      /* blocks beside those of the picture's tiles and their smaller copies */
#define BUFFER_TILE 40          /* bytes of a block that tells of one: its length, 1, where the next block is, and where the pixels are */

/* GEGL asks babl for the format, which ends the process where there is none. */
static gboolean
is_format (const Sized *sized, guint64 pixel)
{
  guint8       name[BUFFER_TEXT];
  const gchar *text = (const gchar *) name;

  return read_at (sized, BUFFER_NAME, sizeof name, name) && memchr (name, '\0', sizeof name) && babl_format_exists (text)
         && (guint64) babl_format_get_bytes_per_pixel (babl_format (text)) == pixel;
}

/* The blocks from `at` on, and the pixels of their tiles.  A list that comes back to a block that it had has no end: every block is compared with the
 * last whose number is a power of two (Brent). */
static gboolean
has_blocks (const Sized *sized, guint64 at, guint64 bytes, guint64 most)
{
  const gboolean big = G_BYTE_ORDER == G_BIG_ENDIAN;
  guint64        before = 0;
  guint8         block[BUFFER_TILE];

  for (guint64 n = 0; at > 0; n++)
    {
      if (n == most || at == before || ! has (sized, at, sizeof block) || ! read_at (sized, (gint64) at, sizeof block, block)
          || (number_of (block + 4, 4, big) == 1 && ! has (sized, number_of (block + 16, 8, big), bytes)))
        return FALSE;
      if ((n & (n - 1)) == 0)
        before = at;
      at = number_of (block + 8, 8, big);
    }
  return TRUE;
}

/* In one direction, wherever the first one begins. */
static guint64
count_tiles (guint64 pixels, guint64 tile)
{
  return MIN (pixels / tile, G_MAXINT32) + 2;
}

/* Its numbers are written as they lie in memory. */
static gboolean
is_whole_buffer (const Sized *sized)
{
  const gboolean big = G_BYTE_ORDER == G_BIG_ENDIAN;
  const guint64  across = number_at (sized, 16, 4, big), down = number_at (sized, 20, 4, big), pixel = number_at (sized, 24, 2, big);
  guint64        most = BUFFER_OTHERS;

  if (! has (sized, BUFFER_HEAD, 0) || ! is_format (sized, pixel) || across < 1 || down < 1 || across * down > G_MAXINT32 / pixel)
    return FALSE;
  most += 2 * count_tiles (number_at (sized, 100, 4, big), across) * count_tiles (number_at (sized, 104, 4, big), down);
  return has_blocks (sized, number_at (sized, 8, 8, big), across * down * pixel, most);
}

/* --------------------------------------------------------------- PGM, PPM -- */

/* The next number of a head or of pixels written as text, behind blanks and comments.  -1: there is none. */
static gint64
next_number (FILE *file)
{
  gint64 number = -1;
  gint   byte = fgetc (file);

  while (g_ascii_isspace (byte) || byte == '#')
    {
      if (byte == '#')
        while (byte != '\n' && byte != EOF)
          byte = fgetc (file);
      byte = fgetc (file);
    }
  for (; byte >= '0' && byte <= '9' && number < G_MAXINT32; byte = fgetc (file))
    number = 10 * MAX (number, 0) + (byte - '0');
  return number;                        /* and the byte behind it has been read */
}

static gboolean
is_whole_pnm (const Sized *sized)
{
  gint64  width, height, largest;
  guint64 n;                    /* up to 3 2^62 */
  gint    kind;

  if (fseek (sized->file, 1, SEEK_SET) != 0)
    return FALSE;
  kind = fgetc (sized->file);
  width = next_number (sized->file);
  height = next_number (sized->file);
  largest = next_number (sized->file);
  if (feof (sized->file))
    return FALSE;
  if (width < 1 || height < 1 || largest < 1 || width > G_MAXINT32 || height > G_MAXINT32)
    return TRUE;
  n = (guint64) width * (guint64) height * (kind == '3' || kind == '6' ? 3 : 1);
  if (kind == '5' || kind == '6')
    return n <= (guint64) (sized->size - ftell (sized->file)) / (largest > 255 ? 2 : 1);
  while (n > 0 && next_number (sized->file) >= 0)
    n--;
  return n == 0;
}

/* -------------------------------------------------------------------- any -- */

static gboolean
is_pnm (const guint8 *head)
{
  return head[0] == 'P' && head[1] != '\0' && strchr ("2356", head[1]) && g_ascii_isspace (head[2]);
}

/* The ones that are read from their first byte on. */
static gboolean
judge_stream (FILE *file, const guint8 *head, const gchar **wrong)
{
  g_autofree Reader *reader = NULL;

  if (memcmp (head, "#?", 2) != 0 && memcmp (head, "GIF87a", 6) != 0 && memcmp (head, "GIF89a", 6) != 0)
    return FALSE;
  reader = g_new (Reader, 1);
  *reader = (Reader) { .file = file };
  if (head[0] == '#')
    *wrong = is_whole_radiance (reader) ? NULL : "it ends too early, or a row is not as wide as it is";
  else
    *wrong = walk_gif (reader);
  return TRUE;
}

gboolean
plain_judge (FILE *file, gint64 size, const guint8 head[PLAIN_HEAD], const gchar **wrong)
{
  const Sized sized = { file, size };

  if (judge_stream (file, head, wrong))
    return TRUE;
  if (is_pnm (head))
    *wrong = is_whole_pnm (&sized) ? NULL : ENDS_EARLY;
  else if (memcmp (head, "GEGL", 4) == 0)
    *wrong = is_whole_buffer (&sized) ? NULL : ENDS_EARLY;
  else
    return FALSE;
  return TRUE;
}
