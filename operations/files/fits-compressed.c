/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rice's code as CFITSIO writes it: R. L. White et al., FITS standard 4.0, section 10.4.1. */
#include "fits-compressed.h"

#include <math.h>
#include <string.h>

#define MOST_COLUMNS 20
#define MOST_TILE    (1 << 26)  /* bytes of one, compressed */
#define MOST_BLOCK   32         /* pixels: the largest that the standard permits (table 37) */
#define MOST_GZIP    1032       /* bytes that come out of one */

typedef enum { METHOD_NONE, METHOD_RICE, METHOD_GZIP, METHOD_SHUFFLED } Method;

/* What the header says about the tiles. */
typedef struct
{
  Method method;
  gint   bits, axes;
  gint64 sizes[FITS_AXES], tile[FITS_AXES];
  gint64 rows, row_bytes, column, heap;         /* of the table: where the column begins in a row, and where the heap does in the file */
  gint   word;                                  /* bytes of a descriptor's number */
  gint   block, pixel;                          /* of Rice's code: pixels, bytes */
} Tiles;

gboolean
fits_is_compressed (const FitsCards *cards)
{
  return g_strcmp0 (fits_cards_text (cards, "XTENSION"), "BINTABLE") == 0 && g_strcmp0 (fits_cards_text (cards, "ZIMAGE"), "T") == 0;
}

/* A whole number from 1 on; 0: it is none.  `otherwise` where it is not there. */
static gint64
whole (const FitsCards *cards, const gchar *key, gint i, gdouble most, gint64 otherwise)
{
  gchar         name[16];
  gdouble       number;

  if (i > 0)
    g_snprintf (name, sizeof name, "%s%d", key, i);
  else
    g_strlcpy (name, key, sizeof name);
  if (! fits_cards_text (cards, name))
    return otherwise;
  number = fits_cards_number (cards, name);
  return number >= 1.0 && number <= most && number == floor (number) ? (gint64) number : 0;
}

static Method
method_of (const gchar *name)
{
  static const struct { const gchar *name; Method method; } names[] = {
    { "RICE_1", METHOD_RICE }, { "RICE_ONE", METHOD_RICE }, { "GZIP_1", METHOD_GZIP }, { "GZIP_2", METHOD_SHUFFLED } };

  for (guint i = 0; name && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (name, names[i].name))
      return names[i].method;
  return METHOD_NONE;
}

/* Bytes of a column of this format; 0: it is not known.  What is in the heap has a descriptor of two numbers. */
static gint64
bytes_of (const gchar *format, gint *word)
{
  const gint64 n = format && g_ascii_isdigit (*format) ? (gint64) g_ascii_strtoull (format, NULL, 10) : 1;
  const gchar  kind = format ? format[strspn (format, "0123456789")] : '\0';

  *word = kind == 'P' ? 4 : kind == 'Q' ? 8 : 0;
  if (n < 1 || n > 1000)
    return 0;
  switch (kind)
    {
    case 'P': case 'K': case 'D': return 8 * n;
    case 'Q': return 16 * n;
    case 'J': case 'E': return 4 * n;
    case 'I': return 2 * n;
    case 'B': case 'A': case 'L': return n;
    default: return 0;
    }
}

/* Where COMPRESSED_DATA is.  A table that stores some tiles in another way has more columns of data. */
static gboolean
find_column (const FitsCards *cards, Tiles *tiles)
{
  const gint64 columns = whole (cards, "TFIELDS", 0, MOST_COLUMNS, 0);
  gint64       at = 0;

  tiles->column = -1;
  for (gint i = 1; i <= columns; i++)
    {
      gchar        key[16];
      const gchar *type;
      gint64       bytes;
      gint         word;

      g_snprintf (key, sizeof key, "TFORM%d", i);
      bytes = bytes_of (fits_cards_text (cards, key), &word);
      g_snprintf (key, sizeof key, "TTYPE%d", i);
      type = fits_cards_text (cards, key);
      if (bytes == 0 || ! type)
        return FALSE;
      if (g_str_equal (type, "COMPRESSED_DATA") && word)
        {
          tiles->column = at;
          tiles->word = word;
        }
      else if (g_str_has_suffix (type, "COMPRESSED_DATA") || g_str_equal (type, "ZSCALE"))
        return FALSE;
      at += bytes;
    }
  return tiles->column >= 0 && at <= tiles->row_bytes;
}

static void
find_settings (const FitsCards *cards, Tiles *tiles)
{
  tiles->block = 32;
  tiles->pixel = 4;
  for (gint i = 1; i <= 4; i++)
    {
      gchar        key[16];
      const gchar *name;

      g_snprintf (key, sizeof key, "ZNAME%d", i);
      name = fits_cards_text (cards, key);
      if (g_strcmp0 (name, "BLOCKSIZE") == 0)
        tiles->block = (gint) whole (cards, "ZVAL", i, MOST_BLOCK, 0);
      else if (g_strcmp0 (name, "BYTEPIX") == 0)
        tiles->pixel = (gint) whole (cards, "ZVAL", i, 8, 0);
    }
}

static gboolean
read_tiles (const FitsCards *cards, Tiles *tiles)
{
  const gdouble depth = fits_cards_number (cards, "ZBITPIX"), heap = fits_cards_number (cards, "THEAP");
  gint64        n = 1;

  *tiles = (Tiles) { .method = method_of (fits_cards_text (cards, "ZCMPTYPE")), .axes = (gint) whole (cards, "ZNAXIS", 0, FITS_AXES, 0) };
  tiles->bits = depth == 8 || depth == 16 || depth == 32 ? (gint) depth : 0;
  if (tiles->axes < 2 || tiles->bits == 0 || cards->bits != 8 || cards->axes != 2)
    return FALSE;
  tiles->row_bytes = cards->sizes[0];
  tiles->rows = cards->sizes[1];
  tiles->heap = cards->data + (isnan (heap) ? tiles->row_bytes * tiles->rows : heap >= 0.0 && heap < 1e15 ? (gint64) heap : 0);
  for (gint i = 0; i < tiles->axes && n > 0; i++)
    {
      tiles->sizes[i] = whole (cards, "ZNAXIS", i + 1, FRAMES_MOST_PIXELS, 0);
      tiles->tile[i] = whole (cards, "ZTILE", i + 1, (gdouble) tiles->sizes[i], i == 0 ? tiles->sizes[i] : 1);
      n = tiles->sizes[i] < 1 || tiles->tile[i] < 1 || (i > 1 && tiles->tile[i] > 1) || n > G_MAXINT
          ? 0 : n * ((tiles->sizes[i] + tiles->tile[i] - 1) / tiles->tile[i]);
    }
  find_settings (cards, tiles);
  return n > 0 && n == tiles->rows && tiles->sizes[0] * tiles->sizes[1] <= FRAMES_MOST_PIXELS && tiles->block > 0
         && (tiles->pixel == 1 || tiles->pixel == 2 || tiles->pixel == 4) && find_column (cards, tiles);
}

/* Bits of a block of Rice's code that say how many follow for each pixel. */
static gint
block_bits (const Tiles *tiles)
{
  return tiles->pixel == 1 ? 3 : tiles->pixel == 2 ? 4 : 5;
}

/* Can so many bytes be the code of all pixels?  Else a small file could ask for any amount of memory. */
static gboolean
is_enough (const Tiles *tiles, gint64 bytes)
{
  gdouble pixels = 1.0;

  for (gint i = 0; i < tiles->axes; i++)
    pixels *= tiles->sizes[i];
  return bytes >= (tiles->method == METHOD_RICE ? pixels / tiles->block * block_bits (tiles) / 8.0 : pixels * (tiles->bits / 8) / MOST_GZIP);
}

gboolean
fits_compressed_check (const FitsCards *cards, const FramesFile *file, gint *bits, gint *axes, gint64 *sizes, GError **error)
{
  Tiles          tiles;
  const gboolean is_good = read_tiles (cards, &tiles);

  if (tiles.method == METHOD_NONE || tiles.bits == 0)
    return frames_refuse (file->path, "is compressed in a way that is not read (RICE and GZIP of whole numbers are); unpack it with funpack", error);
  if (! is_good)
    return frames_refuse (file->path, "has a compressed image of an impossible size, or of several columns; unpack it with funpack", error);
  if (tiles.rows > (file->size - cards->data) / tiles.row_bytes)
    return frames_refuse (file->path, "ends before the last of its pixels", error);
  if (! is_enough (&tiles, file->size - tiles.heap))
    return frames_refuse (file->path, "is too small for the compressed image that its header names", error);
  *bits = tiles.bits;
  *axes = tiles.axes;
  memcpy (sizes, tiles.sizes, sizeof tiles.sizes);
  return TRUE;
}

/* --------------------------------------------------------------- Rice's code -- */

typedef struct
{
  const guint8 *at, *end;
  guint64       bits;           /* the lowest `n` are next */
  gint          n;
  gboolean      is_over;        /* more was asked for than there is */
} Bits;

static guint32
take (Bits *bits, gint n)
{
  while (bits->n < n)
    {
      bits->is_over = bits->is_over || bits->at >= bits->end;
      bits->bits = bits->bits << 8 | (bits->at < bits->end ? *bits->at++ : 0);
      bits->n += 8;
    }
  bits->n -= n;
  return (guint32) (bits->bits >> bits->n & ((G_GUINT64_CONSTANT (1) << n) - 1));
}

static gboolean
read_rice (const Tiles *tiles, const guint8 *bytes, gsize length, gint64 n, gdouble *numbers)
{
  const gint depth = 8 * tiles->pixel, few = block_bits (tiles), most = tiles->pixel == 1 ? 6 : tiles->pixel == 2 ? 14 : 25;
  Bits       bits = { .at = bytes, .end = bytes + length };
  guint32    last = take (&bits, depth);

  for (gint64 i = 0; i < n && ! bits.is_over;)
    {
      const gint   low = (gint) take (&bits, few) - 1;
      const gint64 end = MIN (i + tiles->block, n);

      if (low > most)
        return FALSE;
      for (; i < end && ! bits.is_over; i++)
        {
          guint32 step = 0;

          if (low == most)
            step = take (&bits, depth);
          else if (low >= 0)
            {
              while (take (&bits, 1) == 0 && ! bits.is_over)
                step++;
              step = step << low | (low > 0 ? take (&bits, low) : 0);
            }
          last += step & 1 ? ~(step >> 1) : step >> 1;
          numbers[i] = tiles->pixel == 1 ? (guint8) last : tiles->pixel == 2 ? (gdouble) (gint16) last : (gdouble) (gint32) last;
        }
    }
  return ! bits.is_over;
}

/* --------------------------------------------------------------------- GZIP -- */

/* Exactly `n` bytes come out of it. */
static gboolean
inflate (const guint8 *bytes, gsize length, guint8 *out, gsize n)
{
  g_autoptr (GInputStream) memory = g_memory_input_stream_new_from_data (bytes, length, NULL);
  g_autoptr (GConverter)   gzip = G_CONVERTER (g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_GZIP));
  g_autoptr (GInputStream) stream = g_converter_input_stream_new (memory, gzip);
  gsize                    read = 0;

  return g_input_stream_read_all (stream, out, n, &read, NULL, NULL) && read == n;
}

/* Of shuffled numbers the highest bytes come first, then the next. */
static gboolean
read_gzip (const Tiles *tiles, const guint8 *bytes, gsize length, gint64 n, gdouble *numbers)
{
  const gint   size = tiles->bits / 8;
  g_autofree guint8 *out = g_malloc (n * size);
  gboolean     success = inflate (bytes, length, out, n * size);

  for (gint64 i = 0; i < n && success; i++)
    {
      guint32 value = 0;

      for (gint k = 0; k < size; k++)
        value = value << 8 | (tiles->method == METHOD_SHUFFLED ? out[k * n + i] : out[i * size + k]);
      numbers[i] = size == 1 ? value : size == 2 ? (gdouble) (gint16) value : (gdouble) (gint32) value;
    }
  return success;
}

/* -------------------------------------------------------------------- tiles -- */

/* The numbers of tile `row` of the table; `n` of them. */
static gboolean
read_tile (const Tiles *tiles, FramesFile *file, gint64 row, gint64 n, gdouble *numbers)
{
  guint8 descriptor[16];
  gint64 length, offset;
  g_autofree guint8 *bytes = NULL;

  if (! frames_file_read (file, row, 2 * tiles->word, descriptor, NULL))
    return FALSE;
  length = (gint64) fits_big_endian (descriptor, tiles->word);
  offset = (gint64) fits_big_endian (descriptor + tiles->word, tiles->word);
  if (length < 1 || length > MOST_TILE || offset < 0 || offset > file->size || tiles->heap + offset + length > file->size)
    return FALSE;
  bytes = g_malloc (length);
  return frames_file_read (file, tiles->heap + offset, length, bytes, NULL)
         && (tiles->method == METHOD_RICE ? read_rice : read_gzip) (tiles, bytes, length, n, numbers);
}

gboolean
fits_compressed_read (const FitsCards *cards, FramesFile *file, gint index, gdouble *numbers, GError **error)
{
  Tiles    tiles;
  g_autofree gdouble *tile = NULL;
  gint64   across, down;
  gboolean success = TRUE;

  if (! read_tiles (cards, &tiles))
    return frames_refuse (file->path, "has a compressed image of an impossible size", error);
  across = (tiles.sizes[0] + tiles.tile[0] - 1) / tiles.tile[0];
  down = (tiles.sizes[1] + tiles.tile[1] - 1) / tiles.tile[1];
  if (across > 1)                       /* else its rows lie as those of the image do */
    tile = g_new (gdouble, tiles.tile[0] * tiles.tile[1]);
  for (gint64 k = 0; k < across * down && success; k++)
    {
      const gint64 x = k % across * tiles.tile[0], y = k / across * tiles.tile[1];
      const gint64 width = MIN (tiles.tile[0], tiles.sizes[0] - x), height = MIN (tiles.tile[1], tiles.sizes[1] - y);
      const gint64 row = cards->data + (index * across * down + k) * tiles.row_bytes + tiles.column;

      success = read_tile (&tiles, file, row, width * height, tile ? tile : numbers + y * tiles.sizes[0]);
      for (gint64 i = 0; i < height && tile && success; i++)
        memcpy (numbers + (y + i) * tiles.sizes[0] + x, tile + i * width, width * sizeof *tile);
    }
  return success || frames_refuse (file->path, "has pixels that cannot be read: a tile is damaged", error);
}
