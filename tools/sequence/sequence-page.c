/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * report.html: what was found, for people.  All is within: plots as SVG, pictures as PNG in text.  A track is a film of
 * its frames: one picture has them all, one below the other, and SVG shows one after the other. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#define FILM     4              /* pixels of the screen for one of a film */
#define SECONDS  0.12           /* of a frame in a film */
#define MOST_ROWS 1000          /* of a table */
#define SIGMA    2.3548

static const gchar style[] =
  "body{margin:0;background:#f3f4f6;color:#111827;font:15px/1.5 system-ui,sans-serif}\n"
  "main{max-width:980px;margin:0 auto;padding:32px 20px 64px}\n"
  "h1{font-size:26px;margin:0 0 4px}h2{font-size:19px;margin:40px 0 12px}p{margin:6px 0}\n"
  ".note{color:#6b7280}.cards{display:flex;flex-wrap:wrap;gap:12px;margin:20px 0}\n"
  ".card{background:#fff;border-radius:10px;padding:12px 18px;flex:1 1 150px;box-shadow:0 1px 2px #0002}\n"
  ".card b{display:block;font-size:24px;font-weight:600}.card span{color:#6b7280}\n"
  "figure,.box{background:#fff;border-radius:10px;padding:16px;margin:0 0 16px;box-shadow:0 1px 2px #0002;overflow-x:auto}\n"
  "figure{display:flex;flex-wrap:wrap;gap:20px}figcaption{flex:1 1 200px}figure h3{margin:0 0 6px;font-size:17px}\n"
  "figure div{flex:0 1 536px;display:grid;gap:12px}\n"
  "figure svg,figure img{image-rendering:pixelated;background:#000;border-radius:4px;width:100%;height:auto;display:block}\n"
  "table{border-collapse:collapse;font-variant-numeric:tabular-nums}\n"
  "th,td{text-align:left;padding:4px 14px 4px 0;border-bottom:1px solid #e5e7eb;vertical-align:top}th{color:#6b7280;font-weight:500}\n"
  ".box svg{max-width:100%;height:auto}\n";

/* -------------------------------------------------------------------- words -- */

/* Names of files may be of any bytes. */
static void
add_words (GString *text, const gchar *words)
{
  g_autofree gchar *valid = g_utf8_make_valid (words ? words : "", -1), *escaped = g_markup_escape_text (valid, -1);

  g_string_append (text, escaped);
}

static void
add_number (GString *text, const gchar *before, const gchar *format, gdouble number, const gchar *behind)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (number))
    g_string_append_printf (text, "%s%s%s", before, g_ascii_formatd (digits, sizeof digits, format, number), behind);
}

static void
add_card (GString *text, const gchar *number, const gchar *words)
{
  g_string_append_printf (text, "<div class=\"card\"><b>%s</b><span>%s</span></div>\n", number, words);
}

/* Seconds since 1970 as a day and an hour. */
static void
add_time (GString *text, const gchar *before, gdouble time)
{
  g_autoptr (GDateTime) date = fabs (time) < REPORT_LATEST ? g_date_time_new_from_unix_utc ((gint64) floor (time)) : NULL;
  g_autofree gchar     *words = date ? g_date_time_format (date, "%Y-%m-%d %H:%M:%S") : NULL;

  if (words)
    g_string_append_printf (text, "%s%s", before, words);
}

/* -------------------------------------------------------------------- depth -- */

static gint
compare (gconstpointer a, gconstpointer b)
{
  const gdouble first = *(const gdouble *) a, second = *(const gdouble *) b;

  return first < second ? -1 : first > second;
}

/* The median of frames; NaN: no frame has one. */
static gdouble
middle_of (const Tables *tables, gdouble (*value) (const FrameRow *row))
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (gdouble));

  for (guint i = 0; i < tables->frames->len; i++)
    {
      const gdouble one = value (&g_array_index (tables->frames, FrameRow, i));

      if (isfinite (one))
        g_array_append_val (values, one);
    }
  g_array_sort (values, compare);
  return values->len ? g_array_index (values, gdouble, values->len / 2) : NAN;
}

static gdouble noise_of (const FrameRow *row) { return row->quality.noise; }
static gdouble zero_of (const FrameRow *row) { return row->facts.zero_point; }

/* Counts of an object that n frames together just show: the noise of the pixels that a star's own shape weighs. */
static gdouble
limit_of (const Tables *tables, const ReportSettings *settings, gdouble threshold, gint n)
{
  const gdouble sigma = settings->fwhm / SIGMA;

  return threshold * middle_of (tables, noise_of) * sqrt (4.0 * G_PI * sigma * sigma / n);
}

static void
add_limit (GString *text, const Tables *tables, const ReportSettings *settings, gdouble threshold, gint n)
{
  const gdouble counts = limit_of (tables, settings, threshold, n);
  const gdouble zero = isfinite (settings->zero_point) ? settings->zero_point : middle_of (tables, zero_of), magnitude = zero - 2.5 * log10 (counts);
  g_autoptr (GString) number = g_string_new (NULL);
  g_autofree gchar   *words = n > 1 ? g_strdup_printf ("is the faintest of a track over %d frames", n) : g_strdup ("is the faintest object in one frame");

  if (isfinite (magnitude))
    add_number (number, "", "%.2f", magnitude, " mag");
  else
    add_number (number, "", "%.0f", counts, " counts");
  if (number->len)
    add_card (text, number->str, words);
}

/* ------------------------------------------------------------------- tracks -- */

static gint
number_at (const guint8 *bytes)
{
  return bytes[0] << 24 | bytes[1] << 16 | bytes[2] << 8 | bytes[3];
}

/* A picture's text, and its size as PNG has it in its first bytes.  NULL: there is no such picture. */
static gchar *
picture_of (const gchar *folder, gint track, const gchar *ending, gint *width, gint *height)
{
  g_autofree gchar *path = g_strdup_printf ("%s/tracks/%04d%s.png", folder, track + 1, ending), *bytes = NULL;
  gsize             n;

  if (! g_file_get_contents (path, &bytes, &n, NULL) || n < 24)
    return NULL;
  *width = number_at ((const guint8 *) bytes + 16);
  *height = number_at ((const guint8 *) bytes + 20);
  return g_base64_encode ((const guchar *) bytes, n);
}

static gboolean
add_film (GString *text, const gchar *folder, gint track)
{
  gint              width, height;
  g_autofree gchar *film = picture_of (folder, track, "-film", &width, &height);
  const gint        n = film ? height / SEQUENCE_CUTOUT : 0;

  if (n < 1)
    return FALSE;
  g_string_append_printf (text, "<svg viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\"><image width=\"%d\" height=\"%d\" href=\"data:image/png;base64,%s\">"
                                "<animate attributeName=\"y\" calcMode=\"discrete\" repeatCount=\"indefinite\" dur=\"", width, SEQUENCE_CUTOUT, FILM * width,
                          FILM * SEQUENCE_CUTOUT, width, height, film);
  add_number (text, "", "%.2f", SECONDS * n, "s\" values=\"");
  for (gint i = 0; i < n; i++)
    g_string_append_printf (text, "%s%d", i ? ";" : "", -i * SEQUENCE_CUTOUT);
  g_string_append (text, "\"/></image></svg>\n");
  return TRUE;
}

/* The rows of one object: the strongest, and how many there are. */
typedef struct
{
  const ObjectRow *first, *last, *best;
  gint             n;
} Found;

static Found *
find_all (const Tables *tables)
{
  Found *all = g_new0 (Found, MAX (tables->n_tracks, 1));

  for (guint i = 0; i < tables->tracks->len; i++)
    {
      const ObjectRow *row = &g_array_index (tables->tracks, ObjectRow, i);
      Found           *found = &all[row->track];

      found->first = found->first ? found->first : row;
      found->last = row;
      found->best = ! found->best || row->value > found->best->value ? row : found->best;
      found->n++;
    }
  return all;
}

static void
add_caption (GString *text, const Tables *tables, const Found *found, const ReportSettings *settings)
{
  const Observation seen = report_observation (tables, found->best, settings);
  const Motion      motion = tables_motion (tables, found->best);

  g_string_append_printf (text, "<figcaption><h3>Track %d</h3><p>found %d times, in frames %d to %d</p>", found->best->track + 1, found->n,
                          found->first->index, found->last->index);
  add_number (text, "<p>", "%.1f", found->best->value, " standard deviations");
  add_number (text, "<br>", "%.0f", found->best->flux, " counts in a frame");
  add_number (text, "<br>", "%.2f", seen.magnitude, " mag ");
  g_string_append (text, isfinite (seen.magnitude) ? seen.band : "");
  add_number (text, "</p><p>", "%.3f", found->best->v_x, " px a frame in x");
  add_number (text, ", ", "%.3f", found->best->v_y, " in y");
  add_number (text, "<br>", "%.3f", motion.rate, " arcsec a minute");
  add_number (text, " towards ", "%.0f", motion.angle, "°");
  add_number (text, "</p><p>frame ", "%.0f", found->best->index, ": ");
  add_number (text, "x ", "%.1f", found->best->x, "");
  add_number (text, ", y ", "%.1f", found->best->y, "");
  add_number (text, "<br>RA ", "%.5f", seen.ra, "");
  add_number (text, ", Dec ", "%.5f", seen.dec, "");
  add_time (text, "<br>", seen.middle);
  g_string_append (text, "</p></figcaption>\n");
}

static void
add_figure (GString *text, const Tables *tables, const Found *found, const gchar *folder, const ReportSettings *settings)
{
  gint              width, height;
  g_autofree gchar *still = picture_of (folder, found->best->track, "", &width, &height);

  g_string_append (text, still ? "<figure><div>\n" : "<figure>\n");
  add_film (text, folder, found->best->track);
  if (still)
    g_string_append_printf (text, "<img alt=\"the mean of the frames, and what is added on the object\" src=\"data:image/png;base64,%s\"></div>\n", still);
  add_caption (text, tables, found, settings);
  g_string_append (text, "</figure>\n");
}

static void
add_tracks (GString *text, const Tables *tables, const gchar *folder, const ReportSettings *settings)
{
  g_autofree Found *all = find_all (tables);

  g_string_append (text, "<h2>What moves</h2>\n");
  if (tables->n_tracks == 0)
    g_string_append (text, "<p class=\"note\">No object was found that moves.</p>\n");
  else
    g_string_append (text, "<p class=\"note\">The film: a frame on the left, what is left of it without the stars on the right; marks are beside the object. Behind it the mean of "
                           "the frames with the object's way, and the frames added on the object.</p>\n");
  for (gint i = 0; i < MIN (tables->n_tracks, MOST_ROWS); i++)
    add_figure (text, tables, &all[i], folder, settings);
}

/* -------------------------------------------------------------------- frames -- */

static void
add_left_row (GString *text, const gchar *name, const gchar *reason)
{
  g_string_append (text, "<tr><td>");
  add_words (text, name);
  g_string_append (text, "</td><td>");
  add_words (text, reason);
  g_string_append (text, "</td></tr>\n");
}

static gint
count_left_out (const Tables *tables)
{
  gint n = 0;

  for (guint i = 0; i < tables->frames->len; i++)
    n += g_array_index (tables->frames, FrameRow, i).state >= FRAME_UNREADABLE;
  return n;
}

static void
add_left_out (GString *text, const Tables *tables, const FrameList *list)
{
  const gint dropped = list ? (gint) list->dropped->len : 0, n = count_left_out (tables) + dropped;
  gint       shown = 0;

  g_string_append (text, "<h2>What was left out</h2>\n");
  if (n == 0)
    {
      g_string_append (text, "<p class=\"note\">Nothing: all frames were used.</p>\n");
      return;
    }
  g_string_append (text, "<div class=\"box\"><table><tr><th>file</th><th>why</th></tr>\n");
  for (gint i = 0; i < dropped && shown < MOST_ROWS; i++, shown++)
    add_left_row (text, ((const FrameDropped *) list->dropped->pdata[i])->name, ((const FrameDropped *) list->dropped->pdata[i])->reason);
  for (guint i = 0; i < tables->frames->len && shown < MOST_ROWS; i++)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      if (row->state < FRAME_UNREADABLE)
        continue;
      add_left_row (text, row->name, row->reason);
      shown++;
    }
  g_string_append (text, "</table></div>\n");
  if (shown < n)
    g_string_append_printf (text, "<p class=\"note\">... and %d more, in shifts.csv.</p>\n", n - shown);
}

/* ---------------------------------------------------------------------- page -- */

static void
add_head (GString *text, const Tables *tables)
{
  const FrameRow *first = &g_array_index (tables->frames, FrameRow, 0), *last = &g_array_index (tables->frames, FrameRow, tables->frames->len - 1);

  g_string_append_printf (text, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">"
                                "<title>What moves: ");
  add_words (text, first->name);
  g_string_append_printf (text, "</title><style>\n%s</style></head><body><main>\n<h1>What moves in this sequence</h1>\n<p class=\"note\">", style);
  add_words (text, first->name);
  g_string_append (text, " to ");
  add_words (text, last->name);
  add_time (text, ", ", first->facts.middle);
  add_time (text, " to ", last->facts.middle);
  g_string_append (text, isfinite (first->facts.middle) ? " UTC</p>\n" : "</p>\n");
}

static void
add_cards (GString *text, const Tables *tables, const ReportSettings *settings)
{
  g_autofree gchar *frames = g_strdup_printf ("%u of %u", tables->frames->len - count_left_out (tables), tables->frames->len);
  g_autofree gchar *tracks = g_strdup_printf ("%d", tables->n_tracks), *detections = g_strdup_printf ("%u", tables->detections->len);

  g_string_append (text, "<div class=\"cards\">\n");
  add_card (text, frames, "frames are used");
  add_card (text, tracks, tables->n_tracks == 1 ? "object moves" : "objects move");
  add_card (text, detections, "detections in single frames");
  add_limit (text, tables, settings, tables_thresholds (tables, FALSE).median, 1);
  add_limit (text, tables, settings, tables_thresholds (tables, TRUE).median, settings->stack > SEQUENCE_SHORT ? settings->stack : SEQUENCE_SHORT);
  g_string_append (text, "</div>\n");
}

gboolean
page_write (const Tables *tables, const gchar *folder, const FrameList *list, const ReportSettings *settings, GError **error)
{
  g_autofree gchar   *path = g_build_filename (folder, "report.html", NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  add_head (text, tables);
  add_cards (text, tables, settings);
  add_tracks (text, tables, folder, settings);
  g_string_append (text, "<h2>Frame by frame</h2>\n<p class=\"note\">A red mark is a frame that was left out.</p>\n<div class=\"box\">\n");
  panels_add (text, tables);
  g_string_append (text, "</div>\n");
  add_left_out (text, tables, list);
  g_string_append (text, "</main></body></html>\n");
  return folder_write (path, text->str, text->len, error);
}
