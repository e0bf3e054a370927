/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-stars FOLDER: a sequence of star fields and the truth about it, to try tessera-sequence on. */
#include "stars.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../version.h"

#define MOST_PIXELS (1 << 28)

typedef struct
{
  const gchar *preset, *size, *format, *objects, *bad, *turn_about;
  gint         frames, seed, first, flip;
  gdouble      rays, seeing, transparency, satellites, turn, fwhm;
  gboolean     is_hard;
} Options;

static gint
complain (const gchar *format, const gchar *what)
{
  g_printerr ("tessera-stars: ");
  g_printerr (format, what);
  g_printerr ("\n");
  return 2;
}

/* "SNR,VX,VY" with semicolons between; nothing: no objects. */
static gboolean
read_objects (const gchar *text, StarsSettings *settings)
{
  g_auto (GStrv) each = g_strsplit (text, ";", -1);
  gboolean good = TRUE;

  settings->n_objects = 0;
  for (gint i = 0; good && each[i] && *text; i++)
    {
      StarsMotion *motion = settings->objects + settings->n_objects++;
      gdouble     *values[] = { &motion->snr, &motion->vx, &motion->vy };
      g_auto (GStrv) numbers = g_strsplit (each[i], ",", -1);

      good = g_strv_length (numbers) == 3 && settings->n_objects < STARS_MOST_OBJECTS;
      for (gint k = 0; good && k < 3; k++)
        {
          gchar *end;

          *values[k] = g_ascii_strtod (numbers[k], &end);
          good = end != numbers[k] && ! *end && *values[k] > -1e6 && *values[k] < 1e6;
        }
    }
  return good;
}

/* "KIND,FRAME" with semicolons between. */
static gboolean
read_bad (const gchar *text, StarsSettings *settings)
{
  g_auto (GStrv) each = g_strsplit (text, ";", -1);
  gboolean good = TRUE;

  for (gint i = 0; good && each[i]; i++)
    {
      g_auto (GStrv) words = g_strsplit (each[i], ",", -1);
      StarsBad *bad = settings->bad + settings->n_bad++;
      guint64   frame = 0;

      good = g_strv_length (words) == 2 && settings->n_bad < STARS_MOST_BAD && g_ascii_string_to_unsigned (words[1], 10, 0, G_MAXINT, &frame, NULL);
      bad->frame = (gint) frame;
      for (bad->kind = 0; good && bad->kind < STARS_BAD_KINDS && ! g_str_equal (words[0], stars_bad_names[bad->kind]); bad->kind++);
      good = good && bad->kind < STARS_BAD_KINDS;
    }
  return good;
}

/* "X,Y" */
static gboolean
read_about (const gchar *text, StarsSettings *settings)
{
  gchar *end;

  settings->turn_x = g_ascii_strtod (text, &end);
  if (*end != ',')
    return FALSE;
  settings->turn_y = g_ascii_strtod (end + 1, &end);
  return ! *end && fabs (settings->turn_x) < 1e6 && fabs (settings->turn_y) < 1e6;
}

/* Of the sky. */
static gint
night_of (const Options *options, StarsSettings *settings)
{
  settings->cosmic_rays = options->rays;
  settings->seeing = options->seeing;
  settings->transparency = options->transparency;
  settings->satellites = options->satellites;
  settings->turn = options->turn * G_PI / 180;
  if (options->turn_about && ! read_about (options->turn_about, settings))
    return complain ("\"%s\" is no place: X,Y", options->turn_about);
  settings->flip = options->flip;
  if (options->fwhm != 0)
    settings->fwhm = options->fwhm;
  if (! (options->rays >= 0 && options->rays <= 1e5 && options->seeing >= 0 && options->seeing <= 1))
    return complain ("%s", "--cosmic-rays is a number between 0 and 100000, --seeing one between 0 and 1");
  if (! (options->transparency >= 0 && options->transparency <= 1 && options->satellites >= 0 && options->satellites <= 100))
    return complain ("%s", "--transparency is a number between 0 and 1, --satellites one between 0 and 100");
  if (! (fabs (options->turn) <= 1 && settings->fwhm >= 0.5 && settings->fwhm <= 50))
    return complain ("%s", "--turn is a number between -1 and 1, --fwhm one between 0.5 and 50");
  if (options->bad && ! read_bad (options->bad, settings))
    return complain ("\"%s\" are no frames: cloud,16;shut,17;black,18;full,19 ...", options->bad);
  return 0;
}

static gint
settings_of (const Options *options, StarsSettings *settings)
{
  const gchar *x = options->size ? strchr (options->size, 'x') : NULL;

  if (strlen (options->preset) != 1 || ! stars_preset (settings, options->preset[0], options->seed))
    return complain ("there is no preset \"%s\": A, B, C or D", options->preset);
  settings->frames = options->frames;
  if (options->is_hard)
    settings->hot_most = 5000;
  if (options->size)
    {
      settings->width = atoi (options->size);
      settings->height = x ? atoi (x + 1) : 0;
    }
  if (settings->width < 1 || settings->height < 1 || settings->width > MOST_PIXELS / settings->height)
    return complain ("\"%s\" is no size: WIDTHxHEIGHT", options->size);
  if (options->frames < 1 || options->frames > 100000 || options->first < 0)
    return complain ("%s", "--frames is a number between 1 and 100000, --first is not negative");
  if (options->objects && ! read_objects (options->objects, settings))
    return complain ("\"%s\" are no objects: SNR,VX,VY;SNR,VX,VY ...", options->objects);
  return night_of (options, settings);
}

static gboolean
write_all (const StarsField *field, const gchar *folder, const gchar *format, gint first, GError **error)
{
  const gboolean is_pgm = g_strcmp0 (format, "pgm") == 0;
  g_autofree gchar *dark = g_strdup_printf ("%s/dark.%s", folder, format);
  gboolean       good = stars_write_truth (field, folder, error) && stars_write_dark (field, dark, error);

  for (gint k = first; good && k < field->settings.frames; k++)
    {
      g_autofree gchar *path = g_strdup_printf ("%s/frames/frame-%05d.%s", folder, k, format);

      good = (is_pgm ? stars_write_pgm : stars_write_fits) (field, k, path, error);
    }
  return good;
}

static gint
make (const Options *options, const gchar *folder)
{
  StarsSettings settings;
  StarsField   *field;
  g_autofree gchar *frames = g_build_filename (folder, "frames", NULL);
  g_autoptr (GError) error = NULL;
  gint          code = settings_of (options, &settings);

  if (! code && g_strcmp0 (options->format, "fits") && g_strcmp0 (options->format, "pgm"))
    code = complain ("there is no format \"%s\": fits or pgm", options->format);
  if (! code && g_mkdir_with_parents (frames, 0777) != 0)
    code = complain ("a folder could not be made: %s", g_strerror (errno));
  if (! code)
    {
      field = stars_field_new (&settings);
      if (! field)
        code = complain ("%s", "an object found no place away from bright stars and edges; a larger --size or fewer --frames help");
      else if (! write_all (field, folder, options->format, options->first, &error))
        code = complain ("%s", error->message);
      stars_field_free (field);
    }
  return code;
}

gint
main (gint argc, gchar **argv)
{
  Options options = { .preset = "A", .format = "fits", .frames = 26, .seed = 1, .transparency = 1 };
  const GOptionEntry entries[] =
    {
      { "preset", 0, 0, G_OPTION_ARG_STRING, &options.preset, "A: jitter and fixed pattern; B: jitter; C: A and drift; D: A, wilder jitter", "A" },
      { "frames", 0, 0, G_OPTION_ARG_INT, &options.frames, "so many frames", "26" },
      { "first", 0, 0, G_OPTION_ARG_INT, &options.first, "leave out the frames before this one", "0" },
      { "seed", 0, 0, G_OPTION_ARG_INT, &options.seed, "another seed, another field", "1" },
      { "size", 0, 0, G_OPTION_ARG_STRING, &options.size, "pixels", "512x512" },
      { "format", 0, 0, G_OPTION_ARG_STRING, &options.format, "fits or pgm, both with 16 bits", "fits" },
      { "objects", 0, 0, G_OPTION_ARG_STRING, &options.objects, "moving objects: SNR and pixels a frame", "4,1.3,0.7;8,-0.8,1.1" },
      { "cosmic-rays", 0, 0, G_OPTION_ARG_DOUBLE, &options.rays, "so many a frame", "0" },
      { "seeing", 0, 0, G_OPTION_ARG_DOUBLE, &options.seeing, "the width of stars varies by this part", "0" },
      { "transparency", 0, 0, G_OPTION_ARG_DOUBLE, &options.transparency, "the air lets through between this part of the light and all of it", "1" },
      { "satellites", 0, 0, G_OPTION_ARG_DOUBLE, &options.satellites, "trails across a frame, so many a frame", "0" },
      { "turn", 0, 0, G_OPTION_ARG_DOUBLE, &options.turn, "the field turns by so many degrees a frame", "0" },
      { "turn-about", 0, 0, G_OPTION_ARG_STRING, &options.turn_about, "... about a place so many pixels from the middle", "0,0" },
      { "flip", 0, 0, G_OPTION_ARG_INT, &options.flip, "from this frame on the field is turned by half a circle, as behind the meridian", "N" },
      { "fwhm", 0, 0, G_OPTION_ARG_DOUBLE, &options.fwhm, "of a star, in pixels", "2.2" },
      { "bad", 0, 0, G_OPTION_ARG_STRING, &options.bad, "frames without stars: cloud, shut, black or full, and its number", "cloud,16;full,20" },
      { "hard-hot-pixels", 0, 0, G_OPTION_ARG_NONE, &options.is_hard, "hot pixels of up to 5000 counts in place of 500", NULL },
      VERSION_OPTION,
      { NULL, 0, 0, 0, NULL, NULL, NULL }
    };
  g_autoptr (GOptionContext) context = g_option_context_new ("FOLDER");
  g_autoptr (GError) error = NULL;
  gint            code;

  g_option_context_add_main_entries (context, entries, NULL);
  g_option_context_set_summary (context, "Star fields whose truth is known, to try tessera-sequence on: FOLDER/frames, a dark frame,\n"
                                         "shifts.csv, objects.csv, stars.csv and truth.json.  The same seed gives the same files everywhere.");
  if (! g_option_context_parse (context, &argc, &argv, &error))
    code = complain ("%s", error->message);
  else if (argc != 2)
    code = complain ("%s", "one FOLDER, please; --help has more");
  else
    code = make (&options, argv[1]);
  return code;
}
