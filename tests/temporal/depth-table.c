/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "depth.h"

#include <math.h>

typedef enum { IN_A_FRAME, IN_ANY, BY_TRACK } Finder;

void
depth_add (Depth *depth, const DepthObject *object)
{
  gint seen = 0;

  for (gint j = 0; j < object->n; j++)
    seen += object->frames[j] > depth->frame_threshold;
  depth->objects[object->step]++;
  depth->seen[object->step] += seen;
  depth->any[object->step] += seen > 0;
  depth->tracked[object->step] += object->track > depth->track_threshold;
}

static gdouble
recall (const Depth *depth, Finder finder, gint step)
{
  const gdouble n = depth->objects[step];

  return finder == IN_A_FRAME ? depth->seen[step] / (n * depth->n_frames) : (finder == IN_ANY ? depth->any : depth->tracked)[step] / n;
}

static gdouble
magnitude (const Depth *depth, gdouble step)
{
  return depth->brightest + step * depth->step;
}

/* Where half is found, between two steps; NaN: nowhere. */
static gdouble
half_way (const Depth *depth, Finder finder)
{
  for (gint i = 1; i < DEPTH_STEPS; i++)
    {
      const gdouble before = recall (depth, finder, i - 1), after = recall (depth, finder, i);

      if (before >= 0.5 && after < 0.5)
        return magnitude (depth, i - 1 + (before - 0.5) / (before - after));
    }
  return NAN;
}

gdouble
depth_gain (const Depth *depth)
{
  return half_way (depth, BY_TRACK) - half_way (depth, IN_A_FRAME);
}

void
depth_print (const Depth *depth)
{
  g_print ("\n| magnitude | objects | one frame, %% | at least one of %d, %% | shift-and-add, %% |\n|---|---|---|---|---|\n", depth->n_frames);
  for (gint i = 0; i < DEPTH_STEPS; i++)
    g_print ("| %.2f | %d | %.0f | %.0f | %.0f |\n", magnitude (depth, i), depth->objects[i], 100 * recall (depth, IN_A_FRAME, i), 100 * recall (depth, IN_ANY, i),
             100 * recall (depth, BY_TRACK, i));
  g_print ("\nhalf of them: one frame %.2f, at least one of %d %.2f, shift-and-add %.2f: %.2f magnitudes deeper than one frame\n", half_way (depth, IN_A_FRAME),
           depth->n_frames, half_way (depth, IN_ANY), half_way (depth, BY_TRACK), depth_gain (depth));
}

/* ------------------------------------------------------------------- chart -- */

#define LEFT   56
#define TOP    16
#define WIDTH  520
#define HEIGHT 220

static gint
across (gint step)
{
  return LEFT + WIDTH * step / (DEPTH_STEPS - 1);
}

static void
add_line (GString *text, const Depth *depth, Finder finder, const gchar *colour, const gchar *dashes, const gchar *words, gint row)
{
  g_string_append_printf (text, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"", colour, dashes);
  for (gint i = 0; i < DEPTH_STEPS; i++)
    g_string_append_printf (text, "%d,%d ", across (i), TOP + (gint) (HEIGHT * (1 - recall (depth, finder, i))));
  g_string_append_printf (text, "\"/>\n<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" stroke-dasharray=\"%s\" points=\"%d,%d %d,%d\"/>\n"
                                "<text x=\"%d\" y=\"%d\">%s</text>\n", colour, dashes, LEFT + WIDTH + 16, TOP + 20 * row + 10, LEFT + WIDTH + 46, TOP + 20 * row + 10,
                          LEFT + WIDTH + 52, TOP + 20 * row + 14, words);
}

gboolean
depth_draw (const Depth *depth, const gchar *path)
{
  GString *text = g_string_new (NULL);
  gboolean success;

  g_string_append_printf (text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\" font-size=\"12\">\n"
                                "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", LEFT + WIDTH + 210, TOP + HEIGHT + 46);
  for (gint share = 0; share <= 100; share += 20)
    g_string_append_printf (text, "<line x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>\n<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%d %%</text>\n", LEFT,
                            LEFT + WIDTH, TOP + HEIGHT - HEIGHT * share / 100, TOP + HEIGHT - HEIGHT * share / 100, LEFT - 6, TOP + HEIGHT - HEIGHT * share / 100 + 4, share);
  for (gint i = 0; i < DEPTH_STEPS; i++)
    {
      gchar number[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append_printf (text, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", across (i), TOP + HEIGHT + 18,
                              g_ascii_formatd (number, sizeof number, "%.2f", magnitude (depth, i)));
    }
  g_string_append_printf (text, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"#555\">magnitude: bright objects on the left, faint ones on the right</text>\n",
                          LEFT + WIDTH / 2, TOP + HEIGHT + 38);
  add_line (text, depth, IN_A_FRAME, "#d9791f", "none", "found in one frame", 0);
  add_line (text, depth, IN_ANY, "#d9791f", "4 4", "in at least one", 1);
  add_line (text, depth, BY_TRACK, "#1f5fa8", "none", "by adding them all", 2);
  g_string_append (text, "</svg>\n");
  success = g_file_set_contents (path, text->str, text->len, NULL);
  g_string_free (text, TRUE);
  return success;
}
