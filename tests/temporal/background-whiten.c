/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:background-whiten in a graph: its planes against the functions that make them, its numbers, and its words where something is
 * missing or wrong. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <glib/gstdio.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "files.h"
#include "whiten.h"

#define WIDTH  96
#define HEIGHT 70
#define FRAMES 7                /* the last is the input */

static gchar  *folder;
static guint16 counts[FRAMES][HEIGHT * WIDTH];

/* Stars on a slope, moved by (0.8, -0.45) a frame. */
static void
make_counts (void)
{
  GRand *dice = g_rand_new_with_seed (20261123);
  gdouble at_x[40], at_y[40], light[40];

  for (gint i = 0; i < 40; i++)
    {
      at_x[i] = g_rand_double_range (dice, -5, WIDTH + 5);
      at_y[i] = g_rand_double_range (dice, -5, HEIGHT + 5);
      light[i] = g_rand_double_range (dice, 200, 3000);
    }
  for (gint t = 0; t < FRAMES; t++)
    for (gint y = 0; y < HEIGHT; y++)
      for (gint x = 0; x < WIDTH; x++)
        {
          gdouble sum = 1000.0 + 0.5 * x + g_rand_double_range (dice, 0, 30);

          for (gint i = 0; i < 40; i++)
            {
              const gdouble dx = x - at_x[i] - 0.8 * t, dy = y - at_y[i] + 0.45 * t;

              sum += light[i] * exp (-(dx * dx + dy * dy) / 2.2);
            }
          counts[t][y * WIDTH + x] = (guint16) sum;
        }
  g_rand_free (dice);
}

static gchar *
file_of (const gchar *name)
{
  return g_build_filename (folder, name, NULL);
}

/* A grey picture of 16 bits. */
static void
write_pgm (const gchar *name, const guint16 *values, gint width, gint height)
{
  gchar *path = file_of (name);
  FILE  *file = g_fopen (path, "wb");

  fprintf (file, "P5\n%d %d\n65535\n", width, height);
  for (gint i = 0; i < width * height; i++)
    {
      fputc (values[i] >> 8, file);
      fputc (values[i] & 255, file);
    }
  fclose (file);
  g_free (path);
}

static void
write_frames (const gchar *into, gint n)
{
  gchar *path = file_of (into);

  g_mkdir_with_parents (path, 0700);
  g_free (path);
  for (gint t = 0; t < n; t++)
    {
      gchar *name = g_strdup_printf ("%s/frame%02d.pgm", into, t + 1);

      write_pgm (name, counts[t], WIDTH, HEIGHT);
      g_free (name);
    }
}

/* ------------------------------------------------------------- requests -- */

typedef struct
{
  gfloat  pixels[HEIGHT * WIDTH];
  gchar  *shifts, *weights, *notes, *reason;
  gdouble noise_gain;
  gint    degree;
} Answer;

static void
answer_clear (Answer *answer)
{
  g_free (answer->shifts);
  g_free (answer->weights);
  g_free (answer->notes);
  g_free (answer->reason);
}

/* Properties end with NULL. */
static Answer G_GNUC_NULL_TERMINATED
ask_of (const guint16 *input, const gchar *frames, const gchar *first_property, ...)
{
  const GeglRectangle box = { 5, -3, WIDTH, HEIGHT }, part = { 5 + 30, -3 + 20, 40, 30 };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("Y' u16"));
  GeglNode           *graph = gegl_node_new ();
  GeglNode           *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
  GeglNode           *node = gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL);
  gchar              *path = frames && *frames ? file_of (frames) : g_strdup ("");
  gfloat             *cut = g_new (gfloat, part.width * part.height);
  Answer              answer;
  va_list             arguments;
  gint                wrong = 0;

  gegl_buffer_set (buffer, &box, 0, NULL, input, GEGL_AUTO_ROWSTRIDE);
  gegl_node_set (node, "frames", path, NULL);
  va_start (arguments, first_property);
  if (first_property)
    gegl_node_set_valist (node, first_property, arguments);
  va_end (arguments);
  gegl_node_link (source, node);
  gegl_node_blit (node, 1.0, &part, babl_format ("Y' float"), cut, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_blit (node, 1.0, &box, babl_format ("Y' float"), answer.pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (node, "shifts-found", &answer.shifts, "weights", &answer.weights, "notes", &answer.notes, "reason", &answer.reason,
                 "noise-gain", &answer.noise_gain, "degree-used", &answer.degree, NULL);
  for (gint i = 0; i < part.width * part.height; i++)
    wrong += cut[i] != answer.pixels[(20 + i / part.width) * WIDTH + 30 + i % part.width];
  expect (wrong == 0, "%s: %d pixels of a part are others than of the whole", frames, wrong);
  g_free (cut);
  g_free (path);
  g_object_unref (graph);
  g_object_unref (buffer);
  return answer;
}

#define ask(...) ask_of (counts[FRAMES - 1], __VA_ARGS__, NULL)

/* ------------------------------------------------------------ the planes -- */

/* From the answer's own shifts. */
static void
compare_planes (const Answer *answer, const gchar *name, const gchar *result, gint n, const WeightsSettings *settings)
{
  CountPlane        planes[FRAMES];
  const CountPlane *history[FRAMES];
  FrameShift        shifts[FRAMES];
  Weights           weights;
  WhitenPlanes      made;
  const CountPlane *wanted;
  gchar           **numbers = g_strsplit (answer->shifts, " ", -1);
  gint              wrong = 0;

  expect (g_strv_length (numbers) == 2u * (n + 1), "%s: the shifts are %s", name, answer->shifts);
  for (gint k = 0; k <= n && g_strv_length (numbers) == 2u * (n + 1); k++)
    {
      CountPlane raw;

      shifts[k] = (FrameShift) { g_ascii_strtod (numbers[2 * k], NULL), g_ascii_strtod (numbers[2 * k + 1], NULL) };
      count_plane_init (&raw, WIDTH, HEIGHT);
      for (gint i = 0; i < WIDTH * HEIGHT; i++)
        raw.pixels[i] = counts[FRAMES - 1 - n + k][i];
      whiten_prepare (&raw, NULL, 65535.0f, TRUE, &planes[k]);
      history[k] = &planes[k];
      count_plane_clear (&raw);
    }
  whiten_planes_init (&made, WIDTH, HEIGHT);
  whiten_frame (&planes[n], shifts[n], history, shifts, n, settings, 1.5, &weights, &made);
  wanted = ! strcmp (result, "whitened") ? &made.whitened : ! strcmp (result, "background") ? &made.background : &made.significance;
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      const gfloat value = wanted == &made.significance ? wanted->pixels[i] : wanted->pixels[i] * (1.0f / 65535.0f);

      wrong += (isnan (value) ? 0.0f : value) != answer->pixels[i];
    }
  expect (wrong == 0, "%s: %d pixels of %s are wrong", name, wrong, result);
  expect (fabs (answer->noise_gain - weights.noise_gain) < 1e-12, "%s: noise gain %g, not %g", name, answer->noise_gain,
          weights.noise_gain);
  expect (answer->degree == weights.degree, "%s: degree %d, not %d", name, answer->degree, weights.degree);
  expect (answer->reason[0] == '\0', "%s: the reason is %s", name, answer->reason);
  whiten_planes_clear (&made);
  for (gint k = 0; k <= n; k++)
    count_plane_clear (&planes[k]);
  g_strfreev (numbers);
}

static void
test_planes (void)
{
  const gchar *results[] = { "whitened", "background", "significance" };

  for (gint method = 0; method < 2; method++)
    for (gint i = 0; i < 3; i++)
      {
        const WeightsSettings settings = { (WeightsMethod) method, 1, 1e-3, FALSE, TRUE };
        Answer                answer = ask ("six", "history", 6, "method", method, "result", i, "gain", 1.5);

        compare_planes (&answer, "six", results[i], 6, &settings);
        expect (answer.notes[0] == '\0', "six frames: the notes are %s", answer.notes);
        answer_clear (&answer);
        answer = ask ("six/frame%02d.pgm", "history", 6, "method", method, "output", i, "gain", 1.5);
        compare_planes (&answer, "a pattern", results[i], 6, &settings);
        answer_clear (&answer);
      }
}

/* The sky moves by 0.8 and -0.45 a frame. */
static void
test_shifts (void)
{
  Answer answer = ask ("six", "history", 6), again, known;
  gchar **numbers = g_strsplit (answer.shifts, " ", -1);

  for (gint k = 0; k <= 6 && g_strv_length (numbers) == 14; k++)
    expect (fabs (g_ascii_strtod (numbers[2 * k], NULL) - 0.8 * k) < 0.05 && fabs (g_ascii_strtod (numbers[2 * k + 1], NULL) + 0.45 * k) < 0.05,
            "the shift of frame %d is %s %s", k, numbers[2 * k], numbers[2 * k + 1]);
  again = ask ("six", "history", 6, "shifts", answer.shifts);
  expect (! memcmp (again.pixels, answer.pixels, sizeof again.pixels) && ! strcmp (again.shifts, answer.shifts),
          "the shifts that were found, given, change something");
  known = ask ("six", "history", 6, "shifts", "0,0; 0,0; 0,0; 0,0; 0,0; 0,0; 0,0", "degree", 0);
  expect (! strcmp (known.weights, "0.166666667 0.166666667 0.166666667 0.166666667 0.166666667 0.166666667"), "equal weights are %s",
          known.weights);
  expect (memcmp (known.pixels, answer.pixels, sizeof known.pixels) != 0, "other shifts change nothing");
  answer_clear (&answer);
  answer_clear (&again);
  answer_clear (&known);
  g_strfreev (numbers);
}

/* ------------------------------------------------------------- the words -- */

static void
expect_words (const gchar *words, const gchar *part, const gchar *what)
{
  expect (part[0] ? strstr (words, part) != NULL : words[0] == '\0', "%s: the words are \"%s\", not \"%s\"", what, words, part);
}

/* The input, in grey, and why. */
static void
expect_refused (Answer answer, const gchar *part)
{
  gint wrong = 0;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    wrong += answer.pixels[i] != counts[FRAMES - 1][i] * (1.0f / 65535.0f);
  expect (wrong == 0, "%s: %d pixels are not those of the input", part, wrong);
  expect_words (answer.reason, part, "refused");
  expect (answer.shifts[0] == '\0' && answer.weights[0] == '\0' && answer.noise_gain == 1.0, "%s: there are numbers", part);
  answer_clear (&answer);
}

static void
expect_noted (Answer answer, gint frames, const gchar *part)
{
  gchar **numbers = g_strsplit (answer.weights, " ", -1);

  expect (g_strv_length (numbers) == (guint) frames, "%s: %u weights, not %d", part, g_strv_length (numbers), frames);
  expect_words (answer.reason, "", part);
  expect_words (answer.notes, part, "noted");
  g_strfreev (numbers);
  answer_clear (&answer);
}

static void
test_refusals (void)
{
  gchar *wide = file_of ("wide.pgm"), *text = file_of ("text.pgm"), *six = file_of ("six");

  expect_refused (ask ("", "history", 20), "no frames are named; set the property frames");
  expect_refused (ask ("nowhere", "history", 20), "nowhere");
  expect_refused (ask ("empty", "history", 20), "empty");
  expect_refused (ask ("wide", "history", 20), "there is no frame before this one: wide.pgm is 97 x 3, not 96 x 70");
  expect_refused (ask ("six", "current", "frame99.pgm"), "frame99.pgm is not among the frames");
  expect_refused (ask ("six", "current", "frame01.pgm"), "there is no frame before this one");
  expect_refused (ask ("six", "dark", "/nowhere/dark.fits"), "the dark cannot be used: ");
  expect_refused (ask ("six", "dark", wide), "the dark cannot be used: wide.pgm is 97 x 3, not 96 x 70");
  expect_refused (ask ("six", "dark", text), "the dark cannot be used: ");
  expect_refused (ask ("six", "dark", six), "six is not one frame");
  expect_refused (ask ("six", "history", 2, "shifts", "0 0 1 1"),
                  "shifts wants two numbers for each of the 2 frames and the current one, 6 in all, not 4");
  expect_refused (ask ("six", "history", 2, "shifts", "0 0 1 1 2 2 3"), "6 in all, not more than 6");
  expect_refused (ask ("six", "history", 2, "shifts", "0 0 1 a 2 2"), "shifts has something that is no number: a 2 2");
  expect_refused (ask ("six", "history", 2, "shifts", "0 0 1 nan 2 2"), "shifts has something that is no number: nan");
  g_free (wide);
  g_free (text);
  g_free (six);
}

static void
test_notes (void)
{
  expect_noted (ask ("six", "history", 9), 6, "the history is 6 of 9 frames");
  expect_noted (ask ("six", "history", 4), 4, "");
  expect_noted (ask ("six", "history", 1, "degree", 0), 1, "");
  expect_noted (ask ("mixed", "history", 6), 4, "skipped: frame03.pgm is 97 x 3, not 96 x 70; skipped: ");
  expect_noted (ask ("six", "history", 6, "degree", 2, "gamma", 0.0, "shifts", "0 0 0 0 0 0 0 0 0 0 0 0 0 0"), 6,
                "the shifts are too much alike for degree 2, so degree 0 is used");
  expect_noted (ask ("six", "history", 5, "degree", 2), 5, "degree 2 wants 6 frames, so degree 1 is used");
  expect_noted (ask ("flat", "history", 1, "degree", 0), 1, "the current frame: too little is seen to find its shift");
}

/* The input is in the folder too: as the newest, or by its name. */
static void
test_current (void)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 1, 1e-3, FALSE, TRUE };
  Answer                answer = ask ("seven", "history", 6);

  compare_planes (&answer, "the newest is the input", "whitened", 6, &settings);
  expect_words (answer.notes, "", "the newest is the input");
  answer_clear (&answer);
  answer = ask ("seven", "history", 3, "current", "frame07.pgm");
  compare_planes (&answer, "the input by its name", "whitened", 3, &settings);
  answer_clear (&answer);
  answer = ask ("seven", "history", 3, "current", "some/where/frame04.pgm");
  expect_words (answer.reason, "", "the fourth");
  expect (g_str_has_prefix (answer.shifts, "0 0 0.79") , "before the fourth: shifts %s", answer.shifts);
  answer_clear (&answer);
}

/* One frame: the plain difference.  A dark is taken from both, so it changes nothing but the background. */
static void
test_difference (void)
{
  gchar  *dark = file_of ("dark.pgm");
  Answer  answer = ask ("six", "history", 1, "align", FALSE, "shifts", "0 0 0 0", "reject-hot", FALSE);
  Answer  less = ask ("six", "history", 1, "align", FALSE, "shifts", "0 0 0 0", "reject-hot", FALSE, "dark", dark);
  Answer  sky = ask ("six", "history", 1, "align", FALSE, "shifts", "0 0 0 0", "reject-hot", FALSE, "dark", dark, "output", 1);
  gint    wrong = 0;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      const gfloat difference = ((gfloat) counts[6][i] - (gfloat) counts[5][i]) * (1.0f / 65535.0f);

      wrong += answer.pixels[i] != difference;
      wrong += fabsf (less.pixels[i] - difference) > 1e-6f;
      wrong += sky.pixels[i] != (counts[5][i] - 700.0f) * (1.0f / 65535.0f);
    }
  expect (wrong == 0, "one frame: %d pixels are no difference", wrong);
  answer_clear (&answer);
  answer_clear (&less);
  answer_clear (&sky);
  g_free (dark);
}

/* A full pixel is none, in the history or here. */
static void
test_saturation (void)
{
  Answer answer = ask ("six", "history", 1, "align", FALSE, "shifts", "0 0 0 0", "reject-hot", FALSE, "saturation", 1200.0);
  gint   wrong = 0, full = 0;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      const gboolean is_full = counts[6][i] >= 1200 || counts[5][i] >= 1200;

      full += is_full;
      wrong += is_full && answer.pixels[i] != 0.0f;
      wrong += ! is_full && answer.pixels[i] == 0.0f && counts[6][i] != counts[5][i];
    }
  expect (wrong == 0 && full > 100, "saturation: %d of %d", wrong, full);
  answer_clear (&answer);
}

static void
make_folders (void)
{
  guint16 *flat = g_new (guint16, WIDTH * HEIGHT);
  gchar   *path;

  folder = files_folder ();
  write_frames ("six", 6);
  write_frames ("seven", 7);
  write_frames ("mixed", 6);
  write_pgm ("mixed/frame03.pgm", counts[0], WIDTH + 1, 3);
  path = file_of ("mixed/frame05.pgm");
  g_file_set_contents (path, "no picture", -1, NULL);
  g_free (path);
  path = file_of ("text.pgm");
  g_file_set_contents (path, "no picture", -1, NULL);
  g_free (path);
  write_frames ("empty", 0);
  write_frames ("wide", 0);
  write_pgm ("wide/wide.pgm", counts[0], WIDTH + 1, 3);
  write_pgm ("wide.pgm", counts[0], WIDTH + 1, 3);
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    flat[i] = 700;
  write_pgm ("dark.pgm", flat, WIDTH, HEIGHT);
  write_frames ("flat", 0);
  write_pgm ("flat/frame01.pgm", flat, WIDTH, HEIGHT);
  g_free (flat);
}

gint
main (gint argc, gchar **argv)
{
  gegl_init (&argc, &argv);
  make_counts ();
  make_folders ();
  test_planes ();
  test_shifts ();
  test_refusals ();
  test_notes ();
  test_current ();
  test_difference ();
  test_saturation ();
  files_remove (folder);
  g_free (folder);
  gegl_exit ();
  return expect_told ();
}
