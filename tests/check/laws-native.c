/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The law of delivered formats: a filter whose result goes to a gegl:write-buffer of
 * integers or halves may deliver those itself.  They must be what GEGL would have
 * made of the float result, within one code (a float that is one rounding off may
 * lie on the other side of a threshold). */
#include "check.h"

#include <string.h>

#define MOST_VALUE 1e9f     /* 1e26 to linear light overflows in babl and becomes 0 */
#define MOST_INT   2147483648.0f        /* babl multiplies by 255 or 65535 and makes an int of it before it looks
                                         * whether that is too large: 0.1.114 delivers R'G'B'A u8 of 8.5e6 as 0 */
#define MOST_LIGHT 2.25f    /* above it babl's linear light is 1e-5 to 8e-5 off (at 2.5 and 4), which a code shows
                             * where a negative color brings a luminance back below 1 */
#define WIDE_ALPHA 1e-3f    /* below it babl's own conversion is up to 0.9 % off: formats --table */

static const struct
{
  const gchar *name;
  gint         components, bytes;       /* bytes of a component */
} stored[] =
{
  { "R'G'B'A u8", 4, 1 }, { "R'G'B' u8", 3, 1 }, { "RGBA u16", 4, 2 }, { "R'G'B'A u16", 4, 2 },
  { "RGBA half", 4, 2 }, { "Y' u8", 1, 1 }, { "YA u16", 2, 2 }, { "RGBA u8", 4, 1 }
};

static gint
code_at (const guint8 *raw, gsize index, gint bytes)
{
  return bytes == 1 ? raw[index] : ((const guint16 *) raw)[index];
}

/* The graph with a sink of `format`, in whatever mode the engine is in. */
static guint8 *
run_to_format (const CheckFilter *filter, const CheckCase *c, CheckSource *source, CheckSource *aux,
               const GeglRectangle *roi, const Babl *format)
{
  GeglNode      *graph = gegl_node_new ();
  GeglNode      *node = check_operation_node (filter, c, graph);
  GeglBuffer    *buffer = gegl_buffer_new (roi, format);
  GeglNode      *sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  GeglProcessor *processor;
  guint8        *raw = g_malloc0 ((gsize) roi->width * roi->height * babl_format_get_bytes_per_pixel (format));

  check_connect_source (graph, node, "input", source);
  check_connect_source (graph, node, "aux", aux);
  gegl_node_link (node, sink);
  processor = gegl_node_new_processor (sink, roi);
  while (gegl_processor_work (processor, NULL));
  g_object_unref (processor);
  gegl_buffer_get (buffer, roi, 1.0, format, raw, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  g_object_unref (buffer);
  g_object_unref (graph);
  return raw;
}

/* The largest value of which babl makes the right code: 8.4e6 for u8, 3.2e4 for u16. */
static gfloat
most_value (gint kind)
{
  if (strstr (stored[kind].name, "half"))
    return MOST_VALUE;
  return MOST_INT / (stored[kind].bytes == 1 ? 255.0f : 65535.0f) * 0.999f;
}

/* Are all four values where babl's conversions are sound? */
static gboolean
comparable (const gfloat *pixel, gint kind)
{
  const gboolean is_luminance = stored[kind].components < 3;
  const gfloat   most = most_value (kind);

  for (gint k = 0; k < 4; k++)
    if (! (fabsf (pixel[k]) <= (is_luminance && pixel[k] > 0 ? MOST_LIGHT : most)))
      return FALSE;
  return fabsf (pixel[3]) >= WIDE_ALPHA;
}

static gboolean
same_codes (const CheckPixels *whole, const guint8 *got, const guint8 *wanted, gint kind, GString *why)
{
  const gsize n = (gsize) whole->roi.width * whole->roi.height;
  const gint  components = stored[kind].components;
  gint        bad = 0;

  for (gsize i = 0; i < n; i++)
    for (gint k = 0; k < components && comparable (whole->pixels + 4 * i, kind); k++)
      {
        gint a = code_at (got, i * components + k, stored[kind].bytes);
        gint b = code_at (wanted, i * components + k, stored[kind].bytes);

        if (ABS (a - b) > 1 && ! bad++)
          g_string_append_printf (why, "  delivered as %s: code %d instead of %d at (%d, %d) channel %d, from %.9g\n",
                                  stored[kind].name, a, b, whole->roi.x + (gint) (i % whole->roi.width),
                                  whole->roi.y + (gint) (i / whole->roi.width), k,
                                  (gdouble) whole->pixels[4 * i + MIN (k, 3)]);
      }
  return bad == 0;
}

gboolean
check_law_native (const CheckFilter *filter,
                  const CheckCase   *c,
                  CheckLeg           leg,
                  GString           *why)
{
  const gint      kind = (gint) ((c->content_seed >> 7) % G_N_ELEMENTS (stored));
  const Babl     *working = check_working_format (filter, c);
  const Babl     *format = babl_format_with_space (stored[kind].name, babl_format_get_space (working));
  CheckSource    *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  GeglRectangle   roi = check_roi (filter, c);
  CheckPixels     whole = { 0 };
  TesseraCounters before, after;
  gboolean        good = check_run (filter, c, source, aux, &roi, leg, &whole, why);
  guint8         *got, *wanted = g_malloc0 ((gsize) roi.width * roi.height * babl_format_get_bytes_per_pixel (format));

  tessera_set_band_rows (c->field[CHECK_BANDS]);
  tessera_get_counters (&before);
  tessera_set_delivery (TRUE);
  got = run_to_format (filter, c, source, aux, &roi, format);
  tessera_set_delivery (FALSE);
  tessera_get_counters (&after);
  tessera_set_band_rows (0);
  if (after.fallbacks != before.fallbacks
      || (leg == CHECK_LEG_OPENCL && after.device_requests == before.device_requests
          && ! (filter->passes && filter->passes (c->value))))
    {
      g_string_append (why, "  the delivering leg did not run on the device\n");
      good = FALSE;
    }
  babl_process (babl_fish (working, format), whole.pixels, wanted, (glong) roi.width * roi.height);
  good = good && same_codes (&whole, got, wanted, kind, why);
  g_free (got);
  g_free (wanted);
  check_pixels_clear (&whole);
  check_source_free (source);
  check_source_free (aux);
  return good;
}
