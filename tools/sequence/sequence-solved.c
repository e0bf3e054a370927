/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Places in the sky of objects in frames that say nothing of it: all frames of a chain lie against one that does. */
#include "sequence.h"

#include <math.h>
#include <stdlib.h>

#define PER_DEGREE 3600.0       /* seconds of arc */

/* A frame whose header says where it lies. */
typedef struct
{
  gint  index;
  Sky  *sky;
} Solved;

void
row_add_solved (GString *text, gint index, const FrameFacts *facts)
{
  g_autofree gchar *words = g_strescape (facts->sky, NULL);

  g_string_append_printf (text, "W\t%d\t%d\t%s\n", index, facts->cell, words);
}

static void
solved_clear (gpointer data)
{
  sky_free (((Solved *) data)->sky);
}

GArray *
solved_new (void)
{
  GArray *solved = g_array_new (FALSE, FALSE, sizeof (Solved));

  g_array_set_clear_func (solved, solved_clear);
  return solved;
}

void
solved_add (GArray *solved, gchar **words)
{
  g_autofree gchar *cards = g_strcompress (words[3]);
  FrameFacts        facts = { .cell = atoi (words[2]), .sky = g_ref_string_new (cards) };
  const Solved      added = { atoi (words[1]), sky_new (&facts) };

  g_array_append_val (solved, added);
  frame_facts_clear (&facts);
}

const FrameRow *
solved_frame (const Tables *tables, gint n, Sky **sky)
{
  const Solved   *solved = &g_array_index (tables->solved, Solved, n);
  const FrameRow *row = tables_frame (tables, solved->index);

  *sky = solved->sky;
  return row && row_is_used (row) && solved->sky ? row : NULL;
}

/* The nearest of the frame's chain, and the pixel of the frame there, as if it was not turned; `sky` NULL: there is none. */
typedef struct
{
  Sky            *sky;
  gdouble         x, y;
  const FrameRow *frame;
} Pixel;

static Pixel
pixel_of (const Tables *tables, const ObjectRow *row)
{
  const FrameRow *frame = tables_frame (tables, row->index);
  gint            nearest = G_MAXINT;
  Pixel           pixel = { .sky = NULL };
  const Point     here = frame ? level_place (tables, frame, row->x, row->y) : (Point) { NAN, NAN };

  for (guint i = 0; i < tables->solved->len && frame; i++)
    {
      const Solved   *solved = &g_array_index (tables->solved, Solved, i);
      const FrameRow *there = tables_frame (tables, solved->index);

      if (! there || there->chain != frame->chain || ABS (solved->index - row->index) >= nearest)
        continue;
      nearest = ABS (solved->index - row->index);
      pixel = (Pixel) { solved->sky, here.x - frame->x + there->x, here.y - frame->y + there->y, there };
    }
  return pixel;
}

/* Of what lies so far from the pixel. */
static void
sky_beside (const Tables *tables, const Pixel *pixel, gdouble x, gdouble y, gdouble *ra, gdouble *dec)
{
  const Point at = pixel->sky ? level_back (tables, pixel->frame, pixel->x + x, pixel->y + y) : (Point) { NAN, NAN };

  sky_place (pixel->sky, at.x, at.y, ra, dec);
}

static void
place (const Tables *tables, GArray *rows)
{
  for (guint i = 0; i < rows->len; i++)
    {
      ObjectRow  *row = &g_array_index (rows, ObjectRow, i);
      const Pixel pixel = isnan (row->ra) ? pixel_of (tables, row) : (Pixel) { .sky = NULL };

      if (pixel.sky)
        sky_beside (tables, &pixel, 0.0, 0.0, &row->ra, &row->dec);
    }
}

void
tables_place (Tables *tables)
{
  place (tables, tables->detections);
  place (tables, tables->tracks);
}

Motion
tables_motion (const Tables *tables, const ObjectRow *row)
{
  const Pixel   pixel = pixel_of (tables, row);
  const gdouble minutes = tables->cadence / 60.0;
  gdouble       ra[2], dec[2], east, north;

  if (! pixel.sky || ! (minutes > 0.0) || ! isfinite (row->v_x))
    return (Motion) { NAN, NAN };
  for (gint i = 0; i < 2; i++)
    sky_beside (tables, &pixel, i * row->v_x, i * row->v_y, &ra[i], &dec[i]);
  east = remainder (ra[1] - ra[0], 360.0) * cos (dec[0] * G_PI / 180.0) * PER_DEGREE;
  north = (dec[1] - dec[0]) * PER_DEGREE;
  return (Motion) { hypot (east, north) / minutes, fmod (atan2 (east, north) * 180.0 / G_PI + 360.0, 360.0) };
}

PixelSize
tables_pixel_size (const Tables *tables, const ObjectRow *row)
{
  const Pixel   pixel = pixel_of (tables, row);
  const gdouble across = cos (row->dec * G_PI / 180.0);
  PixelSize     size = { 0.0, 0.0 };

  for (gint axis = 0; axis < 2; axis++)
    {
      gdouble ra[2], dec[2];

      for (gint side = 0; side < 2; side++)
        sky_beside (tables, &pixel, axis == 0 ? side - 0.5 : 0.0, axis == 1 ? side - 0.5 : 0.0, &ra[side], &dec[side]);
      size.ra = hypot (size.ra, remainder (ra[1] - ra[0], 360.0) * across * PER_DEGREE);
      size.dec = hypot (size.dec, (dec[1] - dec[0]) * PER_DEGREE);
    }
  return size;
}
