/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Files of keypoints: what is good is read, and what is broken is refused in a line that says where and why. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "matching.h"
#include "../../tools/match/keypoints.h"

#define N 3

static const gchar *const names[] = { "a.key", "a.txt", "a.csv" };

static gint
component (gint i, gint k)
{
  return (7 * i + 3 * k + (k == 127 ? 100 : 0)) % 256;
}

/* How the numbers of a descriptor are written: as sift-save does; as others may, numpy's savetxt among them. */
typedef enum { DIGITS, POINT, POWER, SIGN, STYLES } Style;

static void
append_component (GString *text, Style style, gint value)
{
  gchar number[G_ASCII_DTOSTR_BUF_SIZE + 8];

  if (style == POWER)
    g_string_append (text, g_ascii_formatd (number, sizeof number, "%.18e", value));
  else
    g_string_append_printf (text, style == DIGITS ? "%d" : style == POINT ? "%d.0" : value == 0 ? "-%d.0" : "+%d.", value);
}

/* Three keypoints, of the same places in all formats. */
static GString *
styled_file (KeypointsFormat format, Style style)
{
  static const gchar *const begins[3][N] = {
    { "20.5000 10.2500 1.6000 -1.570796", "0.0000 0.0000 2.0000 3.141593", "400.0000 600.0000 30.1250 0.000000" },
    { "10.7500 21.0000 1.6000 1.570796", "0.5000 0.5000 2.0000 3.141593", "600.5000 400.5000 30.1250 0.000000" },
    { "10.2500,20.5000,1.6000,90.0000,0.012345,-1,2", "0.0000,0.0000,2.0000,180.0000,0.012345,0,1", "600.0000,400.0000,30.1250,360.0000,0.012345,5,3" },
  };
  GString *text = g_string_new (format == KEYPOINTS_CSV ? "x,y,sigma,angle,response,octave,layer" : "3 128");

  for (gint k = 0; format == KEYPOINTS_CSV && k < DESCRIPTOR_LENGTH; k++)
    g_string_append_printf (text, ",d%d", k);
  for (gint i = 0; i < N; i++)
    {
      g_string_append_printf (text, "\n%s", begins[format][i]);
      for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
        {
          g_string_append (text, format == KEYPOINTS_CSV ? "," : format == KEYPOINTS_LOWE && k % 20 == 0 ? "\n " : " ");
          append_component (text, style, component (i, k));
        }
    }
  g_string_append_c (text, '\n');
  return text;
}

static GString *
good_file (KeypointsFormat format)
{
  return styled_file (format, DIGITS);
}

/* In memory of its own size, where valgrind and ASan see each byte too far. */
static gboolean
parse (KeypointsFormat format, const gchar *text, gsize length, Keypoints *keypoints, GError **error)
{
  gchar         *copy = g_malloc (length + 1);
  const gboolean good = (memcpy (copy, text, length), copy[length] = '\0', keypoints_parse (names[format], copy, length, format, keypoints, error));

  g_free (copy);
  return good;
}

static void
expect_good (KeypointsFormat format, const gchar *what, const gchar *text, gsize length, gint n)
{
  static const MatchPlace places[N] = { { 10.25, 20.5, 1.6, 90 }, { 0, 0, 2, 180 }, { 600, 400, 30.125, 0 } };
  Keypoints               keypoints;
  GError                 *error = NULL;
  const gboolean          good = parse (format, text, length, &keypoints, &error);
  gint                    wrong = 0;

  for (gint i = 0; i < keypoints.n; i++)
    {
      const MatchPlace *p = &keypoints.places[i];

      wrong += ! (p->x == places[i].x && p->y == places[i].y && p->sigma == places[i].sigma && fabs (p->angle - places[i].angle) < 1e-4);
      for (gint k = 0; k < DESCRIPTOR_LENGTH; k++)
        wrong += keypoints.descriptors[i * DESCRIPTOR_LENGTH + k] != component (i, k);
    }
  expect (good && keypoints.n == n && wrong == 0, "%s, %s: %d keypoints, %d wrong numbers, %s", names[format], what, keypoints.n, wrong,
          error ? error->message : "no error");
  if (n == N)
    expect (keypoints.width == 601 && keypoints.height == 401, "%s, %s: within %d x %d", names[format], what, keypoints.width, keypoints.height);
  g_clear_error (&error);
  keypoints_clear (&keypoints);
}

/* One line: the file, the line, the cause. */
static void
expect_refused (KeypointsFormat format, const gchar *what, const gchar *text, gsize length, gint line, const gchar *cause)
{
  Keypoints      keypoints;
  GError        *error = NULL;
  const gboolean good = parse (format, text, length, &keypoints, &error);
  gchar         *begin = line > 0 ? g_strdup_printf ("%s:%d: ", names[format], line) : g_strdup_printf ("%s:", names[format]);

  expect (! good && error && g_str_has_prefix (error->message, begin) && strstr (error->message, cause) && ! strchr (error->message, '\n')
          && strlen (error->message) < 150 && ! keypoints.places && ! keypoints.descriptors,
          "%s, %s: refused with \"%s ... %s\", got \"%s\"", names[format], what, begin, cause, error ? error->message : "no error");
  g_clear_error (&error);
  keypoints_clear (&keypoints);
  g_free (begin);
}

static void
good_files (void)
{
  for (gint format = 0; format < KEYPOINTS_NONE; format++)
    {
      GString *text = good_file (format);
      gchar  **lines = g_strsplit (text->str, "\n", -1), *other = g_strjoinv ("\r\n", lines);

      expect_good (format, "as sift-save writes it", text->str, text->len, N);
      expect_good (format, "with lines as on Windows", other, strlen (other), N);
      g_string_append (text, format == KEYPOINTS_CSV ? "" : "\n \n");
      expect_good (format, "with empty lines at the end", text->str, text->len, N);
      if (format == KEYPOINTS_CSV)
        expect_good (format, "without a keypoint", text->str, strlen (lines[0]) + 1, 0);
      else
        expect_good (format, "without a keypoint", "0 128\n", 6, 0);
      g_strfreev (lines);
      g_free (other);
      g_string_free (text, TRUE);
    }
}

/* Whole numbers are read, however they are written. */
static void
whole_numbers (void)
{
  static const gchar *const styles[STYLES] = { "12", "12.0", "1.2e+01", "+12., -0.0" };

  for (gint format = 0; format < KEYPOINTS_NONE; format++)
    for (Style style = DIGITS; style < STYLES; style++)
      {
        GString *text = styled_file (format, style);

        expect_good (format, styles[style], text->str, text->len, N);
        g_string_free (text, TRUE);
      }
}

/* Wherever it is cut, this is seen.  Only a table that ends with a line may have been as short as that. */
static void
truncations (void)
{
  for (gint format = 0; format < KEYPOINTS_NONE; format++)
    {
      GString *text = good_file (format);
      gint     whole = -1;

      for (gsize length = 0; length < text->len; length++)
        {
          gchar *what = g_strdup_printf ("the first %d bytes", (gint) length);

          whole += length > 0 && text->str[length - 1] == '\n';
          if (format == KEYPOINTS_CSV && length > 0 && text->str[length - 1] == '\n')
            expect_good (format, what, text->str, length, whole);
          else
            expect_refused (format, what, text->str, length, 0, "");
          g_free (what);
        }
      g_string_free (text, TRUE);
    }
}

/* One word, or part of one, replaced. */
/* What becomes of a good file, the line that is told, and the words. */
static const struct
{
  KeypointsFormat format;
  const gchar    *from, *to;
  gint            line;
  const gchar    *cause;
} broken[] = {
  { KEYPOINTS_LOWE, "3 128", "", 1, "the line ends where the number of keypoints should be" },
  { KEYPOINTS_LOWE, "3 128", "3", 1, "the line ends where the length of a descriptor should be" },
  { KEYPOINTS_LOWE, "3 128", "3 64", 1, "descriptors of 64 components; 128 are needed" },
  { KEYPOINTS_LOWE, "3 128", "-3 128", 1, "the number of keypoints is \"-3\"" },
  { KEYPOINTS_LOWE, "3 128", "3 128 1", 1, "\"1\" is too much; the line should end" },
  { KEYPOINTS_LOWE, "3 128", "2000000000 128", 1, "2000000000 keypoints are announced, the file has room for" },
  { KEYPOINTS_COLMAP, "3 128", "99999999999999999999 128", 1, "is \"99999999999999999999\"; it is a whole number" },
  { KEYPOINTS_COLMAP, "3 128", "2147483648 128", 1, "is \"2147483648\"; it is a whole number from 0 to 2147483647" },
  { KEYPOINTS_COLMAP, "3 128", "3 -128", 1, "the length of a descriptor is \"-128\"" },
  { KEYPOINTS_COLMAP, "3 128", "nan 128", 1, "is \"nan\"" },
  { KEYPOINTS_COLMAP, "3 128", "3.0 128", 1, "is \"3.0\"" },
  { KEYPOINTS_LOWE, "3 128", "2 128", 18, "2 keypoints are announced, but more follows" },
  { KEYPOINTS_COLMAP, "3 128", "2 128", 4, "2 keypoints are announced, but more follows" },
  { KEYPOINTS_LOWE, "20.5000 ", "nan ", 2, "a row is \"nan\", which is no number" },
  { KEYPOINTS_LOWE, "20.5000 ", "-nan ", 2, "a row is \"-nan\", which is no number" },
  { KEYPOINTS_LOWE, "20.5000 ", "inf ", 2, "a row is \"inf\", which is no number" },
  { KEYPOINTS_LOWE, "20.5000 ", "1e999 ", 2, "a row is 1e999, which cannot be" },
  { KEYPOINTS_LOWE, "20.5000 ", "-1e999 ", 2, "a row is -1e999, which cannot be" },
  { KEYPOINTS_LOWE, "20.5000 ", "1e8 ", 2, "a row is 1e8, which cannot be" },
  { KEYPOINTS_LOWE, "20.5000 ", "0x10 ", 2, "a row is \"0x10\", which is no number" },
  { KEYPOINTS_LOWE, "20.5000 ", "20,5 ", 2, "a row is \"20,5\", which is no number" },
  { KEYPOINTS_LOWE, "10.2500 ", "\001\033[2Jhostile-hostile-hostile ", 2, "a column is \"??[2Jhostile-hostile\", which is no number" },
  { KEYPOINTS_LOWE, " 1.6000", " 0", 2, "sigma is not above 0" },
  { KEYPOINTS_LOWE, " 1.6000", " -1", 2, "sigma is not above 0" },
  { KEYPOINTS_LOWE, " 1.6000", " 1e6", 2, "sigma is 1e6, which cannot be" },
  { KEYPOINTS_LOWE, "-1.570796", "1e300", 2, "an angle is 1e300, which cannot be" },
  { KEYPOINTS_LOWE, " 249", " 256", 7, "a component is \"256\"; it is a whole number from 0 to 255" },
  { KEYPOINTS_LOWE, " 249", " -1", 7, "a component is \"-1\"; it is a whole number from 0 to 255" },
  { KEYPOINTS_LOWE, " 249", " 1.5", 7, "a component is \"1.5\"; it is a whole number from 0 to 255" },
  { KEYPOINTS_LOWE, " 249", " 256.0", 7, "a component is \"256.0\"; it is a whole number from 0 to 255" },
  { KEYPOINTS_LOWE, " 249", " 2.56e2", 7, "a component is \"2.56e2\"; it is" },
  { KEYPOINTS_LOWE, " 249", " -1.0", 7, "a component is \"-1.0\"; it is" },
  { KEYPOINTS_LOWE, " 249", " -1e-9", 7, "a component is \"-1e-9\"; it is" },
  { KEYPOINTS_LOWE, " 249", " 1e999", 7, "a component is \"1e999\"; it is" },
  { KEYPOINTS_LOWE, " 249", " nan", 7, "a component is \"nan\"; it is" },
  { KEYPOINTS_LOWE, " 249", " inf", 7, "a component is \"inf\"; it is" },
  { KEYPOINTS_LOWE, " 249", " 0x10", 7, "a component is \"0x10\"; it is" },
  { KEYPOINTS_LOWE, " 249", " .", 7, "a component is \".\"; it is" },
  { KEYPOINTS_COLMAP, " 249", " 1.250000000000000000e+01", 2, "a component is \"1.250000000000000000\"; it is" },
  { KEYPOINTS_COLMAP, " 249", " 12.0.0", 2, "a component is \"12.0.0\"; it is" },
  { KEYPOINTS_CSV, ",249", ",12.5", 2, "a component is \"12.5\"; it is" },
  { KEYPOINTS_CSV, ",249", ",1e", 2, "a component is \"1e\"; it is" },
  { KEYPOINTS_LOWE, " 249", " 99999999999999999999999", 7, "a component is \"99999999999999999999" },
  { KEYPOINTS_COLMAP, "21.0000 ", "\n", 2, "the line ends where y should be" },
  { KEYPOINTS_COLMAP, " 249", "", 2, "the line ends where a component should be" },
  { KEYPOINTS_COLMAP, " 249", " 249 249", 2, "is too much; the line should end" },
  { KEYPOINTS_CSV, "x,y,", "y,x,", 1, "the first line is not x,y,sigma,angle,response,octave,layer,d0 ... d127" },
  { KEYPOINTS_CSV, "d127\n", "d127,d128\n", 1, "\",d128\" is too much" },
  { KEYPOINTS_CSV, "10.2500,", "", 2, "the line ends too early; it has 135 numbers" },
  { KEYPOINTS_CSV, "10.2500,", ",", 2, "x is \"\", which is no number" },
  { KEYPOINTS_CSV, "10.2500,", "nan,", 2, "x is \"nan\", which is no number" },
  { KEYPOINTS_CSV, "10.2500,", "10.2500;", 2, "x is \"10.2500;20.5000\"" },
  { KEYPOINTS_CSV, "0.012345,", "1e99,", 2, "a number is 1e99, which cannot be" },
  { KEYPOINTS_CSV, ",249", ",249,249", 2, "\",225\" is too much" },
  { KEYPOINTS_CSV, ",249", "", 2, "the line ends too early; it has 135 numbers" },
  { KEYPOINTS_CSV, "10.2500,", "\n\n", 2, "the line ends where x should be" },
};

static void
broken_words (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (broken); i++)
    {
      GString     *text = good_file (broken[i].format);
      const gchar *at = strstr (text->str, broken[i].from);

      expect (at != NULL, "case %d: the file has \"%s\"", i, broken[i].from);
      if (at)
        {
          const gssize place = at - text->str;

          g_string_erase (text, place, strlen (broken[i].from));
          g_string_insert (text, place, broken[i].to);
          expect_refused (broken[i].format, broken[i].to, text->str, text->len, broken[i].line, broken[i].cause);
        }
      g_string_free (text, TRUE);
    }
}

/* Files that have nothing to do with keypoints. */
static void
strange_files (void)
{
  static const gchar *const texts[] = { "", "\n", " ", "\n\n\n", "128", "hello\n", "0", "0 128", "0 128 ", "\377\330\377\340", "{}\n", "1 128\n1 2 3 4\n" };

  for (gint format = 0; format < KEYPOINTS_NONE; format++)
    {
      gchar zeros[3000] = { 0 };

      for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
        expect_refused (format, texts[i], texts[i], strlen (texts[i]), 0, "");
      expect_refused (format, "zeros", zeros, sizeof zeros, 1, "");
      memset (zeros, '\n', sizeof zeros);
      expect_refused (format, "lines", zeros, sizeof zeros, 0, "");
      memset (zeros, '9', sizeof zeros);
      expect_refused (format, "nines", zeros, sizeof zeros, 1, "");
    }
}

void
keypoint_files (void)
{
  good_files ();
  whole_numbers ();
  truncations ();
  broken_words ();
  strange_files ();
  expect (keypoints_format ("a.b/c.KEY") == KEYPOINTS_LOWE && keypoints_format ("c.txt") == KEYPOINTS_COLMAP
          && keypoints_format ("c.csv") == KEYPOINTS_CSV && keypoints_format ("c.jpg") == KEYPOINTS_NONE
          && keypoints_format ("key") == KEYPOINTS_NONE, "formats by their endings");
}
