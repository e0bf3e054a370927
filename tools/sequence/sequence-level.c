/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Places in frames of a field that turns.
 *
 * Rows have pixels of their frame as it was read.  Turned back about its middle by the frame's angle, a frame lies against
 * the others of its chain by its shift alone. */
#include "sequence.h"

#include <math.h>

#include "../progress.h"

Point
level_place (const Tables *tables, const FrameRow *frame, gdouble x, gdouble y)
{
  turn_place (-frame->angle, tables->width, tables->height, &x, &y);
  return (Point) { x, y };
}

Point
level_back (const Tables *tables, const FrameRow *frame, gdouble x, gdouble y)
{
  turn_place (frame->angle, tables->width, tables->height, &x, &y);
  return (Point) { x, y };
}

Point
level_shift (const FrameRow *frame)
{
  Point shift = { frame->x, frame->y };

  turn_place (frame->angle, 1, 1, &shift.x, &shift.y);
  return shift;
}

gdouble
level_turned (const Tables *tables)
{
  const FrameRow *before = NULL;
  gdouble         turned = 0.0;

  for (guint i = 0; i < tables->frames->len; i++)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      if (! row_is_used (row))
        continue;
      if (before && before->chain == row->chain)
        turned += remainder (row->angle - before->angle, 360.0);
      before = row;
    }
  return turned;
}

gboolean
level_is_turned (const Tables *tables)
{
  gboolean is_turned = FALSE;

  for (guint i = 0; i < tables->frames->len; i++)
    is_turned |= row_is_used (&g_array_index (tables->frames, FrameRow, i)) && g_array_index (tables->frames, FrameRow, i).angle != 0.0;
  return is_turned;
}

void
level_tell (const Tables *tables)
{
  gint  unknown = 0;
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (! level_is_turned (tables))
    return;
  for (guint i = 0; i < tables->frames->len; i++)
    unknown += row_is_used (&g_array_index (tables->frames, FrameRow, i)) && isnan (g_array_index (tables->frames, FrameRow, i).angle_error);
  progress_say ("The field turns: %s degrees over the night.", g_ascii_formatd (digits, sizeof digits, "%.2f", level_turned (tables)));
  if (unknown > 0)
    progress_say (unknown == 1 ? "%d frame has too few stars for an angle: it is taken as those before it turn" : "%d frames have too few stars for an angle: they are taken as those before them turn", unknown);
}
