/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that predict others before they are judged themselves: what passes through them would leave a dark place in those.
 *
 * A pixel is hidden until its frame is judged, with those around it, where it is FAR standard deviations, and TIMES what
 * the background of a frame before has in the 3 x 3 pixels there, above the sky; so is what hangs together with it and is LEAST above that,
 * as what is bright is wide.  So a star is not hidden, wherever in its pixels it lies, and however clear the air. */
#include "sequence.h"

#include <math.h>

#define FAR   8.0f
#define LEAST 2.5f              /* of what hangs together with such a pixel */
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

/* What a pixel has to be above, beside the light of the background there. */
typedef struct
{
  const CountPlane *plane, *background;
  gint              move_x, move_y;     /* of the frame, from the background */
  gfloat            behind;             /* the background's sky */
} Screen;

static gboolean
stands_out (const Screen *s, gint x, gint y, gfloat least)
{
  const gfloat value = s->plane->pixels[(gsize) y * s->plane->width + x];

  return value > least && value > least + TIMES * MAX (highest_around (s->background, x - s->move_x, y - s->move_y) - s->behind, 0.0f);
}

/* Pixels that are far above, and what hangs together with them. */
static GArray *
find_outstanding (const Screen *s, gfloat far, gfloat least)
{
  const gint  width = s->plane->width, height = s->plane->height;
  GArray     *found = g_array_new (FALSE, FALSE, sizeof (gsize));
  g_autofree guint8 *seen = g_new0 (guint8, (gsize) width * height);

  for (gsize i = 0; i < (gsize) width * height; i++)
    if (s->plane->pixels[i] > far && stands_out (s, (gint) (i % width), (gint) (i / width), far))
      {
        g_array_append_val (found, i);
        seen[i] = TRUE;
      }
  for (guint k = 0; k < found->len; k++)
    {
      const gint x0 = (gint) (g_array_index (found, gsize, k) % width), y0 = (gint) (g_array_index (found, gsize, k) / width);

      for (gint y = MAX (y0 - 1, 0); y <= MIN (y0 + 1, height - 1); y++)
        for (gint x = MAX (x0 - 1, 0); x <= MIN (x0 + 1, width - 1); x++)
          {
            const gsize at = (gsize) y * width + x;

            if (seen[at] || ! stands_out (s, x, y, least))
              continue;
            seen[at] = TRUE;
            g_array_append_val (found, at);
          }
    }
  return found;
}

/* All are found before the first is hidden. */
void
screen_frame (PlacedFrame *frame, const CountPlane *background, FrameShift at, gfloat step)
{
  const CountPlane *plane = &frame->frame.plane;
  const SkyLevel    sky = left_sky (plane, SKY_APART);
  const gfloat      width = MAX (sky.width, WHITEN_OF_STEP * step);
  const Screen      screen = { plane, background, (gint) floor (frame->frame.shift.x - at.x + 0.5), (gint) floor (frame->frame.shift.y - at.y + 0.5),
                               left_sky (background, SKY_APART).level };
  g_autoptr (GArray) found = find_outstanding (&screen, sky.level + FAR * width, sky.level + LEAST * width);

  frame->is_screened = TRUE;
  g_clear_pointer (&frame->hidden, g_array_unref);
  frame->hidden = g_array_new (FALSE, FALSE, sizeof (HiddenPixel));
  for (guint i = 0; i < found->len; i++)
    hide_around (frame, (gint) (g_array_index (found, gsize, i) % plane->width), (gint) (g_array_index (found, gsize, i) / plane->width));
  for (guint i = 0; i < frame->hidden->len; i++)
    plane->pixels[g_array_index (frame->hidden, HiddenPixel, i).at] = NAN;
  if (frame->hidden->len > 0)
    placed_renew (frame);
}

gboolean
screen_lift (PlacedFrame *frame)
{
  const gboolean has_hidden = frame->hidden && frame->hidden->len > 0;

  if (has_hidden)
    {
      for (guint i = 0; i < frame->hidden->len; i++)
        frame->frame.plane.pixels[g_array_index (frame->hidden, HiddenPixel, i).at] = g_array_index (frame->hidden, HiddenPixel, i).value;
      placed_renew (frame);
    }
  g_clear_pointer (&frame->hidden, g_array_unref);
  frame->is_screened = TRUE;
  return has_hidden;
}
