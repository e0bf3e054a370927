/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: the procedure, and what it changes in the image.
 *
 * tessera:align finds the movement of each layer.  All that takes time comes first and changes nothing in the image: Cancel leaves it
 * as it was.  What changes it comes last, as one step of undo.
 */
#include "align-layers.h"

#include <libgimp/gimpui.h>

#define TITLE N_("Align Visible Layers by Content")

void
align_layers_install (void)
{
  static const GimpParamDef arguments[] = {
    { GIMP_PDB_INT32,    (gchar *) "run-mode",  (gchar *) "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1), RUN-WITH-LAST-VALS (2) }" },
    { GIMP_PDB_IMAGE,    (gchar *) "image",     (gchar *) "The image" },
    { GIMP_PDB_DRAWABLE, (gchar *) "drawable",  (gchar *) "Is not used" },
    { GIMP_PDB_INT32,    (gchar *) "model",     (gchar *) "Movement: 0 shift, 1 turn and scale too, 2 shear too, 3 perspective, 4 automatic" },
    { GIMP_PDB_INT32,    (gchar *) "new-layer", (gchar *) "A new layer of all: 0 none, 1 their mean, 2 their median, 3 their exposure fusion, 4 their focus stack" }
  };
  static const GimpParamDef results[] = {
    { GIMP_PDB_INT32,  (gchar *) "aligned", (gchar *) "How many layers were moved" },
    { GIMP_PDB_STRING, (gchar *) "report",  (gchar *) "A line for each layer" }
  };

  if (! gegl_has_operation (ALIGN_OPERATION) || ! gegl_has_operation (COMBINE_OPERATION))
    return;
  gimp_install_procedure (ALIGN_LAYERS, N_("Lays the visible layers on the lowest one: hand-held photographs of one subject"),
                          "The GEGL operations " ALIGN_OPERATION " and " COMBINE_OPERATION, "Tessera", "Tessera", "2026",
                          N_("Align Visible Layers by Content (Tessera)..."), "RGB*, GRAY*", GIMP_PLUGIN,
                          G_N_ELEMENTS (arguments), G_N_ELEMENTS (results), arguments, results);
  gimp_plugin_menu_register (ALIGN_LAYERS, "<Image>/Image/Arrange");
  gimp_plugin_icon_register (ALIGN_LAYERS, GIMP_ICON_TYPE_ICON_NAME, (const guint8 *) GIMP_ICON_GEGL);
}

/* ------------------------------------------------------------------ change -- */

void
align_layers_leave_only (gint32 image, gint32 layer)
{
  gint             n;
  g_autofree gint *layers = gimp_image_get_layers (image, &n);

  for (gint i = 0; i < n; i++)
    if (layers[i] != layer)
      gimp_image_remove_layer (image, layers[i]);
}

/* One step of undo; `alone`: the new layer takes the place of all. */
static void
change (AlignLayers *all, gint32 new_layer, gboolean alone)
{
  const gint32 active = gimp_image_get_active_layer (all->image);

  gimp_image_undo_group_start (all->image);
  if (new_layer <= 0 || ! alone)
    align_move_all (all);
  if (new_layer > 0)
    gimp_image_insert_layer (all->image, new_layer, 0, 0);
  if (new_layer > 0 && alone)
    align_layers_leave_only (all->image, new_layer);
  else if (active > 0)
    gimp_image_set_active_layer (all->image, active);
  gimp_image_undo_group_end (all->image);
}

/* ------------------------------------------------------------------ report -- */

static void
add_line (GString *report, const AlignedLayer *layer)
{
  gchar *name = gimp_item_get_name (layer->layer);

  g_string_append_c (report, '\n');
  if (layer->reason)
    g_string_append_printf (report, _("%s stays as it is: %s"), name, layer->reason);
  else
    g_string_append_printf (report, _("%s: %.2f pixels off, %d matches"), name, layer->error, layer->matches);
  if (! layer->reason && layer->remark[0])
    g_string_append_printf (report, "; %s", layer->remark);
  g_free (name);
}

static gchar *
report_of (const AlignLayers *all)
{
  GString *report = g_string_new (NULL);
  gchar   *lowest = gimp_item_get_name (all->lowest);

  g_string_append_printf (report, _("%d of %d layers lie on %s"), align_layers_count (all), all->n, lowest);
  for (gint i = all->n - 1; i >= 0; i--)                    /* from above, as the Layers dialog has them */
    add_line (report, &all->layers[i]);
  g_free (lowest);
  return g_string_free (report, FALSE);
}

/* None that moves may lie beside its place by more than eyes forgive; the operation's remark says so then. */
gboolean
align_layers_is_good (const AlignLayers *all)
{
  for (gint i = 0; i < all->n; i++)
    if (! all->layers[i].reason && all->layers[i].error > 1.0)
      return FALSE;
  return align_layers_count (all) > 0;
}

/* --------------------------------------------------------------------- run -- */

static GimpPDBStatusType
choose (GimpRunMode mode, gint n_params, const GimpParam *param, AlignOptions *options, GError **error)
{
  if (mode == GIMP_RUN_NONINTERACTIVE)
    return align_options_read (ALIGN_LAYERS, options, n_params, param, error) ? GIMP_PDB_SUCCESS : GIMP_PDB_CALLING_ERROR;
  if (gimp_get_data_size (ALIGN_LAYERS) == sizeof *options)
    gimp_get_data (ALIGN_LAYERS, options);
  if (mode == GIMP_RUN_INTERACTIVE && ! align_dialog_run (options))
    return GIMP_PDB_CANCEL;
  gimp_set_data (ALIGN_LAYERS, options, sizeof *options);
  return GIMP_PDB_SUCCESS;
}

gchar *
align_layers_do (AlignLayers *all, gboolean alone, GError **error)
{
  g_autofree gchar *report = NULL;
  gint32            new_layer;

  if (! align_layers_find (all, error))
    return NULL;
  if (align_layers_count (all) == 0)
    return report_of (all);
  new_layer = align_layers_combine (all);
  if (alone && new_layer > 0)
    report = report_of (all);       /* nothing moves, and layers that are gone have no names */
  gimp_progress_end ();             /* from here on there is no Cancel: GIMP would end the plug-in and keep what was moved */
  change (all, new_layer, alone);
  return report ? g_steal_pointer (&report) : report_of (all);
}

void
align_layers_run (gint n_params, const GimpParam *param, gint *n_return_vals, GimpParam **return_vals)
{
  static GimpParam  values[3];                              /* live as long as this process */
  const GimpRunMode mode = param[0].data.d_int32;
  AlignLayers       all = { .image = param[1].data.d_image, .options = { MOVEMENT_AUTOMATIC, NEW_LAYER_NONE, align_options_contrast () } };
  GError           *error = NULL;
  gchar            *report = NULL;

  *return_vals = values;
  values[0].type = GIMP_PDB_STATUS;
  values[0].data.d_status = choose (mode, n_params, param, &all.options, &error);
  if (values[0].data.d_status == GIMP_PDB_SUCCESS)
    {
      gimp_progress_init (_(TITLE));
      report = align_layers_do (&all, FALSE, &error);
      values[0].data.d_status = report ? GIMP_PDB_SUCCESS : GIMP_PDB_EXECUTION_ERROR;
    }
  values[1] = (GimpParam) { .type = GIMP_PDB_INT32, .data.d_int32 = align_layers_count (&all) };
  values[2] = (GimpParam) { .type = GIMP_PDB_STRING, .data.d_string = report };
  if (error)
    values[1] = (GimpParam) { .type = GIMP_PDB_STRING, .data.d_string = error->message };
  *n_return_vals = report ? 3 : error ? 2 : 1;
  if (report && mode != GIMP_RUN_NONINTERACTIVE)
    {
      gimp_progress_end ();
      gimp_displays_flush ();
      align_dialog_tell (report, align_layers_is_good (&all));
    }
  align_layers_clear (&all);
}
