/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames, films and folders as they are read. */
#include "files-test.h"

#include "../check/named.h"

int
main (int argc, char **argv)
{
  static const NamedPart parts[] = {
    { "frames", frames_test },
    { "frames-changed", frames_changed_test },
    { "ser", ser_test },
#ifdef HAVE_CFITSIO
    { "fits", fits_test },
    { "fits-kinds", fits_kinds_test },
    { "fits-clock", clock_test },
    { "fits-colours", colours_test },
    { "fits-damage", fits_damage_test },
#endif
#ifdef HAVE_WCSLIB
    { "sky", sky_test },
#endif
    { "stars-loaded", stars_loaded_test },
  };

  return named_run (parts, G_N_ELEMENTS (parts), argc, argv);
}
