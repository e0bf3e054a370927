/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:sift: the extremes of differences of Gaussians in place and scale, each with its size and its angle.
 *
 * D. G. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, International Journal of Computer Vision 60,
 * 2004; V. Oliveira, MSc thesis, 2013, chapter 4.8.
 *
 * The contrasts are those of the luminance behind the sRGB curve, on black.  What is not finite, and what has alpha 0, is
 * black.  sift-parts.h says how it is computed.
 *
 * Deviations: the octave of double size is aligned by its centre (OpenCV 4.6 is 0.25 pixels off).  The thesis has
 * neither angles nor descriptors, and its tests of contrast and edges never run.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_sift_result)
  enum_value (TESSERA_SIFT_OVERLAY, "overlay", N_("Circles on the image"))
  enum_value (TESSERA_SIFT_POINTS,  "points",  N_("Circles alone"))
  enum_value (TESSERA_SIFT_MASK,    "mask",    N_("A dot for each"))
enum_end (TesseraSiftResult)

#include "sift-settings.h"

property_enum (result, _("Result"), TesseraSiftResult, tessera_sift_result, TESSERA_SIFT_OVERLAY)
    description (_("The image with a circle around each point, as large as what was found, with a line at its angle; the "
                   "circles on nothing; or 1 on the pixel of each point and 0 elsewhere"))

property_double (draw_scale, _("Circle size"), 2.0)
    description (_("Radius of a circle, in standard deviations of the size of its point"))
    value_range (0.0, 20.0)
    ui_range    (0.5, 6.0)
    ui_meta     ("sensitive", "! result {mask}")

property_int (draw_max, _("Circles"), 2000)
    description (_("How many circles are drawn, those of the strongest points; 0 draws all"))
    value_range (0, 1000000)
    ui_range    (0, 5000)
    ui_meta     ("sensitive", "! result {mask}")

property_boolean (by_octave, _("Color by size"), TRUE)
    description (_("Circles of another size have another color"))
    ui_meta     ("sensitive", "! result {mask}")

property_color (color, _("Color"), "yellow")
    description (_("Color of the circles"))
    ui_meta     ("sensitive", "! by-octave & ! result {mask}")

/* Alias of `result` for scripts.  GIMP's dialog hides a property named like a pad, and GIMP's scripts set every
 * property; so `output` wins only when it is not the default. */
property_enum (output, _("Result"), TesseraSiftResult, tessera_sift_result, TESSERA_SIFT_OVERLAY)
    description (_("The image with a circle around each point, as large as what was found, with a line at its angle; the "
                   "circles on nothing; or 1 on the pixel of each point and 0 elsewhere"))
    ui_meta     ("visible", "0")

property_int (count, _("Count (result)"), 0)
    description (_("How many points there are, once the image has been processed"))
    value_range (0, G_MAXINT)
    ui_meta     ("sensitive", "0")

#else

#define GEGL_OP_NAME     tessera_sift
#define GEGL_OP_C_SOURCE tessera-sift.c

#include "tessera-op.h"

#include "dialog.h"
#include "perceived.h"
#include "remembered.h"
#include "sift-draw.h"
#include "sift-parts.h"

#include <stddef.h>
#include <string.h>

#define SEARCH 0.9              /* of the work; the rest is drawing */

/* Behind the sRGB curve; of the octaves -1, 0, 1 ... from the second on. */
static const guint8 octave_colors[SIFT_COLORS][3] =
  { { 255, 176, 0 }, { 255, 98, 64 }, { 236, 72, 160 }, { 168, 104, 255 }, { 72, 148, 255 }, { 32, 208, 208 }, { 96, 220, 96 },
    { 255, 240, 64 } };

static SiftPicture
picture_of (const GeglProperties *o)
{
  return (SiftPicture) (o->output != TESSERA_SIFT_OVERLAY ? o->output : o->result);
}

/* Marks are laid over the picture in light, however it is stored; a mask is numbers. */
static const Babl *
output_format (GeglOperation *operation, SiftPicture picture)
{
  return tessera_format (operation, picture == SIFT_MASK ? "Y float" : "RGBA float");
}

static void
prepare (GeglOperation *operation)
{
  GeglProperties   *o = GEGL_PROPERTIES (operation);
  const SiftPicture picture = picture_of (o);
  const gboolean    is_overlay = picture == SIFT_OVERLAY;
  const Babl       *output = output_format (operation, picture);
  GeglRectangle     bounds = tessera_bounds (operation, "input");

  if (gegl_rectangle_is_empty (&bounds))
    o->count = 0;               /* GEGL does not ask for the pixels of an empty image */
  tessera_set_pads (operation, perceived_format (operation, is_overlay),
                    is_overlay ? tessera_delivered (operation, output, FALSE)
                    : picture == SIFT_MARKS && babl_space_is_gray (babl_format_get_space (output))
                    ? tessera_delivered_exactly (operation, output) : output);
}

static void
set_colors (GeglOperation *operation, const Babl *format, SiftDrawing *drawing)
{
  const GeglProperties *o = GEGL_PROPERTIES (operation);

  for (gint i = 0; i < SIFT_COLORS && o->by_octave; i++)
    {
      GeglColor *color = gegl_color_new (NULL);

      gegl_color_set_pixel (color, babl_format ("R'G'B' u8"), octave_colors[i]);
      perceived_color (color, format, drawing->colors[i]);
      g_object_unref (color);
    }
  if (! o->by_octave)
    perceived_color (o->color, format, drawing->colors[0]);
}

/* A point without its descriptor, which nobody draws. */
#define DRAWN offsetof (SiftPoint, descriptor)

/* The responses of all points, then the points. */
static void
remember (Remembered *asked, const SiftList *list)
{
  g_autofree guint8 *kept = g_malloc (list->n * (sizeof (gdouble) + DRAWN) + 1);
  gdouble           *responses = (gdouble *) (gpointer) kept;
  guint8            *drawn = kept + list->n * sizeof (gdouble);

  for (gsize i = 0; i < list->n; i++)
    {
      responses[i] = list->points[i].response;
      memcpy (drawn + i * DRAWN, &list->points[i], DRAWN);
    }
  remembered_keep (asked, kept, list->n * (sizeof (gdouble) + DRAWN));
}

/* Those that are drawn. */
static void
take (GBytes *kept, gsize most, SiftList *list, gint *count)
{
  const gsize         n = g_bytes_get_size (kept) / (sizeof (gdouble) + DRAWN);
  const gdouble      *responses = g_bytes_get_data (kept, NULL);
  const guint8       *drawn = (const guint8 *) (responses + n);
  g_autofree gint    *which = sift_strongest_of (responses, n, most);

  *count = (gint) n;
  *list = (SiftList) { g_new0 (SiftPoint, MIN (most, n)), MIN (most, n) };
  for (gsize i = 0; i < list->n; i++)
    memcpy (&list->points[i], drawn + which[i] * DRAWN, DRAWN);
}

/* What the points depend on is all of the settings; the rest is drawing.  `most`: the strongest that are drawn; `count`: how many there are. */
static gboolean
find_or_remember (const TesseraRequest *request, const SiftSettings *settings, gsize most, SiftList *list, gint *count)
{
  const gdouble  key[] = { settings->octaves, settings->intervals, settings->contrast_threshold, settings->edge_threshold, settings->sigma,
                           settings->upsample, settings->max_features };
  TesseraRequest whole = *request;
  GBytes        *kept = NULL;
  Remembered     asked = { .question = NULL };
  gboolean       success;

  whole.roi = whole.bounds;
  if (! tessera_is_endless (&whole.bounds))
    kept = remembered_find (&whole, key, sizeof key, &asked);
  if (kept)
    {
      take (kept, most, list, count);
      g_bytes_unref (kept);
      return TRUE;
    }
  success = sift_find (request, settings, FALSE, list);
  *count = (gint) list->n;
  if (success)
    remember (&asked, list);
  else
    remembered_give_up (&asked);
  return success;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *properties G_GNUC_UNUSED)
{
  GeglProperties    *o = GEGL_PROPERTIES (request->errand.operation);
  const SiftSettings settings = SIFT_SETTINGS (o, FALSE);
  TesseraRequest     search = *request;
  SiftList           list = { NULL, 0 };
  SiftDrawing        drawing = { .list = &list, .picture = picture_of (o), .scale = o->draw_scale, .most = o->draw_max,
                                 .by_octave = o->by_octave };
  const gsize        most = drawing.picture == SIFT_MASK || o->draw_max == 0 ? G_MAXINT : o->draw_max;
  const gint         before = o->count;
  gint               count = 0;
  gboolean           success;

  o->count = 0;
  request->output_format = output_format (request->errand.operation, drawing.picture);
  if (drawing.picture != SIFT_MASK)
    set_colors (request->errand.operation, request->output_format, &drawing);
  search.input_format = gegl_buffer_get_format (request->input);        /* the same points, whatever is drawn */
  if (sift_draws_apart (request, drawing.picture))
    {
      search.errand.progress_to = request->errand.progress_from = SEARCH;
      request->errand.progress_to = 1.0;
    }
  success = find_or_remember (&search, &settings, most, &list, &count) && sift_draw (request, &drawing);
  o->count = count;                     /* without a notification, which would invalidate the node */
  if (o->count != before)
    dialog_show (request->errand.operation, "count");
  g_free (list.points);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GEGL_OPERATION_CLASS (klass)->prepare = prepare;
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:sift", .title = _("SIFT Keypoints"), .categories = "edge-detect",
    .description = _("Finds and marks points that can be found again in another picture of the same scene, larger, "
                     "smaller or turned (SIFT, keypoints, features, interest points, blobs)"),
    .reference = "D. G. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, International Journal of Computer "
                 "Vision 60, 2004",
    .menu_path = "<Image>/Filters/Edge-Detect", .menu_label = _("SIFT Keypoints (Tessera)..."),
    .filter = &sift_filter, .is_whole = TRUE, .run = run
  });
}

#endif
