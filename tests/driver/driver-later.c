/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Kernels that were right and are so no longer: with other settings (a compiler that has one branch wrong), in another
 * format, or after a while (a card that goes bad).  The first result with new settings is C's, and a line says why.  With the same
 * settings that is so after 256 results at the latest. */
#include "driver-checks.h"

#include "driver-walk.h"

#define MOST 256                /* results until one is compared */

#define CASE(of, with, in) { .name = of, .operation = "tessera:" of, .settings = with, .format = in, .width = 131, .height = 90 }

/* What is used first, rightly, and what comes then. */
static const struct { DriverCase first, then; } pairs[] = {
  { CASE ("mean-blur", "radius=3", "RaGaBaA float"), CASE ("mean-blur", "radius=5", "RaGaBaA float") },
  { CASE ("mean-blur", "radius=3", "RaGaBaA float"), CASE ("mean-blur", "radius=3", "RGBA float") },
  { CASE ("motion-blur", "length=13.5 angle=27", "RaGaBaA float"), CASE ("motion-blur", "length=13.5 angle=28", "RaGaBaA float") },
  { CASE ("motion-blur", "length=13 border=none", "RaGaBaA float"), CASE ("motion-blur", "length=13 border=loop", "RaGaBaA float") },
  { CASE ("sobel", "result=magnitude", "RGBA float"), CASE ("sobel", "result=angle", "RGBA float") },
  { CASE ("gaussian-blur", "std-dev-x=2 std-dev-y=2", "RGBA float"), CASE ("gaussian-blur", "std-dev-x=2 std-dev-y=3", "RGBA float") },
  { CASE ("median-blur", "radius=2 percentile=50", "R'G'B'A float"), CASE ("median-blur", "radius=2 percentile=30", "R'G'B'A float") },
  { CASE ("bilateral-grid", "spatial-sigma=5 range-sigma=0.15", "RGBA float"), CASE ("bilateral-grid", "spatial-sigma=5 range-sigma=0.2", "RGBA float") },
  { CASE ("equalize", "clip-limit=2 tiles=2", "RGBA float"), CASE ("equalize", "clip-limit=3 tiles=2", "RGBA float") },
  { CASE ("label", "threshold=0.4", "RGBA float"), CASE ("label", "threshold=0.45", "RGBA float") }
};

static void
ask (const DriverCase *c, const DriverPicture *picture)
{
  g_free (driver_run (c, picture));
}

/* The next request is C's, and is on the device no more; the line is said once. */
static void
expect_notice (const DriverCase *c, const DriverPicture *picture, const gfloat *in_c, gint most, GString *why)
{
  gboolean   is_noticed = FALSE;
  Captured   capture;
  DriverSaid said;

  captured_begin (&capture);
  for (gint i = 0; i < most && ! is_noticed; i++)
    {
      gfloat         *pixels;
      TesseraCounters before, after;

      tessera_get_counters (&before);
      pixels = driver_run (c, picture);
      tessera_get_counters (&after);
      is_noticed = after.fallbacks > before.fallbacks;
      if (is_noticed)
        driver_same (c, pixels, in_c, "where it is noticed", why);
      g_free (pixels);
    }
  driver_captured_end (&capture, &said);
  if (! is_noticed)
    g_string_append_printf (why, "  nobody has noticed it in %d results\n", most);
  if (said.lines != 1 || said.warnings || ! strstr (said.text->str, "computes other pixels"))
    g_string_append_printf (why, "  not one line: %s\n", said.text->str);
  driver_said_clear (&said);
}

static void
go_bad (const DriverCase *first, const DriverCase *then, gint most, const gchar *what)
{
  gchar        *title = g_strdup_printf ("%s: %s, %s", first->name, what, then->settings);
  GString      *why = g_string_new (NULL);
  DriverPicture picture, other;
  gfloat       *in_c;

  driver_now (title);
  driver_picture_init (&picture, first, 1);
  driver_picture_init (&other, then, 2);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  in_c = driver_run (then, &other);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  forget_objects ();
  ask (first, &picture);
  stub.set_plan ("lie:round");
  expect_notice (then, &other, in_c, most, why);
  stub.set_plan (NULL);
  forget_objects ();
  driver_verdict (! why->len, title, why->str);
  driver_picture_clear (&picture);
  driver_picture_clear (&other);
  g_string_free (why, TRUE);
  g_free (title);
  g_free (in_c);
}

void
later_walk (void)
{
  tessera_set_band_rows (0);
  for (guint i = 0; i < G_N_ELEMENTS (pairs); i++)
    go_bad (&pairs[i].first, &pairs[i].then, 1, "other settings");
  go_bad (&pairs[0].first, &pairs[0].first, MOST, "after a while");
  go_bad (&pairs[9].first, &pairs[9].first, MOST, "after a while");
}
