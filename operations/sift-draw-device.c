/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Draws points on the device (opencl/kernels/sift-marks.cl): the host lists the marks that each cell may have.
 * Price: 1.9 (sift, 24 Mpix float, into a buffer; H200, 2026-11-28).
 */
#include "config.h"

#include "sift-draw-parts.h"

#define MOST_LISTED (1 << 26)           /* 256 MiB */

/* The marks of all cells: how many each has, or where they are listed. */
static gsize
visit_cells (SiftMarks *marks, const GeglRectangle *roi, gint *next, gint *numbers)
{
  gsize n = 0;

  for (gsize k = 0; k < marks->n && n <= MOST_LISTED; k++)
    {
      const Mark   *mark = &marks->marks[k];
      GeglRectangle part;

      if (! gegl_rectangle_intersect (&part, &mark->box, roi))
        continue;
      for (gint row = (part.y - roi->y) / MARK_CELL; row * MARK_CELL < part.y + part.height - roi->y; row++)
        for (gint i = (part.x - roi->x) / MARK_CELL; i * MARK_CELL < part.x + part.width - roi->x; i++)
          if (sift_mark_is_near (mark, roi->x + i * MARK_CELL, roi->y + row * MARK_CELL))
            {
              gint *at = &next[row * marks->cells + i];

              if (numbers)
                numbers[*at] = (gint) k;
              (*at)++;
              n++;
            }
    }
  return n;
}

gboolean
sift_marks_list (SiftMarks *marks, const GeglRectangle *roi)
{
  gint *next, n_cells, at = 0;

  marks->cells = (roi->width + MARK_CELL - 1) / MARK_CELL;
  marks->rows = (roi->height + MARK_CELL - 1) / MARK_CELL;
  n_cells = marks->cells * marks->rows;
  marks->starts = g_new0 (gint, n_cells + 2);
  next = marks->starts + 1;             /* of a cell, its start; when its marks are listed, the next one's */
  marks->n_listed = visit_cells (marks, roi, next, NULL);
  if (marks->n_listed > MOST_LISTED)
    return FALSE;
  for (gint i = 0; i < n_cells; i++)
    {
      const gint n = next[i];

      next[i] = at;
      at += n;
    }
  marks->numbers = g_new0 (gint, MAX (marks->n_listed, 1));     /* a table is never empty */
  visit_cells (marks, roi, next, marks->numbers);
  marks->shapes = g_new0 (SiftMark, MAX (marks->n, 1));
  for (gsize k = 0; k < marks->n; k++)
    marks->shapes[k] = marks->marks[k].shape;
  return TRUE;
}

static gsize
starts_bytes (const SiftMarks *marks)
{
  return ((gsize) marks->cells * marks->rows + 1) * sizeof (gint);
}

static gsize
numbers_bytes (const SiftMarks *marks)
{
  return MAX (marks->n_listed, 1) * sizeof (gint);
}

static gsize
shapes_bytes (const SiftMarks *marks)
{
  return MAX (marks->n, 1) * sizeof (SiftMark);
}

gsize
sift_marks_device_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const SiftMarks *marks = request->params;

  return starts_bytes (marks) + numbers_bytes (marks) + shapes_bytes (marks) + sizeof marks->drawing->colors;
}

/* Marks that a pixel of the band looks at, on average. */
static gdouble
marks_of_pixel (const SiftMarks *marks, gint top, gint bottom)
{
  const gint first = top / MARK_CELL * marks->cells, end = ((bottom - 1) / MARK_CELL + 1) * marks->cells;

  return (gdouble) (marks->starts[end] - marks->starts[first]) / (end - first);
}

gint
sift_marks_on_device (TesseraBand *band)
{
  const SiftMarks     *marks = band->request->params;
  const GeglRectangle *roi = &band->request->roi;
  const gint           cell_left = band->output.x - roi->x, cell_top = band->output.y - roi->y;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "sift_marks", .size = OUTPUT_SIZE (band), .group = { MARK_CELL, 8 },
    .cost = 2 + 8 * marks_of_pixel (marks, cell_top, cell_top + band->output.height),
    .args = { INPUT_ARGS (band), OUTPUT_ARGS (band), ARG (band->output.x), ARG (band->output.y), ARG (cell_left), ARG (cell_top),
              ARG (marks->cells), TABLE_ARG (marks->starts, starts_bytes (marks)),
              TABLE_ARG (marks->numbers, numbers_bytes (marks)), TABLE_ARG (marks->shapes, shapes_bytes (marks)),
              TABLE_ARG (marks->drawing->colors, sizeof marks->drawing->colors) }
  });
}
