/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * What a group needs that searches among codes (median-blur-codes.h), in words of local memory. */
#define CODED_SAMPLES 256       /* keys around a tile, of which its codes are made */
#define CODED_PLACE(i, n) ((unsigned int) (n) * (CODED_SAMPLES * (i) + (i) * 151 % CODED_SAMPLES) / (CODED_SAMPLES * CODED_SAMPLES))    /* of n keys, theirs */
#define CODED_BITS    4         /* of the parts of a code, two in a word */
#define CODED_WORDS   (1 << (CODED_BITS - 1))
#define CODED_TABLES  ((3 + CODED_WORDS) * 128 + 8)
#define CODED_COUNT   16383     /* samples of a neighbourhood, at most */
#define CODED_ROOM    (2 * CODED_SAMPLES + CODED_SAMPLES / 32)  /* at least; and for each pixel of the tile a word, and some for keys */
