/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A JPEG, from its first marker to its last: see loads-jpeg.h.
 *
 * ITU-T T.81, 1992: B.1.1.2 (markers), B.2.2 (frames), B.2.4 (tables); EXIF 2.3, 4.5.4 (a camera's notes). */
#include "loads-jpeg.h"

#include <string.h>

#include "loads-jpeg-parts.h"

#define SOI           0xd8
#define EOI           0xd9
#define SOS           0xda
#define DQT           0xdb
#define DHT           0xc4
#define DRI           0xdd
#define APP1          0xe1
#define IS_ALONE(m)   ((m) == 0x01 || ((m) >= 0xd0 && (m) <= 0xd7))      /* without a segment: TEM, RST0..7 */
#define IS_NOTE(m)    (((m) >= 0xe0 && (m) <= 0xef) || (m) == 0xfe)       /* programs write what they like, and some miscount it */
#define IS_FRAME(m)   ((m) >= 0xc0 && (m) <= 0xcf && (m) != DHT && (m) != 0xc8 && (m) != 0xcc)

#define MOST_SCANS    500          /* libjpeg's own programs take no more of a stranger */

/* ------------------------------------------------------------------ segments -- */

/* The next marker, behind whatever stands before it: coded pixels, where 0xff is followed by 0, or bytes that fill.  -1: the file ends.  `passed`: is
 * there anything but bytes that fill? */
static gint
next_marker (Reader *reader, gboolean *passed)
{
  const guint8 *found;
  gint          byte;

  *passed = FALSE;
  do
    {
      while (! (found = memchr (reader->bytes + reader->at, 0xff, reader->n - reader->at)))
        {
          *passed = *passed || reader->n > reader->at;
          if (! reader_refill (reader))
            return -1;
        }
      *passed = *passed || found > reader->bytes + reader->at;
      reader->at = (gsize) (found - reader->bytes) + 1;
      do
        byte = next_byte (reader);
      while (byte == 0xff);
      *passed = *passed || byte == 0;
    }
  while (byte == 0);
  return byte;
}

/* Of 16 bits; -1: the file ends. */
static gint
next_number (Reader *reader)
{
  guint8 bytes[2];

  return reader_take (reader, bytes, 2) ? 256 * bytes[0] + bytes[1] : -1;
}

static gboolean
read_codes (Jpeg *jpeg, gint length)
{
  while (length > 16)
    {
      guint8 head, counts[16];
      Codes *codes;

      if (! reader_take (jpeg->reader, &head, 1) || ! reader_take (jpeg->reader, counts, 16))
        return wrong (jpeg, ENDS_EARLY);
      codes = &(head & 0x10 ? jpeg->ac : jpeg->dc)[head & 3];
      codes->n = 0;
      for (gint i = 0; i < 16; i++)
        codes->n += counts[i];
      length -= 17 + codes->n;
      if ((head & 0xef) > 3 || codes->n > 256 || length < 0)
        return wrong (jpeg, NO_SENSE);
      if (codes->n > 0 && ! reader_take (jpeg->reader, codes->values, (gsize) codes->n))
        return wrong (jpeg, ENDS_EARLY);
      codes_init (codes, counts);
    }
  return length == 0 || wrong (jpeg, NO_SENSE);
}

static gboolean
read_quantisation (Jpeg *jpeg, gint length)
{
  while (length > 0)
    {
      const gint head = next_byte (jpeg->reader), n = head & 0xf0 ? 128 : 64;

      if (head >= 0 && ((head & 15) > 3 || head >> 4 > 1 || length < 1 + n))
        return wrong (jpeg, NO_SENSE);
      if (head < 0 || ! reader_skip (jpeg->reader, (gsize) n))
        return wrong (jpeg, ENDS_EARLY);
      jpeg->quantised[head & 3] = TRUE;
      length -= 1 + n;
    }
  return TRUE;
}

/* How large it is, and of what. */
static gboolean
lay_out (Jpeg *jpeg, gint width, gint height)
{
  gint across = 1, down = 1;

  for (gint i = 0; i < jpeg->n; i++)
    {
      across = MAX (across, jpeg->parts[i].across);
      down = MAX (down, jpeg->parts[i].down);
    }
  jpeg->units_across = (width + 8 * across - 1) / (8 * across);
  jpeg->units_down = (height + 8 * down - 1) / (8 * down);
  for (gint i = 0; i < jpeg->n; i++)
    {
      Part *part = &jpeg->parts[i];

      part->width = jpeg->units_across * part->across;
      part->height = jpeg->units_down * part->down;
      part->own_width = ((width * part->across + across - 1) / across + 7) / 8;
      part->own_height = ((height * part->down + down - 1) / down + 7) / 8;
      for (gint k = 0; k < 64; k++)
        part->low[k] = -1;
      if (jpeg->is_progressive)
        part->filled = g_try_malloc0_n ((gsize) part->width * (gsize) part->height, sizeof (guint64));
      jpeg->is_judged = jpeg->is_judged && (part->filled || ! jpeg->is_progressive);
    }
  return TRUE;
}

static gboolean
read_frame (Jpeg *jpeg, gint marker, gint length)
{
  guint8 head[6], part[3];
  gint   width, height;

  if (length < 6 || jpeg->has_frame)
    return wrong (jpeg, NO_SENSE);
  if (! reader_take (jpeg->reader, head, sizeof head))
    return wrong (jpeg, ENDS_EARLY);
  height = 256 * head[1] + head[2];
  width = 256 * head[3] + head[4];
  jpeg->n = head[5];
  jpeg->has_frame = TRUE;
  jpeg->is_progressive = marker == 0xc2;
  jpeg->is_judged = marker <= 0xc2 && head[0] == 8;
  if (! jpeg->is_judged)
    return reader_skip (jpeg->reader, (gsize) length - sizeof head) || wrong (jpeg, ENDS_EARLY);
  if (width < 1 || height < 1 || jpeg->n < 1 || jpeg->n > MOST_PARTS || length != 6 + 3 * jpeg->n)
    return wrong (jpeg, NO_SENSE);
  for (gint i = 0; i < jpeg->n; i++)
    {
      if (! reader_take (jpeg->reader, part, sizeof part))
        return wrong (jpeg, ENDS_EARLY);
      jpeg->parts[i] = (Part) { .id = part[0], .across = part[1] >> 4, .down = part[1] & 15, .table = part[2] };
      if (jpeg->parts[i].across < 1 || jpeg->parts[i].across > 4 || jpeg->parts[i].down < 1 || jpeg->parts[i].down > 4)
        return wrong (jpeg, NO_SENSE);
    }
  return lay_out (jpeg, width, height);
}

/* ---------------------------------------------------------------------- all -- */

/* Has each bit of each coefficient been read? */
static gboolean
is_complete (const Jpeg *jpeg)
{
  for (gint i = 0; i < jpeg->n; i++)
    for (gint k = 0; k < 64; k++)
      if (jpeg->parts[i].low[k] != 0)
        return FALSE;
  return TRUE;
}

/* The marker behind the scan; EOI where the walk ends with it. */
static gint
walk_scan (Jpeg *jpeg, gint length)
{
  static const guint8 end[] = { 0xff, EOI };
  Scan     scan = { .n = 0 };
  gboolean is_clean, passed;

  if (++jpeg->scans > MOST_SCANS)
    jpeg->walked.wrong = NO_SENSE;
  if (jpeg->walked.wrong || (jpeg->is_judged && ! scan_begin (jpeg, length, &scan)))
    return EOI;
  if (! jpeg->is_judged)
    return next_marker (jpeg->reader, &passed);
  if (! scan_codes (jpeg, &scan))
    return EOI;
  jpeg->walked.end = reader_place (jpeg->reader) - jpeg->bits.n / 8;
  is_clean = scan_pass_rest (jpeg);
  if (is_complete (jpeg) && jpeg->bits.marker != EOI && (is_clean || jpeg->is_extended || jpeg->bits.marker < 0))
    {
      jpeg->walked.end = MIN (jpeg->walked.end, jpeg->bits.marker_at);
      jpeg->walked.tail = end;
      jpeg->walked.n = sizeof end;
      return EOI;
    }
  if (jpeg->bits.marker < 0)
    jpeg->walked.wrong = ENDS_EARLY;
  else if (! is_clean)
    jpeg->walked.wrong = DAMAGED;
  return jpeg->walked.wrong ? EOI : jpeg->bits.marker;
}

/* What a camera notes. */
static gboolean
find_notes (Jpeg *jpeg, gint length)
{
  guint8 name[6] = { 0 };

  if (length >= (gint) sizeof name)
    {
      if (! reader_take (jpeg->reader, name, sizeof name))
        return wrong (jpeg, ENDS_EARLY);
      length -= (gint) sizeof name;
    }
  if (memcmp (name, "Exif\0\0", sizeof name) == 0)
    {
      jpeg->walked.exif = reader_place (jpeg->reader);
      jpeg->walked.exif_bytes = length;
    }
  return reader_skip (jpeg->reader, (gsize) length) || wrong (jpeg, ENDS_EARLY);
}

/* FALSE, and `wrong` is set. */
static gboolean
walk_segment (Jpeg *jpeg, gint marker)
{
  const gint length = next_number (jpeg->reader) - 2;

  if (length < 0)
    return wrong (jpeg, length < -2 ? ENDS_EARLY : NO_SENSE);
  if (marker == DHT)
    return read_codes (jpeg, length);
  if (marker == DQT)
    return read_quantisation (jpeg, length);
  if (IS_FRAME (marker))
    return read_frame (jpeg, marker, length);
  if (marker == DRI)
    {
      jpeg->restart = next_number (jpeg->reader);
      return length == 2 ? jpeg->restart >= 0 || wrong (jpeg, ENDS_EARLY) : wrong (jpeg, NO_SENSE);
    }
  if (marker == APP1 && jpeg->walked.exif_bytes == 0)
    return find_notes (jpeg, length);
  return reader_skip (jpeg->reader, (gsize) length) || wrong (jpeg, ENDS_EARLY);
}

static void
walk_markers (Jpeg *jpeg)
{
  gint     marker = 0x01;
  gboolean passed;

  reader_skip (jpeg->reader, 2);        /* SOI */
  while (marker != EOI && ! jpeg->walked.wrong)
    {
      if (marker < 0)
        jpeg->walked.wrong = ENDS_EARLY;
      else if (marker == SOI || (marker == SOS && ! jpeg->has_frame))
        jpeg->walked.wrong = NO_SENSE;
      else if (marker == SOS)
        marker = walk_scan (jpeg, next_number (jpeg->reader) - 2);
      else if (IS_ALONE (marker) || walk_segment (jpeg, marker))
        {
          const gint before = marker;

          marker = next_marker (jpeg->reader, &passed);
          if (passed && ! IS_NOTE (before) && ! (jpeg->has_frame && ! jpeg->is_judged))
            jpeg->walked.wrong = DAMAGED;
        }
    }
}

Walked
walk_jpeg (Reader *reader)
{
  g_autofree Codes *codes = g_new0 (Codes, 8);
  Jpeg              jpeg = { .reader = reader, .dc = codes, .ac = codes + 4 };

  walk_markers (&jpeg);
  if (! jpeg.walked.wrong && (jpeg.scans == 0 || (jpeg.is_judged && ! jpeg.is_progressive && ! is_complete (&jpeg))))
    jpeg.walked.wrong = ENDS_EARLY;
  for (gint i = 0; i < MOST_PARTS; i++)
    g_free (jpeg.parts[i].filled);
  return jpeg.walked;
}
