/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Formats that the device does not convert: babl does, on the host, and floats of the
 * working format travel. */
#include "formats.h"

#include <stdio.h>
#include <string.h>

#define PIXELS (4 * FORMATS_WIDTH)

static const struct
{
  const gchar *name, *space;
} foreign[] =
{
  { "R'G'B'A u8", "Adobish" }, { "RGBA float", "Adobish" }, { "R'G'B' u16", "ProPhoto" }, { "RGBA half", "ProPhoto" },
  { "R'G'B'A float", "Rec2020" }, { "Y' u8", "Rec2020" }, { "RGBA double", NULL }, { "R'G'B' double", NULL },
  { "RGBA u32", NULL }, { "Y u32", NULL }, { "R~G~B~A float", NULL }, { "R~G~B~ u8", NULL }, { "CIE Lab float", NULL },
  { "CIE Lab u8", NULL }, { "cmyk float", NULL }, { "cmykA u8", NULL }, { "HSV float", NULL }, { "Y'CbCr u8", NULL }
};

/* Colours of all kinds by way of sRGB, so that each format holds something sensible. */
static guint8 *
pixels_of (const Babl *format)
{
  guint8  *pixels = g_malloc0 ((gsize) PIXELS * babl_format_get_bytes_per_pixel (format));
  gfloat  *colours = g_new (gfloat, 4 * PIXELS);
  guint32  seed = 1;

  for (gint i = 0; i < 4 * PIXELS; i++)
    {
      seed = seed * 1664525u + 1013904223u;
      colours[i] = (seed >> 8) * 0x1p-24f;
    }
  babl_process (babl_fish (babl_format ("R'G'B'A float"), format), colours, pixels, PIXELS);
  g_free (colours);
  return pixels;
}

static gboolean
same (const gchar *name, const gchar *direction, const FormatsRun *run, guint64 travelled, const guint8 *expected,
      gsize bytes)
{
  const gboolean equal = memcmp (run->pixels, expected, bytes) == 0;
  const gboolean good = equal && run->did.device_requests == 1 && travelled == 16 * PIXELS;

  if (! good)
    printf ("FAIL %s %s: %s babl's pixels, %" G_GUINT64_FORMAT " device requests, %" G_GUINT64_FORMAT " bytes travelled "
            "for %d pixels\n", direction, name, equal ? "exactly" : "not", run->did.device_requests, travelled, PIXELS);
  return good;
}

/* To and from "RGBA float" of the format's space. */
static void
check_one (const gchar *name, const Babl *format, gint *passed, gint *failed)
{
  const Babl *working = babl_format_with_space ("RGBA float", babl_format_get_space (format));
  guint8     *stored = pixels_of (format);
  guint8     *floats = g_malloc (16 * PIXELS);
  guint8     *back = g_malloc ((gsize) PIXELS * babl_format_get_bytes_per_pixel (format));
  FormatsRun  run;
  gint        good = 0;

  babl_process (babl_fish (format, working), stored, floats, PIXELS);
  run = formats_run (format, stored, PIXELS, "RGBA float", working, TRUE);
  good += same (name, "from", &run, run.did.uploaded_bytes, floats, 16 * PIXELS);
  g_free (run.pixels);
  babl_process (babl_fish (working, format), floats, back, PIXELS);
  run = formats_run (working, floats, PIXELS, "RGBA float", format, TRUE);
  good += same (name, "to", &run, run.did.downloaded_bytes, back,
                (gsize) PIXELS * babl_format_get_bytes_per_pixel (format));
  g_free (run.pixels);
  *passed += good;
  *failed += 2 - good;
  g_free (back);
  g_free (floats);
  g_free (stored);
}

void
formats_foreign (gint *passed, gint *failed)
{
  for (guint i = 0; i < G_N_ELEMENTS (foreign); i++)
    {
      const Babl *space = foreign[i].space ? babl_space (foreign[i].space) : NULL;
      gchar      *name = g_strconcat (foreign[i].name, space ? " in " : "", foreign[i].space, NULL);

      check_one (name, babl_format_with_space (foreign[i].name, space), passed, failed);
      g_free (name);
    }
}
