/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The parts of tessera-match. */
#ifndef MATCH_H
#define MATCH_H

#include "keypoints.h"

typedef struct
{
  const gchar *path;
  gboolean     is_picture;
  Keypoints    keypoints;
} Side;

typedef struct
{
  Side           a, b;
  gdouble        ratio;
  gboolean       mutual;
  ConsensusModel model;
  gint64         seed;
  Match         *matches;
  gint           n_matches;
  gboolean      *is_inlier;
  Consensus      consensus;
} Comparison;

/* picture.c */
/* The keypoints and the size of a picture. */
gboolean picture_find  (Side *side, GError **error);
/* Both pictures side by side, a line for each pair that agrees. */
gboolean picture_write (const Comparison *comparison, const gchar *path, GError **error);

/* answers.c.  A path of "-" is the standard output. */
gboolean     answer_print  (const Comparison *comparison, GError **error);
gboolean     answer_json   (const Comparison *comparison, const gchar *path, GError **error);
gboolean     answer_colmap (const Comparison *comparison, const gchar *path, GError **error);
const gchar *model_name    (ConsensusModel model);
gboolean     model_known   (const gchar *name, ConsensusModel *model);

#endif
