/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Many values are combined at once as the plain definition combines one: mean, median and clipped mean of 1 to 40 frames,
 * with ties, zeros, values that are far off and values whose sum is no float, the same bits; so are they where frames have no value.  Of values of
 * 8 bits too the clipped mean has the noise of the mean, however little that is, and no outliers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "combine.h"
#include "../match/answers.h"
#include "../engine/verdict.h"

#define MOST 64
#define ROWS 40                 /* of what is compared with the plain definition */

static gint
by_size (gconstpointer a, gconstpointer b)
{
  return *(const gfloat *) a < *(const gfloat *) b ? -1 : *(const gfloat *) a > *(const gfloat *) b;
}

static gfloat
median_of (const gfloat *values, gint n)
{
  gfloat sorted[MOST];

  memcpy (sorted, values, n * sizeof *sorted);
  qsort (sorted, n, sizeof *sorted, by_size);
  return n % 2 ? sorted[n / 2] : (gfloat) (0.5 * ((gdouble) sorted[n / 2 - 1] + sorted[n / 2]));
}

static gfloat
expected (CombineMethod method, const gfloat *values, gint n, const CombineSteps *steps)
{
  gfloat  median = median_of (values, n), away[MOST], most, step = steps ? combine_step (steps, median) : 0.0f;
  gdouble sum = 0;
  gint    kept = 0;

  for (gint k = 0; k < n; k++)
    away[k] = fabsf (values[k] - median);
  most = combine_clip (n) * median_of (away, n);
  if (steps)
    most = MAX (most, COMBINE_LEAST * median_of (away, n) + COMBINE_STEPS * step);
  for (gint k = 0; k < n; k++)
    if (method == COMBINE_MEAN || away[k] <= most)
      {
        sum += values[k];
        kept++;
      }
  return method == COMBINE_MEDIAN ? median : (gfloat) (sum / kept);
}

static gfloat
draw (CheckRandom *random, gdouble holes, gboolean is_huge)
{
  const gboolean is_hole = check_uniform (random) < holes;
  const gdouble  kind = check_uniform (random), value = check_uniform (random);

  if (is_huge && ! is_hole)
    return (gfloat) (G_MAXFLOAT * (kind < 0.4 ? 1.0 : value));
  return is_hole ? INFINITY : kind < 0.1 ? 0.0f : kind < 0.4 ? (gfloat) floor (4 * value) / 4 : kind < 0.5 ? (gfloat) (1e4 * value - 2e3) : (gfloat) value;
}

static gdouble
gaussian (CheckRandom *random)
{
  const gdouble u = check_uniform (random), v = check_uniform (random);

  return sqrt (-2 * log (1 - u)) * cos (2 * G_PI * v);
}

/* Of n clean values the clipped mean has at most 3 % more noise than the mean: both are of the same draws, whose own variance is known.  Of some that
 * are 30 standard deviations off, as many as are not half of all, none is left. */
static void
judge_clip (gint n)
{
  static gfloat rows[MOST][COMBINE_VALUES], room[MOST][COMBINE_VALUES], out[2][COMBINE_VALUES];
  CheckRandom   random = { 20261129 + (guint64) n };
  const gint    off = n < 7 ? 1 : n / 4;
  const gfloat  most = MAX (1.5f, 5 / sqrtf ((gfloat) (n - off)));        /* of what is left of the clean ones; one more makes at least 30 / 13 */
  gdouble       more = 0;
  gint          left = 0;

  for (gint turn = 0; turn < 400; turn++)
    {
      for (gint i = 0; i < n * COMBINE_VALUES; i++)
        rows[i / COMBINE_VALUES][i % COMBINE_VALUES] = (gfloat) gaussian (&random);
      combine_values (COMBINE_MEAN, rows, n, NULL, room, out[0]);
      combine_values (COMBINE_CLIPPED, rows, n, NULL, room, out[1]);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        more += ((gdouble) out[1][i] * out[1][i] - (gdouble) out[0][i] * out[0][i]) / (400 * COMBINE_VALUES);
      for (gint k = 0; k < off; k++)
        for (gint i = 0; i < COMBINE_VALUES; i++)
          rows[(k + i) % n][i] = 30;
      combine_values (COMBINE_CLIPPED, rows, n, NULL, room, out[1]);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        left += fabsf (out[1][i]) > most;
    }
  more = sqrt (1 + more * n) - 1;
  expect (more < 0.03, "%d clean values: %.1f %% more noise than the mean's", n, 100 * more);
  expect (n > 16 || left < 8e-3 * 400 * COMBINE_VALUES, "%d values, %d far off: these are left in %d of %d", n, off, left, 400 * COMBINE_VALUES);
}

/* In linear light. */
static gboolean
steps_of (const gchar *name, CombineSteps *steps)
{
  const Babl *formats[] = { babl_format ("RGB float"), babl_format (name), babl_format ("R'G'B' u16") };

  return combine_steps (formats, G_N_ELEMENTS (formats), babl_format ("RaGaBaA float"), steps);
}

static void
judge_formats (void)
{
  static const gchar *const fine[] = { "R'G'B' u16", "RGB float", "R'G'B'A half", "Y' u16", "RaGaBaA float" };
  static const gchar *const coarse[] = { "R'G'B' u8", "R'G'B'A u8", "Y' u8", "Y'A u8", "R'aG'aB'aA u8", "cmyk u8" };
  CombineSteps               steps, linear;

  for (guint i = 0; i < G_N_ELEMENTS (fine); i++)
    expect (! steps_of (fine[i], &steps), "%s is taken for 8 bits", fine[i]);
  for (guint i = 0; i < G_N_ELEMENTS (coarse); i++)
    {
      gdouble worst = 0;

      expect (steps_of (coarse[i], &steps), "%s is not taken for 8 bits", coarse[i]);
      for (gint k = 4; k < 250; k++)
        {
          const gdouble code = k / 255.0, slope = code <= 0.04045 ? 1 / 12.92 : 2.4 / 1.055 * pow ((code + 0.055) / 1.055, 1.4);
          const gdouble light = code <= 0.04045 ? code / 12.92 : pow ((code + 0.055) / 1.055, 2.4);

          worst = MAX (worst, fabs (255 * (gdouble) combine_step (&steps, (gfloat) light) / slope - 1));
        }
      expect (worst < 0.2, "%s: a step is %g off", coarse[i], worst);
    }
  steps_of ("RGB u8", &linear);
  expect (fabs (255 * (gdouble) linear.of[COMBINE_ROOTS / 2] - 1) < 0.01, "RGB u8: a step is %g of 255", 255 * (gdouble) linear.of[COMBINE_ROOTS / 2]);
}

/* Values of 8 bits whose noise is so many steps, in light: at most 3 % more noise than the mean; and of one that is 40 steps off none is left. */
static void
judge_steps (const gchar *name, gint n, gdouble sigma)
{
  static gfloat rows[MOST][COMBINE_VALUES], room[MOST][COMBINE_VALUES], out[3][COMBINE_VALUES];
  const Babl   *light = babl_fish (babl_format (g_str_equal (name, "RGB u8") ? "RGB float" : "R'G'B' float"), babl_format ("RGB float"));
  CheckRandom   random = { 20261130 + (guint64) n };
  CombineSteps  steps;
  gdouble       squares[2] = { 0 };
  const gint    turns = n < 10 ? 100 : 20;
  gint          left = 0;

  steps_of (name, &steps);
  for (gint turn = 0; turn < turns; turn++)
    {
      gfloat exact[COMBINE_VALUES], codes[COMBINE_VALUES];

      for (gint i = 0; i < COMBINE_VALUES; i++)
        codes[i] = (gfloat) (8 + 180 * check_uniform (&random));
      for (gint k = 0; k < n; k++)
        for (gint i = 0; i < COMBINE_VALUES; i++)
          rows[k][i] = (gfloat) floor (codes[i] + sigma * gaussian (&random) + 0.5) / 255.0f;
      for (gint i = 0; i < COMBINE_VALUES; i++)
        exact[i] = codes[i] / 255.0f;
      babl_process (light, exact, exact, COMBINE_VALUES / 3);
      for (gint k = 0; k < n; k++)
        babl_process (light, rows[k], rows[k], COMBINE_VALUES / 3);
      combine_values (COMBINE_MEAN, rows, n, NULL, room, out[0]);
      combine_values (COMBINE_CLIPPED, rows, n, &steps, room, out[1]);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        for (gint m = 0; m < 2; m++)
          {
            const gdouble off = ((gdouble) out[m][i] - exact[i]) / combine_step (&steps, exact[i]);

            squares[m] += off * off;
          }
      for (gint i = 0; i < COMBINE_VALUES; i++)
        rows[(turn + i) % n][i] = exact[i] + 40 * combine_step (&steps, exact[i]);
      combine_values (COMBINE_CLIPPED, rows, n, &steps, room, out[2]);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        left += out[2][i] - exact[i] > (1.0 + 5 * sigma / sqrt (n - 1)) * combine_step (&steps, exact[i]);
    }
  expect (sqrt (squares[1] / squares[0]) < 1.03, "%s, %d values, noise of %.1f steps: %.1f %% more than the mean's", name, n, sigma,
          100 * (sqrt (squares[1] / squares[0]) - 1));
  expect (sigma > 1.05 || left < (n == 5 ? 8e-3 : 1e-3) * turns * COMBINE_VALUES, "%s, %d values, noise of %.1f steps, one far off: it is left in %d of %d", name, n, sigma,
          left, turns * COMBINE_VALUES);
}

/* ------------------------------------------------------------- the row -- */

typedef struct
{
  gint          n;              /* frames */
  gdouble       holes;          /* that have no value */
  gboolean      is_huge, has_steps;
  CombineSteps  steps;
  gfloat        rows[MOST][COMBINE_VALUES];
} Frames;

static gpointer
frames_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  CheckRandom random = { seed };
  Frames     *frames = g_new0 (Frames, 1);

  babl_init ();
  frames->n = 1 + check_below (&random, ROWS);
  frames->holes = 0.3 * check_below (&random, 4);
  frames->is_huge = check_chance (&random, 33);
  frames->has_steps = check_chance (&random, 50);
  steps_of ("R'G'B' u8", &frames->steps);
  for (gint i = 0; i < frames->n * COMBINE_VALUES; i++)
    frames->rows[i / COMBINE_VALUES][i % COMBINE_VALUES] = draw (&random, frames->holes, frames->is_huge);
  return frames;
}

static gchar *
frames_words (gconstpointer input)
{
  const Frames *frames = input;

  return g_strdup_printf ("%d frames, %g without a value%s%s", frames->n, frames->holes, frames->is_huge ? ", huge" : "",
                          frames->has_steps ? ", of 8 bits" : "");
}

/* The mean, the median and the clipped mean. */
static gboolean
frames_combine (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  static gfloat room[MOST][COMBINE_VALUES];
  const Frames *frames = input;
  gfloat        out[COMBINE_VALUES];

  for (CombineMethod method = COMBINE_MEAN; method <= COMBINE_CLIPPED; method++)
    {
      combine_values (method, (gfloat (*)[COMBINE_VALUES]) frames->rows, frames->n,
                      frames->has_steps ? &frames->steps : NULL, room, out);
      for (gint i = 0; i < COMBINE_VALUES; i++)
        answer_add (numbers, out[i]);
    }
  return TRUE;
}

static void
frames_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const Frames *frames = input;

  for (CombineMethod method = COMBINE_MEAN; method <= COMBINE_CLIPPED; method++)
    for (gint i = 0; i < COMBINE_VALUES; i++)
      {
        gfloat values[MOST];
        gint   there = 0;

        for (gint k = 0; k < frames->n; k++)
          if (isfinite (frames->rows[k][i]))
            values[there++] = frames->rows[k][i];
        answer_want (wanted, there ? expected (method, values, there, frames->has_steps ? &frames->steps : NULL) : 0, 0);
      }
}

/* Nobody misses it. */
static gboolean
a_frame_without_values (guint64 seed, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Frames    *frames = input;
  const gint at = seed % (frames->n + 1);

  memmove (frames->rows[at + 1], frames->rows[at], (frames->n - at) * sizeof *frames->rows);
  for (gint i = 0; i < COMBINE_VALUES; i++)
    frames->rows[at][i] = INFINITY;
  frames->n++;
  return TRUE;
}

static gboolean
half_as_bright (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Frames *frames = input;

  for (gint k = 0; k < frames->n; k++)
    for (gint i = 0; i < COMBINE_VALUES; i++)
      frames->rows[k][i] /= 2;
  for (guint i = 0; i < wanted->len; i++)
    g_array_index (wanted, AnswerWanted, i).value /= 2;
  return ! frames->has_steps;
}

static void
clean_and_coarse (void)
{
  judge_formats ();
  for (gint n = 5; n <= ROWS; n += n < 16 ? 1 : 8)
    judge_clip (n);
  for (gint n = 5; n <= MOST; n += n < 10 ? 1 : n < 16 ? 3 : 16)
    for (gint tenths = 2; tenths <= 20; tenths += tenths < 6 ? 2 : 7)
      {
        judge_steps ("R'G'B' u8", n, 0.1 * tenths);
        judge_steps ("RGB u8", n, 0.1 * tenths);
      }
}

const AnswerRow answer_combined = {
  .name = "combine-values", .cases = 160, .draw = frames_draw, .describe = frames_words, .clear = g_free,
  .compute = frames_combine, .reference = frames_reference, .tolerance = "none: the same sums of doubles, rounded once",
  .laws = { { "a frame without values", a_frame_without_values }, { "half as bright", half_as_bright } },
  .special = clean_and_coarse, .is_plain = TRUE
};
