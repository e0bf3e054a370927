/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The coded blocks of a JPEG: do their codes make sense?  Nothing is decoded beyond that.
 *
 * ITU-T T.81, 1992: F.2.2 (sequential), G.1.2 (progressive), C.2 (codes). */
#ifndef LOADS_CODES_H
#define LOADS_CODES_H

#include "loads-reader.h"

#define CODES_FAST 10           /* bits of a code that is found at once */

typedef struct
{
  gboolean is_there, is_broken;         /* broken: more codes than there can be */
  gint     n;                           /* of its values */
  guint8   values[256];
  guint16  fast[1 << CODES_FAST];       /* length << 8 | value; 0: it is longer, or none */
  gint32   last[18];                    /* of each length the code behind the last, at the left of 16 bits */
  gint32   offset[18];                  /* and what makes an index of a code */
} Codes;

/* Bits that were read, the next one on top. */
typedef struct
{
  Reader *reader;
  guint64 bits;
  gint    n;                    /* of them; negative: more were taken than there are */
  gint    marker;               /* before which they end; 0: not yet met; -1: the file ends */
  gint64  marker_at;            /* where it stands */
} Bits;

/* How the blocks of a scan are coded. */
typedef struct
{
  gint first, last;             /* coefficients */
  gint low;                     /* the bit that they begin at */
  gboolean is_progressive, refines;
  guint    run;                 /* blocks that are to come without a code */
} BlockCoding;

/* `counts`: of the codes of 1 to 16 bits; `values` are set already. */
void     codes_init   (Codes *codes, const guint8 counts[16]);

void     bits_begin   (Bits *bits, Reader *reader);
/* So that 32 of them are there, if the file has them. */
void     bits_fill    (Bits *bits);

/* The next block.  `filled`: bit k is set where coefficient k of it is known not to be 0, of progressive ones.  FALSE: its codes make no sense. */
gboolean codes_block  (Bits *bits, const Codes *dc, const Codes *ac, BlockCoding *coding, guint64 *filled);

#endif
