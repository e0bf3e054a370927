/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:estimate-shift: how far the input's content has moved against a second picture, the reference, to some thousandths of a pixel.  The
 * input passes on as it is.
 *
 * Conventions and formulas are in shift.h.  A shift counts in GEGL's coordinates: a star at (X, Y) in the reference lies at
 * (X + shift-x, Y + shift-y) in the input, wherever the boxes of the two begin.
 *
 * S. Baker, I. Matthews, Lucas-Kanade 20 Years On, 2004; the first step is that of the article on the spatio-temporal processing of images on the
 * GPU, 2014.  Deviations from that: both frames are smoothed; no gradient is left out on the rim of a block; the sign is that of the content.
 *
 * The results can be written, because GEGL has no read-only properties.  They are those of the last computation.
 *
 * NaN, infinities and full pixels are left out, with what they touch.  Alpha is not looked at.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

/* As ShiftMethod. */
enum_start (tessera_estimate_shift_method)
  enum_value (TESSERA_ESTIMATE_SHIFT_SINGLE,   "single",   N_("One step"))
  enum_value (TESSERA_ESTIMATE_SHIFT_ITERATED, "iterated", N_("Repeated"))
  enum_value (TESSERA_ESTIMATE_SHIFT_PYRAMID,  "pyramid",  N_("Whole pixels first"))
enum_end (TesseraEstimateShiftMethod)

property_enum (method, _("Method"), TesseraEstimateShiftMethod, tessera_estimate_shift_method, TESSERA_ESTIMATE_SHIFT_PYRAMID)
    description (_("One step for shifts far below a pixel, repeated steps for about one pixel, or whole pixels first for larger shifts"))

property_int (max_shift, _("Largest shift"), 64)
    description (_("How far the picture may have moved along each side, in pixels: less is surer and faster, 0 looks for parts of a pixel only"))
    value_range (0, 4096)
    ui_range    (0, 256)
    ui_steps    (1, 16)
    ui_meta     ("unit", "pixel-distance")
    ui_meta     ("sensitive", "method {pyramid}")

#include "counts-settings.h"

property_double (shift_x, _("Shift to the right (result)"), 0.0)
    description (_("How far the picture has moved to the right against the second one, in pixels"))
    value_range (-1000000.0, 1000000.0)
    ui_meta     ("visible", "0")

property_double (shift_y, _("Shift downwards (result)"), 0.0)
    description (_("How far it has moved downwards, in pixels"))
    value_range (-1000000.0, 1000000.0)
    ui_meta     ("visible", "0")

property_double (error, _("Error (result)"), 0.0)
    description (_("How wrong each of them may be, in pixels: one standard deviation"))
    value_range (0.0, 1000000.0)
    ui_meta     ("visible", "0")

property_boolean (converged, _("Converged (result)"), FALSE)
    description (_("Whether the steps have come to an end"))
    ui_meta     ("visible", "0")

property_int (pixels, _("Pixels (result)"), 0)
    description (_("Number of pixels that were compared"))
    value_range (0, G_MAXINT)
    ui_meta     ("visible", "0")

property_int (steps, _("Steps (result)"), 0)
    description (_("Number of steps"))
    value_range (0, G_MAXINT)
    ui_meta     ("visible", "0")

property_string (reason, _("Reason (result)"), "")
    description (_("Why there is no shift, or why not to trust it"))
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_estimate_shift
#define GEGL_OP_C_SOURCE tessera-estimate-shift.c

#include "tessera-op.h"

#include "counts.h"
#include "estimate-shift.h"

static gboolean
passes_through (GeglOperation *operation G_GNUC_UNUSED)
{
  return TRUE;
}

/* Without a notification: GEGL would compute everything again. */
static void
set_results (GeglProperties *o, const Shift *found, gchar *reason)
{
  o->shift_x = found->x;
  o->shift_y = found->y;
  o->error = found->ok ? found->error : 0.0;
  o->converged = shift_is_sure (found);
  o->pixels = found->pixels;
  o->steps = found->steps;
  g_free (o->reason);
  o->reason = reason;
}

/* The input goes on as it is, and nothing needs to be converted for it. */
static void
prepare (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");
  const Babl *format = source ? source : babl_format ("RGBA float");
  GeglRectangle bounds = tessera_bounds (operation, "input");

  tessera_set_pads (operation, format, format);
  if (gegl_rectangle_is_empty (&bounds))        /* GEGL does not ask for the pixels of an empty image */
    set_results (GEGL_PROPERTIES (operation), &(Shift) { 0 }, g_strdup ("the picture is empty"));
}

/* Why the two cannot be compared, or NULL. */
static gchar *
refuse (const TesseraRequest *request)
{
  const GeglRectangle *input = &request->bounds, *aux = &request->aux_bounds;

  if (! request->aux)
    return g_strdup ("there is no second picture");
  if (tessera_is_endless (input) || tessera_is_endless (aux))
    return g_strdup ("a picture has no end");
  if (input->width != aux->width || input->height != aux->height)
    return g_strdup_printf ("the pictures have different sizes, %dx%d and %dx%d", input->width, input->height, aux->width, aux->height);
  return NULL;
}

static gchar *
judge (const Shift *found)
{
  if (! found->ok)
    return g_strdup_printf ("there is too little to compare: %d pixels", found->pixels);
  return g_strdup (shift_is_sure (found) ? "" : "the steps did not converge");
}

static gboolean
run (TesseraRequest *request, const GeglProperties *properties G_GNUC_UNUSED)
{
  GeglProperties *o = GEGL_PROPERTIES (request->errand.operation);
  Shift           found = { 0 };
  gchar          *reason = refuse (request);
  gboolean        done = TRUE;

  if (! reason)
    {
      const gfloat  full = MIN (counts_saturation (gegl_buffer_get_format (request->input)),
                                counts_saturation (gegl_buffer_get_format (request->aux)));
      CountPlane    frame, reference;
      ShiftKey      key;

      count_plane_init (&frame, request->bounds.width, request->bounds.height);
      count_plane_init (&reference, request->bounds.width, request->bounds.height);
      counts_read (request->input, &request->bounds, &frame);
      counts_read (request->aux, &request->aux_bounds, &reference);
      shift_key_init (&key, &reference, FALSE);
      done = shift_request (request->errand.operation, &(ShiftRequest) {
        .key = &key, .n = 1, .frames = frame.pixels,
        .settings = { (ShiftMethod) o->method, o->max_shift, o->saturation > 0.0 ? (gfloat) o->saturation : full, o->reject_hot } }, &found);
      shift_key_clear (&key);
      count_plane_clear (&reference);
      count_plane_clear (&frame);
      found.x += request->bounds.x - request->aux_bounds.x;
      found.y += request->bounds.y - request->aux_bounds.y;
      reason = done ? judge (&found) : g_strdup ("OpenCL is forced, but the device failed");
    }
  set_results (o, &found, reason);
  return done;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:estimate-shift", .title = _("Estimate Shift"), .categories = "transform",
    .description = _("Measures how far a picture has moved against another one, to some thousandths of a pixel, for star fields and "
                     "other sequences from a still camera (registration, drift, Lucas and Kanade)"),
    .reference = "S. Baker, I. Matthews, Lucas-Kanade 20 Years On: A Unifying Framework, International Journal of Computer Vision 56, 2004",
    .has_aux = TRUE, .is_whole = TRUE, .passes_through = passes_through, .run = run
  });
}

#endif
