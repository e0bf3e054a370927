/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera-match says, as JSON: of a pair, or of many. */
#include "match.h"

#include <string.h>

#include "../json.h"

static void
put_side (JsonBuilder *json, const gchar *name, const Side *side)
{
  g_autofree gchar *shown = side_name (side);

  put_object (json, name);
  put_text (json, "file", shown);
  put_int (json, "keypoints", side->keypoints.n);
  put_int (json, "width", side->keypoints.width);
  put_int (json, "height", side->keypoints.height);
  put_flag (json, "picture", side->is_picture);
  if (side->is_picture)
    put_number (json, "contrast_threshold", "%g", side->contrast);
  json_builder_end_object (json);
}

static void
put_settings (JsonBuilder *json, const Settings *settings)
{
  put_number (json, "ratio", "%.3g", settings->ratio);
  put_flag (json, "mutual", settings->mutual);
  put_int (json, "seed", settings->seed);
}

/* Of the rows of matches. */
static void
put_columns (JsonBuilder *json)
{
  static const gchar *const columns[] = { "a", "b", "distance", "inlier", "x_a", "y_a", "x_b", "y_b" };

  put_array (json, "columns");
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    put_text (json, NULL, columns[i]);
  json_builder_end_array (json);
}

static void
put_place (JsonBuilder *json, const MatchPlace *place)
{
  put_number (json, NULL, "%.4f", place->x);
  put_number (json, NULL, "%.4f", place->y);
}

static void
put_matches (JsonBuilder *json, const Comparison *comparison)
{
  put_array (json, "matches");
  for (gint i = 0; i < comparison->n_matches; i++)
    {
      const Match *match = &comparison->matches[i];

      put_array (json, NULL);
      put_int (json, NULL, match->a);
      put_int (json, NULL, match->b);
      put_int (json, NULL, match->distance);
      put_int (json, NULL, comparison->is_inlier[i]);
      put_place (json, &comparison->a->keypoints.places[match->a]);
      put_place (json, &comparison->b->keypoints.places[match->b]);
      json_builder_end_array (json);
    }
  json_builder_end_array (json);
}

static void
put_matrix (JsonBuilder *json, const gdouble *matrix)
{
  put_array (json, "matrix");
  for (gint k = 0; k < 9; k++)
    put_number (json, NULL, "%.9g", matrix[k]);
  json_builder_end_array (json);
}

static void
put_found (JsonBuilder *json, const Consensus *c)
{
  put_text (json, "model", consensus_model_name (c->model));
  put_flag (json, "aligned", c->is_aligned);
  put_text (json, "reason", c->reason);
  put_matrix (json, c->matrix);
  put_int (json, "inliers", c->inliers);
  put_int (json, "places", c->places);
  put_number (json, "rms", "%.6g", c->residual);
  if (c->is_aligned)
    put_number (json, "error", "%.3g", c->error);
}

void
append_json_pair (GString *text, const Comparison *comparison)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree gchar *told = NULL;

  put_object (json, NULL);
  put_side (json, "a", comparison->a);
  put_side (json, "b", comparison->b);
  put_settings (json, comparison->settings);
  put_found (json, &comparison->consensus);
  put_columns (json);
  put_matches (json, comparison);
  json_builder_end_object (json);
  told = json_rows (json);
  g_string_append_printf (text, "%s\n", told);
}

/* Many pairs may be more than memory holds.  Each is written by itself, between the brackets of an empty list. */
#define END "]}"

void
append_json_begin (GString *text, GPtrArray *sides, const Settings *settings)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree gchar *told = NULL;

  put_object (json, NULL);
  put_array (json, "pictures");
  for (guint i = 0; i < sides->len; i++)
    put_side (json, NULL, g_ptr_array_index (sides, i));
  json_builder_end_array (json);
  put_settings (json, settings);
  put_columns (json);
  put_array (json, "pairs");
  json_builder_end_array (json);
  json_builder_end_object (json);
  told = json_rows (json);
  g_string_append_len (text, told, strlen (told) - strlen (END));
}

void
append_json_next (GString *text, const Comparison *comparison, gboolean is_first)
{
  g_autoptr (JsonBuilder) json = json_builder_new ();
  g_autofree gchar *told = NULL;

  put_object (json, NULL);
  put_int (json, "a", comparison->number_a);
  put_int (json, "b", comparison->number_b);
  put_found (json, &comparison->consensus);
  put_matches (json, comparison);
  json_builder_end_object (json);
  told = json_rows (json);
  g_string_append_printf (text, "%s\n %s", is_first ? "" : ",", told);
}

void
append_json_end (GString *text)
{
  g_string_append (text, END "\n");
}
