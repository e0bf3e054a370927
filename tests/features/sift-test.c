/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:sift and what it saves and draws. */
#include "sift-test.h"

#include "../check/named.h"

int
main (int argc, char **argv)
{
  static const NamedPart parts[] = {
    { "points", sift_points_test },
    { "keys", sift_keys_test },
    { "marks", sift_marks_test },
    { "overlay", sift_overlay_test },
    { "state", sift_state_test },
  };

  return named_run (parts, G_N_ELEMENTS (parts), argc, argv);
}
