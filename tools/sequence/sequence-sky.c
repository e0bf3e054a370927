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

/* The middle of the exposure, to a millionth of a day.  FALSE: a header has no time, or one that cannot be. */
static gboolean
add_date (GString *text, const FrameRow *frame)
{
  const gdouble  middle = frame->facts.middle;
  const gboolean can_be = isfinite (middle) && fabs (middle) < 1e11;
  const gint64   all = can_be ? (gint64) floor (middle / DAY * 1e6 + 0.5) : 0;
  const gint64   day = (all - (all % 1000000 + 1000000) % 1000000) / 1000000;
  GDateTime     *date = can_be ? g_date_time_new_from_unix_utc (day * (gint64) DAY) : NULL;

  if (! date)
    return FALSE;
  g_string_append_printf (text, "%04d %02d %02d.%06d", g_date_time_get_year (date), g_date_time_get_month (date), g_date_time_get_day_of_month (date),
                          (gint) (all - day * 1000000));
  g_date_time_unref (date);
  return TRUE;
}

gchar *
sky_report (const ObjectRow *row, const FrameRow *frame, const gchar *observatory)
{
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_printf (text, "     T%06d  C", (row->track + 1) % 1000000);
  if (! isfinite (row->ra) || ! isfinite (row->dec) || ! add_date (text, frame))
    return NULL;
  add_sexagesimal (text, row->ra / 15.0 < 24.0 - 0.0005 / 3600.0 ? row->ra / 15.0 : 0.0, 3);
  g_string_append_c (text, row->dec < 0.0 ? '-' : '+');
  add_sexagesimal (text, fabs (row->dec), 2);
  while (text->len < 77)
    g_string_append_c (text, ' ');
  g_string_append_printf (text, "%-3.3s", observatory);
  return g_string_free (g_steal_pointer (&text), FALSE);
}
