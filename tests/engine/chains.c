/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * chains [--cases N] [--seed S]: filters of ours one behind another, whose results stay on the device.  Between two of them comes a
 * node that hands the buffer on, as an operation of ours does, after something has been done to it: read, written into, copied, its
 * device lost, OpenCL switched off.  The picture has C's bits, and each result is fetched at most once. */
#include "chains.h"

#include <stdlib.h>
#include <string.h>

#include "each-fault.h"
#include "verdict.h"

static gboolean
try_case (const ChainCase *c, guint64 *stays, guint64 *quiet_stays)
{
  GeglBuffer      *input = chain_picture (c);
  gfloat          *in_c = chain_run (c, input, TESSERA_OPENCL_OFF), *on_device;
  TesseraCounters  before, after;
  gboolean         good = TRUE;
  g_autofree gchar *name = chain_name (c);

  tessera_get_counters (&before);
  on_device = chain_run (c, input, TESSERA_OPENCL_TRY);
  tessera_get_counters (&after);
  for (gsize i = 0; i < 4 * (gsize) c->roi.width * c->roi.height && good; i++)
    if (memcmp (&in_c[i], &on_device[i], sizeof *in_c) != 0)
      {
        g_print ("%s\n  value %zu is %.9g on the device, %.9g in C\n", name, i, on_device[i], in_c[i]);
        good = FALSE;
      }
  *stays += after.stays - before.stays;
  if (chain_is_quiet (c))
    *quiet_stays += after.stays - before.stays;
  if (after.fetches - before.fetches > after.stays - before.stays || (chain_is_quiet (c) && after.fetches != before.fetches))
    {
      g_print ("%s\n  %d results stayed, and %d were fetched\n", name, (gint) (after.stays - before.stays), (gint) (after.fetches - before.fetches));
      good = FALSE;
    }
  g_free (in_c);
  g_free (on_device);
  g_object_unref (input);
  return good;
}

/* What travels for four filters, on the device's way and back: one picture each, and a word of each result that stays. */
static void
count_bytes (gboolean resident)
{
  const ChainCase c = chain_quiet (400, 300);
  const guint64   picture_bytes = 400 * 300 * 16, most = picture_bytes + 4096;
  GeglBuffer     *input = chain_picture (&c);
  TesseraCounters before, after;
  guint64         up, down;

  tessera_set_residence (resident);
  tessera_get_counters (&before);
  g_free (chain_run (&c, input, TESSERA_OPENCL_FORCE));
  tessera_get_counters (&after);
  tessera_set_residence (TRUE);
  up = after.uploaded_bytes - before.uploaded_bytes;
  down = after.downloaded_bytes - before.downloaded_bytes;
  g_print ("four filters%s: %" G_GUINT64_FORMAT " launches, %" G_GUINT64_FORMAT " bytes up, %" G_GUINT64_FORMAT " down, of a picture of %" G_GUINT64_FORMAT
           "\n", resident ? "" : ", each result sent home", after.launches - before.launches, up, down, picture_bytes);
  expect (after.stays - before.stays == (resident ? 3 : 0) && after.fetches == before.fetches, "%d of 3 results stayed",
          (gint) (after.stays - before.stays));
  expect (resident ? up <= most && down <= most : up >= 4 * picture_bytes && down >= 4 * picture_bytes, "bytes travelled %s", resident ? "home" : "elsewhere");
  g_object_unref (input);
}

/* ------------------------------------------------------------------ faults -- */

typedef struct
{
  const ChainCase *c;
  GeglBuffer      *input;
  gfloat          *in_c;
  gint             wrong;
} Walk;

static void
run_with_fault (const gchar *fault G_GNUC_UNUSED, gpointer data)
{
  Walk   *walk = data;
  gfloat *pixels = chain_compute (walk->c, walk->input);

  walk->wrong += memcmp (pixels, walk->in_c, 16 * (gsize) walk->c->roi.width * walk->c->roi.height) != 0;
  g_free (pixels);
}

/* Each step of the device fails once. */
static void
walk_faults (void)
{
  const ChainCase c = chain_quiet (60, 50);
  GeglBuffer     *input = chain_picture (&c);
  Walk            walk = { &c, input, chain_run (&c, input, TESSERA_OPENCL_OFF), 0 };

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  each_fault (FALSE, run_with_fault, &walk);
  expect (walk.wrong == 0, "%d chains with a fault have other pixels than in C", walk.wrong);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  g_free (walk.in_c);
  g_object_unref (input);
}

/* What is held makes room for a filter that would not fit beside it. */
static void
run_short_of_memory (void)
{
  const ChainCase c = chain_tight ();
  GeglBuffer     *input = chain_picture (&c);
  gfloat         *in_c = chain_run (&c, input, TESSERA_OPENCL_OFF), *pixels = chain_run (&c, input, TESSERA_OPENCL_FORCE);

  expect (memcmp (pixels, in_c, 16 * (gsize) c.roi.width * c.roi.height) == 0, "short of memory, on the device alone, the pixels are %s", "others");
  g_free (in_c);
  g_free (pixels);
  g_object_unref (input);
}

/* ----------------------------------------------------------------- threads -- */

#define THREADS 3
#define TIMES   8

static gpointer
run_some_times (gpointer data)
{
  for (gint i = 0; i < TIMES; i++)
    run_with_fault (NULL, data);
  return NULL;
}

static void
run_side_by_side (void)
{
  const ChainCase c = chain_quiet (200, 150);
  GeglBuffer     *input = chain_picture (&c);
  gfloat         *in_c = chain_run (&c, input, TESSERA_OPENCL_OFF);
  Walk            walks[THREADS];
  GThread        *threads[THREADS];
  gint            wrong = 0;
  TesseraCounters before, after;

  tessera_get_counters (&before);
  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  for (gint i = 0; i < THREADS; i++)
    {
      walks[i] = (Walk) { &c, input, in_c, 0 };
      threads[i] = g_thread_new ("chain", run_some_times, &walks[i]);
    }
  for (gint i = 0; i < THREADS; i++)
    {
      g_thread_join (threads[i]);
      wrong += walks[i].wrong;
    }
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  tessera_get_counters (&after);
  expect (wrong == 0, "%d chains side by side have other pixels than in C", wrong);
  expect (after.stays - before.stays == 3 * THREADS * TIMES, "%d results stayed of chains side by side", (gint) (after.stays - before.stays));
  g_free (in_c);
  g_object_unref (input);
}

int
main (int argc, char **argv)
{
  gint            cases = 150, seed = 1;
  gint            failures = 0;
  guint64         stays = 0, quiet_stays = 0;
  TesseraCounters counters;

  for (gint i = 1; i + 1 < argc; i += 2)
    *(strcmp (argv[i], "--seed") == 0 ? &seed : &cases) = atoi (argv[i + 1]);
  g_setenv ("GEGL_PATH", TEST_PLUGINS_DIR ":" TEST_OPERATIONS_DIR, FALSE);
  gegl_init (NULL, NULL);
  chain_tap_register ();
  count_bytes (FALSE);
  count_bytes (TRUE);
  run_side_by_side ();
  walk_faults ();
  run_short_of_memory ();
  for (gint i = 0; i < cases; i++)
    {
      const ChainCase c = chain_drawn (seed + i);

      failures += ! try_case (&c, &stays, &quiet_stays);
    }
  tessera_trim ();
  tessera_get_counters (&counters);
  g_print ("%d chains; %d results stayed on the device, %d where nobody asked for one\n", cases, (gint) stays, (gint) quiet_stays);
  expect (failures == 0, "%d chains have other pixels than in C", failures);
  expect (counters.live_objects == 0 && counters.live_bytes == 0, "%d objects and %d bytes of the device are left", (gint) counters.live_objects,
          (gint) counters.live_bytes);
  expect (cases < 100 || (stays > (guint64) cases / 2 && quiet_stays > (guint64) cases / 10), "too few results stayed");
  gegl_exit ();
  return expect_told ();
}
