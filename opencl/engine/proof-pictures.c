/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The small pictures of hard values on which the device and C are compared (proof.c).
 */
#include "config.h"

#include "proof-pictures.h"

#include <math.h>
#include <string.h>

#define WIDTH  61               /* of a picture; not a multiple of a group's size */
#define HEIGHT 37
#define CLEAR  6                /* columns and rows without alpha in a corner of a picture with stars: nothing is found beside them */

/* Bits without a pattern that a filter could share. */
static guint32
bits_of (guint32 index, guint32 salt)
{
  guint32 x = index * 2654435761u ^ salt * 2246822519u;

  x ^= x >> 15;
  x *= 2246822519u;
  x ^= x >> 13;
  x *= 3266489917u;
  return x ^ x >> 16;
}

/* NaN and Inf are rare, because they spread. */
static gfloat
float_of (guint32 bits, Look look)
{
  const gfloat        plain = (bits >> 8) / 16777216.0f;
  static const gfloat finite[] = { 0.0f, -0.0f, 1.0f, -0.25f, 1e-41f, -3e-42f, 1.17549435e-38f, 31.5f, 65504.0f, 1e-7f };
  static const gfloat wild[] = { NAN, INFINITY, -INFINITY, 3.402823466e38f, -1e30f, 1e30f };

  if (look == LOOK_WILD && bits % 61 == 0)
    return wild[(bits >> 8) % G_N_ELEMENTS (wild)];
  if (look == LOOK_WILD && bits % 11 == 0)
    return finite[(bits >> 8) % G_N_ELEMENTS (finite)];
  return plain;
}

/* For filters that answer: squares that shine in a grey sky, in all pictures the same, and single pixels.  In noise nothing stands out, so that
 * kernels that look for it could do nothing. */
static gfloat
star_of (guint32 bits, guint32 pixel)
{
  const guint32 square = bits_of (pixel / WIDTH / 2 * WIDTH + pixel % WIDTH / 2, 0);

  if (bits % 199 == 0)
    return 1.0f;
  return 0.375f + float_of (bits, LOOK_STORED) / 64.0f + (square % 12 == 0 ? 0.5f * float_of (square, LOOK_STORED) : 0.0f);
}

/* Below 1, and denormals. */
static guint16
half_of (guint32 bits)
{
  if (bits % 11 == 0)
    return bits >> 8 & 0x83ff;
  return bits >> 8 & 0x3bff;
}

/* No two pictures are alike.  Otherwise memory that a kernel leaves untouched would hold the right result
 * of the last picture. */
static void
fill_pixels (guchar *pixels, const Babl *format, guint n, Look look, gboolean has_stars)
{
  static gint   n_pictures;
  const guint32 salt = g_atomic_int_add (&n_pictures, 1);
  const gchar  *type = babl_get_name (babl_format_get_type (format, 0));
  const guint   components = babl_format_get_n_components (format);
  const gboolean has_alpha = babl_format_has_alpha (format);

  for (guint i = 0; i < n * components; i++)
    {
      const guint32 bits = bits_of (i, salt);
      const guint32  pixel = i / components;
      const gboolean is_clear = has_alpha && i % components == components - 1
                                && (has_stars ? pixel % WIDTH < CLEAR && pixel / WIDTH < CLEAR : bits % 5 == 0);

      if (look == LOOK_TINY)            /* floats; to compute one is slow */
        ((guint32 *) pixels)[i] = is_clear ? 0 : bits >> 9;
      else if (strcmp (type, "float") == 0)
        ((gfloat *) pixels)[i] = is_clear ? 0.0f : has_stars ? star_of (bits, pixel) : float_of (bits, look);
      else if (strcmp (type, "half") == 0)
        ((guint16 *) pixels)[i] = is_clear ? 0 : half_of (bits);
      else if (strcmp (type, "u16") == 0)
        ((guint16 *) pixels)[i] = is_clear ? 0 : bits >> 8;
      else
        pixels[i] = is_clear ? 0 : bits >> 8;
    }
}

/* At the place of `like`, and in its format if that is one of ours.  Stars are painted as straight colours: in premultiplied ones they would
 * be divided by an alpha that has the same stars. */
GeglBuffer *
tessera_proof_picture (GeglBuffer *like, Look look, gboolean answers)
{
  static const gchar *const types[] = { "u8", "u16", "half", "float", NULL };

  const Babl         *format = gegl_buffer_get_format (like);
  const GeglRectangle area = { gegl_buffer_get_x (like), gegl_buffer_get_y (like), WIDTH, HEIGHT };
  GeglBuffer         *picture;
  const Babl         *painted;
  const gboolean      has_stars = answers && look == LOOK_STORED;
  gboolean            is_float;
  g_autofree guchar *pixels = NULL;

  if (look != LOOK_STORED || ! g_strv_contains (types, babl_get_name (babl_format_get_type (format, 0))))
    format = babl_format_with_space ("RGBA float", babl_format_get_space (format));
  is_float = babl_format_get_type (format, 0) == babl_type ("float");
  painted = has_stars ? babl_format_with_space (is_float ? "RGBA float" : "R'G'B'A float", babl_format_get_space (format)) : format;
  picture = gegl_buffer_new (&area, format);
  pixels = g_malloc (WIDTH * HEIGHT * babl_format_get_bytes_per_pixel (painted));
  fill_pixels (pixels, painted, WIDTH * HEIGHT, look, has_stars);
  gegl_buffer_set (picture, &area, 0, painted, pixels, GEGL_AUTO_ROWSTRIDE);
  return picture;
}
