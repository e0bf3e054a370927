/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: the visible layers are laid on the lowest visible one.  gimp-3/tessera-align-layers.py.in does the same
 * in Python, with the same texts.
 */
#ifndef TESSERA_ALIGN_LAYERS_H
#define TESSERA_ALIGN_LAYERS_H

#include "plug-in.h"

#define ALIGN_OPERATION   "tessera:align"
#define COMBINE_OPERATION "tessera:combine"

typedef enum { NEW_LAYER_NONE, NEW_LAYER_MEAN, NEW_LAYER_MEDIAN, NEW_LAYER_EXPOSURE, NEW_LAYER_FOCUS, N_NEW_LAYERS } NewLayer;

/* As scripts number them: the numbers stay, and what came later has a later one. */
typedef enum { MOVEMENT_SHIFT, MOVEMENT_TURN, MOVEMENT_SHEAR, MOVEMENT_PERSPECTIVE, MOVEMENT_AUTOMATIC, N_MOVEMENTS } Movement;

typedef struct
{
  gint     movement;
  NewLayer new_layer;
  gdouble  contrast;            /* of points */
} AlignOptions;

/* How a layer gets where it goes: by GIMP's transform; its pixels stay, and its place changes; it gets resampled pixels. */
typedef enum { WAY_TRANSFORM, WAY_SHIFT, WAY_PIXELS } Way;

/* A layer, and where it goes. */
typedef struct
{
  gint32      layer;
  gchar      *reason;           /* why it stays as it is; NULL: it does not */
  gchar      *matrix_text;      /* as tessera:align tells it */
  gdouble     matrix[9];        /* places of the image, pixel centres at integers */
  gdouble     error;            /* how far it may be off, in pixels */
  gchar      *remark;           /* of the operation, if it moves; "": none */
  gint        matches;
  GeglBuffer *pixels;           /* aligned, in the box of the lowest, if there will be a new layer */
  Way         way;
  gint        by_x, by_y;       /* WAY_SHIFT */
  GeglBuffer *moved;            /* WAY_PIXELS: all of it where it goes, stored as a layer is */
} AlignedLayer;

typedef struct
{
  gint32        image;
  const Babl   *space;          /* of its profile; NULL is sRGB */
  AlignOptions  options;
  gint          n;              /* layers above the lowest */
  AlignedLayer *layers;         /* from the lowest up */
  gint32        lowest;
  GeglBuffer   *reference;      /* its pixels */
} AlignLayers;

/* align-find.c: all that takes time; nothing in the image changes.  FALSE: there are not two layers. */
gboolean align_layers_find    (AlignLayers *all, GError **error);
/* A layer that is not yet in the image; -1: none is wished. */
gint32   align_layers_combine (AlignLayers *all);
gint     align_layers_count   (const AlignLayers *all);         /* those that move */
void     align_layers_clear   (AlignLayers *all);

/* align-render.c: the node's pixels, in the place that they have in the image. */
GeglBuffer *align_layers_render (GeglNode *graph, GeglNode *node, const Babl *format);
/* While the node computes: from one part of the whole work to another. */
void     align_layers_show_progress (GeglNode *node, gdouble from, gdouble to);

/* align-move.c: takes time and changes nothing in the image either.  `picture` is the layer where it lies, a node of the graph. */
void     align_move_prepare  (AlignedLayer *layer, const Babl *space, GeglNode *graph, GeglNode *picture, gdouble from, gdouble to);
/* Changes the image.  A layer that cannot be moved gets a reason. */
void     align_move_all      (AlignLayers *all);

/* align-options.c: the value of the operation's property; the movement of such a value. */
gint     align_options_value    (gint movement);
gint     align_options_movement (gint value);
gdouble  align_options_contrast (void);         /* the operation's own */
/* Of the arguments from the fourth on, the same of both procedures.  FALSE: a script gave a number that is none; the error says which. */
gboolean align_options_read     (const gchar *procedure, AlignOptions *options, gint n_params, const GimpParam *param, GError **error);

/* align-layers.c: the report; NULL: an error.  `alone`: a new layer takes the place of all. */
gchar   *align_layers_do      (AlignLayers *all, gboolean alone, GError **error);
gboolean align_layers_is_good (const AlignLayers *all);
void     align_layers_leave_only (gint32 image, gint32 layer);

/* align-dialog.c: TRUE if OK was pressed. */
gboolean align_dialog_run     (AlignOptions *options);
/* The files, and the same options; NULL: Cancel. */
gchar  **align_dialog_choose_files (AlignOptions *options);
void     align_dialog_tell    (const gchar *report, gboolean is_good);

#endif
