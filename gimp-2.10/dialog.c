/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The dialog of any operation: a preview that computes what it shows and no more,
 * the controls, and Reset.
 */
#include "widgets.h"

#define RESPONSE_RESET 1
#define GIMP_TEXT(text) g_dgettext ("gimp20-std-plug-ins", text)        /* GIMP has these in each language */

typedef struct
{
  Layer     *layer;
  GtkWidget *preview, *box, *controls;
} Dialog;

static void
draw_preview (GimpPreview *preview, Dialog *dialog)
{
  GeglRectangle area;
  guchar       *bytes;
  gint          bpp = layer_preview_bpp (dialog->layer);

  gimp_preview_get_position (preview, &area.x, &area.y);
  gimp_preview_get_size (preview, &area.width, &area.height);
  bytes = g_malloc0_n ((gsize) area.width * area.height, bpp);
  layer_preview (dialog->layer, &area, bytes);
  gimp_preview_draw_buffer (preview, bytes, area.width * bpp);
  g_free (bytes);
}

static void
settings_changed (gpointer data)
{
  Dialog *dialog = data;

  gimp_preview_invalidate (GIMP_PREVIEW (dialog->preview));
}

static void
show_controls (Dialog *dialog)
{
  if (dialog->controls)
    gtk_widget_destroy (dialog->controls);
  dialog->controls = widgets_new (dialog->layer->operation, settings_changed, dialog);
  gtk_box_pack_start (GTK_BOX (dialog->box), dialog->controls, FALSE, FALSE, 0);
}

static GtkWidget *
window_new (const gchar *name, const gchar *title)
{
  GtkWidget *window;

  bindtextdomain ("gimp20-std-plug-ins", gimp_locale_directory ());
  bind_textdomain_codeset ("gimp20-std-plug-ins", "UTF-8");
  window = gimp_dialog_new (title, name, NULL, 0, NULL, NULL,
                            GIMP_TEXT ("_Reset"), RESPONSE_RESET,
                            GIMP_TEXT ("_Cancel"), GTK_RESPONSE_CANCEL,
                            GIMP_TEXT ("_OK"), GTK_RESPONSE_OK, NULL);
  gtk_dialog_set_alternative_button_order (GTK_DIALOG (window), GTK_RESPONSE_OK, RESPONSE_RESET, GTK_RESPONSE_CANCEL, -1);
  gtk_dialog_set_default_response (GTK_DIALOG (window), GTK_RESPONSE_OK);
  gimp_window_set_transient (GTK_WINDOW (window));
  return window;
}

/* TRUE: OK was pressed.  The operation has the values that were chosen. */
gboolean
dialog_run (Layer *layer, const gchar *name, const gchar *title)
{
  Dialog     dialog = { layer, NULL, NULL, NULL };
  GtkWidget *window;
  gint       response;

  gimp_ui_init ("tessera", TRUE);
  window = window_new (name, title);
  dialog.box = gtk_vbox_new (FALSE, 12);
  gtk_container_set_border_width (GTK_CONTAINER (dialog.box), 12);
  gtk_box_pack_start (GTK_BOX (gtk_dialog_get_content_area (GTK_DIALOG (window))), dialog.box, TRUE, TRUE, 0);
  dialog.preview = gimp_drawable_preview_new_from_drawable_id (layer->drawable);
  gtk_widget_set_size_request (dialog.preview, 420, 340);
  gtk_box_pack_start (GTK_BOX (dialog.box), dialog.preview, TRUE, TRUE, 0);
  g_signal_connect (dialog.preview, "invalidated", G_CALLBACK (draw_preview), &dialog);
  show_controls (&dialog);
  gtk_widget_show_all (window);
  while ((response = gimp_dialog_run (GIMP_DIALOG (window))) == RESPONSE_RESET)
    {
      settings_reset (layer->operation);
      show_controls (&dialog);
      settings_changed (&dialog);
    }
  gtk_widget_destroy (window);
  return response == GTK_RESPONSE_OK;
}
