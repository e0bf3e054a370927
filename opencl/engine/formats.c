/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which stored formats travel to the device as they are: {RGB, RGBA, RaGaBaA,
 * R'G'B', R'G'B'A, Y, YA, Y', Y'A} x {u8, u16, half, float} with sRGB's primaries
 * and curve; for images of four floats a pixel.  And in which format a filter
 * delivers.
 */
#include "config.h"

#include "formats.h"

#include <gegl-plugin.h>

#include "settings.h"
#include "tables.h"

#include "../math/tessera-convert.h"

static const struct
{
  const gchar *name;
  gint         layout;
} models[] = {
  { "RGBA",     LAYOUT_ALPHA },
  { "RGB",      0 },
  { "RaGaBaA",  LAYOUT_ALPHA | LAYOUT_PREMULTIPLIED },
  { "R'G'B'A",  LAYOUT_ALPHA | LAYOUT_PERCEPTUAL },
  { "R'G'B'",   LAYOUT_PERCEPTUAL },
  { "YA",       LAYOUT_ALPHA | LAYOUT_GREY },
  { "Y",        LAYOUT_GREY },
  { "Y'A",      LAYOUT_ALPHA | LAYOUT_GREY | LAYOUT_PERCEPTUAL },
  { "Y'",       LAYOUT_GREY | LAYOUT_PERCEPTUAL }
};

static const gchar *const types[] = { "u8", "u16", "half", "float" };

/* babl format -> layout + 1; made once. */
static GHashTable *
known_layouts (void)
{
  static GHashTable *known;
  static gsize       made;

  if (g_once_init_enter (&made))
    {
      known = g_hash_table_new (NULL, NULL);
      for (guint m = 0; m < G_N_ELEMENTS (models); m++)
        for (guint t = 0; t < G_N_ELEMENTS (types); t++)
          {
            g_autofree gchar *name = g_strconcat (models[m].name, " ", types[t], NULL);

            g_hash_table_insert (known, (gpointer) babl_format (name),
                                 GINT_TO_POINTER ((models[m].layout | (gint) t) + 1));
          }
      g_once_init_leave (&made, 1);
    }
  return known;
}

/* -1: not one of them. */
static gint
layout_of (const Babl *format)
{
  return GPOINTER_TO_INT (g_hash_table_lookup (known_layouts (), format)) - 1;
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

TesseraTravel
tessera_travel (const Babl *stored, const Babl *working)
{
  TesseraTravel travel = { .format = working, .bytes = babl_format_get_bytes_per_pixel (working),
                           .stored = layout_of (stored), .working = layout_of (working) };

  if (stored == working || travel.stored < 0 || travel.working < 0
      || (travel.working & (LAYOUT_TYPE | LAYOUT_ALPHA | LAYOUT_GREY)) != (LAYOUT_FLOAT | LAYOUT_ALPHA))
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

/* The floats of the input's model, curve and association; associated colours are always linear. */
static const gchar *
kind_of (gint flags, gboolean keeps_grey)
{
  const gboolean curve = (flags & BABL_MODEL_FLAG_NONLINEAR) != 0;

  if (flags & BABL_MODEL_FLAG_ASSOCIATED)
    return "RaGaBaA float";
  if (keeps_grey && (flags & BABL_MODEL_FLAG_GRAY))
    return curve ? "Y'A float" : "YA float";
  return curve ? "R'G'B'A float" : "RGBA float";
}

const Babl *
tessera_format (GeglOperation *operation, const gchar *name)
{
  return babl_format_with_space (name, gegl_operation_get_source_space (operation, "input"));
}

BablModelFlag
tessera_input_flags (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");

  return source ? babl_get_model_flags (source) : 0;
}

const Babl *
tessera_delivered (GeglOperation *operation, const Babl *working, gboolean keeps_grey)
{
  gint           flags = tessera_input_flags (operation);
  const gint     working_flags = babl_get_model_flags (working);
  const Babl    *space = babl_format_get_space (working), *kind;

  if (! (flags & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY)))
    return working;
  kind = babl_format_with_space (kind_of (flags, keeps_grey), space);
  if (tessera_travel (kind, working).converts)
    return kind;
  /* The same, or of another space than sRGB: babl converts, but no curve. */
  flags = working_flags & BABL_MODEL_FLAG_NONLINEAR ? BABL_MODEL_FLAG_NONLINEAR : flags & BABL_MODEL_FLAG_ASSOCIATED;
  return babl_format_with_space (kind_of (flags, FALSE), space);
}

const Babl *
tessera_delivered_exactly (GeglOperation *operation, const Babl *working)
{
  const gint  flags = tessera_input_flags (operation);
  const Babl *kind;

  if (! (flags & BABL_MODEL_FLAG_GRAY) || flags & BABL_MODEL_FLAG_ASSOCIATED)
    return working;
  kind = babl_format_with_space (kind_of (BABL_MODEL_FLAG_GRAY | (babl_get_model_flags (working) & BABL_MODEL_FLAG_NONLINEAR), TRUE),
                                 babl_format_get_space (working));
  return tessera_travel (kind, working).converts ? kind : working;
}

const Babl *
tessera_result_format (GeglOperation *operation, const Babl *format)
{
  const Babl *written = tessera_delivers_stored () && operation->node ? written_format (operation->node, 0)
                                                                     : NULL;

  return written && tessera_travel (written, format).converts ? written : format;
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
