/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:sift-save: writes the points of tessera:sift, with descriptors, into a file.  A sink, because a filter writes
 * at each preview.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_sift_format)
  enum_value (TESSERA_SIFT_FORMAT_AUTO,   "auto",   N_("By the ending"))
  enum_value (TESSERA_SIFT_FORMAT_LOWE,   "lowe",   N_("Lowe key file"))
  enum_value (TESSERA_SIFT_FORMAT_COLMAP, "colmap", N_("COLMAP text"))
  enum_value (TESSERA_SIFT_FORMAT_CSV,    "csv",    N_("CSV"))
enum_end (TesseraSiftFormat)

enum_start (tessera_sift_normalization)
  enum_value (TESSERA_SIFT_L2,   "l2",   N_("By their length (Lowe)"))
  enum_value (TESSERA_SIFT_ROOT,   "root",   N_("Roots of their shares (COLMAP)"))
enum_end (TesseraSiftNormalization)

property_file_path (path, _("File"), "")
    description (_("Path of the file that is written"))

property_enum (format, _("Format"), TesseraSiftFormat, tessera_sift_format, TESSERA_SIFT_FORMAT_AUTO)
    description (_("By the ending: .txt is for COLMAP, .csv for tables, all others are key files as Lowe wrote them"))

#include "sift-settings.h"

property_enum (normalization, _("Normalization"), TesseraSiftNormalization, tessera_sift_normalization, TESSERA_SIFT_L2)
    description (_("How the 128 numbers of a descriptor are scaled: so that their squares add up to 512 squared, as with Lowe and OpenCV; "
                   "or each the root of its share of their sum, times 512, as with COLMAP itself (RootSIFT)"))

property_int (count, _("Count (result)"), 0)
    description (_("How many points there are, once the image has been processed"))
    value_range (0, G_MAXINT)
    ui_meta     ("visible", "0")

#else

#define GEGL_OP_SINK
#define GEGL_OP_NAME     tessera_sift_save
#define GEGL_OP_C_SOURCE tessera-sift-save.c

#include "gegl-op.h"

#include "perceived.h"
#include "sift-files.h"

static void
prepare (GeglOperation *operation)
{
  gegl_operation_set_format (operation, "input", perceived_format (operation, FALSE));
}

static gboolean
process (GeglOperation *operation, GeglBuffer *input, const GeglRectangle *roi, gint level G_GNUC_UNUSED)
{
  GeglProperties      *o = GEGL_PROPERTIES (operation);
  const SiftSettings   settings = SIFT_SETTINGS (o, o->normalization == TESSERA_SIFT_ROOT);
  const TesseraRequest request = { .errand = { .operation = operation }, .input = input, .bounds = *roi,
                                   .input_format = gegl_buffer_get_format (input) };
  SiftList             list;
  g_autoptr (GError)   error = NULL;
  gboolean             is_saved;

  o->count = 0;
  if (! o->path || ! *o->path)
    {
      g_warning ("tessera:sift-save: there is no path to write to; set the property `path`");
      return FALSE;
    }
  if (! sift_find (&request, &settings, TRUE, &list))
    return FALSE;
  is_saved = sift_save (&list, o->path, (SiftFormat) o->format, &error);
  if (is_saved)
    o->count = (gint) list.n;
  else
    g_warning ("tessera:sift-save: %s", error->message);
  g_free (list.points);
  return is_saved;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GeglOperationClass     *operation_class = GEGL_OPERATION_CLASS (klass);
  GeglOperationSinkClass *sink_class = GEGL_OPERATION_SINK_CLASS (klass);

  operation_class->prepare = prepare;
  operation_class->threaded = FALSE;
  sink_class->needs_full = TRUE;
  sink_class->process = process;
  gegl_operation_class_set_keys (operation_class,
                                 "name", "tessera:sift-save",
                                 "title", _("Save SIFT Keypoints"),
                                 "categories", "output",
                                 "description", _("Writes the points that tessera:sift finds into a file, with their "
                                                  "descriptors.  The last operation of a command or of a program: inside an "
                                                  "XML graph the gegl command does not run it"),
                                 "reference", "D. G. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, "
                                              "International Journal of Computer Vision 60, 2004; R. Arandjelovic, "
                                              "A. Zisserman, Three things everyone should know to improve object retrieval, "
                                              "CVPR 2012",
                                 NULL);
  gegl_operation_handlers_register_saver (".key", "tessera:sift-save");
}

#endif
