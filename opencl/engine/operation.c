/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The base class of operations: see tessera-op.h.  Three kinds that are not there yet were sketched before it was fixed, and it
 * has to carry them:
 *
 * Frames kept between requests (denoising over time).  They are GeglBuffers of the whole image in the operation's user_data; `run`
 * hands one to the engine as the request's aux.  n frames are n requests, each of which reads the last one's result.  `run`
 * exchanges them only after tessera_process has returned TRUE: if the device fails, C computes again, from the old frames.
 * They are forgotten when the input's bounds or format change.
 *
 * Numbers, lists and files in place of pixels (counts, outlines).  `passes_through` answers TRUE: the input goes on as the same object, and
 * the request's output is NULL.  `run` calls tessera_survey over the whole image, and sets properties directly, without a
 * notification, which would invalidate the node, or writes the file.  What a device finds step by step is a request's answer
 * (TesseraAnswer: the points of sift, a shift).  A list is a GeglPath property that is filled in place.
 *
 * The third is there: chains that stay on the device.  A filter knows only its TesseraBand; only the class makes requests and takes
 * GEGL's output.  So `process` may return a buffer of ours (resident.c), whose tiles are fetched when a reader asks, and which the next
 * filter knows again.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#define TESSERA_OPERATION_ITSELF
#include "tessera-op.h"
#include "beside.h"
#include "breaker.h"
#include "geometry.h"
#include "messages.h"
#include "resident.h"
#include "settings.h"

#define SMALL_PART 8            /* of the whole, where parts are computed alone */

G_DEFINE_ABSTRACT_TYPE_WITH_CODE (TesseraOperation, tessera_operation, GEGL_TYPE_OPERATION_FILTER,
                                  tessera_mark_copy (g_define_type_id))

static const TesseraOperationInfo *
info_of (GeglOperation *operation)
{
  return ((const TesseraOperationClass *) G_OBJECT_GET_CLASS (operation))->info;
}

static gboolean
is_empty (const TesseraHalo *halo)
{
  return halo->left + halo->top + halo->right + halo->bottom == 0;
}

static const GeglProperties *
properties_of (GeglOperation *operation)
{
  return ((TesseraAnyOperation *) operation)->properties;
}

static TesseraHalo
halo_of (GeglOperation *operation, const GeglProperties *properties)
{
  const TesseraOperationInfo *info = info_of (operation);
  const GeglRectangle         bounds = info->find_halo_in ? tessera_bounds (operation, "input") : (GeglRectangle) { 0, 0, 0, 0 };

  return info->find_halo_in ? info->find_halo_in (properties, &bounds) : info->find_halo ? info->find_halo (properties) : info->halo;
}

static gboolean
is_whole_now (GeglOperation *operation)
{
  const TesseraOperationInfo *info = info_of (operation);
  GeglRectangle               bounds;

  if (! info->may_be_whole || ! info->may_be_whole (properties_of (operation)))
    return FALSE;
  bounds = tessera_bounds (operation, "input");
  return ! tessera_is_endless (&bounds);
}

static TesseraBorder
border_of (GeglOperation *operation)
{
  const TesseraOperationClass *klass = (const TesseraOperationClass *) G_OBJECT_GET_CLASS (operation);
  TesseraBorder                border = TESSERA_BORDER_CLAMP;

  if (klass->has_border)
    g_object_get (operation, "border", &border, NULL);
  return border;
}

/* The border for the engine: a cropped image needs no pixel beyond its edge. */
static TesseraBorder
engine_border (GeglOperation *operation)
{
  const TesseraBorder border = border_of (operation);

  return border == TESSERA_BORDER_CROP ? TESSERA_BORDER_CLAMP : border;
}

static gboolean
passes_through (GeglOperation *operation)
{
  const TesseraOperationInfo *info = info_of (operation);

  return info->passes_through && info->passes_through (operation);
}

/* -------------------------------------------------------- what GEGL asks -- */

static void
attach (GeglOperation *operation)
{
  GParamSpec *pad;

  GEGL_OPERATION_CLASS (tessera_operation_parent_class)->attach (operation);
  if (! info_of (operation)->has_aux)
    return;
  pad = g_param_spec_object ("aux", "Aux", "Auxiliary image buffer input pad.", GEGL_TYPE_BUFFER,
                             G_PARAM_READWRITE | GEGL_PARAM_PAD_INPUT);
  gegl_operation_create_pad (operation, pad);
  g_param_spec_sink (pad);
}

static void
prepare (GeglOperation *operation)
{
  tessera_set_formats (operation, info_of (operation)->working, info_of (operation)->keeps_grey);
}

/* The pads decide what `process` does: a setting may change in between. */
static void
prepare_or_hand_on (GeglOperation *operation)
{
  const Babl *source = gegl_operation_get_source_format (operation, "input");

  ((TesseraOperation *) operation)->hands_on = source && info_of (operation)->neutral (properties_of (operation));
  if (! ((TesseraOperation *) operation)->hands_on)
    {
      ((const TesseraOperationClass *) G_OBJECT_GET_CLASS (operation))->prepare (operation);
      return;
    }
  gegl_operation_set_format (operation, "input", source);
  gegl_operation_set_format (operation, "output", source);
}

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  const GeglRectangle bounds = tessera_bounds (operation, "input");
  const TesseraBorder border = border_of (operation);
  const TesseraHalo   halo = halo_of (operation, properties_of (operation));
  const TesseraHalo   inwards = { -halo.left, -halo.top, -halo.right, -halo.bottom };
  GeglRectangle       cropped;

  if (border == TESSERA_BORDER_NONE && info_of (operation)->grows)
    return tessera_grow (&bounds, &halo);
  if (border != TESSERA_BORDER_CROP)
    return bounds;
  cropped = tessera_grow (&bounds, &inwards);
  return cropped.width > 0 && cropped.height > 0 ? cropped : (GeglRectangle) { cropped.x, cropped.y, 0, 0 };
}

static GeglRectangle
required_around (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi)
{
  const TesseraHalo halo = halo_of (operation, properties_of (operation));

  if (is_whole_now (operation) && ! passes_through (operation))
    return tessera_whole (operation, pad, roi);
  return passes_through (operation) ? *roi : tessera_required (operation, pad, roi, &halo, engine_border (operation));
}

static GeglRectangle
invalidated_around (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed)
{
  const TesseraHalo halo = halo_of (operation, properties_of (operation));

  if (is_whole_now (operation) && ! passes_through (operation))
    return tessera_whole_invalidated (operation, pad, changed);
  return passes_through (operation) ? *changed
                            : tessera_invalidated (operation, pad, changed, &halo, engine_border (operation));
}

static GQuark
parts_quark (void)
{
  return g_quark_from_static_string ("tessera-parts");
}

void
tessera_answer_parts (GeglOperation *operation)
{
  if (! g_object_get_qdata (G_OBJECT (operation), parts_quark ()))
    g_object_set_qdata (G_OBJECT (operation), parts_quark (), GINT_TO_POINTER (1));      /* which part is next */
}

/* GEGL has kept it: it is not computed again for each part. */
static gboolean
is_input_kept (GeglOperation *operation)
{
  GeglNode      *source = gegl_operation_get_source_node (operation, "input");
  GeglOperation *from = source ? gegl_node_get_gegl_operation (source) : NULL;
  const gchar   *name = from ? GEGL_OPERATION_GET_CLASS (from)->name : "";

  if (g_strv_contains ((const gchar *const[]) { "gegl:nop", "gegl:crop", "gegl:translate", NULL }, name))
    return is_input_kept (from);
  return from && (GEGL_OPERATION_GET_CLASS (from)->get_cached_region || strstr (name, "buffer-source"));
}

/* What GEGL makes and keeps where it is asked for a part.  Of many parts each costs a look at the whole: after SMALL_PART of them all is made. */
static GeglRectangle
kept_region (GeglOperation *operation, const GeglRectangle *roi)
{
  const GeglRectangle all = tessera_whole (operation, "input", roi);
  const gboolean      is_small = (gint64) roi->width * roi->height <= (gint64) all.width * all.height / SMALL_PART;
  const gint          next = GPOINTER_TO_INT (g_object_get_qdata (G_OBJECT (operation), parts_quark ()));
  const gboolean      is_alone = is_small && next > 0 && next <= SMALL_PART && is_input_kept (operation);

  if (next > 0 && is_small)
    g_object_set_qdata (G_OBJECT (operation), parts_quark (), GINT_TO_POINTER (is_alone ? next + 1 : 1));
  return is_alone ? *roi : all;
}

static GeglRectangle
kept_region_now (GeglOperation *operation, const GeglRectangle *roi)
{
  return is_whole_now (operation) && ! passes_through (operation) ? kept_region (operation, roi) : *roi;
}

/* ------------------------------------------------------------ the request -- */

static TesseraRequest
make_request (GeglOperation *operation, GeglBuffer *input, GeglBuffer *aux, GeglBuffer *output,
              const GeglRectangle *roi, const GeglProperties *properties)
{
  const TesseraOperationInfo *info = info_of (operation);
  const GeglRectangle         aux_bounds = aux ? tessera_bounds (operation, "aux") : (GeglRectangle) { 0, 0, 0, 0 };
  const gboolean              has_aux = ! gegl_rectangle_is_empty (&aux_bounds);
  const Babl                 *format = gegl_operation_get_format (operation, "input");

  return (TesseraRequest) {
    .filter = info->filter,
    .errand = { .operation = operation },
    .input = input,
    .aux = has_aux ? aux : NULL,
    .output = output,
    .input_format = format,
    .aux_format = has_aux ? gegl_operation_get_format (operation, "aux") : NULL,
    .output_format = format,
    .roi = *roi,
    .bounds = tessera_bounds (operation, "input"),
    .aux_bounds = aux_bounds,
    .halo = info->is_whole ? (TesseraHalo) { 0, 0, 0, 0 } : halo_of (operation, properties),
    .border = engine_border (operation)
  };
}

static gboolean
carry_out (TesseraRequest *request, gconstpointer properties)
{
  const TesseraOperationInfo *info = info_of (request->errand.operation);
  gboolean                    done;

  tessera_breaker_begin_picture ();
  done = info->run ? info->run (request, properties) : tessera_process (request);
  tessera_breaker_end_picture ();
  return done;
}

/* `resident`: where the result goes if it stays on the device, or NULL. */
static gboolean
answer (GeglOperation *operation, GeglBuffer *input, GeglBuffer *aux, GeglBuffer *output, const GeglRectangle *roi, GeglBuffer **resident)
{
  const gsize               size = ((const TesseraOperationClass *) G_OBJECT_GET_CLASS (operation))->properties_size;
  g_autofree GeglProperties *copy = g_memdup2 (properties_of (operation), size);
  TesseraRequest            request, made;
  gboolean                  done;

  if (! input || gegl_rectangle_is_empty (roi))
    return TRUE;
  made = request = make_request (operation, input, aux, output, roi, copy);
  request.resident = resident;
  done = carry_out (&request, copy);
  if (resident && *resident)
    tessera_resident_insure (*resident, &made, carry_out, copy, size);
  return done;
}

/* GeglOperationFilter's own, for callers with their own buffers. */
static gboolean
process_buffers (GeglOperation *operation, GeglBuffer *input, GeglBuffer *output, const GeglRectangle *roi,
                 gint level G_GNUC_UNUSED)
{
  if (! ((TesseraOperation *) operation)->hands_on)
    return answer (operation, input, NULL, output, roi, NULL);
  gegl_buffer_copy (input, roi, GEGL_ABYSS_NONE, output, roi);
  return TRUE;
}

static gboolean
is_ours (GeglOperation *operation)
{
  return g_type_is_a (G_OBJECT_TYPE (operation), tessera_operation_get_type ());
}

/* Does it give its readers the very pixels that it reads? */
static gboolean
hands_on (GeglNode *node, GeglOperation *operation)
{
  return g_strcmp0 (gegl_node_get_operation (node), "gegl:nop") == 0
         || (is_ours (operation) && (((TesseraOperation *) operation)->hands_on || passes_through (operation)));
}

/* Do operations of ours read what the node makes, and nobody else?  (A node that is a graph has no operation.) */
static gboolean
only_ours_follow (GeglNode *node, gint depth)
{
  g_autofree GeglNode **consumers = NULL;
  const gint            n = gegl_node_get_consumers (node, "output", &consumers, NULL);
  gboolean              ours = n > 0 && depth < 8;

  for (gint i = 0; i < n && ours; i++)
    {
      GeglOperation *operation = gegl_node_get_gegl_operation (consumers[i]);

      ours = operation && (hands_on (consumers[i], operation) ? only_ours_follow (consumers[i], depth + 1) : is_ours (operation));
    }
  return ours;
}

/* Not where GEGL has its cache filled: nothing would be in it. */
static gboolean
may_stay (GeglOperation *operation, GeglBuffer *output)
{
  gint shift_x, shift_y;

  if (! info_of (operation)->stays || tessera_mode () == TESSERA_OPENCL_OFF || tessera_sends_home () || G_OBJECT_TYPE (output) != GEGL_TYPE_BUFFER)
    return FALSE;
  g_object_get (output, "shift-x", &shift_x, "shift-y", &shift_y, NULL);
  return shift_x == 0 && shift_y == 0 && ! g_object_get_data (G_OBJECT (output), "is-linear") && only_ours_follow (operation->node, 0);
}

static gboolean
process (GeglOperation *operation, GeglOperationContext *context, const gchar *pad, const GeglRectangle *roi,
         gint level G_GNUC_UNUSED)
{
  const gboolean has_aux = info_of (operation)->has_aux, hands_on = ((TesseraOperation *) operation)->hands_on;
  g_autoptr (GeglBuffer) input = (GeglBuffer *) gegl_operation_context_dup_object (context, "input");
  g_autoptr (GeglBuffer) aux = has_aux ? (GeglBuffer *) gegl_operation_context_dup_object (context, "aux") : NULL;
  GeglBuffer    *output = NULL, *resident = NULL;
  gboolean       done;

  if (! hands_on && ! passes_through (operation))
    output = gegl_operation_context_get_target (context, pad);
  else if (input)
    gegl_operation_context_take_object (context, pad, (GObject *) g_object_ref (input));
  done = hands_on || answer (operation, input, aux, output, roi, output && may_stay (operation, output) ? &resident : NULL);
  if (resident)
    gegl_operation_context_take_object (context, pad, (GObject *) resident);
  return done;
}

/* --------------------------------------------------------------- the class -- */

static void
tessera_operation_class_init (TesseraOperationClass *klass)
{
  GeglOperationClass *operation_class = GEGL_OPERATION_CLASS (klass);

  operation_class->attach           = attach;
  operation_class->get_bounding_box = get_bounding_box;
  operation_class->process          = process;
  operation_class->opencl_support   = TRUE;
  GEGL_OPERATION_FILTER_CLASS (klass)->process = process_buffers;
}

static void
tessera_operation_init (TesseraOperation *self G_GNUC_UNUSED)
{
}

/* A property `border`, of one of the two types below. */
static gboolean
has_border (gpointer klass)
{
  const GParamSpec *property = g_object_class_find_property (klass, "border");

  return property && (property->value_type == tessera_border_get_type ()
                      || property->value_type == tessera_border_or_crop_get_type ());
}

/* Without a name GEGL does not know it.  Its structs may be others, so nothing of them is read. */
static void
leave_out (gpointer klass)
{
  tessera_log ("the operation %s was built with other headers of Tessera and is left out; build it again", G_OBJECT_CLASS_NAME (klass));
}

/* What modules call that were built before 2026-11-29. */
TESSERA_API void tessera_operation_describe_sized (gpointer klass, gsize properties_size, gconstpointer info);

void
tessera_operation_describe_sized (gpointer klass, gsize properties_size G_GNUC_UNUSED, gconstpointer info G_GNUC_UNUSED)
{
  leave_out (klass);
}

void
tessera_operation_describe_built (gpointer klass, gsize properties_size, guint layout, const TesseraOperationInfo *info)
{
  GeglOperationClass *operation_class = GEGL_OPERATION_CLASS (klass);

  if (layout != TESSERA_LAYOUT)
    {
      leave_out (klass);
      return;
    }
  ((TesseraOperationClass *) klass)->info = g_memdup2 (info, sizeof *info);    /* as long as the class, which never ends */
  ((TesseraOperationClass *) klass)->has_border = has_border (klass);
  ((TesseraOperationClass *) klass)->properties_size = properties_size;
  if (info->working)
    operation_class->prepare = prepare;
  if (info->neutral)
    {
      ((TesseraOperationClass *) klass)->prepare = operation_class->prepare;
      operation_class->prepare = prepare_or_hand_on;
    }
  if (info->is_whole)
    {
      operation_class->get_required_for_output   = tessera_whole;
      operation_class->get_invalidated_by_change = tessera_whole_invalidated;
      operation_class->get_cached_region         = kept_region;     /* otherwise GEGL computes everything again for every tile */
    }
  else if (info->find_halo || info->find_halo_in || ! is_empty (&info->halo))
    {
      operation_class->get_required_for_output   = required_around;
      operation_class->get_invalidated_by_change = invalidated_around;
      if (info->may_be_whole)
        operation_class->get_cached_region = kept_region_now;
    }
  gegl_operation_class_set_keys (operation_class, "name", info->name, "title", info->title, "categories", info->categories,
                                 "description", info->description, "tessera-version", TESSERA_VERSION, NULL);
  if (info->reference)
    gegl_operation_class_set_key (operation_class, "reference", info->reference);
  if (info->menu_path)
    gegl_operation_class_set_keys (operation_class, "gimp:menu-path", info->menu_path,
                                   "gimp:menu-label", info->menu_label, NULL);
}

/* ------------------------------------------------------------- the borders -- */

/* The first `n` of them, registered as gegl-op.h registers an enum: the name of a value is its translated label. */
static GType
border_type (gsize *type, const gchar *name, guint n)
{
  static const GEnumValue borders[] = {
    { TESSERA_BORDER_CLAMP, N_("Clamp"), "clamp" },
    { TESSERA_BORDER_NONE,  N_("None"),  "none" },
    { TESSERA_BORDER_LOOP,  N_("Loop"),  "loop" },
    { TESSERA_BORDER_CROP,  N_("Crop"),  "crop" }
  };

  if (g_once_init_enter (type))
    {
      GEnumValue *values = g_new0 (GEnumValue, n + 1);          /* for good */

      for (guint i = 0; i < n; i++)
        values[i] = (GEnumValue) { borders[i].value, _(borders[i].value_name), borders[i].value_nick };
      g_once_init_leave (type, g_enum_register_static (name, values));
    }
  return *type;
}

GType
tessera_border_get_type (void)
{
  static gsize type;

  return border_type (&type, "TesseraBorder", 3);
}

GType
tessera_border_or_crop_get_type (void)
{
  static gsize type;

  return border_type (&type, "TesseraBorderOrCrop", 4);
}
