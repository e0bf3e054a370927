/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Open as Aligned Stack: files become the layers of one image, which are aligned then, or one layer of all of them.
 */
#include "align-layers.h"

#include <libgimp/gimpui.h>

#define TITLE N_("Open as Aligned Stack")
#define FILES 1                         /* of the arguments: how many, and their paths */

void
align_open_install (void)
{
  static const GimpParamDef arguments[] = {
    { GIMP_PDB_INT32,       (gchar *) "run-mode",  (gchar *) "The run mode { RUN-INTERACTIVE (0), RUN-NONINTERACTIVE (1) }" },
    { GIMP_PDB_INT32,       (gchar *) "num-files", (gchar *) "How many files" },
    { GIMP_PDB_STRINGARRAY, (gchar *) "files",     (gchar *) "Their paths, the one that the others are laid on first" },
    { GIMP_PDB_INT32,       (gchar *) "model",     (gchar *) "Movement: 0 shift, 1 turn and scale too, 2 shear too, 3 perspective, 4 automatic" },
    { GIMP_PDB_INT32,       (gchar *) "new-layer", (gchar *) "One layer in place of all: 0 none, 1 their mean, 2 their median, 3 their exposure fusion, 4 their focus stack" }
  };
  static const GimpParamDef results[] = {
    { GIMP_PDB_IMAGE,  (gchar *) "image",   (gchar *) "The image" },
    { GIMP_PDB_INT32,  (gchar *) "aligned", (gchar *) "How many layers were moved" },
    { GIMP_PDB_STRING, (gchar *) "report",  (gchar *) "A line for each layer" }
  };

  if (! gegl_has_operation (ALIGN_OPERATION) || ! gegl_has_operation (COMBINE_OPERATION))
    return;
  gimp_install_procedure (OPEN_STACK, N_("Opens photographs of one subject as layers that lie on one another, or as one layer of all of them"),
                          "With a new layer that one takes the place of all; undo brings the others back. The first file says how large the image is, "
                          "and in which colors it is.", "Tessera", "Tessera", "2026",
                          N_("Open as Aligned Stack (Tessera)..."), NULL, GIMP_PLUGIN, G_N_ELEMENTS (arguments), G_N_ELEMENTS (results), arguments, results);
  gimp_plugin_menu_register (OPEN_STACK, "<Image>/File/Open");
  gimp_plugin_icon_register (OPEN_STACK, GIMP_ICON_TYPE_ICON_NAME, (const guint8 *) GIMP_ICON_GEGL);
}

/* -------------------------------------------------------------------- open -- */

/* Of several layers, or a group, what is seen takes their place. */
static gint32
only_layer (gint32 image)
{
  gint             n;
  g_autofree gint *layers = gimp_image_get_layers (image, &n);
  gint32           seen;

  if (n == 1 && ! gimp_item_is_group (layers[0]))
    return layers[0];
  seen = gimp_layer_new_from_visible (image, image, "");
  gimp_image_insert_layer (image, seen, 0, 0);
  align_layers_leave_only (image, seen);
  return seen;
}

/* An image, which belongs to no file; -1: GIMP cannot open it. */
static gint32
open_first (const gchar *path)
{
  const gint32 loaded = gimp_file_load (GIMP_RUN_NONINTERACTIVE, path, path), image = loaded >= 0 ? gimp_image_duplicate (loaded) : -1;

  if (image < 0)
    return -1;
  gimp_image_delete (loaded);
  gimp_image_undo_disable (image);
  if (gimp_image_base_type (image) == GIMP_INDEXED)
    gimp_image_convert_rgb (image);
  return image;
}

/* As one layer on top; the first file makes the image. */
static gboolean
open_one (gint32 *image, const gchar *path)
{
  g_autofree gchar *name = g_path_get_basename (path);
  gint32            layer;

  if (*image < 0)
    {
      *image = open_first (path);
      layer = *image >= 0 ? only_layer (*image) : -1;
    }
  else
    {
      layer = gimp_file_load_layer (GIMP_RUN_NONINTERACTIVE, *image, path);
      if (layer >= 0)
        gimp_image_insert_layer (*image, layer, 0, 0);
    }
  if (layer >= 0)
    gimp_item_set_name (layer, name);
  return layer >= 0;
}

static void
add_left_out (GString *left_out, const gchar *path)
{
  g_autofree gchar *name = g_path_get_basename (path);
  g_autofree gchar *reason = g_strdup (gimp_get_pdb_error ());

  g_string_append_c (left_out, '\n');
  g_string_append_printf (left_out, _("%s is left out: %s"), name, g_strstrip (reason));
}

/* -1 and the error if fewer than two open; `left_out`: a line for each that does not. */
static gint32
open_all (gint n, const gchar *const *paths, GString *left_out, GError **error)
{
  gint32 image = -1;
  gint   opened = 0;

  for (gint i = 0; i < n; i++)
    {
      g_autofree gchar *name = g_path_get_basename (paths[i]), *text = g_strdup_printf (_("Opening %s"), name);

      gimp_progress_set_text (text);
      gimp_progress_update ((gdouble) i / n);
      if (open_one (&image, paths[i]))
        opened++;
      else
        add_left_out (left_out, paths[i]);
    }
  if (opened >= 2)
    {
      gimp_image_undo_enable (image);
      return image;
    }
  if (image >= 0)
    gimp_image_delete (image);
  g_set_error (error, TESSERA_PLUG_IN_ERROR, TESSERA_BAD_LAYER, "%s%s", _("At least two of the files must be pictures"), left_out->str);
  return -1;
}

/* --------------------------------------------------------------------- run -- */

/* What was chosen: paths in a list that g_strfreev frees; NULL: nothing. */
static gchar **
choose (gint n_params, const GimpParam *param, AlignOptions *options, GimpPDBStatusType *status, GError **error)
{
  gchar **paths = NULL;

  *status = GIMP_PDB_CALLING_ERROR;
  if (param[0].data.d_int32 == GIMP_RUN_INTERACTIVE)
    {
      paths = align_dialog_choose_files (options);
      *status = paths ? GIMP_PDB_SUCCESS : GIMP_PDB_CANCEL;
    }
  else if (n_params > FILES + 1 && align_options_read (OPEN_STACK, options, n_params, param, error))
    {
      paths = g_new0 (gchar *, param[FILES].data.d_int32 + 1);
      for (gint i = 0; i < param[FILES].data.d_int32; i++)
        paths[i] = g_strdup (param[FILES + 1].data.d_stringarray[i]);
      *status = GIMP_PDB_SUCCESS;
    }
  return paths;
}

/* The report; NULL: an error. */
static gchar *
open_and_align (AlignLayers *all, gchar **paths, gboolean shows, gboolean *all_opened, GError **error)
{
  g_autoptr (GString) left_out = g_string_new (NULL);
  g_autofree gchar   *report = NULL;

  all->image = open_all (g_strv_length (paths), (const gchar *const *) paths, left_out, error);
  if (all->image < 0)
    return NULL;
  if (shows)
    gimp_display_new (all->image);          /* Cancel leaves it there, as it was opened */
  report = align_layers_do (all, TRUE, error);
  if (! report && ! shows)
    gimp_image_delete (all->image);         /* nobody would see it */
  *all_opened = left_out->len == 0;
  return report ? g_strconcat (report, left_out->str, NULL) : NULL;
}

void
align_open_run (gint n_params, const GimpParam *param, gint *n_return_vals, GimpParam **return_vals)
{
  static GimpParam values[4];                               /* live as long as this process */
  const gboolean   shows = param[0].data.d_int32 != GIMP_RUN_NONINTERACTIVE;
  AlignLayers      all = { .image = -1, .options = { MOVEMENT_AUTOMATIC, NEW_LAYER_NONE, align_options_contrast () } };
  gboolean         all_opened = FALSE;
  GError          *error = NULL;
  gchar           *report = NULL;
  g_auto (GStrv)   paths = choose (n_params, param, &all.options, &values[0].data.d_status, &error);

  *return_vals = values;
  values[0].type = GIMP_PDB_STATUS;
  if (paths)
    {
      gimp_progress_init (_(TITLE));
      report = open_and_align (&all, paths, shows, &all_opened, &error);
      values[0].data.d_status = report ? GIMP_PDB_SUCCESS : GIMP_PDB_EXECUTION_ERROR;
    }
  values[1] = (GimpParam) { .type = GIMP_PDB_IMAGE, .data.d_image = all.image };
  values[2] = (GimpParam) { .type = GIMP_PDB_INT32, .data.d_int32 = align_layers_count (&all) };
  values[3] = (GimpParam) { .type = GIMP_PDB_STRING, .data.d_string = report };
  if (error)
    values[1] = (GimpParam) { .type = GIMP_PDB_STRING, .data.d_string = error->message };
  *n_return_vals = report ? 4 : error ? 2 : 1;
  if (report && shows)
    {
      gimp_progress_end ();
      gimp_displays_flush ();
      align_dialog_tell (report, all_opened && align_layers_is_good (&all));
    }
  align_layers_clear (&all);
}
