/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "colours.h"

#include <math.h>
#include <string.h>

const gchar *
colours_pattern (const gchar *name)
{
  static const gchar *const patterns[] = { "RGGB", "BGGR", "GRBG", "GBRG" };

  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    if (g_ascii_strcasecmp (name, patterns[i]) == 0)
      return patterns[i];
  return NULL;
}

void
colours_turn (const gchar *name, gint x_offset, gint y_offset, gboolean bottom_up, gint height,
              gchar pattern[FRAMES_PATTERN])
{
  for (gint i = 0; i < 4; i++)
    {
      const gint row = bottom_up ? height - 1 - i / 2 : i / 2;

      pattern[i] = name[2 * ((row + y_offset) & 1) + ((i + x_offset) & 1)];
    }
  pattern[4] = '\0';
}

gdouble
colours_gain (ColoursMode mode)
{
  static const gdouble squares = COLOURS_RED * COLOURS_RED + COLOURS_GREEN * COLOURS_GREEN / 2.0
                                 + COLOURS_BLUE * COLOURS_BLUE;

  return mode == COLOURS_MEAN ? 4.0 : mode == COLOURS_OF_GREEN ? 2.0 : mode == COLOURS_LUMINANCE ? 1.0 / squares : 1.0;
}

/* A green has half of what both have. */
static gfloat
weight_of (ColoursMode mode, gchar colour)
{
  if (mode == COLOURS_MEAN)
    return 0.25f;
  if (mode == COLOURS_OF_GREEN)
    return colour == 'G' ? 0.5f : 0.0f;
  return colour == 'G' ? COLOURS_GREEN / 2.0f : colour == 'R' ? COLOURS_RED : COLOURS_BLUE;
}

/* A colour that does not count may be full. */
static gfloat
part (gfloat count, gfloat weight, gfloat full)
{
  return weight == 0.0f ? 0.0f : count < full ? weight * count : NAN;
}

CountPlane
colours_reduced (const CountPlane *plane, ColoursMode mode, const gchar *pattern, gfloat full)
{
  CountPlane cells;
  gfloat     weights[4];

  count_plane_init (&cells, plane->width / 2, plane->height / 2);
  for (gint i = 0; i < 4; i++)
    weights[i] = weight_of (mode, pattern[i]);
  for (gint y = 0; y < cells.height; y++)
    for (gint x = 0; x < cells.width; x++)
      {
        const gfloat *upper = plane->pixels + (gsize) 2 * y * plane->width + 2 * x, *lower = upper + plane->width;
        const gfloat  above = part (upper[0], weights[0], full) + part (upper[1], weights[1], full);

        cells.pixels[(gsize) y * cells.width + x] = above + (part (lower[0], weights[2], full)
                                                             + part (lower[1], weights[3], full));
      }
  return cells;
}

void
colours_add (CountPlane *sum, const CountPlane *plane, gfloat weight, gfloat full)
{
  const gsize    n = (gsize) plane->width * plane->height;
  const gboolean is_first = sum == plane;

  for (gsize i = 0; i < n; i++)
    {
      const gfloat more = part (plane->pixels[i], weight, full);

      sum->pixels[i] = is_first ? more : sum->pixels[i] + more;
    }
}
