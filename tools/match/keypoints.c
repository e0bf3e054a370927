/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See keypoints.h.  Whoever made the file may have been cut off, or mean harm.  So nothing is believed: counts are
 * compared with the length of the text before memory is taken, and all numbers have bounds.  The last line must end,
 * because its last number may have been cut too.
 */
#include "keypoints.h"

#include <gio/gio.h>
#include <math.h>
#include <string.h>

#define FARTHEST     1e7        /* px */
#define LARGEST      1e5        /* sigma */
#define MOST_ANGLE   1e4        /* of any unit */
#define MOST_NUMBER  1e30       /* what is read, but not used */
#define LEAST_LENGTH (2 * (4 + DESCRIPTOR_LENGTH))      /* bytes of a keypoint: a digit and a blank for each number */
#define SHOWN        20         /* bytes of a word in a message */

#define CSV_HEAD     "x,y,sigma,angle,response,octave,layer"
#define CSV_NUMBERS  7

typedef struct
{
  const gchar *name, *at, *end;
  gint         line;            /* of `at` */
  gchar        comma;           /* what parts numbers beside blanks; 0: nothing */
  GError     **error;
} Reader;

static gboolean G_GNUC_PRINTF (2, 3)
fail (Reader *reader, const gchar *format, ...)
{
  va_list arguments;
  g_autofree gchar *cause = NULL, *name = g_filename_display_name (reader->name);

  va_start (arguments, format);
  cause = g_strdup_vprintf (format, arguments);
  va_end (arguments);
  g_set_error (reader->error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s:%d: %s", name, reader->line, cause);
  return FALSE;
}

static gboolean
is_end (const Reader *reader, const gchar *at)
{
  return at == reader->end || *at == ' ' || *at == '\t' || *at == '\r' || *at == '\n' || (reader->comma && *at == reader->comma);
}

/* The word at the reader, for a message. */
static const gchar *
word_of (const Reader *reader, gchar *word)
{
  gint n = 0;

  while (n < SHOWN && ! is_end (reader, reader->at + n))
    {
      word[n] = g_ascii_isgraph (reader->at[n]) ? reader->at[n] : '?';
      n++;
    }
  word[n] = '\0';
  return word;
}

static void
skip_blanks (Reader *reader, gboolean lines_too)
{
  while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\r' || (lines_too && *reader->at == '\n')))
    reader->line += *reader->at++ == '\n';
}

/* To where a number begins.  FALSE, with a message that wants `what`, if there is none, or none in this line. */
static gboolean
find_number (Reader *reader, gboolean lines_too, const gchar *what)
{
  skip_blanks (reader, lines_too);
  if (reader->at == reader->end)
    return fail (reader, "the file ends where %s should be; it may be cut", what);
  if (*reader->at == '\n')
    return fail (reader, "the line ends where %s should be", what);
  return TRUE;
}

static gboolean
read_number (Reader *reader, gboolean lines_too, const gchar *what, gdouble most, gdouble *number)
{
  gchar *after, word[SHOWN + 1];

  if (! find_number (reader, lines_too, what))
    return FALSE;
  *number = g_ascii_strtod (reader->at, &after);
  if (after == reader->at || ! is_end (reader, after) || strspn (reader->at, "0123456789+-.eE") < (gsize) (after - reader->at))
    return fail (reader, "%s is \"%s\", which is no number", what, word_of (reader, word));
  if (! (fabs (*number) <= most))
    return fail (reader, "%s is %s, which cannot be", what, word_of (reader, word));
  reader->at = after;
  return TRUE;
}

static gboolean
read_whole (Reader *reader, gboolean lines_too, const gchar *what, gint most, gint *number)
{
  const gchar *at;
  gchar        word[SHOWN + 1];
  gint64       value = 0;

  if (! find_number (reader, lines_too, what))
    return FALSE;
  for (at = reader->at; at < reader->end && g_ascii_isdigit (*at) && value <= most; at++)
    value = 10 * value + (*at - '0');
  if (at == reader->at || ! is_end (reader, at) || value > most)
    return fail (reader, "%s is \"%s\"; it is a whole number from 0 to %d", what, word_of (reader, word), most);
  *number = (gint) value;
  reader->at = at;
  return TRUE;
}

/* Between two numbers of a line: a comma, where there are commas. */
static gboolean
read_comma (Reader *reader)
{
  skip_blanks (reader, FALSE);
  if (reader->comma && (reader->at == reader->end || *reader->at != reader->comma))
    return fail (reader, "the line ends too early; it has %d numbers", CSV_NUMBERS + DESCRIPTOR_LENGTH);
  reader->at += reader->comma != 0;
  return TRUE;
}

static gboolean
read_line_end (Reader *reader)
{
  const gchar comma = reader->comma;
  gchar       word[SHOWN + 1];

  skip_blanks (reader, FALSE);
  if (reader->at == reader->end)
    return fail (reader, "the last line has no end; the file may be cut");
  reader->comma = '\0';          /* is shown too */
  if (*reader->at != '\n')
    return fail (reader, "\"%s\" is too much; the line should end", word_of (reader, word));
  reader->comma = comma;
  reader->at++;
  reader->line++;
  return TRUE;
}

/* A whole number of a byte, which may be written as others write floats: 12.0, 1.2e+01. */
static gboolean
read_component (Reader *reader, gboolean lines_too, guint8 *component)
{
  const gchar *at;
  gchar       *after, word[SHOWN + 1];
  gdouble      value = 0;

  if (! find_number (reader, lines_too, "a component"))
    return FALSE;
  for (at = reader->at; at < reader->end && g_ascii_isdigit (*at) && value <= 255; at++)
    value = 10 * value + (*at - '0');
  if (at == reader->at || ! is_end (reader, at))
    {
      value = g_ascii_strtod (reader->at, &after);
      at = strspn (reader->at, "0123456789+-.eE") < (gsize) (after - reader->at) ? reader->at : after;
    }
  if (at == reader->at || ! is_end (reader, at) || ! (value >= 0 && value <= 255) || value != floor (value))
    return fail (reader, "a component is \"%s\"; it is a whole number from 0 to 255", word_of (reader, word));
  *component = (guint8) value;
  reader->at = at;
  return TRUE;
}

static gboolean
read_descriptor (Reader *reader, gboolean lines_too, guint8 *descriptor)
{
  for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
    if ((reader->comma && ! read_comma (reader)) || ! read_component (reader, lines_too, &descriptor[k]))
      return FALSE;
  return TRUE;
}

/* Into [0, 360). */
static gdouble
turn (gdouble degrees)
{
  const gdouble turned = degrees - 360 * floor (degrees / 360);

  return turned < 360 ? turned : 0;
}

static gboolean
read_keypoint (Reader *reader, KeypointsFormat format, MatchPlace *place, guint8 *descriptor)
{
  const gboolean is_lowe = format == KEYPOINTS_LOWE, is_csv = format == KEYPOINTS_CSV;
  gdouble        first, second, sigma, angle, ignored;

  if (! read_number (reader, ! is_csv, is_lowe ? "a row" : "x", FARTHEST, &first) || ! read_comma (reader)
      || ! read_number (reader, is_lowe, is_lowe ? "a column" : "y", FARTHEST, &second) || ! read_comma (reader)
      || ! read_number (reader, is_lowe, "sigma", LARGEST, &sigma) || ! read_comma (reader))
    return FALSE;
  if (! (sigma > 0))
    return fail (reader, "sigma is not above 0");
  if (! read_number (reader, is_lowe, "an angle", MOST_ANGLE, &angle))
    return FALSE;
  for (gint k = 4; is_csv && k < CSV_NUMBERS; k++)
    if (! read_comma (reader) || ! read_number (reader, FALSE, "a number", MOST_NUMBER, &ignored))
      return FALSE;
  place->x = is_lowe ? second : is_csv ? first : first - 0.5;
  place->y = is_lowe ? first : is_csv ? second : second - 0.5;
  place->sigma = sigma;
  place->angle = turn (is_csv ? angle : (is_lowe ? -angle : angle) * (180 / G_PI));
  return read_descriptor (reader, is_lowe, descriptor) && read_line_end (reader);
}

/* The first line: how many, of how many components.  A promise that the text cannot keep is refused before memory is taken. */
static gboolean
read_count (Reader *reader, gint *n)
{
  const gsize room = (reader->end - reader->at) / LEAST_LENGTH;
  gint        length;

  if (! read_whole (reader, FALSE, "the number of keypoints", G_MAXINT, n) || ! read_whole (reader, FALSE, "the length of a descriptor", G_MAXINT, &length))
    return FALSE;
  if (length != DESCRIPTOR_LENGTH)
    return fail (reader, "descriptors of %d components; %d are needed", length, DESCRIPTOR_LENGTH);
  if ((gsize) *n > room)
    return fail (reader, "%d keypoints are announced, the file has room for %" G_GSIZE_FORMAT " at most; it may be cut", *n, room);
  return read_line_end (reader);
}

/* The first line of a table; then there are as many as there are lines. */
static gboolean
read_head (Reader *reader, gint *n)
{
  g_autoptr (GString) head = g_string_new (CSV_HEAD);

  for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
    g_string_append_printf (head, ",d%d", k);
  if ((gsize) (reader->end - reader->at) < head->len || memcmp (reader->at, head->str, head->len) != 0)
    return fail (reader, "the first line is not %s,d0 ... d%d", CSV_HEAD, DESCRIPTOR_LENGTH - 1);
  reader->at += head->len;
  if (! read_line_end (reader))
    return FALSE;
  *n = 0;
  for (const gchar *at = reader->at; (at = memchr (at, '\n', reader->end - at)); at++)
    *n += 1;
  if (reader->end > reader->at && reader->end[-1] != '\n')
    *n += 1;                    /* which will be refused */
  if ((gsize) *n > (gsize) (reader->end - reader->at) / LEAST_LENGTH + 1)
    return fail (reader, "lines that are too short; each has %d numbers", CSV_NUMBERS + DESCRIPTOR_LENGTH);
  return TRUE;
}

gboolean
keypoints_parse (const gchar *name, const gchar *text, gsize length, KeypointsFormat format, Keypoints *keypoints, GError **error)
{
  Reader   reader = { name, text, text + length, 1, format == KEYPOINTS_CSV ? ',' : '\0', error };
  gdouble  right = 0, bottom = 0;
  gint     n;
  gboolean good;

  *keypoints = (Keypoints) { 0 };
  if (length > G_MAXINT)
    return fail (&reader, "the file is too large; 2 GiB are read");
  if (! (format == KEYPOINTS_CSV ? read_head (&reader, &n) : read_count (&reader, &n)))
    return FALSE;
  keypoints->places = g_new (MatchPlace, (gsize) n + 1);
  keypoints->descriptors = g_malloc ((gsize) n * DESCRIPTOR_LENGTH + 1);
  for (good = TRUE; good && keypoints->n < n; keypoints->n += good)
    {
      MatchPlace *place = &keypoints->places[keypoints->n];

      good = read_keypoint (&reader, format, place, keypoints->descriptors + (gsize) keypoints->n * DESCRIPTOR_LENGTH);
      if (good)
        {
          right = MAX (right, place->x);
          bottom = MAX (bottom, place->y);
        }
    }
  skip_blanks (&reader, TRUE);
  if (good && reader.at < reader.end)
    good = fail (&reader, "%d keypoints are announced, but more follows", n);
  if (! good)
    keypoints_clear (keypoints);
  keypoints->width = (gint) ceil (right) + 1;
  keypoints->height = (gint) ceil (bottom) + 1;
  return good;
}

gboolean
keypoints_read (const gchar *path, KeypointsFormat format, Keypoints *keypoints, GError **error)
{
  g_autofree gchar *text = NULL;
  gsize    length;

  *keypoints = (Keypoints) { 0 };
  return g_file_get_contents (path, &text, &length, error) && keypoints_parse (path, text, length, format, keypoints, error);
}

KeypointsFormat
keypoints_format (const gchar *path)
{
  static const gchar *const endings[] = { ".key", ".txt", ".csv" };
  const gchar              *dot = strrchr (path, '.');

  for (gint i = 0; dot && i < KEYPOINTS_NONE; i++)
    if (g_ascii_strcasecmp (dot, endings[i]) == 0)
      return (KeypointsFormat) i;
  return KEYPOINTS_NONE;
}

void
keypoints_clear (Keypoints *keypoints)
{
  g_free (keypoints->places);
  g_free (keypoints->descriptors);
  *keypoints = (Keypoints) { 0 };
}
