/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames as the computation needs them: less the dark frame, and NaN where a pixel is bad. */
#include "sequence.h"

#include "../progress.h"
#include "frames-file.h"
#include "loads.h"

#define KEPT 6                  /* frames, decoded */

static void
say_unreadable (const gchar *path)
{
  progress_say ("%s cannot be read as a picture; run it again without that file", path);
}

static FramePixels *
decode (Sequence *sequence, gint index, gint width, gint height, GError **error)
{
  FramePixels *pixels;

  loads_begin (sequence->list.frames[index].path, say_unreadable);
  pixels = frame_cache_get (sequence->cache, &sequence->list.frames[index], width, height, error);
  loads_end ();
  return pixels;
}

/* ------------------------------------------------------------------- frames -- */

gboolean
sequence_frame (Sequence *sequence, gint index, CountPlane *plane, FrameFacts *facts, GError **error)
{
  const SequenceSettings *settings = &sequence->settings;
  FramePixels            *pixels;

  pixels = decode (sequence, index, sequence->width, sequence->height, error);
  if (! pixels)
    return FALSE;
  *facts = pixels->facts;
  whiten_prepare (&pixels->plane, sequence->dark.pixels ? &sequence->dark : NULL,
                  settings->saturation >= 0.0 ? (gfloat) settings->saturation : pixels->saturation, settings->rejects_hot, plane);
  frame_pixels_unref (pixels);
  return TRUE;
}

static gboolean
find_size (Sequence *sequence)
{
  for (gint i = 0; i < sequence->list.n; i++)
    {
      FramePixels *pixels = decode (sequence, i, 0, 0, NULL);

      if (pixels)
        {
          sequence->width = pixels->plane.width;
          sequence->height = pixels->plane.height;
          frame_pixels_unref (pixels);
          return TRUE;
        }
    }
  return FALSE;
}

static gboolean
open_dark (Sequence *sequence, GError **error)
{
  FrameList    list;
  FramePixels *pixels = NULL;

  if (! frames_list (sequence->dark_path, &list, error))
    return FALSE;
  if (list.n == 1)
    pixels = frame_cache_get (sequence->cache, &list.frames[0], sequence->width, sequence->height, error);
  else
    frames_refuse (sequence->dark_path, "is not one frame", error);
  sequence->dark_file = g_strdup (list.frames[0].path);
  frame_list_clear (&list);
  if (! pixels)
    return FALSE;
  count_plane_init (&sequence->dark, sequence->width, sequence->height);
  for (gsize i = 0; i < (gsize) sequence->width * sequence->height; i++)
    sequence->dark.pixels[i] = pixels->plane.pixels[i];
  frame_pixels_unref (pixels);
  return TRUE;
}

gboolean
sequence_open (Sequence *sequence, GError **error)
{
  if (! frames_list (sequence->what, &sequence->list, error))
    return FALSE;
  for (guint i = 0; i < sequence->list.notes->len; i++)
    progress_say ("%s", (const gchar *) sequence->list.notes->pdata[i]);
  sequence->cache = frame_cache_new (0);        /* of the first, one */
  if (! find_size (sequence))
    {
      g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "%s: none of the %d frames can be read", sequence->what, sequence->list.n);
      return FALSE;
    }
  frame_cache_free (sequence->cache);
  sequence->cache = frame_cache_new (KEPT * sizeof (gfloat) * (gsize) sequence->width * sequence->height);
  sequence->blocks = (sequence->list.n + sequence->settings.block - 1) / sequence->settings.block;
  return ! sequence->dark_path || open_dark (sequence, error);
}

void
sequence_clear (Sequence *sequence)
{
  frame_list_clear (&sequence->list);
  count_plane_clear (&sequence->dark);
  g_clear_pointer (&sequence->dark_file, g_free);
  if (sequence->cache)
    frame_cache_free (sequence->cache);
  sequence->cache = NULL;
}
