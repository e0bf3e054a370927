/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Graphs of tessera:estimate-shift, for its tests. */
#ifndef TEST_ESTIMATE_SHIFT_H
#define TEST_ESTIMATE_SHIFT_H

#include <gegl.h>

#include "stars.h"
#include "tessera-control.h"
#include "../../tools/connect.h"


typedef struct
{
  gdouble  x, y, error;
  gboolean converged;
  gint     pixels, steps;
  gchar   *reason;
} Answer;

typedef struct
{
  const gchar *method;
  gint         max_shift;
  gdouble      saturation;
  gboolean     reject_hot;
} Settings;

extern const Settings defaults;

GeglNode   *node_of     (GeglNode *graph, const Settings *settings);
GeglNode   *source_of   (GeglNode *graph, GeglBuffer *buffer);
Answer      answer_of   (GeglNode *node);
/* `through`, if not NULL: gets the output, which has the input's box and format. */
Answer      ask         (GeglBuffer *input, GeglBuffer *aux, const Settings *settings, TesseraOpenclMode mode, guchar **through);
gboolean    same        (const Answer *a, const Answer *b);
void        expect_same (Answer *a, Answer *b, const gchar *what);

StarsField *field_of    (gchar preset, guint64 seed, gint width, gint height);
GeglBuffer *buffer_of   (const StarsField *field, gint frame, const gchar *format, gint x, gint y);

/* estimate-shift-device.c; `small`: on a slow device that looks at each access. */
void        test_device (void);
void        test_small  (void);

#endif
