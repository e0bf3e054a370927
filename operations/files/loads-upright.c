/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a picture is to be turned to stand upright: see loads-upright.h.
 */
#include "loads-upright.h"

#include <string.h>

#define ORIENTATION 274
#define ROWS        64          /* at a time */

/* In memory, or in a file. */
typedef struct
{
  FILE         *file;
  const guint8 *bytes;          /* NULL: in the file */
  gsize         n;
  gboolean      is_big_endian;
} Notes;

static gboolean
take (const Notes *notes, guint64 at, guint n, guint8 *taken)
{
  if (at > notes->n || n > notes->n - at)
    return FALSE;
  if (! notes->bytes)
    return fseek (notes->file, (glong) at, SEEK_SET) == 0 && fread (taken, 1, n, notes->file) == n;
  memcpy (taken, notes->bytes + at, n);
  return TRUE;
}

/* 0 where they have ended. */
static guint64
number_at (const Notes *notes, guint64 at, guint n)
{
  guint8  bytes[8];
  guint64 number = 0;

  if (! take (notes, at, n, bytes))
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
  for (guint64 i = 0; i < n && directory + i * entry < notes->n; i++)
    if (number_at (notes, directory + i * entry, 2) == ORIENTATION)
      {
        const guint64 at = directory + i * entry + 4 + length;
        const guint   bytes = bytes_of (number_at (notes, directory + i * entry + 2, 2), length);

        found = number_at (notes, at, bytes);
        *place = (gint64) at + (notes->is_big_endian ? bytes - 1 : 0);
        break;
      }
  return found >= 1 && found <= 8 ? (gint) found : UPRIGHT;
}

gint
upright_noted (const guint8 *bytes, gsize n)
{
  Notes  notes = { .bytes = bytes, .n = n };
  gint64 place;

  return orientation_of (&notes, &place);
}

gint
upright_of_tiff (FILE *file, gint64 *place)
{
  Notes notes = { .file = file };

  if (fseek (file, 0, SEEK_END) == 0)
    notes.n = (gsize) ftell (file);
  return orientation_of (&notes, place);
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
