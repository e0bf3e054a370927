/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a picture is to be turned to stand upright: see loads-upright.h.
 */
#include "loads-upright.h"

#include <string.h>
#include <glib/gstdio.h>

#define ORIENTATION 274
#define UPRIGHT     1
#define MOST_CHUNKS 1000        /* of a WebP, before its notes */
#define ROWS        64          /* at a time */

/* Bytes of a file, from `at` on. */
typedef struct
{
  FILE    *file;
  gint64   at, n;
  gboolean is_big_endian;
} Notes;

/* 0 where they have ended. */
static guint64
number_at (const Notes *notes, guint64 at, guint n)
{
  guint8  bytes[8];
  guint64 number = 0;

  if (at > (guint64) notes->n || n > (guint64) notes->n - at || fseek (notes->file, (glong) (notes->at + (gint64) at), SEEK_SET) != 0
      || fread (bytes, 1, n, notes->file) != n)
    return 0;
  for (guint i = 0; i < n; i++)
    number = number << 8 | bytes[notes->is_big_endian ? i : n - 1 - i];
  return number;
}

/* Of a value of this type, in an entry with room for `length` of them. */
static guint
bytes_of (guint64 type, guint length)
{
  const guint n = type == 1 || type == 6 ? 1 : type == 4 || type == 9 ? 4 : type == 16 || type == 17 ? 8 : 2;

  return MIN (n, length);
}

/* From the first directory of a TIFF, or of one with offsets of 64 bits; and where its lowest byte stands, the only one
 * that is not 0. */
static gint
orientation_of (Notes *notes, gint64 *place)
{
  guint64  directory, n, found = UPRIGHT;
  gboolean is_long;
  guint    length, entry;

  notes->is_big_endian = number_at (notes, 0, 1) == 'M';
  is_long = number_at (notes, 2, 2) == 43;
  if (number_at (notes, 0, 1) != number_at (notes, 1, 1) || (! is_long && number_at (notes, 2, 2) != 42))
    return UPRIGHT;
  length = is_long ? 8 : 4;
  entry = is_long ? 20 : 12;
  directory = number_at (notes, is_long ? 8 : 4, length);
  n = MIN (number_at (notes, directory, is_long ? 8 : 2), G_MAXUINT16);
  directory += is_long ? 8 : 2;
  for (guint64 i = 0; i < n && directory + i * entry < (guint64) notes->n; i++)
    if (number_at (notes, directory + i * entry, 2) == ORIENTATION)
      {
        const guint64 at = directory + i * entry + 4 + length;
        const guint   bytes = bytes_of (number_at (notes, directory + i * entry + 2, 2), length);

        found = number_at (notes, at, bytes);
        *place = notes->at + (gint64) at + (notes->is_big_endian ? bytes - 1 : 0);
        break;
      }
  return found >= 1 && found <= 8 ? (gint) found : UPRIGHT;
}

/* Of a WebP: they are in a chunk, behind the pixels. */
static gboolean
find_in_webp (Notes *notes)
{
  guint64 at = 12;

  for (gint i = 0; i < MOST_CHUNKS && at + 8 <= (guint64) notes->n; i++)
    {
      const guint64 n = number_at (notes, at + 4, 4);

      notes->is_big_endian = TRUE;
      if (number_at (notes, at, 4) == 0x45584946)       /* EXIF */
        {
          notes->at = (gint64) at + 8;
          notes->n = MIN (notes->n - notes->at, (gint64) n);
          if (number_at (notes, 0, 6) == 0x457869660000)        /* as a JPEG has them, which some writers keep */
            {
              notes->at += 6;
              notes->n -= 6;
            }
          return TRUE;
        }
      notes->is_big_endian = FALSE;
      at += 8 + n + n % 2;
    }
  return FALSE;
}

gint
loads_orientation (const gchar *path, const Walked *walked, gint64 *place)
{
  Notes   notes = { .file = g_fopen (path, "rb"), .at = walked->exif, .n = walked->exif_bytes, .is_big_endian = TRUE };
  gint    orientation = UPRIGHT;
  guint64 first;
  gint64  at = -1;

  if (place)
    *place = -1;
  if (! notes.file)
    return UPRIGHT;
  if (notes.n == 0 && fseek (notes.file, 0, SEEK_END) == 0)
    notes.n = ftell (notes.file);
  first = number_at (&notes, 0, 4);
  notes.is_big_endian = FALSE;
  if (first != 0x52494646 || find_in_webp (&notes))     /* RIFF */
    orientation = orientation_of (&notes, &at);
  if (place && walked->exif_bytes == 0 && first != 0x52494646)
    *place = at;
  fclose (notes.file);
  return orientation;
}

/* ------------------------------------------------------------------- turning -- */

typedef struct
{
  gboolean is_mirrored, is_flipped;     /* along x, along y; before ... */
  gboolean is_swapped;                  /* ... x and y change places */
} Turn;

/* `in`: rows of the picture; `out`: those of the turned one that they become, in a rectangle of the same number of pixels. */
static void
turn_rows (const Turn *turn, const guint8 *in, gint width, gint height, gint bytes, guint8 *out)
{
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++)
      {
        const gsize u = (gsize) (turn->is_mirrored ? width - 1 - x : x), v = (gsize) (turn->is_flipped ? height - 1 - y : y);

        memcpy (out + (gsize) bytes * (turn->is_swapped ? u * (gsize) height + v : v * (gsize) width + u), in, (gsize) bytes);
        in += bytes;
      }
}

GeglBuffer *
loads_upright (GeglBuffer *buffer, gint orientation)
{
  const Turn          turn = { orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8,
                               orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7, orientation >= 5 };
  const GeglRectangle box = *gegl_buffer_get_extent (buffer);
  const Babl         *format = gegl_buffer_get_format (buffer);
  const gint          bytes = babl_format_get_bytes_per_pixel (format);
  const gint          width = turn.is_swapped ? box.height : box.width, height = turn.is_swapped ? box.width : box.height;
  GeglBuffer         *upright = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), format);
  g_autofree guint8  *in = g_malloc_n (2 * ROWS * (gsize) bytes, (gsize) box.width);
  guint8             *out = in + ROWS * (gsize) bytes * (gsize) box.width;

  for (gint y = 0; y < box.height; y += ROWS)
    {
      const gint          n = MIN (ROWS, box.height - y), from = turn.is_flipped ? box.height - y - n : y;
      const GeglRectangle rows = { box.x, box.y + y, box.width, n };
      const GeglRectangle place = turn.is_swapped ? (GeglRectangle) { from, 0, n, box.width } : (GeglRectangle) { 0, from, box.width, n };

      gegl_buffer_get (buffer, &rows, 1.0, format, in, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
      turn_rows (&turn, in, box.width, n, bytes, out);
      gegl_buffer_set (upright, &place, 0, format, out, GEGL_AUTO_ROWSTRIDE);
    }
  return upright;
}
