/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Source images of every format, storage and content. */
#include "soak.h"

#define FOR_SOURCE 3
#define PATCH      160          /* larger images repeat one of this size */

static const gchar *const formats[] =
{
  "RGBA float", "RaGaBaA float", "R'G'B'A float", "RGB float", "Y float", "YA float", "Y'A float",
  "R'G'B'A u8", "R'G'B' u8", "RGBA u8", "RaGaBaA u8", "Y' u8", "Y'A u8", "Y u8",
  "RGBA u16", "R'G'B' u16", "R'G'B'A u16", "Y' u16", "RaGaBaA u16",
  "RGBA half", "R'G'B'A half", "RaGaBaA half", "Y half",
  "RGBA double", "R'G'B'A double", "Y' double", "R'aG'aB'aA float", "R~G~B~A float", "CIE Lab float"
};

/* In spaces other than sRGB: few, as babl spends a while on each pair of formats. */
static const gchar *const other_formats[] = { "RGBA float", "R'G'B' u8", "RaGaBaA half", "R'G'B' u16" };
static const gchar *const spaces[] = { "ProPhoto", "Apple", "Adobish" };

static const gchar *const result_formats[] =
{
  "RGBA float", "RaGaBaA float", "R'G'B'A float", "R'G'B'A u8", "R'G'B' u8", "RGBA u16", "R'G'B' u16",
  "RGBA half", "RaGaBaA half", "R'G'B'A double", "Y float", "Y' u8", "YA u16", "RaGaBaA u8", "RGB float"
};

/* babl makes a table of 64 to 256 MiB for each pair of a format of four u8 with another,
 * once it has converted enough: such an image that passes unchanged keeps its format. */
const Babl *
soak_result_format (CheckRandom *random, const SoakSource *source, gboolean passes)
{
  const Babl *space = babl_format_get_space (source->format);
  gint        n = space == babl_space ("sRGB") ? (gint) G_N_ELEMENTS (result_formats) : 4;

  if (passes && babl_format_get_bytes_per_pixel (source->format) == 4 && babl_format_get_n_components (source->format) == 4)
    return source->format;
  return babl_format_with_space (result_formats[check_below (random, n)], space);
}

gboolean
soak_is_native (const Babl *format)
{
  static const gchar *const foreign[] = { "double", "R'aG'aB'aA", "R~G~B~A", "CIE Lab" };
  const gchar              *name = babl_get_name (format);

  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    if (strstr (name, foreign[i]))
      return FALSE;
  return babl_format_get_space (format) == babl_space ("sRGB");
}

/* ---------------------------------------------------------------- content -- */

typedef struct
{
  gint    kind, alpha, specials;        /* specials: of 1000 components */
  gdouble level, slope_x, slope_y;
} Content;

static gfloat
paint_value (CheckRandom *random, const Content *content, gint x, gint y)
{
  const guint64 bits = check_next (random);
  const gfloat  u = (gfloat) (bits >> 40) / 16777216.0f;

  if ((gint) (bits & 1023) < content->specials)
    return bits & 1024 ? NAN : bits & 2048 ? INFINITY : -INFINITY;
  switch (content->kind)
    {
    case 0:  return (gfloat) content->level;
    case 1:  return (gfloat) (content->level + x * content->slope_x + y * content->slope_y);
    case 2:  return 2 * u - 1;
    case 3:  return powf (10, 30 * u);
    case 4:  return floorf (u * 8000) * 1.4e-45f;
    case 5:  return ((x / 7 + y / 5) & 1) ? 0.8f + 0.05f * u : 0.1f * u;
    default: return u;
    }
}

static gfloat
paint_alpha (CheckRandom *random, const Content *content)
{
  switch (content->alpha)
    {
    case 0:  return (gfloat) check_uniform (random);
    case 1:  return check_chance (random, 50) ? (gfloat) check_uniform (random) : 0;
    case 2:  return 0;
    default: return 1;
    }
}

static gfloat *
paint_patch (CheckRandom *random, gint width, gint height)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) width * height), *at = pixels;
  Content content;

  content.kind = check_below (random, 9);
  content.alpha = check_below (random, 6);
  content.specials = check_chance (random, 12) ? 1 + check_below (random, 20) : 0;
  content.level = check_uniform (random);
  content.slope_x = 0.02 * check_uniform (random);
  content.slope_y = 0.02 * check_uniform (random);
  for (gint y = 0; y < height; y++)
    for (gint x = 0; x < width; x++, at += 4)
      {
        for (gint c = 0; c < 3; c++)
          at[c] = paint_value (random, &content, x, y);
        at[3] = paint_alpha (random, &content);
      }
  return pixels;
}

static void
fill (CheckRandom *random, SoakSource *source)
{
  const Babl   *format = babl_format_with_space ("RGBA float", babl_format_get_space (source->format));
  const gint    width = MIN (source->box.width, PATCH), height = MIN (source->box.height, PATCH);
  gfloat       *pixels = paint_patch (random, width, height);
  GeglRectangle part;

  for (gint y = 0; y < source->box.height; y += height)
    for (gint x = 0; x < source->box.width; x += width)
      {
        part = (GeglRectangle) { source->box.x + x, source->box.y + y, MIN (width, source->box.width - x),
                                 MIN (height, source->box.height - y) };
        gegl_buffer_set (source->buffer, &part, 0, format, pixels, 4 * sizeof (gfloat) * width);
      }
  g_free (pixels);
}

/* ---------------------------------------------------------------- storage -- */

static gint
draw_length (CheckRandom *random, gboolean large)
{
  if (large)
    return (gint) (200 * pow (7.5, check_uniform (random)));
  return check_chance (random, 8) ? 1 : (gint) exp (check_uniform (random) * log (201));
}

static GeglBuffer *
sub_buffer (const SoakSource *source)
{
  const GeglRectangle outer = { source->box.x - 5, source->box.y - 3, source->box.width + 11, source->box.height + 9 };
  GeglBuffer         *whole = gegl_buffer_new (&outer, source->format);
  GeglBuffer         *part = gegl_buffer_create_sub_buffer (whole, &source->box);

  g_object_unref (whole);
  return part;
}

static GeglBuffer *
make_buffer (CheckRandom *random, const SoakSource *source, gboolean large)
{
  const GeglRectangle *box = &source->box;
  const gint           kind = large ? 99 : check_below (random, 100);
  const gint           tile_width = 8 + check_below (random, 70), tile_height = 8 + check_below (random, 70);

  if (kind < 20)
    return g_object_new (GEGL_TYPE_BUFFER, "x", box->x, "y", box->y, "width", box->width, "height", box->height,
                         "format", source->format, "tile-width", tile_width, "tile-height", tile_height, NULL);
  if (kind < 30)
    return sub_buffer (source);
  if (kind < 40)
    {
      gint row = (box->width + check_below (random, 5)) * babl_format_get_bytes_per_pixel (source->format);

      guint8 *pixels = g_malloc0 ((gsize) row * box->height);

      return gegl_buffer_linear_new_from_data (pixels, source->format, box, row, g_free, pixels);
    }
  return gegl_buffer_new (box, source->format);
}

static guint64
sum_pixels (const SoakSource *source)
{
  gsize    words = ((gsize) source->box.width * source->box.height
                    * babl_format_get_bytes_per_pixel (source->format) + 7) / 8;
  guint64 *bytes = g_new0 (guint64, words), sum = 0;

  gegl_buffer_get (source->buffer, &source->box, 1.0, source->format, bytes, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gsize i = 0; i < words; i++)
    sum = (sum ^ bytes[i]) * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  g_free (bytes);
  return sum;
}

void
soak_source_init (SoakSource *source, guint64 seed, guint slot, guint64 number)
{
  static const gint origins[] = { 0, 0, 0, -1, 13, -64, 4097, 1 << 20 };
  const guint64     first = (guint64) slot * SOAK_REPAINT, period = (guint64) SOAK_SLOTS * SOAK_REPAINT;
  const guint64     generation = number < first ? 0 : 1 + (number - first) / period;
  CheckRandom       random = soak_random (seed, FOR_SOURCE, generation * SOAK_SLOTS + slot);
  const gboolean    large = slot >= SOAK_SLOTS - SOAK_LARGE;
  const gchar      *space;

  source->box.x = origins[check_below (&random, G_N_ELEMENTS (origins))];
  source->box.y = origins[check_below (&random, G_N_ELEMENTS (origins))];
  source->box.width = draw_length (&random, large);
  source->box.height = draw_length (&random, large);
  space = spaces[check_below (&random, G_N_ELEMENTS (spaces))];
  if (check_chance (&random, 80))
    source->format = babl_format (formats[check_below (&random, G_N_ELEMENTS (formats))]);
  else
    source->format = babl_format_with_space (other_formats[check_below (&random, G_N_ELEMENTS (other_formats))],
                                             babl_space (space));
  source->buffer = make_buffer (&random, source, large);
  fill (&random, source);
  source->sum = sum_pixels (source);
}

gboolean
soak_source_clear (SoakSource *source)
{
  gboolean same = ! source->buffer || sum_pixels (source) == source->sum;

  g_clear_object (&source->buffer);
  return same;
}
