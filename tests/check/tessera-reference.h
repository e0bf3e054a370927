/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-reference.h: what a reference is, a definition of a filter in plain double precision, written from its
 * specification and the paper only, never from the code under test.
 *
 * Every reference computes the rectangle (x, y, width, height), relative to the
 * origin of the image, into `out` (4 components a pixel, rows contiguous).
 * Beside each result component it states how well a float implementation can
 * be expected to meet it:
 *   |result - out| <= tolerance * scale + slack
 * scale: the largest magnitude that enters the sum; slack: an absolute term
 * where the definition itself is discontinuous or ill-conditioned in float
 * (INFINITY where either of two answers is right).  NaN in `out` means that the
 * result must be NaN; an infinite `out` with finite slack must be met exactly.
 */
#ifndef TESSERA_REFERENCE_H
#define TESSERA_REFERENCE_H

#include <stdlib.h>

typedef enum { REF_CLAMP, REF_NONE, REF_LOOP } RefBorder;

/* 4 components a pixel, width * height pixels, rows contiguous.  error: how far,
 * relative to themselves, the values that the filter reads may be from these (0
 * where nothing converts them on the way). */
typedef struct
{
  int           width, height;
  const double *pixels;
  double        error;
} RefImage;

typedef struct
{
  int     x, y, width, height;
  double *out, *scale, *slack;
} RefResult;

/* Zeros; never NULL. */
static inline void *
ref_allocate (size_t count, size_t size)
{
  void *memory = calloc (count ? count : 1, size);

  if (!memory)
    abort ();
  return memory;
}

/* Where a position outside 0..size - 1 reads; -1: nowhere, where all components are 0. */
static inline int
ref_coordinate (int position, int size, RefBorder border)
{
  if (border == REF_CLAMP)
    return position < 0 ? 0 : position >= size ? size - 1 : position;
  if (border == REF_LOOP)
    return (position % size + size) % size;
  return position < 0 || position >= size ? -1 : position;
}

/* NULL: outside, transparent black. */
static inline const double *
ref_pixel (const RefImage *image, int x, int y, RefBorder border)
{
  int column = ref_coordinate (x, image->width, border);
  int row = ref_coordinate (y, image->height, border);

  return column < 0 || row < 0 ? NULL : image->pixels + ((size_t) row * image->width + column) * 4;
}

#endif
