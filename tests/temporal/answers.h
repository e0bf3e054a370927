/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The rows of sequences (tests/check/answers.h). */
#ifndef TEMPORAL_ANSWERS_H
#define TEMPORAL_ANSWERS_H

#include "../check/answers.h"

extern const AnswerRow answer_background, answer_detection, answer_removal, answer_shift, answer_significance,
    answer_tracks, answer_weights, answer_weights_from_frames;

#endif
