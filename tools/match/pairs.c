/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Pairs of tessera-match: what matches, and the transform on which most of it agrees. */
#include "match.h"

#include "matches.h"

#include <gegl-plugin.h>
#include <gio/gio.h>

#include "../progress.h"

#define AGREES       4.0        /* pixels */
#define FEWEST_FIRST 3          /* matches, of those that stood out */

static gboolean
find_matches (Comparison *comparison, GError **error)
{
  const Settings  *settings = comparison->settings;
  const Keypoints *a = &comparison->a->keypoints, *b = &comparison->b->keypoints;

  comparison->n_matches = match_descriptors (&(TesseraErrand) { .operation = NULL }, a->descriptors, a->n, b->descriptors, b->n, settings->ratio,
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

/* What is asked for where keypoints are looked for again. */
static Settings
lower_settings (const Settings *settings)
{
  Settings lower = *settings;

  lower.contrast = LEAST_CONTRAST;
  lower.max_features = settings->max_features > 0 ? settings->max_features : MOST_AGAIN;
  return lower;
}

static gboolean
has_more (const Side *side, const Settings *lower)
{
  return side->contrast > lower->contrast && side->keypoints.n < lower->max_features;
}

/* Does what stood out more agree?  What is faint may be the sensor's or the glass's, and the same in all pictures. */
static gboolean
is_borne_out (const Comparison *first, const gdouble matrix[9])
{
  gint agree = 0;

  for (gint i = 0; i < first->n_matches; i++)
    agree += consensus_agrees (matrix, &first->a->keypoints.places[first->matches[i].a], &first->b->keypoints.places[first->matches[i].b], AGREES);
  return agree >= FEWEST_FIRST && 2 * agree >= first->n_matches;
}

/* What the pictures share may stand out less.  The first answer stays where the second is no better. */
static gboolean
compare_lower (Comparison *comparison, const Settings *settings, GPtrArray *sides, GError **error)
{
  g_autoptr (GPtrArray) lower = g_ptr_array_new_with_free_func (side_free);
  Comparison      again;

  for (guint i = 0; i < 2; i++)
    {
      Side *side = side_look_lower (g_ptr_array_index (sides, i), settings, error);

      if (! side)
        return FALSE;
      g_ptr_array_add (lower, side);
    }
  if (! comparison_make (&again, comparison->settings, lower, 0, 1, error))
    return FALSE;
  if (again.consensus.is_aligned && is_borne_out (comparison, again.consensus.matrix))
    {
      Comparison first = *comparison;

      *comparison = again;
      again = first;
      for (guint i = 0; i < 2; i++)
        {
          gpointer kept = sides->pdata[i];

          sides->pdata[i] = lower->pdata[i];
          lower->pdata[i] = kept;
        }
    }
  comparison_clear (&again);
  return TRUE;
}

static gboolean
compare_pair (Comparison *comparison, const Settings *settings, GPtrArray *sides, gint a, gint b, GError **error)
{
  const Settings lower = lower_settings (settings);

  if (! comparison_make (comparison, settings, sides, a, b, error))
    return FALSE;
  if (settings->looks_lower && ! comparison->consensus.is_aligned && comparison->a->is_picture && comparison->b->is_picture
      && (has_more (comparison->a, &lower) || has_more (comparison->b, &lower)))
    return compare_lower (comparison, &lower, sides, error);
  return TRUE;
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

        if (compare_pair (&comparison, settings, sides, a, b, error) && tell (&comparison, data, error))
          aligned += comparison.consensus.is_aligned;
        else
          aligned = -1;
        comparison_clear (&comparison);
        progress_step (1.0, "%s", comparison.a->path);
      }
  return aligned;
}
