/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Where WCSLIB is not there, nothing has a place in the sky. */
#include "sky.h"

#include <math.h>

Sky *
sky_new (const FrameFacts *facts G_GNUC_UNUSED)
{
  return NULL;
}

SkyState
sky_state (const FrameFacts *facts)
{
  return facts->sky ? SKY_UNKNOWN : SKY_NONE;
}

void
sky_free (Sky *sky G_GNUC_UNUSED)
{
}

void
sky_place (Sky *sky G_GNUC_UNUSED, gdouble x G_GNUC_UNUSED, gdouble y G_GNUC_UNUSED, gdouble *ra, gdouble *dec)
{
  *ra = *dec = NAN;
}
