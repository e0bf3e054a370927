/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is reported of a track, how sure it is, and what is missing.
 *
 * An uncertainty in pixels, on each axis: the noise's fwhm / 2.3548 / significance of a place in the middle of the
 * frames, twice that at their end (where it is told); a uniform error of half a step of the velocity on either side,
 * for half of the frames; the error of the frame's shift.  A magnitude's is 2.5 / ln 10 / significance, and
 * the error of a zero point that a catalogue shows. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "../progress.h"

#define SIGMA      2.3548       /* fwhm of one */
#define UNIFORM    3.4641       /* a width of one has so many standard deviations: sqrt 12 */
#define MAGNITUDES 1.0857       /* 2.5 / ln 10 */

/* ------------------------------------------------------------- observations -- */

static gdouble
pixels_unsure (const Tables *tables, const ObjectRow *row, const FrameRow *frame, const ReportSettings *settings)
{
  const gdouble half = (row->frames - 1) / 2.0;
  const gdouble step = row->frames > SEQUENCE_SHORT ? settings->fwhm / (2.0 * half) : tracks_short_grid ().step;
  const gdouble noise = 2.0 * settings->fwhm / SIGMA / row->value, velocity = half * step / UNIFORM;
  const gdouble shift = isfinite (frame->error) ? frame->error : 0.0;
  const gdouble turn = isfinite (frame->angle_error) ? frame->angle_error * G_PI / 180.0 * hypot (row->x - tables->width / 2, row->y - tables->height / 2) : 0.0;

  return sqrt (noise * noise + velocity * velocity + shift * shift + turn * turn);
}

Observation
report_observation (const Tables *tables, const ObjectRow *row, const ReportSettings *settings)
{
  const FrameRow *frame = tables_frame (tables, row->index);
  const PixelSize size = tables_pixel_size (tables, row);
  const gdouble   unsure = frame ? pixels_unsure (tables, row, frame, settings) : NAN;
  const gdouble   zero = isfinite (settings->zero_point) || ! frame ? settings->zero_point : frame->facts.zero_point;
  Observation     seen = { .track = row->track, .ra = row->ra, .dec = row->dec,
                           .middle = frame ? frame->facts.middle : NAN,
                           .exposure = frame ? frame->facts.exposure * row->frames : NAN, .significance = row->value,
                           .rms_ra = size.ra * unsure, .rms_dec = size.dec * unsure,
                           .magnitude = row->flux > 0.0 ? zero - 2.5 * log10 (row->flux) : NAN,
                           .rms_magnitude = hypot (MAGNITUDES / row->value, isfinite (settings->zero_error) ? settings->zero_error : 0.0) };

  g_strlcpy (seen.band, settings->band ? settings->band : frame ? frame->facts.band : "", sizeof seen.band);
  seen.is_whole = isfinite (seen.ra) && isfinite (seen.dec) && isfinite (seen.middle)
                  && fabs (seen.middle) < REPORT_LATEST;
  return seen;
}

/* ------------------------------------------------------------------- words -- */

static void
add_clause (GString *text, gboolean is_so, const gchar *clause)
{
  if (is_so)
    g_string_append_printf (text, "%s%s", text->len ? "; " : "", clause);
}

/* Of frames with this fault. */
static gint
count_clocks (const Tables *tables, FrameClock clock)
{
  gint n = 0;

  for (guint i = 0; i < tables->frames->len; i++)
    n += g_array_index (tables->frames, FrameRow, i).facts.clock == clock;
  return n;
}

static gint
count_skies (const Tables *tables, SkyState sky)
{
  gint n = 0;

  for (guint i = 0; i < tables->frames->len; i++)
    n += g_array_index (tables->frames, FrameRow, i).sky == sky;
  return n;
}

static void
tell_clocks (const Tables *tables)
{
  static const struct
  {
    FrameClock   clock;
    const gchar *why;
  } faults[] = { { CLOCK_DAY, "DATE-OBS is a day without an hour, and no UT, UTC, UTSTART or TIME-OBS has it" },
                 { CLOCK_UNREADABLE, "DATE-OBS is no date" },
                 { CLOCK_SYSTEM, "TIMESYS is none of UTC, TT, TAI and GPS" } };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      const gint n = count_clocks (tables, faults[i].clock);

      if (n > 0)
        progress_say ("%d of %u frames have no time: %s", n, tables->frames->len, faults[i].why);
    }
}

/* What is left out of the report, and why. */
static void
tell_left_out (const Tables *tables, gint n, gboolean has_no_time, gboolean has_no_place)
{
  g_autoptr (GString) why = g_string_new (NULL);
  const gboolean      is_old = count_skies (tables, SKY_OLD) > 0, is_unknown = count_skies (tables, SKY_UNKNOWN) > 0;
  const gboolean      is_apart = count_skies (tables, SKY_SOLVED) > 0;

  add_clause (why, has_no_time, "their frames have no time");
  add_clause (why, has_no_place && is_apart, "no frame that is solved is of one chain of shifts with theirs");
  add_clause (why, has_no_place && ! is_apart,
              is_old       ? "places in the files are of FK4, by RADESYS or EQUINOX; solve one frame anew"
              : is_unknown ? "what the files say of the sky is not understood"
                           : "no file says where in the sky it lies; one that is solved is enough");
  progress_say ("%d of %u places of tracks are not in tracks.mpc and tracks.psv: %s", n, tables->tracks->len,
                why->str);
}

/* What the report has not, and what that costs. */
static void
tell_lacks (const ReportSettings *settings, gint n, gint n_magnitudes, gboolean has_zero, gboolean has_band,
            gboolean has_exposure)
{
  g_autoptr (GString) lacks = g_string_new (NULL);
  g_autofree gchar   *dark = g_strdup_printf ("%d of %d places have no magnitude, as no frame alone shows the object",
                                              n - n_magnitudes, n);

  add_clause (lacks, ! has_exposure, "no exposure (EXPTIME): times are those of the beginning");
  add_clause (lacks, ! has_zero, "no zero point (--zero-point, MAGZERO, PHOTZP): no magnitudes");
  add_clause (lacks, has_zero && n_magnitudes < n, dark);
  add_clause (lacks, has_zero && ! has_band, "no band (--band, FILTER): no magnitudes in tracks.psv");
  add_clause (lacks, ! settings->observatory,
              "no observatory (--observatory): XXX, which the Minor Planet Center does not take");
  add_clause (lacks, ! settings->submitter || ! settings->observers || ! settings->measurers || ! settings->telescope,
              "not all of --submitter, --observers, --measurers and --telescope: the Minor Planet Center asks for them in tracks.psv");
  add_clause (lacks, ! settings->catalogue, "no catalogue of stars (--catalogue): astCat is UNK");
  if (lacks->len)
    progress_say ("the report lacks: %s", lacks->str);
}

void
report_tell (const Tables *tables, const ReportSettings *settings)
{
  gboolean has_zero = isfinite (settings->zero_point), has_band = TRUE, has_exposure = TRUE;
  gboolean has_no_time = FALSE, has_no_place = FALSE;
  gint     n = 0, n_magnitudes = 0;

  tell_clocks (tables);
  for (guint i = 0; i < tables->tracks->len; i++)
    {
      const ObjectRow  *row = &g_array_index (tables->tracks, ObjectRow, i);
      const FrameRow   *frame = tables_frame (tables, row->index);
      const Observation seen = report_observation (tables, row, settings);

      n += seen.is_whole;
      n_magnitudes += seen.is_whole && isfinite (seen.magnitude);
      has_zero = has_zero || (frame && isfinite (frame->facts.zero_point));
      has_band = has_band && *seen.band;
      has_exposure = has_exposure && isfinite (seen.exposure);
      has_no_time = has_no_time || ! isfinite (seen.middle);
      has_no_place = has_no_place || ! isfinite (seen.ra);
    }
  if (n < (gint) tables->tracks->len)
    tell_left_out (tables, (gint) tables->tracks->len - n, has_no_time, has_no_place);
  if (n > 0)
    tell_lacks (settings, n, n_magnitudes, has_zero, has_band, has_exposure);
}
