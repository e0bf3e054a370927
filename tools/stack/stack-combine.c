/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frames of tessera-stack become one picture, a square of all of them at a time: it is laid in the reference's frame just before it
 * is combined.  So no frame is ever there as floats.
 */
#include "stack.h"

#include "resample.h"

/* A frame that is aligned, and where it lies. */
typedef struct
{
  TesseraRequest request;
  Resample       resample;
} Laid;

typedef struct
{
  Laid *laid;
  gint  n;                      /* frames of the stack, ... */
  gint  rows;                   /* ... and rows that are done, for the progress */
} Laying;

static void
read_laid (gint k, const GeglRectangle *square, gfloat *pixels, gpointer data)
{
  const Laying *laying = data;

  resample_pixels (&laying->laid[k].request, square, pixels);
}

static void
tell_rows (gint rows, gint all, gpointer data)
{
  Laying *laying = data;

  laying->rows += rows;
  progress_step (laying->n * 0.25 * rows / all, "row %d of %d", laying->rows, all);
}

GeglBuffer *
stack_combine (const Stack *stack, CombineMethod method, const Babl *format, guint64 memory)
{
  GeglBuffer          *reference = stack->frames[stack->reference].picture;
  const GeglRectangle *box = gegl_buffer_get_extent (reference);
  const Babl          *space = gegl_buffer_get_format (reference);
  GeglBuffer          *result = gegl_buffer_new (box, format);
  g_autofree const Babl **formats = g_new (const Babl *, stack->n);
  CombineSteps         steps;
  Laying               laying = { g_new (Laid, stack->n), stack->n, 0 };
  Combine              combine = { .read = read_laid, .told = tell_rows, .data = &laying, .format = babl_format_with_space ("RaGaBaA float", space),
                                   .method = method, .alpha = ALPHA_COVERAGE, .memory = memory / 4 };

  for (gint i = 0; i < stack->n; i++)
    if (stack->frames[i].picture)
      {
        Laid *laid = &laying.laid[combine.n];

        laid->request = stack_request (stack, stack->frames[i].picture, combine.format);
        laid->request.params = &laid->resample;
        formats[combine.n] = gegl_buffer_get_format (stack->frames[i].picture);
        combine.n += resample_init (&laid->resample, stack->frames[i].matrix);
      }
  combine.steps = combine_steps (formats, combine.n, space, &steps) ? &steps : NULL;
  combine_frames (&combine, box, result);
  g_free (laying.laid);
  return result;
}
