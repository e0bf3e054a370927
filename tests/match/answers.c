/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What points and pairs answer: the table of its rows. */
#include "answers.h"

#include "matching.h"

static const AnswerRow
  of_combine = { .name = "combine", .special = combine_pictures },
  of_fusion = { .name = "fusion", .special = fused_pictures },
  of_levels = { .name = "sift-levels", .special = sift_levels },
  of_pixels = { .name = "pixels", .special = pixels },
  of_reader = { .name = "match-reader", .special = keypoint_files, .is_plain = TRUE },
  of_turned = { .name = "turned", .special = turned_pixels };

gint
main (gint argc, gchar **argv)
{
  static const AnswerRow *const rows[] = {
    &of_reader, &answer_strongest, &answer_consensus, &answer_matches, &of_levels, &answer_combined, &of_combine, &of_fusion, &of_pixels, &of_turned, &answer_transforms
  };

  return answers_run (rows, G_N_ELEMENTS (rows), argc, argv);
}
