/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files whose head says where their pixels end: see loads-sized.h. */
#include "loads-sized.h"

#include <gegl.h>
#include <string.h>

#define LONGEST_NAME 256        /* bytes, of a word in a head */

gboolean
sized_read (const Sized *sized, gint64 at, gsize n, guint8 *bytes)
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

guint64
sized_number (const Sized *sized, gint64 at, gint n, gboolean is_big_endian)
{
  guint8 bytes[8];

  return sized_read (sized, at, (gsize) n, bytes) ? number_of (bytes, n, is_big_endian) : 0;
}

gboolean
sized_has (const Sized *sized, guint64 at, guint64 n)
{
  return at <= (guint64) sized->size && n <= (guint64) sized->size - at;
}

SizedKind
sized_kind (const Sized *sized)
{
  guint8 head[12] = { 0 };

  if (! sized_read (sized, 0, (gsize) MIN (sized->size, (gint64) sizeof head), head))
    return SIZED_NONE;
  if (memcmp (head, "\x76\x2f\x31\x01", 4) == 0)
    return SIZED_EXR;
  if (memcmp (head, "II*\0", 4) == 0 || memcmp (head, "MM\0*", 4) == 0 || memcmp (head, "II+\0", 4) == 0 || memcmp (head, "MM\0+", 4) == 0)
    return SIZED_TIFF;
  if (memcmp (head, "RIFF", 4) == 0 && memcmp (head + 8, "WEBP", 4) == 0)
    return SIZED_WEBP;
  if (head[0] == 'P' && head[1] != '\0' && strchr ("2356", head[1]) && g_ascii_isspace (head[2]))
    return SIZED_PNM;
  if (memcmp (head, "GEGL", 4) == 0)
    return SIZED_GEGL;
  return SIZED_NONE;
}

/* ------------------------------------------------------------------- WebP -- */

gboolean
sized_webp (const Sized *sized)
{
  return sized_has (sized, 8, sized_number (sized, 4, 4, FALSE));
}

/* A bit in its first chunk, which tells what else there is. */
gboolean
sized_webp_moves (const Sized *sized)
{
  guint8 head[9];

  return sized_read (sized, 12, sizeof head, head) && memcmp (head, "VP8X", 4) == 0 && (head[8] & 2);
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

  return sized_read (sized, BUFFER_NAME, sizeof name, name) && memchr (name, '\0', sizeof name) && babl_format_exists (text)
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
      if (n == most || at == before || ! sized_has (sized, at, sizeof block) || ! sized_read (sized, (gint64) at, sizeof block, block)
          || (number_of (block + 4, 4, big) == 1 && ! sized_has (sized, number_of (block + 16, 8, big), bytes)))
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
gboolean
sized_gegl (const Sized *sized)
{
  const gboolean big = G_BYTE_ORDER == G_BIG_ENDIAN;
  const guint64  across = sized_number (sized, 16, 4, big), down = sized_number (sized, 20, 4, big), pixel = sized_number (sized, 24, 2, big);
  guint64        most = BUFFER_OTHERS;

  if (! sized_has (sized, BUFFER_HEAD, 0) || ! is_format (sized, pixel) || across < 1 || down < 1 || across * down > G_MAXINT32 / pixel)
    return FALSE;
  most += 2 * count_tiles (sized_number (sized, 100, 4, big), across) * count_tiles (sized_number (sized, 104, 4, big), down);
  return has_blocks (sized, sized_number (sized, 8, 8, big), across * down * pixel, most);
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

gboolean
sized_pnm (const Sized *sized)
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

/* ---------------------------------------------------------------- OpenEXR -- */

#define HAS_TILES  0x200
#define HAS_OTHERS 0x1800       /* more than one part, or many samples in a pixel */

/* Behind the words of an attribute, each of which ends with 0; -1: the file ends. */
static gint64
behind_word (const Sized *sized, gint64 at)
{
  guint8        word[LONGEST_NAME];
  const gsize   n = (gsize) CLAMP (sized->size - at, 0, (gint64) sizeof word);
  const guint8 *end = sized_read (sized, at, n, word) ? memchr (word, '\0', n) : NULL;

  return end ? at + (end - word) + 1 : -1;
}

/* Where the table of pieces begins; -1: the file ends before. */
static gint64
behind_attributes (const Sized *sized)
{
  gint64 at = 8;

  while (at >= 0 && at < sized->size && sized_number (sized, at, 1, FALSE) != 0)
    {
      at = behind_word (sized, at);             /* its name, ... */
      at = at < 0 ? -1 : behind_word (sized, at);       /* ... its type, ... */
      if (at >= 0)
        at += 4 + (gint64) sized_number (sized, at, 4, FALSE);     /* ... how long it is, and itself */
    }
  return at < 0 || at >= sized->size ? -1 : at + 1;
}

/* The table ends where the first of the pieces begins.  It is written last: 0 is a piece that is missing. */
gboolean
sized_exr (const Sized *sized)
{
  const guint64 flags = sized_number (sized, 4, 4, FALSE);
  const gint    head = flags & HAS_TILES ? 16 : 4;
  gint64        at = behind_attributes (sized), first = sized->size;

  if (at < 0)
    return FALSE;
  if (flags & HAS_OTHERS)
    return TRUE;
  for (; at < first; at += 8)
    {
      const guint64 piece = sized_number (sized, at, 8, FALSE);

      if (piece <= (guint64) at || ! sized_has (sized, piece, (guint64) head + 4)
          || ! sized_has (sized, piece + (guint64) head + 4, sized_number (sized, (gint64) piece + head, 4, FALSE)))
        return FALSE;
      first = MIN (first, (gint64) piece);
    }
  return TRUE;
}
