/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-sequence: what moves in a sequence of frames.
 *
 *   tessera-sequence night/ -o found/
 *   tessera-sequence merge part-1/ part-2/ -o found/
 *
 * Exit status: 0; 1 if fewer than half of the frames can be used; 2 if there is no result. */
#include "options.h"
#include "sequence.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../json.h"
#include "../progress.h"
#include "../saves.h"
#include "system.h"

#define FINISHING 0.1           /* of the work is what follows the blocks */

/* What a run has to tell. */
typedef struct
{
  gint    frames, used, made, pictures;
  gboolean has_none;            /* frames that can be read */
  gboolean has_no_masters;      /* that can be used */
  const FrameList *list;        /* NULL where parts are merged */
  GArray *zeros;                /* ZeroPoint, of a catalogue; or NULL */
  gdouble cadence;
  gint64  began;
  GError *error;
} Run;

/* ----------------------------------------------------------------- blocks -- */

static gboolean
make_blocks (Sequence *sequence, const Options *options, Run *run)
{
  const gint begin = (gint) ((gint64) sequence->blocks * (options->part - 1) / options->parts);
  const gint end = (gint) ((gint64) sequence->blocks * options->part / options->parts);

  progress_begin (end - begin + FINISHING);
  for (gint i = begin; i < end; i++)
    {
      const gboolean is_done = folder_has (sequence, i, &run->error);

      if (run->error)
        return FALSE;
      if (! is_done)
        {
          g_autoptr (GString) text = NULL;

          progress_step (0.0, "frames %d to %d", i * sequence->settings.block, MIN ((i + 1) * sequence->settings.block, sequence->list.n) - 1);
          text = block_make (sequence, i, &run->error);
          run->made++;
          if (! text || ! folder_keep (sequence, i, text, &run->error))
            return FALSE;
        }
      progress_step (1.0, "block %d of %d", i + 1, sequence->blocks);
    }
  return TRUE;
}

/* ----------------------------------------------------------------- tables -- */

static gboolean
read_blocks (const gchar *folder, gint frames, gint block, gdouble cadence, Tables *tables, GError **error)
{
  const gint blocks = frames / block + (frames % block > 0);
  g_autoptr (GHashTable) seen = g_hash_table_new_full (NULL, NULL, NULL, g_free);

  for (gint i = 0; i < blocks; i++)
    {
      g_autofree gchar *path = folder_block (folder, i), *text = NULL;

      if (! g_file_get_contents (path, &text, NULL, error))
        {
          g_prefix_error (error, "block %d of %d is missing: ", i + 1, blocks);
          return FALSE;
        }
      if (content_is_outgrown (text, frames, cadence))
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is of a night that has grown since; compute it again", path);
          return FALSE;
        }
      if (! tables_add (tables, text) || (gint) tables->frames->len != (i + 1 < blocks ? (i + 1) * block : frames))
        {
          g_set_error (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "%s is no block of a sequence; remove it", path);
          return FALSE;
        }
      if (! content_agrees (seen, text, path, error))
        return FALSE;
    }
  return TRUE;
}

/* Frames that were left out are named. */
static void
count_frames (const Tables *tables, Run *run)
{
  for (guint i = 0; i < tables->frames->len; i++)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      run->frames++;
      if (row_is_used (row))
        run->used++;
      else
        progress_say ("%s is left out: %s", row->name, row->reason);
    }
}

/* Files that are no frames have no number. */
static void
put_dropped (JsonBuilder *json, const FrameList *list)
{
  for (guint i = 0; list && i < list->dropped->len; i++)
    {
      const FrameDropped *dropped = list->dropped->pdata[i];

      put_object (json, NULL);
      put_text (json, "name", dropped->name);
      put_text (json, "reason", dropped->reason);
      json_builder_end_object (json);
    }
}

static void
put_left_out (JsonBuilder *json, const Tables *tables, const FrameList *list)
{
  put_array (json, "left_out");
  put_dropped (json, list);
  for (guint i = 0; i < tables->frames->len; i++)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      if (row_is_used (row))
        continue;
      put_object (json, NULL);
      put_int (json, "frame", row->index);
      put_text (json, "name", row->name);
      put_text (json, "reason", row->reason);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

/* A number for each frame; null where it is not known. */
static void
put_transparency (JsonBuilder *json, const Tables *tables)
{
  put_array (json, "transparency");
  for (guint i = 0; i < tables->frames->len; i++)
    put_number (json, NULL, "%.4f", g_array_index (tables->frames, FrameRow, i).quality.transparency);
  json_builder_end_array (json);
}

/* Degrees over the night, and of each frame, if any is turned; null where a frame is left out. */
static void
put_angles (JsonBuilder *json, const Tables *tables)
{
  put_number (json, "turned", "%.4f", level_turned (tables));
  if (! level_is_turned (tables))
    return;
  put_array (json, "angles");
  for (guint i = 0; i < tables->frames->len; i++)
    {
      const FrameRow *row = &g_array_index (tables->frames, FrameRow, i);

      put_number (json, NULL, "%.6f", row_is_used (row) ? row->angle : NAN);
    }
  json_builder_end_array (json);
}

static void
put_thresholds (JsonBuilder *json, const gchar *name, Thresholds thresholds)
{
  if (! isfinite (thresholds.median))
    return;
  put_object (json, name);
  put_number (json, "least", "%.3f", thresholds.least);
  put_number (json, "median", "%.3f", thresholds.median);
  put_number (json, "most", "%.3f", thresholds.most);
  json_builder_end_object (json);
}

static void
tell_thresholds (const gchar *what, Thresholds thresholds)
{
  if (isfinite (thresholds.median))
    progress_say ("thresholds of %s: %.2f (%.2f to %.2f)", what, thresholds.median, thresholds.least, thresholds.most);
}

/* null: the frames do not show it, or it was given. */
static gdouble
gain_shown (const Tables *tables, const Options *options)
{
  const gdouble gain = tables_gain (tables);

  return gain > 0.0 && options->settings.gain < 0.0 ? gain : NAN;
}

static void
tell_gain (const Tables *tables, const Options *options)
{
  const gdouble gain = gain_shown (tables, options);
  gchar         digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (isfinite (gain))
    progress_say ("a count stands for %s electrons, as the frames show it (--gain)", g_ascii_formatd (digits, sizeof digits, "%.2f", gain));
  else if (options->settings.gain < 0.0)
    progress_say ("the frames do not show how many electrons a count stands for (--gain): the noise of the stars' own light is not known");
}

/* Those that a catalogue shows, of each chain. */
static void
put_zeros (JsonBuilder *json, const GArray *zeros)
{
  if (! zeros)
    return;
  put_array (json, "zero_points");
  for (guint i = 0; i < zeros->len; i++)
    {
      const ZeroPoint *found = &g_array_index (zeros, ZeroPoint, i);

      put_object (json, NULL);
      put_int (json, "chain", found->chain);
      put_int (json, "stars", found->stars);
      put_int (json, "frames", found->frames);
      put_number (json, "zero_point", "%.4f", found->zero);
      put_number (json, "error", "%.4f", found->error);
      json_builder_end_object (json);
    }
  json_builder_end_array (json);
}

static void
tell_json (const Tables *tables, const Run *run, const Options *options, guint64 rate)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();

  put_object (json, NULL);
  put_int (json, "frames", run->frames);
  put_int (json, "used", run->used);
  put_left_out (json, tables, run->list);
  put_transparency (json, tables);
  put_angles (json, tables);
  put_int (json, "detections", tables->detections->len);
  put_int (json, "tracks", tables->n_tracks);
  put_int (json, "streaks", tables->streaks->len);
  put_thresholds (json, "thresholds", tables_thresholds (tables, FALSE));
  put_thresholds (json, "track_thresholds", tables_thresholds (tables, TRUE));
  put_number (json, "gain_shown", "%.4g", gain_shown (tables, options));
  put_zeros (json, run->zeros);
  put_int (json, "pictures", run->pictures);
  put_int (json, "blocks_made", run->made);
  put_number (json, "seconds", "%.3f", (g_get_monotonic_time () - run->began) / 1e6);
  put_int (json, "trajectories", tracks_tried ());
  put_int (json, "trajectories_per_second", rate);
  json_print_line (json);
}

static void
tell_sums (const Tables *tables, const Run *run, const Options *options)
{
  const gdouble adding = block_track_seconds ();
  const guint64 rate = adding > 0.0 ? (guint64) (tracks_tried () / adding) : 0;

  if (options->is_json)
    tell_json (tables, run, options, rate);
  else
    progress_say ("%d of %d frames, %u detections, %d tracks, %u streaks; %s has the tables", run->used, run->frames, tables->detections->len,
                  tables->n_tracks, tables->streaks->len, options->output);
  if (! options->is_json)
    {
      tell_thresholds ("detections", tables_thresholds (tables, FALSE));
      tell_thresholds ("tracks", tables_thresholds (tables, TRUE));
      tell_gain (tables, options);
    }
  if (! options->is_json && options->settings.stack > 0 && rate > 0)
    progress_say ("%" G_GUINT64_FORMAT " trajectories, %" G_GUINT64_FORMAT " in a second", tracks_tried (), rate);
}

/* `sequence` is NULL where parts are merged: then there are no frames for pictures. */
static gint
finish (Sequence *sequence, gint frames, gint block, const ReportSettings *given, const Options *options, Run *run)
{
  ReportSettings settings = *given, *report = &settings;
  Tables         tables;
  gint           status = 2;

  tables_init (&tables);
  progress_step (0.0, "tables");
  if (read_blocks (options->output, frames, block, run->cadence, &tables, &run->error))
    {
      tables.cadence = run->cadence;
      tables_link (&tables);
      tables_place (&tables);
      tables_judge (&tables);
      if (options->stars)
        run->zeros = zero_find (sequence, &tables, options->stars, report);
      if (tables_write (&tables, options->output, report, &run->error) && plots_write (&tables, options->output, &run->error))
        run->pictures = sequence ? pictures_write (sequence, &tables, options->pictures, &run->error) : 0;
      if (! run->error && panels_write (&tables, options->output, &run->error))
        page_write (&tables, options->output, run->list, report, &run->error);
      progress_end ();
      if (! run->error)
        {
          count_frames (&tables, run);
          level_tell (&tables);
          report_tell (&tables, report);
          tell_sums (&tables, run, options);
          status = 2 * run->used < run->frames;
        }
    }
  tables_clear (&tables);
  g_clear_pointer (&run->zeros, g_array_unref);
  return status;
}

/* ------------------------------------------------------------------- main -- */

static gint
run_sequence (const Options *options, Run *run)
{
  Sequence sequence = { .settings = options->settings, .what = options->what[0], .folder = options->output, .is_live = options->is_live };
  gint     status = 2;
  gboolean is_open;

  memcpy (sequence.master_paths, options->masters, sizeof sequence.master_paths);
  is_open = sequence_open (&sequence, &run->error);
  if (is_open
      && folder_open (&sequence, &run->error) && make_blocks (&sequence, options, run))
    {
      status = 0;
      run->list = &sequence.list;
      run->cadence = sequence.cadence;
      if (options->parts == 1)
        status = finish (&sequence, sequence.list.n, sequence.settings.block, &options->report, options, run);
      else
        progress_say ("part %d of %d is done; when all are: tessera-sequence merge %s -o FOLDER", options->part, options->parts, options->output);
    }
  if (run->error)
    run->frames = sequence.list.n;
  run->has_none = sequence.width == 0;
  run->has_no_masters = ! is_open && ! run->has_none;
  sequence_clear (&sequence);
  return status;
}

/* Where none of the frames that are there can be read, others may follow.  A master that could be used before may be there again with the next frames: it may
 * be written anew. */
static gboolean
may_follow (Run *run, gboolean has_worked)
{
  if (! run->error || ! (run->has_none || (run->has_no_masters && has_worked)))
    return ! run->error;
  progress_say ("%s", run->error->message);
  g_clear_error (&run->error);
  return TRUE;
}

/* Frames that arrive are found in turns, each as a run that goes on. */
static gint
run_live (const Options *options, Run *run)
{
  gint     status = 2;
  gboolean has_worked = FALSE;

  if (! live_can_follow (options->what[0], &run->error))
    return status;
  for (gint frames = 0; may_follow (run, has_worked); frames = run->frames)
    {
      has_worked |= status != 2;
      live_wait (options->what[0], frames);
      *run = (Run) { .began = g_get_monotonic_time () };
      status = run_sequence (options, run);
      fflush (stdout);          /* who reads it waits */
    }
  return status;
}

static gint
merge (const Options *options, Run *run)
{
  g_autofree gchar *path = g_build_filename (options->output, "settings.txt", NULL), *settings = NULL;
  ReportSettings report = options->report;
  gint   status = 2, frames, block;

  if (folder_merge (options->output, options->what + 1, &run->error) && g_file_get_contents (path, &settings, NULL, &run->error))
    {
      frames = folder_number (settings, "frames");
      block = folder_number (settings, "block");
      run->cadence = folder_value (settings, "cadence");
      report.fwhm = folder_value (settings, "fwhm");
      report.stack = folder_number (settings, "stack");
      progress_begin (1.0);
      status = finish (NULL, frames, block, &report, options, run);
    }
  return status;
}

gint
main (gint argc G_GNUC_UNUSED, gchar **argv)
{
  Options options;
  Run     run = { .began = g_get_monotonic_time () };
  g_auto (GStrv) arguments = tessera_command_begins (argv);
  gint    status;

  tessera_keep_freed ();                /* it would give each frame back to the system, and take time for new pages of the next */
  progress_name ("tessera-sequence");
  if (! options_parse (&options, arguments))
    return 2;
  saves_start_gegl ();
  status = g_str_equal (options.what[0], "merge") && options.what[1] ? merge (&options, &run)
           : options.is_live ? run_live (&options, &run) : run_sequence (&options, &run);
  progress_end ();
  if (run.error)
    progress_say ("%s", run.error->message);
  g_clear_error (&run.error);
  options_clear (&options);
  gegl_exit ();
  return status;
}
