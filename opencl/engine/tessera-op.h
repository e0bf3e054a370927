/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-op.h: the base class of operations.  An operation includes it instead of gegl-op.h, after it has
 * defined GEGL_OP_NAME and GEGL_OP_C_SOURCE.
 *
 * An operation says what it is in a TesseraOperationInfo.  The class then answers GEGL:
 * formats, bounding box, required and invalidated regions, the region to keep.  It makes the request and calls
 * `run`.  It derives from GeglOperationFilter.  If an operation answers a hook differently, it sets that hook in
 * its class_init, as with any parent.
 */
#ifndef TESSERA_OP_H
#define TESSERA_OP_H

#include <gegl-plugin.h>

#include "tessera.h"

G_BEGIN_DECLS

typedef struct _TesseraOperationInfo TesseraOperationInfo;

/* A slider of GIMP's dialog: its ends, its curve, a small and a large step, digits behind the point. */
#define ui_slider(from, to, gamma, step, page, digits) \
  ui_range (from, to) ui_gamma (gamma) ui_steps (step, page) ui_digits (digits)

typedef struct
{
  GeglOperationFilter parent_instance;
  gboolean            hands_on;         /* its settings are neutral: the pads are made for that */
} TesseraOperation;

typedef struct
{
  GeglOperationFilterClass    parent_class;
  const TesseraOperationInfo *info;
  gboolean                    has_border;       /* the property */
  gsize                       properties_size;
  void                      (*prepare) (GeglOperation *operation);      /* where the settings are not neutral */
} TesseraOperationClass;

TESSERA_API GType tessera_operation_get_type (void) G_GNUC_CONST;

/* From class_init: `klass` is a GeglOpClass.  Sets GEGL's keys too (never `license`: GEGL hides what is not GPL).  An operation
 * that was built with other headers than the library is left out, and a line on stderr says so. */
TESSERA_API void  tessera_operation_describe_built (gpointer klass, gsize properties_size, guint layout, const TesseraOperationInfo *info);
#define tessera_operation_describe(klass, ...) \
  tessera_operation_describe_built (klass, sizeof (GeglProperties), TESSERA_LAYOUT, __VA_ARGS__)

/* What a module and the library must have in common: the sizes of the structs that both use, and a number that is raised
 * where a struct or a function changes and the sizes do not show it. */
#define TESSERA_HEADERS 3
#define TESSERA_LAYOUT  ((((((TESSERA_HEADERS * 4099u + (guint) sizeof (TesseraOperationInfo)) * 4099u + (guint) sizeof (TesseraFilter)) * 4099u \
                           + (guint) sizeof (TesseraRequest)) * 4099u + (guint) sizeof (TesseraBand)) * 4099u + (guint) sizeof (TesseraLaunch)) * 4099u \
                         + (guint) sizeof (TesseraBlock))

/* For the property that says what lies beyond the edge.  Without such a property it is CLAMP.
 * property_enum (border, ..., TesseraBorder, tessera_border, ...) has clamp, none and loop; tessera_border_or_crop has
 * crop too: then the result is smaller than the image, by the halo. */
TESSERA_API GType tessera_border_get_type         (void) G_GNUC_CONST;
TESSERA_API GType tessera_border_or_crop_get_type (void) G_GNUC_CONST;

G_END_DECLS

/* gegl-op.h makes the type of an operation's properties.  In GEGL 0.4.72 each operation has a struct of its own name, which nothing can name before. */
#ifdef TESSERA_OPERATION_ITSELF         /* operation.c, which is no operation */
typedef struct _GeglProperties GeglProperties;
#else
#define GEGL_OP_Parent TesseraOperation
#define GEGL_OP_PARENT (tessera_operation_get_type ())
#include "gegl-op.h"
#endif

/* All strings stay as long as the process; title, description and menu_label are translated already.
 * Members that are not needed stay NULL or FALSE. */
struct _TesseraOperationInfo
{
  /* Its name, and its place in the menus.  Both GIMPs have an entry with the label at the path.  GIMP 3's
   * action search looks at the title, the name and the description; GIMP 2.10's looks at the label and the
   * description.  So the description has the words that people type: purpose, other names, authors. */
  const gchar *name;            /* "tessera:motion-blur" */
  const gchar *title;
  const gchar *categories;      /* "blur", "enhance:sharpen" */
  const gchar *description;
  const gchar *reference;       /* the paper */
  const gchar *menu_path;       /* "<Image>/Filters/Blur"; NULL: GIMP has no entry */
  const gchar *menu_label;      /* "Motion Blur (Tessera)..." */

  /* The filter of its requests; optional if `run` chooses one. */
  const TesseraFilter *filter;

  /* The format of floats in which it reads and computes, "RaGaBaA float", in the space of the input.  The
   * result leaves in the input's kind (tessera_set_formats).  NULL: it has a `prepare` of its own
   * (tessera_set_pads). */
  const gchar *working;

  gboolean keeps_grey;          /* of a grey picture the result is one, and leaves as one */

  gboolean stays;               /* `run` makes the result by one tessera_process, does not look at it, and uses no text and no object of the
                                 * settings: the result may stay on the device, for another filter of ours */
  gboolean has_aux;             /* there is a second input, pad "aux", in the format of the first */
  gboolean grows;               /* with border NONE the result is larger than the image, by the halo */
  gboolean is_whole;            /* every pixel depends on the whole image */

  /* The pixels around a result pixel that it depends on: always `halo`, or what `find_halo` makes of the properties. */
  TesseraHalo   halo;
  TesseraHalo (*find_halo) (const GeglProperties *o);

  /* Optional, in place of find_halo: it depends on the image too. */
  TesseraHalo (*find_halo_in) (const GeglProperties *o, const GeglRectangle *bounds);

  /* Optional.  TRUE: with these settings every pixel depends on the whole image, if that has an end.  The request's halo is that of its
   * settings all the same. */
  gboolean    (*may_be_whole) (const GeglProperties *o);

  /* Optional.  TRUE: with these settings the definition gives the input back, pixel for pixel.  The result is then the input, the
   * same object, in the input's format: nothing is copied, rounded or checked, and hidden colours stay.  `run` is not called. */
  gboolean    (*neutral) (const GeglProperties *o);

  /* Optional.  TRUE: the result is the input, the same object.  `run` is then called with request->output NULL,
   * for its other results. */
  gboolean    (*passes_through) (GeglOperation *operation);

  /* Sets request->params, changes other members if the class's are not right, and processes the request, or as
   * many requests as it needs.  Not called without an input.  FALSE: tessera_process returned FALSE.  NULL: the request
   * is processed as it is, for a filter without properties.  Another thread may set a property meanwhile: `o` is a
   * copy, by which the request's halo was made.  Strings and objects are not copied: that thread may free them. */
  gboolean    (*run)    (TesseraRequest *request, const GeglProperties *o);
};

/* What gegl-op.h makes of every operation. */
typedef struct
{
  TesseraOperation parent_instance;
  GeglProperties  *properties;
} TesseraAnyOperation;

#endif
