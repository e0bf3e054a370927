/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Two witnesses of what the engine does with memory: the lines that it writes with
 * TESSERA_DEBUG=memory, and the requests themselves.  The program exports a
 * tessera_process of its own, which stands before the library's: so the plan of a
 * band is computed from its images and the filter's scratch_bytes, as the engine does. */
#define _GNU_SOURCE
#include "accounting.h"

#include <dlfcn.h>
#include <stdio.h>

/* ------------------------------------------------------------------ ledger -- */

static GMutex lock;             /* guards what follows */
static Ledger ledger;
static Plan   plan;
static gint    plan_rows;
static guint64 plan_limit;

static void
book (const gchar *text)
{
  guint64  bytes = g_ascii_strtoull (text, NULL, 10);
  gboolean pinned = strstr (text, " pinned ") != NULL, adds = strstr (text, " allocated") != NULL;
  guint64 *sum = pinned ? &ledger.pinned : &ledger.device;

  ledger.lines++;
  ledger.is_wrong = ledger.is_wrong || (! adds && *sum < bytes) || bytes == 0;
  *sum = adds ? *sum + bytes : *sum - bytes;
  ledger.peak_device = MAX (ledger.peak_device, ledger.device);
  ledger.peak_pinned = MAX (ledger.peak_pinned, ledger.pinned);
  ledger.most_device = MAX (ledger.most_device, ledger.device);
  ledger.most_pinned = MAX (ledger.most_pinned, ledger.pinned);
}

/* Falling back for want of memory is what is tested, and said once for each size. */
static void
take_line (const gchar *text)
{
  const gchar *prefix = "tessera: memory: ";

  if (g_str_has_prefix (text, prefix))
    {
      g_mutex_lock (&lock);
      book (text + strlen (prefix));
      g_mutex_unlock (&lock);
    }
  else if (! strstr (text, "CL_MEM_OBJECT_ALLOCATION_FAILURE"))
    fputs (text, stderr);
}

void
ledger_open (void)
{
  g_setenv ("TESSERA_DEBUG", "memory", TRUE);
  g_set_printerr_handler (take_line);
}

void
ledger_restart (void)
{
  g_mutex_lock (&lock);
  ledger.peak_device = ledger.device;
  ledger.peak_pinned = ledger.pinned;
  g_mutex_unlock (&lock);
}

Ledger
ledger_read (void)
{
  Ledger copy;

  g_mutex_lock (&lock);
  copy = ledger;
  g_mutex_unlock (&lock);
  return copy;
}

/* -------------------------------------------------------------------- plan -- */

/* Bytes a pixel and of the table, where the device converts `stored`. */
static void
travel_of (const Babl *stored, const Babl *working, guint64 *pixel, guint64 *table)
{
  static const struct { const gchar *name; gint table; } native[] = {
    { "R'G'B'A u8", 2 * 256 * 4 }, { "R'G'B' u8", 256 * 4 }, { "Y' u8", 256 * 4 },
    { "RGBA u16", 2 * 65536 * 4 }, { "RGBA half", 0 },
    { "RGBA float", 0 }, { "RaGaBaA float", 0 }, { "R'G'B'A float", 0 }, { "YA float", 0 }, { "Y'A float", 0 }
  };

  *pixel = *table = 0;
  for (guint i = 0; i < G_N_ELEMENTS (native) && stored != working; i++)
    if (stored == babl_format (native[i].name))
      {
        *pixel = babl_format_get_bytes_per_pixel (stored);
        *table = native[i].table;
      }
}

static guint64
bytes_of_band (const TesseraRequest *request, gint rows)
{
  const guint64 width = request->roi.width;
  const guint64 around = (width + request->halo.left + request->halo.right)
                         * ((guint64) rows + request->halo.top + request->halo.bottom);
  guint64       bytes = 0, pixel, table;

  if (request->filter->scratch_bytes)
    bytes += request->filter->scratch_bytes (request, request->roi.width, rows);
  if (request->aux)
    bytes += around * babl_format_get_bytes_per_pixel (request->aux_format);
  if (request->input && ! request->is_blind)
    {
      travel_of (gegl_buffer_get_format (request->input), request->input_format, &pixel, &table);
      bytes += around * (pixel + babl_format_get_bytes_per_pixel (request->input_format)) + table;
    }
  if (request->aux)
    {
      travel_of (gegl_buffer_get_format (request->aux), request->aux_format, &pixel, &table);
      bytes += around * pixel + table;
    }
  if (! request->output)
    return bytes;
  travel_of (gegl_buffer_get_format (request->output), request->output_format, &pixel, &table);
  return bytes + width * rows * (pixel + babl_format_get_bytes_per_pixel (request->output_format)) + table;
}

/* Those of the output that the rows of a band may meet, where there are 128 K pixels or more, and half as many as
 * its tiles have room for.  The outputs here are as large as the request. */
static guint64
bytes_of_tiles (const TesseraRequest *request, gint rows)
{
  const gint64 pixels = (gint64) request->roi.width * request->roi.height;
  gint         width, height, across, down;

  if (! request->output)
    return 0;
  g_object_get (request->output, "tile-width", &width, "tile-height", &height, NULL);
  across = (request->roi.width + width - 1) / width;
  down = (request->roi.height + height - 1) / height;
  if (pixels < 1 << 17 || (gint64) across * width * down * height > 2 * pixels)
    return 0;
  return (guint64) across * width * ((rows + height - 1) / height + 1) * height
         * babl_format_get_bytes_per_pixel (gegl_buffer_get_format (request->output));
}

static void
add_plan (const TesseraRequest *request)
{
  const gint    halo = request->halo.top + request->halo.bottom, height = request->roi.height;
  const gint    lowest = request->filter->whole ? height : CLAMP (halo / 4, 1, height);
  const gint    rows = request->filter->whole ? height : CLAMP (plan_rows, 1, height);
  const guint64 least = bytes_of_band (request, lowest), slack = 16 * ((guint64) request->roi.width + height) + 8192;

  g_mutex_lock (&lock);
  plan.requests++;
  plan.must += least + slack <= plan_limit;
  plan.may += least <= plan_limit;
  plan.least = MAX (plan.least, least);
  plan.whole += bytes_of_band (request, height);
  plan.at_rows += bytes_of_band (request, rows) + bytes_of_tiles (request, rows);
  plan.slack += slack;
  g_mutex_unlock (&lock);
}

TESSERA_API gboolean
tessera_process (const TesseraRequest *request)
{
  static gboolean (*real) (const TesseraRequest *request);

  if (! real)
    *(gpointer *) &real = dlsym (RTLD_NEXT, "tessera_process");
  if (! real)
    g_error ("libtessera has no tessera_process");
  if (request->filter->source && ! gegl_rectangle_is_empty (&request->roi))     /* else the host answers it, as it is meant */
    add_plan (request);
  return real (request);
}

void
plan_restart (gint rows, guint64 limit)
{
  g_mutex_lock (&lock);
  plan = (Plan) { 0 };
  plan_rows = rows;
  plan_limit = limit;
  g_mutex_unlock (&lock);
}

Plan
plan_read (void)
{
  Plan copy;

  g_mutex_lock (&lock);
  copy = plan;
  g_mutex_unlock (&lock);
  return copy;
}
