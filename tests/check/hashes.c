/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * One hash of the drawn cases of a filter, to compare machines and commits: the lines of hashes.txt hold for every
 * processor, compiler, C library, version of GEGL and babl, and OpenCL device.
 *
 * Hence nothing but our own code may compute: the images are of sRGB, they are drawn in the format in which they are
 * stored, and results are read in the format in which they leave.  The payload and sign of a NaN differ between
 * processors and do not count. */
#include "check.h"

#include <gegl-plugin.h>

#define SEED     20261122
#define MAX_SIZE 120

/* Results of every other case are delivered in these. */
static const gchar *const delivered[] = {
  "R'G'B'A u8", "RGBA half", "R'G'B' u16", "Y' u8", "RGBA u16", "RaGaBaA u8", "YA u16", "R'G'B'A half", "RGB u8", "Y float"
};

static guint64
mixed (guint64 hash, guint64 code)
{
  return check_hash (hash ^ code);
}

/* Codes, not bytes: the order of these is the processor's. */
static guint64
mix_pixels (guint64 hash, const Babl *format, gconstpointer raw, gsize n_pixels)
{
  const Babl *type = babl_format_get_type (format, 0);
  const gsize n = n_pixels * babl_format_get_n_components (format);

  for (const gchar *c = babl_format_get_encoding (format); *c; c++)
    hash = mixed (hash, *c);
  for (gsize i = 0; i < n; i++)
    {
      guint code;

      if (type == babl_type ("u8"))
        code = ((const guint8 *) raw)[i];
      else if (type == babl_type ("float"))
        code = isnan (((const gfloat *) raw)[i]) ? 0x7fc00000 : ((const guint32 *) raw)[i];
      else
        code = ((const guint16 *) raw)[i];
      if (type == babl_type ("half") && (code & 0x7fff) > 0x7c00)
        code = 0x7e00;
      hash = mixed (hash, code);
    }
  return hash;
}

static void
draw (const CheckFilter *filter, gint number, CheckCase *c)
{
  check_draw (filter, SEED, number, MAX_SIZE, c);
  c->field[CHECK_SPACE] = c->field[CHECK_AUX_SPACE] = 0;
  c->field[CHECK_FORMAT] = number % CHECK_FORMATS_HASHED;
  check_normalise (filter, c);
}

/* The result in the format in which it leaves the node; to be freed. */
static gpointer
computed (const CheckFilter *filter, const CheckCase *c, const GeglRectangle *roi, const Babl **format)
{
  GeglNode    *graph = gegl_node_new ();
  GeglNode    *node = check_operation_node (filter, c, graph), *sink;
  CheckSource *source = check_source_draw (filter, c), *aux = check_aux_draw (filter, c);
  const Babl  *stored = babl_format (delivered[c->number / 2 % G_N_ELEMENTS (delivered)]);
  GeglBuffer  *buffer = gegl_buffer_new (roi, stored);
  gpointer     raw;

  check_connect_source (graph, node, "input", source);
  check_connect_source (graph, node, "aux", aux);
  sink = gegl_node_new_child (graph, "operation", "gegl:write-buffer", "buffer", buffer, NULL);
  if (c->number % 2)
    gegl_node_link (node, sink);
  gegl_node_get_bounding_box (node);    /* lets it prepare */
  *format = gegl_operation_get_format (gegl_node_get_gegl_operation (node), "output");
  raw = g_malloc ((gsize) roi->width * roi->height * babl_format_get_bytes_per_pixel (*format));
  gegl_node_blit (node, 1.0, roi, *format, raw, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_object_unref (graph);
  g_object_unref (buffer);
  check_source_free (source);
  check_source_free (aux);
  return raw;
}

static guint64
hash_case (const CheckFilter *filter, gint number)
{
  CheckCase     c;
  GeglRectangle roi;
  const Babl   *format;
  gpointer      raw;
  guint64       hash;

  draw (filter, number, &c);
  roi = check_roi (filter, &c);
  if (gegl_rectangle_is_empty (&roi))
    return 0;
  check_set_engine (&c);
  tessera_set_delivery (c.number % 2 != 0);
  raw = computed (filter, &c, &roi, &format);
  hash = mix_pixels (0, format, raw, (gsize) roi.width * roi.height);
  g_free (raw);
  return hash;
}

/* `each`: prints those of the cases too. */
static guint64
hash_filter (const CheckFilter *filter, gint cases, gboolean each)
{
  guint64 all = 0;

  for (gint i = 0; i < cases; i++)
    {
      const guint64 hash = hash_case (filter, i);

      if (each)
        g_print ("# case %d: %016" G_GINT64_MODIFIER "x\n", i, hash);
      all = mixed (all, hash);
    }
  tessera_set_band_rows (0);
  tessera_set_delivery (FALSE);
  return all;
}

/* The kept line of a filter, or NULL; to be freed. */
static gchar *
kept_hash (const CheckFilter *filter, const gchar *path)
{
  gchar  *text = NULL, *found = NULL;
  gchar **lines;

  if (! g_file_get_contents (path, &text, NULL, NULL))
    return NULL;
  lines = g_strsplit (text, "\n", -1);
  for (gint i = 0; lines[i] && ! found; i++)
    {
      gchar *space = strchr (lines[i], ' ');

      if (space && (gsize) (space - lines[i]) == strlen (filter->name) && g_str_has_prefix (lines[i], filter->name))
        found = g_strdup (space + 1);
    }
  g_strfreev (lines);
  g_free (text);
  return found;
}

static void
check_leg (const CheckFilter *filter, gint cases, CheckLeg leg, const gchar *path, CheckStats *stats)
{
  TesseraCounters before, after;
  gchar          *kept = kept_hash (filter, path), *got, *warnings;
  gboolean        good;

  tessera_set_opencl_mode (leg == CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  tessera_get_counters (&before);
  got = g_strdup_printf ("%016" G_GINT64_MODIFIER "x", hash_filter (filter, cases, FALSE));
  tessera_get_counters (&after);
  warnings = check_take_warnings ();
  good = ! g_strcmp0 (got, kept) && ! warnings
         && (leg == CHECK_LEG_C ? after.launches == before.launches
             : after.c_requests == before.c_requests && after.device_requests > before.device_requests);
  g_print ("%s %s: %d cases %s %s", good ? "ok  " : "FAIL", filter->name, cases,
           leg == CHECK_LEG_C ? "in C" : "on OpenCL", got);
  if (! kept)
    g_print ("; %s has no line of %s: put the last one there that --print-hashes --filter %s prints", path, filter->name, filter->name);
  else if (! good)
    g_print (", kept is %s in %s; %" G_GUINT64_FORMAT " requests on the device, %" G_GUINT64_FORMAT " in C; %s",
             kept, path, after.device_requests - before.device_requests,
             after.c_requests - before.c_requests, warnings ? warnings : "no warnings");
  g_print ("\n");
  stats->passed += good;
  stats->failed += ! good;
  g_free (warnings);
  g_free (got);
  g_free (kept);
}

void
check_hashes (const CheckFilter *filter, gint cases, const gchar *path, guint legs, CheckStats *stats)
{
  for (CheckLeg leg = CHECK_LEG_C; leg <= CHECK_LEG_OPENCL; leg++)
    if (legs & leg)
      check_leg (filter, cases, leg, path, stats);
}

void
check_print_hash (const CheckFilter *filter, gint cases, guint legs, gboolean each)
{
  tessera_set_opencl_mode (legs & CHECK_LEG_C ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
  g_print ("%s %016" G_GINT64_MODIFIER "x\n", filter->name, hash_filter (filter, cases, each));
}
