/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A PNG, from its first chunk to its last: see loads-png.h.
 *
 * ISO/IEC 15948, 2004: 5 (chunks; D, the checksum), 8.2 (Adam7), 9 (filters), 10 (compression). */
#include "loads-png.h"

#include <gio/gio.h>
#include <string.h>

#define UNPACKED 65536          /* bytes at a time */
#define FILTERS  5
#define HEAD     13             /* bytes */
#define PASSES   7

#define CHECKSUM "a checksum is wrong"
#define DAMAGED  "its pixels are damaged"
#define NO_SENSE "its head makes no sense"

typedef struct
{
  Reader     *reader;
  guint32     checksum;         /* of the chunk so far, inverted */
  GConverter *unpacker;         /* NULL: there was no head yet */
  gboolean    is_unpacked, has_palette, needs_palette;
  gint        pass, n_passes;
  guint64     row_bytes[PASSES], rows[PASSES];  /* with the byte of the filter */
  guint64     row, at;          /* where the next unpacked byte stands */
  Walked      walked;
} Png;

/* ------------------------------------------------------------------ checksums -- */

static guint32 tables[8][256];  /* of one byte, and of one before 1 to 7 others */

static void
make_tables (void)
{
  static gsize is_made = 0;

  if (! g_once_init_enter (&is_made))
    return;
  for (guint i = 0; i < 256; i++)
    {
      guint32 value = i;

      for (gint bit = 0; bit < 8; bit++)
        value = value & 1 ? 0xedb88320 ^ value >> 1 : value >> 1;
      tables[0][i] = value;
    }
  for (guint i = 0; i < 256; i++)
    for (gint k = 1; k < 8; k++)
      tables[k][i] = tables[0][tables[k - 1][i] & 0xff] ^ tables[k - 1][i] >> 8;
  g_once_init_leave (&is_made, 1);
}

/* Eight bytes a step. */
static guint32
add_to_checksum (guint32 sum, const guint8 *bytes, gsize n)
{
  for (; n >= 8; n -= 8, bytes += 8)
    {
      const guint32 first = sum ^ (bytes[0] | (guint32) bytes[1] << 8 | (guint32) bytes[2] << 16 | (guint32) bytes[3] << 24);

      sum = tables[7][first & 0xff] ^ tables[6][first >> 8 & 0xff] ^ tables[5][first >> 16 & 0xff] ^ tables[4][first >> 24]
            ^ tables[3][bytes[4]] ^ tables[2][bytes[5]] ^ tables[1][bytes[6]] ^ tables[0][bytes[7]];
    }
  for (; n > 0; n--, bytes++)
    sum = tables[0][(sum ^ *bytes) & 0xff] ^ sum >> 8;
  return sum;
}

/* --------------------------------------------------------------------- pixels -- */

static guint32
number_of (const guint8 *bytes)
{
  return (guint32) bytes[0] << 24 | (guint32) bytes[1] << 16 | (guint32) bytes[2] << 8 | bytes[3];
}

static void
add_pass (Png *png, guint64 width, guint64 height, guint64 bits)
{
  if (width == 0 || height == 0)
    return;
  png->row_bytes[png->n_passes] = 1 + (width * bits + 7) / 8;
  png->rows[png->n_passes++] = height;
}

/* Its 13 bytes: width, height, bits of a sample, kind of colours, methods of compression and of filters, interlacing. */
static gboolean
read_head (Png *png, const guint8 *head)
{
  static const guint8 first_x[PASSES] = { 0, 4, 0, 2, 0, 1, 0 }, first_y[PASSES] = { 0, 0, 4, 0, 2, 0, 1 };
  static const guint8 step_x[PASSES] = { 8, 8, 4, 4, 2, 2, 1 }, step_y[PASSES] = { 8, 8, 8, 4, 4, 2, 2 };
  static const guint8 samples[] = { 1, 0, 3, 1, 2, 0, 4 };
  const guint64       width = number_of (head), height = number_of (head + 4);
  const guint         bits = head[8], kind = head[9];

  if (width < 1 || height < 1 || width > G_MAXINT32 || height > G_MAXINT32 || kind >= sizeof samples || samples[kind] == 0 || bits < 1 || bits > 16
      || (bits & (bits - 1)) || head[10] || head[11] || head[12] > 1)
    return FALSE;
  for (gint i = 0; i < PASSES && head[12]; i++)
    add_pass (png, (width + step_x[i] - 1 - first_x[i]) / step_x[i], (height + step_y[i] - 1 - first_y[i]) / step_y[i], samples[kind] * bits);
  if (! head[12])
    add_pass (png, width, height, samples[kind] * bits);
  png->needs_palette = kind == 3;
  png->unpacker = (GConverter *) g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  return TRUE;
}

/* FALSE: a filter that there is none of. */
static gboolean
pass_rows (Png *png, const guint8 *bytes, guint64 n)
{
  while (n > 0 && png->pass < png->n_passes)
    {
      const guint64 taken = MIN (n, png->row_bytes[png->pass] - png->at);

      if (png->at == 0 && bytes[0] >= FILTERS)
        return FALSE;
      bytes += taken;
      n -= taken;
      png->at += taken;
      if (png->at < png->row_bytes[png->pass])
        break;
      png->at = 0;
      if (++png->row == png->rows[png->pass])
        {
          png->row = 0;
          png->pass++;
        }
    }
  return TRUE;
}

static gboolean
is_complete (const Png *png)
{
  return png->unpacker && png->pass == png->n_passes;
}

/* What stands behind the end of the packed pixels does not count. */
static gboolean
unpack (Png *png, const guint8 *bytes, gsize n)
{
  guint8 unpacked[UNPACKED];
  gsize  made = 0;

  while ((n > 0 || made == sizeof unpacked) && ! png->is_unpacked)
    {
      g_autoptr (GError) error = NULL;
      GConverterResult   result;
      gsize              taken = 0;

      made = 0;

      result = g_converter_convert (png->unpacker, bytes, n, unpacked, sizeof unpacked, G_CONVERTER_NO_FLAGS, &taken, &made, &error);
      if (result == G_CONVERTER_ERROR)
        return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT);
      if (! pass_rows (png, unpacked, made))
        return FALSE;
      bytes += taken;
      n -= taken;
      png->is_unpacked = result == G_CONVERTER_FINISHED;
    }
  return TRUE;
}

/* --------------------------------------------------------------------- chunks -- */

/* Takes a part of the chunk.  NULL: the file ends. */
static const guint8 *
take_part (Png *png, gsize most, gsize *n)
{
  Reader       *reader = png->reader;
  const guint8 *part;

  if (reader->at == reader->n && ! reader_refill (reader))
    return NULL;
  *n = MIN (most, reader->n - reader->at);
  part = reader->bytes + reader->at;
  reader->at += *n;
  png->checksum = add_to_checksum (png->checksum, part, *n);
  return part;
}

/* The bytes of a chunk.  What is wrong with it, or NULL. */
static const gchar *
walk_content (Png *png, const guint8 *kind, gsize left)
{
  const gboolean is_head = memcmp (kind, "IHDR", 4) == 0, is_pixels = memcmp (kind, "IDAT", 4) == 0;
  gboolean       is_good = TRUE;
  guint8         head[HEAD] = { 0 };
  gsize          n;

  for (gsize done = 0; left > 0; left -= n, done += n)
    {
      const guint8 *part = take_part (png, left, &n);

      if (! part)
        return ENDS_EARLY;
      if (is_head)
        memcpy (head + done, part, n);
      if (is_pixels)
        is_good = is_good && unpack (png, part, n);
    }
  png->has_palette = png->has_palette || memcmp (kind, "PLTE", 4) == 0;
  if (is_head && ! read_head (png, head))
    return NO_SENSE;
  return is_good ? NULL : DAMAGED;
}

/* The head comes first, and once; a palette before the pixels. */
static gboolean
is_in_place (const Png *png, const guint8 *kind, gsize n)
{
  if (memcmp (kind, "IHDR", 4) == 0)
    return ! png->unpacker && n == HEAD;
  return png->unpacker && (memcmp (kind, "IDAT", 4) != 0 || ! png->needs_palette || png->has_palette);
}

static gboolean
is_name (const guint8 *kind)
{
  return g_ascii_isalpha (kind[0]) && g_ascii_isalpha (kind[1]) && g_ascii_isalpha (kind[2]) && g_ascii_isalpha (kind[3]);
}

/* Whose name begins with a small letter may be left out. */
static const gchar *
walk_chunk (Png *png, const guint8 *head)
{
  static const gchar *const known[] = { "IHDR", "PLTE", "IDAT", "IEND" };
  const guint8 *kind = head + 4;
  const guint32 n = number_of (head);
  const gchar  *why;
  guint8        sum[4];
  gboolean      is_known = g_ascii_islower (kind[0]), is_sum;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    is_known = is_known || memcmp (kind, known[i], 4) == 0;
  if (n > G_MAXINT32 || ! is_name (kind) || ! is_known)
    return DAMAGED;
  if (! is_in_place (png, kind, n))
    return NO_SENSE;
  if (memcmp (kind, "eXIf", 4) == 0)
    {
      png->walked.exif = reader_place (png->reader);
      png->walked.exif_bytes = n;
    }
  png->checksum = add_to_checksum (0xffffffff, kind, 4);
  why = walk_content (png, kind, n);
  if (g_strcmp0 (why, ENDS_EARLY) == 0 || ! reader_take (png->reader, sum, sizeof sum))
    return ENDS_EARLY;
  is_sum = number_of (sum) == ~png->checksum;
  return ! is_sum && g_ascii_isupper (kind[0]) ? CHECKSUM : why;
}

/* The pixels may be there though the file ends early. */
Walked
walk_png (Reader *reader)
{
  static const guint8 end[] = { 0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82 };
  Png    png = { .reader = reader };
  guint8 head[8];               /* how many bytes a chunk has, and what it is */

  make_tables ();
  reader_skip (reader, sizeof head);
  do
    {
      memset (head, 0, sizeof head);
      png.walked.end = reader_place (reader);
      png.walked.wrong = reader_take (reader, head, sizeof head) ? walk_chunk (&png, head) : ENDS_EARLY;
    }
  while (! png.walked.wrong && memcmp (head + 4, "IEND", 4) != 0);
  if (g_strcmp0 (png.walked.wrong, ENDS_EARLY) == 0 && memcmp (head + 4, "IDAT", 4) != 0 && png.is_unpacked && is_complete (&png))
    {
      png.walked.wrong = NULL;
      png.walked.tail = end;
      png.walked.n = sizeof end;
    }
  if (! png.walked.wrong && ! (is_complete (&png) && png.is_unpacked))
    png.walked.wrong = DAMAGED;
  g_clear_object (&png.unpacker);
  return png.walked;
}
