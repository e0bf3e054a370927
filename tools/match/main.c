/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-match A B: which keypoints of two pictures are the same, and the transform on which they agree.
 * tessera-match FOLDER: of all pairs of its pictures. */
#include "match.h"

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <string.h>

#include "../progress.h"
#include "../saves.h"
#include "../version.h"
#include "system.h"

#define EDGE 10.0

static gdouble  ratio = 0.8, contrast = -1.0, edge = EDGE;
static gboolean no_mutual, quiet;
static gint64   seed = 1;
static gint     max_features, neighbours;
static gchar   *model = "auto", *normalization = "l2", *json, *colmap, *folder, *pto, *picture, **paths;

static const GOptionEntry options[] = {
  { "model", 'm', 0, G_OPTION_ARG_STRING, &model, "translation, similarity, affine, homography, or auto, the least that explains the matches (auto)", "NAME" },
  { "ratio", 0, 0, G_OPTION_ARG_DOUBLE, &ratio, "How much nearer the nearest has to be than the next, 0 to 1 (0.8)", "R" },
  { "no-mutual", 0, 0, G_OPTION_ARG_NONE, &no_mutual, "Keep matches that are the nearest in one direction only", NULL },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Of the random samples (1)", "N" },
  { "contrast-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &contrast,
    "How much a keypoint must stand out, 0 to 0.5 (0.04, or 0.01 for a picture that has fewer than 200 then, and for two that are not aligned)", "T" },
  { "edge-threshold", 0, 0, G_OPTION_ARG_DOUBLE, &edge, "How long for its width the shape of a keypoint may be, 2 to 100 (10)", "T" },
  { "max-features", 0, 0, G_OPTION_ARG_INT, &max_features, "Keypoints of a picture, the strongest ones; 0 keeps all (0)", "N" },
  { "normalization", 0, 0, G_OPTION_ARG_STRING, &normalization, "l2, or root, as COLMAP's own descriptors are (l2)", "NAME" },
  { "neighbours", 0, 0, G_OPTION_ARG_INT, &neighbours, "Compare each of many pictures with the next N alone; 0: with all (0)", "N" },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "Write everything to FILE as JSON; - is the standard output", "FILE" },
  { "colmap", 0, 0, G_OPTION_ARG_FILENAME, &colmap, "Write the matches to FILE, as COLMAP's matches_importer reads them; - is the standard output", "FILE" },
  { "keypoints", 0, 0, G_OPTION_ARG_FILENAME, &folder, "Write the keypoints of each picture into FOLDER, as COLMAP's feature_importer reads them", "FOLDER" },
  { "pto", 0, 0, G_OPTION_ARG_FILENAME, &pto, "Write a project of hugin with control points to FILE; - is the standard output", "FILE" },
  { "picture", 'p', 0, G_OPTION_ARG_FILENAME, &picture, "Write both pictures with lines between what agrees to FILE", "FILE" },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Print nothing; the exit code tells", NULL },
  VERSION_OPTION,
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &paths, NULL, "A B | FOLDER | PICTURE..." },
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static gint
fail (const gchar *message)
{
  progress_say ("%s", message);
  return 2;
}

/* NULL, or what is wrong. */
static const gchar *
check_numbers (Settings *settings)
{
  if (! consensus_model_read (model, &settings->model))
    return "--model is none of translation, similarity, affine, homography, auto";
  if (! (ratio > 0 && ratio <= 1))
    return "--ratio is not above 0 and at most 1";
  if (contrast != -1.0 && ! (contrast >= 0 && contrast <= 0.5))
    return "--contrast-threshold is not 0 to 0.5";
  if (! (edge >= 2 && edge <= 100))
    return "--edge-threshold is not 2 to 100";
  if (max_features < 0 || max_features > 1000000)
    return "--max-features is not 0 to 1000000";
  if (strcmp (normalization, "l2") != 0 && strcmp (normalization, "root") != 0)
    return "--normalization is neither l2 nor root";
  if (neighbours < 0)
    return "--neighbours is not 0 or more";
  return NULL;
}

static void
count_kinds (GPtrArray *sides, guint *pictures, guint *texts)
{
  *pictures = *texts = 0;
  for (guint i = 0; i < sides->len; i++)
    {
      const Side *side = g_ptr_array_index (sides, i);

      *pictures += side->is_picture;
      *texts += keypoints_format (side->path) == KEYPOINTS_COLMAP;
    }
}

/* The same.  A list of COLMAP's has numbers of keypoints, so it must be of those that COLMAP imports. */
static const gchar *
check_inputs (GPtrArray *sides, gboolean many)
{
  guint pictures, texts, outputs;

  count_kinds (sides, &pictures, &texts);
  outputs = (json && strcmp (json, "-") == 0) + (colmap && strcmp (colmap, "-") == 0) + (pto && strcmp (pto, "-") == 0);
  if (outputs > 1)
    return "only one of --json, --colmap and --pto can be written to the standard output";
  if (picture && many)
    return "--picture is for two pictures";
  if (picture && pictures < 2)
    return "--picture needs two pictures, not keypoint files";
  if (pto && pictures < sides->len)
    return "--pto needs pictures, not keypoint files: hugin wants to see them";
  if (neighbours > 0 && ! many)
    return "--neighbours is for a folder, or for more than two pictures";
  if (pictures == 0 && (contrast >= 0 || edge != EDGE || max_features > 0 || strcmp (normalization, "l2") != 0))
    return "--contrast-threshold, --edge-threshold, --max-features and --normalization are for pictures; the keypoints of files have been found";
  if (pictures == 0 && folder)
    return "--keypoints is for pictures; these are files of keypoints";
  if (colmap && texts + (folder ? pictures : 0) < sides->len)
    return texts + pictures < sides->len ? "--colmap counts the keypoints of the .txt files that COLMAP imports; .key and .csv files are none of these"
           : "--colmap counts the keypoints of the .txt files that COLMAP imports: give those files in place of the pictures, or have them written by --keypoints FOLDER";
  return NULL;
}

static gboolean
is_same_file (const gchar *path, const gchar *other)
{
  GStatBuf one, two;

  return g_stat (path, &one) == 0 && g_stat (other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* Whoever compares photographs wants to keep them. */
static gboolean
check_outputs (GPtrArray *sides, GError **error)
{
  const gchar *const outputs[] = { json, colmap, pto, picture };

  for (guint k = 0; k < sides->len; k++)
    {
      const Side       *side = g_ptr_array_index (sides, k);
      g_autofree gchar *name = side_picture (side), *file = g_strconcat (name, ".txt", NULL), *points = folder ? g_build_filename (folder, file, NULL) : NULL;
      gboolean          is_one = FALSE;

      for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
        is_one |= outputs[i] && is_same_file (outputs[i], side->path);
      for (guint i = 0; i < sides->len && points && side->is_picture; i++)
        is_one |= is_same_file (points, ((const Side *) g_ptr_array_index (sides, i))->path);
      if (is_one)
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "%s would be written over; give the result another name", points && side->is_picture ? points : side->path);
          return FALSE;
        }
    }
  if (folder && g_mkdir_with_parents (folder, 0777) != 0)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "the folder %s cannot be made", folder);
      return FALSE;
    }
  return (! (colmap || folder) || colmap_names (sides, error)) && (! pto || hugin_names (sides, error));
}

/* Of many what cannot be read is left out; of two it is an error. */
static gboolean
read_sides (GPtrArray *sides, gboolean many, const Settings *settings, GError **error)
{
  for (guint i = 0; i < sides->len;)
    {
      Side              *side = g_ptr_array_index (sides, i);
      g_autoptr (GError) why = NULL;

      if (side_read (side, settings, &why))
        i++;
      else if (many)
        {
          progress_say ("%s; it is left out", why->message);
          g_ptr_array_remove_index (sides, i);
        }
      else
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return FALSE;
        }
      if (many)
        progress_step (1.0, "%s", i < sides->len ? ((Side *) g_ptr_array_index (sides, i))->path : "");
    }
  if (sides->len < 2)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "fewer than two pictures are left to compare");
  return sides->len >= 2;
}

/* ----------------------------------------------------------------- answers -- */

typedef struct
{
  Outlet          printed, json, colmap, pto;
  GString        *text;
  gboolean        many;
  gint            n_pairs;
} Answers;

static gboolean
tell_comparison (const Comparison *comparison, gpointer data, GError **error)
{
  Answers *answers = data;

  if (answers->printed.path)
    {
      (answers->many ? append_pair_line : append_pair) (answers->text, comparison);
      progress_end ();                  /* the bar */
      outlet_put (&answers->printed, answers->text);
    }
  if (answers->json.path)
    {
      if (answers->many)
        append_json_next (answers->text, comparison, answers->n_pairs == 0);
      else
        append_json_pair (answers->text, comparison);
      outlet_put (&answers->json, answers->text);
    }
  if (answers->colmap.path)
    {
      append_colmap (answers->text, comparison);
      outlet_put (&answers->colmap, answers->text);
    }
  if (answers->pto.path)
    {
      append_hugin (answers->text, comparison);
      outlet_put (&answers->pto, answers->text);
    }
  answers->n_pairs++;
  return ! picture || picture_write (comparison, picture, error);
}

static void
begin (Answers *answers, GPtrArray *sides, const Settings *settings)
{
  if (json && answers->many)
    append_json_begin (answers->text, sides, settings);
  outlet_put (&answers->json, answers->text);
  if (pto)
    append_hugin_begin (answers->text, sides, pto);
  outlet_put (&answers->pto, answers->text);
}

static void
end (Answers *answers, GPtrArray *sides, gint aligned)
{
  if (answers->many)
    g_string_append_printf (answers->text, "%d of %d pairs are aligned\n", aligned, answers->n_pairs);
  outlet_put (&answers->printed, answers->text);
  if (json && answers->many)
    append_json_end (answers->text);
  outlet_put (&answers->json, answers->text);
  if (pto)
    append_hugin_end (answers->text, sides);
  outlet_put (&answers->pto, answers->text);
}

static gint
count_pairs (gint n)
{
  gint pairs = 0;

  for (gint i = 0; i < n; i++)
    pairs += neighbours > 0 ? MIN (neighbours, n - 1 - i) : n - 1 - i;
  return pairs;
}

/* The exit code; 2 with an error. */
static gint
compare (GPtrArray *sides, gboolean many, const Settings *settings, GError **error)
{
  const gboolean is_shown = ! quiet && g_strcmp0 (json, "-") != 0 && g_strcmp0 (colmap, "-") != 0 && g_strcmp0 (pto, "-") != 0;
  Answers        answers = { .printed = { .path = is_shown ? "-" : NULL }, .json = { .path = json }, .colmap = { .path = colmap }, .pto = { .path = pto },
                             .many = many };
  Outlet *const  outlets[] = { &answers.printed, &answers.json, &answers.colmap, &answers.pto };
  gboolean       good = TRUE;
  gint           aligned = -1;

  progress_begin (sides->len + count_pairs (sides->len));
  if (! read_sides (sides, many, settings, error))
    return 2;
  answers.text = g_string_new (NULL);
  for (guint i = 0; i < G_N_ELEMENTS (outlets) && good; i++)
    good = outlet_open (outlets[i], error);
  if (good)
    {
      begin (&answers, sides, settings);
      aligned = pairs_compare (sides, neighbours, tell_comparison, &answers, settings, error);
      progress_end ();
    }
  if (aligned >= 0)
    end (&answers, sides, aligned);
  good = aligned >= 0;
  for (guint i = 0; i < G_N_ELEMENTS (outlets); i++)
    good = outlet_close (outlets[i], good, error);
  g_string_free (answers.text, TRUE);
  return good ? aligned == 0 : 2;
}

static gboolean
parse (gchar **arguments, GError **error)
{
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_set_summary (context, "What two pictures have in common, and where; or all pairs of many.");
  g_option_context_set_description (context,
    "A and B are pictures, or files of keypoints: .key, .txt, .csv, as tessera:sift-save writes them. The matrix takes places\n"
    "of B to places of A. Of a folder, or of more than two pictures, all pairs are compared; a picture that cannot be read is\n"
    "named and left out.\n"
    "Exit code: 0 aligned (of many: a pair at least), 1 not aligned, 2 something was wrong.");
  g_option_context_add_main_entries (context, options, NULL);
  return g_option_context_parse_strv (context, &arguments, error);
}

gint
main (gint argc G_GNUC_UNUSED, gchar **argv)
{
  g_autoptr (GError)    error = NULL;
  g_autoptr (GPtrArray) sides = NULL;
  g_auto (GStrv)        arguments = tessera_command_begins (argv);
  Settings              settings = { 0 };
  gboolean              many;
  const gchar          *wrong;
  gint                  code = 2;

  setlocale (LC_CTYPE, "");
  progress_name ("tessera-match");
  if (! parse (arguments, &error))
    return fail (error->message);
  wrong = check_numbers (&settings);
  if (wrong)
    return fail (wrong);
  settings.ratio = ratio;
  settings.mutual = ! no_mutual;
  settings.seed = seed;
  settings.contrast = contrast;
  settings.edge = edge;
  settings.max_features = max_features;
  settings.is_root = strcmp (normalization, "root") == 0;
  settings.as_stored = colmap || folder || pto;
  settings.folder = folder;

  saves_start_gegl ();
  sides = inputs_list (paths, &many, &error);
  settings.looks_lower = contrast < 0 && ! many && ! folder;
  wrong = sides ? check_inputs (sides, many) : error->message;
  if (wrong)
    code = fail (wrong);
  else if (! check_outputs (sides, &error) || (code = compare (sides, many, &settings, &error)) == 2)
    code = fail (error->message);
  gegl_exit ();
  return code;
}
