/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The plug-in for GIMP 2.10, which does not put GEGL operations of others into its
 * menus: one Filters entry and one procedure for each operation that GEGL lists
 * under tessera: with a menu label.  Nothing here knows a filter by name.
 */
#ifndef TESSERA_PLUG_IN_H
#define TESSERA_PLUG_IN_H

#include "config.h"

#include <gegl.h>
#include <glib/gi18n-lib.h>
#include <libgimp/gimp.h>

typedef enum { TESSERA_BAD_SETTINGS, TESSERA_BAD_LAYER } TesseraPlugInError;

#define TESSERA_PLUG_IN_ERROR (g_quark_from_static_string ("tessera-plug-in"))

/* ------------------------------------------------------------ settings.c -- */

/* "name=value name='a value'": sets properties of the node, others keep theirs. */
gboolean settings_parse    (GeglNode *node, const gchar *text, GError **error);
/* The properties that are not at their defaults, in that form. */
gchar   *settings_text     (GeglNode *node);
void     settings_reset    (GeglNode *node);
/* A line for each property: name, meaning, values, default. */
gchar   *settings_describe (const gchar *operation);
/* The text of a value, as it stands behind `name=`, without quotes; NULL: not a kind that is offered. */
gchar   *settings_value_text (const GValue *value);
gboolean settings_is_offered (GParamSpec *spec);

/* --------------------------------------------------------------- layer.c -- */

/* A drawable, a copy of its pixels, and the operation that reads them. */
typedef struct
{
  gint32         drawable;
  GeglRectangle  selected;      /* what may change, in the drawable's coordinates */
  const Babl    *space;         /* of the image's profile; NULL is sRGB */
  GeglBuffer    *pixels;
  GeglNode      *graph, *operation;
} Layer;

Layer   *layer_new     (gint32 image, gint32 drawable, const gchar *operation, GError **error);
void     layer_free    (Layer *layer);
/* 8 bits, as the drawable's type orders them. */
void     layer_preview (Layer *layer, const GeglRectangle *area, guchar *bytes);
gint     layer_preview_bpp (Layer *layer);
/* One step of undo; progress on the bar. */
void     layer_apply   (Layer *layer);

/* -------------------------------------------------------------- dialog.c -- */

gboolean dialog_run (Layer *layer, const gchar *name, const gchar *title);

/* ------------------------------------------------------------ sensitive.c -- */

/* What the key "sensitive" or "visible" of a property says at present; TRUE where there is none. */
gboolean sensitive_holds (GeglNode *node, GParamSpec *spec, const gchar *key);

#endif
