/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A table of planes that a failing device has not built may be full, and lack the plane that is looked for: the search ends all the same. */
#include <gegl.h>
#include <math.h>
#include <string.h>

#include "tessera.h"
#include "../../opencl/engine/tessera-math.h"
#include "../../opencl/math/tessera-index.h"
#include "../../opencl/math/tessera-grid.h"

#include "../engine/verdict.h"

enum { CAPACITY = 8, VALUES = 4 };

int
main (void)
{
  int table[CAPACITY * GRID_ENTRY (VALUES)] = { 0 };            /* each slot holds plane 0, none is empty */

  for (int odd = 0; odd < 2; odd++)
    for (int plane = -20; plane <= 20; plane++)
      {
        const int at = grid_find (table, CAPACITY, odd, VALUES, plane);

        expect (at >= 0 && at <= (CAPACITY - 1) * GRID_ENTRY (VALUES) && at % GRID_ENTRY (VALUES) == 0,
                "plane %d of a full table is at %d", plane, at);
      }
  return expect_told ();
}
