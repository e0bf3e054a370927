/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * shifts.svg: how the frames have moved, and what whitening does to the noise, frame by frame. */
#include "sequence.h"

#include <math.h>

#define LEFT   60.0
#define RIGHT  20.0
#define WIDTH  900.0
#define PANEL  200.0
#define GAP    50.0

typedef gdouble (*ValueOf) (const FrameRow *row);

static gdouble along_x (const FrameRow *row) { return level_shift (row).x; }
static gdouble along_y (const FrameRow *row) { return level_shift (row).y; }
static gdouble noise (const FrameRow *row) { return row->noise_gain; }

typedef struct
{
  const Tables *tables;
  GString      *text;
  gdouble       top, low, high;
} Panel;

static gboolean
is_shown (const FrameRow *row, ValueOf value)
{
  return row->state != FRAME_LOST && row->state != FRAME_UNREADABLE && isfinite (value (row));
}

static void
take_in (Panel *panel, ValueOf value)
{
  for (guint i = 0; i < panel->tables->frames->len; i++)
    {
      const FrameRow *row = &g_array_index (panel->tables->frames, FrameRow, i);

      if (is_shown (row, value))
        {
          panel->low = MIN (panel->low, value (row));
          panel->high = MAX (panel->high, value (row));
        }
    }
}

static void
add_text (Panel *panel, gdouble x, gdouble y, const gchar *anchor, const gchar *format, gdouble number, const gchar *words)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE] = "";

  if (format)
    g_ascii_formatd (digits, sizeof digits, format, number);
  g_string_append_printf (panel->text, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s%s</text>\n", (gint) x, (gint) y, anchor, digits, words);
}

static void
begin (Panel *panel, const gchar *title)
{
  if (panel->low > panel->high)
    panel->low = panel->high = 0.0;
  if (panel->high - panel->low < 1e-6)
    {
      panel->low -= 0.5;
      panel->high += 0.5;
    }
  g_string_append_printf (panel->text, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" stroke=\"#888\"/>\n", (gint) LEFT, (gint) panel->top,
                          (gint) (WIDTH - LEFT - RIGHT), (gint) PANEL);
  add_text (panel, LEFT, panel->top - 8.0, "start", NULL, 0.0, title);
  add_text (panel, LEFT - 6.0, panel->top + 10.0, "end", "%.2f", panel->high, "");
  add_text (panel, LEFT - 6.0, panel->top + PANEL, "end", "%.2f", panel->low, "");
}

/* A line of its own for each chain: between two there is no shift. */
static void
add_line (Panel *panel, ValueOf value, const gchar *colour)
{
  const GArray *frames = panel->tables->frames;
  const gint    last = MAX (g_array_index (frames, FrameRow, frames->len - 1).index, 1);
  gint          chain = -1;

  for (guint i = 0; i < frames->len; i++)
    {
      const FrameRow *row = &g_array_index (frames, FrameRow, i);

      if (! is_shown (row, value))
        continue;
      if (row->chain != chain)
        g_string_append_printf (panel->text, "%s<polyline fill=\"none\" stroke=\"%s\" points=\"", chain < 0 ? "" : "\"/>\n", colour);
      chain = row->chain;
      g_string_append_printf (panel->text, "%d,%d ", (gint) (LEFT + (WIDTH - LEFT - RIGHT) * row->index / last),
                              (gint) (panel->top + PANEL * (panel->high - value (row)) / (panel->high - panel->low)));
    }
  g_string_append (panel->text, chain < 0 ? "" : "\"/>\n");
}

gboolean
plots_write (const Tables *tables, const gchar *folder, GError **error)
{
  g_autofree gchar *path = g_build_filename (folder, "shifts.svg", NULL);
  Panel    panel = { tables, g_string_new (NULL), 30.0, INFINITY, -INFINITY };
  gboolean success;

  g_string_append_printf (panel.text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                                      "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", (gint) WIDTH, (gint) (2 * PANEL + GAP + 60.0));
  take_in (&panel, along_x);
  take_in (&panel, along_y);
  begin (&panel, "shift in pixels: x blue, y orange");
  add_line (&panel, along_x, "#1f5fbf");
  add_line (&panel, along_y, "#d9791f");
  panel.top += PANEL + GAP;
  panel.low = INFINITY;
  panel.high = -INFINITY;
  take_in (&panel, noise);
  begin (&panel, "noise gain of the whitened frame");
  add_line (&panel, noise, "#2a8c4a");
  add_text (&panel, LEFT, panel.top + PANEL + 18.0, "start", "%.0f", g_array_index (tables->frames, FrameRow, 0).index, "");
  add_text (&panel, WIDTH - RIGHT, panel.top + PANEL + 18.0, "end", "%.0f", g_array_index (tables->frames, FrameRow, tables->frames->len - 1).index, "");
  g_string_append (panel.text, "</svg>\n");
  success = folder_write (path, panel.text->str, panel.text->len, error);
  g_string_free (panel.text, TRUE);
  return success;
}
