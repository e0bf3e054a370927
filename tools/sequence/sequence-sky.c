/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Reports of places in the sky: the Minor Planet Center's format of 80 columns for optical observations. */
#include "sequence.h"

#include <math.h>

#define DAY 86400.0

/* Hours or degrees, minutes, seconds, rounded once. */
static void
add_sexagesimal (GString *text, gdouble value, gint digits)
{
  const gint64 steps = digits == 3 ? 1000 : 100, all = (gint64) (value * 3600.0 * steps + 0.5);

  g_string_append_printf (text, "%02d %02d %02d.%0*d", (gint) (all / (3600 * steps)), (gint) (all / (60 * steps) % 60), (gint) (all / steps % 60),
                          digits, (gint) (all % steps));
}

/* The middle of the exposure, to a millionth of a day. */
static void
add_date (GString *text, gdouble middle)
{
  const gint64          all = (gint64) floor (middle / DAY * 1e6 + 0.5);
  const gint64          day = (all - (all % 1000000 + 1000000) % 1000000) / 1000000;
  g_autoptr (GDateTime) date = g_date_time_new_from_unix_utc (day * (gint64) DAY);

  g_string_append_printf (text, "%04d %02d %02d.%06d", g_date_time_get_year (date), g_date_time_get_month (date), g_date_time_get_day_of_month (date),
                          (gint) (all - day * 1000000));
}

/* Columns 66 to 71. */
static void
add_magnitude (GString *text, const Observation *seen)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (seen->magnitude > -9.99 && seen->magnitude < 99.99)
    g_string_append_printf (text, "%*s%5s%c", 65 - (gint) text->len, "", g_ascii_formatd (digits, sizeof digits, "%.2f", seen->magnitude),
                            *seen->band ? *seen->band : ' ');
}

gchar *
sky_report (const Observation *seen, const gchar *observatory)
{
  g_autoptr (GString) text = g_string_new (NULL);
  const gdouble       hours = seen->ra / 15.0;

  g_string_printf (text, "     T%06d  C", (seen->track + 1) % REPORT_MOST_TRACKS);
  add_date (text, seen->middle);
  add_sexagesimal (text, hours < 24.0 - 0.0005 / 3600.0 ? hours : 0.0, 3);
  g_string_append_c (text, seen->dec < 0.0 ? '-' : '+');
  add_sexagesimal (text, fabs (seen->dec), 2);
  add_magnitude (text, seen);
  while (text->len < 77)
    g_string_append_c (text, ' ');
  g_string_append_printf (text, "%-3.3s", observatory ? observatory : REPORT_NO_CODE);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
