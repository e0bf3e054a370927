/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Align Visible Layers: what is asked for first, and what is told last.
 */
#include "align-layers.h"

#include <gegl-plugin.h>
#include <libgimp/gimpui.h>

#define CONTRAST_STEP 0.005

static void
attach (GtkWidget *table, gint row, const gchar *name, const gchar *tip, GtkWidget *control)
{
  gchar *label = g_strconcat (name, ":", NULL);

  gimp_help_set_help_data (control, tip, NULL);
  gimp_table_attach_aligned (GTK_TABLE (table), 0, row, label, 0.0, 0.5, control, 1, FALSE);
  g_free (label);
}

/* The movements that the operation offers. */
static GtkWidget *
attach_models (GtkWidget *table, gint value)
{
  GParamSpec *spec = gegl_operation_find_property (ALIGN_OPERATION, "model");
  GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;
  GtkWidget  *list = g_object_new (GIMP_TYPE_INT_COMBO_BOX, NULL);
  gchar      *label = g_strconcat ("_", g_param_spec_get_nick (spec), NULL);

  for (guint i = 0; i < values->n_values; i++)
    gimp_int_combo_box_append (GIMP_INT_COMBO_BOX (list), GIMP_INT_STORE_VALUE, align_options_movement (values->values[i].value),
                               GIMP_INT_STORE_LABEL, values->values[i].value_name, -1);
  gimp_int_combo_box_set_active (GIMP_INT_COMBO_BOX (list), value);
  attach (table, 0, label, g_param_spec_get_blurb (spec), list);
  g_free (label);
  return list;
}

static GtkWidget *
attach_new_layer (GtkWidget *table, gint value)
{
  GtkWidget *list = gimp_int_combo_box_new (_("None"), NEW_LAYER_NONE, _("Mean"), NEW_LAYER_MEAN, _("Median"), NEW_LAYER_MEDIAN,
                                             _("Exposure fusion"), NEW_LAYER_EXPOSURE, _("Focus stack"), NEW_LAYER_FOCUS, NULL);

  gimp_int_combo_box_set_active (GIMP_INT_COMBO_BOX (list), value);
  attach (table, 1, _("Ne_w layer"),
          _("A layer of all that lie on one another then: the mean has the least noise, the median leaves out what is in few of them; exposure fusion takes what is well "
            "exposed, a focus stack what is sharp"), list);
  return list;
}

static GtkWidget *
attach_contrast (GtkWidget *table, gdouble value)
{
  GParamSpec       *spec = gegl_operation_find_property (ALIGN_OPERATION, "contrast-threshold");
  GParamSpecDouble *range = G_PARAM_SPEC_DOUBLE (spec);
  GtkWidget        *number = gtk_spin_button_new_with_range (range->minimum, range->maximum, CONTRAST_STEP);
  gchar            *label = g_strconcat ("_", g_param_spec_get_nick (spec), NULL);

  gtk_spin_button_set_digits (GTK_SPIN_BUTTON (number), 3);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (number), value);
  gtk_entry_set_activates_default (GTK_ENTRY (number), TRUE);
  attach (table, 2, label, g_param_spec_get_blurb (spec), number);
  g_free (label);
  return number;
}

typedef struct
{
  GtkWidget *table, *model, *new_layer, *contrast;
} Controls;

static Controls
controls_new (const AlignOptions *options)
{
  Controls controls = { .table = gtk_table_new (3, 2, FALSE) };

  gtk_container_set_border_width (GTK_CONTAINER (controls.table), 12);
  gtk_table_set_col_spacings (GTK_TABLE (controls.table), 6);
  gtk_table_set_row_spacings (GTK_TABLE (controls.table), 6);
  controls.model = attach_models (controls.table, options->movement);
  controls.new_layer = attach_new_layer (controls.table, options->new_layer);
  controls.contrast = attach_contrast (controls.table, options->contrast);
  gtk_widget_show_all (controls.table);
  return controls;
}

static void
controls_read (const Controls *controls, AlignOptions *options)
{
  gint kind = options->new_layer;

  gimp_int_combo_box_get_active (GIMP_INT_COMBO_BOX (controls->model), &options->movement);
  gimp_int_combo_box_get_active (GIMP_INT_COMBO_BOX (controls->new_layer), &kind);
  options->new_layer = (NewLayer) kind;
  options->contrast = gtk_spin_button_get_value (GTK_SPIN_BUTTON (controls->contrast));
}

gboolean
align_dialog_run (AlignOptions *options)
{
  GtkWidget *window;
  Controls   controls;
  gboolean   is_ok;

  gimp_ui_init ("tessera", FALSE);
  window = gimp_dialog_new (_("Align Visible Layers by Content"), ALIGN_LAYERS, NULL, 0, NULL, NULL,
                            GTK_STOCK_CANCEL, GTK_RESPONSE_CANCEL, GTK_STOCK_OK, GTK_RESPONSE_OK, NULL);
  gtk_dialog_set_alternative_button_order (GTK_DIALOG (window), GTK_RESPONSE_OK, GTK_RESPONSE_CANCEL, -1);
  gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_OK);
  gimp_window_set_transient (GTK_WINDOW (window));
  controls = controls_new (options);
  gtk_box_pack_start (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (window))), controls.table, TRUE, TRUE, 0);
  gtk_widget_show_all (window);
  gtk_widget_grab_focus (gtk_dialog_get_widget_for_response (GTK_DIALOG (window), GTK_RESPONSE_OK));       /* Return would open a list */
  is_ok = gimp_dialog_run (GIMP_DIALOG (window)) == GTK_RESPONSE_OK;
  controls_read (&controls, options);
  gtk_widget_destroy (window);
  return is_ok;
}

gchar **
align_dialog_choose_files (AlignOptions *options)
{
  GtkWidget *window;
  GSList    *files = NULL;
  gchar    **paths = NULL;
  Controls   controls;
  gint       n = 0;

  gimp_ui_init ("tessera", FALSE);
  window = gtk_file_chooser_dialog_new (_("Open as Aligned Stack"), NULL, GTK_FILE_CHOOSER_ACTION_OPEN, GTK_STOCK_CANCEL, GTK_RESPONSE_CANCEL,
                                        GTK_STOCK_OPEN, GTK_RESPONSE_OK, NULL);
  gtk_dialog_set_alternative_button_order (GTK_DIALOG (window), GTK_RESPONSE_OK, GTK_RESPONSE_CANCEL, -1);
  gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_OK);
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (window), TRUE);
  controls = controls_new (options);
  gtk_file_chooser_set_extra_widget (GTK_FILE_CHOOSER (window), controls.table);
  gimp_window_set_transient (GTK_WINDOW (window));
  if (gtk_dialog_run (GTK_DIALOG (window)) == GTK_RESPONSE_OK)
    files = gtk_file_chooser_get_filenames (GTK_FILE_CHOOSER (window));
  controls_read (&controls, options);
  gtk_widget_destroy (window);
  if (files)
    paths = g_new0 (gchar *, g_slist_length (files) + 1);
  for (GSList *at = files; at; at = at->next)
    paths[n++] = at->data;
  g_slist_free (files);
  return paths;
}

/* In a window of its own: GIMP's messages have a warning sign, which fits only if no layer was moved, or one badly.  A script in a GIMP without windows may ask for the
 * last values, too. */
void
align_dialog_tell (const gchar *report, gboolean is_good)
{
  GtkWidget *window;

  if (gimp_default_display () < 0)
    {
      g_message ("%s", report);
      return;
    }
  gimp_ui_init ("tessera", FALSE);
  window = gtk_message_dialog_new (NULL, 0, is_good ? GTK_MESSAGE_INFO : GTK_MESSAGE_WARNING, GTK_BUTTONS_CLOSE, "%s", report);
  gtk_window_set_title (GTK_WINDOW (window), _("Align Visible Layers by Content"));
  gimp_window_set_transient (GTK_WINDOW (window));
  gtk_dialog_run (GTK_DIALOG (window));
  gtk_widget_destroy (window);
}
