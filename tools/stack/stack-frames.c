/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The frames of tessera-stack: read, and found on the reference.
 *
 * A frame is read once; for the sharpest reference, twice.  What is aligned stays in GEGL's tiles as it was decoded; they go to
 * GEGL's swap file where they are more than the memory allowed.  While one frame is looked for, the next two are decoded, each on a
 * thread: decoders have one.
 */
#include "stack.h"

#include <string.h>

#include "loads.h"
#include "matrix.h"

#define CONTRAST_THRESHOLD 0.04

/* The file that is waited for: what is found of all frames before it has been kept. */
static GMutex       mutex;
static GCond        has_come;
static const gchar *awaited;

static void
await (const gchar *path)
{
  g_mutex_lock (&mutex);
  awaited = path;
  g_cond_broadcast (&has_come);
  g_mutex_unlock (&mutex);
}

/* The process ends here, in the thread that decodes. */
static void
say_unreadable (const gchar *path)
{
  g_mutex_lock (&mutex);
  while (awaited != path)
    g_cond_wait (&has_come, &mutex);
  progress_say ("%s cannot be read as a picture; run it again without it", path);
}

static gpointer
decode (gpointer data)
{
  const StackFrame *frame = data;
  GeglBuffer       *buffer;

  loads_begin (frame->path, say_unreadable);
  buffer = loads_picture (frame->path);
  loads_end ();
  return buffer;
}

GeglBuffer *
stack_load (StackFrame *frame)
{
  await (frame->path);
  return decode (frame);
}

gdouble
stack_sharpness (StackFrame *frame)
{
  GeglBuffer    *buffer = stack_load (frame);
  GeglRectangle  box, row;
  gfloat        *pixels;
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
  g_free (pixels);
  g_object_unref (buffer);
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
  GThread     **decoding;       /* of frames that are decoded and not waited for yet; NULL of others */
  gint          next;           /* from this frame on, none is decoded */
} Aligning;

TesseraRequest
stack_request (const Stack *stack, GeglBuffer *picture, const Babl *format)
{
  const GeglRectangle box = *gegl_buffer_get_extent (picture);

  return (TesseraRequest) { .operation = gegl_node_get_gegl_operation (stack->node), .input = picture, .input_format = format,
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
    done = align_picture_init (&aligning->reference, &of_reference, CONTRAST_THRESHOLD, 0);
  aligning->has_points = TRUE;
  done = done && align_picture_init (&picture, &moving, CONTRAST_THRESHOLD,
                                     settings->model == MODEL_TRANSLATION ? aligning->reference.factor : 0);
  done = done && align_find (&moving, &aligning->reference, &picture, settings, &found);
  align_picture_clear (&picture);
  frame->is_known = done;
  frame->is_aligned = found.is_aligned;
  memcpy (frame->matrix, found.matrix, sizeof frame->matrix);
  if (! found.is_aligned)
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

/* Of one frame more that has to be read. */
static void
begin_decoding (Aligning *aligning)
{
  const Stack *stack = aligning->stack;
  gint         i = aligning->next;

  while (i < stack->n && (i == stack->reference || (stack->frames[i].is_known && ! stack->frames[i].is_aligned)))
    i++;
  if (i < stack->n)
    aligning->decoding[i] = g_thread_new ("decode", decode, &stack->frames[i]);
  aligning->next = i + 1;
}

static GeglBuffer *
end_decoding (Aligning *aligning, gint i)
{
  GThread *decoding = aligning->decoding[i];

  await (aligning->stack->frames[i].path);
  aligning->decoding[i] = NULL;
  return g_thread_join (decoding);
}

/* The frame's picture; or NULL.  It is found on the reference, if it has not been, while others are decoded. */
static GeglBuffer *
find_decoded (Aligning *aligning, GeglBuffer *reference, StackFrame *frame, gboolean *success)
{
  GeglBuffer *buffer = end_decoding (aligning, frame - aligning->stack->frames);

  begin_decoding (aligning);
  if (buffer && ! frame->is_known)
    {
      *success = find (aligning, buffer, reference, frame);
      if (*success)
        keep (aligning->stack);
    }
  return buffer;
}

static gboolean
align_frame (Aligning *aligning, GeglBuffer *reference, StackFrame *frame)
{
  gboolean    success = TRUE;
  GeglBuffer *buffer = frame->is_known && ! frame->is_aligned ? NULL : find_decoded (aligning, reference, frame, &success);

  if (! buffer && (frame->is_aligned || ! frame->is_known))
    {
      frame->is_known = frame->is_aligned = FALSE;      /* what is kept of it stays, for when it can be read again */
      frame->reason = g_strdup ("it cannot be read as a picture");
    }
  if (success && buffer && frame->is_aligned)
    frame->picture = g_object_ref (buffer);
  if (success && ! frame->is_aligned)
    progress_say ("%s is left out: %s", frame->path, frame->reason);
  g_clear_object (&buffer);
  return success;
}

static gboolean
align_all (Aligning *aligning, GeglBuffer *reference)
{
  Stack      *stack = aligning->stack;
  StackFrame *first = &stack->frames[stack->reference];
  gboolean    success = TRUE;

  aligning->format = babl_format_with_space ("RaGaBaA float", gegl_buffer_get_format (reference));
  matrix_place (1.0, 0.0, 0.0, first->matrix);
  first->is_known = first->is_aligned = TRUE;
  first->picture = reference;
  for (gint i = 0; i < stack->n && success; i++)
    {
      progress_step (0.0, "%s", stack->frames[i].path);
      if (i != stack->reference)
        success = align_frame (aligning, reference, &stack->frames[i]);
      progress_step (1.0, "%s", stack->frames[i].path);
    }
  align_picture_clear (&aligning->reference);
  return success;
}

gboolean
stack_align (Stack *stack)
{
  StackFrame *first = &stack->frames[stack->reference];
  GeglBuffer *reference;
  Aligning    aligning = { .stack = stack, .decoding = g_new0 (GThread *, stack->n) };
  gboolean    success = FALSE;

  begin_decoding (&aligning);
  begin_decoding (&aligning);
  if ((reference = stack_load (first)))
    success = align_all (&aligning, reference);
  else
    progress_say ("%s, the reference, cannot be read as a picture", first->path);
  for (gint i = 0; i < stack->n; i++)
    if (aligning.decoding[i])           /* it is not asked for */
      g_clear_object (&(GeglBuffer *) { end_decoding (&aligning, i) });
  g_free (aligning.decoding);
  return success;
}
