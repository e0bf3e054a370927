/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files that draw SIFT's points share.
 */
#ifndef SIFT_DRAW_PARTS_H
#define SIFT_DRAW_PARTS_H

#include <math.h>

#include "sift-draw.h"

#include "../opencl/math/tessera-sift-mark.h"

typedef struct
{
  SiftMark      shape;
  GeglRectangle box;            /* pixels that it may touch */
} Mark;

/* All marks, in the order of the points; a request's parameters. */
typedef struct
{
  const SiftDrawing *drawing;
  Mark              *marks;
  gsize              n;
  /* For the device (sift_marks_list): */
  gint               cells, rows;       /* of cells, from the first pixel of the request's roi on */
  SiftMark          *shapes;
  gint              *starts, *numbers;  /* cell i has the marks numbers[starts[i]] to numbers[starts[i + 1] - 1], in their order */
  gsize              n_listed;
} SiftMarks;

/* May the mark cover a pixel of the cell that begins at (x, y)? */
static inline gboolean
sift_mark_is_near (const Mark *mark, gint x, gint y)
{
  const gdouble middle = 0.5 * (MARK_CELL - 1), corner = 0.7072 * (MARK_CELL - 1);

  return mark_distance (mark->shape, x + middle, y + middle) < corner + 0.5 * MARK_RIM + 0.5;
}

/* Makes the lists.  FALSE: they would be too long. */
gboolean sift_marks_list (SiftMarks *marks, const GeglRectangle *roi);

/* Of the filter that draws: its `scratch_bytes` and `device`. */
gsize sift_marks_device_bytes (const TesseraRequest *request, gint width, gint height);
gint  sift_marks_on_device    (TesseraBand *band);

#endif
