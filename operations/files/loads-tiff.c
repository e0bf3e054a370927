/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A TIFF, by libtiff: can all pieces of its first picture, which is the one that GEGL takes, be unpacked?  Whole
 * ones: where rows are unpacked one by one, as GEGL does, the checksum of a piece is never met.  Nor does libtiff
 * meet it where damaged bytes unpack to more than the piece needs, as a third of them do (4.5): what is packed as in a
 * PNG zlib unpacks.  What libtiff warns of meanwhile GEGL's loader tells: loads.h. */
#include "loads-judge.h"

#include <gio/gio.h>
#include <tiffio.h>

#define MOST_PIECE (1 << 30)    /* bytes: few MB may become many GB */
#define UNPACKED   65536        /* bytes at a time */
#define SPARE      65536        /* bytes more than a piece needs, which writers may leave */

/* The pieces of a picture. */
typedef struct
{
  TIFF    *tiff;
  gboolean is_tiled;
  guint32  n;
  tmsize_t size;                /* of one, unpacked */
  guint64  file_size;
} Pieces;

/* The last error is the one that ended it. */
static gint
hear_error (TIFF *tiff G_GNUC_UNUSED, gpointer data, const gchar *module G_GNUC_UNUSED, const gchar *words,
            va_list values)
{
  gchar           **wrong = data;
  g_autofree gchar *told = g_strdup_vprintf (words, values);

  g_free (*wrong);
  *wrong = g_strconcat ("libtiff says ", told, NULL);
  return 1;
}

static gint
pass_warning (TIFF *tiff G_GNUC_UNUSED, gpointer data G_GNUC_UNUSED, const gchar *module G_GNUC_UNUSED,
              const gchar *words G_GNUC_UNUSED, va_list values G_GNUC_UNUSED)
{
  return 1;
}

/* What stands behind the bytes that the piece needs does not count, if they are many more. */
static gboolean
is_sound (const guint8 *packed, gsize n, guint64 needed)
{
  g_autoptr (GZlibDecompressor) unpacker = g_zlib_decompressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB);
  GConverterResult result = G_CONVERTER_CONVERTED;
  guint8           unpacked[UNPACKED];
  gsize            taken, made;

  for (guint64 all = 0; result == G_CONVERTER_CONVERTED && all <= needed + SPARE; all += made)
    {
      result = g_converter_convert (G_CONVERTER (unpacker), packed, n, unpacked, sizeof unpacked, G_CONVERTER_NO_FLAGS,
                                    &taken, &made, NULL);
      if (result == G_CONVERTER_ERROR)
        return FALSE;
      packed += taken;
      n -= taken;
    }
  return TRUE;
}

static gboolean
unpack_by_zlib (const Pieces *pieces, guint32 i, guint64 n)
{
  g_autofree guint8 *packed = n <= pieces->file_size ? g_try_malloc (n) : NULL;
  guint16            order = FILLORDER_MSB2LSB;

  if (! packed || (pieces->is_tiled ? TIFFReadRawTile (pieces->tiff, i, packed, (tmsize_t) n)
                                    : TIFFReadRawStrip (pieces->tiff, i, packed, (tmsize_t) n)) < 0)
    return FALSE;
  TIFFGetFieldDefaulted (pieces->tiff, TIFFTAG_FILLORDER, &order);
  if (order == FILLORDER_LSB2MSB)
    TIFFReverseBits (packed, (tmsize_t) n);
  return is_sound (packed, n, (guint64) pieces->size);
}

static gboolean
unpack (const Pieces *pieces, guint32 i, gpointer unpacked)
{
  return (pieces->is_tiled ? TIFFReadEncodedTile (pieces->tiff, i, unpacked, pieces->size)
                           : TIFFReadEncodedStrip (pieces->tiff, i, unpacked, pieces->size)) >= 0;
}

/* FALSE: one cannot be.  A file that lists the same bytes again and again is not unpacked for ever. */
static gboolean
unpack_all (const Pieces *pieces)
{
  guint64          left = 2 * pieces->file_size;
  guint16          packing = COMPRESSION_NONE;
  const gboolean   has_room = pieces->size > 0 && pieces->size <= MOST_PIECE;
  g_autofree void *unpacked = has_room ? g_try_malloc ((gsize) pieces->size) : NULL;

  TIFFGetFieldDefaulted (pieces->tiff, TIFFTAG_COMPRESSION, &packing);
  for (guint32 i = 0; i < pieces->n && unpacked; i++)
    {
      const guint64  n = TIFFGetStrileByteCount (pieces->tiff, i);
      const gboolean is_by_zlib = n > 0 && (packing == COMPRESSION_ADOBE_DEFLATE || packing == COMPRESSION_DEFLATE);

      if (! (is_by_zlib ? unpack_by_zlib (pieces, i, n) : unpack (pieces, i, unpacked)))
        return FALSE;
      if (n > left)
        break;
      left -= n;
    }
  return TRUE;
}

static Pieces
pieces_of (TIFF *tiff)
{
  const gboolean is_tiled = TIFFIsTiled (tiff);

  return (Pieces) { tiff, is_tiled, is_tiled ? TIFFNumberOfTiles (tiff) : TIFFNumberOfStrips (tiff),
                    is_tiled ? TIFFTileSize (tiff) : TIFFStripSize (tiff),
                    TIFFGetSizeProc (tiff) (TIFFClientdata (tiff)) };
}

gchar *
judge_tiff (const gchar *path)
{
  TIFFOpenOptions *options = TIFFOpenOptionsAlloc ();
  gchar           *wrong = NULL;
  gboolean         is_whole = FALSE;
  TIFF            *tiff;

  TIFFOpenOptionsSetErrorHandlerExtR (options, hear_error, &wrong);
  TIFFOpenOptionsSetWarningHandlerExtR (options, pass_warning, NULL);
  tiff = TIFFOpenExt (path, "rm", options);             /* not mapped: somebody may cut it */
  TIFFOpenOptionsFree (options);
  if (tiff)
    {
      const Pieces pieces = pieces_of (tiff);

      is_whole = unpack_all (&pieces);
      TIFFClose (tiff);
    }
  if (is_whole)
    g_clear_pointer (&wrong, g_free);
  else if (! wrong)
    wrong = g_strdup (DAMAGED);
  return wrong;
}
