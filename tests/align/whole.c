/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * whole FILE...: for run-whole.py, what loads_walk says of each file, a line each: `whole`, `whole, without its end`, or what is wrong; and the orientation. */
#include <gegl.h>
#include <stdio.h>

#include "loads-upright.h"
#include "loads-whole.h"

gint
main (gint argc, gchar **argv)
{
  for (gint i = 1; i < argc; i++)
    {
      const Walked walked = loads_walk (argv[i]);

      printf ("%s; %d\n", walked.wrong ? walked.wrong : walked.tail ? "whole, without its end" : "whole", loads_orientation (argv[i], &walked));
    }
  return 0;
}
