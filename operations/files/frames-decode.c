/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One frame of a sequence, in counts. */
#include "frames.h"

#include <math.h>
#include <string.h>

#include "colours.h"
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

/* Red is there already. */
static gboolean
add_colours (const Frame *frame, const FitsHeader *header, CountPlane *sum, GError **error)
{
  static const gfloat weights[] = { COLOURS_RED, COLOURS_GREEN, COLOURS_BLUE };
  const gfloat        full = frame->colours.full > 0.0f ? frame->colours.full : header->saturation;
  gboolean            success = TRUE;

  if (header->planes < header->promised)
    return frames_refuse (frame->path, "ends before the last of its pixels", error);
  colours_add (sum, sum, weights[0], full);
  for (gint i = 1; i < 3 && success; i++)
    {
      CountPlane plane = { 0 };
      FitsHeader again;

      success = fits_read_plane (frame->path, i, &plane, &again, error);
      if (success && plane.width == sum->width && plane.height == sum->height)
        colours_add (sum, &plane, weights[i], full);
      else if (success)
        success = frames_refuse (frame->path, "changes while it is read", error);
      fits_header_clear (&again);
      count_plane_clear (&plane);
    }
  return success;
}

static gboolean
decode_fits (const Frame *frame, FramePixels *pixels, GError **error)
{
  FitsHeader header;
  gboolean   success;

  if (! fits_read_plane (frame->path, frame->index, &pixels->plane, &header, error))
    return FALSE;
  success = ! header.is_colour || add_colours (frame, &header, &pixels->plane, error);
  pixels->saturation = header.saturation;
  frame_facts_copy (&pixels->facts, &header.facts);
  strcpy (pixels->pattern, header.pattern);
  fits_header_clear (&header);
  return success;
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
  strcpy (pixels->pattern, header.pattern);
  return TRUE;
}

/* Counts of a mean are those of one pixel: a star has a quarter of them. */
void
frames_join_cells (FrameFacts *facts)
{
  facts->cell = 2;
  facts->zero_point -= 2.5 * log10 (4.0);
}

static void
reduce (const FrameColours *colours, FramePixels *pixels)
{
  CountPlane cells;

  if (! *pixels->pattern)
    strcpy (pixels->pattern, colours->pattern);
  if (colours->mode == COLOURS_KEPT || ! *pixels->pattern || pixels->plane.width < 2 || pixels->plane.height < 2)
    return;
  cells = colours_reduced (&pixels->plane, colours->mode, pixels->pattern, colours->full > 0.0f ? colours->full : pixels->saturation);
  count_plane_clear (&pixels->plane);
  pixels->plane = cells;
  frames_join_cells (&pixels->facts);
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
      frame_pixels_unref (&counted->pixels);
      return NULL;
    }
  reduce (&frame->colours, &counted->pixels);
  return &counted->pixels;
}
