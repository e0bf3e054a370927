/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Plots of what each frame has, as SVG, one above the other: quality.svg, and what the page shows. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#define WIDTH  900.0
#define LEFT   64.0
#define RIGHT  16.0
#define HEAD   30.0             /* above a panel, for its title */
#define PANEL  110.0
#define FOOT   24.0             /* below the last one, for numbers of frames */
#define POINTS 4000             /* of a line: more cannot be seen */
#define MARK   5.0              /* a frame that is left out */

typedef gdouble (*ValueOf) (const FrameRow *row);

static gdouble along_x (const FrameRow *row) { return level_shift (row).x; }
static gdouble along_y (const FrameRow *row) { return level_shift (row).y; }
static gdouble angle (const FrameRow *row) { return row->angle; }
static gdouble noise_gain (const FrameRow *row) { return row->noise_gain; }
static gdouble stars (const FrameRow *row) { return row->quality.stars; }
static gdouble seeing (const FrameRow *row) { return row->quality.seeing; }
static gdouble sky (const FrameRow *row) { return row->quality.sky; }
static gdouble transparency (const FrameRow *row) { return 100.0 * row->quality.transparency; }
static gdouble noise (const FrameRow *row) { return row->quality.noise; }
static gdouble alone (const FrameRow *row) { return row->n > 0 ? row->n_alone : NAN; }

typedef struct
{
  const gchar *title;
  ValueOf      values[2];
  gboolean     from_zero;
  gboolean     may_be_zero;     /* it is left out where all are */
} Kind;

static const Kind kinds[] = {
  { "Shift, pixels: x blue, y orange", { along_x, along_y }, FALSE, FALSE },
  { "Angle of the field, degrees", { angle }, FALSE, TRUE },
  { "Seeing: full width at half maximum, pixels", { seeing }, FALSE, FALSE },
  { "Sky, counts", { sky }, FALSE, FALSE },
  { "Transparency, % of the middle frame", { transparency }, TRUE, FALSE },
  { "Stars of the reference that are seen", { stars }, TRUE, FALSE },
  { "Noise of the whitened frame, counts", { noise }, FALSE, FALSE },
  { "Noise gain of the prediction", { noise_gain }, FALSE, FALSE },
  { "Detections that belong to no track", { alone }, TRUE, FALSE },
};

static const gchar *const inks[] = { "#2563eb", "#ea7317" };

typedef struct
{
  const GArray *frames;
  GString      *text;
  gdouble       top, low, high;
} Panel;

static gboolean
is_left_out (const FrameRow *row)
{
  return row->state == FRAME_LOST || row->state == FRAME_UNREADABLE;
}

static const FrameRow *
row_at (const Panel *panel, guint i)
{
  return &g_array_index (panel->frames, FrameRow, i);
}

/* With the same digits in every language. */
static void
add_number (GString *text, gdouble number, const gchar *format)
{
  gchar digits[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (digits, sizeof digits, format, number));
}

static gdouble
x_of (const Panel *panel, guint i)
{
  return LEFT + (WIDTH - LEFT - RIGHT) * i / MAX (panel->frames->len - 1, 1);
}

static gdouble
y_of (const Panel *panel, gdouble value)
{
  return panel->top + PANEL * (panel->high - value) / (panel->high - panel->low);
}

/* All values, and a little room above and below. */
static void
find_range (Panel *panel, const Kind *kind)
{
  panel->low = kind->from_zero ? 0.0 : INFINITY;
  panel->high = -INFINITY;
  for (guint i = 0; i < panel->frames->len; i++)
    for (gint k = 0; k < 2 && kind->values[k]; k++)
      {
        const gdouble value = is_left_out (row_at (panel, i)) ? NAN : kind->values[k] (row_at (panel, i));

        panel->low = isfinite (value) ? MIN (panel->low, value) : panel->low;
        panel->high = isfinite (value) ? MAX (panel->high, value) : panel->high;
      }
  if (! (panel->high - panel->low > 1e-9))
    {
      panel->low = isfinite (panel->low) ? panel->low - ! kind->from_zero : 0.0;
      panel->high = MAX (panel->high, panel->low) + 1.0;
    }
  panel->high += 0.08 * (panel->high - panel->low);
  panel->low -= kind->from_zero ? 0.0 : 0.08 * (panel->high - panel->low);
}

/* 1, 2 or 5 of a power of ten: three or four lines. */
static gdouble
step_of (gdouble range)
{
  const gdouble power = pow (10.0, floor (log10 (range / 3.0))), part = range / 3.0 / power;

  return power * (part >= 5.0 ? 5.0 : part >= 2.0 ? 2.0 : 1.0);
}

static void
add_grid (const Panel *panel)
{
  const gdouble step = step_of (panel->high - panel->low);

  for (gdouble at = ceil (panel->low / step) * step; at <= panel->high; at += step)
    {
      const gint y = (gint) y_of (panel, at);

      g_string_append_printf (panel->text, "<path d=\"M%d %dH%d\" stroke=\"#e5e7eb\"/><text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#6b7280\">", (gint) LEFT, y,
                              (gint) (WIDTH - RIGHT), (gint) LEFT - 8, y + 4);
      add_number (panel->text, fabs (at) < step / 2.0 ? 0.0 : at, step < 0.1 ? "%.2f" : step < 1.0 ? "%.1f" : "%.0f");
      g_string_append (panel->text, "</text>\n");
    }
}

/* A line of its own for each chain, and where frames are missing; a point that is alone is a dot. */
static void
add_line (const Panel *panel, ValueOf value, const gchar *ink)
{
  const guint step = panel->frames->len / POINTS + 1;
  gint        chain = -1;

  g_string_append_printf (panel->text, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" stroke-linecap=\"round\" stroke-linejoin=\"round\" d=\"", ink);
  for (guint i = 0; i < panel->frames->len; i += step)
    {
      const FrameRow *row = row_at (panel, i);
      const gdouble   at = is_left_out (row) ? NAN : value (row);
      const gboolean  goes_on = chain == row->chain;

      chain = isfinite (at) ? row->chain : -1;
      if (! isfinite (at))
        continue;
      g_string_append_c (panel->text, goes_on ? 'L' : 'M');
      add_number (panel->text, x_of (panel, i), "%.1f");
      g_string_append_c (panel->text, ' ');
      add_number (panel->text, y_of (panel, at), "%.1f");
      g_string_append (panel->text, goes_on ? "" : "h0");
    }
  g_string_append (panel->text, "\"/>\n");
}

static void
add_left_out (const Panel *panel)
{
  for (guint i = 0; i < panel->frames->len; i++)
    if (is_left_out (row_at (panel, i)))
      {
        g_string_append (panel->text, "<path stroke=\"#dc2626\" d=\"M");
        add_number (panel->text, x_of (panel, i), "%.1f");
        g_string_append_printf (panel->text, " %dv-%d\"/>\n", (gint) (panel->top + PANEL), (gint) MARK);
      }
}

static gboolean
has_values (const Panel *panel, const Kind *kind)
{
  for (guint i = 0; i < panel->frames->len; i++)
    if (! is_left_out (row_at (panel, i)) && isfinite (kind->values[0] (row_at (panel, i)))
        && ! (kind->may_be_zero && kind->values[0] (row_at (panel, i)) == 0.0))
      return TRUE;
  return FALSE;
}

static void
add_panel (Panel *panel, const Kind *kind)
{
  find_range (panel, kind);
  g_string_append_printf (panel->text, "<text x=\"%d\" y=\"%d\" font-weight=\"600\" fill=\"#111827\">%s</text>\n", (gint) LEFT, (gint) panel->top - 9, kind->title);
  add_grid (panel);
  add_left_out (panel);
  for (gint k = 0; k < 2 && kind->values[k]; k++)
    add_line (panel, kind->values[k], inks[k]);
  panel->top += PANEL + HEAD;
}

void
panels_add (GString *text, const Tables *tables)
{
  Panel panel = { .frames = tables->frames, .text = text, .top = HEAD };
  gint  n = 0, bottom;

  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    n += has_values (&panel, &kinds[i]);
  bottom = (gint) (n * (HEAD + PANEL) + FOOT);
  g_string_append_printf (text, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" font-family=\"system-ui, sans-serif\" "
                                "font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", (gint) WIDTH, bottom, (gint) WIDTH, bottom);
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (has_values (&panel, &kinds[i]))
      add_panel (&panel, &kinds[i]);
  g_string_append_printf (text, "<text x=\"%d\" y=\"%d\" fill=\"#6b7280\">frame %d</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\" fill=\"#6b7280\">%d</text>\n</svg>\n",
                          (gint) LEFT, bottom - 6, row_at (&panel, 0)->index, (gint) (WIDTH - RIGHT), bottom - 6, row_at (&panel, tables->frames->len - 1)->index);
}

gboolean
panels_write (const Tables *tables, const gchar *folder, GError **error)
{
  g_autofree gchar   *path = g_build_filename (folder, "quality.svg", NULL);
  g_autoptr (GString) text = g_string_new (NULL);

  panels_add (text, tables);
  return folder_write (path, text->str, text->len, error);
}
