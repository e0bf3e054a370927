/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Objects taken out of frames that become history.  Pixels are chosen among values that both sides are given, so they
 * agree exactly. */
#include "answers.h"

#include <math.h>

#include "detect.h"
#include "draws.h"

#define FRAMES 8

typedef struct
{
  gboolean has_gaps;
  gfloat   threshold;
  Plane    frames[FRAMES], filtered[FRAMES];
} Row;

static gpointer
row_draw (guint64 seed, gboolean is_small G_GNUC_UNUSED)
{
  StarsRandom random = stars_random (seed, 1, 0);
  Row        *row = g_new0 (Row, 1);
  const gint  width = (gint) draw_log (&random, 1, 120), height = (gint) draw_log (&random, 1, 120);

  row->has_gaps = draw_chance (&random, 0.35);
  row->threshold = (gfloat) draw (&random, 2, 12);
  for (gint k = 0; k < FRAMES; k++)
    {
      row->frames[k] = draw_noise (&random, width, height);
      row->filtered[k] = draw_noise (&random, width, height);
      for (gsize i = 0; i < plane_size (&row->frames[k]) && ! row->has_gaps; i++)
        if (! isfinite (row->frames[k].values[i]))
          row->frames[k].values[i] = 0;
    }
  return row;
}

static void
row_free (gpointer input)
{
  Row *row = input;

  for (gint k = 0; k < FRAMES; k++)
    {
      plane_free (&row->frames[k]);
      plane_free (&row->filtered[k]);
    }
  g_free (row);
}

static gchar *
row_words (gconstpointer input)
{
  const Row *row = input;

  return g_strdup_printf ("%d x %d, threshold %g%s", row->frames[0].width, row->frames[0].height, row->threshold, row->has_gaps ? ", gaps in the frame" : "");
}

/* For each frame how many lost their values, and its pixels then. */
static gboolean
row_remove (const TesseraErrand *errand G_GNUC_UNUSED, gconstpointer input, GArray *numbers)
{
  const Row *row = input;

  for (gint k = 0; k < FRAMES; k++)
    {
      CountPlane filtered = as_counts (&row->filtered[k]), frame = as_counts (&row->frames[k]);

      answer_add (numbers, removal_apply (&filtered, row->threshold, &frame));
      for (gsize i = 0; i < plane_size (&row->frames[k]); i++)
        answer_add (numbers, frame.pixels[i]);
      count_plane_clear (&filtered);
      count_plane_clear (&frame);
    }
  return TRUE;
}

static void
row_reference (gconstpointer input, const GArray *numbers G_GNUC_UNUSED, GArray *wanted)
{
  const Row *row = input;

  for (gint k = 0; k < FRAMES; k++)
    {
      Plane frame = plane_copy (&row->frames[k]);

      answer_want (wanted, reference_remove (&frame, &row->filtered[k], row->threshold), 0);
      for (gsize i = 0; i < plane_size (&frame); i++)
        answer_want (wanted, frame.values[i], 0);
      plane_free (&frame);
    }
}

/* ---------------------------------------------------------------- laws -- */

static gboolean
twice_as_sure (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted G_GNUC_UNUSED)
{
  Row *row = input;

  for (gint k = 0; k < FRAMES; k++)
    for (gsize i = 0; i < plane_size (&row->filtered[k]); i++)
      row->filtered[k].values[i] *= 2;
  row->threshold *= 2.0f;
  return TRUE;
}

/* Nothing is so strong: frames stay as they are. */
static gboolean
nothing_above (guint64 seed G_GNUC_UNUSED, gpointer input, GArray *wanted)
{
  Row *row = input;

  row->threshold = 1e9f;
  g_array_set_size (wanted, 0);
  for (gint k = 0; k < FRAMES; k++)
    {
      answer_want (wanted, 0, 0);
      for (gsize i = 0; i < plane_size (&row->frames[k]); i++)
        answer_want (wanted, row->frames[k].values[i], 0);
    }
  return TRUE;
}

const AnswerRow answer_removal = {
  .name = "removal", .cases = 120, .draw = row_draw, .describe = row_words, .clear = row_free,
  .compute = row_remove, .reference = row_reference,
  .tolerance = "none: pixels are copied",
  .laws = { { "twice as sure", twice_as_sure }, { "nothing above the threshold", nothing_above } }
};
