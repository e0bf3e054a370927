/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frames of tessera-stack: read, and found on the reference.
 *
 * A frame is read once; for the sharpest reference, twice.  What is aligned stays in GEGL's tiles as it was decoded; they go to
 * GEGL's swap file where they are more than the memory allowed.  While one frame is looked for, the next one is decoded, and the
 * first two are decoded at once: decoders have one thread.
 */
#include "stack.h"

#include <string.h>

#include "loads.h"
#include "matrix.h"

/* Held from before the next file is begun until what is found of a frame is kept. */
static GMutex finding;

/* The process ends here, in the thread that decodes.  Nothing that is being found is lost. */
static void
say_unreadable (const gchar *path)
{
  g_mutex_lock (&finding);
  progress_say ("%s cannot be read as a picture; run it again without it", path);
}

/* The file, decoded; NULL: it is no picture, and the frame says why. */
static GeglBuffer *
stack_load (StackFrame *frame)
{
  GeglBuffer *buffer;

  loads_begin (frame->path, say_unreadable);
  buffer = loads_picture (frame->path);
  loads_end ();
  g_free (frame->unread);
  frame->unread = buffer ? NULL : g_strdup (loads_reason ());
  return buffer;
}

gdouble
stack_sharpness (StackFrame *frame)
{
  g_autoptr (GeglBuffer) buffer = stack_load (frame);
  GeglRectangle  box, row;
  g_autofree gfloat *pixels = NULL;
  gdouble        sum = 0.0;

  if (! buffer)
    return -1.0;
  box = *gegl_buffer_get_extent (buffer);
  box = (GeglRectangle) { box.x + box.width / 4, box.y + box.height / 4, MAX (box.width / 2, 1), MAX (box.height / 2, 1) };
  pixels = g_new (gfloat, 2 * box.width);
  row = box;
  row.height = 2;
  for (gint y = 0; y + 1 < box.height; y++)
    {
      row.y = box.y + y;
      gegl_buffer_get (buffer, &row, 1.0, babl_format ("Y' float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_CLAMP);
      for (gint x = 0; x + 1 < box.width; x++)
        {
          const gdouble along = pixels[x + 1] - pixels[x], down = pixels[box.width + x] - pixels[x];

          sum += along * along + down * down;
        }
    }
  return sum / ((gdouble) box.width * box.height);
}

/* ------------------------------------------------------------------ aligning -- */

/* What all frames of a run have in common. */
typedef struct
{
  Stack        *stack;
  const Babl   *format;         /* in the reference's space */
  AlignPicture  reference;
  gboolean      has_points;
  GThread      *decoding;       /* of the next frame; or NULL */
} Aligning;

TesseraRequest
stack_request (const Stack *stack, GeglBuffer *picture, const Babl *format)
{
  const GeglRectangle box = *gegl_buffer_get_extent (picture);

  return (TesseraRequest) { .errand = { .operation = gegl_node_get_gegl_operation (stack->node) }, .input = picture, .input_format = format,
                            .output_format = format, .roi = box, .bounds = box, .border = TESSERA_BORDER_CLAMP };
}

/* Sets the frame's members.  FALSE: OpenCL is forced and could not run. */
static gboolean
find (Aligning *aligning, GeglBuffer *buffer, GeglBuffer *reference, StackFrame *frame)
{
  TesseraRequest of_reference = stack_request (aligning->stack, reference, aligning->format);
  TesseraRequest moving = stack_request (aligning->stack, buffer, aligning->format);
  const AlignSettings *settings = &aligning->stack->settings;
  AlignPicture   picture = { 0 };
  Consensus      found = { .matrix = MATRIX_IDENTITY };
  gboolean       done = TRUE;

  if (! aligning->has_points)
    done = align_picture_init (&aligning->reference, &of_reference, settings, 0);
  aligning->has_points = TRUE;
  done = done && align_picture_init (&picture, &moving, settings,
                                     settings->model == MODEL_TRANSLATION ? aligning->reference.factor : 0);
  done = done && align_find (&moving.errand, &aligning->reference, &picture, settings, &found);
  align_picture_clear (&picture);
  frame->is_known = done;
  frame->is_aligned = found.is_aligned;
  memcpy (frame->matrix, found.matrix, sizeof frame->matrix);
  frame->reason = g_strdup (found.reason);
  return done;
}

static void
keep (Stack *stack)
{
  GError *error = NULL;

  if (stack_keep (stack, &error))
    return;
  if (! stack->is_unkept)
    progress_say ("%s; the transforms are not kept", error->message);
  stack->is_unkept = TRUE;
  g_error_free (error);
}

static gpointer
decode (gpointer frame)
{
  return stack_load (frame);
}

/* Of frame `i` or the first one behind it that has to be read. */
static void
begin_decoding (Aligning *aligning, gint i)
{
  const Stack *stack = aligning->stack;

  while (i < stack->n && (i == stack->reference || (stack->frames[i].is_known && ! stack->frames[i].is_aligned)))
    i++;
  aligning->decoding = i < stack->n ? g_thread_new ("decode", decode, &stack->frames[i]) : NULL;
}

/* Of a frame that is not asked for. */
static void
end_decoding (Aligning *aligning)
{
  if (aligning->decoding)
    g_clear_object (&(GeglBuffer *) { g_thread_join (aligning->decoding) });
}

/* The frame's picture; or NULL.  It is found on the reference, if it has not been, while the next one is decoded. */
static GeglBuffer *
find_decoded (Aligning *aligning, GeglBuffer *reference, StackFrame *frame, gboolean *success)
{
  GeglBuffer *buffer = g_thread_join (aligning->decoding);

  g_mutex_lock (&finding);
  begin_decoding (aligning, frame + 1 - aligning->stack->frames);
  if (buffer && ! frame->is_known)
    {
      *success = find (aligning, buffer, reference, frame);
      if (*success)
        keep (aligning->stack);
    }
  g_mutex_unlock (&finding);
  return buffer;
}

static gboolean
align_frame (Aligning *aligning, GeglBuffer *reference, StackFrame *frame)
{
  gboolean    success = TRUE;
  g_autoptr (GeglBuffer) buffer = frame->is_known && ! frame->is_aligned ? NULL : find_decoded (aligning, reference, frame, &success);

  if (! buffer && (frame->is_aligned || ! frame->is_known))
    {
      frame->is_known = frame->is_aligned = FALSE;      /* what is kept of it stays, for when it can be read again */
      g_free (frame->reason);
      frame->reason = g_strdup_printf ("it cannot be read as a picture: %s", frame->unread ? frame->unread : "");
    }
  if (success && buffer && frame->is_aligned)
    frame->picture = g_object_ref (buffer);
  if (success && ! frame->is_aligned)
    progress_say ("%s is left out: %s", frame->path, frame->reason);
  else if (success && frame->reason && *frame->reason)
    progress_say ("%s: %s", frame->path, frame->reason);
  return success;
}

gboolean
stack_align (Stack *stack)
{
  StackFrame *first = &stack->frames[stack->reference];
  GeglBuffer *reference;
  Aligning    aligning = { .stack = stack };
  gboolean    success = TRUE;

  begin_decoding (&aligning, 0);
  if (! (reference = stack_load (first)))
    {
      progress_say ("%s, the reference, cannot be read as a picture: %s", first->path, first->unread);
      end_decoding (&aligning);
      return FALSE;
    }
  aligning.format = babl_format_with_space ("RaGaBaA float", gegl_buffer_get_format (reference));
  matrix_place (1.0, 0.0, 0.0, first->matrix);
  first->is_known = first->is_aligned = TRUE;
  first->picture = reference;
  for (gint i = 0; i < stack->n && success; i++)
    {
      progress_step (0.0, "%s", stack->frames[i].path);
      if (i != stack->reference)
        success = align_frame (&aligning, reference, &stack->frames[i]);
      progress_step (1.0, "%s", stack->frames[i].path);
    }
  end_decoding (&aligning);             /* OpenCL is forced */
  align_picture_clear (&aligning.reference);
  return success;
}
