/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * named.h: a test program of several parts, each of which has words of its own: PROGRAM PART [WORD...]. */
#ifndef NAMED_H
#define NAMED_H

#include <glib.h>

typedef struct
{
  const gchar *name;
  int        (*run) (int argc, char **argv);    /* as main; argv[0] is the name */
} NamedPart;

/* What main returns. */
int named_run (const NamedPart *parts, gint n, int argc, char **argv);

#endif
