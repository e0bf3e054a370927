/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The preview: a piece of the picture around the middle of what is selected, at full size at first.  It is dragged, and
 * zoomed out by the wheel or by the list below it.  Zoomed out it shows the result made small, not the result of a small
 * picture: what a filter does depends on the size of details.
 */
#include "preview.h"

#include <math.h>

#define WIDTH 420
#define HEIGHT 340
#define LEAST_HEIGHT 120
#define DELAY 120                       /* milliseconds of rest before anything is computed */
#define GIMP_TEXT(text) g_dgettext ("gimp20-libgimp", text)

static const gdouble scales[] = { 1.0, 0.5, 0.25, 0.125, 0.0625 };      /* and the whole picture */

typedef struct
{
  Layer      *layer;
  GtkWidget  *area, *zoom, *toggle;
  gdouble     x, y;                     /* the layer's point in the middle */
  gdouble     drag_x, drag_y;
  GeglBuffer *selection;                /* NULL: everything is */
  gint        left, top;                /* where the layer lies over it */
  guint       timer;
} Preview;

/* What is seen: a rectangle of the layer at that scale, and where it is in the window. */
typedef struct { gdouble scale; GeglRectangle part; gint x, y; } View;

static void
place_axis (gdouble middle, gdouble scale, gint layer, gint window, gint *start, gint *size, gint *offset)
{
  gint all = MAX (1, (gint) floor (layer * scale));

  *size = MIN (all, window);
  *start = CLAMP ((gint) floor (middle * scale - 0.5 * *size), 0, all - *size);
  *offset = (window - *size) / 2;
}

static View
view_of (Preview *preview)
{
  const gint   width = GIMP_PREVIEW_AREA (preview->area)->width, height = GIMP_PREVIEW_AREA (preview->area)->height;
  const GeglRectangle *layer = gegl_buffer_get_extent (preview->layer->pixels);
  const gint   which = gtk_combo_box_get_active (GTK_COMBO_BOX (preview->zoom));
  View         view = { 1.0, { 0, 0, 0, 0 }, 0, 0 };

  view.scale = which >= 0 && which < (gint) G_N_ELEMENTS (scales)
               ? scales[which] : MIN (1.0, MIN ((gdouble) width / layer->width, (gdouble) height / layer->height));
  place_axis (preview->x, view.scale, layer->width, width, &view.part.x, &view.part.width, &view.x);
  place_axis (preview->y, view.scale, layer->height, height, &view.part.y, &view.part.height, &view.y);
  return view;
}

static GimpImageType
type_of (Layer *layer)
{
  static const GimpImageType types[] = { GIMP_RGB_IMAGE, GIMP_RGBA_IMAGE, GIMP_GRAY_IMAGE, GIMP_GRAYA_IMAGE };

  return types[2 * gimp_drawable_is_gray (layer->drawable) + gimp_drawable_has_alpha (layer->drawable)];
}

/* How much each pixel is selected; NULL: all are. */
static guchar *
selected (Preview *preview, const View *view)
{
  GeglRectangle part = view->part;
  guchar       *mask;

  if (! preview->selection)
    return NULL;
  part.x += (gint) floor (preview->left * view->scale);
  part.y += (gint) floor (preview->top * view->scale);
  mask = g_malloc0 ((gsize) part.width * part.height);
  gegl_buffer_get (preview->selection, &part, view->scale, babl_format ("Y u8"), mask, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  return mask;
}

static void
show_pixels (Preview *preview, const View *view, const guchar *before, const guchar *after)
{
  GimpPreviewArea *area = GIMP_PREVIEW_AREA (preview->area);
  const gint       stride = view->part.width * layer_preview_bpp (preview->layer);
  g_autofree guchar *mask = after ? selected (preview, view) : NULL;

  if (view->x > 0 || view->y > 0)
    gimp_preview_area_fill (area, 0, 0, area->width, area->height, 128, 128, 128);
  if (mask)
    gimp_preview_area_mask (area, view->x, view->y, view->part.width, view->part.height, type_of (preview->layer),
                            before, stride, after, stride, mask, view->part.width);
  else
    gimp_preview_area_draw (area, view->x, view->y, view->part.width, view->part.height, type_of (preview->layer),
                            after ? after : before, stride);
}

static void
draw (Preview *preview, gboolean with_result)
{
  View   view = view_of (preview);
  gsize  bytes = (gsize) view.part.width * view.part.height * layer_preview_bpp (preview->layer);
  g_autofree guchar *before = NULL, *after = NULL;

  if (GIMP_PREVIEW_AREA (preview->area)->width <= 0 || GIMP_PREVIEW_AREA (preview->area)->height <= 0)
    return;
  before = g_malloc0 (bytes);
  layer_original (preview->layer, view.scale, &view.part, before);
  if (with_result)
    {
      after = g_malloc0 (bytes);
      layer_preview (preview->layer, view.scale, &view.part, after);
    }
  show_pixels (preview, &view, before, after);
}

static gboolean
on_timer (gpointer data)
{
  Preview *preview = data;

  preview->timer = 0;
  draw (preview, gtk_toggle_button_get_active (GTK_TOGGLE_BUTTON (preview->toggle)));
  return FALSE;
}

static void
draw_soon (Preview *preview)
{
  if (preview->timer)
    g_source_remove (preview->timer);
  preview->timer = g_timeout_add (DELAY, on_timer, preview);
}

static gboolean
on_press (GtkWidget *area G_GNUC_UNUSED, GdkEventButton *event, Preview *preview)
{
  preview->drag_x = event->x;
  preview->drag_y = event->y;
  return TRUE;
}

/* While it moves the picture itself is shown, which takes no time. */
static gboolean
on_motion (GtkWidget *area G_GNUC_UNUSED, GdkEventMotion *event, Preview *preview)
{
  const GeglRectangle *layer = gegl_buffer_get_extent (preview->layer->pixels);
  const View           view = view_of (preview);

  preview->x = CLAMP (preview->x - (event->x - preview->drag_x) / view.scale, 0.0, layer->width);
  preview->y = CLAMP (preview->y - (event->y - preview->drag_y) / view.scale, 0.0, layer->height);
  preview->drag_x = event->x;
  preview->drag_y = event->y;
  draw (preview, FALSE);
  draw_soon (preview);
  return TRUE;
}

static gboolean
on_scroll (GtkWidget *area G_GNUC_UNUSED, GdkEventScroll *event, Preview *preview)
{
  const gint which = gtk_combo_box_get_active (GTK_COMBO_BOX (preview->zoom)) + (event->direction == GDK_SCROLL_DOWN ? 1 : -1);

  gtk_combo_box_set_active (GTK_COMBO_BOX (preview->zoom), CLAMP (which, 0, (gint) G_N_ELEMENTS (scales)));
  return TRUE;
}

static void
preview_free (gpointer data)
{
  Preview *preview = data;

  if (preview->timer)
    g_source_remove (preview->timer);
  g_clear_object (&preview->selection);
  g_free (preview);
}

static void
begin_in_the_middle (Preview *preview)
{
  const GeglRectangle *layer = gegl_buffer_get_extent (preview->layer->pixels), *chosen = &preview->layer->selected;
  const gboolean       is_empty = chosen->width <= 0 || chosen->height <= 0;

  preview->x = is_empty ? 0.5 * layer->width : chosen->x + 0.5 * chosen->width;
  preview->y = is_empty ? 0.5 * layer->height : chosen->y + 0.5 * chosen->height;
  if (! gimp_selection_is_empty (preview->layer->image))
    preview->selection = gimp_drawable_get_buffer (gimp_image_get_selection (preview->layer->image));
  gimp_drawable_offsets (preview->layer->drawable, &preview->left, &preview->top);
}

static GtkWidget *
zoom_new (void)
{
  GtkWidget *list = gtk_combo_box_text_new ();

  for (guint i = 0; i < G_N_ELEMENTS (scales); i++)
    {
      g_autofree gchar *text = g_strdup_printf ("%g %%", 100.0 * scales[i]);

      gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (list), text);
    }
  gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (list), _("Whole picture"));
  gtk_combo_box_set_active (GTK_COMBO_BOX (list), 0);
  return list;
}

static GtkWidget *
area_new (Preview *preview)
{
  GtkWidget *frame = gtk_frame_new (NULL);

  preview->area = gimp_preview_area_new ();
  gtk_frame_set_shadow_type (GTK_FRAME (frame), GTK_SHADOW_IN);
  gtk_widget_set_size_request (preview->area, WIDTH, HEIGHT);
  gtk_container_add (GTK_CONTAINER (frame), preview->area);
  gimp_help_set_help_data (preview->area, _("Drag the picture to see another part, turn the wheel to zoom"), NULL);
  gtk_widget_add_events (preview->area, GDK_BUTTON_PRESS_MASK | GDK_BUTTON1_MOTION_MASK | GDK_SCROLL_MASK);
  g_signal_connect (preview->area, "button-press-event", G_CALLBACK (on_press), preview);
  g_signal_connect (preview->area, "motion-notify-event", G_CALLBACK (on_motion), preview);
  g_signal_connect (preview->area, "scroll-event", G_CALLBACK (on_scroll), preview);
  g_signal_connect_swapped (preview->area, "size-allocate", G_CALLBACK (draw_soon), preview);
  return frame;
}

GtkWidget *
preview_new (Layer *layer)
{
  Preview   *preview = g_new0 (Preview, 1);
  GtkWidget *all = gtk_vbox_new (FALSE, 6), *row = gtk_hbox_new (FALSE, 6);

  preview->layer = layer;
  begin_in_the_middle (preview);
  g_object_set_data_full (G_OBJECT (all), "tessera-preview", preview, preview_free);
  gtk_box_pack_start (GTK_BOX (all), area_new (preview), TRUE, TRUE, 0);
  gtk_box_pack_start (GTK_BOX (all), row, FALSE, FALSE, 0);
  preview->toggle = gtk_check_button_new_with_mnemonic (GIMP_TEXT ("_Preview"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (preview->toggle), TRUE);
  gtk_box_pack_end (GTK_BOX (row), preview->toggle, FALSE, FALSE, 0);
  preview->zoom = zoom_new ();
  gtk_box_pack_start (GTK_BOX (row), preview->zoom, FALSE, FALSE, 0);
  g_signal_connect_swapped (preview->toggle, "toggled", G_CALLBACK (draw_soon), preview);
  g_signal_connect_swapped (preview->zoom, "changed", G_CALLBACK (draw_soon), preview);
  return all;
}

static Preview *
preview_of (GtkWidget *widget)
{
  return g_object_get_data (G_OBJECT (widget), "tessera-preview");
}

void
preview_update (GtkWidget *widget)
{
  draw_soon (preview_of (widget));
}

void
preview_take_focus (GtkWidget *widget)
{
  gtk_widget_grab_focus (preview_of (widget)->toggle);
}

void
preview_lower (GtkWidget *widget, gint pixels)
{
  gtk_widget_set_size_request (preview_of (widget)->area, WIDTH, MAX (HEIGHT - pixels, LEAST_HEIGHT));
}
