/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Controls as GIMP's own dialogs have them: numbers on a slider with GEGL's ui-range,
 * enums in a list, booleans as a check button, texts, colours.  What the operation says is
 * wrong is a line of text, there as long as it says so.
 */
#include "widgets.h"

#include <gegl-paramspecs.h>
#include <math.h>

#define SLIDER 140
#define DIGITS 8                        /* of the entry's width */

typedef struct
{
  GeglNode   *node;
  GPtrArray  *rows;                     /* of Row */
  void      (*changed) (gpointer data);
  gpointer    data;
} Controls;

typedef struct
{
  Controls   *all;
  GParamSpec *spec;
  GtkWidget  *label, *widget;           /* both NULL where there is a slider */
  GtkObject  *slider;
} Row;

static void
show_widget (GtkWidget *widget, gboolean visible, gboolean sensitive)
{
  if (! widget)
    return;
  gtk_widget_set_sensitive (widget, sensitive);
  gtk_widget_set_visible (widget, visible);
}

static gboolean
is_message (GParamSpec *spec)
{
  return G_IS_PARAM_SPEC_STRING (spec) && g_strcmp0 (gegl_param_spec_get_property_key (spec, "error"), "true") == 0;
}

static void
show_message (Row *row)
{
  g_autofree gchar *message = NULL, *text = NULL;

  gegl_node_get (row->all->node, row->spec->name, &message, NULL);
  text = g_strdup_printf ("%s: %s", g_param_spec_get_nick (row->spec), message ? message : "");
  gtk_label_set_text (GTK_LABEL (row->widget), text);
  gtk_widget_set_visible (row->widget, message && *message);
}

/* What has no effect at present is grey, or away, as the operation says. */
static void
show_which (Controls *all)
{
  for (guint i = 0; i < all->rows->len; i++)
    {
      Row     *row = g_ptr_array_index (all->rows, i);
      gboolean visible = sensitive_holds (all->node, row->spec, "visible");
      gboolean sensitive = sensitive_holds (all->node, row->spec, "sensitive");

      show_widget (row->label, visible, sensitive);
      show_widget (row->widget, visible, sensitive);
      if (row->slider)
        {
          show_widget (GIMP_SCALE_ENTRY_LABEL (row->slider), visible, sensitive);
          show_widget (GIMP_SCALE_ENTRY_SCALE (row->slider), visible, sensitive);
          show_widget (GIMP_SCALE_ENTRY_SPINBUTTON (row->slider), visible, sensitive);
        }
      if (is_message (row->spec))
        show_message (row);
    }
}

static void
set_value (Row *row, const GValue *value)
{
  gegl_node_set_property (row->all->node, row->spec->name, value);
  show_which (row->all);
  row->all->changed (row->all->data);
}

/* ---------------------------------------------------------------- numbers -- */

typedef struct { gdouble minimum, maximum, ui_minimum, ui_maximum, gamma, step, page; gint digits; } Range;

static Range
range_of (GParamSpec *spec)
{
  Range range = { 0.0, 100.0, 0.0, 100.0, 1.0, 1.0, 10.0, 0 };

  if (GEGL_IS_PARAM_SPEC_DOUBLE (spec))
    {
      GeglParamSpecDouble *ui = GEGL_PARAM_SPEC_DOUBLE (spec);

      range = (Range) { G_PARAM_SPEC_DOUBLE (spec)->minimum, G_PARAM_SPEC_DOUBLE (spec)->maximum, ui->ui_minimum,
                        ui->ui_maximum, ui->ui_gamma, ui->ui_step_small, ui->ui_step_big, ui->ui_digits };
    }
  else if (GEGL_IS_PARAM_SPEC_INT (spec))
    {
      GeglParamSpecInt *ui = GEGL_PARAM_SPEC_INT (spec);

      range = (Range) { G_PARAM_SPEC_INT (spec)->minimum, G_PARAM_SPEC_INT (spec)->maximum, ui->ui_minimum,
                        ui->ui_maximum, ui->ui_gamma, ui->ui_step_small, ui->ui_step_big, 0 };
    }
  else if (G_IS_PARAM_SPEC_UINT (spec))
    {
      range.minimum = G_PARAM_SPEC_UINT (spec)->minimum;
      range.maximum = range.ui_maximum = G_PARAM_SPEC_UINT (spec)->maximum;
    }
  if (range.digits < 0 || range.digits > 6)
    range.digits = 2;
  if (range.step <= 0.0)
    range.step = (range.ui_maximum - range.ui_minimum) / 100.0;
  if (range.page <= 0.0)
    range.page = 10.0 * range.step;
  return range;
}

static void
number_changed (GtkAdjustment *slider, Row *row)
{
  GValue  value = G_VALUE_INIT;
  gdouble number = gtk_adjustment_get_value (slider);

  g_value_init (&value, row->spec->value_type);
  if (G_VALUE_HOLDS_DOUBLE (&value))
    g_value_set_double (&value, number);
  else if (G_VALUE_HOLDS_UINT (&value))
    g_value_set_uint (&value, (guint) floor (number + 0.5));
  else
    g_value_set_int (&value, (gint) floor (number + 0.5));
  set_value (row, &value);
  g_value_unset (&value);
}

static gdouble
number_of (const GValue *value)
{
  if (G_VALUE_HOLDS_DOUBLE (value))
    return g_value_get_double (value);
  if (G_VALUE_HOLDS_UINT (value))
    return g_value_get_uint (value);
  return g_value_get_int (value);
}

/* The entry takes all values, the slider those that are useful. */
static void
add_number (Row *row, GtkTable *table, gint y, const GValue *value, const gchar *tip)
{
  Range   range = range_of (row->spec);
  gdouble number = number_of (value);
  g_autofree gchar *label = g_strconcat (g_param_spec_get_nick (row->spec), ":", NULL);

  row->slider = gimp_scale_entry_new (table, 0, y, label, SLIDER, DIGITS, number, range.ui_minimum, range.ui_maximum,
                                      range.step, range.page, range.digits, FALSE, range.minimum, range.maximum, tip, NULL);
  if (range.gamma > 1.0 && range.ui_minimum <= range.minimum)           /* else the logarithm starts at the minimum */
    gimp_scale_entry_set_logarithmic (row->slider, TRUE);
  gtk_entry_set_activates_default (GTK_ENTRY (GIMP_SCALE_ENTRY_SPINBUTTON (row->slider)), TRUE);
  g_signal_connect (row->slider, "value-changed", G_CALLBACK (number_changed), row);
}

/* ----------------------------------------------------------------- others -- */

static void
toggled (GtkToggleButton *button, Row *row)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_BOOLEAN);
  g_value_set_boolean (&value, gtk_toggle_button_get_active (button));
  set_value (row, &value);
}

static void
chosen (GtkComboBox *list, Row *row)
{
  GEnumClass *kinds = G_PARAM_SPEC_ENUM (row->spec)->enum_class;
  gint        which = gtk_combo_box_get_active (list);
  GValue      value = G_VALUE_INIT;

  if (which < 0)
    return;
  g_value_init (&value, row->spec->value_type);
  g_value_set_enum (&value, kinds->values[which].value);
  set_value (row, &value);
}

static GtkWidget *
list_new (GParamSpec *spec, gint value)
{
  GEnumClass  *kinds = G_PARAM_SPEC_ENUM (spec)->enum_class;
  GtkWidget   *list = gtk_combo_box_text_new ();
  const gchar *domain = gegl_param_spec_get_property_key (spec, "gettext-domain");

  for (guint i = 0; i < kinds->n_values; i++)
    {
      const gchar *name = kinds->values[i].value_name;

      gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (list), domain ? g_dgettext (domain, name) : name);
      if (kinds->values[i].value == value)
        gtk_combo_box_set_active (GTK_COMBO_BOX (list), i);
    }
  return list;
}

static void
take_text (Row *row, const gchar *text)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, text);
  set_value (row, &value);
  g_value_unset (&value);
}

static void
entry_changed (GtkEditable *entry, Row *row)
{
  take_text (row, gtk_entry_get_text (GTK_ENTRY (entry)));
}

static void
lines_changed (GtkTextBuffer *buffer, Row *row)
{
  GtkTextIter start, end;
  g_autofree gchar *text = NULL;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  take_text (row, text);
}

static GtkWidget *
text_new (Row *row, const gchar *text)
{
  GtkWidget *widget;

  if (g_strcmp0 (gegl_param_spec_get_property_key (row->spec, "multiline"), "true") == 0)
    {
      GtkWidget     *view = gtk_text_view_new ();
      GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));

      widget = gtk_scrolled_window_new (NULL, NULL);
      gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (widget), GTK_POLICY_AUTOMATIC, GTK_POLICY_AUTOMATIC);
      gtk_scrolled_window_set_shadow_type (GTK_SCROLLED_WINDOW (widget), GTK_SHADOW_IN);
      gtk_widget_set_size_request (widget, -1, 90);
      gtk_container_add (GTK_CONTAINER (widget), view);
      gtk_text_buffer_set_text (buffer, text ? text : "", -1);
      g_signal_connect (buffer, "changed", G_CALLBACK (lines_changed), row);
      return widget;
    }
  widget = gtk_entry_new ();
  gtk_entry_set_text (GTK_ENTRY (widget), text ? text : "");
  gtk_entry_set_activates_default (GTK_ENTRY (widget), TRUE);
  g_signal_connect (widget, "changed", G_CALLBACK (entry_changed), row);
  return widget;
}

static void
colour_changed (GimpColorButton *button, Row *row)
{
  GimpRGB    rgba;
  GeglColor *colour = gegl_color_new (NULL);
  GValue     value = G_VALUE_INIT;

  gimp_color_button_get_color (button, &rgba);
  gegl_color_set_pixel (colour, babl_format ("R'G'B'A double"), &rgba);
  g_value_init (&value, GEGL_TYPE_COLOR);
  g_value_take_object (&value, colour);
  set_value (row, &value);
  g_value_unset (&value);
}

static GtkWidget *
colour_new (Row *row, GeglColor *colour, const gchar *title)
{
  GimpRGB    rgba = { 0.0, 0.0, 0.0, 1.0 };
  GtkWidget *button;

  if (colour)
    gegl_color_get_pixel (colour, babl_format ("R'G'B'A double"), &rgba);
  button = gimp_color_button_new (title, 40, 20, &rgba, GIMP_COLOR_AREA_SMALL_CHECKS);
  g_signal_connect (button, "color-changed", G_CALLBACK (colour_changed), row);
  return button;
}

/* A label on the left and the widget across the rest; a check button has its label itself. */
static void
add_widget (Row *row, GtkTable *table, gint y, const GValue *value, const gchar *tip)
{
  const gchar *nick = g_param_spec_get_nick (row->spec);

  if (G_IS_PARAM_SPEC_BOOLEAN (row->spec))
    {
      row->widget = gtk_check_button_new_with_label (nick);
      gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (row->widget), g_value_get_boolean (value));
      g_signal_connect (row->widget, "toggled", G_CALLBACK (toggled), row);
      gtk_table_attach (table, row->widget, 0, 3, y, y + 1, GTK_FILL, GTK_FILL, 0, 0);
    }
  else
    {
      g_autofree gchar *label = g_strconcat (nick, ":", NULL);

      if (G_IS_PARAM_SPEC_ENUM (row->spec))
        {
          row->widget = list_new (row->spec, g_value_get_enum (value));
          g_signal_connect (row->widget, "changed", G_CALLBACK (chosen), row);
        }
      else if (G_IS_PARAM_SPEC_STRING (row->spec))
        row->widget = text_new (row, g_value_get_string (value));
      else
        row->widget = colour_new (row, g_value_get_object (value), nick);
      row->label = gimp_table_attach_aligned (table, 0, y, label, 0.0, 0.5, row->widget, 2, FALSE);
    }
  gimp_help_set_help_data (row->widget, tip, NULL);
}

static void
add_message (Row *row, GtkTable *table, gint y)
{
  row->widget = gtk_label_new (NULL);
  gtk_label_set_line_wrap (GTK_LABEL (row->widget), TRUE);
  gtk_label_set_selectable (GTK_LABEL (row->widget), TRUE);
  gtk_misc_set_alignment (GTK_MISC (row->widget), 0.0, 0.5);
  gtk_table_attach (table, row->widget, 0, 3, y, y + 1, GTK_FILL, GTK_FILL, 0, 0);
}

static void
add_row (Controls *all, GParamSpec *spec, GtkTable *table, gint y)
{
  Row         *row = g_new0 (Row, 1);
  GValue       value = G_VALUE_INIT;
  const gchar *tip = g_param_spec_get_blurb (spec);

  row->all = all;
  row->spec = spec;
  g_ptr_array_add (all->rows, row);
  gegl_node_get_property (all->node, spec->name, &value);
  if (is_message (spec))
    add_message (row, table, y);
  else if (G_IS_PARAM_SPEC_DOUBLE (spec) || G_IS_PARAM_SPEC_INT (spec) || G_IS_PARAM_SPEC_UINT (spec))
    add_number (row, table, y, &value, tip);
  else
    add_widget (row, table, y, &value, tip);
  g_value_unset (&value);
}

static void
controls_free (gpointer data)
{
  Controls *all = data;

  g_ptr_array_free (all->rows, TRUE);
  g_free (all);
}

GtkWidget *
widgets_new (GeglNode *node, void (*changed) (gpointer data), gpointer data)
{
  guint      n, y = 0;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (gegl_node_get_operation (node), &n);
  GtkWidget *table = gtk_table_new (1, 3, FALSE);                   /* it grows */
  Controls  *all = g_new0 (Controls, 1);

  *all = (Controls) { node, g_ptr_array_new_with_free_func (g_free), changed, data };
  g_object_set_data_full (G_OBJECT (table), "tessera-controls", all, controls_free);
  gtk_table_set_col_spacings (GTK_TABLE (table), 6);
  gtk_table_set_row_spacings (GTK_TABLE (table), 6);
  for (guint i = 0; i < n; i++)
    if (settings_is_offered (specs[i]) || is_message (specs[i]))
      add_row (all, specs[i], GTK_TABLE (table), y++);
  gtk_widget_show_all (table);
  gtk_widget_set_no_show_all (table, TRUE);                 /* the dialog shows all else */
  show_which (all);
  return table;
}
