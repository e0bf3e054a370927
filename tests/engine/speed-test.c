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

/* ------------------------------------------------------------------ machines -- */

/* A clock that is made up: a path takes `start` and then so many seconds a pixel, and the device's first request of a
 * size `memory` a pixel more. */
typedef struct
{
  const gchar *name;
  gdouble      c_start, c, device_start, device, memory;
  gdouble      jump;            /* of more than JUMP pixels a request the device takes so many times as long */
} Machine;

#define JUMP  (3 * MPIX)
#define PART  (512 * 512)
#define SHORT 1e-2              /* seconds */
#define MOST  1.2               /* times as long as the better path */

static const Machine machines[] = {
  { "C as fast as the device", 5e-5, 4e-9, 3e-4, 4e-9, 2e-8, 1 },
  { "large GPU, light filter", 5e-5, 2.5e-9, 3e-4, 0.9e-9, 2e-8, 1 },
  { "large GPU, heavy filter", 5e-5, 350e-9, 3e-4, 1.5e-9, 2e-8, 1 },
  { "large GPU, two cores", 5e-5, 30e-9, 3e-4, 0.9e-9, 2e-8, 1 },
  { "small GPU, many cores", 5e-5, 4e-9, 1e-3, 60e-9, 2e-8, 1 },
  { "small GPU, a little slower", 5e-5, 20e-9, 1e-3, 30e-9, 2e-8, 1 },
  { "small GPU, a little faster", 5e-5, 30e-9, 1e-3, 20e-9, 2e-8, 1 },
  { "kernel that falls off", 5e-5, 109e-9, 1e-3, 1132e-9, 2e-8, 1 },
  { "GPU whose memory ends", 5e-5, 20e-9, 3e-4, 5e-9, 2e-8, 100 }
};

static gdouble
time_of (const Machine *machine, gboolean in_c, guint64 pixels, gboolean is_first)
{
  const gdouble memory = is_first ? machine->memory : 0, jump = pixels > JUMP ? machine->jump : 1;

  return in_c ? machine->c_start + machine->c * pixels
         : machine->device_start + (machine->device * jump + memory) * pixels;
}

/* Requests of one size for a filter on a machine. */
typedef struct
{
  const Machine *machine;
  const gchar   *filter;
  guint64        pixels;
  gboolean       can_be_parted, has_run;        /* has_run: on the device */
  gdouble        spent;         /* seconds, with what was computed to learn */
} Course;

/* TRUE: in C. */
static gboolean
request_on (Course *course)
{
  const Machine *machine = course->machine;
  const guint64  pixels = course->pixels;
  gdouble        expected_c, expected_device;
  const gboolean in_c = tessera_speed_prefers_c (course->filter, 1, pixels, &expected_c, &expected_device);
  const gdouble  seconds = time_of (machine, in_c, pixels, ! course->has_run);
  const gdouble  part = time_of (machine, TRUE, MIN (pixels, PART), FALSE);

  tessera_speed_note (course->filter, 1, pixels, ! in_c, seconds);
  course->spent += seconds;
  course->has_run |= ! in_c;
  if (! in_c && course->can_be_parted && tessera_speed_wants_trial (course->filter, 1, pixels, seconds))
    {
      tessera_speed_note_trial (course->filter, 1, MIN (pixels, PART), part);
      course->spent += part;
    }
  return in_c;
}

static void
expect_little (const Course *course, gdouble taken, gdouble best, const gchar *what)
{
  if (taken > MOST * best)
    g_print ("%s, %.2f Mpix: %.4f s, where %.4f are possible\n", course->filter, course->pixels / (gdouble) MPIX,
             taken, best);
  expect (taken <= MOST * best, what);
}

/* Short requests learn more slowly. */
static void
settle (const Machine *machine, const gchar *filter, guint64 pixels, gboolean can_be_parted)
{
  const gdouble best = MIN (time_of (machine, TRUE, pixels, FALSE), time_of (machine, FALSE, pixels, FALSE));
  const guint   n_before = best < SHORT ? 40 : 2;
  Course        course = { machine, filter, pixels, can_be_parted, FALSE, 0 };

  for (guint i = 0; i < n_before; i++)
    request_on (&course);
  expect_little (&course, time_of (machine, request_on (&course), pixels, FALSE), best,
                 "three requests are enough to know the better path");
  course.spent = 0;
  for (guint i = 0; i < 1000; i++)
    request_on (&course);
  expect_little (&course, course.spent, 1000 * best,
                 "a thousand requests, and what is learned meanwhile, take hardly longer than on the better path");
}

static void
settle_everywhere (void)
{
  static const guint64 sizes[] = { 20000, 100000, 200000, MPIX, 2 * MPIX, 4 * MPIX, 24 * MPIX, 200 * (guint64) MPIX };

  for (guint i = 0; i < G_N_ELEMENTS (machines); i++)
    {
      g_autofree gchar *whole = g_strconcat (machines[i].name, ", whole", NULL);

      for (guint k = 0; k < G_N_ELEMENTS (sizes); k++)
        {
          g_autofree gchar *alone = g_strdup_printf ("%s, alone %u", machines[i].name, k);

          settle (&machines[i], machines[i].name, sizes[k], TRUE);
          settle (&machines[i], whole, sizes[k], FALSE);
          settle (&machines[i], alone, sizes[k], TRUE);
        }
    }
}

/* A device gets busy and is left; C gets slower and is left. */
static void
times_change (void)
{
  count_c ("busy", 4, 200000, 2e-3, 1e-3, 20);
  expect (count_c ("busy", 4, 200000, 2e-3, 0.1, 1000) > 900, "a device that has become slow is left");
  expect (count_c ("busy", 4, 200000, 2e-3, 1e-4, 2000) < 1200, "... and found again");
  count_c ("slow c", 4, 200000, 2e-3, 1e-2, 100);
  expect (count_c ("slow c", 4, 200000, 0.1, 1e-2, 1000) < 100, "C that has become slow is left");
}

/* One part in C tells its time: the next is tried when the device has taken 200 times what that cost, not 20.  Of another kind nothing is
 * known. */
static void
trials (void)
{
  tessera_speed_note_trial ("trials", 1, MPIX, 1e-3);
  expect (! tessera_speed_wants_trial ("trials", 1, MPIX, 0.1), "a known kind: another part in C after 100 times its time");
  expect (tessera_speed_wants_trial ("trials", 1, MPIX, 0.11), "a known kind: no part in C after 210 times its time");
  expect (! tessera_speed_wants_trial ("trials", 2, MPIX, 0.019), "an unknown kind: a part in C after 19 times its time");
  expect (tessera_speed_wants_trial ("trials", 2, MPIX, 0.002), "an unknown kind: no part in C after 21 times its time");
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

  tessera_speed_note ("warm, C known", 4, 4 * MPIX, TRUE, 10.0);
  tessera_speed_note ("warm, C known", 4, 4 * MPIX, TRUE, 0.01);
  tessera_speed_note_trial ("warm, C known", 4, MPIX, 0.005);
  expect (count_c ("warm, C known", 4, 4 * MPIX, 0.02, 0.01, 20) == 0,
          "... and the second request takes the place of the first");

  /* One large request is enough. */
  tessera_speed_note ("one in C", 4, 24 * MPIX, FALSE, 0.1);
  expect (count_c ("one in C", 4, 24 * MPIX, 0.1, 0.3, 10) == 8, "C's time is known from one large request");
  tessera_speed_note ("one on the device", 4, 24 * MPIX, FALSE, 2.5);
  expect (count_c ("one on the device", 4, 24 * MPIX, 2.5, 26, 10) >= 8,
          "the device's time is known from one that took very long");

  /* What cannot be parted, and comes in large pieces alone. */
  count_c ("whole", 4, MPIX, 0.05, 0.01, 10);
  expect (count_c ("whole", 4, 2 * MPIX, 0.1, 0.03, 20) == 0, "the device stays where its sizes take what they should");
  expect (count_c ("whole", 4, 24 * MPIX, 1.2, 8, 20) >= 17, "... and C is given a request where one takes far longer");

  /* Filters and reaches are apart. */
  expect (! request ("other", 4, 8 * MPIX, 6e-3, 60e-3), "another filter has its own figures");
  expect (! request ("weak gpu", 400, 8 * MPIX, 6e-3, 60e-3), "another reach has its own figures");
  /* A colour picker's pixels say nothing about C's speed. */
  tessera_speed_note ("picker", 4, 1, FALSE, 1e-4);
  tessera_speed_note ("picker", 4, 1, FALSE, 1e-4);
  expect (count_c ("picker", 4, 200000, 1e-3, 3e-3, 1000) > 900, "two single pixels do not keep C out");

  times_change ();

  /* C does worse at a large size than at the small ones of its trials. */
  count_c ("memory", 4, 200000, 1e-3, 2e-3, 20);
  expect (count_c ("memory", 4, 24 * MPIX, 0.3, 0.2, 500) < 100, "each size has its own figures once they are known");

  trials ();
  settle_everywhere ();
  g_print ("%d passed, %d failed\n", passed, failed);
  return failed || ! passed;
}
