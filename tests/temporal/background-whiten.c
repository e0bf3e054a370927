/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:background-whiten in a graph: its planes against the functions that make them, its numbers, and its words where something is
 * missing or wrong. */
#include <math.h>
#include <string.h>

#include <gegl.h>

#include "../engine/verdict.h"
#include "background-whiten.h"
#include "graphs.h"
#include "once.h"

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
  gchar *wide = graph_file ("wide.pgm"), *text = graph_file ("text.pgm"), *six = graph_file ("six");

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

/* What was said of a picture is not said of one without pixels. */
static void
test_emptied (void)
{
  GeglBuffer *some = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 8, 8), babl_format ("Y' u16")), *none = gegl_buffer_new (GEGL_RECTANGLE (0, 0, 0, 0), babl_format ("Y' u16"));
  GeglNode   *graph = gegl_node_new (), *node = gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL);
  GeglNode   *source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", NULL);

  gegl_node_link (source, node);
  for (gint i = 0; i < 2; i++)
    {
      gfloat pixel;
      gchar *reason;

      gegl_node_set (source, "buffer", i ? none : some, NULL);
      gegl_node_blit (node, 1.0, GEGL_RECTANGLE (2, 2, 1, 1), babl_format ("Y float"), &pixel, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
      gegl_node_get (node, "reason", &reason, NULL);
      expect_words (reason, i ? "the picture is empty" : "no frames are named", "emptied");
      g_free (reason);
    }
  g_object_unref (graph);
  g_object_unref (none);
  g_object_unref (some);
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
  gchar  *dark = graph_file ("dark.pgm");
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

void
background_whiten (void)
{
  graph_init ();
  test_planes ();
  test_shifts ();
  test_refusals ();
  test_emptied ();
  test_notes ();
  test_current ();
  test_difference ();
  test_saturation ();
  graph_clear ();
}
