/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * TIFF: where its pixels end, and whether what is packed with a checksum has it.  See loads-sized.h.
 *
 * Adobe, TIFF 6.0, 1992; TIFF Technical Note 2002 (deflate). */
#include "loads-sized.h"

#include <gio/gio.h>
#include <string.h>

#include "loads-reader.h"

#define PACKED   16384          /* bytes at a time */
#define UNPACKED 65536
#define SPARE    65536          /* bytes more than a piece needs, which writers may leave */
#define DAMAGED  "its pixels are damaged"

/* Of the tags that tell how many pieces there are, and how long one is. */
enum { WIDTH, HEIGHT, BITS, COMPRESSION, ORDER, SAMPLES, STRIP_ROWS, PLANAR, TILE_WIDTH, TILE_HEIGHT, N_TAGS };

static const guint16 tags[N_TAGS] = { 256, 257, 258, 259, 266, 277, 278, 284, 322, 323 };

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
  const guint64  tag = sized_number (sized, at, 2, big), type = sized_number (sized, at + 2, 2, big), n = sized_number (sized, at + 4, pieces->length, big);
  const gint     bytes = type == 3 ? 2 : type == 4 ? 4 : type == 16 ? 8 : 0, kind = tag == 273 || tag == 324 ? 0 : tag == 279 || tag == 325 ? 1 : -1;
  guint64        place;

  if (bytes == 0)
    return;
  at += 4 + pieces->length;
  place = n <= (guint64) (pieces->length / bytes) ? (guint64) at : sized_number (sized, at, pieces->length, big);
  for (gint i = 0; i < N_TAGS; i++)
    if (tag == tags[i] && sized_has (sized, place, (guint64) bytes))
      pieces->value[i] = MIN (sized_number (sized, (gint64) place, bytes, big), G_MAXUINT32);
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

  if (! sized_has (sized, at, (guint64) pieces->bytes[kind]))
    return FALSE;
  *value = sized_number (sized, (gint64) at, pieces->bytes[kind], pieces->is_big_endian);
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

/* Of one piece, unpacked: at most so many, where colours are not stored in less detail. */
static guint64
bytes_of_piece (const Pieces *pieces)
{
  const guint64 *value = pieces->value, width = value[TILE_WIDTH] > 0 ? value[TILE_WIDTH] : value[WIDTH];
  const guint64  rows = value[TILE_HEIGHT] > 0 ? value[TILE_HEIGHT] : MIN (value[STRIP_ROWS], value[HEIGHT]);
  const guint64  bits = MIN (value[BITS], 64) * (value[PLANAR] == 2 ? 1 : MIN (value[SAMPLES], G_MAXUINT16));

  return (gdouble) width * (gdouble) bits / 8 * (gdouble) rows < 9e18 ? (width * bits + 7) / 8 * rows : G_MAXINT64;
}

/* In some files the first bit of a byte is the lowest. */
static void
turn_bits (guint8 *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      guint byte = bytes[i];

      byte = (byte & 0xf0) >> 4 | (byte & 0x0f) << 4;
      byte = (byte & 0xcc) >> 2 | (byte & 0x33) << 2;
      bytes[i] = (guint8) ((byte & 0xaa) >> 1 | (byte & 0x55) << 1);
    }
}

/* Packed as in a PNG, with a checksum behind.  It is not looked at where rows are unpacked one by one, as GEGL does; nor
 * is what stands behind the bytes that the piece needs, `most`, where they are many more: few MB may become many GB. */
static gboolean
is_unpacked (const Sized *sized, const Pieces *pieces, guint64 at, guint64 n, guint64 most)
{
  g_autoptr (GZlibDecompressor) unpacker = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  GConverterResult result = G_CONVERTER_CONVERTED;
  guint8           packed[PACKED], unpacked[UNPACKED];
  gsize            left = 0, taken, made;
  guint64          all = 0;

  while (result == G_CONVERTER_CONVERTED && all <= most)
    {
      const gsize more = (gsize) MIN (n, sizeof packed - left);

      if (more > 0 && ! sized_read (sized, (gint64) at, more, packed + left))
        return FALSE;
      if (pieces->value[ORDER] == 2)
        turn_bits (packed + left, more);
      at += more;
      n -= more;
      left += more;
      result = g_converter_convert (G_CONVERTER (unpacker), packed, left, unpacked, sizeof unpacked, G_CONVERTER_NO_FLAGS, &taken, &made, NULL);
      if (result == G_CONVERTER_ERROR)
        return FALSE;
      left -= taken;
      all += made;
      memmove (packed, packed + taken, left);
    }
  return TRUE;
}

static gboolean
is_packed_so (const Pieces *pieces)
{
  return pieces->value[COMPRESSION] == 8 || pieces->value[COMPRESSION] == 32946;
}

/* What is wrong with them, or NULL.  A file that lists the same bytes again and again is not unpacked for ever. */
static const gchar *
judge_pieces (const Sized *sized, const Pieces *pieces)
{
  const guint64 n = MIN (pieces->n[0], count_pieces (pieces)), longest = longest_piece (sized, pieces, n);
  const guint64 most = bytes_of_piece (pieces) + SPARE;
  guint64       all = 0;

  for (guint64 i = 0; i < n; i++)
    {
      guint64 at, length;

      if (! read_value (sized, pieces, 0, i, &at) || ! read_value (sized, pieces, 1, i, &length)
          || ! sized_has (sized, at, MIN (length, longest)))
        return ENDS_EARLY;
      all += length;
      if (is_packed_so (pieces) && length > 0 && all <= 2 * (guint64) sized->size
          && ! is_unpacked (sized, pieces, at, length, most))
        return DAMAGED;
    }
  return NULL;
}

/* The first picture of the file, which is the one that GEGL takes. */
const gchar *
sized_tiff (const Sized *sized)
{
  const gboolean big = sized_number (sized, 0, 1, TRUE) == 'M', is_long = sized_number (sized, 2, 2, big) == 43;
  Pieces         pieces = { .is_big_endian = big, .length = is_long ? 8 : 4,
                            .value = { [BITS] = 1, [COMPRESSION] = 1, [SAMPLES] = 1, [STRIP_ROWS] = G_MAXUINT32, [PLANAR] = 1 } };
  const guint64  directory = sized_number (sized, is_long ? 8 : 4, pieces.length, big);
  const gint     head = is_long ? 8 : 2, entry = is_long ? 20 : 12;
  guint64        n;

  if (directory == 0 || ! sized_has (sized, directory, (guint64) head))
    return ENDS_EARLY;
  n = sized_number (sized, (gint64) directory, head, big);
  if (n > G_MAXUINT16 || ! sized_has (sized, directory, (guint64) head + n * (guint64) entry))
    return ENDS_EARLY;
  for (guint64 i = 0; i < n; i++)
    read_entry (sized, (gint64) (directory + (guint64) head + i * (guint64) entry), &pieces);
  return pieces.n[0] == pieces.n[1] ? judge_pieces (sized, &pieces) : NULL;
}
