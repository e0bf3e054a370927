/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Objects taken out of the history; see detect.h.
 */
#include "detect.h"

#include <math.h>

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

/* The square around a candidate loses its values, as far as there is room.  Returns how many had one. */
static gint
hide_square (CountPlane *frame, gsize at, gint room)
{
  const gint x0 = (gint) (at % frame->width), y0 = (gint) (at / frame->width);
  gint       n = 0;

  for (gint y = MAX (y0 - GROW, 0); y <= MIN (y0 + GROW, frame->height - 1); y++)
    for (gint x = MAX (x0 - GROW, 0); x <= MIN (x0 + GROW, frame->width - 1); x++)
      {
        gfloat *pixel = frame->pixels + (gsize) y * frame->width + x;

        if (n == room || isnan (*pixel))
          continue;
        *pixel = NAN;
        n++;
      }
  return n;
}

gint
removal_apply (const CountPlane *filtered, gfloat threshold, CountPlane *frame)
{
  const gint  most = (gint) ((gsize) frame->width * frame->height / FRACTION);
  g_autoptr (GArray) candidates = find_candidates (filtered, threshold);
  gint        n = 0;

  for (guint i = 0; i < candidates->len && n < most; i++)
    n += hide_square (frame, g_array_index (candidates, Candidate, i).at, most - n);
  return n;
}
