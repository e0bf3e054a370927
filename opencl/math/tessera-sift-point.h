/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A point of SIFT, as the device writes it and the host reads it.
 * Dialect: the common part of C and OpenCL C with doubles.
 */
#define SIFT_LENGTH 128         /* components of a descriptor */

typedef struct
{
  int           octave, layer, row, column, bin;        /* what it was found at; row and column of the octave; the list is sorted by these */
  int           unused;         /* doubles begin at a multiple of 8, whatever the compiler */
  double        x, y;
  double        sigma;          /* its size: of the Gaussian, in pixels of the image */
  double        angle;
  double        response;       /* |contrast|, of one layer */
  unsigned char descriptor[SIFT_LENGTH];        /* (4 row + column) 8 + direction; rows and columns of the frame of the angle */
} SiftPoint;
