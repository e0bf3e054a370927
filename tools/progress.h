/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How far a command is: on a terminal a bar, with the time that is left. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <glib.h>

/* The command's name, a constant, for progress_say. */
void progress_name  (const gchar *name);
void progress_begin (gdouble steps);
void progress_step  (gdouble steps, const gchar *format, ...) G_GNUC_PRINTF (2, 3);
void progress_end   (void);
/* A line on stderr, not through the bar. */
void progress_say   (const gchar *format, ...) G_GNUC_PRINTF (1, 2);

#endif
