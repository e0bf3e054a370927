/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "config.h"

#include "counts.h"

#include "tessera.h"

#include <gegl-plugin.h>
#include <math.h>

#define FULL  65535.0f
#define NEAR  0x1p-5f           /* a color that is nearer to white than any other of 16 bits, but for babl's roundings, which go both ways */
#define STRIP 16                /* rows of colors that are read at once */

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
  gboolean             is_grey, is_whole;
  gfloat               weights[3];
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

TESSERA_CLONES static void
fill (gfloat *pixels, gsize n)
{
  for (gsize i = 0; i < n; i++)
    pixels[i] = pixels[i] > FULL - NEAR && pixels[i] < FULL + NEAR ? FULL : pixels[i];
}

TESSERA_CLONES static void
take_luminance (const gfloat *restrict colors, const gfloat weights[3], gsize n, gfloat *restrict pixels)
{
  const gfloat red = weights[0], green = weights[1], blue = weights[2];

  for (gsize i = 0; i < n; i++)
    pixels[i] = (red * colors[4 * i] + green * colors[4 * i + 1]) + blue * colors[4 * i + 2];
}

/* babl would choose between its ways to a luminance by timing them: the last bits would change from run to run, and with them a sequence's tables. */
static void
read_colors (const Reading *r, const GeglRectangle *rows, gfloat *pixels)
{
  g_autofree gfloat *colors = g_new (gfloat, 4 * (gsize) STRIP * rows->width);

  for (gint y = 0; y < rows->height; y += STRIP)
    {
      const GeglRectangle strip = { rows->x, rows->y + y, rows->width, MIN (STRIP, rows->height - y) };

      tessera_read (r->buffer, &strip, r->bounds, TESSERA_BORDER_CLAMP, r->format, colors);
      take_luminance (colors, r->weights, (gsize) strip.width * strip.height, pixels + (gsize) y * rows->width);
    }
}

/* White is full, though a profile's numbers are rounded. */
static void
find_weights (const Babl *format, gfloat weights[3])
{
  gdouble sum = 0.0;

  tessera_luminance (format, weights);
  for (gint c = 0; c < 3; c++)
    sum += weights[c];
  if ((weights[0] + weights[1]) + weights[2] == 1.0f || ! (sum > 0.0))
    return;
  weights[0] = (gfloat) (weights[0] / sum);
  weights[1] = (gfloat) (weights[1] / sum);
  weights[2] = 1.0f - (weights[0] + weights[1]);
}

static void
read_rows (gsize first, gsize n, gpointer data)
{
  const Reading      *r = data;
  const GeglRectangle rows = { r->bounds->x, r->bounds->y + (gint) first, r->bounds->width, (gint) n };
  gfloat             *pixels = r->plane->pixels + first * rows.width;

  if (r->is_grey)
    tessera_read (r->buffer, &rows, r->bounds, TESSERA_BORDER_CLAMP, r->format, pixels);
  else
    read_colors (r, &rows, pixels);
  scale (pixels, n * rows.width);
  if (r->is_whole && r->is_grey)
    round_off (pixels, n * rows.width);
  else if (r->is_whole)
    fill (pixels, n * rows.width);
}

/* The luminance of colours is no whole number. */
void
counts_read (GeglBuffer *buffer, const GeglRectangle *bounds, CountPlane *plane)
{
  const Babl    *stored = gegl_buffer_get_format (buffer);
  const gboolean is_grey = (babl_get_model_flags (babl_format_get_model (stored)) & BABL_MODEL_FLAG_GRAY) != 0;
  const Babl    *format = is_grey ? counts_format (stored) : babl_format_with_space ("RGBA float", babl_format_get_space (stored));
  Reading        r = { buffer, bounds, plane, format, is_grey, is_whole (stored), { 0 } };

  find_weights (format, r.weights);
  gegl_buffer_flush_ext (buffer, NULL);         /* GEGL's OpenCL filters may still hold it */
  tessera_spread_range (bounds->height, 64.0 * 64.0 / bounds->width, read_rows, &r);
}
