/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:combine: many pictures that lie on one another become one: their mean, their median, or the mean without outliers
 * (combine.h), in linear light; or an exposure fusion, or a focus stack (fuse.h), which are made at once and kept.
 *
 * It has no input: `pictures` is a GListStore of GeglBuffer, because a graph has a fixed number of inputs.  The result has the
 * bounding box and the space of the first.  A pixel is as opaque as the picture that is most so there.
 *
 * P. J. Huber, E. M. Ronchetti, 2009 (median; the scale from the median of the distances).  T. Mertens, J. Kautz, F. Van Reeth,
 * 2007 (exposure fusion).
 *
 * NaN and Inf are left out.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

/* As CombineMethod. */
enum_start (tessera_combine_method)
  enum_value (TESSERA_COMBINE_MEAN,    "mean",    N_("Mean"))
  enum_value (TESSERA_COMBINE_MEDIAN,  "median",  N_("Median"))
  enum_value (TESSERA_COMBINE_CLIPPED, "clipped", N_("Mean without outliers"))
  enum_value (TESSERA_COMBINE_EXPOSURE, "exposure", N_("Exposure fusion"))
  enum_value (TESSERA_COMBINE_FOCUS,   "focus",   N_("Focus stack"))
enum_end (TesseraCombineMethod)

property_enum (method, _("Method"), TesseraCombineMethod, tessera_combine_method, TESSERA_COMBINE_MEAN)
    description (_("The mean has the least noise; the median leaves out what is in few of the pictures, such as people who "
                   "walk by; exposure fusion takes of each picture what is well exposed, a focus stack what is sharp"))

property_object (pictures, _("Pictures"), G_TYPE_LIST_STORE)
    description (_("For programs: a list of buffers"))

#else

#define GEGL_OP_SOURCE
#define GEGL_OP_NAME     tessera_combine
#define GEGL_OP_C_SOURCE tessera-combine.c

#include <gio/gio.h>

#include "gegl-op.h"

#include "combine.h"

#define MEMORY (64 << 20)               /* bytes for squares of all pictures */

/* Those of the list; they are owned by the array. */
static GPtrArray *
list_pictures (GeglOperation *operation)
{
  GListModel *list = (GListModel *) GEGL_PROPERTIES (operation)->pictures;
  GPtrArray  *buffers = g_ptr_array_new_with_free_func (g_object_unref);
  const guint n = list && g_type_is_a (g_list_model_get_item_type (list), GEGL_TYPE_BUFFER) ? g_list_model_get_n_items (list) : 0;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (buffers, g_list_model_get_item (list, i));
  return buffers;
}

static const Babl *
in_space_of_first (GPtrArray *buffers, const gchar *name)
{
  return buffers->len ? babl_format_with_space (name, gegl_buffer_get_format (buffers->pdata[0])) : babl_format (name);
}

typedef struct
{
  GPtrArray  *buffers;
  const Babl *format;
} Pictures;

static void
read_picture (gint k, const GeglRectangle *square, gfloat *pixels, gpointer data)
{
  const Pictures *pictures = data;

  gegl_buffer_get (pictures->buffers->pdata[k], square, 1.0, pictures->format, pixels, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
}

static gboolean
find_steps (const Pictures *pictures, CombineSteps *steps)
{
  const guint             n = pictures->buffers->len;
  g_autofree const Babl **formats = g_new (const Babl *, n);

  for (guint i = 0; i < n; i++)
    formats[i] = gegl_buffer_get_format (pictures->buffers->pdata[i]);
  return combine_steps (formats, (gint) n, pictures->format, steps);
}

static void
prepare (GeglOperation *operation)
{
  g_autoptr (GPtrArray) buffers = list_pictures (operation);

  const Babl *colours = in_space_of_first (buffers, "RGBA float");

  gegl_operation_set_format (operation, "output", babl_space_is_gray (babl_format_get_space (colours))
                                                  ? in_space_of_first (buffers, "YA float") : colours);
}

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  g_autoptr (GPtrArray) buffers = list_pictures (operation);
  GeglRectangle box = { 0, 0, 0, 0 };

  if (buffers->len)
    box = *gegl_buffer_get_extent (buffers->pdata[0]);
  return box;
}

/* A fusion is of all pixels at once. */
static GeglRectangle
get_cached_region (GeglOperation *operation, const GeglRectangle *roi)
{
  return combine_is_whole ((CombineMethod) GEGL_PROPERTIES (operation)->method) ? get_bounding_box (operation) : *roi;
}

static gboolean
process (GeglOperation *operation, GeglBuffer *output, const GeglRectangle *roi, gint level G_GNUC_UNUSED)
{
  g_autoptr (GPtrArray) buffers = list_pictures (operation);
  Pictures      pictures = { buffers, in_space_of_first (buffers, "RaGaBaA float") };
  CombineSteps  steps;
  const Combine combine = { .n = (gint) buffers->len, .read = read_picture, .data = &pictures, .format = pictures.format,
                            .steps = find_steps (&pictures, &steps) ? &steps : NULL,
                            .method = (CombineMethod) GEGL_PROPERTIES (operation)->method, .alpha = ALPHA_LARGEST, .memory = MEMORY };
  const GeglRectangle area = get_cached_region (operation, roi);

  if (combine.n)
    combine_frames (&combine, &area, output);
  return TRUE;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GeglOperationClass       *operation_class = GEGL_OPERATION_CLASS (klass);
  GeglOperationSourceClass *source_class = GEGL_OPERATION_SOURCE_CLASS (klass);

  operation_class->prepare = prepare;
  operation_class->get_bounding_box = get_bounding_box;
  operation_class->get_cached_region = get_cached_region;
  operation_class->threaded = FALSE;            /* it is itself */
  source_class->process = process;
  gegl_operation_class_set_keys (operation_class,
                                 "name", "tessera:combine",
                                 "title", _("Combine Pictures"),
                                 "categories", "input",
                                 "description", _("Makes one picture of many that lie on one another: with less noise, or "
                                                  "without what was there for a moment (stacking)"),
                                 "reference", "P. J. Huber, E. M. Ronchetti, Robust Statistics, 2nd edition, Wiley, 2009",
                                 NULL);
}

#endif
