/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The three formats:
 *
 *   Lowe's  "N 128"; then for each point row, column, sigma, angle (radians, anti-clockwise, -pi to pi), and its numbers
 *           in lines of 20
 *   COLMAP  "N 128"; then a line for each: x + 0.5, y + 0.5, sigma, angle (radians, clockwise, 0 to 2 pi), the numbers
 *   CSV     a header; x, y, sigma, angle (degrees, clockwise), response, octave, layer, the numbers
 */
#include "config.h"

#include "sift-files.h"
#include "saving.h"

#define LOWE_LINE 20            /* numbers */
#define AT_A_TIME (1 << 20)     /* bytes of text, which would be 360 a point */

/* In the C locale. */
static void
append_number (GString *text, const gchar *format, gdouble number)
{
  gchar room[G_ASCII_DTOSTR_BUF_SIZE + 16];

  g_ascii_formatd (room, sizeof room, format, number);
  g_string_append (text, room);
}

static void
append_numbers (GString *text, const gchar *format, gint n, const gdouble *numbers, gchar between)
{
  for (gint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append_c (text, between);
      append_number (text, format, numbers[i]);
    }
}

/* `before`, and a descriptor's number.  Most of a file is these. */
static void
append_small (GString *text, gchar before, guint8 number)
{
  gchar room[4];
  gint  n = 0;

  room[n++] = before;
  if (number >= 100)
    room[n++] = '0' + number / 100;
  if (number >= 10)
    room[n++] = '0' + number / 10 % 10;
  room[n++] = '0' + number % 10;
  g_string_append_len (text, room, n);
}

static void
append_lowe (GString *text, const SiftPoint *point)
{
  const gdouble turned = (point->angle > 180.0 ? 360.0 - point->angle : -point->angle) * (G_PI / 180.0);
  const gdouble place[3] = { point->y, point->x, point->sigma };

  append_numbers (text, "%.4f", 3, place, ' ');
  g_string_append_c (text, ' ');
  append_number (text, "%.6f", turned <= -G_PI ? G_PI : turned);
  for (gint i = 0; i < SIFT_LENGTH; i++)
    {
      if (i % LOWE_LINE == 0)
        g_string_append_c (text, '\n');
      append_small (text, ' ', point->descriptor[i]);
    }
}

static void
append_colmap (GString *text, const SiftPoint *point)
{
  const gdouble place[3] = { point->x + 0.5, point->y + 0.5, point->sigma };

  append_numbers (text, "%.4f", 3, place, ' ');
  g_string_append_c (text, ' ');
  append_number (text, "%.6f", point->angle * (G_PI / 180.0));
  for (gint i = 0; i < SIFT_LENGTH; i++)
    append_small (text, ' ', point->descriptor[i]);
}

static void
append_csv (GString *text, const SiftPoint *point)
{
  const gdouble place[4] = { point->x, point->y, point->sigma, point->angle };

  append_numbers (text, "%.4f", 4, place, ',');
  g_string_append_c (text, ',');
  append_number (text, "%.6f", point->response);
  g_string_append_printf (text, ",%d,%d", point->octave, point->layer);
  for (gint i = 0; i < SIFT_LENGTH; i++)
    append_small (text, ',', point->descriptor[i]);
}

static SiftFormat
by_ending (const gchar *path)
{
  g_autofree gchar *lower = g_ascii_strdown (path, -1);

  return g_str_has_suffix (lower, ".txt") ? SIFT_COLMAP : g_str_has_suffix (lower, ".csv") ? SIFT_CSV : SIFT_LOWE;
}

static void
append_head (GString *text, const SiftList *list, SiftFormat format)
{
  if (format == SIFT_CSV)
    {
      g_string_append (text, "x,y,sigma,angle,response,octave,layer");
      for (gint i = 0; i < SIFT_LENGTH; i++)
        g_string_append_printf (text, ",d%d", i);
    }
  else
    g_string_append_printf (text, "%" G_GSIZE_FORMAT " %d", list->n, SIFT_LENGTH);
  g_string_append_c (text, '\n');
}

gboolean
sift_save (const SiftList *list, const gchar *path, SiftFormat format, GError **error)
{
  Saving saving;
  g_autoptr (GString) text = g_string_new (NULL);

  if (format == SIFT_BY_ENDING)
    format = by_ending (path);
  if (! saving_begin (&saving, path, "", error))
    return FALSE;
  append_head (text, list, format);
  for (gsize i = 0; i < list->n && ! ferror (saving.stream); i++)
    {
      (format == SIFT_CSV ? append_csv : format == SIFT_COLMAP ? append_colmap : append_lowe) (text, &list->points[i]);
      g_string_append_c (text, '\n');
      if (text->len > AT_A_TIME)
        {
          fwrite (text->str, 1, text->len, saving.stream);
          g_string_truncate (text, 0);
        }
    }
  fwrite (text->str, 1, text->len, saving.stream);
  return saving_end (&saving, TRUE, error);
}
