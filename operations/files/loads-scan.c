/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The scans of a JPEG: see loads-jpeg.h.
 *
 * ITU-T T.81, 1992: A.2 (units), B.2.3 (heads), G.1 (which bits of which coefficients). */
#include "loads-jpeg-parts.h"

#define MOST_FILLING 16         /* bytes, that an encoder adds to its last */

/* Are the tables there that its codes need?  libjpeg knows some that films leave out; those are not looked at. */
static gboolean
has_tables (Jpeg *jpeg, const Scan *scan)
{
  const gboolean needs_dc = scan->coding.first == 0 && ! scan->coding.refines, needs_ac = scan->coding.last > 0;

  for (gint i = 0; i < scan->n; i++)
    {
      if (scan->parts[i]->table > 3 || ! jpeg->quantised[scan->parts[i]->table]
          || (needs_dc && scan->dc[i]->is_broken) || (needs_ac && scan->ac[i]->is_broken))
        return wrong (jpeg, NO_SENSE);
      jpeg->is_judged = jpeg->is_judged && (! needs_dc || scan->dc[i]->is_there) && (! needs_ac || scan->ac[i]->is_there);
    }
  return TRUE;
}

/* The bits of its coefficients follow those that were read. */
static gboolean
follows (Jpeg *jpeg, const Scan *scan, gint high)
{
  const BlockCoding *coding = &scan->coding;

  if (! jpeg->is_progressive)
    return TRUE;
  if ((coding->first == 0) != (coding->last == 0) || coding->last < coding->first || coding->last > 63 || (coding->first > 0 && scan->n > 1)
      || coding->low > 13 || (high > 0 && coding->low != high - 1))
    return wrong (jpeg, NO_SENSE);
  for (gint i = 0; i < scan->n; i++)
    for (gint k = coding->first; k <= coding->last; k++)
      if ((k > 0 && scan->parts[i]->low[0] < 0) || MAX (scan->parts[i]->low[k], 0) != high)
        return wrong (jpeg, DAMAGED);
  return TRUE;
}

gboolean
scan_begin (Jpeg *jpeg, gint length, Scan *scan)
{
  guint8 head[1 + 2 * MOST_PARTS + 3];
  gint   blocks = 0;

  if (length < 6 || length > (gint) sizeof head)
    return wrong (jpeg, length < -2 ? ENDS_EARLY : NO_SENSE);
  if (! reader_take (jpeg->reader, head, (gsize) length))
    return wrong (jpeg, ENDS_EARLY);
  scan->n = head[0];
  if (scan->n < 1 || scan->n > MOST_PARTS || length != 4 + 2 * scan->n)
    return wrong (jpeg, NO_SENSE);
  for (gint i = 0; i < scan->n; i++)
    {
      gint k = 0;

      while (k < jpeg->n && jpeg->parts[k].id != head[1 + 2 * i])
        k++;
      if (k == jpeg->n || (head[2 + 2 * i] & 0xcc))
        return wrong (jpeg, NO_SENSE);
      scan->parts[i] = &jpeg->parts[k];
      scan->dc[i] = &jpeg->dc[head[2 + 2 * i] >> 4];
      scan->ac[i] = &jpeg->ac[head[2 + 2 * i] & 3];
      blocks += scan->parts[i]->across * scan->parts[i]->down;
    }
  if (scan->n > 1 && blocks > MOST_BLOCKS)
    return wrong (jpeg, NO_SENSE);
  scan->coding = (BlockCoding) { .last = 63 };
  if (jpeg->is_progressive)
    scan->coding = (BlockCoding) { .first = head[length - 3], .last = head[length - 2], .low = head[length - 1] & 15, .is_progressive = TRUE,
                                   .refines = head[length - 1] >> 4 > 0 };
  return follows (jpeg, scan, head[length - 1] >> 4) && has_tables (jpeg, scan);
}

/* A unit of a scan: a block, or of several components the blocks of one place. */
static gboolean
read_unit (Jpeg *jpeg, Scan *scan, gint x, gint y)
{
  guint64 none = 0;

  for (gint i = 0; i < scan->n; i++)
    {
      Part      *part = scan->parts[i];
      const gint across = scan->n > 1 ? part->across : 1, down = scan->n > 1 ? part->down : 1;

      for (gint j = 0; j < down; j++)
        for (gint k = 0; k < across; k++)
          {
            guint64 *filled = part->filled ? &part->filled[(gsize) (y * down + j) * (gsize) part->width + (gsize) (x * across + k)] : &none;

            if (! codes_block (&jpeg->bits, scan->dc[i], scan->ac[i], &scan->coding, filled))
              return FALSE;
          }
    }
  return TRUE;
}

gboolean
scan_pass_rest (Jpeg *jpeg)
{
  Bits    *bits = &jpeg->bits;
  gboolean is_clean = TRUE;
  gint     byte, n = 0;

  bits->bits <<= bits->n % 8;
  bits->n -= bits->n % 8;
  jpeg->is_extended = FALSE;
  while (bits->n > 0 || bits->marker == 0)
    {
      if (bits->n == 0)
        bits_fill (bits);
      if (bits->n == 0)
        break;
      byte = (gint) (bits->bits >> 56);
      bits->bits <<= 8;
      bits->n -= 8;
      is_clean = ++n <= MOST_FILLING && is_clean && (byte == 0 || byte == 0xff);
      jpeg->is_extended = n == 2 ? is_clean && byte == 0 : jpeg->is_extended;
    }
  return is_clean;
}

gboolean
scan_codes (Jpeg *jpeg, Scan *scan)
{
  const gint across = scan->n > 1 ? jpeg->units_across : scan->parts[0]->own_width;
  const gint down = scan->n > 1 ? jpeg->units_down : scan->parts[0]->own_height;
  gint       left = jpeg->restart, number = 0;

  bits_begin (&jpeg->bits, jpeg->reader);
  for (gint y = 0; y < down; y++)
    for (gint x = 0; x < across; x++, left--)
      {
        if (jpeg->restart > 0 && left == 0)
          {
            if (! scan_pass_rest (jpeg) || jpeg->bits.marker != 0xd0 + number)
              return wrong (jpeg, jpeg->bits.marker < 0 ? ENDS_EARLY : DAMAGED);
            bits_begin (&jpeg->bits, jpeg->reader);
            scan->coding.run = 0;
            left = jpeg->restart;
            number = (number + 1) % 8;
          }
        if (! read_unit (jpeg, scan, x, y))
          return wrong (jpeg, jpeg->bits.marker < 0 && jpeg->bits.n < 0 ? ENDS_EARLY : DAMAGED);
      }
  for (gint i = 0; i < scan->n; i++)
    for (gint k = scan->coding.first; k <= scan->coding.last; k++)
      scan->parts[i]->low[k] = scan->coding.low;
  return TRUE;
}
