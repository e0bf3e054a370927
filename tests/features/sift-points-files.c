/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * sift-points: the three kinds of files, read strictly.
 *
 *   lowe    "N 128", then "row column sigma angle" (radians, anti-clockwise, -pi to pi), then lines of at most 20 integers, each
 *           integer behind a space
 *   colmap  "N 128", then "x+.5 y+.5 sigma angle" (radians, clockwise, 0 to 2 pi) and 128 integers on one line
 *   csv     a header, then x, y, sigma, angle (degrees, clockwise, 0 to 360), response, octave, layer, 128 integers */
#include "sift-points.h"

#define INTEGERS_A_LINE 20
/* Half a unit of the last digit of two numbers, and of what was added to one. */
#define LENGTH_NEAR 1.01e-4
#define ANGLE_NEAR  (0.5e-6 + 0.5e-4 * G_PI / 180 + 1e-9)

const gchar *const sift_file_nicks[SIFT_FILES] = { "lowe", "colmap", "csv" };

typedef struct
{
  const gchar *at, *end;
  gchar       *why;
  gint         line;
} Reader;

static void
complain (Reader *reader, const gchar *what)
{
  if (! reader->why)
    reader->why = g_strdup_printf ("line %d: %s at \"%.*s\"", reader->line, what, (gint) MIN (24, reader->end - reader->at),
                                   reader->at);
}

static void
expect_text (Reader *reader, const gchar *text)
{
  const gsize length = strlen (text);

  if (reader->why)
    return;
  if ((gsize) (reader->end - reader->at) < length || memcmp (reader->at, text, length))
    {
      complain (reader, text[0] == '\n' ? "no end of the line" : "not what must stand there");
      return;
    }
  reader->at += length;
  reader->line += text[length - 1] == '\n';
}

/* -?D+, or -?D+.DD..D of `decimals`; no zeros before the first digit but one. */
static gdouble
read_number (Reader *reader, gint decimals, gchar word[32])
{
  const gchar *start = reader->at, *at = start;
  gint         whole = 0, behind = 0;

  if (reader->why)
    return 0;
  at += at < reader->end && *at == '-';
  for (; at < reader->end && g_ascii_isdigit (*at); at++)
    whole++;
  if (whole == 0 || (whole > 1 && at[-whole] == '0'))
    complain (reader, "not a number");
  if (decimals > 0)
    {
      if (at < reader->end && *at++ != '.')
        complain (reader, "not a number with decimals");
      for (; at < reader->end && g_ascii_isdigit (*at); at++)
        behind++;
    }
  if (behind != decimals)
    complain (reader, "another number of decimals");
  if (reader->why)
    return 0;
  if (word)
    g_snprintf (word, 32, "%.*s", (gint) (at - start), start);
  reader->at = at;
  return g_ascii_strtod (start, NULL);
}

static void
read_in_range (Reader *reader, gdouble value, gdouble low, gdouble high)
{
  if (! reader->why && ! (value >= low && value <= high))
    complain (reader, "an angle out of its range before");
}

static void
read_integers (Reader *reader, const gchar *before, gint a_line, guint8 descriptor[REF_SIFT_LENGTH])
{
  for (gint e = 0; e < REF_SIFT_LENGTH && ! reader->why; e++)
    {
      gdouble value;

      if (e > 0 && a_line > 0 && e % a_line == 0)
        expect_text (reader, "\n");
      expect_text (reader, before);
      value = read_number (reader, 0, NULL);
      if (value < 0 || value > 255)
        complain (reader, "an element beyond 0..255 before");
      descriptor[e] = value;
    }
  expect_text (reader, "\n");
}

/* The four numbers in the order of the file. */
static void
read_four (Reader *reader, const gchar *between, gint angle_decimals, gdouble values[4], SiftRow *row)
{
  for (gint i = 0; i < 4; i++)
    {
      if (i > 0)
        expect_text (reader, between);
      values[i] = read_number (reader, i < 3 ? 4 : angle_decimals, row->word[i]);
    }
}

static void
read_row (Reader *reader, SiftFile file, SiftRow *row)
{
  gdouble values[4] = { 0 };

  read_four (reader, file == SIFT_CSV ? "," : " ", file == SIFT_CSV ? 4 : 6, values, row);
  row->x = file == SIFT_LOWE ? values[1] : file == SIFT_COLMAP ? values[0] - 0.5 : values[0];
  row->y = file == SIFT_LOWE ? values[0] : file == SIFT_COLMAP ? values[1] - 0.5 : values[1];
  row->sigma = values[2];
  row->angle = file == SIFT_CSV ? values[3] : (file == SIFT_LOWE ? -values[3] : values[3]) * 180 / G_PI;
  if (file == SIFT_CSV)
    {
      read_in_range (reader, values[3], 0, 360);
      expect_text (reader, ",");
      row->response = read_number (reader, 6, NULL);
      expect_text (reader, ",");
      row->octave = read_number (reader, 0, NULL);
      expect_text (reader, ",");
      row->layer = read_number (reader, 0, NULL);
      read_integers (reader, ",", 0, row->descriptor);
      return;
    }
  read_in_range (reader, values[3], file == SIFT_LOWE ? -3.141593 : 0, file == SIFT_LOWE ? 3.141593 : 6.283185);
  if (file == SIFT_LOWE)
    expect_text (reader, "\n");
  read_integers (reader, " ", file == SIFT_LOWE ? INTEGERS_A_LINE : 0, row->descriptor);
}

static gint
read_head (Reader *reader, SiftFile file)
{
  gint n = -1;

  if (file == SIFT_CSV)
    {
      expect_text (reader, "x,y,sigma,angle,response,octave,layer");
      for (gint e = 0; e < REF_SIFT_LENGTH; e++)
        {
          gchar name[16];

          g_snprintf (name, sizeof name, ",d%d", e);
          expect_text (reader, name);
        }
      expect_text (reader, "\n");
      return n;
    }
  n = read_number (reader, 0, NULL);
  expect_text (reader, " 128\n");
  return n;
}

GArray *
sift_file_read (const gchar *text, gsize length, SiftFile file, gchar **why)
{
  Reader     reader = { text, text + length, NULL, 1 };
  GArray    *rows = g_array_new (FALSE, TRUE, sizeof (SiftRow));
  const gint n = read_head (&reader, file);

  while (! reader.why && reader.at < reader.end)
    {
      SiftRow row = { 0 };

      read_row (&reader, file, &row);
      g_array_append_val (rows, row);
    }
  if (n >= 0 && ! reader.why && rows->len != (guint) n)
    reader.why = g_strdup_printf ("%u keypoints, the first line says %d", rows->len, n);
  *why = reader.why;
  if (! reader.why)
    return rows;
  g_array_unref (rows);
  return NULL;
}

/* --------------------------------------------------------------- compare -- */

/* Degrees that count as turns. */
static gdouble
turn_between (gdouble a, gdouble b)
{
  return fabs (remainder (a - b, 360));
}

gchar *
sift_files_differ (const GArray *csv, const GArray *other, SiftFile file)
{
  if (csv->len != other->len)
    return g_strdup_printf ("%u keypoints, %u in csv", other->len, csv->len);
  for (guint i = 0; i < csv->len; i++)
    {
      const SiftRow *a = &g_array_index (csv, SiftRow, i), *b = &g_array_index (other, SiftRow, i);
      const gboolean same_words = file == SIFT_COLMAP || (! strcmp (a->word[0], b->word[1]) && ! strcmp (a->word[1], b->word[0]));

      if (! same_words || strcmp (a->word[2], b->word[2]) || fabs (a->x - b->x) > LENGTH_NEAR || fabs (a->y - b->y) > LENGTH_NEAR
          || turn_between (a->angle, b->angle) * G_PI / 180 > ANGLE_NEAR
          || memcmp (a->descriptor, b->descriptor, sizeof a->descriptor))
        return g_strdup_printf ("keypoint %u: %s %s %s %s, in csv %s %s %s %s", i, b->word[0], b->word[1], b->word[2], b->word[3],
                                a->word[0], a->word[1], a->word[2], a->word[3]);
    }
  return NULL;
}
