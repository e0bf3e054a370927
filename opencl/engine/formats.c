/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Which stored formats travel to the device as they are: {RGB, RGBA, RaGaBaA,
 * R'G'B', R'G'B'A, Y, YA, Y', Y'A} x {u8, u16, half, float} with sRGB's primaries
 * and curve; for images of four floats a pixel.  And in which format a filter
 * delivers.
 */
#include "config.h"

#include "formats.h"
#include "internal.h"

#include <gegl-plugin.h>
#include <math.h>

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
            gchar *name = g_strconcat (models[m].name, " ", types[t], NULL);

            g_hash_table_insert (known, (gpointer) babl_format (name),
                                 GINT_TO_POINTER ((models[m].layout | (gint) t) + 1));
            g_free (name);
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

void
tessera_luminance (const Babl *format, gfloat weights[3])
{
  gdouble exact[3];

  babl_space_get_rgb_luminance (babl_format_get_space (format), &exact[0], &exact[1], &exact[2]);
  for (gint c = 0; c < 3; c++)
    weights[c] = (gfloat) exact[c];
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

/* ---------------------------------------------------------------- tables -- */

/* What babl makes of each code of a type, or at which value it goes on to the next
 * code: integers are to us exactly what they are to the rest of GEGL. */
typedef struct
{
  const Babl *stored, *working;
  gboolean    encodes;
  gfloat     *values;           /* colours' codes, alpha's codes */
} Table;

static GMutex  tables_lock;     /* guards what follows */
static GArray *tables;

static gint
code_count (gint layout)
{
  return (layout & LAYOUT_TYPE) == LAYOUT_U8 ? 256 : 65536;
}

/* Opaque greys of all codes, or white of all alphas, from stored pixels. */
static void
decode_codes (const Babl *stored, const Babl *working, gint layout, gboolean alpha, gfloat *values)
{
  const gint n = code_count (layout);
  const gint components = babl_format_get_n_components (stored);
  guchar    *bytes = g_malloc ((gsize) n * components * 2);
  guint16   *words = (guint16 *) bytes;
  gfloat    *pixels = g_new (gfloat, 4 * (gsize) n);

  for (gint i = 0; i < n; i++)
    for (gint c = 0; c < components; c++)
      {
        gboolean is_alpha = (layout & LAYOUT_ALPHA) && c == components - 1;
        gint     code = is_alpha == alpha ? i : n - 1;

        if (n == 256)
          bytes[i * components + c] = code;
        else
          words[i * components + c] = code;
      }
  babl_process (babl_fish (stored, working), bytes, pixels, n);
  for (gint i = 0; i < n; i++)
    values[i] = pixels[4 * i + (alpha ? 3 : 0)];
  g_free (pixels);
  g_free (bytes);
}

/* The codes that babl makes of n values (as opaque grey, or as white's alpha). */
static void
encode_values (const Babl *stored, const Babl *working, gint layout, gboolean alpha,
               const gfloat *values, gint n, gint *codes)
{
  const gint components = babl_format_get_n_components (stored);
  const gint c = alpha ? components - 1 : 0;
  gfloat    *pixels = g_new (gfloat, 4 * (gsize) n);
  guchar    *bytes = g_malloc ((gsize) n * components * 2);

  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < 4; k++)
      pixels[4 * i + k] = (k == 3) == alpha ? values[i] : 1.0f;
  babl_process (babl_fish (working, stored), pixels, bytes, n);
  for (gint i = 0; i < n; i++)
    codes[i] = code_count (layout) == 256 ? bytes[i * components + c]
                                          : ((guint16 *) bytes)[i * components + c];
  g_free (bytes);
  g_free (pixels);
}

/* steps[k]: the least value, 0 to 1, whose code is k or more, by bisection of the
 * floats' bits; steps[0]: the code of NaN. */
static void
encode_steps (const Babl *stored, const Babl *working, gint layout, gboolean alpha, gfloat *steps)
{
  const gint   n = code_count (layout);
  gfloat       nans[32];        /* babl's answer for a run; it differs in what is left of one */
  gint        *low = g_new0 (gint, n), *high = g_new (gint, n), *codes = g_new (gint, n);

  for (gint k = 0; k < n; k++)
    high[k] = tessera_as_int (1.0f);
  while (TRUE)
    {
      gboolean done = TRUE;

      for (gint k = 0; k < n; k++)
        steps[k] = tessera_as_float (low[k] + (high[k] - low[k]) / 2);
      encode_values (stored, working, layout, alpha, steps, n, codes);
      for (gint k = 0; k < n; k++)
        if (low[k] < high[k])
          {
            done = FALSE;
            if (codes[k] >= k)
              high[k] = low[k] + (high[k] - low[k]) / 2;
            else
              low[k] = low[k] + (high[k] - low[k]) / 2 + 1;
          }
      if (done)
        break;
    }
  for (guint i = 0; i < G_N_ELEMENTS (nans); i++)
    nans[i] = NAN;
  encode_values (stored, working, layout, alpha, nans, MIN (n, (gint) G_N_ELEMENTS (nans)), codes);
  steps[0] = codes[0];
  g_free (codes);
  g_free (high);
  g_free (low);
}

static const gfloat *
table_of (const Babl *stored, const Babl *working, gint layout, gboolean encodes)
{
  Table table = { stored, working, encodes, NULL };

  g_mutex_lock (&tables_lock);
  if (! tables)
    tables = g_array_new (FALSE, FALSE, sizeof (Table));
  for (guint i = 0; i < tables->len && ! table.values; i++)
    {
      const Table *other = &g_array_index (tables, Table, i);

      if (other->stored == stored && other->working == working && other->encodes == encodes)
        table.values = other->values;
    }
  if (! table.values)
    {
      const gint n = code_count (layout);

      table.values = g_new0 (gfloat, 2 * n);
      for (gint part = 0; part < (layout & LAYOUT_ALPHA ? 2 : 1); part++)
        if (encodes)
          encode_steps (stored, working, layout, part, table.values + part * n);
        else
          decode_codes (stored, working, layout, part, table.values + part * n);
      g_array_append_val (tables, table);
    }
  g_mutex_unlock (&tables_lock);
  return table.values;
}

TesseraTravel
tessera_travel_tables (const Babl *stored, const Babl *working, gboolean encodes)
{
  TesseraTravel travel = tessera_travel (stored, working);
  const gint    type = travel.stored & LAYOUT_TYPE;
  const Babl   *straight;

  if (! travel.converts || type == LAYOUT_FLOAT || type == LAYOUT_HALF)
    return travel;
  straight = babl_format (travel.stored & LAYOUT_PREMULTIPLIED ? "RaGaBaA float"
                          : travel.working & LAYOUT_PERCEPTUAL ? "R'G'B'A float" : "RGBA float");
  travel.table = table_of (stored, straight, travel.stored, encodes);
  travel.alphas = code_count (travel.stored);
  travel.table_bytes = (travel.stored & LAYOUT_ALPHA ? 2 : 1) * travel.alphas * sizeof (gfloat);
  return travel;
}

/* ---------------------------------------------- the format of the result -- */

/* The format of the buffers that all consumers of `node` write to, or NULL
 * where one of them is anything but gegl:write-buffer, or wants another. */
static const Babl *
written_format (GeglNode *node, gint depth)
{
  GeglNode   **consumers = NULL;
  const Babl  *format = NULL;
  gint         n = gegl_node_get_consumers (node, "output", &consumers, NULL);

  for (gint i = 0; i < n; i++)
    {
      const gchar *name = gegl_node_get_operation (consumers[i]);
      const Babl  *wanted = NULL;

      if (g_strcmp0 (name, "gegl:write-buffer") == 0)
        {
          GeglBuffer *buffer = NULL;

          gegl_node_get (consumers[i], "buffer", &buffer, NULL);
          wanted = buffer ? gegl_buffer_get_format (buffer) : NULL;
          g_clear_object (&buffer);
        }
      else if (g_strcmp0 (name, "gegl:nop") == 0 && depth < 8)
        wanted = written_format (consumers[i], depth + 1);
      if (! wanted || (format && format != wanted))
        {
          format = NULL;
          break;
        }
      format = wanted;
    }
  g_free (consumers);
  return format;
}

const Babl *
tessera_source_format (GeglOperation *operation, const Babl *working)
{
  const Babl    *source = gegl_operation_get_source_format (operation, "input");
  const gint     flags = source ? babl_get_model_flags (source) : 0;
  const gboolean curve = (flags & BABL_MODEL_FLAG_NONLINEAR) != 0;
  const gboolean working_curve = (babl_get_model_flags (working) & BABL_MODEL_FLAG_NONLINEAR) != 0;
  const Babl    *space = babl_format_get_space (working), *straight;

  if (! (flags & (BABL_MODEL_FLAG_RGB | BABL_MODEL_FLAG_GRAY)) || (flags & BABL_MODEL_FLAG_ASSOCIATED))
    return working;
  straight = babl_format_with_space (curve ? "R'G'B'A float" : "RGBA float", space);
  if (curve == working_curve || tessera_travel (straight, working).converts)
    return straight;
  return babl_format_with_space (working_curve ? "R'G'B'A float" : "RGBA float", space);
}

const Babl *
tessera_result_format (GeglOperation *operation, const Babl *format)
{
  const Babl *written = tessera_delivers_stored () && operation->node ? written_format (operation->node, 0)
                                                                     : NULL;

  return written && tessera_travel (written, format).converts ? written : format;
}

void
tessera_set_formats (GeglOperation *operation, const gchar *working)
{
  const Babl *format = babl_format_with_space (working, gegl_operation_get_source_space (operation, "input"));

  gegl_operation_set_format (operation, "input", format);
  gegl_operation_set_format (operation, "output",
                             tessera_result_format (operation, tessera_source_format (operation, format)));
}
