/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which cells of a picture a mark may touch.
 */
#include "config.h"

#include "sift-draw-parts.h"

/* May the mark cover a pixel of the cell that begins at (x, y)? */
static gboolean
is_near (const Mark *mark, gint x, gint y)
{
  const gdouble middle = 0.5 * (MARK_CELL - 1), corner = 0.7072 * (MARK_CELL - 1);

  return mark_distance (mark->shape, x + middle, y + middle) < corner + 0.5 * MARK_RIM + 0.5;
}

void
sift_visit_cells (const SiftMarks *marks, const GeglRectangle *area, SiftCellVisit visit, gpointer data)
{
  const gint cells = sift_cells_in (area->width);

  for (gsize k = 0; k < marks->n; k++)
    {
      const Mark   *mark = &marks->marks[k];
      GeglRectangle part;

      if (! gegl_rectangle_intersect (&part, &mark->box, area))
        continue;
      for (gint row = (part.y - area->y) / MARK_CELL; row * MARK_CELL < part.y + part.height - area->y; row++)
        for (gint i = (part.x - area->x) / MARK_CELL; i * MARK_CELL < part.x + part.width - area->x; i++)
          if (is_near (mark, area->x + i * MARK_CELL, area->y + row * MARK_CELL) && ! visit (k, row * cells + i, data))
            return;
    }
}
