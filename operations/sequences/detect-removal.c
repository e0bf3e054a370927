/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Objects taken out of the history; see detect.h.
 */
#include "detect.h"

#include <math.h>
#include <string.h>

#define GROW     2              /* a 5 x 5 square */
#define FRACTION 100            /* one pixel in so many */

typedef struct
{
  gfloat value;
  gsize  at;
} Candidate;

/* The strongest first; of equal ones that which comes first in the frame. */
static gint
compare_candidates (gconstpointer a, gconstpointer b)
{
  const Candidate *p = a, *q = b;

  if (p->value != q->value)
    return p->value > q->value ? -1 : 1;
  return p->at < q->at ? -1 : p->at > q->at;
}

static GArray *
find_candidates (const CountPlane *filtered, gfloat threshold)
{
  const gint width = filtered->width;
  GArray    *candidates = g_array_new (FALSE, FALSE, sizeof (Candidate));
  g_autofree guint8 *rows = detect_rows_above (filtered, threshold);

  for (gint y = 0; y < filtered->height; y++)
    for (gsize i = (gsize) y * width; rows[y] && i < (gsize) (y + 1) * width; i++)
      if (filtered->pixels[i] > threshold)
        {
          const Candidate candidate = { filtered->pixels[i], i };

          g_array_append_val (candidates, candidate);
        }
  g_array_sort (candidates, compare_candidates);
  return candidates;
}

/* Whether this place of the sky was replaced in each of the last frames. */
static gboolean
was_replaced (const Removal *removal, FrameShift shift, gint x, gint y)
{
  gboolean was = removal->n == REMOVAL_ROW;

  for (gint i = 0; i < removal->n && was; i++)
    {
      const gint from_x = x - (gint) floor (shift.x - removal->shifts[i].x + 0.5);
      const gint from_y = y - (gint) floor (shift.y - removal->shifts[i].y + 0.5);

      was = from_x >= 0 && from_x < removal->width && from_y >= 0 && from_y < removal->height
            && removal->masks[i][(gsize) from_y * removal->width + from_x];
    }
  return was;
}

/* Marks and replaces the square around a candidate, as far as there is room and the background is known.  Returns how many pixels are new. */
static gint
replace_square (const Removal *removal, FrameShift shift, const CountPlane *background, gsize at, gint room, guint8 *mask, CountPlane *frame)
{
  const gint x0 = at % removal->width, y0 = at / removal->width;
  gint       n = 0;

  for (gint y = MAX (y0 - GROW, 0); y <= MIN (y0 + GROW, removal->height - 1); y++)
    for (gint x = MAX (x0 - GROW, 0); x <= MIN (x0 + GROW, removal->width - 1); x++)
      {
        const gsize i = (gsize) y * removal->width + x;
        guint8     *marked = mask + i;

        if (n < room && ! *marked && ! isnan (background->pixels[i]) && ! was_replaced (removal, shift, x, y))
          {
            *marked = TRUE;
            frame->pixels[i] = background->pixels[i];
            n++;
          }
      }
  return n;
}

/* The new mask becomes the first. */
static void
remember (Removal *removal, FrameShift shift, guint8 *mask)
{
  if (removal->n == REMOVAL_ROW)
    g_free (removal->masks[REMOVAL_ROW - 1]);
  removal->n = MIN (removal->n + 1, REMOVAL_ROW);
  for (gint i = removal->n - 1; i > 0; i--)
    {
      removal->masks[i] = removal->masks[i - 1];
      removal->shifts[i] = removal->shifts[i - 1];
    }
  removal->masks[0] = mask;
  removal->shifts[0] = shift;
}

gint
removal_apply (Removal *removal, const CountPlane *filtered, const CountPlane *background, gfloat threshold, FrameShift shift,
               CountPlane *frame)
{
  const gsize n_pixels = (gsize) frame->width * frame->height;
  const gint  most = (gint) (n_pixels / FRACTION);
  g_autoptr (GArray) candidates = find_candidates (filtered, threshold);
  guint8     *mask = g_new0 (guint8, n_pixels);
  gint        n = 0;

  if (removal->width != frame->width || removal->height != frame->height)
    removal_clear (removal);
  removal->width = frame->width;
  removal->height = frame->height;
  for (guint i = 0; i < candidates->len && n < most; i++)
    n += replace_square (removal, shift, background, g_array_index (candidates, Candidate, i).at, most - n, mask, frame);
  remember (removal, shift, mask);
  return n;
}

void
removal_clear (Removal *removal)
{
  for (gint i = 0; i < removal->n; i++)
    g_free (removal->masks[i]);
  memset (removal, 0, sizeof *removal);
}
