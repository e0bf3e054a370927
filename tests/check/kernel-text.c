/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * kernel-text: what tessera:convolution makes of the text of a kernel: the numbers, or a
 * message that names row and column and an image that passes as it is.
 */
#include "convolution.h"

#include <gegl.h>
#include <locale.h>
#include <math.h>
#include <string.h>

static gint passed, failed;

static void
verdict (gboolean good, const gchar *text, const gchar *what)
{
  gchar *shown = g_strescape (text, NULL);

  if (good)
    passed++;
  else
    {
      failed++;
      g_print ("FAIL \"%.60s%s\": %s\n", shown, strlen (shown) > 60 ? "..." : "", what);
    }
  g_free (shown);
}

/* -------------------------------------------------------------- readable -- */

static const struct
{
  const gchar *text;
  gint         rows, columns;
  gdouble      first, last;
} readable[] = {
  { "5",                                1, 1, 5, 5 },
  { "1 2 3",                            1, 3, 1, 3 },
  { "1;2;3",                            3, 1, 1, 3 },
  { "1,2,3;4,5,6;7,8,9",                3, 3, 1, 9 },
  { "  1 ,\t2,3\r\n\n;;4 5\t6;7 8 9;",  3, 3, 1, 9 },
  { "-1.5e3 +.25 2.",                   1, 3, -1500, 2 },
  { "0x1p-3 0x10 0X.8",                 1, 3, 0.125, 0.5 },      /* strtod's too */
  { "1e-320 0 -0",                      1, 3, 1e-320, 0 },
  { "1e308 1e308 1e308",                1, 3, 1e308, 1e308 },
};

static void
check_readable (void)
{
  ConvolutionKernel kernel;

  for (guint i = 0; i < G_N_ELEMENTS (readable); i++)
    {
      gchar   *error;
      gboolean good = convolution_kernel_parse (readable[i].text, &kernel, &error);

      verdict (good && ! error, readable[i].text, error ? error : "refused without a message");
      verdict (good && kernel.rows == readable[i].rows && kernel.columns == readable[i].columns
               && kernel.weights[0] == readable[i].first
               && kernel.weights[kernel.rows * kernel.columns - 1] == readable[i].last,
               readable[i].text, "other numbers");
      g_free (error);
    }
}

/* --------------------------------------------------------------- refused -- */

static const struct { const gchar *text, *place, *word; } refused[] = {
  { NULL,                    "row 1, column 1: ", "no numbers" },
  { "",                      "row 1, column 1: ", "no numbers" },
  { " ;;\n ; ",              "row 1, column 1: ", "no numbers" },
  { "1 2",                   "row 1, column 2: ", "odd" },
  { "1;2",                   "row 2, column 1: ", "odd" },
  { "1 2 3;4 5 6",           "row 2, column 1: ", "odd" },
  { "1 2 3 4;1 2 3 4;1 2 3 4", "row 3, column 4: ", "odd" },
  { "1 2 3;4 5;6 7 8",       "row 2, column 3: ", "missing" },
  { "1 2 3;4 5 6 7;8 9 0",   "row 2, column 4: ", "too many" },
  { "1 2 3;;4 5 6;7 8 9 1",  "row 3, column 4: ", "too many" },
  { "one",                   "row 1, column 1: ", "\"one\"" },
  { "1 2 3;4 x 6;7 8 9",     "row 2, column 2: ", "\"x\"" },
  { "1 2 3;4 5 6;7 8 9z",    "row 3, column 3: ", "\"9z\"" },
  { "1-1 2",                 "row 1, column 1: ", "\"1-1\"" },
  { "1 nan 2",               "row 1, column 2: ", "finite" },
  { "1 2 -inf",              "row 1, column 3: ", "finite" },
  { "1e999 1 1",             "row 1, column 1: ", "finite" },
  { "1 2,,3",                "row 1, column 3: ", "comma" },
  { ",1 2",                  "row 1, column 1: ", "comma" },
  { "1 2 3,",                "row 1, column 3: ", "comma" },
  { "1 2 3,;4 5 6;7 8 9",    "row 1, column 3: ", "comma" },
  { "0,5 1,5 0,5",           "row 1, column 6: ", "odd" },       /* commas of a locale separate */
  { "1;2,5;3",               "row 2, column 2: ", "too many" },
  { "0x1p 1 1",              "row 1, column 1: ", "\"0x1p\"" },
  { "1 2 3|4 5 6",           "row 1, column 3: ", "\"3|4\"" },
  { "1 \xc3\xa4\xc3\xb6 2",  "row 1, column 2: ", "\xc3\xa4" },
  { "1 \xff\xfe 2",          "row 1, column 2: ", "not a number" },      /* no UTF-8 */
  { "1\xc2\xa0" "2 3",       "row 1, column 1: ", "not a number" },      /* a blank that does not break */
};

/* `rows` rows of `columns` numbers. */
static gchar *
square (gint rows, gint columns, const gchar *number)
{
  GString *text = g_string_new (NULL);

  for (gint y = 0; y < rows; y++)
    for (gint x = 0; x < columns; x++)
      g_string_append_printf (text, "%s%s", number, x < columns - 1 ? " " : y < rows - 1 ? ";" : "");
  return g_string_free (text, FALSE);
}

static void
check_one_refused (const gchar *text, const gchar *place, const gchar *word)
{
  ConvolutionKernel kernel;
  gchar            *error = NULL;
  gboolean          good = convolution_kernel_parse (text, &kernel, &error);

  verdict (! good, text ? text : "", "not refused");
  verdict (error && g_str_has_prefix (error, place) && strstr (error, word), text ? text : "",
           error ? error : "no message");
  verdict (! error || (strlen (error) < 100 && g_utf8_validate (error, -1, NULL)), text ? text : "",
           "a message too long to show, or no UTF-8");
  g_free (error);
}

static void
check_refused (void)
{
  gchar *large = square (65, 65, "1"), *wide = square (1, 65, "1"), *tall = square (65, 1, "1");
  gchar *letters = g_strnfill (10000, 'a'), *digits = g_strnfill (10000, '7'), *commas = g_strnfill (10000, ',');

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    check_one_refused (refused[i].text, refused[i].place, refused[i].word);
  check_one_refused (large, "row 1, column 64: ", "63");
  check_one_refused (wide, "row 1, column 64: ", "63");
  check_one_refused (tall, "row 64, column 1: ", "63");
  check_one_refused (letters, "row 1, column 1: ", "\"aaaa");
  check_one_refused (digits, "row 1, column 1: ", "finite");    /* it overflows */
  check_one_refused (commas, "row 1, column 1: ", "comma");
  g_free (large);
  g_free (wide);
  g_free (tall);
  g_free (letters);
  g_free (digits);
  g_free (commas);
}

/* ----------------------------------------------------------- the weights -- */

static void
check_division (void)
{
  static const struct { const gchar *text; gdouble divisor, first; } cases[] = {
    { "1 2 1", 0, 0.25 }, { "1 2 1", 8, 0.125 }, { "1 2 1", -2, -0.5 }, { "-1 0 1", 0, -1 },
    { "1 0 -1.0000001", 0, 1 }, { "1 0 -1.00001", 0, 1 / -0.00001 }, { "0 0 0", 0, 0 },
    { "1e308 1e308 1e308", 0, 1.0 / 3 }, { "1e-310 1e-310 1e-310", 0, 1.0 / 3 },
    { "1e300 0 0", 1, G_MAXFLOAT }, { "-1e-300 0 0", 1, -G_MINFLOAT }, { "-1e-300 1 0", 1, -G_MINFLOAT },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ConvolutionKernel kernel;
      gchar            *error;

      convolution_kernel_parse (cases[i].text, &kernel, &error);
      convolution_kernel_divide (&kernel, cases[i].divisor);
      verdict (fabs (kernel.weights[0] - cases[i].first) <= 1e-4 * fabs (cases[i].first), cases[i].text,
               "another quotient");
      for (gint k = 0; k < kernel.rows * kernel.columns; k++)
        verdict (fabs (kernel.weights[k]) <= G_MAXFLOAT, cases[i].text, "no float holds the quotient");
      g_free (error);
    }
}

static void
check_splitting (void)
{
  static const struct { const gchar *text; gboolean splits; } cases[] = {
    { "1 2 1;2 4 2;1 2 1", TRUE }, { "1 1 1;1 1 1;1 1 1", TRUE }, { "0 0 0;0 3 0;0 0 0", TRUE },
    { "1 2 3", TRUE }, { "0 -1 0;0 3 0;0 -7 0", TRUE }, { "0.1 0.3 0.1;0.2 0.6 0.2;0.1 0.3 0.1", TRUE },
    { "1 2 1;2 4.00001 2;1 2 1", FALSE }, { "1 2 1;2 4.0000001 2;1 2 1", TRUE },      /* 2^-24 of itself */
    { "1 2 1;2 4 0;1 2 1", FALSE }, { "1 2 1;2 4 2;1 2 1e-30", FALSE }, { "1 0 0;0 1 0;0 0 1", FALSE },
    { "0 0 0", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      ConvolutionKernel kernel;
      gdouble           column[CONVOLUTION_LARGEST], row[CONVOLUTION_LARGEST];
      gchar            *error;

      convolution_kernel_parse (cases[i].text, &kernel, &error);
      verdict (convolution_kernel_split (&kernel, column, row) == cases[i].splits, cases[i].text,
               cases[i].splits ? "not a column times a row" : "taken for a column times a row");
      g_free (error);
    }
}

/* --------------------------------------------------------- the operation -- */

/* The image passes, in its own format and size, and the property says why. */
static void
check_operation (const gchar *text, gboolean crops, gboolean expected)
{
  const GeglRectangle box = { -3, 5, 9, 7 };
  GeglBuffer *buffer = gegl_buffer_new (&box, babl_format ("R'G'B'A u8"));
  GeglNode   *graph = gegl_node_new ();
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode   *node = gegl_node_new_child (graph, "operation", "tessera:convolution", "kernel", text, "divisor", 0.5,
                                          NULL);
  guint8      in[9 * 7 * 4], out[9 * 7 * 4] = { 0 };
  gchar      *error = NULL;
  gboolean    unusable = ! expected;
  GeglRectangle result;

  for (guint i = 0; i < sizeof in; i++)
    in[i] = i * 37;
  gegl_buffer_set (buffer, &box, 0, babl_format ("R'G'B'A u8"), in, GEGL_AUTO_ROWSTRIDE);
  if (crops)
    gegl_node_set (node, "border", 3, NULL);
  gegl_node_link (source, node);
  result = gegl_node_get_bounding_box (node);
  gegl_node_blit (node, 1.0, &box, babl_format ("R'G'B'A u8"), out, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "error", &error, "unusable", &unusable, NULL);
  verdict ((error && *error) == expected, text, expected ? "no message in the property" : error);
  verdict (unusable == expected, text, "`unusable' is not whether there is a message");
  verdict (! expected || (gegl_rectangle_equal (&result, &box) && memcmp (in, out, sizeof in) == 0), text,
           "the image did not pass unchanged");
  g_free (error);
  gegl_node_set (node, "kernel", "1", NULL);
  gegl_node_set (node, "error", "as an old file has it", NULL);
  gegl_node_set (node, "unusable", TRUE, NULL);
  gegl_node_get (node, "error", &error, "unusable", &unusable, NULL);
  verdict (error && ! *error && ! unusable, text, "the message stays when the kernel is mended");
  g_free (error);
  g_object_unref (graph);
  g_object_unref (buffer);
}

static void
check_operations (void)
{
  gchar *large = square (65, 65, "1"), *letters = g_strnfill (10000, 'a'), *whole = square (63, 63, "0.25");

  if (! gegl_has_operation ("tessera:convolution"))
    {
      verdict (FALSE, "", "there is no operation tessera:convolution");
      return;
    }
  for (guint i = 1; i < G_N_ELEMENTS (refused); i++)
    if (g_utf8_validate (refused[i].text, -1, NULL))
      check_operation (refused[i].text, i % 2, TRUE);
  check_operation (large, TRUE, TRUE);
  check_operation (letters, FALSE, TRUE);
  check_operation (whole, FALSE, FALSE);
  check_operation (whole, TRUE, FALSE);       /* to nothing */
  g_free (large);
  g_free (letters);
  g_free (whole);
}

int
main (int argc, char **argv)
{
  setlocale (LC_ALL, "");
  g_setenv ("LANGUAGE", "C", TRUE);             /* messages as they stand here */
  g_setenv ("GEGL_USE_OPENCL", "no", FALSE);
  g_setenv ("GEGL_SWAP", "RAM", FALSE);
  g_setenv ("GEGL_PATH", CHECK_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S CHECK_PLUGINS_DIR, FALSE);
  gegl_init (&argc, &argv);
  check_readable ();
  check_refused ();
  check_division ();
  check_splitting ();
  check_operations ();
  g_print ("%d passed, %d failed\n", passed, failed);
  gegl_exit ();
  return failed > 0;
}
