/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera-match A B: which keypoints of two pictures are the same, and the transform on which they agree. */
#include "match.h"

#include "matches.h"

#include <gegl-plugin.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "../saves.h"
#include "../version.h"

static gdouble  ratio = 0.8;
static gboolean no_mutual, quiet;
static gint64   seed = 1;
static gchar   *model = "homography", *json, *colmap, *picture;

static const GOptionEntry options[] = {
  { "model", 'm', 0, G_OPTION_ARG_STRING, &model, "translation, similarity, affine or homography (homography)", "NAME" },
  { "ratio", 0, 0, G_OPTION_ARG_DOUBLE, &ratio, "How much nearer the nearest has to be than the next, 0 to 1 (0.8)", "R" },
  { "no-mutual", 0, 0, G_OPTION_ARG_NONE, &no_mutual, "Keep matches that are the nearest in one direction only", NULL },
  { "seed", 0, 0, G_OPTION_ARG_INT64, &seed, "Of the random samples (1)", "N" },
  { "json", 0, 0, G_OPTION_ARG_FILENAME, &json, "Write everything to FILE as JSON; - is the standard output", "FILE" },
  { "colmap", 0, 0, G_OPTION_ARG_FILENAME, &colmap, "Write the matches to FILE, as COLMAP's matches_importer reads them", "FILE" },
  { "picture", 'p', 0, G_OPTION_ARG_FILENAME, &picture, "Write both pictures with lines between what agrees to FILE", "FILE" },
  { "quiet", 'q', 0, G_OPTION_ARG_NONE, &quiet, "Print nothing; the exit code tells", NULL },
  VERSION_OPTION,
  { NULL, 0, 0, 0, NULL, NULL, NULL }
};

static gint
fail (const gchar *message)
{
  fprintf (stderr, "tessera-match: %s\n", message);
  return 2;
}

/* NULL, or what is wrong. */
static const gchar *
check_arguments (gint argc, Comparison *comparison)
{
  if (argc != 3)
    return "two pictures or keypoint files are needed; see --help";
  if (! model_known (model, &comparison->model))
    return "--model is none of translation, similarity, affine, homography";
  if (! (ratio > 0 && ratio <= 1))
    return "--ratio is not above 0 and at most 1";
  if (picture && ! (comparison->a.is_picture && comparison->b.is_picture))
    return "--picture needs two pictures, not keypoint files";
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
check_outputs (const Comparison *comparison, GError **error)
{
  const gchar *const outputs[] = { json, colmap, picture }, *const inputs[] = { comparison->a.path, comparison->b.path };

  for (guint i = 0; i < G_N_ELEMENTS (outputs); i++)
    for (guint k = 0; k < G_N_ELEMENTS (inputs) && outputs[i]; k++)
      if (is_same_file (outputs[i], inputs[k]))
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS, "%s would be written over; give the result another name", inputs[k]);
          return FALSE;
        }
  return TRUE;
}

static gboolean
read_side (Side *side, GError **error)
{
  return side->is_picture ? picture_find (side, error) : keypoints_read (side->path, keypoints_format (side->path), &side->keypoints, error);
}

static gboolean
answer (Comparison *comparison, GError **error)
{
  const gboolean prints = ! quiet && ! (json && strcmp (json, "-") == 0) && ! (colmap && strcmp (colmap, "-") == 0);

  return (! prints || answer_print (comparison, error)) && (! json || answer_json (comparison, json, error)) && (! colmap || answer_colmap (comparison, colmap, error))
         && (! picture || picture_write (comparison, picture, error));
}

/* By tessera:align, which has the device do it; without that operation in C. */
static gboolean
find_matches (Comparison *comparison, GError **error)
{
  const Keypoints *a = &comparison->a.keypoints, *b = &comparison->b.keypoints;
  g_autoptr (GeglNode) graph = gegl_node_new ();
  TesseraRequest   like = { .operation = NULL };

  if (gegl_has_operation ("tessera:align"))
    like.operation = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:align", NULL));
  comparison->n_matches = match_descriptors (like.operation ? &like : NULL, a->descriptors, a->n, b->descriptors, b->n, ratio, ! no_mutual,
                                             &comparison->matches);
  if (comparison->n_matches < 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "TESSERA_OPENCL=force, but the descriptors could not be compared on a device");
  return comparison->n_matches >= 0;
}

static gboolean
compare (Comparison *comparison, GError **error)
{
  const Keypoints *a = &comparison->a.keypoints, *b = &comparison->b.keypoints;
  gboolean         good;

  if (! check_outputs (comparison, error) || ! read_side (&comparison->a, error) || ! read_side (&comparison->b, error) || ! find_matches (comparison, error))
    return FALSE;
  comparison->is_inlier = g_new0 (gboolean, (gsize) comparison->n_matches + 1);
  consensus_find (a->places, b->places, comparison->matches, comparison->n_matches, comparison->model, (guint64) seed,
                  b->width, b->height, a->width, a->height, comparison->is_inlier, &comparison->consensus);
  good = answer (comparison, error);
  g_free (comparison->matches);
  g_free (comparison->is_inlier);
  return good;
}

int
main (int argc, char **argv)
{
  GOptionContext *context = g_option_context_new ("A B - what two pictures have in common, and where");
  GError         *error = NULL;
  Comparison      comparison = { .n_matches = 0 };
  const gchar    *wrong;
  gint            code;

  saves_begin ();
  setlocale (LC_CTYPE, "");
  g_option_context_set_description (context,
    "A and B are pictures, or files of keypoints: .key, .txt, .csv, as tessera:sift-save writes them. The matrix takes places\n"
    "of B to places of A.\n"
    "Exit code: 0 aligned, 1 not aligned, 2 something was wrong.");
  g_option_context_add_main_entries (context, options, NULL);
  if (! g_option_context_parse (context, &argc, &argv, &error))
    return fail (error->message);
  g_option_context_free (context);
  if (argc == 3)
    {
      comparison.a = (Side) { .path = argv[1], .is_picture = keypoints_format (argv[1]) == KEYPOINTS_NONE };
      comparison.b = (Side) { .path = argv[2], .is_picture = keypoints_format (argv[2]) == KEYPOINTS_NONE };
    }
  wrong = check_arguments (argc, &comparison);
  if (wrong)
    return fail (wrong);
  comparison.ratio = ratio;
  comparison.mutual = ! no_mutual;
  comparison.seed = seed;

  saves_start_gegl ();
  code = compare (&comparison, &error) ? ! comparison.consensus.is_aligned : fail (error->message);
  keypoints_clear (&comparison.a.keypoints);
  keypoints_clear (&comparison.b.keypoints);
  gegl_exit ();
  return code;
}
