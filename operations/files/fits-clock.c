/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "fits-clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DAY       86400.0
#define DAY_ONE   719163        /* GLib's number of the day on which Unix time begins, ... */
#define MJD_ONE   40587         /* ... its modified Julian date, ... */
#define JD_ONE    2440587.5     /* ... and its Julian date */
#define MOST_DAYS 2900000.0     /* from 1970: calendars have years of four digits */
#define TAI_OF_TT (-32.184)     /* seconds */
#define TAI_OF_GPS 19.0
#define FIRST_OFFSET 10.0       /* seconds that UTC is behind TAI from the first of the days below on; ... */
                                /* ... one more from each other */

#define DATE  "^ *([0-9]{4})[-/]([0-9]{1,2})[-/]([0-9]{1,2})"
#define CLOCK "([0-9]{1,2}):([0-9]{1,2})(?::([0-9]{1,2}(?:\\.[0-9]*)?))? *Z? *$"

/* Modified Julian dates from which on UTC has one more leap second (IERS Bulletin C). */
static const gint leaps[] = { 41317, 41499, 41683, 42048, 42413, 42778, 43144, 43509, 43874, 44239,
                              44786, 45151, 45516, 46247, 47161, 47892, 48257, 48804, 49169, 49534,
                              50083, 50630, 51179, 53736, 54832, 56109, 57204, 57754 };

/* Seconds since 1970 in the file's own scale of time. */
typedef struct
{
  FrameClock state;
  gdouble    time;              /* of a day without an hour: its midnight; of a leap second: as in the second after it */
  gboolean   is_leap;
} Moment;

static const Moment unreadable = { CLOCK_UNREADABLE, NAN, FALSE };

/* ------------------------------------------------------------------- texts -- */

static gboolean
has_form (const gchar *text, const gchar *form, GMatchInfo **parts)
{
  g_autoptr (GRegex) regex = g_regex_new (form, G_REGEX_RAW, 0, NULL);

  return g_regex_match (regex, text, 0, parts);
}

static gdouble
number_at (GMatchInfo *parts, gint i)
{
  g_autofree gchar *digits = g_match_info_fetch (parts, i);

  return digits && *digits ? g_ascii_strtod (digits, NULL) : 0.0;
}

/* Seconds of a day; NaN: there is no such hour.  A leap second is the last one of its day. */
static gdouble
seconds_at (GMatchInfo *parts, gint i)
{
  const gdouble hour = number_at (parts, i), minute = number_at (parts, i + 1), second = number_at (parts, i + 2);

  return hour < 24.0 && minute < 60.0 && second < 61.0 ? (hour * 60.0 + minute) * 60.0 + second : NAN;
}

static Moment
moment_of_day (gdouble year, gdouble month, gdouble day)
{
  GDate date;

  if (! g_date_valid_dmy ((GDateDay) day, (GDateMonth) month, (GDateYear) year))
    return unreadable;
  g_date_clear (&date, 1);
  g_date_set_dmy (&date, (GDateDay) day, (GDateMonth) month, (GDateYear) year);
  return (Moment) { CLOCK_DAY, ((gint) g_date_get_julian (&date) - DAY_ONE) * DAY, FALSE };
}

static Moment
with_hour (Moment day, gdouble seconds)
{
  return isnan (seconds) || day.state != CLOCK_DAY ? unreadable
         : (Moment) { CLOCK_SAID, day.time + seconds, seconds >= DAY };
}

/* Files of before 2000 have the day first, and two digits of the year. */
static Moment
moment_of (const gchar *text)
{
  g_autoptr (GMatchInfo) whole = NULL, date = NULL, old = NULL;

  if (strspn (text, " ") == strlen (text))
    return (Moment) { CLOCK_NONE, NAN, FALSE };
  if (has_form (text, DATE "[T ] *" CLOCK, &whole))
    return with_hour (moment_of_day (number_at (whole, 1), number_at (whole, 2), number_at (whole, 3)),
                      seconds_at (whole, 4));
  if (has_form (text, DATE " *$", &date))
    return moment_of_day (number_at (date, 1), number_at (date, 2), number_at (date, 3));
  if (has_form (text, "^ *([0-9]{2})/([0-9]{2})/([0-9]{2}) *$", &old))
    return moment_of_day (1900.0 + number_at (old, 3), number_at (old, 2), number_at (old, 1));
  return unreadable;
}

/* The clock card may have the day too. */
static Moment
with_clock (Moment day, const gchar *clock)
{
  g_autoptr (GMatchInfo) parts = NULL;
  const Moment           whole = moment_of (clock);

  if (whole.state == CLOCK_SAID || ! has_form (clock, "^ *" CLOCK, &parts))
    return whole;
  return with_hour (day, seconds_at (parts, 1));
}

/* ------------------------------------------------------------------- cards -- */

/* The first that has an hour; else the one that says most. */
static Moment
better (Moment first, Moment second)
{
  return first.state == CLOCK_SAID || (first.state != CLOCK_NONE && second.state != CLOCK_SAID) ? first : second;
}

static Moment
moment_of_number (gdouble number, gdouble first_day)
{
  return isnan (number) ? (Moment) { CLOCK_NONE, NAN, FALSE }
         : fabs (number - first_day) > MOST_DAYS ? unreadable : (Moment) { CLOCK_SAID, (number - first_day) * DAY, FALSE };
}

static Moment
observed (const FitsTimes *times)
{
  const Moment date = moment_of (times->date);

  for (gint i = 0; i < FITS_CLOCKS && date.state == CLOCK_DAY; i++)
    {
      const Moment moment = with_clock (date, times->clocks[i]);

      if (moment.state == CLOCK_SAID)
        return moment;
    }
  return date;
}

static Moment
begin_of (const FitsTimes *times)
{
  const Moment moments[] = { moment_of (times->begin), moment_of_number (times->mjd_begin, MJD_ONE), observed (times),
                             moment_of_number (times->mjd, MJD_ONE), moment_of_number (times->jd, JD_ONE) };
  Moment       best = moments[0];

  for (guint i = 1; i < G_N_ELEMENTS (moments); i++)
    best = better (best, moments[i]);
  return best;
}

/* ------------------------------------------------------------------ scales -- */

/* Before UTC had whole seconds it is UTC itself. */
static gdouble
tai_of_utc (gdouble utc, gboolean is_leap)
{
  gint n = 0;                   /* days with one more second that are over */

  while (n < (gint) G_N_ELEMENTS (leaps) && utc >= (leaps[n] - MJD_ONE) * DAY)
    n++;
  n -= is_leap && n > 1 && utc < (leaps[n - 1] - MJD_ONE) * DAY + 1.0;
  return n > 0 ? utc + (FIRST_OFFSET + n - 1) : utc;
}

/* NaN: before UTC had whole seconds. */
static gdouble
utc_of_tai (gdouble tai)
{
  for (guint i = G_N_ELEMENTS (leaps); i-- > 0;)
    {
      const gdouble utc = tai - (FIRST_OFFSET + i);

      if (utc >= (leaps[i] - MJD_ONE) * DAY)
        return utc;
    }
  return NAN;
}

static gdouble
known_tai (gdouble tai)
{
  return isnan (utc_of_tai (tai)) ? NAN : tai;
}

static gboolean
is_any (const gchar *name, const gchar *const *names)
{
  while (*names && g_ascii_strcasecmp (name, *names) != 0)
    names++;
  return *names != NULL;
}

/* Of international atomic time; NaN: the scale is another one, or there is no such time. */
static gdouble
tai_of (const Moment *moment, const gchar *system)
{
  static const gchar *const utc[] = { "", "UTC", "UT", "GMT", "UTC approximate", NULL };
  static const gchar *const tt[] = { "TT", "TDT", "ET", NULL }, *const tai[] = { "TAI", "IAT", NULL };
  g_autofree gchar         *name = g_strstrip (g_strdup (system));

  return is_any (name, utc)                       ? tai_of_utc (moment->time, moment->is_leap)
         : is_any (name, tt)                      ? known_tai (moment->time + TAI_OF_TT)
         : is_any (name, tai)                     ? known_tai (moment->time)
         : g_ascii_strcasecmp (name, "GPS") == 0 ? known_tai (moment->time + TAI_OF_GPS)
                                                  : NAN;
}

static gdouble
utc_of (gdouble tai)
{
  return isnan (known_tai (tai)) ? tai : utc_of_tai (tai);
}

void
fits_clock_read (const FitsTimes *times, FrameFacts *facts)
{
  const Moment  average = better (moment_of (times->average), moment_of_number (times->mjd_average, MJD_ONE));
  const Moment  begin = begin_of (times);
  const Moment  best = better (average, begin);
  const gdouble half = isfinite (facts->exposure) ? facts->exposure / 2.0 : 0.0;

  gdouble       start, middle;

  facts->start = facts->middle = facts->order = NAN;
  facts->clock = best.state;
  if (best.state != CLOCK_SAID)
    return;
  start = begin.state == CLOCK_SAID        ? tai_of (&begin, times->system)
          : isfinite (facts->exposure) ? tai_of (&average, times->system) - half
                                           : NAN;
  middle = average.state == CLOCK_SAID ? tai_of (&average, times->system) : start + half;
  facts->start = utc_of (start);
  facts->middle = utc_of (middle);
  facts->order = middle;
  if (! isfinite (facts->middle))
    facts->clock = CLOCK_SYSTEM;
}
