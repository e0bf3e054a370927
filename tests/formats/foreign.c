/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Formats that the device does not convert: babl does, on the host, and floats of the
 * working format travel.  And formats that it converts as others: names of one curve. */
#include "formats.h"

#include <stdio.h>
#include <string.h>

#define PIXELS (4 * FORMATS_WIDTH)

static const struct
{
  const gchar *name, *space;
} foreign[] =
{
  { "R'G'B'A u8", "Adobish" }, { "RGBA float", "Adobish" }, { "R'G'B' u16", "ProPhoto" }, { "R'G'B'A half", "ProPhoto" },
  { "R'G'B'A float", "Rec2020" }, { "Y' u8", "Rec2020" }, { "RGBA double", NULL }, { "R'G'B' double", NULL },
  { "RGBA u32", NULL }, { "Y u32", NULL }, { "CIE Lab float", NULL },
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

/* In sRGB ~ is ', in a space of linear curve ' is light. */
static const struct
{
  const gchar *name, *twin, *space, *working;
} twins[] =
{
  { "R~G~B~ u8", "R'G'B' u8", NULL, "RGBA float" }, { "R~G~B~A float", "R'G'B'A float", NULL, "RaGaBaA float" },
  { "Y~A half", "Y'A half", NULL, "R'G'B'A float" }, { "R~aG~aB~aA float", "R'aG'aB'aA float", NULL, "RGBA float" },
  { "R'G'B'A u16", "RGBA u16", "ACEScg", "RaGaBaA float" }, { "Y' u8", "Y u8", "ACEScg", "R~G~B~A float" },
  { "R'G'B' half", "RGB half", "scRGB", "R~G~B~A float" }, { "Y~ u16", "Y' u16", NULL, "RGBA float" },
  { "Y~aA float", "Y'aA float", NULL, "RaGaBaA float" }
};

gboolean
formats_has_twin (const gchar *format)
{
  const gsize model = strcspn (format, " ") + 1;

  for (guint i = 0; i < G_N_ELEMENTS (twins); i++)
    if (strncmp (twins[i].name, format, model) == 0)
      return TRUE;
  return FALSE;
}

/* On the device, in C, and as the twin: the same bits. */
static void
check_twin (gint i, gint *passed, gint *failed)
{
  const Babl  *space = twins[i].space ? babl_space (twins[i].space) : NULL, *formats[2];
  const Babl  *working = babl_format_with_space (twins[i].working, space);
  guint8      *stored = pixels_of (babl_format_with_space (twins[i].twin, space));
  FormatsRun   runs[4];
  gboolean     good = TRUE;

  formats[0] = babl_format_with_space (twins[i].name, space);
  formats[1] = babl_format_with_space (twins[i].twin, space);
  for (gint k = 0; k < 4; k++)
    {
      runs[k] = formats_run (formats[k % 2], stored, PIXELS, twins[i].working, working, k < 2);
      good = good && memcmp (runs[k].pixels, runs[0].pixels, 16 * PIXELS) == 0;
    }
  if (! good)
    printf ("FAIL %s%s%s is not read as %s\n", twins[i].name, space ? " in " : "", space ? twins[i].space : "", twins[i].twin);
  for (gint k = 0; k < 4; k++)
    g_free (runs[k].pixels);
  g_free (stored);
  *passed += good;
  *failed += ! good;
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
  for (guint i = 0; i < G_N_ELEMENTS (twins); i++)
    check_twin (i, passed, failed);
}
