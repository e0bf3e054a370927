/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The rows of points and pairs (tests/check/answers.h). */
#ifndef MATCH_ANSWERS_H
#define MATCH_ANSWERS_H

#include "../check/answers.h"

extern const AnswerRow answer_combined, answer_consensus, answer_matches, answer_strongest, answer_transforms;

#endif
