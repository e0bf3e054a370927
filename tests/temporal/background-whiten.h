/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Folders of frames, and requests to tessera:background-whiten, for its tests. */
#ifndef TEST_BACKGROUND_WHITEN_H
#define TEST_BACKGROUND_WHITEN_H

#include <glib.h>

#define WIDTH  96
#define HEIGHT 70
#define FRAMES 7                /* the last is the input */

extern guint16 counts[FRAMES][HEIGHT * WIDTH];

/* Folders: `six` and `seven` have so many frames, `mixed` two that are no frames, `flat` one without stars, `wide` one of another size,
 * `empty` none.  Files: dark.pgm, text.pgm, wide.pgm. */
void   graph_init  (void);
void   graph_clear (void);
gchar *graph_file  (const gchar *name);

typedef struct
{
  gfloat  pixels[HEIGHT * WIDTH];
  gchar  *shifts, *weights, *notes, *reason;
  gdouble noise_gain;
  gint    degree;
} Answer;

/* Of this input, and frames in a folder of ours; properties end with NULL. */
Answer ask_of       (const guint16 *input, const gchar *frames, const gchar *first_property, ...) G_GNUC_NULL_TERMINATED;
void   answer_clear (Answer *answer);

#define ask(...) ask_of (counts[FRAMES - 1], __VA_ARGS__, NULL)

#endif
