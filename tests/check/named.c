/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See named.h. */
#include "named.h"

#include <string.h>

int
named_run (const NamedPart *parts, gint n, int argc, char **argv)
{
  for (gint i = 0; i < n && argc > 1; i++)
    if (strcmp (argv[1], parts[i].name) == 0)
      return parts[i].run (argc - 1, argv + 1);
  for (gint i = 0; i < n; i++)
    g_printerr ("%s %s ...\n", argv[0], parts[i].name);
  return 2;
}
