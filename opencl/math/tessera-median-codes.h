/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * What a group has that searches among codes (median-blur-codes.h): so many work-items `wide` and `high`, for 4 x 4 pixels each.  Room is told in words of
 * local memory.
 */
#define CODED_SIDE    4
#define CODED_COUNT   16383     /* samples of a neighbourhood, at most */
#define CODED_BITS    4         /* of the parts of a code, two in a word */
#define CODED_WORDS   (1 << (CODED_BITS - 1))

/* Codes lie in words of four, one word more in a row than the tile and what is around it need. */
#define CODED_PITCH(wide, radius) ((wide) + (radius) / 2 + 2)
#define CODED_ROWS(high, radius)  (CODED_SIDE * (high) + 2 * (radius))

/* Samples of n keys, of which the codes are made: one of each run of n / CODED_SAMPLES.  Its place there is as good as drawn, since a regular picture would
 * hide a part of its keys from regular places. */
#define CODED_SAMPLES 256
#define CODED_HASH(i) ((i) * 2654435761u)
#define CODED_PLACE(i, n) ((unsigned int) (n) * (CODED_SAMPLES * (i) + ((CODED_HASH (i) >> 15 ^ CODED_HASH (i)) * 2246822519u >> 16 & 255)) \
                           / (CODED_SAMPLES * CODED_SAMPLES))

#define CODED_TABLES  ((3 + CODED_WORDS) * 128 + 2)             /* what is known of each code, and two words of the group's */
#define CODED_ROOM    (2 * CODED_SAMPLES + CODED_SAMPLES / 32)  /* to make the codes with, and the least for keys */
