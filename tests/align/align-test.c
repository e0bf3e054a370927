/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:align on photographs that are moved as a camera moves them. */
#include "align-test.h"

#include "../check/named.h"

int
main (int argc, char **argv)
{
  static const NamedPart parts[] = {
    { "movements", movements_test },
    { "kinds", kinds_test },
    { "doubts", doubts_test },
    { "laws", laws_test },
  };

  return named_run (parts, G_N_ELEMENTS (parts), argc, argv);
}
