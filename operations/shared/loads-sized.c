/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files whose head says where their pixels end: see loads-sized.h. */
#include "loads-sized.h"

#include <gegl.h>
#include <string.h>

#define LONGEST_NAME 256        /* bytes, of a word in a head */

/* FALSE: not all of it is there. */
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

/* 0 where the file has ended. */
static guint64
number_at (const Sized *sized, gint64 at, gint n, gboolean is_big_endian)
{
  guint8 bytes[8];

  return read_at (sized, at, (gsize) n, bytes) ? number_of (bytes, n, is_big_endian) : 0;
}

/* Are n bytes there? */
static gboolean
has (const Sized *sized, guint64 at, guint64 n)
{
  return at <= (guint64) sized->size && n <= (guint64) sized->size - at;
}

SizedKind
sized_kind (const Sized *sized)
{
  guint8 head[12] = { 0 };

  if (! read_at (sized, 0, (gsize) MIN (sized->size, (gint64) sizeof head), head))
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
  return has (sized, 8, number_at (sized, 4, 4, FALSE));
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
gboolean
sized_gegl (const Sized *sized)
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

/* ------------------------------------------------------------------- TIFF -- */

/* Of the tags that tell how many pieces there are, and how long one is. */
enum { WIDTH, HEIGHT, BITS, COMPRESSION, SAMPLES, STRIP_ROWS, PLANAR, TILE_WIDTH, TILE_HEIGHT, N_TAGS };

static const guint16 tags[N_TAGS] = { 256, 257, 258, 259, 277, 278, 284, 322, 323 };

/* How the numbers of a file are written, and where its pieces of pixels lie. */
typedef struct
{
  gboolean is_big_endian;
  gint     length;              /* bytes of an offset: 8 in a BigTIFF */
  guint64  value[N_TAGS];       /* the first, of samples that are alike */
  guint64  n[2];                /* of the offsets and of the lengths of the pieces */
  gint     bytes[2];            /* each has */
  guint64  at[2];               /* where they stand */
} Pieces;

/* An entry of the directory: its tag, the type and the number of its values, and these, or where they stand. */
static void
read_entry (const Sized *sized, gint64 at, Pieces *pieces)
{
  const gboolean big = pieces->is_big_endian;
  const guint64  tag = number_at (sized, at, 2, big), type = number_at (sized, at + 2, 2, big), n = number_at (sized, at + 4, pieces->length, big);
  const gint     bytes = type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 0, kind = tag == 273 || tag == 324 ? 0 : tag == 279 || tag == 325 ? 1 : -1;
  guint64        place;

  if (bytes == 0)
    return;
  at += 4 + pieces->length;
  place = n <= (guint64) (pieces->length / bytes) ? (guint64) at : number_at (sized, at, pieces->length, big);
  for (gint i = 0; i < N_TAGS; i++)
    if (tag == tags[i] && has (sized, place, (guint64) bytes))
      pieces->value[i] = MIN (number_at (sized, (gint64) place, bytes, big), G_MAXUINT32);
  if (kind < 0)
    return;
  pieces->n[kind] = n;
  pieces->bytes[kind] = bytes;
  pieces->at[kind] = place;
}

/* How many pieces the picture has: what else is listed nobody reads. */
static guint64
count_pieces (const Pieces *pieces)
{
  const guint64 *value = pieces->value, width = value[TILE_WIDTH], height = value[TILE_HEIGHT] > 0 ? value[TILE_HEIGHT] : MAX (value[STRIP_ROWS], 1);
  const guint64  across = width > 0 ? value[WIDTH] / width + (value[WIDTH] % width > 0) : 1;
  const guint64  down = value[HEIGHT] / height + (value[HEIGHT] % height > 0);

  return MIN (across, G_MAXUINT16) * MIN (down, G_MAXUINT32) * (value[PLANAR] == 2 ? MIN (value[SAMPLES], G_MAXUINT16) : 1);
}

/* The offset of a piece, or its length.  FALSE: it is not there. */
static gboolean
read_value (const Sized *sized, const Pieces *pieces, gint kind, guint64 i, guint64 *value)
{
  const guint64 at = pieces->at[kind] + i * (guint64) pieces->bytes[kind];

  if (! has (sized, at, (guint64) pieces->bytes[kind]))
    return FALSE;
  *value = number_at (sized, (gint64) at, pieces->bytes[kind], pieces->is_big_endian);
  return TRUE;
}

/* Where pixels are not compressed, and one strip is all or the first two of more differ in length, libtiff computes the lengths.  So long a strip is then at
 * most: colours may be stored in less detail. */
static guint64
longest_piece (const Sized *sized, const Pieces *pieces, guint64 n)
{
  const guint64 *value = pieces->value, row = value[WIDTH] * value[BITS] * value[SAMPLES];
  guint64        first, second;

  if (value[COMPRESSION] != 1 || value[TILE_WIDTH] > 0 || value[PLANAR] == 2)
    return G_MAXUINT64;
  if (n == 1 || (n > 2 && n * value[STRIP_ROWS] == value[HEIGHT] && read_value (sized, pieces, 1, 0, &first) && read_value (sized, pieces, 1, 1, &second)
                 && first != second && first > 0 && second > 0))
    return (row + 7) / 8 * (value[HEIGHT] / n);
  return G_MAXUINT64;
}

static gboolean
has_pieces (const Sized *sized, const Pieces *pieces)
{
  const guint64 n = MIN (pieces->n[0], count_pieces (pieces)), longest = longest_piece (sized, pieces, n);

  for (guint64 i = 0; i < n; i++)
    {
      guint64 at, length;

      if (! read_value (sized, pieces, 0, i, &at) || ! read_value (sized, pieces, 1, i, &length)
          || ! has (sized, at, MIN (length, longest)))
        return FALSE;
    }
  return TRUE;
}

/* The first picture of the file, which is the one that GEGL takes. */
gboolean
sized_tiff (const Sized *sized)
{
  const gboolean big = number_at (sized, 0, 1, TRUE) == 'M', is_long = number_at (sized, 2, 2, big) == 43;
  Pieces         pieces = { .is_big_endian = big, .length = is_long ? 8 : 4,
                            .value = { [BITS] = 1, [COMPRESSION] = 1, [SAMPLES] = 1, [STRIP_ROWS] = G_MAXUINT32, [PLANAR] = 1 } };
  const guint64  directory = number_at (sized, is_long ? 8 : 4, pieces.length, big);
  const gint     head = is_long ? 8 : 2, entry = is_long ? 20 : 12;
  guint64        n;

  if (directory == 0 || ! has (sized, directory, (guint64) head))
    return FALSE;
  n = number_at (sized, (gint64) directory, head, big);
  if (n > G_MAXUINT16 || ! has (sized, directory, (guint64) head + n * (guint64) entry))
    return FALSE;
  for (guint64 i = 0; i < n; i++)
    read_entry (sized, (gint64) (directory + (guint64) head + i * (guint64) entry), &pieces);
  return pieces.n[0] != pieces.n[1] || has_pieces (sized, &pieces);
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
  const guint8 *end = read_at (sized, at, n, word) ? memchr (word, '\0', n) : NULL;

  return end ? at + (end - word) + 1 : -1;
}

/* Where the table of pieces begins; -1: the file ends before. */
static gint64
behind_attributes (const Sized *sized)
{
  gint64 at = 8;

  while (at >= 0 && at < sized->size && number_at (sized, at, 1, FALSE) != 0)
    {
      at = behind_word (sized, at);             /* its name, ... */
      at = at < 0 ? -1 : behind_word (sized, at);       /* ... its type, ... */
      if (at >= 0)
        at += 4 + (gint64) number_at (sized, at, 4, FALSE);     /* ... how long it is, and itself */
    }
  return at < 0 || at >= sized->size ? -1 : at + 1;
}

/* The table ends where the first of the pieces begins.  It is written last: 0 is a piece that is missing. */
gboolean
sized_exr (const Sized *sized)
{
  const guint64 flags = number_at (sized, 4, 4, FALSE);
  const gint    head = flags & HAS_TILES ? 16 : 4;
  gint64        at = behind_attributes (sized), first = sized->size;

  if (at < 0)
    return FALSE;
  if (flags & HAS_OTHERS)
    return TRUE;
  for (; at < first; at += 8)
    {
      const guint64 piece = number_at (sized, at, 8, FALSE);

      if (piece <= (guint64) at || ! has (sized, piece, (guint64) head + 4)
          || ! has (sized, piece + (guint64) head + 4, number_at (sized, (gint64) piece + head, 4, FALSE)))
        return FALSE;
      first = MIN (first, (gint64) piece);
    }
  return TRUE;
}
