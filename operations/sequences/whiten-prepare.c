/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A frame as the predictor wants it; see whiten.h.
 */
#include "whiten.h"

#include <float.h>
#include <math.h>

#include "shift.h"
#include "tessera.h"

typedef struct
{
  const CountPlane *plane, *dark;       /* dark may be NULL */
  gfloat            saturation;
  const guint8     *bad;
  CountPlane       *prepared;
} Preparing;

TESSERA_CLONES static void
take_away (const gfloat *restrict pixels, const gfloat *restrict dark, gfloat saturation, gsize n, gfloat *restrict prepared)
{
  for (gsize i = 0; i < n; i++)
    {
      const gboolean is_good = (tessera_abs (pixels[i]) <= FLT_MAX) & ! (pixels[i] >= saturation);
      const gfloat   value = dark ? pixels[i] - dark[i] : pixels[i];

      prepared[i] = is_good ? value : NAN;
    }
}

static void
prepare_rows (gsize first, gsize n, gpointer data)
{
  const Preparing *p = data;
  const gsize      begin = first * p->plane->width;

  take_away (p->plane->pixels + begin, p->dark ? p->dark->pixels + begin : NULL, p->saturation, n * p->plane->width, p->prepared->pixels + begin);
}

TESSERA_CLONES static void
leave_out (const guint8 *restrict bad, gsize n, gfloat *restrict prepared)
{
  for (gsize i = 0; i < n; i++)
    prepared[i] = bad[i] ? NAN : prepared[i];
}

static void
leave_out_rows (gsize first, gsize n, gpointer data)
{
  const Preparing *p = data;
  const gsize      begin = first * p->plane->width;

  leave_out (p->bad + begin, n * p->plane->width, p->prepared->pixels + begin);
}

void
whiten_prepare (const CountPlane *plane, const CountPlane *dark, gfloat saturation, gboolean reject_hot, CountPlane *prepared)
{
  const gdouble row_cost = 64.0 * 64.0 / plane->width;
  g_autofree guint8 *bad = g_new (guint8, (gsize) plane->width * plane->height + 1);
  Preparing     p = { plane, dark, saturation, bad, prepared };

  count_plane_init (prepared, plane->width, plane->height);
  tessera_spread_range (plane->height, row_cost, prepare_rows, &p);
  shift_bad_pixels (prepared, INFINITY, reject_hot, bad);
  tessera_spread_range (plane->height, row_cost, leave_out_rows, &p);
}
