/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * check: the harness with the tables of this tree.  suite.c has its options. */
#include "check.h"

#define ROW(name) &check_##name,
static const CheckFilter *const filters[] = { CHECK_FILTERS (ROW) };
#undef ROW

int
main (int argc, char **argv)
{
  const CheckSuite suite = { filters, G_N_ELEMENTS (filters), check_self_test };

  g_setenv ("GEGL_PATH", CHECK_OPERATIONS_DIR G_SEARCHPATH_SEPARATOR_S CHECK_PLUGINS_DIR, FALSE);
  return check_suite (argc, argv, &suite);
}
