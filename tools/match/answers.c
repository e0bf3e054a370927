/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What tessera-match says: lines for people, JSON, COLMAP's list of matches. */
#include "match.h"

#include "saving.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

static const gchar *const models[] = { "translation", "similarity", "affine", "homography" };

const gchar *
model_name (ConsensusModel model)
{
  return models[model];
}

gboolean
model_known (const gchar *name, ConsensusModel *model)
{
  for (guint i = 0; i < G_N_ELEMENTS (models); i++)
    if (strcmp (name, models[i]) == 0)
      {
        *model = (ConsensusModel) i;
        return TRUE;
      }
  return FALSE;
}

/* With a point in any locale. */
static void
append_number (GString *text, const gchar *before, const gchar *format, gdouble number, const gchar *after)
{
  gchar shown[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append_printf (text, "%s%s%s", before, g_ascii_formatd (shown, sizeof shown, format, number), after);
}

static gboolean
write_text (const gchar *path, GString *text, GError **error)
{
  Saving   saving;
  gboolean good;

  if (strcmp (path, "-") == 0)
    {
      good = fwrite (text->str, 1, text->len, stdout) == text->len && fflush (stdout) == 0;
      if (! good)
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the standard output cannot be written");
    }
  else if ((good = saving_begin (&saving, path, "", error)))
    {
      fwrite (text->str, 1, text->len, saving.stream);
      good = saving_end (&saving, TRUE, error);
    }
  g_string_free (text, TRUE);
  return good;
}

/* ----------------------------------------------------------------- people -- */

static void
append_side (GString *text, const gchar *name, const Side *side)
{
  g_autofree gchar *shown = g_filename_display_name (side->path);

  g_string_append_printf (text, "%s: %d keypoints, %s%d x %d, %s\n", name, side->keypoints.n, side->is_picture ? "" : "within ",
                          side->keypoints.width, side->keypoints.height, shown);
}

gboolean
answer_print (const Comparison *comparison, GError **error)
{
  const Consensus *c = &comparison->consensus;
  GString         *text = g_string_new (NULL);

  append_side (text, "A", &comparison->a);
  append_side (text, "B", &comparison->b);
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

      g_string_append_printf (text, "\nMatrix (%s, from B to A):\n", model_name (comparison->model));
      for (gint k = 0; k < 9; k++)
        g_string_append_printf (text, "%s%s", numbers[k], k % 3 == 2 ? "\n" : " ");
    }
  else
    g_string_append_printf (text, "\nNot aligned: %s\n", c->reason);
  return write_text ("-", text, error);
}

/* ------------------------------------------------------------------- JSON -- */

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
append_json_side (GString *text, const gchar *name, const Side *side)
{
  g_autofree gchar *shown = g_filename_display_name (side->path);

  g_string_append_printf (text, "  \"%s\": {\"file\": ", name);
  append_quoted (text, shown);
  g_string_append_printf (text, ", \"keypoints\": %d, \"width\": %d, \"height\": %d, \"picture\": %s},\n", side->keypoints.n,
                          side->keypoints.width, side->keypoints.height, side->is_picture ? "true" : "false");
}

static void
append_place (GString *text, const MatchPlace *place)
{
  append_number (text, ", ", "%.4f", place->x, "");
  append_number (text, ", ", "%.4f", place->y, "");
}

/* A row for each match: both indices, the distance, is it an inlier, x and y in A, x and y in B. */
static void
append_json_matches (GString *text, const Comparison *comparison)
{
  g_string_append (text, "  \"columns\": [\"a\", \"b\", \"distance\", \"inlier\", \"x_a\", \"y_a\", \"x_b\", \"y_b\"],\n  \"matches\": [");
  for (gint i = 0; i < comparison->n_matches; i++)
    {
      const Match *match = &comparison->matches[i];

      g_string_append_printf (text, "%s\n    [%d, %d, %u, %d", i > 0 ? "," : "", match->a, match->b, match->distance, comparison->is_inlier[i]);
      append_place (text, &comparison->a.keypoints.places[match->a]);
      append_place (text, &comparison->b.keypoints.places[match->b]);
      g_string_append_c (text, ']');
    }
  g_string_append (text, comparison->n_matches > 0 ? "\n  ]\n" : "]\n");
}

gboolean
answer_json (const Comparison *comparison, const gchar *path, GError **error)
{
  const Consensus *c = &comparison->consensus;
  GString         *text = g_string_new ("{\n");
  g_autofree gchar *matrix = consensus_matrix_text (c->matrix);
  g_auto (GStrv)   numbers = g_strsplit (matrix, " ", -1);
  g_autofree gchar *row = g_strjoinv (", ", numbers);

  append_json_side (text, "a", &comparison->a);
  append_json_side (text, "b", &comparison->b);
  append_number (text, "  \"ratio\": ", "%.3g", comparison->ratio, ", ");
  g_string_append_printf (text, "\"mutual\": %s, \"model\": \"%s\", \"seed\": %" G_GINT64_FORMAT ",\n", comparison->mutual ? "true" : "false",
                          model_name (comparison->model), comparison->seed);
  g_string_append_printf (text, "  \"aligned\": %s, \"reason\": ", c->is_aligned ? "true" : "false");
  append_quoted (text, c->reason);
  g_string_append_printf (text, ",\n  \"matrix\": [%s],\n  \"inliers\": %d, \"places\": %d, ", row, c->inliers, c->places);
  append_number (text, "\"rms\": ", "%.6g", c->residual, ",\n");
  append_json_matches (text, comparison);
  g_string_append (text, "}\n");
  return write_text (path, text, error);
}

/* ----------------------------------------------------------------- COLMAP -- */

/* The picture's name: COLMAP keeps the keypoints of photo.jpg in photo.jpg.txt. */
static gchar *
name_for_colmap (const Side *side, GError **error)
{
  gchar *name = g_path_get_basename (side->path);

  if (! side->is_picture)
    *strrchr (name, '.') = '\0';
  if (strpbrk (name, " \t\n\r") || ! *name)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_FILENAME, "COLMAP's list of matches cannot hold the name \"%s\"", name);
      g_clear_pointer (&name, g_free);
    }
  return name;
}

gboolean
answer_colmap (const Comparison *comparison, const gchar *path, GError **error)
{
  g_autofree gchar *a = name_for_colmap (&comparison->a, error), *b = a ? name_for_colmap (&comparison->b, error) : NULL;
  GString *text;

  if (! b)
    return FALSE;
  text = g_string_new (NULL);
  g_string_append_printf (text, "%s %s\n", a, b);
  for (gint i = 0; i < comparison->n_matches; i++)
    g_string_append_printf (text, "%d %d\n", comparison->matches[i].a, comparison->matches[i].b);
  g_string_append_c (text, '\n');
  return write_text (path, text, error);
}
