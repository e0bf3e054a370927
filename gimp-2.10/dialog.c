/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The dialog of any operation: presets, a preview, the operation's controls, the second
 * picture where it has one, the strength; and Reset.  That of a ready-made graph has no presets, and a size.
 */
#include "preview.h"
#include "widgets.h"

#define RESPONSE_RESET 1
#define NO_SECOND (-1)
#define AROUND 80                       /* pixels of a screen's height for a title bar and a panel */

typedef struct
{
  Layer       *layer;
  const gchar *operation;
  GtkWidget   *presets, *preview, *box, *controls;
} Dialog;

static void
settings_changed (gpointer data)
{
  Dialog *dialog = data;

  preview_update (dialog->preview);
}

/* ---------------------------------------------------------------- extras -- */

static void
strength_changed (GtkAdjustment *slider, Dialog *dialog)
{
  dialog->layer->extras.strength = gtk_adjustment_get_value (slider) / 100.0;
  settings_changed (dialog);
}

static void
size_changed (GtkAdjustment *slider, Dialog *dialog)
{
  dialog->layer->extras.size = gtk_adjustment_get_value (slider);
  sizes_set (dialog->layer);
  settings_changed (dialog);
}

static void
second_changed (GtkWidget *list, Dialog *dialog)
{
  gint drawable;

  if (! gimp_int_combo_box_get_active (GIMP_INT_COMBO_BOX (list), &drawable) || drawable == dialog->layer->extras.second)
    return;
  dialog->layer->extras.second = drawable;
  layer_take_second (dialog->layer);
  settings_changed (dialog);
}

/* A layer or channel of any open image, but not what the filter is applied to. */
static gboolean
can_be_second (gint32 image G_GNUC_UNUSED, gint32 drawable, gpointer data)
{
  return drawable != ((Dialog *) data)->layer->drawable && ! gimp_item_is_group (drawable) && ! gimp_drawable_is_indexed (drawable);
}

static void
add_second (Dialog *dialog, GtkTable *table, gint row)
{
  GtkWidget *list = gimp_drawable_combo_box_new (can_be_second, dialog);

  gimp_int_combo_box_prepend (GIMP_INT_COMBO_BOX (list), GIMP_INT_STORE_VALUE, NO_SECOND,
                              GIMP_INT_STORE_LABEL, _("The layer itself"), -1);
  gimp_int_combo_box_connect (GIMP_INT_COMBO_BOX (list), dialog->layer->extras.second, G_CALLBACK (second_changed), dialog);
  gimp_help_set_help_data (list, _("The other picture that the filter looks at, of this image or of another one that is open"), NULL);
  gimp_table_attach_aligned (table, 0, row, _("Second picture:"), 0.0, 0.5, list, 2, FALSE);
}

static void
connect_slider (Dialog *dialog, GtkObject *slider, GCallback changed)
{
  gtk_entry_set_activates_default (GTK_ENTRY (GIMP_SCALE_ENTRY_SPINBUTTON (slider)), TRUE);
  g_signal_connect (slider, "value-changed", changed, dialog);
}

static void
add_size (Dialog *dialog, GtkTable *table, gint row)
{
  GtkObject *slider = gimp_scale_entry_new (table, 0, row, _("Size:"), 140, 8, dialog->layer->extras.size, SIZE_LEAST, SIZE_MOST, 0.1, 1.0, 2,
                                            TRUE, 0.0, 0.0, _("How large what is changed is: at 1 as it fits this picture, at 2 twice as large"), NULL);

  gimp_scale_entry_set_logarithmic (slider, TRUE);
  connect_slider (dialog, slider, G_CALLBACK (size_changed));
}

/* Below the operation's own controls, a little apart. */
static void
add_extras (Dialog *dialog, GtkTable *table)
{
  gint row = 0;

  if (dialog->layer->operation)
    {
      g_object_get (table, "n-rows", &row, NULL);
      gtk_table_resize (table, row + 2, 3);
      gtk_table_set_row_spacing (table, row - 1, 12);
    }
  if (dialog->layer->place)
    add_second (dialog, table, row++);
  if (dialog->layer->lengths && dialog->layer->lengths->len)
    add_size (dialog, table, row++);
  connect_slider (dialog, gimp_scale_entry_new (table, 0, row, _("Strength:"), 140, 8, 100.0 * dialog->layer->extras.strength,
                                                0.0, 100.0, 1.0, 10.0, 0, TRUE, 0.0, 0.0,
                                                _("How much of the filter there is, in percent: at 0 the picture stays as it was"), NULL),
                  G_CALLBACK (strength_changed));
}

/* With nothing in it yet. */
static GtkWidget *
table_of_graph (void)
{
  GtkWidget *table = gtk_table_new (2, 3, FALSE);

  gtk_table_set_col_spacings (GTK_TABLE (table), 6);
  gtk_table_set_row_spacings (GTK_TABLE (table), 6);
  gtk_widget_show (table);
  return table;
}

static void
show_controls (Dialog *dialog)
{
  if (dialog->controls)
    gtk_widget_destroy (dialog->controls);
  dialog->controls = dialog->layer->operation ? widgets_new (dialog->layer->operation, settings_changed, dialog) : table_of_graph ();
  add_extras (dialog, GTK_TABLE (dialog->controls));
  gtk_box_pack_start (GTK_BOX (dialog->box), dialog->controls, FALSE, FALSE, 0);
}

/* --------------------------------------------------------------- presets -- */

static void
list_presets (Dialog *dialog)
{
  g_auto (GStrv) names = presets_names (dialog->operation);
  GtkListStore *rows = GTK_LIST_STORE (gtk_combo_box_get_model (GTK_COMBO_BOX (dialog->presets)));

  gtk_list_store_clear (rows);
  for (gint i = 0; names[i]; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (dialog->presets), names[i]);
}

static const gchar *
preset_name (Dialog *dialog)
{
  return gtk_entry_get_text (GTK_ENTRY (gtk_bin_get_child (GTK_BIN (dialog->presets))));
}

/* One of the list, and not a name that is being written. */
static void
preset_chosen (GtkComboBox *list, Dialog *dialog)
{
  g_autofree gchar *text = gtk_combo_box_get_active (list) < 0 ? NULL : presets_get (dialog->operation, preset_name (dialog));
  gint32 second = dialog->layer->extras.second;

  if (! text)
    return;
  settings_reset (dialog->layer->operation, &dialog->layer->extras);
  settings_parse (dialog->layer->operation, text, &dialog->layer->extras, NULL);
  dialog->layer->extras.second = second;
  show_controls (dialog);
  settings_changed (dialog);
}

static void
preset_saved (GtkWidget *button G_GNUC_UNUSED, Dialog *dialog)
{
  g_autofree gchar *name = g_strstrip (g_strdup (preset_name (dialog)));

  if (*name)
    {
      g_autofree gchar *text = settings_text (dialog->layer->operation, &dialog->layer->extras);

      presets_set (dialog->operation, name, text);
      list_presets (dialog);
    }
}

static void
preset_deleted (GtkWidget *button G_GNUC_UNUSED, Dialog *dialog)
{
  presets_delete (dialog->operation, preset_name (dialog));
  list_presets (dialog);
  gtk_entry_set_text (GTK_ENTRY (gtk_bin_get_child (GTK_BIN (dialog->presets))), "");
}

/* Not called presets: an operation may have a property of that name. */
static GtkWidget *
presets_new (Dialog *dialog)
{
  static const struct { const gchar *stock; GCallback action; } buttons[] = {
    { GTK_STOCK_SAVE, G_CALLBACK (preset_saved) }, { GTK_STOCK_DELETE, G_CALLBACK (preset_deleted) }
  };
  GtkWidget *row = gtk_hbox_new (FALSE, 6);

  dialog->presets = gtk_combo_box_text_new_with_entry ();
  list_presets (dialog);
  gtk_entry_set_activates_default (GTK_ENTRY (gtk_bin_get_child (GTK_BIN (dialog->presets))), TRUE);
  gimp_help_set_help_data (dialog->presets, _("Choose a preset, or write a name and save the settings under it"), NULL);
  g_signal_connect (dialog->presets, "changed", G_CALLBACK (preset_chosen), dialog);
  gtk_box_pack_start (GTK_BOX (row), gtk_label_new (_("Settings:")), FALSE, FALSE, 0);
  gtk_box_pack_start (GTK_BOX (row), dialog->presets, TRUE, TRUE, 0);
  for (guint i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      GtkWidget *button = gtk_button_new_from_stock (buttons[i].stock);

      g_signal_connect (button, "clicked", buttons[i].action, dialog);
      gtk_box_pack_start (GTK_BOX (row), button, FALSE, FALSE, 0);
    }
  return row;
}

/* ---------------------------------------------------------------- dialog -- */

static GtkWidget *
window_new (const gchar *name, const gchar *title)
{
  GtkWidget *window = gimp_dialog_new (title, name, NULL, 0, NULL, NULL,
                                      GIMP_STOCK_RESET, RESPONSE_RESET,
                                      GTK_STOCK_CANCEL, GTK_RESPONSE_CANCEL,
                                      GTK_STOCK_OK, GTK_RESPONSE_OK, NULL);
  gtk_dialog_set_alternative_button_order (GTK_DIALOG (window), GTK_RESPONSE_OK, RESPONSE_RESET, GTK_RESPONSE_CANCEL, -1);
  gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_OK);
  gimp_window_set_transient (GTK_WINDOW (window));
  return window;
}

/* On a low screen the preview gives way, so that the buttons are seen. */
static void
fit_screen (GtkWidget *window, GtkWidget *preview)
{
  GtkRequisition wanted;
  gint           too_high;

  gtk_widget_size_request (window, &wanted);
  too_high = wanted.height + AROUND - gdk_screen_get_height (gtk_widget_get_screen (window));
  if (too_high > 0)
    preview_lower (preview, too_high);
}

static GtkWidget *
fill_window (Dialog *dialog, GtkWidget *window)
{
  dialog->box = gtk_vbox_new (FALSE, 12);
  gtk_container_set_border_width (GTK_CONTAINER (dialog->box), 12);
  gtk_box_pack_start (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (window))), dialog->box, TRUE, TRUE, 0);
  if (dialog->operation)
    gtk_box_pack_start (GTK_BOX (dialog->box), presets_new (dialog), FALSE, FALSE, 0);
  dialog->preview = preview_new (dialog->layer);
  gtk_box_pack_start (GTK_BOX (dialog->box), dialog->preview, TRUE, TRUE, 0);
  show_controls (dialog);
  gtk_widget_show_all (dialog->box);
  fit_screen (window, dialog->preview);
  gtk_widget_show_all (window);
  preview_take_focus (dialog->preview);
  return window;
}

/* TRUE: OK was pressed.  The operation has the values that were chosen. */
gboolean
dialog_run (Layer *layer, const gchar *name, const gchar *title)
{
  Dialog     dialog = { layer, layer->operation ? gegl_node_get_operation (layer->operation) : NULL, NULL, NULL, NULL, NULL };
  GtkWidget *window;
  gint       response;

  gimp_ui_init ("tessera", TRUE);
  window = fill_window (&dialog, window_new (name, title));
  while ((response = gimp_dialog_run (GIMP_DIALOG (window))) == RESPONSE_RESET)
    {
      settings_reset (layer->operation, &layer->extras);
      layer_take_second (layer);
      sizes_set (layer);
      show_controls (&dialog);
      settings_changed (&dialog);
    }
  gtk_widget_destroy (window);
  return response == GTK_RESPONSE_OK;
}
