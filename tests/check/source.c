/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Input buffers in every format and storage, and whether a run left them alone. */
#include "check.h"

typedef enum
{
  TYPE_U8, TYPE_U16, TYPE_HALF, TYPE_FLOAT
} ComponentType;

static const struct
{
  const gchar  *name;           /* NULL: the filter's working format */
  gint          components;
  ComponentType type;
  gboolean      is_linear;      /* R, G, B of linear light */
} formats[CHECK_FORMATS] =
{
  { NULL, 4, TYPE_FLOAT, FALSE }, { "RGBA float", 4, TYPE_FLOAT, TRUE }, { "R'G'B'A u8", 4, TYPE_U8, FALSE },
  { "R'G'B' u8", 3, TYPE_U8, FALSE }, { "RGBA u16", 4, TYPE_U16, TRUE }, { "RGBA half", 4, TYPE_HALF, TRUE },
  { "Y float", 1, TYPE_FLOAT, FALSE }, { "Y' u8", 1, TYPE_U8, FALSE }, { "RaGaBaA float", 4, TYPE_FLOAT, TRUE },
  { "R'G'B' u16", 3, TYPE_U16, FALSE }, { "R'G'B'A float", 4, TYPE_FLOAT, FALSE }, { "RGBA u8", 4, TYPE_U8, TRUE },
  { "R'G'B'A u16", 4, TYPE_U16, FALSE }, { "R'G'B'A half", 4, TYPE_HALF, FALSE }, { "YA float", 2, TYPE_FLOAT, FALSE },
  { "Y'A u8", 2, TYPE_U8, FALSE }, { "YA u16", 2, TYPE_U16, FALSE },
  { "Y' float", 1, TYPE_FLOAT, FALSE }, { "Y'A float", 2, TYPE_FLOAT, FALSE }, { "R~G~B~A float", 4, TYPE_FLOAT, FALSE },
  { "Y~ float", 1, TYPE_FLOAT, FALSE }, { "R'aG'aB'aA float", 4, TYPE_FLOAT, FALSE }
};

static const gchar *const spaces[] = { "sRGB", "ProPhoto", "Apple", CHECK_LINEAR_SPACE };
static const gint         type_bytes[] = { 1, 2, 2, 4 };

static const Babl *
space_of (const CheckCase *c)
{
  return babl_space (spaces[c->field[CHECK_SPACE]]);
}

/* What is perceptual is so for the eye. */
static const Babl *
seen_format (const gchar *name, const Babl *space)
{
  if (space == babl_space (CHECK_LINEAR_SPACE) && ! strcmp (name, "R'G'B'A float"))
    name = "R~G~B~A float";
  return babl_format_with_space (name, space);
}

gboolean
check_is_seen (const CheckFilter *filter,
               const CheckCase   *c)
{
  const gint   format = c->field[CHECK_FORMAT];
  const gchar *name = formats[format].name;

  return filter->sees && filter->sees (c->value) && name && (formats[format].components < 3 || formats[format].type == TYPE_FLOAT)
         && (strchr (name, '~') || (strchr (name, '\'') && c->field[CHECK_SPACE] == 0));
}

const Babl *
check_working_format (const CheckFilter *filter,
                      const CheckCase   *c)
{
  const gchar *name = check_format (filter, c->value);

  if (filter->working_linear && (formats[c->field[CHECK_FORMAT]].is_linear
                                 || (space_of (c) == babl_space (CHECK_LINEAR_SPACE) && c->field[CHECK_FORMAT] != CHECK_FORMAT_WORKING
                                     && ! check_is_curved (check_source_format (filter, c)))))
    name = filter->working_linear;
  if (check_is_seen (filter, c))
    return babl_format_with_space (c->field[CHECK_SPACE] ? "R~G~B~A float" : "R'G'B'A float", space_of (c));
  return seen_format (name, space_of (c));
}

const Babl *
check_source_format (const CheckFilter *filter,
                     const CheckCase   *c)
{
  const gchar *name = formats[c->field[CHECK_FORMAT]].name;

  return name ? babl_format_with_space (name, space_of (c)) : seen_format (check_format (filter, c->value), space_of (c));
}

const Babl *
check_result_format (const CheckFilter *filter,
                     const CheckCase   *c)
{
  if (! filter->delivers)
    return check_working_format (filter, c);
  return seen_format (filter->delivers (c->value), space_of (c));
}

gint
check_components (const CheckFilter *filter G_GNUC_UNUSED,
                  const CheckCase   *c)
{
  return formats[c->field[CHECK_FORMAT]].components;
}

static guint16
half_from_float (gfloat value)
{
  guint16 sign = signbit (value) ? 0x8000 : 0;
  gdouble size = fabs ((gdouble) value);
  gint    exponent;

  if (isnan (value))
    return 0x7e00;
  if (isinf (value))
    return sign | 0x7c00;
  if (size >= 65504)
    return sign | 0x7bff;
  if (size < ldexp (1, -14))
    return sign | (guint16) rint (ldexp (size, 24));
  exponent = ilogb (size);
  return sign | (guint16) (((exponent + 15) << 10) + (gint) rint (ldexp (size, 10 - exponent)) - 1024);
}

static gint
quantise (gfloat value, gint max)
{
  return value > 0 ? (gint) rint (MIN (value, 1.0f) * max) : 0;  /* NaN: 0 */
}

static guint8 *
pack (const gfloat *painted, gsize n, ComponentType type)
{
  guint8 *raw = g_malloc (MAX (n, 1) * type_bytes[type]);

  for (gsize i = 0; i < n; i++)
    switch (type)
      {
      case TYPE_U8:   raw[i] = quantise (painted[i], 255); break;
      case TYPE_U16:  ((guint16 *) raw)[i] = quantise (painted[i], 65535); break;
      case TYPE_HALF: ((guint16 *) raw)[i] = half_from_float (painted[i]); break;
      default:        ((gfloat *) raw)[i] = painted[i]; break;
      }
  return raw;
}

static guint8 *
read_raw (GeglBuffer *buffer, const Babl *format, gsize *bytes)
{
  const GeglRectangle *box = gegl_buffer_get_extent (buffer);
  guint8              *raw;

  *bytes = (gsize) box->width * box->height * babl_format_get_bytes_per_pixel (format);
  raw = g_malloc (MAX (*bytes, 1));
  gegl_buffer_get (buffer, box, 1.0, format, raw, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return raw;
}

/* Rows with a stride of their own, in memory full of canaries. */
static void
make_linear (CheckSource *source, const guint8 *raw, gint pad)
{
  gsize  bpp = babl_format_get_bytes_per_pixel (source->format);
  gsize  row = source->box.width * bpp, stride = row + pad * bpp;

  source->memory_bytes = 2 * CHECK_GUARD + stride * source->box.height;
  source->memory = g_malloc (source->memory_bytes);
  memset (source->memory, 0xff, source->memory_bytes);          /* NaN */
  for (gint y = 0; y < source->box.height; y++)
    memcpy (source->memory + CHECK_GUARD + y * stride, raw + y * row, row);
  source->memory_copy = g_memdup2 (source->memory, source->memory_bytes);
  source->buffer = gegl_buffer_linear_new_from_data (source->memory + CHECK_GUARD, source->format,
                                                     &source->box, (gint) stride, NULL, NULL);
}

static GeglBuffer *
new_tiled (const GeglRectangle *box, const Babl *format, gint tile_width, gint tile_height)
{
  return g_object_new (GEGL_TYPE_BUFFER, "x", box->x, "y", box->y, "width", box->width,
                       "height", box->height, "format", format, "tile-width", tile_width,
                       "tile-height", tile_height, NULL);
}

/* A part of a larger buffer whose other pixels are 0xff bytes: NaN as float. */
static void
make_sub_buffer (CheckSource *source)
{
  GeglRectangle outer = { source->box.x - 9, source->box.y - 5,
                          source->box.width + 20, source->box.height + 11 };
  gsize         bytes = (gsize) outer.width * outer.height
                        * babl_format_get_bytes_per_pixel (source->format);
  guint8       *junk = g_malloc (bytes);

  memset (junk, 0xff, bytes);
  source->parent = gegl_buffer_new (&outer, source->format);
  gegl_buffer_set (source->parent, &outer, 0, source->format, junk, GEGL_AUTO_ROWSTRIDE);
  source->buffer = gegl_buffer_create_sub_buffer (source->parent, &source->box);
  g_free (junk);
}

CheckSource *
check_source_new (const CheckFilter *filter,
                  const CheckCase   *c,
                  const gfloat      *painted)
{
  CheckSource *source = g_new0 (CheckSource, 1);
  gint         format = c->field[CHECK_FORMAT], storage = c->field[CHECK_STORAGE];
  gsize        bytes;
  guint8      *raw;

  source->format = check_source_format (filter, c);
  source->box = check_image_box (c);
  raw = pack (painted, (gsize) source->box.width * source->box.height * formats[format].components,
              formats[format].type);
  if (storage == CHECK_STORAGE_LINEAR)
    make_linear (source, raw, c->field[CHECK_PAD]);
  else if (storage == CHECK_STORAGE_SUB_BUFFER)
    make_sub_buffer (source);
  else if (storage == CHECK_STORAGE_ODD_TILES)
    source->buffer = new_tiled (&source->box, source->format, c->field[CHECK_TILE_W],
                                c->field[CHECK_TILE_H]);
  else
    source->buffer = gegl_buffer_new (&source->box, source->format);
  if (storage != CHECK_STORAGE_LINEAR)
    gegl_buffer_set (source->buffer, &source->box, 0, source->format, raw, GEGL_AUTO_ROWSTRIDE);
  if (storage == CHECK_STORAGE_DUP)
    {
      source->parent = source->buffer;
      source->buffer = gegl_buffer_dup (source->parent);
    }
  g_free (raw);
  source->raw = read_raw (source->buffer, source->format, &bytes);
  if (source->parent)
    source->parent_raw = read_raw (source->parent, source->format, &bytes);
  return source;
}

CheckSource *
check_source_draw (const CheckFilter *filter,
                   const CheckCase   *c)
{
  gfloat      *painted = check_paint (filter, c);
  CheckSource *source = check_source_new (filter, c, painted);

  g_free (painted);
  return source;
}

gboolean
check_aux_case (const CheckCase *c,
                CheckCase       *aux)
{
  if (! c->field[CHECK_AUX])
    return FALSE;
  *aux = *c;
  aux->field[CHECK_FORMAT] = c->field[CHECK_AUX] - 1;
  aux->field[CHECK_CONTENT] = c->field[CHECK_AUX_CONTENT];
  if (c->field[CHECK_AUX_SPACE])
    aux->field[CHECK_SPACE] = c->field[CHECK_AUX_SPACE] - 1;
  if (c->field[CHECK_AUX_W])
    {
      aux->field[CHECK_X] += c->field[CHECK_AUX_X];
      aux->field[CHECK_Y] += c->field[CHECK_AUX_Y];
      aux->field[CHECK_WIDTH] = c->field[CHECK_AUX_W];
      aux->field[CHECK_HEIGHT] = c->field[CHECK_AUX_H];
    }
  aux->content_seed = check_hash (c->content_seed);
  return TRUE;
}

CheckSource *
check_aux_draw (const CheckFilter *filter,
                const CheckCase   *c)
{
  CheckCase aux;

  return check_aux_case (c, &aux) ? check_source_draw (filter, &aux) : NULL;
}

static gboolean
buffer_same (GeglBuffer *buffer, const Babl *format, const guint8 *before)
{
  gsize    bytes;
  guint8  *raw = read_raw (buffer, format, &bytes);
  gboolean same = ! memcmp (raw, before, bytes);

  g_free (raw);
  return same;
}

gboolean
check_source_same (const CheckSource *source,
                   GString           *why)
{
  gboolean same = buffer_same (source->buffer, source->format, source->raw);

  if (source->parent)
    same &= buffer_same (source->parent, source->format, source->parent_raw);
  if (source->memory)
    same &= ! memcmp (source->memory, source->memory_copy, source->memory_bytes);
  if (! same)
    g_string_append (why, "  the source was modified\n");
  return same;
}

void
check_source_free (CheckSource *source)
{
  if (! source)
    return;
  g_clear_object (&source->buffer);
  g_clear_object (&source->parent);
  g_free (source->memory);
  g_free (source->memory_copy);
  g_free (source->raw);
  g_free (source->parent_raw);
  g_free (source);
}

void
check_draw_curves (CheckCase *c)
{
  CheckRandom random = { check_hash (c->content_seed + 83) };

  if (check_chance (&random, 20) && ! (c->field[CHECK_SPECIALS] && c->field[CHECK_SPACE]))
    c->field[CHECK_FORMAT] = CHECK_FORMATS_DRAWN + check_below (&random, CHECK_FORMATS - CHECK_FORMATS_DRAWN);
  if (! check_chance (&random, 12) || c->field[CHECK_SPECIALS])
    return;
  c->field[CHECK_SPACE] = CHECK_SPACE_LINEAR;
  c->field[CHECK_AUX_SPACE] = 0;        /* babl converts such a second image badly */
}
