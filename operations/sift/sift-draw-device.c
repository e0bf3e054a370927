/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Draws points on the device (opencl/kernels/sift-marks.cl): the host lists the marks that each cell may have.
 * Price: 1.9 (sift, 24 Mpix float, into a buffer; H200, 2026-11-28).
 */
#include "config.h"

#include "sift-draw-parts.h"

#define MOST_LISTED (1 << 26)           /* 256 MiB */

/* The lists while they are made. */
typedef struct
{
  gint *next;                   /* of a cell, how many marks it has; then where the next one is listed */
  gint *numbers;
  gsize n;
} Lists;

static gboolean
count_mark (gsize k G_GNUC_UNUSED, gint cell, gpointer data)
{
  Lists *lists = data;

  lists->next[cell]++;
  return ++lists->n <= MOST_LISTED;
}

static gboolean
list_mark (gsize k, gint cell, gpointer data)
{
  Lists *lists = data;

  lists->numbers[lists->next[cell]++] = (gint) k;
  return TRUE;
}

gboolean
sift_marks_list (SiftMarks *marks, const GeglRectangle *roi)
{
  Lists lists = { .n = 0 };
  gint  n_cells, at = 0;

  marks->cells = sift_cells_in (roi->width);
  marks->rows = sift_cells_in (roi->height);
  n_cells = marks->cells * marks->rows;
  marks->starts = g_new0 (gint, n_cells + 2);
  lists.next = marks->starts + 1;       /* of a cell, its start; when its marks are listed, the next one's */
  sift_visit_cells (marks, roi, count_mark, &lists);
  marks->n_listed = lists.n;
  if (marks->n_listed > MOST_LISTED)
    return FALSE;
  for (gint i = 0; i < n_cells; i++)
    {
      const gint n = lists.next[i];

      lists.next[i] = at;
      at += n;
    }
  lists.numbers = marks->numbers = g_new0 (gint, MAX (marks->n_listed, 1));     /* a table is never empty */
  sift_visit_cells (marks, roi, list_mark, &lists);
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
