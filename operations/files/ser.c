/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "ser.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "frames-file.h"

#define HEADER      178
#define MAGIC       "LUCAM-RECORDER"
#define SAMPLE      65536               /* bytes in which the order of bytes is looked for */
#define CLEARLY     0.8                 /* the better order has at most this part of the other's differences */
#define UNIX_TICKS  621355968000000000  /* 1970 in steps of 100 ns from the year 1 */

/* What the header has for the colours. */
enum { MONO = 0, FIRST_MOSAIC = 8, RGB = 100, BGR = 101 };

/* NULL: it is no mosaic of Bayer's. */
static const gchar *
pattern_of (guint32 colour)
{
  static const gchar *const patterns[] = { "RGGB", "GRBG", "GBRG", "BGGR" };

  return colour - FIRST_MOSAIC < G_N_ELEMENTS (patterns) ? patterns[colour - FIRST_MOSAIC] : NULL;
}

static guint32
number_at (const guint8 *bytes)
{
  return bytes[0] | (guint32) bytes[1] << 8 | (guint32) bytes[2] << 16 | (guint32) bytes[3] << 24;
}

static gint
value_at (const guint8 *bytes, gboolean is_big_endian)
{
  return is_big_endian ? bytes[0] << 8 | bytes[1] : bytes[1] << 8 | bytes[0];
}

/* Neighbours of one colour differ little in the right order; a value above the highest is none. */
static gdouble
roughness (const guint8 *bytes, gsize n, const SerHeader *header, gboolean is_big_endian)
{
  const gint highest = (1 << header->bits) - 1, step = *header->pattern ? 2 : header->colours;
  gdouble    sum = 0.0;

  for (gsize i = step; i < n; i++)
    {
      const gint value = value_at (bytes + 2 * i, is_big_endian);

      if (value > highest)
        return INFINITY;
      sum += abs (value - value_at (bytes + 2 * (i - step), is_big_endian));
    }
  return sum;
}

static gboolean
find_order (FramesFile *film, SerHeader *header, gboolean is_said_big, GError **error)
{
  const gsize bytes = MIN (header->bytes, SAMPLE) & ~1;
  g_autofree guint8 *sample = NULL;
  gdouble     little, big;

  header->is_big_endian = is_said_big;
  if (header->bits <= 8)
    return TRUE;
  sample = g_malloc (bytes);
  if (! frames_file_read (film, HEADER + (header->bytes - (gint64) bytes) / 4 * 2, bytes, sample, error))
    return FALSE;
  little = roughness (sample, bytes / 2, header, FALSE);
  big = roughness (sample, bytes / 2, header, TRUE);
  if (big < CLEARLY * little || little < CLEARLY * big)
    header->is_big_endian = big < little;
  return TRUE;
}

static gboolean
read_header (FramesFile *film, SerHeader *header, GError **error)
{
  guint8  bytes[HEADER];
  guint32 colour, width, height, bits, promised;
  const gchar *pattern;

  *header = (SerHeader) { 0 };
  if (film->size < HEADER || ! frames_file_read (film, 0, HEADER, bytes, NULL) || memcmp (bytes, MAGIC, strlen (MAGIC)) != 0)
    return frames_refuse (film->path, "is no SER film", error);
  colour = number_at (bytes + 18);
  width = number_at (bytes + 26);
  height = number_at (bytes + 30);
  bits = number_at (bytes + 34);
  promised = number_at (bytes + 38);
  pattern = pattern_of (colour);
  if (colour >= 16 && colour <= 19)
    return frames_refuse (film->path, "has a mosaic of cyan, magenta and yellow; make colours or grey of it first", error);
  if (colour != MONO && colour != RGB && colour != BGR && ! pattern)
    return frames_refuse (film->path, "has colours of an unknown kind", error);
  if (width < 1 || height < 1 || width > FRAMES_MOST_PIXELS || height > FRAMES_MOST_PIXELS || (guint64) width * height > FRAMES_MOST_PIXELS)
    return frames_refuse (film->path, "has frames of an impossible size", error);
  if (bits < 1 || bits > 16)
    return frames_refuse (film->path, "has values that are not of 1 to 16 bits", error);
  header->width = (gint) width;
  header->height = (gint) height;
  header->bits = (gint) bits;
  header->colours = colour == RGB || colour == BGR ? 3 : 1;
  header->is_bgr = colour == BGR;
  g_strlcpy (header->pattern, pattern ? pattern : "", sizeof header->pattern);
  header->bytes = (gint64) width * height * header->colours * (bits > 8 ? 2 : 1);
  header->promised = (gint) MIN (promised, G_MAXINT);
  header->n = (gint) MIN (promised > 0 ? header->promised : G_MAXINT, (film->size - HEADER) / header->bytes);
  if (header->n < 1)
    return frames_refuse (film->path, "has no whole frame", error);
  header->has_times = header->n == header->promised
                      && film->size >= HEADER + header->n * (header->bytes + (gint64) sizeof (gint64));
  return find_order (film, header, number_at (bytes + 22) != 0, error);
}

gboolean
ser_read_header (const gchar *path, SerHeader *header, GError **error)
{
  FramesFile film;
  gboolean   success = frames_file_open (&film, path, error);

  if (success)
    {
      success = read_header (&film, header, error);
      frames_file_close (&film);
    }
  return success;
}

/* Light's luminance, with sRGB's primaries. */
static void
counts_of (const SerHeader *header, const guint8 *bytes, CountPlane *plane)
{
  const gsize  n = (gsize) header->width * header->height;
  const gfloat first = header->is_bgr ? 0.0722f : 0.2126f, last = header->is_bgr ? 0.2126f : 0.0722f;
  const gint   step = header->bits > 8 ? 2 : 1;

#define VALUE(i) (step == 1 ? (gfloat) bytes[i] : (gfloat) value_at (bytes + 2 * (i), header->is_big_endian))
  for (gsize i = 0; i < n; i++)
    plane->pixels[i] = header->colours == 1 ? VALUE (i) : first * VALUE (3 * i) + 0.7152f * VALUE (3 * i + 1) + last * VALUE (3 * i + 2);
#undef VALUE
}

static gdouble
time_of (FramesFile *film, const SerHeader *header, gint index)
{
  guint8 bytes[8];
  gint64 ticks;

  if (! header->has_times
      || ! frames_file_read (film, HEADER + header->n * header->bytes + 8 * (gint64) index, sizeof bytes, bytes, NULL))
    return NAN;
  ticks = (gint64) (number_at (bytes) | (guint64) number_at (bytes + 4) << 32);
  return ticks > 0 ? (gdouble) (ticks - UNIX_TICKS) / 1e7 : NAN;
}

gboolean
ser_read_frame (const gchar *path, gint index, CountPlane *plane, SerHeader *header, gdouble *start, GError **error)
{
  FramesFile film;
  g_autofree guint8 *bytes = NULL;
  gboolean   success = frames_file_open (&film, path, error);

  if (! success)
    return FALSE;
  success = read_header (&film, header, error);
  if (success && (index < 0 || index >= header->n))
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s has no whole frame %d, but %d", path, index, header->n);
      success = FALSE;
    }
  if (success)
    {
      bytes = g_malloc (header->bytes);         /* no more than the file has */
      success = frames_file_read (&film, HEADER + index * header->bytes, header->bytes, bytes, error);
    }
  if (success)
    {
      count_plane_init (plane, header->width, header->height);
      counts_of (header, bytes, plane);
      *start = time_of (&film, header, index);
    }
  frames_file_close (&film);
  return success;
}
