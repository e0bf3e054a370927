/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Reports in the Astrometry Data Exchange Standard of the IAU (ADES, version 2022), as values with bars between them
 * (PSV).  A magnitude without a band is none there. */
#include "sequence.h"

#include <math.h>

#define DEGREES 1000000         /* of a place: 4 thousandths of a second of arc */

/* Names with commas between them, a line each. */
static void
add_people (GString *text, const gchar *who, const gchar *people)
{
  g_auto (GStrv) names = g_strsplit (people ? people : "", ",", -1);

  if (people)
    g_string_append_printf (text, "# %s\n", who);
  for (gchar **name = names; *name && people; name++)
    g_string_append_printf (text, "! name %s\n", g_strstrip (*name));
}

static void
add_telescope (GString *text, const gchar *telescope)
{
  static const gchar *const keys[] = { "design", "aperture", "detector" };
  g_auto (GStrv) words = g_strsplit (telescope ? telescope : "", ",", -1);

  if (telescope)
    g_string_append (text, "# telescope\n");
  for (guint i = 0; i < G_N_ELEMENTS (keys) && words[i]; i++)
    g_string_append_printf (text, "! %s %s\n", keys[i], g_strstrip (words[i]));
}

/* How it was observed: by the detector, if it is one that ADES has a word for. */
static const gchar *
mode_of (const ReportSettings *settings)
{
  return settings->telescope && g_str_has_suffix (settings->telescope, "CMOS") ? "CMO" : "CCD";
}

void
ades_begin (GString *text, const ReportSettings *settings)
{
  g_string_printf (text, "# version=2022\n# observatory\n! mpcCode %s\n",
                   settings->observatory ? settings->observatory : REPORT_NO_CODE);
  add_people (text, "submitter", settings->submitter);
  add_people (text, "observers", settings->observers);
  add_people (text, "measurers", settings->measurers);
  add_telescope (text, settings->telescope);
  g_string_append (text, "trkSub|mode|stn|obsTime|ra|dec|rmsRA|rmsDec|astCat|mag|rmsMag|band|logSNR|exp\n");
}

/* To a thousandth of a second, rounded once. */
static void
add_time (GString *text, gdouble middle)
{
  const gint64         all = (gint64) floor (middle * 1000.0 + 0.5);
  const gint64         seconds = (all - (all % 1000 + 1000) % 1000) / 1000;
  g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (seconds);
  g_autofree gchar    *words = g_date_time_format (date, "%Y-%m-%dT%H:%M:%S");

  g_string_append_printf (text, "|%s.%03dZ", words, (gint) (all - seconds * 1000));
}

static void
add_degrees (GString *text, gdouble degrees, gint64 round)
{
  const gint64 all = (gint64) floor (fabs (degrees) * DEGREES + 0.5) % round;

  g_string_append_printf (text, "|%s%d.%06d", degrees < 0.0 && all > 0 ? "-" : "", (gint) (all / DEGREES),
                          (gint) (all % DEGREES));
}

/* Above 0 only. */
static void
add_unsure (GString *text, const gchar *format, gdouble number)
{
  row_add_number (text, '|', format, number > 0.0 ? number : NAN);
}

void
ades_add (GString *text, const Observation *seen, const ReportSettings *settings)
{
  const gboolean has_light = isfinite (seen->magnitude) && *seen->band;

  g_string_append_printf (text, "T%06d|%s|%s", (seen->track + 1) % REPORT_MOST_TRACKS,
                          mode_of (settings), settings->observatory ? settings->observatory : REPORT_NO_CODE);
  add_time (text, seen->middle);
  add_degrees (text, seen->ra, 360 * (gint64) DEGREES);
  add_degrees (text, seen->dec, G_MAXINT64);
  add_unsure (text, "%.4f", seen->rms_ra);
  add_unsure (text, "%.4f", seen->rms_dec);
  g_string_append_printf (text, "|%s", settings->catalogue ? settings->catalogue : "UNK");
  row_add_number (text, '|', "%.3f", has_light ? seen->magnitude : NAN);
  add_unsure (text, "%.3f", has_light ? seen->rms_magnitude : NAN);
  g_string_append_printf (text, "|%s", has_light ? seen->band : "");
  row_add_number (text, '|', "%.3f", log10 (seen->significance));
  add_unsure (text, "%.3f", seen->exposure);
  g_string_append_c (text, '\n');
}
