/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One frame of a sequence, in counts. */
#include "frames.h"

#include <math.h>

#include "counts.h"
#include "fits.h"
#include "frames-file.h"
#include "frames-kinds.h"
#include "loads.h"
#include "ser.h"

/* The counted reference is in front of what is shown. */
typedef struct
{
  gint        references;
  FramePixels pixels;
} Counted;

FramePixels *
frame_pixels_ref (FramePixels *pixels)
{
  Counted *counted = (Counted *) (gpointer) ((gchar *) pixels - G_STRUCT_OFFSET (Counted, pixels));

  g_atomic_int_inc (&counted->references);
  return pixels;
}

void
frame_pixels_unref (FramePixels *pixels)
{
  Counted *counted = (Counted *) (gpointer) ((gchar *) pixels - G_STRUCT_OFFSET (Counted, pixels));

  if (g_atomic_int_dec_and_test (&counted->references))
    {
      count_plane_clear (&pixels->plane);
      frame_facts_clear (&pixels->facts);
      g_free (counted);
    }
}

static gboolean
decode_picture (const gchar *path, FramePixels *pixels, GError **error)
{
  g_autoptr (GeglBuffer) buffer = loads_picture (path);
  const GeglRectangle *box;

  if (! buffer)
    {
      g_autofree gchar *why = g_strconcat ("cannot be read as a picture: ", loads_reason (), NULL);

      return frames_refuse (path, why, error);
    }
  box = gegl_buffer_get_extent (buffer);
  count_plane_init (&pixels->plane, box->width, box->height);
  counts_read (buffer, box, &pixels->plane);
  pixels->saturation = counts_saturation (gegl_buffer_get_format (buffer));
  return TRUE;
}

static gboolean
decode_fits (const Frame *frame, FramePixels *pixels, GError **error)
{
  FitsHeader header;

  if (! fits_read_plane (frame->path, frame->index, &pixels->plane, &header, error))
    return FALSE;
  pixels->saturation = header.saturation;
  frame_facts_copy (&pixels->facts, &header.facts);
  fits_header_clear (&header);
  return TRUE;
}

static gboolean
decode_ser (const Frame *frame, FramePixels *pixels, GError **error)
{
  FrameFacts *facts = &pixels->facts;
  SerHeader   header;

  if (! ser_read_frame (frame->path, frame->index, &pixels->plane, &header, &facts->start, error))
    return FALSE;
  facts->clock = isnan (facts->start) ? CLOCK_NONE : CLOCK_SAID;
  facts->middle = facts->start;
  pixels->saturation = (gfloat) ((1 << header.bits) - 1);
  return TRUE;
}

FramePixels *
frame_decode (const Frame *frame, GError **error)
{
  Counted *counted = g_new0 (Counted, 1);
  gboolean success;

  counted->references = 1;
  counted->pixels.saturation = INFINITY;
  counted->pixels.facts = (FrameFacts) FRAME_FACTS_NONE;
  switch (frame_kind (frame->path))
    {
    case KIND_FITS:
      success = decode_fits (frame, &counted->pixels, error);
      break;
    case KIND_SER:
      success = decode_ser (frame, &counted->pixels, error);
      break;
    default:
      success = decode_picture (frame->path, &counted->pixels, error);
    }
  if (! success)
    {
      g_free (counted);
      return NULL;
    }
  return &counted->pixels;
}
