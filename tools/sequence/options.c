/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "options.h"

#include <math.h>
#include <string.h>

#include "../progress.h"
#include "../version.h"

#define NOT_GIVEN (-G_MAXDOUBLE)
#define CLEAR_AT   1.5           /* widths of a star, which an object has to have moved to be none of its own background */
#define MOST_APART 1000          /* frames */
#define LIVE_NIGHT 1000          /* frames */
#define MOST_STACK 256          /* frames */
#define BY_SLOWEST G_MININT
#define EITHER    2              /* behind the methods that there are */

static gchar   *output, *zero_words, *masters[MASTERS], *part, *quality, *writes, *observatory, *catalogue, *band, *submitter, *observers, *measurers, *telescope, *shift_name, *method_name, *colours_name, *sides_name, **what;
static gint     history = 20, degree = 1, block = 100, every = 4, stack = BY_SLOWEST, night = 0, max_shift = 64, pictures = 20;
static gdouble  our_gamma = 1e-3, gain = NOT_GIVEN, fwhm = 2.2, threshold = NOT_GIVEN, track_threshold = NOT_GIVEN, fastest = 0.0, slowest = 1.0, saturation = NOT_GIVEN, zero_point = NAN;
static gdouble  false_detections = 10.0, false_tracks = 1.0;
static gboolean keeps_objects, keeps_hot, is_json, is_live, article_ridge, stays;

static const GOptionEntry entries[] = {
  { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, "The folder of results; a run that was ended goes on in it", "FOLDER" },
  { "dark", 0, 0, G_OPTION_ARG_FILENAME, &masters[MASTER_DARK], "A dark frame, which is subtracted first, or a folder of them", "FILE" },
  { "bias", 0, 0, G_OPTION_ARG_FILENAME, &masters[MASTER_BIAS], "A frame of no exposure, or a folder; with it darks are scaled to the exposure of frames", "FILE" },
  { "flat", 0, 0, G_OPTION_ARG_FILENAME, &masters[MASTER_FLAT], "A frame of even light, by which frames are divided, or a folder", "FILE" },
  { "bad-pixels", 0, 0, G_OPTION_ARG_FILENAME, &masters[MASTER_BAD], "A picture that is not 0 where a pixel is bad, or a folder", "FILE" },
  { "history", 0, 0, G_OPTION_ARG_INT, &history, "Frames that predict the background of one, 2 to 64 (20)", "N" },
  { "sides", 0, 0, G_OPTION_ARG_STRING, &sides_name, "Where these lie in time: both before it and after it, or in the past (both)", "SIDES" },
  { "slowest", 0, 0, G_OPTION_ARG_DOUBLE, &slowest, "Of objects, in pixels a frame: frames in which one has not left its place do not predict one another; 0: all do (1)", "PX" },
  { "degree", 0, 0, G_OPTION_ARG_INT, &degree, "Of the polynomials of the shift, 0 to 3; above 0 it pays from 20 frames on (1)", "N" },
  { "gamma", 0, 0, G_OPTION_ARG_DOUBLE, &our_gamma, "How much large weights are damped (0.001)", "X" },
  { "method", 0, 0, G_OPTION_ARG_STRING, &method_name,
    "Weights from-shifts, from-frames, or either: from-frames where from-shifts leaves stars (either)", "METHOD" },
  { "article-ridge", 0, 0, G_OPTION_ARG_NONE, &article_ridge, "Damp the constant too, as the article does", NULL },
  { "no-align", 0, 0, G_OPTION_ARG_NONE, &stays, "Do not move frames of the history by whole pixels", NULL },
  { "shift", 0, 0, G_OPTION_ARG_STRING, &shift_name, "How shifts are found: single, iterated or pyramid (pyramid)", "METHOD" },
  { "max-shift", 0, 0, G_OPTION_ARG_INT, &max_shift, "Pixels that the sky moves in 16 frames at most (64)", "PX" },
  { "saturation", 0, 0, G_OPTION_ARG_DOUBLE, &saturation, "Counts from which on a pixel is full (what the files can hold)", "COUNTS" },
  { "bayer", 0, 0, G_OPTION_ARG_STRING, &colours_name, "What 2 x 2 pixels of a Bayer mosaic become: mean, green, luminance; or none (mean)", "KIND" },
  { "quality", 0, 0, G_OPTION_ARG_STRING, &quality, "Leave out frames that are worse: stars>=20,seeing<=4,sky<=900,transparency>=0.5, any of these", "LIMITS" },
  { "keep-hot", 0, 0, G_OPTION_ARG_NONE, &keeps_hot, "Do not look for hot pixels", NULL },
  { "gain", 0, 0, G_OPTION_ARG_DOUBLE, &gain, "Electrons for a count; 0: the photon noise of stars is not known (as the frames show it)", "X" },
  { "fwhm", 0, 0, G_OPTION_ARG_DOUBLE, &fwhm, "Of a star, in pixels (2.2)", "PX" },
  { "false-detections", 0, 0, G_OPTION_ARG_DOUBLE, &false_detections, "Detections in one frame that noise may make in all frames together (10)", "N" },
  { "false-tracks", 0, 0, G_OPTION_ARG_DOUBLE, &false_tracks, "Tracks that noise may make in all frames together (1)", "N" },
  { "night", 0, 0, G_OPTION_ARG_INT, &night, "Frames that these two are counted in; 0: all that there are (0; with --live 1000)", "N" },
  { "live", 0, 0, G_OPTION_ARG_NONE, &is_live, "Go on with frames that arrive, until it is ended", NULL },
  { "threshold", 0, 0, G_OPTION_ARG_DOUBLE, &threshold, "Of detections in one frame, in standard deviations (by --false-detections)", "X" },
  { "track-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &track_threshold, "Of tracks, in standard deviations (by --false-tracks)", "X" },
  { "keep-objects", 0, 0, G_OPTION_ARG_NONE, &keeps_objects, "Leave objects in the history, with the dark trails that follow", NULL },
  { "every", 0, 0, G_OPTION_ARG_INT, &every, "Frames between searches for tracks over 8 frames, of at most 4.25 px a frame; 0: none (4)", "N" },
  { "stack", 0, 0, G_OPTION_ARG_INT, &stack, "Frames that are added along each velocity of a fine grid; 0: none (0, or as many as what is as slow as --slowest takes)", "N" },
  { "fastest", 0, 0, G_OPTION_ARG_DOUBLE, &fastest, "Of that grid, in pixels a frame; 0: as fast as an object may be without a trail (0)", "PX" },
  { "write", 0, 0, G_OPTION_ARG_STRING, &writes, "Frames to write, as FITS: whitened, background, significance, calibrated, with commas between them", "KINDS" },
  { "pictures", 0, 0, G_OPTION_ARG_INT, &pictures, "Tracks that have a picture made of them, at most (20)", "N" },
  { "observatory", 0, 0, G_OPTION_ARG_STRING, &observatory, "Code for the reports to the Minor Planet Center (XXX)", "CODE" },
  { "zero-point", 0, 0, G_OPTION_ARG_FILENAME, &zero_words, "Magnitude of what gives one count in a frame, which of a mosaic has means (MAGZERO or PHOTZP of the files); or a file of stars: ra, dec, mag", "MAG|FILE" },
  { "band", 0, 0, G_OPTION_ARG_STRING, &band, "Of these magnitudes: V, R, G ... (FILTER of the files, where it is so short)", "BAND" },
  { "catalogue", 0, 0, G_OPTION_ARG_STRING, &catalogue, "That frames were solved with: Gaia3 ... (UNK)", "NAME" },
  { "submitter", 0, 0, G_OPTION_ARG_FILENAME, &submitter, "Who sends the report in ADES: \"J. Doe\"", "NAME" },
  { "observers", 0, 0, G_OPTION_ARG_FILENAME, &observers, "Who observed, with commas between names", "NAMES" },
  { "measurers", 0, 0, G_OPTION_ARG_FILENAME, &measurers, "Who measured, with commas between names", "NAMES" },
  { "telescope", 0, 0, G_OPTION_ARG_FILENAME, &telescope, "Design, aperture in metres and detector: reflector,0.3,CMOS", "WORDS" },
  { "block", 0, 0, G_OPTION_ARG_INT, &block, "Frames that are computed together, and lost if the run is ended (100)", "N" },
  { "part", 0, 0, G_OPTION_ARG_STRING, &part, "Compute one part of the sequence: 1/4 is the first quarter", "I/N" },
  { "json", 0, 0, G_OPTION_ARG_NONE, &is_json, "Tell the result as JSON on the standard output", NULL },
  VERSION_OPTION,
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &what, NULL, "FRAMES" },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

/* The number of the word in the list, or -1. */
static gint
choose (const gchar *word, const gchar *const *words)
{
  for (gint i = 0; words[i]; i++)
    if (g_str_equal (word, words[i]))
      return i;
  return -1;
}

static const gchar *
set_names (Options *options)
{
  static const gchar *const shifts[] = { "single", "iterated", "pyramid", NULL };
  static const gchar *const methods[] = { "from-shifts", "from-frames", "either", NULL };
  static const gchar *const colours[] = { "none", "mean", "green", "luminance", NULL };         /* as in ColoursMode */
  static const gchar *const sides[] = { "past", "both", NULL };
  const gint                side = choose (sides_name ? sides_name : "both", sides);
  const gint                kind_of_colours = choose (colours_name ? colours_name : "mean", colours);
  static const gchar *const kinds[] = { "whitened", "background", "significance", "calibrated", NULL };
  const gint                shift = choose (shift_name ? shift_name : "pyramid", shifts);
  const gint                method = choose (method_name ? method_name : "either", methods);
  g_auto (GStrv)            words = g_strsplit (writes ? writes : "", ",", -1);
  gboolean                  is_known = TRUE;

  for (gchar **word = words; *word; word++)
    {
      const gint kind = choose (*word, kinds);

      is_known = is_known && kind >= 0;
      if (kind >= 0)
        options->settings.writes[kind] = TRUE;
    }
  options->settings.shift = (ShiftSettings) { (ShiftMethod) MAX (shift, 0), max_shift, INFINITY, FALSE };
  options->settings.is_past = side == 0;
  options->settings.chooses = method == EITHER;
  options->settings.weights = (WeightsSettings) { .method = method == EITHER ? WEIGHTS_FROM_SHIFTS : (WeightsMethod) MAX (method, 0),
                                                  .degree = degree, .gamma = our_gamma,
                                                  .article_ridge = article_ridge, .align = ! stays };
  options->settings.colours = (ColoursMode) MAX (kind_of_colours, 0);
  return kind_of_colours < 0 ? "--bayer is mean, green, luminance or none"
         : shift < 0 ? "--shift is single, iterated or pyramid"
         : side < 0 ? "--sides is both or past"
         : method < 0 ? "--method is from-shifts, from-frames or either"
         : ! is_known ? "--write is some of whitened,background,significance,calibrated" : NULL;
}

/* There is a move for each velocity and frame (tracks.c). */
static gboolean
too_many_moves (const SequenceSettings *settings)
{
  const gdouble velocities = 2.0 * (settings->fastest > 0.0 ? settings->fastest : fwhm) * (settings->stack - 1) / fwhm + 1.0;

  return settings->stack > 1 && velocities * velocities * settings->stack > SEQUENCE_MOST_MOVES;
}

/* What does not leave its place in a short search is looked for in a long one, of frames in which it moves by two widths of a star. */
static void
set_search (SequenceSettings *settings)
{
  const gdouble leaves = fwhm / (SEQUENCE_SHORT - 1);

  settings->stack = stack;
  settings->fastest = fastest;
  if (stack != BY_SLOWEST)
    return;
  settings->stack = slowest > 0.0 && slowest < leaves ? (gint) MIN (ceil (2.0 * fwhm / slowest) + 1.0, MOST_STACK) : 0;
  if (settings->stack > 0 && fastest == 0.0)
    settings->fastest = 2.0 * leaves;
}

static gboolean
set_part (Options *options)
{
  gchar       *slash, *end = NULL;
  const gint64 i = g_ascii_strtoll (part, &slash, 10), n = *slash == '/' ? g_ascii_strtoll (slash + 1, &end, 10) : 0;

  options->part = (gint) CLAMP (i, 0, G_MAXINT);
  options->parts = (gint) CLAMP (n, 0, G_MAXINT);
  return end && ! *end && i >= 1 && i <= n && n < G_MAXINT;
}

static gboolean
is_threshold (gdouble number)
{
  return number == NOT_GIVEN || (number > 0.0 && number <= 1e6);
}

static const gchar *
set_numbers (Options *options)
{
  SequenceSettings *settings = &options->settings;

  settings->history = history;
  settings->block = block;
  settings->every = every;
  settings->night = is_live && night == 0 ? LIVE_NIGHT : night;
  set_search (settings);
  settings->saturation = saturation == NOT_GIVEN ? -1.0 : saturation;   /* folders of earlier runs have -1 too */
  settings->gain = gain == NOT_GIVEN ? -1.0 : gain;
  settings->fwhm = fwhm;
  settings->apart = slowest > 0.0 ? (gint) CLAMP (ceil (CLEAR_AT * fwhm / slowest) - 1.0, 0.0, MOST_APART + 1.0) : 0;
  settings->threshold = threshold == NOT_GIVEN ? 0.0 : threshold;
  settings->track_threshold = track_threshold == NOT_GIVEN ? 0.0 : track_threshold;
  settings->false_detections = false_detections;
  settings->false_tracks = false_tracks;
  settings->removes = ! keeps_objects;
  settings->rejects_hot = ! keeps_hot;
  options->part = options->parts = 1;
  if (part && ! set_part (options))
    return "--part is I/N, with I from 1 to N";
  if (! quality_parse (quality, &settings->quality))
    return "--quality is some of stars>=N,seeing<=PX,sky<=COUNTS,transparency>=PART";
  return history < 2 || history > WEIGHTS_MAX_FRAMES ? "--history is 2 to 64: of two frames alone nobody knows which one has an object"
         : degree < 0 || degree > WEIGHTS_MAX_DEGREE ? "--degree is 0 to 3"
         : ! (our_gamma >= 0.0 && our_gamma <= 1e6) ? "--gamma is 0 to 1000000"
         : max_shift < 1 || max_shift > 4096 ? "--max-shift is 1 to 4096"
         : gain != NOT_GIVEN && ! (gain >= 0.0 && gain <= 1e6) ? "--gain is 0 to 1000000"
         : saturation != NOT_GIVEN && ! (saturation > 0.0) ? "--saturation is above 0"
         : ! (fwhm >= 0.5 && fwhm <= 50.0) ? "--fwhm is 0.5 to 50"
         : ! is_threshold (threshold) || ! is_threshold (track_threshold) ? "thresholds are above 0 and at most 1000000"
         : ! (false_detections > 0.0 && false_detections <= 1e9) || ! (false_tracks > 0.0 && false_tracks <= 1e9)
             ? "--false-detections and --false-tracks are above 0 and at most 1000000000"
         : ! (fastest >= 0.0 && fastest <= 100.0) ? "--fastest is 0 to 100"
         : ! (slowest >= 0.0 && settings->apart <= MOST_APART) ? "--slowest is 0, or so fast that a star's width takes at most 600 frames"
         : too_many_moves (settings) ? "--stack, --fastest and --fwhm make too many velocities; --fastest is to be less, or --fwhm more"
         : night < 0 ? "--night is 0 or more"
         : is_live && part ? "--live computes all parts"
         : every < 0 || every > 1000000 ? "--every is 0 to 1000000"
         : settings->stack < 0 || stack == 1 || stack > MOST_STACK ? "--stack is 0, or 2 to 256"
         : block < 1 || block > 1000000 ? "--block is 1 to 1000000"
         : pictures < 0 ? "--pictures is 0 or more" : NULL;
}

/* Reports have bars, columns and ends of lines. */
static gboolean
is_word (const gchar *word, gsize least, gsize most)
{
  return ! word || (strlen (word) >= least && strlen (word) <= most
                    && strspn (word, G_CSET_A_2_Z G_CSET_a_2_z G_CSET_DIGITS) == strlen (word));
}

/* Lines of a header: words with letters, points, hyphens and spaces. */
static gboolean
are_names (const gchar *names)
{
  g_auto (GStrv) each = g_strsplit (names ? names : "x", ",", -1);
  gboolean       is_good = each[0] != NULL;

  for (gchar **name = each; *name && is_good; name++)
    {
      const gsize n = strlen (g_strstrip (*name));

      is_good = n > 0 && n < 64 && g_utf8_validate (*name, -1, NULL) && strcspn (*name, "|#!\t\r\n") == n;
    }
  return is_good;
}

static gboolean
is_telescope (const gchar *words)
{
  g_auto (GStrv) each = g_strsplit (words ? words : "x,1,x", ",", -1);
  gchar         *end = NULL;

  return g_strv_length (each) == 3 && g_ascii_strtod (each[1], &end) > 0.0 && end > each[1] && ! *end && are_names (words);
}

/* A number, or a file of stars. */
static gboolean
set_zero (Options *options, GError **error)
{
  gchar *end = zero_words;

  if (! zero_words)
    return TRUE;
  zero_point = g_ascii_strtod (zero_words, &end);
  if (end > zero_words && ! *end && isfinite (zero_point))
    return TRUE;
  zero_point = NAN;
  if (part || (g_str_equal (what[0], "merge") && what[1]))
    g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_UNREADABLE, "a number is needed where there are parts: a file of stars needs all frames in one run");
  else
    options->stars = zero_catalogue (zero_words, error);
  if (! options->stars)
    g_prefix_error_literal (error, "--zero-point: ");
  return options->stars != NULL;
}

static const gchar *
set_report (Options *options)
{
  options->report = (ReportSettings) { observatory, catalogue, band, submitter, observers, measurers, telescope, zero_point, fwhm, NAN,
                                       options->settings.stack };
  return ! is_word (observatory, 3, 3) ? "--observatory is a code of 3 letters and digits"
         : ! is_word (catalogue, 1, 8) ? "--catalogue is a name of at most 8 letters and digits"
         : ! is_word (band, 1, FRAMES_BAND - 1) ? "--band is a name of at most 3 letters and digits"
         : ! are_names (submitter) || ! are_names (observers) || ! are_names (measurers) ? "--submitter, --observers and --measurers are names, with commas between them"
         : ! is_telescope (telescope) ? "--telescope is DESIGN,APERTURE,DETECTOR: reflector,0.3,CMOS"
         : isfinite (zero_point) && ! (fabs (zero_point) <= 100.0) ? "--zero-point is -100 to 100, or a file" : NULL;
}

gboolean
options_parse (Options *options, gchar **arguments)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("- what moves in a sequence of frames");
  g_autoptr (GError)         error = NULL;
  const gchar               *wrong = NULL;

  *options = (Options) { 0 };
  g_option_context_set_summary (context, "FRAMES is a folder, a pattern in quotes (\"img*.fits\", img%04d.png), a .txt file with a path a line, a SER film or a FITS "
                                         "cube.\nmerge FOLDER... puts parts together.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (! g_option_context_parse_strv (context, &arguments, &error))
    wrong = error->message;
  else if (! output || ! what || (what[1] && ! g_str_equal (what[0], "merge")))
    wrong = "which frames, and where to? tessera-sequence FRAMES -o FOLDER";
  else
    wrong = set_names (options);
  if (! wrong)
    wrong = set_numbers (options);
  if (! wrong && ! set_zero (options, &error))
    wrong = error->message;
  if (! wrong)
    wrong = set_report (options);
  if (wrong)
    progress_say ("%s", wrong);
  options->what = what;
  options->output = output;
  memcpy (options->masters, masters, sizeof masters);
  options->pictures = pictures;
  options->is_json = is_json;
  options->is_live = is_live;
  return ! wrong;
}

void
options_clear (Options *options)
{
  g_strfreev (options->what);
  g_free (output);
  for (gint kind = 0; kind < MASTERS; kind++)
    g_free (masters[kind]);
  g_free (zero_words);
  g_clear_pointer (&options->stars, g_array_unref);
  g_free (part);
  g_free (quality);
  g_free (writes);
  g_free (observatory);
  g_free (catalogue);
  g_free (band);
  g_free (submitter);
  g_free (observers);
  g_free (measurers);
  g_free (telescope);
  g_free (shift_name);
  g_free (method_name);
  g_free (colours_name);
  g_free (sides_name);
}
