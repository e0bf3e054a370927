/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera-match says, as JSON: of a pair, or of many. */
#include "match.h"

static void
append_quoted (GString *text, const gchar *words)
{
  g_string_append_c (text, '"');
  for (const gchar *c = words; *c; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (text, "\\%c", *c);
    else if ((guchar) *c < 0x20)
      g_string_append_printf (text, "\\u%04x", (guchar) *c);
    else
      g_string_append_c (text, *c);
  g_string_append_c (text, '"');
}

static void
append_side (GString *text, const Side *side)
{
  g_autofree gchar *shown = side_name (side);

  g_string_append (text, "{\"file\": ");
  append_quoted (text, shown);
  g_string_append_printf (text, ", \"keypoints\": %d, \"width\": %d, \"height\": %d, \"picture\": %s", side->keypoints.n,
                          side->keypoints.width, side->keypoints.height, side->is_picture ? "true" : "false");
  if (side->is_picture)
    append_number (text, ", \"contrast_threshold\": ", "%g", side->contrast, "");
  g_string_append_c (text, '}');
}

static void
append_settings (GString *text, const Settings *settings)
{
  append_number (text, "\"ratio\": ", "%.3g", settings->ratio, ", ");
  g_string_append_printf (text, "\"mutual\": %s, \"seed\": %" G_GINT64_FORMAT, settings->mutual ? "true" : "false", settings->seed);
}

static void
append_place (GString *text, const MatchPlace *place)
{
  append_number (text, ", ", "%.4f", place->x, "");
  append_number (text, ", ", "%.4f", place->y, "");
}

/* A row for each match: both indices, the distance, is it an inlier, x and y in A, x and y in B. */
static void
append_matches (GString *text, const Comparison *comparison)
{
  for (gint i = 0; i < comparison->n_matches; i++)
    {
      const Match *match = &comparison->matches[i];

      g_string_append_printf (text, "%s\n    [%d, %d, %u, %d", i > 0 ? "," : "", match->a, match->b, match->distance, comparison->is_inlier[i]);
      append_place (text, &comparison->a->keypoints.places[match->a]);
      append_place (text, &comparison->b->keypoints.places[match->b]);
      g_string_append_c (text, ']');
    }
  g_string_append (text, comparison->n_matches > 0 ? "\n  ]" : "]");
}

static void
append_found (GString *text, const Comparison *comparison)
{
  const Consensus *c = &comparison->consensus;
  g_autofree gchar *matrix = consensus_matrix_text (c->matrix);
  g_auto (GStrv)   numbers = g_strsplit (matrix, " ", -1);
  g_autofree gchar *row = g_strjoinv (", ", numbers);

  g_string_append_printf (text, "\"model\": \"%s\", \"aligned\": %s, \"reason\": ", consensus_model_name (c->model), c->is_aligned ? "true" : "false");
  append_quoted (text, c->reason);
  g_string_append_printf (text, ",\n  \"matrix\": [%s],\n  \"inliers\": %d, \"places\": %d, ", row, c->inliers, c->places);
  append_number (text, "\"rms\": ", "%.6g", c->residual, "");
  if (c->is_aligned)
    append_number (text, ", \"error\": ", "%.3g", c->error, "");
  g_string_append (text, ",\n");
}

#define COLUMNS "[\"a\", \"b\", \"distance\", \"inlier\", \"x_a\", \"y_a\", \"x_b\", \"y_b\"]"

void
append_json_pair (GString *text, const Comparison *comparison)
{
  g_string_append (text, "{\n  \"a\": ");
  append_side (text, comparison->a);
  g_string_append (text, ",\n  \"b\": ");
  append_side (text, comparison->b);
  g_string_append (text, ",\n  ");
  append_settings (text, comparison->settings);
  g_string_append (text, ",\n  ");
  append_found (text, comparison);
  g_string_append (text, "  \"columns\": " COLUMNS ",\n  \"matches\": [");
  append_matches (text, comparison);
  g_string_append (text, "\n}\n");
}

void
append_json_begin (GString *text, GPtrArray *sides, const Settings *settings)
{
  g_string_append (text, "{\n  \"pictures\": [");
  for (guint i = 0; i < sides->len; i++)
    {
      g_string_append (text, i > 0 ? ",\n    " : "\n    ");
      append_side (text, g_ptr_array_index (sides, i));
    }
  g_string_append (text, "\n  ],\n  ");
  append_settings (text, settings);
  g_string_append (text, ",\n  \"columns\": " COLUMNS ",\n  \"pairs\": [");
}

void
append_json_next (GString *text, const Comparison *comparison, gboolean is_first)
{
  g_string_append_printf (text, "%s\n  {\"a\": %d, \"b\": %d, ", is_first ? "" : ",", comparison->number_a, comparison->number_b);
  append_found (text, comparison);
  g_string_append (text, "  \"matches\": [");
  append_matches (text, comparison);
  g_string_append_c (text, '}');
}

void
append_json_end (GString *text)
{
  g_string_append (text, "\n  ]\n}\n");
}
