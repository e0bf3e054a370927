/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The aligned frames of tessera-stack become one picture.
 */
#include "stack.h"

typedef struct
{
  gdouble steps;                /* of the bar, for all rows */
  gint    done;
} Rows;

static void
tell (gint rows, gint all, gpointer data)
{
  Rows *told = data;

  told->done += rows;
  progress_step (told->steps * rows / all, "row %d of %d", told->done, all);
}

GeglBuffer *
stack_combine (const Stack *stack, CombineMethod method, guint64 memory)
{
  GeglBuffer          *reference = stack->frames[stack->reference].aligned;
  const GeglRectangle *box = gegl_buffer_get_extent (reference);
  GeglBuffer          *result = gegl_buffer_new (box, babl_format_with_space ("RGBA float", gegl_buffer_get_format (reference)));
  Rows                 rows = { stack->n * 0.25, 0 };
  Combine              combine = { .frames = g_new (GeglBuffer *, stack->n), .format = gegl_buffer_get_format (reference), .method = method,
                                   .alpha = ALPHA_COVERAGE, .memory = memory / 4, .told = tell, .data = &rows };

  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].aligned)
      combine.frames[combine.n++] = stack->frames[i].aligned;
  combine_frames (&combine, box, result);
  g_free (combine.frames);
  return result;
}
