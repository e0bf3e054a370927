/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * When FITS files say that they were taken, against astropy's Time (5.2.1): days and hours in one card or two, Julian
 * dates, scales of time, the middle of the exposure, headers of two parts; and those that do not say it. */
#include <fitsio.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "files-test.h"
#include "files.h"
#include "fits.h"

#define T     1767323045.678    /* 2026-01-02T03:04:05.678 UTC */
#define DAY   "DATE-OBS= '2026-01-02'"
#define WHOLE "DATE-OBS= '2026-01-02T03:04:05.678'"
#define LONG  "EXPTIME = 30.0"
#define NEAR  1e-4              /* seconds: a Julian date has no more digits */

typedef struct
{
  const gchar *cards[6];
  FrameClock   clock;
  gdouble      start, middle;   /* NaN: none */
} Case;

static const Case cases[] = {
  { { WHOLE, LONG }, CLOCK_SAID, T, T + 15.0 },
  { { WHOLE }, CLOCK_SAID, T, T },
  { { "DATE-OBS= '2026-01-02 03:04:05.678'", "EXPOSURE= 30.0" }, CLOCK_SAID, T, T + 15.0 },
  { { "DATE-OBS= '2026-01-02T03:04:05.678Z'", "XPOSURE = 30.0" }, CLOCK_SAID, T, T + 15.0 },
  { { WHOLE, "XPOSURE = 10.0", "EXPOSURE= 20.0", LONG }, CLOCK_SAID, T, T + 15.0 },
  { { WHOLE, "EXPTIME = -1.0" }, CLOCK_SAID, T, T },
  { { DAY, "UT      = '03:04:05.678'", LONG }, CLOCK_SAID, T, T + 15.0 },
  { { DAY, "UTC     = '3:04:05.678'" }, CLOCK_SAID, T, T },
  { { DAY, "UTSTART = '03:04:05.678'" }, CLOCK_SAID, T, T },
  { { DAY, "TIME-OBS= '03:04:05.678'" }, CLOCK_SAID, T, T },
  { { DAY, "UT      = '2026-01-02T03:04:05.678'" }, CLOCK_SAID, T, T },
  { { DAY, "UTC     = 11045.678", "UT      = '03:04:05.678'" }, CLOCK_SAID, T, T },
  { { "DATE-OBS= '21/03/97'", "UT      = '11:22:33'" }, CLOCK_SAID, 858943353.0, 858943353.0 },
  { { "MJD-OBS = 61042.12783", LONG }, CLOCK_SAID, 1767323044.512, 1767323059.512 },
  { { "JD      = 2461042.62783" }, CLOCK_SAID, 1767323044.512, 1767323044.512 },
  { { DAY, "MJD-OBS = 61042.12783" }, CLOCK_SAID, 1767323044.512, 1767323044.512 },
  { { "DATE-BEG= '2026-01-02T03:04:05.678'", DAY, LONG }, CLOCK_SAID, T, T + 15.0 },
  { { "DATE-AVG= '2026-01-02T03:04:05.678'", LONG }, CLOCK_SAID, T - 15.0, T },
  { { "DATE-AVG= '2026-01-02T03:04:05.678'" }, CLOCK_SAID, NAN, T },
  { { "DATE-AVG= '2026-01-02T03:04:25.678'", WHOLE, LONG }, CLOCK_SAID, T, T + 20.0 },
  { { "MJD-AVG = 61042.12783", DAY, LONG }, CLOCK_SAID, 1767323029.512, 1767323044.512 },
  { { "DATE-AVG= 'unknown'", WHOLE, LONG }, CLOCK_SAID, T, T + 15.0 },
  { { WHOLE, "TIMESYS = 'UTC'" }, CLOCK_SAID, T, T },
  { { WHOLE, "TIMESYS = 'TT'", LONG }, CLOCK_SAID, 1767322976.494, 1767322991.494 },
  { { WHOLE, "TIMESYS = 'TAI'" }, CLOCK_SAID, 1767323008.678, 1767323008.678 },
  { { WHOLE, "TIMESYS = 'GPS'" }, CLOCK_SAID, 1767323027.678, 1767323027.678 },
  { { "MJD-OBS = 61042.12783", "TIMESYS = 'TAI'" }, CLOCK_SAID, 1767323007.512, 1767323007.512 },
  { { "DATE-OBS= '1998-12-31T23:59:59'", "TIMESYS = 'TT'" }, CLOCK_SAID, 915148735.816, 915148735.816 },
  { { "DATE-OBS= '1999-01-01T00:00:40'", "TIMESYS = 'TAI'" }, CLOCK_SAID, 915148808.0, 915148808.0 },
  { { "DATE-OBS= '1972-07-02'", "TIME-OBS= '00:00:00'", "TIMESYS = 'TT'" }, CLOCK_SAID, 78883156.816, 78883156.816 },
  { { "DATE-OBS= '2016-12-31T23:59:58'", "EXPTIME = 6.0" }, CLOCK_SAID, 1483228798.0, 1483228800.0 },
  { { "DATE-OBS= '2016-12-31T23:59:60.5'" }, CLOCK_SAID, 1483228800.5, 1483228800.5 },
  { { "DATE-OBS= '2016-12-31T23:59:60.5'", "EXPTIME = 4.0" }, CLOCK_SAID, 1483228800.5, 1483228801.5 },
  { { "DATE-OBS= '2016-12-30T23:59:60.5'", "EXPTIME = 4.0" }, CLOCK_SAID, 1483142400.5, 1483142402.5 },
  { { "DATE-OBS= '1960-07-02T00:00:00'", "EXPTIME = 4.0" }, CLOCK_SAID, -299808000.0, -299807998.0 },
  { { WHOLE, "TIMESYS = 'TDB'" }, CLOCK_SYSTEM, NAN, NAN },
  { { WHOLE, "TIMESYS = 'LOCAL'" }, CLOCK_SYSTEM, NAN, NAN },
  { { "DATE-OBS= '1960-07-02T00:00:00'", "TIMESYS = 'TT'" }, CLOCK_SYSTEM, NAN, NAN },
  { { LONG }, CLOCK_NONE, NAN, NAN },
  { { "DATE    = '2026-01-02T03:04:05'" }, CLOCK_NONE, NAN, NAN },
  { { "DATE-OBS= '          '" }, CLOCK_NONE, NAN, NAN },
  { { DAY, LONG }, CLOCK_DAY, NAN, NAN },
  { { DAY, "UT      = 3.068", "UTC     = '03:04'" }, CLOCK_SAID, 1767323040.0, 1767323040.0 },
  { { DAY, "UT      = 3.068" }, CLOCK_DAY, NAN, NAN },
  { { DAY, "UT      = '25:00:00'" }, CLOCK_DAY, NAN, NAN },
  { { "DATE-OBS= '2026-02-30T03:04:05'" }, CLOCK_UNREADABLE, NAN, NAN },
  { { "DATE-OBS= '2026-01-02T24:04:05'" }, CLOCK_UNREADABLE, NAN, NAN },
  { { "DATE-OBS= 'yesterday'", "UT      = '03:04:05'" }, CLOCK_UNREADABLE, NAN, NAN },
  { { "UT      = '03:04:05'" }, CLOCK_NONE, NAN, NAN },
};

static gboolean
is_alike (gdouble found, gdouble wanted)
{
  return isnan (wanted) ? isnan (found) : fabs (found - wanted) < NEAR;
}

static void
expect_facts (const gchar *path, const gchar *what, FrameClock clock, gdouble start, gdouble middle)
{
  FitsHeader header;

  expect (fits_read_header (path, &header, NULL), "%s is read", what);
  expect (header.facts.clock == clock && is_alike (header.facts.start, start) && is_alike (header.facts.middle, middle),
          "%s: %d, from %.4f, middle %.4f; not %d, %.4f, %.4f", what, header.facts.clock, header.facts.start,
          header.facts.middle, clock, start, middle);
  fits_header_clear (&header);
}

static void
one_part (const gchar *path)
{
  const gdouble values[6] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree gchar *what = g_strjoinv (", ", (gchar **) cases[i].cards);

      files_fits_of (path, 16, 3, 2, 1, values, cases[i].cards);
      expect_facts (path, what, cases[i].clock, cases[i].start, cases[i].middle);
    }
}

/* An empty part, and an image behind it: plain, or compressed. */
static void
two_parts (const gchar *path, gboolean is_compressed, const gchar *const *first, const gchar *const *second)
{
  long      sizes[] = { 30, 20 };
  gint      status = 0;
  gshort    values[600] = { 0 };
  fitsfile *file = NULL;

  g_unlink (path);
  fits_create_diskfile (&file, path, &status);
  fits_create_img (file, SHORT_IMG, 0, NULL, &status);
  for (; *first; first++)
    fits_write_record (file, *first, &status);
  if (is_compressed)
    fits_set_compression_type (file, RICE_1, &status);
  fits_create_img (file, SHORT_IMG, 2, sizes, &status);
  for (; *second; second++)
    fits_write_record (file, *second, &status);
  fits_write_img (file, TSHORT, 1, 600, values, &status);
  fits_close_file (file, &status);
  expect (status == 0, "CFITSIO writes %s: %d", path, status);
}

/* The image's own header counts first. */
static void
of_two_parts (const gchar *path)
{
  static const gchar *const nothing[] = { NULL }, *const whole[] = { WHOLE, LONG, NULL }, *const day[] = { DAY, NULL };
  static const gchar *const clock[] = { "UT      = '03:04:05.678'", LONG, NULL };
  static const gchar *const own[] = { "DATE-OBS= '2026-01-02T03:04:06.678'", "EXPTIME = 10.0", NULL };
  static const gchar *const apart[] = { "INHERIT = F", NULL };

  for (gint i = 0; i < 2; i++)
    {
      two_parts (path, i, whole, nothing);
      expect_facts (path, "an image behind an empty part", CLOCK_SAID, T, T + 15.0);
      two_parts (path, i, day, clock);
      expect_facts (path, "a day before, an hour behind", CLOCK_SAID, T, T + 15.0);
      two_parts (path, i, whole, own);
      expect_facts (path, "an image's own time", CLOCK_SAID, T + 1.0, T + 6.0);
      two_parts (path, i, whole, apart);
      expect_facts (path, "an image that inherits nothing", CLOCK_NONE, NAN, NAN);
      two_parts (path, i, nothing, day);
      expect_facts (path, "a day behind an empty part", CLOCK_DAY, NAN, NAN);
    }
}

/* What magnitudes need. */
static void
light (const gchar *path)
{
  static const struct
  {
    const gchar *cards[4];
    gdouble      zero_point;
    const gchar *band;
  } kinds[] = { { { "MAGZERO = 25.5", "FILTER  = 'V'" }, 25.5, "V" },
                { { "PHOTZP  = 24.25", "FILTER  = ' Rc '" }, 24.25, "Rc" },
                { { "MAGZERO = 25.5", "PHOTZP  = 24.25", "FILTER  = 'Ha 7nm'" }, 25.5, "" },
                { { "FILTER  = 'Luminance'" }, NAN, "" },
                { { "FILTER  = 'g|r'" }, NAN, "" } };
  const gdouble values[6] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      FitsHeader header;

      files_fits_of (path, 16, 3, 2, 1, values, kinds[i].cards);
      expect (fits_read_header (path, &header, NULL) && is_alike (header.facts.zero_point, kinds[i].zero_point)
                  && g_str_equal (header.facts.band, kinds[i].band),
              "%s: %g in %s", kinds[i].cards[0], header.facts.zero_point, header.facts.band);
      fits_header_clear (&header);
    }
}

int
clock_test (int argc G_GNUC_UNUSED, char **argv G_GNUC_UNUSED)
{
  gchar            *folder = files_folder ();
  g_autofree gchar *path = g_build_filename (folder, "frame.fits", NULL);

  one_part (path);
  of_two_parts (path);
  light (path);
  files_remove (folder);
  g_free (folder);
  return expect_told ();
}
