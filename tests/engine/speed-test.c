/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The rule of TESSERA_OPENCL=auto, with made-up times: speed.c is compiled in.
 */
#include <glib.h>

#include "../../opencl/engine/speed.h"

#define MPIX (1 << 20)

static gint passed, failed;

static void
expect (gboolean condition, const gchar *what)
{
  if (condition)
    passed++;
  else
    {
      failed++;
      g_print ("FAIL %s\n", what);
    }
}

/* One request as the engine makes it; `c` and `device`: seconds that it takes there. */
static gboolean
request (const gchar *filter, guint reach, guint64 pixels, gdouble c, gdouble device)
{
  gdouble  expected_c, expected_device;
  gboolean in_c = tessera_speed_prefers_c (filter, reach, pixels, &expected_c, &expected_device);

  tessera_speed_note (filter, reach, pixels, ! in_c, in_c ? c : device);
  return in_c;
}

static guint
count_c (const gchar *filter, guint reach, guint64 pixels, gdouble c, gdouble device, guint n)
{
  guint in_c = 0;

  for (guint i = 0; i < n; i++)
    in_c += request (filter, reach, pixels, c, device);
  return in_c;
}

int
main (void)
{
  expect (request ("tiny", 4, 64 * 64, 1e-4, 1e-3), "a tiny request goes to C at once");
  expect (count_c ("large", 4, 24 * MPIX, 0.08, 0.03, 100) == 0, "large requests alone stay on the device");
  expect (! request ("first", 4, MPIX, 1.0, 1e-3), "the first of a size goes to the device");

  /* C wins at every size: found out by trials on small requests. */
  expect (count_c ("weak gpu", 4, MPIX / 8, 1e-4, 1e-3, 10) >= 7, "C is found out and taken where it is faster");
  expect (count_c ("weak gpu", 4, 8 * MPIX, 6e-3, 60e-3, 10) >= 7, "... at large sizes too");
  expect (count_c ("weak gpu", 4, 8 * MPIX, 6e-3, 60e-3, 640) < 640, "... and the device is tried again now and then");

  /* The device wins by far at large sizes, loses at small ones. */
  count_c ("good gpu", 4, 20000, 1e-4, 1e-3, 10);
  expect (count_c ("good gpu", 4, 20000, 1e-4, 1e-3, 64) >= 62, "small requests in C");
  expect (count_c ("good gpu", 4, 24 * MPIX, 24 * MPIX * 5e-9, 0.03, 50) == 0, "large ones on the device");

  /* The first of a size pays for memory and does not count. */
  tessera_speed_note ("warm", 4, 4 * MPIX, TRUE, 10.0);
  expect (count_c ("warm", 4, 4 * MPIX, 0.1, 0.01, 20) == 0, "one slow start does not switch the device off");

  /* Filters and reaches are apart. */
  expect (! request ("other", 4, 8 * MPIX, 6e-3, 60e-3), "another filter has its own figures");
  expect (! request ("weak gpu", 400, 8 * MPIX, 6e-3, 60e-3), "another reach has its own figures");
  /* A colour picker's pixels say nothing about C's speed. */
  tessera_speed_note ("picker", 4, 1, FALSE, 1e-4);
  tessera_speed_note ("picker", 4, 1, FALSE, 1e-4);
  expect (count_c ("picker", 4, 200000, 1e-3, 3e-3, 1000) > 900, "two single pixels do not keep C out");

  /* Times change: a device gets busy and is left; C gets slower and is left. */
  count_c ("busy", 4, 200000, 2e-3, 1e-3, 20);
  expect (count_c ("busy", 4, 200000, 2e-3, 0.1, 1000) > 900, "a device that has become slow is left");
  expect (count_c ("busy", 4, 200000, 2e-3, 1e-4, 2000) < 1200, "... and found again");
  count_c ("slow c", 4, 200000, 2e-3, 1e-2, 100);
  expect (count_c ("slow c", 4, 200000, 0.1, 1e-2, 1000) < 100, "C that has become slow is left");

  /* C does worse at a large size than at the small ones of its trials. */
  count_c ("memory", 4, 200000, 1e-3, 2e-3, 20);
  expect (count_c ("memory", 4, 24 * MPIX, 0.3, 0.2, 500) < 100, "each size has its own figures once they are known");

  g_print ("%d passed, %d failed\n", passed, failed);
  return failed || ! passed;
}
