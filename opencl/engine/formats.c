/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which stored formats travel to the device as they are: RGB, grey, with alpha or premultiplied, of linear light,
 * behind the space's own curve (R'G'B') or behind sRGB's (R~G~B~), x {u8, u16, half, float}; for images of four floats
 * a pixel.  In every space, if no curve changes; light and sRGB's curve are converted, no other.  And in which format
 * a filter delivers.
 */
#include "config.h"

#include "formats.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "settings.h"

#include "../math/tessera-convert.h"

/* ---------------------------------------------------------------- curves -- */

#define NEAR_LINEAR    0.01     /* a curve that is nowhere further from light counts as linear to the eye */
#define EXACTLY_LINEAR 1e-6

typedef enum { SPACE_CURVED = 1, SPACE_NEARLY_LINEAR, SPACE_LINEAR } SpaceCurve;

/* How far the own curve of any channel is from linear. */
static gdouble
distance_from_linear (const Babl *space)
{
  enum { N = 33 };
  gdouble codes[3 * N], light[3 * N], most = 0.0;

  for (gint i = 0; i < 3 * N; i++)
    codes[i] = (i / 3) / (gdouble) (N - 1);
  babl_process (babl_fish (babl_format_with_space ("R'G'B' double", space), babl_format_with_space ("RGB double", space)),
                codes, light, N);
  for (gint i = 0; i < 3 * N; i++)
    most = MAX (most, fabs (light[i] - codes[i]));
  return most;
}

/* Measured, since babl tells no gamma of a curve that is a table; once for each space. */
static SpaceCurve
curve_of_space (const Babl *space)
{
  static GMutex      lock;
  static GHashTable *known;
  SpaceCurve         curve;

  if (space == babl_space ("sRGB"))
    return SPACE_CURVED;
  g_mutex_lock (&lock);
  if (! known)
    known = g_hash_table_new (NULL, NULL);
  curve = GPOINTER_TO_INT (g_hash_table_lookup (known, space));
  if (! curve)
    {
      const gdouble distance = distance_from_linear (space);

      curve = distance <= EXACTLY_LINEAR ? SPACE_LINEAR : distance <= NEAR_LINEAR ? SPACE_NEARLY_LINEAR : SPACE_CURVED;
      g_hash_table_insert (known, (gpointer) space, GINT_TO_POINTER (curve));
    }
  g_mutex_unlock (&lock);
  return curve;
}

/* --------------------------------------------------------------- layouts -- */

#define LAYOUT_OWN 256          /* behind the space's own curve; only here */

static const struct
{
  const gchar *name;
  gint         layout;
} models[] = {
  { "RGBA",        LAYOUT_ALPHA },
  { "RGB",         0 },
  { "RaGaBaA",     LAYOUT_ALPHA | LAYOUT_PREMULTIPLIED },
  { "YA",          LAYOUT_ALPHA | LAYOUT_GREY },
  { "Y",           LAYOUT_GREY },
  { "YaA",         LAYOUT_ALPHA | LAYOUT_GREY | LAYOUT_PREMULTIPLIED },
  { "R'G'B'A",     LAYOUT_OWN | LAYOUT_ALPHA },
  { "R'G'B'",      LAYOUT_OWN },
  { "R'aG'aB'aA",  LAYOUT_OWN | LAYOUT_ALPHA | LAYOUT_PREMULTIPLIED },
  { "Y'A",         LAYOUT_OWN | LAYOUT_ALPHA | LAYOUT_GREY },
  { "Y'",          LAYOUT_OWN | LAYOUT_GREY },
  { "Y'aA",        LAYOUT_OWN | LAYOUT_ALPHA | LAYOUT_GREY | LAYOUT_PREMULTIPLIED },
  { "R~G~B~A",     LAYOUT_PERCEPTUAL | LAYOUT_ALPHA },
  { "R~G~B~",      LAYOUT_PERCEPTUAL },
  { "R~aG~aB~aA",  LAYOUT_PERCEPTUAL | LAYOUT_ALPHA | LAYOUT_PREMULTIPLIED },
  { "Y~A",         LAYOUT_PERCEPTUAL | LAYOUT_ALPHA | LAYOUT_GREY },
  { "Y~",          LAYOUT_PERCEPTUAL | LAYOUT_GREY },
  { "Y~aA",        LAYOUT_PERCEPTUAL | LAYOUT_ALPHA | LAYOUT_GREY | LAYOUT_PREMULTIPLIED }
};

static const gchar *const types[] = { "u8", "u16", "half", "float" };

gchar *
tessera_stored_format (guint i)
{
  const guint model = i / G_N_ELEMENTS (types);

  return model < G_N_ELEMENTS (models) ? g_strconcat (models[model].name, " ", types[i % G_N_ELEMENTS (types)], NULL) : NULL;
}

/* Encoding -> layout + 1; made once. */
static GHashTable *
known_layouts (void)
{
  static GHashTable *known;
  static gsize       made;

  if (g_once_init_enter (&made))
    {
      known = g_hash_table_new (g_str_hash, g_str_equal);
      for (guint m = 0; m < G_N_ELEMENTS (models); m++)
        for (guint t = 0; t < G_N_ELEMENTS (types); t++)
          g_hash_table_insert (known, g_strconcat (models[m].name, " ", types[t], NULL),        /* for good */
                               GINT_TO_POINTER ((models[m].layout | (gint) t) + 1));
      g_once_init_leave (&made, 1);
    }
  return known;
}

/* -1: not one of them. */
static gint
layout_of (const Babl *format)
{
  const gchar *encoding = babl_format_get_encoding (format);
  const Babl  *space = babl_format_get_space (format);
  gint         layout = encoding ? GPOINTER_TO_INT (g_hash_table_lookup (known_layouts (), encoding)) - 1 : -1;

  if (layout < 0 || ! (layout & LAYOUT_OWN))
    return layout;
  if (space == babl_space ("sRGB"))
    layout = (layout & ~LAYOUT_OWN) | LAYOUT_PERCEPTUAL;
  else if (curve_of_space (space) == SPACE_LINEAR)
    layout &= ~LAYOUT_OWN;
  return layout;
}

/* sRGB's as babl 0.1.98 computes them on x86-64; it adapts primaries to D50 by matrices, in another order
 * of operations on each processor. */
void
tessera_luminance (const Babl *format, gfloat weights[3])
{
  static const gfloat srgb[3] = { 0.222487941f, 0.716903865f, 0.0606082566f };

  const Babl *space = babl_format_get_space (format);
  gdouble     exact[3];

  babl_space_get_rgb_luminance (space, &exact[0], &exact[1], &exact[2]);
  for (gint c = 0; c < 3; c++)
    weights[c] = space == babl_space ("sRGB") ? srgb[c] : (gfloat) exact[c];
}

/* Grey behind a curve that nobody but babl knows: of a pixel that has a colour, the sum of its codes would be stored. */
static gboolean
sums_codes (const Babl *stored)
{
  const gint layout = layout_of (stored);

  return layout >= 0 && (layout & LAYOUT_OWN) && (layout & LAYOUT_GREY);
}

TesseraTravel
tessera_travel (const Babl *stored, const Babl *working)
{
  const gint    from = layout_of (stored), to = layout_of (working);
  TesseraTravel travel = { .format = working, .bytes = babl_format_get_bytes_per_pixel (working),
                           .stored = from & ~LAYOUT_OWN, .working = to & ~LAYOUT_OWN };

  if (stored == working || from < 0 || to < 0 || (from ^ to) & LAYOUT_OWN
      || babl_format_get_space (stored) != babl_format_get_space (working)
      || (to & (LAYOUT_TYPE | LAYOUT_ALPHA | LAYOUT_GREY)) != (LAYOUT_FLOAT | LAYOUT_ALPHA))
    return travel;
  travel.converts = TRUE;
  travel.format = stored;
  travel.bytes = babl_format_get_bytes_per_pixel (stored);
  tessera_luminance (stored, travel.weights);
  return travel;
}

TesseraTravel
tessera_travel_tables (const Babl *stored, const Babl *working, gboolean encodes)
{
  TesseraTravel travel = tessera_travel (stored, working);
  const gint    type = travel.stored & LAYOUT_TYPE;

  if (! travel.converts || type == LAYOUT_FLOAT || type == LAYOUT_HALF)
    return travel;
  travel.table = tessera_code_table (travel.stored, travel.working, encodes);
  travel.alphas = tessera_code_count (travel.stored);
  travel.words = encodes ? tessera_code_words (travel.stored, travel.working) : NULL;
  travel.table_bytes = (travel.stored & LAYOUT_ALPHA ? 2 : 1) * travel.alphas * sizeof (gfloat);
  return travel;
}

/* ---------------------------------------------- the format of the result -- */

/* The format of the buffers that all consumers of `node` write to, or NULL
 * where one of them is anything but gegl:write-buffer, or wants another.
 * Price: 33 (convolution, 24 Mpix u8; H200, 2026-11-22). */
static const Babl *
written_format (GeglNode *node, gint depth)
{
  g_autofree GeglNode **consumers = NULL;
  const Babl  *format = NULL;
  gint         n = gegl_node_get_consumers (node, "output", &consumers, NULL);

  for (gint i = 0; i < n; i++)
    {
      const gchar *name = gegl_node_get_operation (consumers[i]);
      const Babl  *wanted = NULL;

      if (g_strcmp0 (name, "gegl:write-buffer") == 0)
        {
          g_autoptr (GeglBuffer) buffer = NULL;

          gegl_node_get (consumers[i], "buffer", &buffer, NULL);
          wanted = buffer ? gegl_buffer_get_format (buffer) : NULL;
        }
      else if (g_strcmp0 (name, "gegl:nop") == 0 && depth < 8)
        wanted = written_format (consumers[i], depth + 1);
      if (! wanted || (format && format != wanted))
        return NULL;
      format = wanted;
    }
  return format;
}

#define CURVES (BABL_MODEL_FLAG_NONLINEAR | BABL_MODEL_FLAG_PERCEPTUAL)

/* Floats of this curve, association and model, with alpha. */
static const gchar *
kind_of (gint flags, gboolean is_grey)
{
  static const gchar *const kinds[3][2][2] = {
    { { "RGBA float", "RaGaBaA float" },        { "YA float", "YaA float" } },
    { { "R'G'B'A float", "R'aG'aB'aA float" },  { "Y'A float", "Y'aA float" } },
    { { "R~G~B~A float", "R~aG~aB~aA float" },  { "Y~A float", "Y~aA float" } }
  };

  return kinds[flags & BABL_MODEL_FLAG_NONLINEAR ? 1 : flags & BABL_MODEL_FLAG_PERCEPTUAL ? 2 : 0]
              [is_grey][(flags & BABL_MODEL_FLAG_ASSOCIATED) != 0];
}

const Babl *
tessera_format (GeglOperation *operation, const gchar *name)
{
  const Babl *space = gegl_operation_get_source_space (operation, "input");

  if (space && strcmp (name, "R'G'B'A float") == 0 && curve_of_space (space) != SPACE_CURVED)
    name = "R~G~B~A float";
  return babl_format_with_space (name, space);
}

BablModelFlag
tessera_input_flags (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");

  return source ? babl_get_model_flags (source) : 0;
}

const Babl *
tessera_seen_format (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");
  const gint  layout = source ? layout_of (source) : 0;

  if (layout < 0 || ! (layout & LAYOUT_PERCEPTUAL))
    return NULL;
  return babl_format_with_space (babl_format_get_space (source) == babl_space ("sRGB") ? "R'G'B'A float" : "R~G~B~A float", source);
}

gboolean
tessera_input_is_light (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");
  const gint  flags = tessera_input_flags (operation);

  if (! (flags & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY)) || flags & BABL_MODEL_FLAG_PERCEPTUAL)
    return FALSE;
  return ! (flags & BABL_MODEL_FLAG_NONLINEAR) || curve_of_space (babl_format_get_space (source)) == SPACE_LINEAR;
}

/* In a space of greys all pictures are grey: no file of colours takes its profile (gegl:png-save then writes nothing).
 * Nor does a grey file take a profile of colours, so elsewhere but in sRGB a grey picture becomes one of colours. */
static gboolean
leaves_grey (gint flags, const Babl *space, gboolean keeps_grey)
{
  return babl_space_is_gray (space)
         || ((flags & BABL_MODEL_FLAG_GRAY) && keeps_grey && space == babl_space ("sRGB"));
}

const Babl *
tessera_delivered (GeglOperation *operation, const Babl *working, gboolean keeps_grey)
{
  gint           flags = tessera_input_flags (operation);
  const gint     curve = babl_get_model_flags (working) & CURVES;
  const Babl    *space = babl_format_get_space (working), *kind;
  const gboolean is_grey = leaves_grey (flags, space, keeps_grey);

  if (! (flags & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY)) && ! babl_space_is_gray (space))
    return working;
  if (flags & babl_get_model_flags (working) & BABL_MODEL_FLAG_ASSOCIATED)
    flags &= ~CURVES;           /* light under alpha 0 counts, and no straight colour could carry it to a curve */
  kind = babl_format_with_space (kind_of (flags, is_grey), space);
  if (kind == working || tessera_travel (kind, working).converts)
    return kind;
  /* Behind a curve of its own, or of another space: babl converts, but no curve. */
  flags = curve ? curve : flags & BABL_MODEL_FLAG_ASSOCIATED;
  return babl_format_with_space (kind_of (flags, is_grey && babl_space_is_gray (space)), space);
}

const Babl *
tessera_delivered_exactly (GeglOperation *operation, const Babl *working)
{
  const gint  flags = tessera_input_flags (operation);
  const Babl *space = babl_format_get_space (working), *kind;

  if (! leaves_grey (flags, space, ! (flags & BABL_MODEL_FLAG_ASSOCIATED)))
    return working;
  kind = babl_format_with_space (kind_of (babl_get_model_flags (working) & CURVES, TRUE), space);
  return tessera_travel (kind, working).converts ? kind : working;
}

const Babl *
tessera_result_format (GeglOperation *operation, const Babl *format)
{
  const Babl *written = tessera_delivers_stored () && operation->node ? written_format (operation->node, 0)
                                                                     : NULL;

  return written && tessera_travel (written, format).converts && ! sums_codes (written) ? written : format;
}

void
tessera_set_pads (GeglOperation *operation, const Babl *input, const Babl *output)
{
  gegl_operation_set_format (operation, "input", input);
  if (gegl_node_has_pad (operation->node, "aux"))
    gegl_operation_set_format (operation, "aux", input);
  gegl_operation_set_format (operation, "output", tessera_result_format (operation, output));
}

void
tessera_set_formats (GeglOperation *operation, const gchar *working, gboolean keeps_grey)
{
  const Babl *format = tessera_format (operation, working);

  tessera_set_pads (operation, format, tessera_delivered (operation, format, keeps_grey));
}
