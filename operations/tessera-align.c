/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:align: the input in the frame of a second picture, the reference: p_A ~ M p_B, where M is found.
 *
 * D. G. Lowe, 2004 (points; sift.h); M. A. Fischler, R. C. Bolles, 1981 (consensus.h); S. Baker, I. Matthews, 2004
 * (refine.h); C. E. Duchon, 1979 (resample.h).
 *
 * The result has the reference's bounding box, which GEGL asks for before anything is known.  So a picture that does not align
 * stays where it is, each pixel as it was, and what lies beyond the reference's box is cut off.  Without a reference, or where one of
 * the pictures has no end, the input passes on as it is.
 *
 * With `known-matrix` nothing is looked for, and the reference is not read.  The box of the result is known then: it is that of the
 * whole moved picture.  A matrix that cannot be used lets the input pass on.
 *
 * Points are found and matched on the device if that is faster (sift_find, match_descriptors); all the rest is C.
 *
 * `matrix`, `inliers`, `error`, `residual`, `aligned`, `movement` and `reason` are results, but they can be written, because GEGL has no read-only
 * properties.  They are those of the last computation.
 *
 * NaN is black where pictures are compared, and follows the arithmetic within the 6 x 6 pixels of the kernel.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_align_model)
  enum_value (TESSERA_ALIGN_AUTO,        "auto",        N_("Automatic"))
  enum_value (TESSERA_ALIGN_TRANSLATION, "translation", N_("Shift"))
  enum_value (TESSERA_ALIGN_SIMILARITY,  "similarity",  N_("Shift, turn and scale"))
  enum_value (TESSERA_ALIGN_AFFINE,      "affine",      N_("Shift, turn, scale and shear"))
  enum_value (TESSERA_ALIGN_HOMOGRAPHY,  "homography",  N_("Perspective"))
enum_end (TesseraAlignModel)

property_enum (model, _("Movement"), TesseraAlignModel, tessera_align_model, TESSERA_ALIGN_AUTO)
    description (_("How the camera may have moved between the two pictures. Automatic takes the least movement that lays one on "
                   "the other; a camera in the hand also tilts, which is perspective. The others allow no more than they say"))

property_boolean (refine, _("Refine"), TRUE)
    description (_("Compare the pixels too, not only the points that both pictures have: finer, and a little slower"))

property_double (ratio, _("Best to second best"), 0.8)
    description (_("How much better the best of all points must fit than the second best, 0.5 to 0.95: less takes fewer "
                   "points, and surer ones; more helps where little is in common"))
    value_range (0.5, 0.95)
    ui_steps    (0.01, 0.05)
    ui_digits   (2)

property_double (contrast_threshold, _("Contrast of points"), 0.04)
    description (_("How much a point must stand out: less finds points in dull pictures too, and takes longer; 0 takes them "
                   "all"))
    value_range (0.0, 0.5)
    ui_range    (0.0, 0.1)
    ui_steps    (0.005, 0.02)
    ui_digits   (3)

property_int (max_features, _("Most points"), 5000)
    description (_("How many points of each picture are compared, 100 to 50000: more find little overlaps of pictures full of detail, and take "
                   "longer"))
    value_range (100, 50000)
    ui_range    (1000, 20000)

property_string (known_matrix, _("Known matrix"), "")
    description (_("Nine numbers, as those of the result: nothing is looked for then, the picture is moved by this matrix, and all of it is "
                   "kept; empty: the movement is found"))

property_string (matrix, _("Matrix (result)"), "")
    description (_("Where the pixels of the input have gone: nine numbers of a 3 by 3 matrix, row by row"))
    ui_meta     ("visible", "0")

property_int (inliers, _("Matches (result)"), 0)
    description (_("Number of points of both pictures that agree on it"))
    value_range (0, G_MAXINT)
    ui_meta     ("visible", "0")

property_double (error, _("Error (result)"), 0.0)
    description (_("How far the two pictures may still be apart where they lie on one another, at the worst corner, in pixels of the reference"))
    value_range (0.0, 1000000.0)
    ui_meta     ("visible", "0")

property_double (residual, _("Residual (result)"), 0.0)
    description (_("How far apart the matches are that agree, in pixels of the reference: the root of their mean square"))
    value_range (0.0, 1000000.0)
    ui_meta     ("visible", "0")

property_boolean (aligned, _("Aligned (result)"), FALSE)
    description (_("Whether the picture has been aligned"))
    ui_meta     ("visible", "0")

property_string (movement, _("Movement (result)"), "")
    description (_("Which movement it was: translation, similarity, affine or homography; empty if it has not been aligned"))
    ui_meta     ("visible", "0")

property_string (reason, _("Reason (result)"), "")
    description (_("Why it has not been aligned; if it has, what there is to know about it, such as a doubt, or a second movement; else empty"))
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_NAME     tessera_align
#define GEGL_OP_C_SOURCE tessera-align.c

#include "tessera-op.h"

#include "align.h"
#include "matrix.h"
#include "resample.h"

/* The parts of the work at whose ends it is. */
#define REFERENCE_DONE 0.4
#define POINTS_DONE    0.8

static gboolean
is_usable (const GeglRectangle *bounds)
{
  return ! gegl_rectangle_is_empty (bounds) && ! tessera_is_endless (bounds);
}

static gboolean
is_known (GeglOperation *operation)
{
  const gchar *text = GEGL_PROPERTIES (operation)->known_matrix;

  return text && text[0];
}

/* Why the input cannot be moved by the known matrix; NULL: it can, and comes to lie in the box. */
static const gchar *
read_known (GeglOperation *operation, Resample *resample, GeglRectangle *box)
{
  const GeglRectangle input = tessera_bounds (operation, "input");
  gdouble             matrix[9];

  if (! is_usable (&input))
    return gegl_rectangle_is_empty (&input) ? "the picture is empty" : "a picture has no end";
  if (! consensus_matrix_read (GEGL_PROPERTIES (operation)->known_matrix, matrix))
    return "the known matrix is not nine numbers";
  if (! resample_init (resample, matrix))
    return "the known matrix has no inverse";
  return resample_box (resample, &input, box) ? NULL : "moved by the known matrix, the picture is empty or has no end";
}

/* Why the input passes on as it is; NULL: it does not. */
static const gchar *
why_it_passes (GeglOperation *operation)
{
  const GeglRectangle input = tessera_bounds (operation, "input"), aux = tessera_bounds (operation, "aux");
  Resample            resample;
  GeglRectangle       box;

  if (is_known (operation))
    return read_known (operation, &resample, &box);
  if (gegl_rectangle_is_empty (&input))
    return "the picture is empty";
  if (tessera_is_endless (&input) || tessera_is_endless (&aux))
    return "a picture has no end";
  return gegl_rectangle_is_empty (&aux) ? "there is no second picture" : NULL;
}

static gboolean
passes_through (GeglOperation *operation)
{
  return why_it_passes (operation) != NULL;
}

/* ------------------------------------------------------------- what GEGL asks -- */

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  Resample      resample;
  GeglRectangle box;

  if (is_known (operation) && ! read_known (operation, &resample, &box))
    return box;
  return tessera_bounds (operation, passes_through (operation) ? "input" : "aux");
}

static GeglRectangle
get_required_for_output (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi)
{
  if (is_known (operation) && strcmp (pad, "aux") == 0)
    return (GeglRectangle) { 0, 0, 0, 0 };
  return passes_through (operation) ? *roi : tessera_bounds (operation, pad);
}

static GeglRectangle
get_cached_region (GeglOperation *operation, const GeglRectangle *roi)
{
  return passes_through (operation) ? *roi : get_bounding_box (operation);
}

/* All of the result, where it is and where it was. */
static GeglRectangle
get_invalidated_by_change (GeglOperation *operation, const gchar *pad G_GNUC_UNUSED, const GeglRectangle *changed)
{
  const GeglRectangle  box = get_bounding_box (operation);
  const GeglRectangle *last = GEGL_PROPERTIES (operation)->user_data;
  GeglRectangle        all;

  gegl_rectangle_bounding_box (&all, changed, &box);
  if (last)
    gegl_rectangle_bounding_box (&all, &all, last);
  return all;
}

/* ------------------------------------------------------------------- the work -- */

/* Without a notification: GEGL would compute everything again. */
static void
set_results (GeglProperties *o, const Consensus *found)
{
  g_free (o->matrix);
  o->matrix = consensus_matrix_text (found->matrix);
  o->inliers = found->inliers;
  o->error = found->error;
  o->residual = found->residual;
  o->aligned = found->is_aligned;
  g_free (o->movement);
  o->movement = g_strdup (found->is_aligned && found->inliers > 0 ? consensus_model_name (found->model) : "");
  g_free (o->reason);
  o->reason = g_strdup (found->reason);
}

static void
set_passed (GeglOperation *operation)
{
  Consensus none = { .matrix = MATRIX_IDENTITY };

  g_strlcpy (none.reason, why_it_passes (operation), sizeof none.reason);
  set_results (GEGL_PROPERTIES (operation), &none);
}

static void
prepare (GeglOperation *operation)
{
  GeglRectangle input = tessera_bounds (operation, "input");

  tessera_set_formats (operation, "RaGaBaA float", FALSE);
  if (gegl_rectangle_is_empty (&input))
    set_passed (operation);             /* GEGL does not ask for the pixels of an empty image */
}

/* FALSE: OpenCL is forced and could not run. */
static gboolean
find (const GeglProperties *o, const TesseraRequest *request, Consensus *found)
{
  const ConsensusModel model = o->model == TESSERA_ALIGN_AUTO ? MODEL_AUTO : (ConsensusModel) (o->model - TESSERA_ALIGN_TRANSLATION);
  const AlignSettings  settings = { model, o->refine, o->ratio, o->contrast_threshold, o->max_features };
  const gboolean      keeps_size = o->model == TESSERA_ALIGN_TRANSLATION;
  TesseraRequest      reference = *request, moving = *request;
  AlignPicture        a = { 0 }, b = { 0 };
  gboolean            done;

  reference.input = request->aux;
  reference.bounds = reference.roi = request->aux_bounds;
  reference.errand.progress_to = moving.errand.progress_from = REFERENCE_DONE;
  moving.roi = moving.bounds;
  moving.errand.progress_to = POINTS_DONE;
  done = align_picture_init (&a, &reference, &settings, 0)
         && align_picture_init (&b, &moving, &settings, keeps_size ? a.factor : 0);
  moving.errand.progress_from = POINTS_DONE;
  done = done && align_find (&moving.errand, &a, &b, &settings, found);
  align_picture_clear (&a);
  align_picture_clear (&b);
  return done;
}

static void
remember_box (GeglOperation *operation)
{
  GeglProperties *o = GEGL_PROPERTIES (operation);

  if (! o->user_data)
    o->user_data = g_new (GeglRectangle, 1);
  *(GeglRectangle *) o->user_data = get_bounding_box (operation);
}

/* The pixels, in their new places. */
static gboolean
resample_all (TesseraRequest *request, const Resample *resample, gdouble from)
{
  request->filter = &resample_filter;
  request->params = resample;
  request->errand.progress_from = from;
  request->errand.progress_to = 1.0;
  return tessera_process (request);
}

static gboolean
run (TesseraRequest *request, const GeglProperties *properties G_GNUC_UNUSED)
{
  GeglOperation *operation = request->errand.operation;
  Consensus      found = { .matrix = MATRIX_IDENTITY };
  Resample       resample;
  GeglRectangle  box;

  remember_box (operation);
  if (! request->output)
    {
      set_passed (operation);
      return TRUE;
    }
  if (is_known (operation))
    {
      read_known (operation, &resample, &box);
      memcpy (found.matrix, resample.matrix, sizeof found.matrix);
      found.is_aligned = TRUE;
      set_results (GEGL_PROPERTIES (operation), &found);
      return resample_all (request, &resample, 0.0);
    }
  if (! find (GEGL_PROPERTIES (operation), request, &found))
    {
      set_results (GEGL_PROPERTIES (operation), &(Consensus) { .matrix = MATRIX_IDENTITY, .reason = "OpenCL is forced and could not run" });
      return FALSE;
    }
  set_results (GEGL_PROPERTIES (operation), &found);
  return resample_init (&resample, found.matrix) && resample_all (request, &resample, POINTS_DONE);
}

static void
finalize (GObject *object)
{
  g_clear_pointer (&GEGL_PROPERTIES (object)->user_data, g_free);
  G_OBJECT_CLASS (gegl_op_parent_class)->finalize (object);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GeglOperationClass *operation_class = GEGL_OPERATION_CLASS (klass);

  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:align", .title = _("Align to a Picture"), .categories = "transform",
    .description = _("Lays a picture on another one of the same subject, shifted, turned and scaled as needed: to stack "
                     "hand-held photographs, to blend exposures, to compare (registration; SIFT, RANSAC)"),
    .reference = "D. G. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, IJCV 60, 2004",
    .working = "RaGaBaA float", .has_aux = TRUE, .is_whole = TRUE, .passes_through = passes_through, .run = run
  });
  operation_class->prepare = prepare;
  G_OBJECT_CLASS (klass)->finalize = finalize;
  operation_class->get_bounding_box = get_bounding_box;
  operation_class->get_required_for_output = get_required_for_output;
  operation_class->get_cached_region = get_cached_region;
  operation_class->get_invalidated_by_change = get_invalidated_by_change;
}

#endif
