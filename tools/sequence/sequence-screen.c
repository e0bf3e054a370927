/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that predict others before they are judged themselves: what passes through them would leave a dark place in those.
 *
 * A pixel is hidden until its frame is judged, with those around it, where it is FAR standard deviations, and TIMES what
 * the background of a frame before has in the 3 x 3 pixels there, above the sky.  So a star is not hidden, wherever in
 * its pixels it lies, and however clear the air. */
#include "sequence.h"

#include <math.h>

#define FAR   8.0f
#define TIMES 2.5f

typedef struct
{
  gsize  at;
  gfloat value;
} HiddenPixel;

void
placed_renew (PlacedFrame *frame)
{
  tessera_kept_unref (frame->frame.kept);
  frame->frame.kept = tessera_kept_new ();
}

/* The highest of 3 x 3 pixels; NaN: the place is not in the plane, or one of them has no value. */
static gfloat
highest_around (const CountPlane *plane, gint x, gint y)
{
  gfloat highest = -INFINITY;

  if (x < 1 || y < 1 || x >= plane->width - 1 || y >= plane->height - 1)
    return NAN;
  for (gint j = -1; j <= 1; j++)
    for (gint i = -1; i <= 1; i++)
      {
        const gfloat value = plane->pixels[(gsize) (y + j) * plane->width + x + i];

        if (isnan (value))
          return NAN;
        highest = MAX (highest, value);
      }
  return highest;
}

static void
hide_around (PlacedFrame *frame, gint x, gint y)
{
  const CountPlane *plane = &frame->frame.plane;

  for (gint v = MAX (y - 1, 0); v <= MIN (y + 1, plane->height - 1); v++)
    for (gint u = MAX (x - 1, 0); u <= MIN (x + 1, plane->width - 1); u++)
      {
        const HiddenPixel pixel = { (gsize) v * plane->width + u, plane->pixels[(gsize) v * plane->width + u] };

        if (! isnan (pixel.value))
          g_array_append_val (frame->hidden, pixel);
      }
}

/* All are found before the first is hidden. */
void
screen_frame (PlacedFrame *frame, const CountPlane *background, FrameShift at)
{
  const CountPlane *plane = &frame->frame.plane;
  const gint        move_x = (gint) floor (frame->frame.shift.x - at.x + 0.5), move_y = (gint) floor (frame->frame.shift.y - at.y + 0.5);
  const SkyLevel    sky = left_sky (plane, SKY_APART), behind = left_sky (background, SKY_APART);
  const gfloat      least = sky.level + FAR * sky.width;

  frame->is_screened = TRUE;
  frame->hidden = g_array_new (FALSE, FALSE, sizeof (HiddenPixel));
  for (gint y = 0; y < plane->height; y++)
    for (gint x = 0; x < plane->width; x++)
      {
        const gfloat value = plane->pixels[(gsize) y * plane->width + x];

        if (value > least && value > least + TIMES * MAX (highest_around (background, x - move_x, y - move_y) - behind.level, 0.0f))
          hide_around (frame, x, y);
      }
  for (guint i = 0; i < frame->hidden->len; i++)
    plane->pixels[g_array_index (frame->hidden, HiddenPixel, i).at] = NAN;
  if (frame->hidden->len > 0)
    placed_renew (frame);
}

void
screen_lift (PlacedFrame *frame)
{
  if (frame->hidden && frame->hidden->len > 0)
    {
      for (guint i = 0; i < frame->hidden->len; i++)
        frame->frame.plane.pixels[g_array_index (frame->hidden, HiddenPixel, i).at] = g_array_index (frame->hidden, HiddenPixel, i).value;
      placed_renew (frame);
    }
  g_clear_pointer (&frame->hidden, g_array_unref);
  frame->is_screened = TRUE;
}
