/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the walk over a JPEG knows of it (loads-jpeg.c), and its scans (loads-scan.c). */
#ifndef LOADS_JPEG_PARTS_H
#define LOADS_JPEG_PARTS_H

#include "loads-codes.h"

#define MOST_PARTS  4           /* components, of a picture and of a scan */
#define MOST_BLOCKS 10          /* of a unit, by the standard */

#define DAMAGED     "its pixels are damaged"
#define NO_SENSE    "its head makes no sense"

typedef struct
{
  gint      id, across, down, table;    /* blocks of a unit; which quantisation */
  gint      width, height;              /* in blocks, of whole units */
  gint      own_width, own_height;      /* ... of the picture alone */
  gint      low[64];                    /* the last bit of each coefficient that was read; -1: none */
  guint64  *filled;                     /* of progressive ones, of each block */
} Part;

typedef struct
{
  Reader   *reader;
  Bits      bits;               /* of the last scan */
  Codes    *dc, *ac;            /* four each */
  gboolean  quantised[4];       /* which tables are there */
  gint      restart;            /* units; 0: there are none */
  gboolean  has_frame, is_judged, is_progressive;
  gint      units_across, units_down, n;
  Part      parts[MOST_PARTS];
  gint      scans;
  gboolean  is_extended;        /* zeros follow its last codes: what a phone adds begins with them */
  Walked    walked;
} Jpeg;

typedef struct
{
  Part        *parts[MOST_PARTS];
  const Codes *dc[MOST_PARTS], *ac[MOST_PARTS];
  gint         n;
  BlockCoding  coding;
} Scan;

/* Says why, and is FALSE. */
static inline gboolean
wrong (Jpeg *jpeg, const gchar *why)
{
  jpeg->walked.wrong = why;
  return FALSE;
}

/* All return FALSE where `wrong` is set.  The head of a scan, of so many bytes, ... */
gboolean scan_begin     (Jpeg *jpeg, gint length, Scan *scan);
/* ... its codes, ... */
gboolean scan_codes     (Jpeg *jpeg, Scan *scan);
/* ... and what stands behind the last of them, until a marker: less than a byte of bits, and some bytes that fill.  FALSE: there are others. */
gboolean scan_pass_rest (Jpeg *jpeg);

#endif
