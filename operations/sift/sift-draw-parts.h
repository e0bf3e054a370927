/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What the files that draw SIFT's points share.
 */
#ifndef SIFT_DRAW_PARTS_H
#define SIFT_DRAW_PARTS_H

#include <math.h>

#include "sift-drawing.h"

#include "../../opencl/math/tessera-sift-mark.h"

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

/* Cells in so many pixels. */
static inline gint
sift_cells_in (gint length)
{
  return (length + MARK_CELL - 1) / MARK_CELL;
}

/* Told of mark `k` and a cell, of which it may cover a pixel.  FALSE: no more of them. */
typedef gboolean (*SiftCellVisit) (gsize k, gint cell, gpointer data);

/* sift-draw-cells.c: the cells of `area` near each mark, in the order of the marks; cells are numbered row by row from the
 * area's first pixel on. */
void sift_visit_cells (const SiftMarks *marks, const GeglRectangle *area, SiftCellVisit visit, gpointer data);

/* sift-draw-device.c: makes the lists.  FALSE: they would be too long. */
gboolean sift_marks_list (SiftMarks *marks, const GeglRectangle *roi);

/* Of the filter that draws: its `scratch_bytes` and `device`. */
gsize sift_marks_device_bytes (const TesseraRequest *request, gint width, gint height);
gint  sift_marks_on_device    (TesseraBand *band);

#endif
