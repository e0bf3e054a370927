/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The coded blocks of a JPEG: see loads-codes.h.
 */
#include "loads-codes.h"

#include <string.h>

/* ------------------------------------------------------------------- tables -- */

void
codes_init (Codes *codes, const guint8 counts[16])
{
  gint32 code = 0, index = 0;

  memset (codes->fast, 0, sizeof codes->fast);
  codes->is_there = TRUE;
  codes->is_broken = FALSE;
  for (gint length = 1; length <= 16; length++)
    {
      codes->offset[length] = index - code;
      for (gint i = 0; i < counts[length - 1]; i++, code++, index++)
        if (length <= CODES_FAST && code < 1 << length)
          for (gint j = 0; j < 1 << (CODES_FAST - length); j++)
            codes->fast[(code << (CODES_FAST - length)) + j] = (guint16) (length << 8 | codes->values[index]);
      codes->is_broken = codes->is_broken || (counts[length - 1] > 0 && code >= 1 << length);  /* none is all ones */
      codes->last[length] = code << (16 - length);
      code *= 2;
    }
}

/* --------------------------------------------------------------------- bits -- */

void
bits_begin (Bits *bits, Reader *reader)
{
  *bits = (Bits) { .reader = reader };
}

/* Behind 0xff stands 0, or it begins a marker, which others may fill. */
static gint
next_coded (Bits *bits)
{
  gint byte = next_byte (bits->reader), behind;

  if (byte >= 0 && byte != 0xff)
    return byte;
  bits->marker_at = reader_place (bits->reader) - (byte == 0xff);
  if (byte < 0)
    return bits->marker = -1;
  do
    behind = next_byte (bits->reader);
  while (behind == 0xff);
  bits->marker = behind;
  return behind == 0 ? 0xff : -1;
}

void
bits_fill (Bits *bits)
{
  while (bits->n <= 56 && bits->marker == 0)
    {
      const gint byte = next_coded (bits);

      if (byte < 0)
        return;
      bits->bits |= (guint64) byte << (56 - bits->n);
      bits->n += 8;
    }
}

static inline void
need (Bits *bits)
{
  if (bits->n < 32 && bits->marker == 0)
    bits_fill (bits);
}

/* n <= 16. */
static inline guint
take_bits (Bits *bits, gint n)
{
  const guint taken = n > 0 ? (guint) (bits->bits >> (64 - n)) : 0;

  bits->bits <<= n;
  bits->n -= n;
  return taken;
}

/* -1: there is no such code. */
static inline gint
take_code (Bits *bits, const Codes *codes)
{
  const guint   top = (guint) (bits->bits >> 48);
  const guint16 fast = codes->fast[top >> (16 - CODES_FAST)];

  if (fast)
    {
      take_bits (bits, fast >> 8);
      return fast & 0xff;
    }
  for (gint length = CODES_FAST + 1; length <= 16; length++)
    if ((gint32) top < codes->last[length])
      return codes->values[((gint) take_bits (bits, length) + codes->offset[length]) & 0xff];
  return -1;
}

/* ------------------------------------------------------------------- blocks -- */

static gboolean
take_dc (Bits *bits, const Codes *dc)
{
  gint size;

  need (bits);
  size = take_code (bits, dc);
  if (size < 0 || size > 15)
    return FALSE;
  take_bits (bits, size);
  return bits->n >= 0;
}

/* Coefficients from k on, of a block of which nothing was known of them. */
static gboolean
take_ac (Bits *bits, const Codes *ac, BlockCoding *coding, gint k, guint64 *filled)
{
  for (; k <= coding->last; k++)
    {
      gint code, run, size;

      need (bits);
      code = take_code (bits, ac);
      if (code < 0)
        return FALSE;
      run = code >> 4;
      size = code & 15;
      if (size == 0 && run < 15)
        {
          coding->run = coding->is_progressive ? (1u << run) + take_bits (bits, run) - 1 : 0;
          break;
        }
      k += run;
      if (k > coding->last)
        return FALSE;
      take_bits (bits, size);
      if (coding->is_progressive && size > 0)
        *filled |= G_GUINT64_CONSTANT (1) << k;
    }
  return bits->n >= 0;
}

/* One bit more of each coefficient from k on that is not 0, until `zeros` others have been passed.  Where it ends. */
static gint
pass_filled (Bits *bits, const BlockCoding *coding, guint64 filled, gint k, gint zeros)
{
  for (; k <= coding->last; k++)
    if (filled >> k & 1)
      {
        need (bits);
        take_bits (bits, 1);
      }
    else if (--zeros < 0)
      break;
  return k;
}

/* A bit more of a block's coefficients. */
static gboolean
refine_ac (Bits *bits, const Codes *ac, BlockCoding *coding, guint64 *filled)
{
  gint k = coding->first;

  for (; k <= coding->last && coding->run == 0; k++)
    {
      gint code, run, size;

      need (bits);
      code = take_code (bits, ac);
      if (code < 0 || (code & 15) > 1)
        return FALSE;
      run = code >> 4;
      size = code & 15;
      if (size == 0 && run < 15)
        {
          coding->run = (1u << run) + take_bits (bits, run);
          break;
        }
      take_bits (bits, size);
      k = pass_filled (bits, coding, *filled, k, run);
      if (k > coding->last && size > 0)
        return FALSE;
      if (size > 0)
        *filled |= G_GUINT64_CONSTANT (1) << k;
    }
  if (coding->run > 0)
    {
      pass_filled (bits, coding, *filled, k, G_MAXINT);
      coding->run--;
    }
  return bits->n >= 0;
}

gboolean
codes_block (Bits *bits, const Codes *dc, const Codes *ac, BlockCoding *coding, guint64 *filled)
{
  if (! coding->is_progressive)
    return take_dc (bits, dc) && take_ac (bits, ac, coding, 1, filled);
  if (coding->first == 0 && coding->refines)
    {
      need (bits);
      take_bits (bits, 1);
      return bits->n >= 0;
    }
  if (coding->first == 0)
    return take_dc (bits, dc);
  if (coding->refines)
    return refine_ac (bits, ac, coding, filled);
  if (coding->run > 0)
    {
      coding->run--;
      return TRUE;
    }
  return take_ac (bits, ac, coding, coding->first, filled);
}
