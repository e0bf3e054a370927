/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Cases as text: the names of their parts, `--set`, and the repro line. */
#include "check.h"

#define MORE_FORMATS "srgba-float", "rgba-u8", "srgba-u16", "srgba-half", "ya-float", "sya-u8", "ya-u16", \
                     "sy-float", "sya-float", "eye-rgba-float", "eye-y-float", "premultiplied-srgb-float"

static const gchar *const format_nicks[] =
  { "working", "rgba-float", "srgba-u8", "srgb-u8", "rgba-u16", "rgba-half", "y-float", "sy-u8",
    "premultiplied-float", "srgb-u16", MORE_FORMATS, NULL };
static const gchar *const space_nicks[] = { "sRGB", "ProPhoto", "Apple", "ACEScg", NULL };
static const gchar *const storage_nicks[] =
  { "tiles", "odd-tiles", "linear", "sub-buffer", "dup", NULL };
static const gchar *const content_nicks[] =
  { "noise", "gaussian", "runs", "constant", "impulse", "step", "ramp", "ties", "natural", "negative",
    "hdr", "denormal", "nan", "far", "faint", NULL };
static const gchar *const alpha_nicks[] = { "opaque", "random", "zero", "patches", "islands", "border", "scattered", "blocks", NULL };
static const gchar *const sink_nicks[] = { "blit", "blit-buffer", "processor", NULL };
static const gchar *const aux_nicks[] =
  { "none", "working", "rgba-float", "srgba-u8", "srgb-u8", "rgba-u16", "rgba-half", "y-float", "sy-u8",
    "premultiplied-float", "srgb-u16", MORE_FORMATS, NULL };
static const gchar *const aux_space_nicks[] = { "same", "sRGB", "ProPhoto", "Apple", "ACEScg", NULL };
static const gchar *const law_nicks[] =
  { "none", "split", "threads", "twice", "bands", "processor", "translation", "locality",
    "concurrent", "update", "native", "hidden", "move", "neighbour", "constant", "impulse", "mirror-x", "mirror-y", "neutral", NULL };

static const struct
{
  const gchar        *name;
  const gchar *const *nicks;
} fields[CHECK_FIELDS] =
{
  [CHECK_WIDTH] = { "width", NULL }, [CHECK_HEIGHT] = { "height", NULL },
  [CHECK_X] = { "x", NULL }, [CHECK_Y] = { "y", NULL },
  [CHECK_ROI_X] = { "roi-x", NULL }, [CHECK_ROI_Y] = { "roi-y", NULL },
  [CHECK_ROI_W] = { "roi-w", NULL }, [CHECK_ROI_H] = { "roi-h", NULL },
  [CHECK_FORMAT] = { "format", format_nicks }, [CHECK_SPACE] = { "space", space_nicks },
  [CHECK_STORAGE] = { "storage", storage_nicks },
  [CHECK_TILE_W] = { "tile-w", NULL }, [CHECK_TILE_H] = { "tile-h", NULL },
  [CHECK_CONTENT] = { "content", content_nicks }, [CHECK_ALPHA] = { "alpha", alpha_nicks },
  [CHECK_SPECIALS] = { "specials", NULL }, [CHECK_SINK] = { "sink", sink_nicks },
  [CHECK_PAD] = { "pad", NULL }, [CHECK_BANDS] = { "bands", NULL },
  [CHECK_SENT] = { "sent", NULL },
  [CHECK_THREADS] = { "threads", NULL }, [CHECK_AUX] = { "aux", aux_nicks },
  [CHECK_AUX_CONTENT] = { "aux-content", content_nicks }, [CHECK_AUX_SPACE] = { "aux-space", aux_space_nicks },
  [CHECK_AUX_X] = { "aux-x", NULL }, [CHECK_AUX_Y] = { "aux-y", NULL },
  [CHECK_AUX_W] = { "aux-w", NULL }, [CHECK_AUX_H] = { "aux-h", NULL }, [CHECK_LAW] = { "law", law_nicks }
};

const gchar *
check_law_name (CheckLaw law)
{
  return law_nicks[law];
}

static void
append_field (GString *text, const CheckCase *c, gint i)
{
  if (fields[i].nicks)
    g_string_append_printf (text, "%s=%s", fields[i].name, fields[i].nicks[c->field[i]]);
  else
    g_string_append_printf (text, "%s=%d", fields[i].name, c->field[i]);
}

static void
append_property (GString *text, const CheckFilter *filter, const CheckCase *c, gint i)
{
  const CheckProperty *property = &filter->properties[i];
  gchar                number[G_ASCII_DTOSTR_BUF_SIZE];

  if (property->kind == CHECK_ENUM)
    g_string_append_printf (text, "%s=%s", property->name, property->nicks[(gint) c->value[i]]);
  else                          /* of a text the number, or `--set` would have to quote it */
    g_string_append_printf (text, "%s=%s", property->name,
                            g_ascii_dtostr (number, sizeof number, c->value[i]));
}

void
check_difference (const CheckFilter *filter,
                  const CheckCase   *c,
                  const CheckCase   *base,
                  GString           *text)
{
  gsize start = text->len;

  for (gint i = 0; i < CHECK_FIELDS; i++)
    if (! base || c->field[i] != base->field[i])
      {
        if (text->len > start)
          g_string_append_c (text, ',');
        append_field (text, c, i);
      }
  for (gint i = 0; i < filter->n_properties; i++)
    if (! base || c->value[i] != base->value[i])
      {
        if (text->len > start)
          g_string_append_c (text, ',');
        append_property (text, filter, c, i);
      }
}

void
check_describe (const CheckFilter *filter,
                const CheckCase   *c,
                GString           *text)
{
  GeglRectangle image = check_image_box (c), roi = check_roi (filter, c);

  g_string_append_printf (text, "  image      %d x %d at (%d, %d), roi %d x %d at (%d, %d)\n",
                          image.width, image.height, image.x, image.y,
                          roi.width, roi.height, roi.x, roi.y);
  g_string_append (text, "  properties");
  for (gint i = 0; i < filter->n_properties; i++)
    {
      g_string_append_c (text, ' ');
      append_property (text, filter, c, i);
      if (filter->properties[i].kind == CHECK_TEXT)
        g_string_append_printf (text, " (\"%s\")", filter->properties[i].nicks[(gint) c->value[i]]);
    }
  g_string_append (text, "\n  buffers   ");
  for (gint i = CHECK_FORMAT; i < CHECK_FIELDS; i++)
    {
      g_string_append_c (text, ' ');
      append_field (text, c, i);
    }
  g_string_append_printf (text, "\n  NaN policy %s\n", filter->nan_policy);
}

const gchar *
check_format (const CheckFilter *filter, const gdouble *values)
{
  return filter->working ? filter->working (values) : filter->format;
}

void
check_halo (const CheckFilter *filter, const gdouble *values, gint *x, gint *y)
{
  *x = *y = filter->reach;
  if (filter->halo)
    filter->halo (values, x, y);
}

static gint
nick_index (const gchar *const *nicks,
            const gchar        *value)
{
  for (gint i = 0; nicks[i]; i++)
    if (! strcmp (nicks[i], value))
      return i;
  return -1;
}

static gboolean
parse_number (const gchar *text, gdouble *number)
{
  gchar *end;

  *number = g_ascii_strtod (text, &end);
  return end != text && ! *end;
}

/* One "key=value"; FALSE if the key or the value is unknown. */
static gboolean
override_one (const CheckFilter *filter,
              CheckCase         *c,
              const gchar       *key,
              const gchar       *value)
{
  gdouble number;

  for (gint i = 0; i < filter->n_properties; i++)
    if (! strcmp (filter->properties[i].name, key))
      {
        if (filter->properties[i].kind == CHECK_ENUM)
          c->value[i] = nick_index (filter->properties[i].nicks, value);
        else if (parse_number (value, &number))
          c->value[i] = number;
        else
          return FALSE;
        return filter->properties[i].kind != CHECK_ENUM || c->value[i] >= 0;
      }
  for (gint i = 0; i < CHECK_FIELDS; i++)
    if (! strcmp (fields[i].name, key))
      {
        if (fields[i].nicks)
          c->field[i] = nick_index (fields[i].nicks, value);
        else if (parse_number (value, &number))
          c->field[i] = (gint) number;
        else
          return FALSE;
        return ! fields[i].nicks || c->field[i] >= 0;
      }
  return FALSE;
}

gboolean
check_override (const CheckFilter *filter,
                CheckCase         *c,
                const gchar       *text,
                GError           **error)
{
  gchar  **parts = g_strsplit (text, ",", -1);
  gboolean good = TRUE;

  for (gint i = 0; parts[i] && good; i++)
    {
      gchar *equals = strchr (parts[i], '=');

      if (equals)
        *equals = '\0';
      good = equals && override_one (filter, c, parts[i], equals + 1);
      if (! good)
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                     "--set: %s has no key or value \"%s\"", filter->name, parts[i]);
    }
  g_strfreev (parts);
  return good;
}
