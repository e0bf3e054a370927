/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "config.h"

#include "counts.h"

#include "tessera.h"

#include <gegl-plugin.h>
#include <math.h>

#define FULL 65535.0f

const Babl *
counts_format (const Babl *format)
{
  const Babl         *space = babl_format_get_space (format);
  const BablModelFlag flags = babl_get_model_flags (babl_format_get_model (format));

  if (! (flags & BABL_MODEL_FLAG_GRAY))
    return babl_format_with_space ("Y float", space);
  return babl_format_with_space (flags & BABL_MODEL_FLAG_NONLINEAR ? "Y' float" : flags & BABL_MODEL_FLAG_PERCEPTUAL ? "Y~ float" : "Y float",
                                 space);
}

static gboolean
is_whole (const Babl *format)
{
  const Babl *type = babl_format_get_type (format, 0);

  return type == babl_type ("u8") || type == babl_type ("u16");
}

gfloat
counts_saturation (const Babl *format)
{
  return is_whole (format) ? FULL : INFINITY;
}

/* ------------------------------------------------------------------- reading -- */

typedef struct
{
  GeglBuffer          *buffer;
  const GeglRectangle *bounds;
  CountPlane          *plane;
  const Babl          *format;
  gboolean             is_whole;
} Reading;

TESSERA_CLONES static void
scale (gfloat *pixels, gsize n)
{
  for (gsize i = 0; i < n; i++)
    pixels[i] *= FULL;
}

/* Of at most 16 bits.  2^23 and more would have no room for a fraction. */
TESSERA_CLONES static void
round_off (gfloat *pixels, gsize n)
{
  for (gsize i = 0; i < n; i++)
    pixels[i] = (pixels[i] + 8388608.0f) - 8388608.0f;
}

static void
read_rows (gsize first, gsize n, gpointer data)
{
  const Reading      *r = data;
  const GeglRectangle rows = { r->bounds->x, r->bounds->y + (gint) first, r->bounds->width, (gint) n };
  gfloat             *pixels = r->plane->pixels + first * rows.width;

  tessera_read (r->buffer, &rows, r->bounds, TESSERA_BORDER_CLAMP, r->format, pixels);
  scale (pixels, n * rows.width);
  if (r->is_whole)
    round_off (pixels, n * rows.width);
}

/* The luminance of colours is no whole number. */
void
counts_read (GeglBuffer *buffer, const GeglRectangle *bounds, CountPlane *plane)
{
  const Babl *stored = gegl_buffer_get_format (buffer), *format = counts_format (stored);
  const gboolean is_grey = (babl_get_model_flags (babl_format_get_model (stored)) & BABL_MODEL_FLAG_GRAY) != 0;
  Reading     r = { buffer, bounds, plane, format, is_grey && is_whole (stored) };

  gegl_buffer_flush_ext (buffer, NULL);         /* GEGL's OpenCL filters may still hold it */
  tessera_spread_range (bounds->height, 64.0 * 64.0 / bounds->width, read_rows, &r);
}
