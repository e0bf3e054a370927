/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:denoise takes no more memory than it says, wherever a band lies: the functions of the engine that it calls
 * stand here, and count. */
#include "config.h"

#include "../../operations/denoise/denoise.h"
#include "verdict.h"

#define PERIOD 8                /* pixels, after which all levels and blocks lie as before */

static gsize taken;

TESSERA_API gint
tessera_scratch (TesseraBand *band G_GNUC_UNUSED, gsize bytes, TesseraMemory **memory G_GNUC_UNUSED)
{
  taken += bytes;
  return 0;
}

TESSERA_API gint
tessera_launch (TesseraBand *band G_GNUC_UNUSED, const TesseraLaunch *launch G_GNUC_UNUSED)
{
  return 0;
}

TESSERA_API gint
tessera_send (TesseraBand *band G_GNUC_UNUSED, gconstpointer data G_GNUC_UNUSED, gsize bytes G_GNUC_UNUSED,
              TesseraMemory *memory G_GNUC_UNUSED)
{
  return 0;
}

static void
check_size (gint width, gint height)
{
  Denoise             *d = g_new0 (Denoise, 1);
  const TesseraRequest request = { .params = d };
  gsize                said, most = 0;

  d->bounds = (GeglRectangle) { 0, 0, width + 1000, height + 1000 };
  said = denoise_scratch_bytes (&request, width, height);
  for (gint place = 0; place < PERIOD * PERIOD; place++)
    {
      TesseraBand band = { .request = &request, .roi = { 496 + place % PERIOD, 496 + place / PERIOD, width, height } };

      taken = sizeof *d;
      denoise_device (&band);
      most = MAX (most, taken);
    }
  expect (most <= said, "a band of %d x %d takes up to %" G_GSIZE_FORMAT " bytes, and says %" G_GSIZE_FORMAT, width, height, most, said);
  expect (said <= most * 5 / 4 + (1 << 20), "a band of %d x %d takes up to %" G_GSIZE_FORMAT " bytes alone, and says %" G_GSIZE_FORMAT,
          width, height, most, said);
  g_free (d);
}

int
main (void)
{
  for (gint i = 1; i <= 40; i++)
    {
      check_size (i, 4000);
      check_size (i, i);
      check_size (25 * i, 16 + i);
    }
  return expect_told ();
}
