/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The tables, as people and other programs read them. */
#include "sequence.h"

#include <math.h>

static const gchar *const states[] = { "used", "first", "unreadable", "lost" };

/* As CSV has it: with quotes, and those inside doubled. */
static void
add_quoted (GString *text, const gchar *words)
{
  g_auto (GStrv) parts = g_strsplit (words ? words : "", "\"", -1);
  g_autofree gchar *joined = g_strjoinv ("\"\"", parts);

  g_string_append_printf (text, "%s\"%s\"", text->len && text->str[text->len - 1] != '\n' ? "," : "", joined);
}

static void
add_angle (GString *text, const FrameRow *row)
{
  const gboolean has_place = row_is_used (row);

  row_add_number (text, ',', "%.6f", has_place ? row->angle : NAN);
  row_add_number (text, ',', "%.6f", has_place ? row->angle_error : NAN);
}

static const gchar shifts_head[] = "frame,name,state,x,y,error,chain,pixels,history,degree,noise_gain,threshold,detections,rays,time,middle,exposure,stars,seeing,sky,transparency,noise,reason";

/* A field that does not turn has no angles. */
static gboolean
write_shifts (const Tables *tables, const gchar *path, GError **error)
{
  const gboolean      has_angles = level_is_turned (tables);
  g_autoptr (GString) text = g_string_new (shifts_head);

  g_string_append (text, has_angles ? ",angle,angle_error\n" : "\n");

  for (guint i = 0; i < tables->frames->len; i++)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);
      const Point     shift = level_shift (row);

      g_string_append_printf (text, "%d", row->index);
      add_quoted (text, row->name);
      g_string_append_printf (text, ",%s", states[CLAMP (row->state, 0, FRAME_LOST)]);
      row_add_number (text, ',', "%.6f", row->state == FRAME_LOST ? NAN : shift.x);
      row_add_number (text, ',', "%.6f", row->state == FRAME_LOST ? NAN : shift.y);
      row_add_number (text, ',', "%.6f", row->error);
      g_string_append_printf (text, ",%d,%d,%d,%d", row->chain, row->pixels, row->n, row->degree);
      row_add_number (text, ',', "%.6f", row->noise_gain);
      row_add_number (text, ',', "%.3f", row->threshold);
      g_string_append_printf (text, ",%d,%d", row->detections, row->rays);
      row_add_number (text, ',', "%.6f", row->facts.start);
      row_add_number (text, ',', "%.6f", row->facts.middle);
      row_add_number (text, ',', "%.6f", row->facts.exposure);
      g_string_append_printf (text, ",%d", row->quality.stars);
      row_add_number (text, ',', "%.3f", row->quality.seeing);
      row_add_number (text, ',', "%.3f", row->quality.sky);
      row_add_number (text, ',', "%.4f", row->quality.transparency);
      row_add_number (text, ',', "%.4f", row->quality.noise);
      add_quoted (text, row->reason);
      if (has_angles)
        add_angle (text, row);
      g_string_append_c (text, '\n');
    }
  return folder_write (path, text->str, text->len, error);
}

/* In a minute, where frames have times. */
static void
add_motion (GString *text, const Tables *tables, const ObjectRow *row)
{
  const gdouble in_a_minute = tables->cadence > 0.0 ? 60.0 / tables->cadence : NAN;
  const Motion  motion = tables_motion (tables, row);

  row_add_number (text, ',', "%.5f", row->v_x * in_a_minute);
  row_add_number (text, ',', "%.5f", row->v_y * in_a_minute);
  row_add_number (text, ',', "%.4f", motion.rate);
  row_add_number (text, ',', "%.2f", motion.angle);
}

static void
add_object (GString *text, const Tables *tables, const ObjectRow *row)
{
  const FrameRow *frame = tables_frame (tables, row->index);

  g_string_append_printf (text, "%d", row->index);
  add_quoted (text, frame ? frame->name : "");
  row_add_number (text, ',', "%.3f", row->x);
  row_add_number (text, ',', "%.3f", row->y);
  row_add_number (text, ',', "%.3f", row->flux);
  row_add_number (text, ',', "%.3f", row->value);
  row_add_number (text, ',', "%.5f", row->v_x);
  row_add_number (text, ',', "%.5f", row->v_y);
  g_string_append (text, row->track < 0 ? "," : "");
  if (row->track >= 0)
    g_string_append_printf (text, ",%d", row->track + 1);
  g_string_append_printf (text, ",%d", row->frames);
  row_add_number (text, ',', "%.7f", row->ra);
  row_add_number (text, ',', "%.7f", row->dec);
  row_add_number (text, ',', "%.6f", frame ? frame->facts.middle : NAN);
  add_motion (text, tables, row);
  g_string_append_c (text, '\n');
}

static gboolean
write_objects (const Tables *tables, const GArray *rows, const gchar *path, GError **error)
{
  g_autoptr (GString) text = g_string_new ("frame,name,x,y,flux,significance,velocity_x,velocity_y,track,frames,ra,dec,time,minute_x,minute_y,arcsec_minute,position_angle\n");

  for (guint i = 0; i < rows->len; i++)
    add_object (text, tables, &g_array_index (rows, ObjectRow, i));
  return folder_write (path, text->str, text->len, error);
}

static gboolean
write_streaks (const Tables *tables, const gchar *path, GError **error)
{
  g_autoptr (GString) text = g_string_new ("frame,name,x1,y1,x2,y2,width,flux,time\n");

  for (guint i = 0; i < tables->streaks->len; i++)
    {
      const StreakRow *row = &g_array_index (tables->streaks, StreakRow, i);
      const FrameRow  *frame = tables_frame (tables, row->index);

      g_string_append_printf (text, "%d", row->index);
      add_quoted (text, frame ? frame->name : "");
      for (gint k = 0; k < 2; k++)
        {
          row_add_number (text, ',', "%.3f", row->streak.x[k]);
          row_add_number (text, ',', "%.3f", row->streak.y[k]);
        }
      row_add_number (text, ',', "%.3f", row->streak.width);
      row_add_number (text, ',', "%.1f", row->streak.flux);
      row_add_number (text, ',', "%.6f", frame ? frame->facts.middle : NAN);
      g_string_append_c (text, '\n');
    }
  return folder_write (path, text->str, text->len, error);
}

/* Tracks alone: one frame's light is no object that moves.  No files where no track has a place in the sky and a time. */
static gboolean
write_reports (const Tables *tables, const gchar *folder, const ReportSettings *settings, GError **error)
{
  g_autofree gchar   *mpc = g_build_filename (folder, "tracks.mpc", NULL), *psv = g_build_filename (folder, "tracks.psv", NULL);
  g_autoptr (GString) lines = g_string_new (NULL), values = g_string_new (NULL);

  ades_begin (values, settings);
  for (guint i = 0; i < tables->tracks->len; i++)
    {
      const Observation seen = report_observation (tables, &g_array_index (tables->tracks, ObjectRow, i), settings);
      g_autofree gchar *line = seen.is_whole ? sky_report (&seen, settings->observatory) : NULL;

      if (! line)
        continue;
      g_string_append_printf (lines, "%s\n", line);
      ades_add (values, &seen, settings);
    }
  return lines->len == 0 || (folder_write (mpc, lines->str, lines->len, error) && folder_write (psv, values->str, values->len, error));
}

gboolean
tables_write (const Tables *tables, const gchar *folder, const ReportSettings *settings, GError **error)
{
  g_autofree gchar *shifts = g_build_filename (folder, "shifts.csv", NULL), *detections = g_build_filename (folder, "detections.csv", NULL);
  g_autofree gchar *tracks = g_build_filename (folder, "tracks.csv", NULL), *streaks = g_build_filename (folder, "streaks.csv", NULL);

  return write_shifts (tables, shifts, error) && write_objects (tables, tables->detections, detections, error)
         && write_objects (tables, tables->tracks, tracks, error)
         && write_streaks (tables, streaks, error) && write_reports (tables, folder, settings, error);
}
