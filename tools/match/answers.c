/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera-match says: lines for people. */
#include "match.h"

#include <string.h>

/* With a point in any locale. */
void
append_number (GString *text, const gchar *before, const gchar *format, gdouble number, const gchar *after)
{
  gchar shown[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s%s%s", before, g_ascii_formatd (shown, sizeof shown, format, number), after);
}

static void
append_side (GString *text, const gchar *name, const Side *side)
{
  g_autofree gchar *shown = side_name (side);

  g_string_append_printf (text, "%s: %d keypoints", name, side->keypoints.n);
  if (side->first >= 0)
    {
      append_number (text, " at contrast threshold ", "%g", side->contrast, "");
      append_number (text, " (at ", "%g", CONTRAST, "");
      g_string_append_printf (text, " %d)", side->first);
    }
  g_string_append_printf (text, ", %s%d x %d, %s\n", side->is_picture ? "" : "within ", side->keypoints.width, side->keypoints.height, shown);
}

void
append_pair (GString *text, const Comparison *comparison)
{
  const Consensus *c = &comparison->consensus;

  append_side (text, "A", comparison->a);
  append_side (text, "B", comparison->b);
  g_string_append_printf (text, "Matches: %d\nInliers: %d", comparison->n_matches, c->inliers);
  if (c->inliers > 0)
    {
      append_number (text, " (", "%.1f", 100.0 * c->inliers / comparison->n_matches, " %)");
      g_string_append_printf (text, ", from %d places; rms ", c->places);
      append_number (text, "", "%.3f", c->residual, " px");
    }
  if (c->is_aligned)
    {
      g_autofree gchar *matrix = consensus_matrix_text (c->matrix);
      g_auto (GStrv) numbers = g_strsplit (matrix, " ", -1);

      append_number (text, "\nAt the corners: within ", "%.2f", c->error, " px");
      g_string_append_printf (text, "\nMatrix (%s, from B to A):\n", consensus_model_name (c->model));
      for (gint k = 0; k < 9; k++)
        g_string_append_printf (text, "%s%s", numbers[k], k % 3 == 2 ? "\n" : " ");
      if (*c->reason)
        g_string_append_printf (text, "Note: %s\n", c->reason);
    }
  else
    g_string_append_printf (text, "\nNot aligned: %s\n", c->reason);
}

void
append_pair_line (GString *text, const Comparison *comparison)
{
  const Consensus  *c = &comparison->consensus;
  g_autofree gchar *a = side_name (comparison->a), *b = side_name (comparison->b);

  g_string_append_printf (text, "%s, %s: ", a, b);
  if (c->is_aligned)
    {
      g_string_append_printf (text, "aligned (%s), %d of %d matches agree; rms ", consensus_model_name (c->model), c->inliers, comparison->n_matches);
      append_number (text, "", "%.3f", c->residual, " px");
      g_string_append_printf (text, "%s%s\n", *c->reason ? "; " : "", c->reason);
    }
  else
    g_string_append_printf (text, "not aligned: %s\n", c->reason);
}
