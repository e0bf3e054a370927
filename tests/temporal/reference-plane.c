/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "reference.h"

#include <math.h>
#include <string.h>

Plane
plane_new (gint width, gint height)
{
  const Plane plane = { width, height, g_new0 (gdouble, (gsize) width * height) };

  return plane;
}

gsize
plane_size (const Plane *plane)
{
  return (gsize) plane->width * plane->height;
}

Plane
plane_copy (const Plane *plane)
{
  Plane copy = plane_new (plane->width, plane->height);

  memcpy (copy.values, plane->values, plane_size (plane) * sizeof (gdouble));
  return copy;
}

void
plane_free (Plane *plane)
{
  g_clear_pointer (&plane->values, g_free);
}

gdouble
plane_at (const Plane *plane, gint x, gint y)
{
  return plane->values[(gsize) CLAMP (y, 0, plane->height - 1) * plane->width + CLAMP (x, 0, plane->width - 1)];
}

/* The k-th smallest, with none larger before it: Hoare's selection. */
static gdouble
select_kth (gdouble *values, gsize n, gsize k)
{
  gssize left = 0, right = (gssize) n - 1;

  while (left < right)
    {
      const gdouble pivot = values[left + (right - left) / 2];
      gssize        i = left, j = right;

      while (i <= j)
        {
          while (values[i] < pivot)
            i++;
          while (values[j] > pivot)
            j--;
          if (i <= j)
            {
              const gdouble kept = values[i];

              values[i++] = values[j];
              values[j--] = kept;
            }
        }
      if ((gssize) k <= j)
        right = j;
      else if ((gssize) k >= i)
        left = i;
      else
        break;
    }
  return values[k];
}

gdouble
median (gdouble *values, gsize n)
{
  gdouble upper, lower;

  if (n == 0)
    return NAN;
  upper = select_kth (values, n, n / 2);
  if (n % 2)
    return upper;
  lower = values[0];
  for (gsize i = 1; i < n / 2; i++)
    lower = MAX (lower, values[i]);
  return (lower + upper) / 2;
}

gdouble
plane_median (const Plane *plane)
{
  gdouble *values = g_new (gdouble, plane_size (plane) + 1), middle;
  gsize    n = 0;

  for (gsize i = 0; i < plane_size (plane); i++)
    if (isfinite (plane->values[i]))
      values[n++] = plane->values[i];
  middle = median (values, n);
  g_free (values);
  return middle;
}
