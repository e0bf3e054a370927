/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * follow FRAMES HISTORY FOLDER: of each frame its shift against the first and, from frame HISTORY on, its whitened frame, in C.  Prints a row for each: the
 * number, x, y, and the processor time in ms of the shift and of the whitened frame.  The latter go into FOLDER, FITS of floats.  run-peers.py puts this
 * beside OpenCV and photutils. */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include <gegl.h>

#include "fits.h"
#include "frames.h"
#include "whitener.h"

static gdouble
processor_ms (void)
{
  return clock () * 1e3 / CLOCKS_PER_SEC;
}

static void
write_whitened (const WhitenPlanes *planes, const gchar *folder, gint t)
{
  const gchar *cards[] = { NULL };
  gchar       *path = g_strdup_printf ("%s/%05d.fits", folder, t);
  GError      *error = NULL;

  if (! fits_write (path, &planes->whitened, cards, &error))
    g_error ("%s", error->message);
  g_free (path);
}

/* Bad pixels are NaN. */
static void
read_frame (const Frame *frame, CountPlane *prepared)
{
  GError      *error = NULL;
  FramePixels *pixels = frame_decode (frame, &error);

  if (! pixels)
    g_error ("%s", error->message);
  whiten_prepare (&pixels->plane, NULL, pixels->saturation, TRUE, prepared);
  frame_pixels_unref (pixels);
}

static void
follow (const FrameList *list, gint history, const gchar *folder)
{
  CountPlane  *frames = g_new0 (CountPlane, list->n);
  FrameShift  *shifts = g_new0 (FrameShift, list->n);
  WhitenPlanes planes;
  ShiftKey     key;

  read_frame (&list->frames[0], &frames[0]);
  whiten_planes_init (&planes, frames[0].width, frames[0].height);
  shift_key_init (&key, &frames[0], TRUE);
  for (gint t = 1; t < list->n; t++)
    {
      gdouble began, half;
      Shift   found;

      read_frame (&list->frames[t], &frames[t]);
      began = processor_ms ();
      shift_compare_in_c (&(ShiftRequest) { .key = &key, .n = 1, .frames = frames[t].pixels,
                                              .settings = { SHIFT_PYRAMID, 64, INFINITY, FALSE } }, &found);
      shifts[t] = (FrameShift) { found.x, found.y };
      half = processor_ms ();
      if (t >= history)
        whitener_whiten (frames, shifts, t, history, 1, &planes);
      g_print ("%d %.6f %.6f %.3f %.3f\n", t, shifts[t].x, shifts[t].y, half - began, processor_ms () - half);
      if (t >= history)
        write_whitened (&planes, folder, t);
    }
  shift_key_clear (&key);
  whiten_planes_clear (&planes);
  for (gint t = 0; t < list->n; t++)
    count_plane_clear (&frames[t]);
  g_free (frames);
  g_free (shifts);
}

gint
main (gint argc, gchar **argv)
{
  FrameList list;
  GError   *error = NULL;

  gegl_init (NULL, NULL);
  if (argc != 4 || ! frames_list (argv[1], &list, &error))
    g_error ("%s", error ? error->message : "FRAMES HISTORY FOLDER");
  whitener_begin (FALSE);
  follow (&list, atoi (argv[2]), argv[3]);
  whitener_end ();
  frame_list_clear (&list);
  gegl_exit ();
  return 0;
}
