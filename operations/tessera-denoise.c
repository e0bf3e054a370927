/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:denoise: takes away the noise that it measures in the picture itself.  R', G', B' are bent until their noise is
 * 1 in every tone, and turned to Y, U, V.  Of each, windows of 8 x 8 pixels are transformed; what the noise explains
 * goes, in two stages and on three scales.  U and V are then averaged over pixels whose Y is alike.
 *
 * G. Yu, G. Sapiro, DCT Image Denoising: a Simple and Effective Image Denoising Algorithm, IPOL 2011; N. Pierazzo,
 * J.-M. Morel, G. Facciolo, Multi-Scale DCT Denoising, IPOL 2017; A. Foi, M. Trimeche, V. Katkovnik, K. Egiazarian,
 * Practical Poissonian-Gaussian Noise Modeling and Fitting, IEEE Transactions on Image Processing 17, 2008; M. Lebrun,
 * M. Colom, J.-M. Morel, The Noise Clinic, IPOL 2015.
 *
 * Counts are integers, tables are made in double on the host and rounded once: C and OpenCL use the same floats.
 *
 * Deviations: pixels further than 2^48 times the noise from black count as holes.
 *
 * Pixels of alpha 0, and those with NaN or Inf, pass through, and nothing depends on them.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_double (lightness, _("Lightness"), 1.0)
    description (_("How much of the measured noise of the lightness is taken away: 1 is all of it, more is smoother, 0 leaves "
                   "the lightness as it is"))
    value_range (0.0, 3.0)
    ui_slider   (0.0, 3.0, 1.0, 0.05, 0.25, 2)

property_double (color, _("Color"), 1.0)
    description (_("How much of the measured noise of the colors is taken away: 1 is all of it, more is smoother, 0 leaves "
                   "the colors as they are"))
    value_range (0.0, 3.0)
    ui_slider   (0.0, 3.0, 1.0, 0.05, 0.25, 2)

property_double (detail, _("Detail"), 0.25)
    description (_("How much stays where there is texture: 0 is smoothest, 1 smooths flat areas only"))
    value_range (0.0, 1.0)
    ui_slider   (0.0, 1.0, 1.0, 0.05, 0.25, 2)

property_double (level, _("Noise level"), 0.0)
    description (_("The noise, where it is known: its standard deviation, equal in all tones, 1 from black to white; "
                   "0 measures it in the picture"))
    value_range (0.0, 0.25)
    ui_slider   (0.0, 0.25, 2.0, 0.002, 0.01, 4)

property_double (measured_level, _("Measured level (result)"), 0.0)
    description (_("The noise that was found at middle gray, once the image has been processed"))
    value_range (0.0, 1.0)
    ui_digits   (4)
    ui_meta     ("sensitive", "0")

property_int (measured_flat, _("Flat places (result)"), 0)
    description (_("How many flat places of 8 x 8 pixels the measurement rests on"))
    value_range (0, G_MAXINT)
    ui_meta     ("sensitive", "0")

#else

#define GEGL_OP_NAME     tessera_denoise
#define GEGL_OP_C_SOURCE tessera-denoise.c

#include "tessera-op.h"
#include "denoise.h"
#include "dialog.h"
#include "remembered.h"
#include "denoise.cl.h"

#include <math.h>
#include <string.h>

#define LEAST_SIDE 16           /* of a picture that is measured */

static const TesseraFilter denoise = {
  .name = "denoise", .source = tessera_denoise_cl, .area = denoise_area, .scratch_bytes = denoise_scratch_bytes, .device = denoise_device
};

static const TesseraFilter survey_tones = {
  .name = "denoise", .source = tessera_denoise_cl, .survey_area = denoise_tones_area, .survey = denoise_tones_survey,
  .merge = denoise_tones_merge
};

static const TesseraFilter survey_planes = {
  .name = "denoise", .source = tessera_denoise_cl, .scratch_bytes = denoise_planes_bytes, .survey_area = denoise_planes_area,
  .survey = denoise_planes_survey, .merge = denoise_planes_merge
};

/* ------------------------------------------------------------- the survey -- */

/* What was measured. */
typedef struct
{
  gdouble  sigma[3][DENOISE_KNOTS];
  gdouble  squares[3][64];
  gdouble  flat;                /* blocks */
  guint    clipped;             /* channels that stay */
  gboolean is_found;            /* else there is nothing to measure */
} Measured;

static void
set_white (Measured *measured, gdouble sigma)
{
  for (gint k = 0; k < 3 * DENOISE_KNOTS; k++)
    measured->sigma[k / DENOISE_KNOTS][k % DENOISE_KNOTS] = sigma;
  for (gint i = 0; i < 3 * 64; i++)
    measured->squares[i / 64][i % 64] = 1.0;
}

/* Parts of the operation's work. */
#define TONES_PART  0.12
#define SURVEY_PART 0.25

/* The pixels are on the device, where the first survey has left them. */
static gboolean
is_kept (const TesseraRequest *request)
{
  const DenoiseKept *kept = ((const Denoise *) request->params)->kept;

  return kept->is_whole && tessera_is_kept (kept->pixels);
}

static gboolean
survey (const TesseraRequest *whole, const TesseraFilter *filter, gdouble from, gdouble to, gpointer result, gsize bytes)
{
  TesseraRequest request = *whole;

  request.filter = filter;
  request.is_blind = is_kept (whole);
  request.halo = DENOISE_SURVEY_HALO;
  request.errand.progress_from = from;
  request.errand.progress_to = to;
  return tessera_survey (&request, result, bytes);
}

static gboolean
measure (const TesseraRequest *whole, Denoise *d, Measured *measured)
{
  g_autofree DenoiseTones  *tones = g_new0 (DenoiseTones, 1);
  g_autofree DenoisePlanes *planes = g_new0 (DenoisePlanes, 1);
  gint                      n_curves;

  if (! survey (whole, &survey_tones, 0.0, TONES_PART, tones, sizeof *tones))
    return FALSE;
  n_curves = denoise_curves (tones, measured->sigma);
  measured->clipped = denoise_clipped (tones);
  d->seen = denoise_seen (tones);
  denoise_make_tones (d, measured->sigma);
  if (! survey (whole, &survey_planes, TONES_PART, SURVEY_PART, planes, sizeof *planes))
    return FALSE;
  measured->flat = denoise_strengths (planes, measured->squares);
  measured->is_found = n_curves > 0 || measured->flat > 0.0;
  return TRUE;
}

/* No slider changes what is measured. */
static gboolean
measure_or_remember (TesseraRequest *request, Denoise *d, Measured *measured)
{
  TesseraRequest whole = *request;
  Remembered     asked;
  GBytes        *known;

  whole.roi = whole.bounds;
  known = remembered_find (&whole, NULL, 0, &asked);
  if (known)
    {
      memcpy (measured, g_bytes_get_data (known, NULL), sizeof *measured);
      g_bytes_unref (known);
      return TRUE;
    }
  if (! measure (&whole, d, measured))
    {
      remembered_give_up (&asked);
      return FALSE;
    }
  remembered_keep (&asked, measured, sizeof *measured);
  request->errand.progress_from = SURVEY_PART;
  request->errand.progress_to = 1.0;
  return TRUE;
}

/* ------------------------------------------------------------- operation -- */

static gboolean
neutral (const GeglProperties *o)
{
  return o->lightness == 0.0 && o->color == 0.0;
}

/* The noise is not told. */
static gboolean
measures (const GeglProperties *o)
{
  return o->level == 0.0;
}

/* Of an image without end the part around the roi is enough: its edges are far, and begin where windows of all levels do. */
static GeglRectangle
bounds_of (const TesseraRequest *request)
{
  const GeglRectangle *roi = &request->roi;
  const gint           left = (roi->x >> 5) * 32 - 128, top = (roi->y >> 5) * 32 - 128;

  return tessera_is_endless (&request->bounds) ? (GeglRectangle) { left, top, roi->x - left + roi->width + 128, roi->y - top + roi->height + 128 }
                                               : request->bounds;
}

/* The noise at middle grey, of the channels that have some; 0: nothing was measured.  Where no tone has enough blocks, sigma is the
 * least, and all that was found is in P. */
static gdouble
middle (const Measured *measured)
{
  gdouble sum = 0.0;
  gint    n = 0;

  for (gint c = 0; c < 3; c++)
    if (! (measured->clipped & 1u << c))
      {
        sum += measured->sigma[c][DENOISE_KNOTS / 2];
        n++;
      }
  return measured->is_found && n > 0 ? sum / n * sqrt (denoise_mean_strength (measured->squares, measured->flat) * 3.0 / n) : 0.0;
}

/* GEGL has no results of an operation but properties.  Without a notification, which would invalidate the node. */
static void
tell (GeglOperation *operation, gdouble level, gint flat)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);
  const gboolean  is_new = o->measured_level != level || o->measured_flat != flat;

  o->measured_level = level;
  o->measured_flat = flat;
  if (! is_new)
    return;
  dialog_show (operation, "measured-level");
  dialog_show (operation, "measured-flat");
}

/* What is told or measured, or the least. */
static gboolean
find_noise (TesseraRequest *request, const GeglProperties *o, Denoise *d, Measured *measured)
{
  if (measures (o) && ! tessera_is_endless (&request->bounds) && MIN (d->bounds.width, d->bounds.height) >= LEAST_SIDE
      && ! measure_or_remember (request, d, measured))
    return FALSE;
  if (! measured->is_found)
    set_white (measured, o->level > 0.0 ? o->level : DENOISE_LEAST);
  return TRUE;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const gdouble       sliders[2] = { o->lightness, o->color };
  g_autofree Denoise *d = g_new0 (Denoise, 1);
  Measured            measured = { .clipped = 0 };
  DenoiseKept         kept = { .pixels = tessera_kept_new () };
  gboolean            success;

  d->bounds = bounds_of (request);
  d->kept = &kept;
  request->params = d;
  success = find_noise (request, o, d, &measured);
  if (success)
    {
      denoise_make_tones (d, measured.sigma);
      denoise_make_noise (d, measured.squares, sliders, o->detail, measured.is_found);
      d->stays = measured.clipped;
      tell (request->errand.operation, middle (&measured), (gint) measured.flat);
      request->is_blind = is_kept (request);
      success = tessera_process (request);
    }
  tessera_kept_unref (kept.pixels);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:denoise", .title = _("Denoise"), .categories = "enhance:noise-reduction",
    .description = _("Takes away noise that it measures in the picture itself, by tone and grain, and keeps texture: "
                     "high ISO, grain, color noise, chroma noise, JPEG noise (noise reduction; DCT; Yu, Sapiro)"),
    .reference = "N. Pierazzo, J.-M. Morel, G. Facciolo, Multi-Scale DCT Denoising, IPOL 2017",
    .menu_path = "<Image>/Filters/Enhance", .menu_label = _("Denoise (Tessera)..."),
    .filter = &denoise, .working = "R'G'B'A float", .keeps_grey = TRUE, .may_be_whole = measures,
    .halo = { DENOISE_REACH, DENOISE_REACH, DENOISE_REACH, DENOISE_REACH }, .neutral = neutral, .run = run
  });
}

#endif
