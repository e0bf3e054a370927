/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rows of a block's file: a letter and numbers, with tabs between them.  F: a frame; D: a detection; T: a track; R: what would be one, but has not moved; O: the frame before the
 * block, which says how the block's chain lies against the one before, G: how that frame is turned, B: the last light that is known; A: how a frame is turned; Q: how good a frame is; W: what a frame says of the sky; L: a search's threshold; K: a streak; N: the gain.  H, P and S: see sequence-content.c. */
#include "sequence.h"

#include <math.h>
#include <stdlib.h>

#define FRAME_WORDS  21
#define OBJECT_WORDS 11
#define SOLVED_WORDS 4
#define SEARCH_WORDS 4
#define STREAK_WORDS 8
#define QUALITY_WORDS 7
#define TURN_WORDS    6

/* ------------------------------------------------------------------ writing -- */

void
row_add_frame (GString *text, const FrameRow *row)
{
  g_autofree gchar *name = g_strescape (row->name, NULL), *reason = g_strescape (row->reason ? row->reason : "", NULL);

  g_string_append_printf (text, "F\t%d\t%d\t%d", row->index, (gint) row->state, row->chain);
  row_add_number (text, '\t', "%.10f", row->x);
  row_add_number (text, '\t', "%.10f", row->y);
  row_add_number (text, '\t', "%.6f", row->error);
  g_string_append_printf (text, "\t%d\t%d\t%d\t%d\t%d", row->pixels, row->n, row->degree, row->detections, row->rays);
  row_add_number (text, '\t', "%.6f", row->noise_gain);
  row_add_number (text, '\t', "%.4f", row->threshold);
  g_string_append_printf (text, "\t%d\t%d", (gint) row->sky, (gint) row->facts.clock);
  row_add_number (text, '\t', "%.6f", row->facts.start);
  row_add_number (text, '\t', "%.6f", row->facts.middle);
  row_add_number (text, '\t', "%.6f", row->facts.exposure);
  row_add_number (text, '\t', "%.6f", row->facts.zero_point);
  g_string_append_printf (text, "\t%s\t%s\t%s\n", row->facts.band, name, reason);
  g_string_append_printf (text, "Q\t%d\t%d", row->index, row->quality.stars);
  row_add_number (text, '\t', "%.3f", row->quality.seeing);
  row_add_number (text, '\t', "%.3f", row->quality.sky);
  row_add_number (text, '\t', "%.10f", row->quality.light);
  row_add_number (text, '\t', "%.4f", row->quality.noise);
  g_string_append_c (text, '\n');
}

void
row_add_gain (GString *text, const FrameRow *row)
{
  if (! (row->gain > 0.0))
    return;
  g_string_append_printf (text, "N\t%d", row->index);
  row_add_number (text, '\t', "%.6g", row->gain);
  g_string_append_c (text, '\n');
}

void
row_add_turn (GString *text, const FrameRow *row, gint width, gint height)
{
  if (row->angle == 0.0 && isfinite (row->angle_error))
    return;
  g_string_append_printf (text, "A\t%d", row->index);
  row_add_number (text, '\t', "%.10f", row->angle);
  row_add_number (text, '\t', "%.6f", row->angle_error);
  g_string_append_printf (text, "\t%d\t%d\n", width, height);
}

void
row_add_overlap_turn (GString *text, gint index, gdouble angle)
{
  if (angle == 0.0)
    return;
  g_string_append_printf (text, "G\t%d", index);
  row_add_number (text, '\t', "%.10f", angle);
  g_string_append_c (text, '\n');
}

void
row_add_light (GString *text, gint index, gdouble light)
{
  g_string_append_printf (text, "B\t%d", index);
  row_add_number (text, '\t', "%.10f", light);
  g_string_append_c (text, '\n');
}

void
row_add_object (GString *text, const ObjectRow *row)
{
  g_string_append_printf (text, "%c\t%d\t%d", row->is_still ? 'R' : row->frames > 1 ? 'T' : 'D', row->index, row->frames);
  row_add_number (text, '\t', "%.3f", row->x);
  row_add_number (text, '\t', "%.3f", row->y);
  row_add_number (text, '\t', "%.5f", row->v_x);
  row_add_number (text, '\t', "%.5f", row->v_y);
  row_add_number (text, '\t', "%.3f", row->value);
  row_add_number (text, '\t', "%.3f", row->flux);
  row_add_number (text, '\t', "%.7f", row->ra);
  row_add_number (text, '\t', "%.7f", row->dec);
  g_string_append_c (text, '\n');
}

void
row_add_streak (GString *text, gint index, const Streak *streak)
{
  g_string_append_printf (text, "K\t%d", index);
  for (gint i = 0; i < 2; i++)
    {
      row_add_number (text, '\t', "%.3f", streak->x[i]);
      row_add_number (text, '\t', "%.3f", streak->y[i]);
    }
  row_add_number (text, '\t', "%.3f", streak->width);
  row_add_number (text, '\t', "%.1f", streak->flux);
  g_string_append_c (text, '\n');
}

void
row_add_search (GString *text, gint index, gint frames, gdouble threshold)
{
  g_string_append_printf (text, "L\t%d\t%d", index, frames);
  row_add_number (text, '\t', "%.4f", threshold);
  g_string_append_c (text, '\n');
}

void
row_add_overlap (GString *text, gint index, FrameShift at, gint chain)
{
  g_string_append_printf (text, "O\t%d\t%d", index, chain);
  row_add_number (text, '\t', "%.10f", at.x);
  row_add_number (text, '\t', "%.10f", at.y);
  g_string_append_c (text, '\n');
}

/* ------------------------------------------------------------------ reading -- */

static gdouble
number_of (const gchar *word)
{
  return *word ? g_ascii_strtod (word, NULL) : NAN;
}

static void
free_names (gpointer data)
{
  g_free (((FrameRow *) data)->name);
  g_free (((FrameRow *) data)->reason);
}

void
tables_init (Tables *tables)
{
  *tables = (Tables) { g_array_new (FALSE, FALSE, sizeof (FrameRow)), g_array_new (FALSE, FALSE, sizeof (ObjectRow)),
                       g_array_new (FALSE, FALSE, sizeof (ObjectRow)), solved_new (), g_array_new (FALSE, FALSE, sizeof (ObjectRow)),
                       g_array_new (FALSE, FALSE, sizeof (StreakRow)),
                       g_array_new (FALSE, FALSE, sizeof (gdouble)), 0, 0.0, 0, 0 };
  g_array_set_clear_func (tables->frames, free_names);
}

void
tables_clear (Tables *tables)
{
  g_array_free (tables->frames, TRUE);
  g_array_free (tables->detections, TRUE);
  g_array_free (tables->tracks, TRUE);
  g_array_free (tables->solved, TRUE);
  g_array_free (tables->still, TRUE);
  g_array_free (tables->streaks, TRUE);
  g_array_free (tables->searches, TRUE);
}

/* What has to be added to a block's chains and places. */
typedef struct
{
  gint       joined, chain;     /* the block's chain that goes on, -1: none; the number of its first in the table */
  FrameShift from, to;          /* where one frame lies, in the block and in the table; */
  gdouble    turn;              /* ... and how much less it is turned in the block */
  gdouble    light;             /* to be added to the light of the chain that goes on */
} Joint;

/* Where no frame before has a place, the number of its chain tells those that follow; -1: there was none. */
static Joint
joint_of (const Tables *tables, gchar **words)
{
  Joint joint = { .joined = -1 };

  if (tables->frames->len > 0)
    joint.chain = g_array_index (tables->frames, FrameRow, tables->frames->len - 1).chain - (words ? atoi (words[2]) : -1);
  for (guint i = tables->frames->len; words && i-- > 0;)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      if (row->index == atoi (words[1]) && isfinite (row->x))
        return (Joint) { atoi (words[2]), row->chain - atoi (words[2]), { number_of (words[3]), number_of (words[4]) }, { row->x, row->y }, row->angle, 0.0 };
    }
  return joint;
}

/* Frames come one after the other, and objects behind their frame. */
static gboolean
is_in_place (const Tables *tables, gchar **words)
{
  return atoi (words[1]) == (gint) tables->frames->len - (*words[0] == 'F' ? 0 : 1);
}

static void
add_frame (Tables *tables, gchar **words, const Joint *joint)
{
  const gint chain = atoi (words[3]);
  FrameRow   row = { .index = atoi (words[1]), .state = (FrameState) atoi (words[2]), .chain = chain + joint->chain, .x = number_of (words[4]),
                     .y = number_of (words[5]), .error = number_of (words[6]), .pixels = atoi (words[7]), .n = atoi (words[8]),
                     .degree = atoi (words[9]), .detections = atoi (words[10]), .rays = atoi (words[11]), .noise_gain = number_of (words[12]), .threshold = number_of (words[13]),
                     .sky = (SkyState) atoi (words[14]),
                     .facts = { .clock = (FrameClock) atoi (words[15]), .start = number_of (words[16]), .middle = number_of (words[17]),
                                .exposure = number_of (words[18]), .zero_point = number_of (words[19]) },
                     .name = g_strcompress (words[21]), .reason = g_strcompress (words[22]) };

  g_strlcpy (row.facts.band, words[20], sizeof row.facts.band);
  if (chain == joint->joined)
    {
      row.x -= joint->from.x;
      row.y -= joint->from.y;
      turn_place (-joint->turn, 1, 1, &row.x, &row.y);
      row.x += joint->to.x;
      row.y += joint->to.y;
      row.angle = joint->turn;
    }
  g_array_append_val (tables->frames, row);
}

static void
add_streak (GArray *streaks, gchar **words)
{
  const StreakRow row = { atoi (words[1]), { { number_of (words[2]), number_of (words[4]) }, { number_of (words[3]), number_of (words[5]) },
                                             number_of (words[6]), number_of (words[7]) } };

  g_array_append_val (streaks, row);
}

static void
add_search (GArray *searches, gchar **words)
{
  const gdouble threshold = number_of (words[3]);

  g_array_append_val (searches, threshold);
}

/* Is the last frame of the chain that goes on? */
static gboolean
has_joined (const Tables *tables, const Joint *joint)
{
  return g_array_index (tables->frames, FrameRow, tables->frames->len - 1).chain - joint->chain == joint->joined;
}

static void
add_object (const Tables *tables, GArray *array, gchar **words, const Joint *joint)
{
  ObjectRow row = { .index = atoi (words[1]), .frames = atoi (words[2]), .x = number_of (words[3]), .y = number_of (words[4]),
                          .v_x = number_of (words[5]), .v_y = number_of (words[6]), .value = number_of (words[7]), .flux = number_of (words[8]),
                          .ra = number_of (words[9]), .dec = number_of (words[10]), .track = -1 };

  if (has_joined (tables, joint))
    turn_place (-joint->turn, 1, 1, &row.v_x, &row.v_y);
  g_array_append_val (array, row);
}

static void
add_turn (Tables *tables, gchar **words)
{
  FrameRow *row = &g_array_index (tables->frames, FrameRow, tables->frames->len - 1);

  row->angle = remainder (row->angle + number_of (words[2]), 360.0);
  row->angle_error = number_of (words[3]);
  tables->width = atoi (words[4]);
  tables->height = atoi (words[5]);
}

static void
add_quality (Tables *tables, gchar **words, const Joint *joint)
{
  FrameRow *row = &g_array_index (tables->frames, FrameRow, tables->frames->len - 1);

  row->quality = (Quality) { .stars = atoi (words[2]), .seeing = number_of (words[3]), .sky = number_of (words[4]), .light = number_of (words[5]),
                             .noise = number_of (words[6]), .transparency = NAN };
  if (has_joined (tables, joint))
    row->quality.light += joint->light;
}

/* As joint_of has a step. */
static gdouble
light_step (const Tables *tables, gchar **words)
{
  const FrameRow *row = tables_frame (tables, atoi (words[1]));

  return row ? row->quality.light - number_of (words[2]) : NAN;
}

gboolean
tables_add (Tables *tables, const gchar *text)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  Joint    joint = joint_of (tables, NULL);
  gboolean success = content_is_whole (text);

  for (gchar **line = lines; *line && success; line++)
    {
      g_auto (GStrv) words = g_strsplit (*line, "\t", -1);
      const guint n = g_strv_length (words);

      if (**line == 'O' && n == 5)
        joint = joint_of (tables, words);
      else if (**line == 'F' && n == FRAME_WORDS + 2 && is_in_place (tables, words))
        add_frame (tables, words, &joint);
      else if (**line == 'B' && n == 3)
        joint.light = light_step (tables, words);
      else if (**line == 'G' && n == 3)
        joint.turn -= number_of (words[2]);
      else if (**line == 'A' && n == TURN_WORDS && is_in_place (tables, words))
        add_turn (tables, words);
      else if (**line == 'Q' && n == QUALITY_WORDS && is_in_place (tables, words))
        add_quality (tables, words, &joint);
      else if (**line == 'N' && n == 3 && is_in_place (tables, words))
        g_array_index (tables->frames, FrameRow, tables->frames->len - 1).gain = number_of (words[2]);
      else if (**line == 'D' && n == OBJECT_WORDS && is_in_place (tables, words))
        add_object (tables, tables->detections, words, &joint);
      else if (**line == 'T' && n == OBJECT_WORDS && is_in_place (tables, words))
        add_object (tables, tables->tracks, words, &joint);
      else if (**line == 'R' && n == OBJECT_WORDS && is_in_place (tables, words))
        add_object (tables, tables->still, words, &joint);
      else if (**line == 'K' && n == STREAK_WORDS && is_in_place (tables, words))
        add_streak (tables->streaks, words);
      else if (**line == 'L' && n == SEARCH_WORDS && is_in_place (tables, words))
        add_search (tables->searches, words);
      else if (**line == 'W' && n == SOLVED_WORDS && is_in_place (tables, words))
        solved_add (tables->solved, words);
      else
        success = **line == '\0' || **line == 'H' || **line == 'P' || **line == 'C' || **line == 'E' || **line == 'S';
    }
  return success;
}
