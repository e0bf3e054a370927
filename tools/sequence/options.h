/* SPDX-License-Identifier: LGPL-3.0-or-later */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "sequence.h"

typedef struct
{
  SequenceSettings settings;
  gchar          **what;        /* the frames; or merge, and folders */
  ReportSettings   report;
  GArray          *stars;       /* of a catalogue, for the zero point; or NULL */
  gchar           *output, *masters[MASTERS];
  gint             part, parts, pictures;
  gboolean         is_json, is_live;
} Options;

/* FALSE: they make no sense, and that has been said. */
gboolean options_parse (Options *options, gchar **arguments);
void     options_clear (Options *options);

#endif
