/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frames of tessera-stack become one picture, some rows at a time: these rows of all frames are laid in the reference's frame, and
 * combined.  So no frame is ever there as floats.
 */
#include "stack.h"

#include "resample.h"

#define ROWS 256                /* at a time: four of GEGL's tiles */

static GeglBuffer *
lay (const Stack *stack, const StackFrame *frame, const GeglRectangle *part, const Babl *format)
{
  TesseraRequest request = stack_request (stack, frame->picture, format);
  Resample       resample;

  request.filter = &resample_filter;
  request.params = &resample;
  request.roi = *part;
  request.output = gegl_buffer_new (part, format);
  if (! resample_init (&resample, frame->matrix) || ! tessera_process (&request))
    g_clear_object (&request.output);
  return request.output;
}

/* FALSE: OpenCL is forced. */
static gboolean
combine_rows (const Stack *stack, Combine *combine, const GeglRectangle *part, GeglBuffer *result)
{
  gboolean success = TRUE;

  combine->n = 0;
  for (gint i = 0; i < stack->n && success; i++)
    if (stack->frames[i].picture)
      {
        GeglBuffer *laid = lay (stack, &stack->frames[i], part, combine->format);

        success = laid != NULL;
        if (laid)
          combine->frames[combine->n++] = laid;
      }
  if (success)
    combine_frames (combine, part, result);
  for (gint i = 0; i < combine->n; i++)
    g_object_unref (combine->frames[i]);
  return success;
}

GeglBuffer *
stack_combine (const Stack *stack, CombineMethod method, guint64 memory)
{
  GeglBuffer          *reference = stack->frames[stack->reference].picture;
  const GeglRectangle *box = gegl_buffer_get_extent (reference);
  const Babl          *space = gegl_buffer_get_format (reference);
  GeglBuffer          *result = gegl_buffer_new (box, babl_format_with_space ("RGBA float", space));
  Combine              combine = { .frames = g_new (GeglBuffer *, stack->n), .format = babl_format_with_space ("RaGaBaA float", space),
                                   .method = method, .alpha = ALPHA_COVERAGE, .memory = memory / 4 };
  const gint           rows = CLAMP (memory / 2 / (stack->n * (gsize) box->width * 4 * sizeof (gfloat)), 1, (guint64) ROWS);
  gboolean             success = TRUE;

  for (gint y = 0; y < box->height && success; y += rows)
    {
      const GeglRectangle part = { box->x, box->y + y, box->width, MIN (rows, box->height - y) };

      success = combine_rows (stack, &combine, &part, result);
      progress_step (stack->n * 0.25 * part.height / box->height, "row %d of %d", y + part.height, box->height);
    }
  g_free (combine.frames);
  if (! success)
    g_clear_object (&result);
  return result;
}
