/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Dialect: preprocessor only, for C and OpenCL C.
 *
 * What a group needs that searches among codes (median-blur-codes.h). */
#define CODED_RUN     16        /* pixels of a column that a work-item makes, each from what it knows of the one before */
#define CODED_SAMPLES 512       /* of a tile's keys, of which each fourth makes the codes: then about as many keys have one code as another */
#define CODED_FOURTHS 128
#define CODED_ROOM    (CODED_SAMPLES + 3 * CODED_FOURTHS)       /* keys, in local memory */
