/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * verdict.h: counts what is as expected and what is not. */
#ifndef VERDICT_H
#define VERDICT_H

#include <glib.h>

void expect      (gboolean good, const gchar *format, ...) G_GNUC_PRINTF (2, 3);

/* Prints the last line; returns the exit code. */
gint expect_told (void);

#endif
