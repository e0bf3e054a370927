/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A frame as the predictor wants it; see whiten.h.
 */
#include "whiten.h"

#include <math.h>

#include "shift.h"

void
whiten_prepare (const CountPlane *plane, const CountPlane *dark, gfloat saturation, gboolean reject_hot, CountPlane *prepared)
{
  const gsize n = (gsize) plane->width * plane->height;
  guint8     *bad = g_new (guint8, n + 1);

  count_plane_init (prepared, plane->width, plane->height);
  for (gsize i = 0; i < n; i++)
    {
      const gfloat value = plane->pixels[i];

      prepared->pixels[i] = ! isfinite (value) || value >= saturation ? NAN : dark ? value - dark->pixels[i] : value;
    }
  shift_bad_pixels (prepared, INFINITY, reject_hot, bad);
  for (gsize i = 0; i < n; i++)
    if (bad[i])
      prepared->pixels[i] = NAN;
  g_free (bad);
}
