/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The plug-in for GIMP 2.10, which does not put GEGL operations of others into its
 * menus: one Filters entry and one procedure for each operation that GEGL lists
 * under tessera: with a menu label.  Nothing here knows a filter by name.
 */
#ifndef TESSERA_PLUG_IN_H
#define TESSERA_PLUG_IN_H

#include "config.h"
#include "places.h"

#include <gegl.h>
#include <glib/gi18n-lib.h>
#include <libgimp/gimp.h>

/* Where they are installed; of a bundle, among the user's modules of GEGL. */
#define GRAPHS_FOLDER part_folder (TESSERA_GRAPHS_DIR, "graphs")
#define LOCALE_FOLDER part_folder (TESSERA_LOCALE_DIR, "locale")

typedef enum { TESSERA_BAD_SETTINGS, TESSERA_BAD_LAYER, TESSERA_BAD_GRAPH } TesseraPlugInError;

#define TESSERA_PLUG_IN_ERROR (g_quark_from_static_string ("tessera-plug-in"))

/* ------------------------------------------------------------ settings.c -- */

/* What the plug-in adds to every operation. */
typedef struct
{
  gdouble strength;             /* 0: the layer as it was, 1: the operation alone */
  gint32  second;               /* the drawable that is its second input; -1: none */
  gdouble size;                 /* of a ready-made graph's lengths, where 1 is as they fit the image */
} Extras;

#define NO_EXTRAS (Extras) { 1.0, -1, 1.0 }

/* "name=value name='a value'": sets properties of the node, and `strength` (0 to 100) and `aux` (a drawable) in the
 * extras; others keep theirs.  Of a ready-made graph, which has no node here, `strength` and `size`. */
gboolean settings_parse    (GeglNode *node, const gchar *text, Extras *extras, GError **error);
/* What is not at its default, in that form; drawables are not kept. */
gchar   *settings_text     (GeglNode *node, const Extras *extras);
void     settings_reset    (GeglNode *node, Extras *extras);
/* A line for each property: name, meaning, values, default. */
gchar   *settings_describe (const gchar *operation);
/* The text of a value, as it stands behind `name=`, without quotes; NULL: not a kind that is offered. */
gchar   *settings_value_text (const GValue *value);
gboolean settings_is_offered (GParamSpec *spec);

/* --------------------------------------------------------------- layer.c -- */

/* A drawable, a copy of its pixels, and what is computed of them. */
typedef struct
{
  gint32         image, drawable;
  GeglRectangle  selected;      /* what may change, in the drawable's coordinates */
  const Babl    *space;         /* of the image's profile; NULL is sRGB */
  GeglBuffer    *pixels;
  GeglNode      *graph, *result;
  GeglNode      *operation;     /* that the dialog is about; NULL: a ready-made graph */
  GeglNode      *place;         /* of the second input; NULL: the operation has none */
  GArray        *lengths;       /* of a ready-made graph: see graph-sizes.c; NULL: none */
  gdouble        growth;        /* what a size of 1 makes of them */
  Extras         extras;
} Layer;

/* Of its profile; NULL is sRGB. */
const Babl *layer_space_of_image (gint32 image);
const Babl *layer_format_in_space (const Babl *format, const Babl *space);
/* libgimp's buffers say sRGB whatever the profile is. */
void        layer_set_space (GeglBuffer *buffer, const Babl *space);
/* The drawable's pixels, in that space. */
GeglBuffer *layer_copy_pixels (gint32 drawable, const Babl *space);

/* Reads its pixels; the graph is empty. */
Layer   *layer_new     (gint32 image, gint32 drawable, const gchar *name, GError **error);
/* It sees the whole layer; one that counts sees what is selected, so that this is what it counts. */
void     layer_set_operation (Layer *layer, const gchar *operation);
void     layer_free    (Layer *layer);
/* A node of the graph that has a drawable's pixels, where they lie over the layer. */
GeglNode *layer_add_picture (Layer *layer, gint32 drawable);
/* As the extras say. */
void     layer_take_second (Layer *layer);
/* 8 bits, as the drawable's type orders them; the area is of the layer at that scale. */
void     layer_preview (Layer *layer, gdouble scale, const GeglRectangle *area, guchar *bytes);
void     layer_original (Layer *layer, gdouble scale, const GeglRectangle *area, guchar *bytes);
gint     layer_preview_bpp (Layer *layer);
/* One step of undo; progress on the bar. */
void     layer_apply   (Layer *layer);
/* What its operations counted and measured; count -1, flat -1: none of them does. */
typedef struct
{
  gint    count;
  gdouble level;        /* of noise */
  gint    flat;
} Found;

Found    layer_found   (Layer *layer);

/* -------------------------------------------------------------- graphs.c -- */

#define GRAPH_PREFIX "plug-in-tessera-graph-"

/* The ready-made graphs' names, which are those of their files. */
const gchar *part_folder (const gchar *installed, const gchar *name);       /* that, if it is not empty */
GList   *graphs_list   (void);
/* FALSE: no such graph; the text is what the person may replace the layer in. */
gboolean graph_read    (const gchar *name, gchar **text, gchar **title, gchar **summary);
/* Makes it the graph of the layer. */
gboolean graph_fill    (Layer *layer, const gchar *text, const gchar *title, GError **error);

/* --------------------------------------------------------- graph-sizes.c -- */

#define SIZE_LEAST 0.1
#define SIZE_MOST  10.0

/* Of the graph that is filled. */
void     sizes_find    (Layer *layer, const gchar *text);
/* As the extras say. */
void     sizes_set     (Layer *layer);

/* -------------------------------------------------------- align-layers.c -- */

#define ALIGN_LAYERS "plug-in-tessera-align-layers"

void     align_layers_install (void);
void     align_layers_run (gint n_params, const GimpParam *param, gint *n_return_vals, GimpParam **return_vals);

/* ---------------------------------------------------------- align-open.c -- */

#define OPEN_STACK "plug-in-tessera-open-stack"

void     align_open_install (void);
void     align_open_run (gint n_params, const GimpParam *param, gint *n_return_vals, GimpParam **return_vals);

/* ------------------------------------------------------------- presets.c -- */

/* Settings under a name, in a file of the person's profile. */
gchar  **presets_names  (const gchar *operation);
gchar   *presets_get    (const gchar *operation, const gchar *name);
void     presets_set    (const gchar *operation, const gchar *name, const gchar *settings);
void     presets_delete (const gchar *operation, const gchar *name);

/* -------------------------------------------------------------- dialog.c -- */

gboolean dialog_run (Layer *layer, const gchar *name, const gchar *title);

/* ------------------------------------------------------------ sensitive.c -- */

/* What the key "sensitive" or "visible" of a property says at present; TRUE where there is none. */
gboolean sensitive_holds (GeglNode *node, GParamSpec *spec, const gchar *key);

#endif
