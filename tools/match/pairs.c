/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pairs of tessera-match: what matches, and the transform on which most of it agrees. */
#include "match.h"

#include "matches.h"

#include <gegl-plugin.h>
#include <gio/gio.h>

#include "../progress.h"

/* By tessera:align, which has the device do it; without that operation in C. */
static gboolean
find_matches (Comparison *comparison, GError **error)
{
  const Settings  *settings = comparison->settings;
  const Keypoints *a = &comparison->a->keypoints, *b = &comparison->b->keypoints;
  g_autoptr (GeglNode) graph = gegl_node_new ();
  TesseraRequest   like = { .operation = NULL };

  if (gegl_has_operation ("tessera:align"))
    like.operation = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:align", NULL));
  comparison->n_matches = match_descriptors (like.operation ? &like : NULL, a->descriptors, a->n, b->descriptors, b->n, settings->ratio,
                                             settings->mutual, &comparison->matches);
  if (comparison->n_matches < 0)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "TESSERA_OPENCL=force, but the descriptors could not be compared on a device");
  return comparison->n_matches >= 0;
}

gboolean
comparison_make (Comparison *comparison, const Settings *settings, GPtrArray *sides, gint a, gint b, GError **error)
{
  const Keypoints *of_a, *of_b;

  *comparison = (Comparison) { .a = g_ptr_array_index (sides, a), .b = g_ptr_array_index (sides, b), .number_a = a, .number_b = b,
                               .settings = settings };
  of_a = &comparison->a->keypoints;
  of_b = &comparison->b->keypoints;
  if (! find_matches (comparison, error))
    return FALSE;
  comparison->is_inlier = g_new0 (gboolean, (gsize) comparison->n_matches + 1);
  consensus_find (of_a->places, of_b->places, comparison->matches, comparison->n_matches, settings->model, (guint64) settings->seed,
                  of_b->width, of_b->height, of_a->width, of_a->height, comparison->is_inlier, &comparison->consensus);
  return TRUE;
}

void
comparison_clear (Comparison *comparison)
{
  g_clear_pointer (&comparison->matches, g_free);
  g_clear_pointer (&comparison->is_inlier, g_free);
}

gint
pairs_compare (GPtrArray *sides, gint neighbours, gboolean (*tell) (const Comparison *comparison, gpointer data, GError **error), gpointer data,
               const Settings *settings, GError **error)
{
  const gint n = (gint) sides->len;
  gint       aligned = 0;

  for (gint a = 0; a < n && aligned >= 0; a++)
    for (gint b = a + 1; b < n && (neighbours == 0 || b - a <= neighbours) && aligned >= 0; b++)
      {
        Comparison comparison;

        if (comparison_make (&comparison, settings, sides, a, b, error) && tell (&comparison, data, error))
          aligned += comparison.consensus.is_aligned;
        else
          aligned = -1;
        comparison_clear (&comparison);
        progress_step (1.0, "%s", comparison.a->path);
      }
  return aligned;
}
