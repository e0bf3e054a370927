/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:background-whiten: the input, a frame of a sequence, less the background that the frames before it predict; or that
 * background; or how significant what is left is.  What moves against the sky stands out.
 *
 * Conventions and formulas are in whiten.h, weights.h and shift.h; after the article on the spatio-temporal processing of images on the
 * GPU, 2014, whose deviations are named there.
 *
 * GEGL's operations remember nothing between requests, so the frames before are named.  Those that are known are kept, decoded (frames.h).
 *
 * The result is grey floats.  Background and whitened frame count as the input does: 1.0 is 65535 counts.  Significance is in standard
 * deviations.  Where nothing is known (a bad pixel; no history reaches there) the result is 0.
 *
 * If there is no history, or what was asked for makes no sense, the result is the input, in grey, and `reason` says why.  The results that are
 * numbers and text can be written, because GEGL has no read-only properties.  They are those of the last computation.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

/* As WeightsMethod. */
enum_start (tessera_background_whiten_method)
  enum_value (TESSERA_BACKGROUND_WHITEN_FROM_SHIFTS, "from-shifts", N_("From the shifts"))
  enum_value (TESSERA_BACKGROUND_WHITEN_FROM_FRAMES, "from-frames", N_("From the frames"))
enum_end (TesseraBackgroundWhitenMethod)

enum_start (tessera_background_whiten_output)
  enum_value (TESSERA_BACKGROUND_WHITEN_WHITENED,     "whitened",     N_("Frame less background"))
  enum_value (TESSERA_BACKGROUND_WHITEN_BACKGROUND,   "background",   N_("Background"))
  enum_value (TESSERA_BACKGROUND_WHITEN_SIGNIFICANCE, "significance", N_("Significance"))
enum_end (TesseraBackgroundWhitenOutput)

property_string (frames, _("Frames before"), "")
    description (_("A folder, a pattern (night/*.fits, frame%04d.png), a SER film or a FITS cube; the last frames in the order of their "
                   "names are the history"))

property_string (current, _("Name of this frame"), "")
    description (_("Where the folder has later frames too: the name of the one that is the input; those before it are the history"))

property_int (history, _("Length of the history"), 20)
    description (_("Number of frames that predict the background, 1 to 64: more leave less noise"))
    value_range (1, 64)
    ui_steps    (1, 5)

property_string (dark, _("Dark frame"), "")
    description (_("A picture of what the camera adds by itself; it is taken away from all frames, because it does not move with the "
                   "sky"))

property_boolean (align, _("Align"), TRUE)
    description (_("Move the frames by whole pixels to where the sky is now"))

property_enum (method, _("Weights"), TesseraBackgroundWhitenMethod, tessera_background_whiten_method,
               TESSERA_BACKGROUND_WHITEN_FROM_SHIFTS)
    description (_("How much each frame counts: by where the sky was, or by how much it resembles this frame"))

property_int (degree, _("Degree"), 1)
    description (_("How the background may change with parts of a pixel, 0 to 3: 0 is their mean; 1 pays from a history of 20 frames on, "
                   "with 10 it gains nothing"))
    value_range (0, 3)
    ui_steps    (1, 1)
    ui_meta     ("sensitive", "method {from-shifts}")

property_double (gamma, _("Damping"), 1e-3)
    description (_("More keeps the weights even where shifts differ little, less follows the degree exactly"))
    value_range (0.0, 1000.0)
    ui_slider   (0.0, 0.1, 3.0, 0.001, 0.01, 6)
    ui_meta     ("sensitive", "method {from-shifts}")

property_boolean (article_ridge, _("Damp the constant too"), FALSE)
    description (_("As the article does, for comparison: the weights then sum to less than 1 and leave a part of the sky"))
    ui_meta     ("sensitive", "method {from-shifts}")

property_enum (result, _("Result"), TesseraBackgroundWhitenOutput, tessera_background_whiten_output,
               TESSERA_BACKGROUND_WHITEN_WHITENED)
    description (_("The frame less its background, the background, or how many standard deviations each pixel is above it"))

/* Alias of `result` for scripts, as in tessera:label: GIMP hides a property that is named as a pad is. */
property_enum (output, _("Result"), TesseraBackgroundWhitenOutput, tessera_background_whiten_output,
               TESSERA_BACKGROUND_WHITEN_WHITENED)
    description (_("The frame less its background, the background, or how many standard deviations each pixel is above it"))
    ui_meta     ("visible", "0")

property_double (gain, _("Gain"), 0.0)
    description (_("Electrons a count, for the significance of bright stars: their light varies by itself; 0 leaves that out"))
    value_range (0.0, 1.0e6)
    ui_range    (0.0, 10.0)
    ui_steps    (0.1, 1.0)
    ui_digits   (3)
    ui_meta     ("sensitive", "result {significance}")

#include "counts-settings.h"

property_int (max_shift, _("Largest shift"), 64)
    description (_("How far the picture may have moved along each side, in pixels: less is surer and faster, 0 looks for parts of a pixel only"))
    value_range (0, 4096)
    ui_range    (0, 256)
    ui_steps    (1, 16)
    ui_meta     ("unit", "pixel-distance")

property_string (shifts, _("Shifts"), "")
    description (_("Where they are known: two numbers for each frame of the history, the oldest first, and two for this frame, in "
                   "pixels to the right and down; empty measures them"))

property_string (shifts_found, _("Shifts (result)"), "")
    description (_("The shifts that were used, in the same order"))
    ui_meta     ("visible", "0")

property_string (weights, _("Weights (result)"), "")
    description (_("How much each frame of the history counted, the oldest first"))
    ui_meta     ("visible", "0")

property_double (noise_gain, _("Noise gain (result)"), 1.0)
    description (_("How many times the noise of one frame is left"))
    value_range (0.0, 1000000.0)
    ui_meta     ("visible", "0")

property_int (degree_used, _("Degree (result)"), 0)
    description (_("The degree that was used; less than what was asked for where the frames are too few or their shifts too much alike; "
                   "-1 from the frames"))
    value_range (-1, 3)
    ui_meta     ("visible", "0")

property_string (notes, _("Notes (result)"), "")
    description (_("What was left out or done otherwise"))
    ui_meta     ("visible", "0")

property_string (reason, _("Reason (result)"), "")
    description (_("Why the result is the input"))
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_background_whiten
#define GEGL_OP_C_SOURCE tessera-background-whiten.c

#include "tessera-op.h"

#include <math.h>

#include "background-whiten.h"
#include "counts.h"
#include "estimate-shift.h"

#define COUNTS 65535.0f

/* ---------------------------------------------------------------- the numbers -- */

static void
append_number (GString *text, const gchar *format, gdouble number)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s%s", text->len > 0 ? " " : "", g_ascii_formatd (digits, sizeof digits, format, number));
}

/* 1/1024 has ten decimals. */
static gchar *
shifts_text (const History *history)
{
  GString *text = g_string_new (NULL);

  for (gint k = 0; k <= history->frames.n; k++)
    {
      append_number (text, "%.10g", history->frames.all[k].shift.x);
      append_number (text, "%.10g", history->frames.all[k].shift.y);
    }
  return g_string_free (text, FALSE);
}

static gchar *
weights_text (const Weights *weights)
{
  GString *text = g_string_new (NULL);

  for (gint k = 0; k < weights->n; k++)
    append_number (text, "%.9g", weights->a[k]);
  return g_string_free (text, FALSE);
}

static void
note_lowered (const GeglProperties *o, const Weights *weights, History *history)
{
  if (weights->lowered == WEIGHTS_FEW_FRAMES)
    history_note (history, "degree %d wants %d frames, so degree %d is used", o->degree, (o->degree + 1) * (o->degree + 2) / 2,
                  weights->degree);
  else if (weights->lowered == WEIGHTS_ILL_CONDITIONED)
    history_note (history, "the shifts are too much alike for degree %d, so degree %d is used", o->degree, weights->degree);
  else if (weights->lowered == WEIGHTS_NOTHING_COMMON)
    history_note (history, "the frames have nothing in common, so their mean is used");
}

static void
replace (gchar **to, gchar *text)
{
  g_free (*to);
  *to = text;
}

/* Without a notification: GEGL would compute everything again.  `weights` is NULL where there is a reason.  Two threads may compute one node. */
static void
set_results (GeglProperties *o, const History *history, const Weights *weights, const gchar *reason)
{
  static GMutex lock;

  g_mutex_lock (&lock);
  replace (&o->shifts_found, weights ? shifts_text (history) : g_strdup (""));
  replace (&o->weights, weights ? weights_text (weights) : g_strdup (""));
  replace (&o->notes, g_strdup (history->notes->str));
  replace (&o->reason, g_strdup (reason));
  o->noise_gain = weights ? weights->noise_gain : 1.0;
  o->degree_used = weights ? weights->degree : 0;
  g_mutex_unlock (&lock);
}

/* ------------------------------------------------------------- operation -- */

static gboolean
passes_through (GeglOperation *operation)
{
  const GeglRectangle bounds = tessera_bounds (operation, "input");

  return gegl_rectangle_is_empty (&bounds) || tessera_is_endless (&bounds);
}

static void
prepare (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");
  const Babl *format = source ? source : babl_format ("RGBA float");
  History     none = { .notes = NULL };

  if (passes_through (operation))
    {
      none.notes = g_string_new (NULL);
      set_results (GEGL_PROPERTIES (operation), &none, NULL, "the picture is empty, or has no end");
      g_string_free (none.notes, TRUE);
      tessera_set_pads (operation, format, format);
    }
  else
    tessera_set_pads (operation, format, counts_format (format));
}

static TesseraBackgroundWhitenOutput
wanted_result (const GeglProperties *o)
{
  return o->output != TESSERA_BACKGROUND_WHITEN_WHITENED ? o->output : o->result;
}

static gboolean
whiten (const TesseraRequest *request, const GeglProperties *o, History *history, Weights *weights)
{
  const WeightsSettings               settings = { (WeightsMethod) o->method, o->degree, o->gamma, o->article_ridge, o->align };
  const TesseraBackgroundWhitenOutput wanted = wanted_result (o);
  const WhitenFrames                 *frames = &history->frames;
  WhitenPlanes                        made;
  gboolean                            success;

  whiten_planes_init (&made, request->bounds.width, request->bounds.height);
  if (wanted == TESSERA_BACKGROUND_WHITEN_SIGNIFICANCE)
    {
      success = background_whiten_predict (request, frames, &settings, WHITEN_BOTH, 1.0f, &made, weights);
      whiten_judge (&made, o->gain);
      success = success && background_whiten_write (request, &made.significance, 1.0f);
    }
  else
    success = background_whiten_predict (request, frames, &settings, wanted == TESSERA_BACKGROUND_WHITEN_WHITENED
                                         ? WHITEN_WHITENED : WHITEN_BACKGROUND, 1.0f / COUNTS, &made, weights);
  note_lowered (o, weights, history);
  whiten_planes_clear (&made);
  return success;
}

/* FALSE: the result is the input. */
static gboolean
find_history (const TesseraRequest *request, GeglProperties *o, const CountPlane *current, History *history)
{
  const HistorySettings settings = { .frames = o->frames, .current = o->current, .dark = o->dark, .shifts = o->shifts,
                                     .history = o->history, .max_shift = o->max_shift, .saturation = o->saturation,
                                     .reject_hot = o->reject_hot, .operation = request->errand.operation };
  GError               *error = NULL;

  if (history_find (current, counts_saturation (gegl_buffer_get_format (request->input)), &settings, history, &error))
    return TRUE;
  tessera_say_once ("background-whiten: the result is the input: %s", error->message);
  set_results (o, history, NULL, error->message);
  g_error_free (error);
  return FALSE;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *properties G_GNUC_UNUSED)
{
  GeglProperties *o = GEGL_PROPERTIES (request->errand.operation);
  History         history;
  Weights         weights;
  CountPlane      current;
  gboolean        success;

  if (! request->output)
    return TRUE;
  request->output_format = gegl_operation_get_format (request->errand.operation, "output");
  count_plane_init (&current, request->bounds.width, request->bounds.height);
  counts_read (request->input, &request->bounds, &current);
  if (find_history (request, o, &current, &history))
    {
      if (history.frames.all[history.frames.n].kept)    /* its shift was looked for */
        {
          request->errand.progress_from = SHIFT_PROGRESS;
          request->errand.progress_to = 1.0;
        }
      success = ! history.is_refused && whiten (request, o, &history, &weights);
      if (! history.is_refused)
        set_results (o, &history, &weights, "");
    }
  else
    success = background_whiten_write (request, &current, 1.0f / COUNTS);
  history_clear (&history);
  count_plane_clear (&current);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:background-whiten", .title = _("Whiten the Background"), .categories = "video",
    .description = _("Takes away the sky that the frames before this one predict, stars and all, so that a faint object that moves "
                     "stands out (asteroids, satellites, meteors; background subtraction)"),
    .reference = "I. S. Reed, R. M. Gagliardi, H. M. Shao, Application of Three-Dimensional Filtering to Moving Target Detection, "
                 "IEEE Transactions on Aerospace and Electronic Systems 19, 1983",
    .is_whole = TRUE, .passes_through = passes_through, .run = run
  });
}

#endif
