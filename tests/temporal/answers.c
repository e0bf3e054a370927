/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What sequences answer: the table of its rows. */
#include "answers.h"

#include "graphs.h"

static const AnswerRow
  of_estimate_shift = { .name = "estimate-shift", .special = estimate_shift },
  of_background_whiten = { .name = "background-whiten", .special = background_whiten },
  of_background_whiten_faults = { .name = "background-whiten-faults", .special = background_whiten_faults },
  of_laws = { .name = "sequence-laws", .special = sequence_laws },
  of_stars = { .name = "stars", .special = stars, .is_plain = TRUE };

gint
main (gint argc, gchar **argv)
{
  static const AnswerRow *const rows[] = { &of_stars,
                                           &answer_shift,
                                           &answer_weights,
                                           &answer_weights_from_frames,
                                           &answer_background,
                                           &answer_significance,
                                           &answer_detection,
                                           &answer_removal,
                                           &answer_tracks,
                                           &of_estimate_shift,
                                           &of_background_whiten,
                                           &of_background_whiten_faults,
                                           &of_laws };

  return answers_run (rows, G_N_ELEMENTS (rows), argc, argv);
}
