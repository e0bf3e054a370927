/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames that stay on the device from their shift to the backgrounds of others: the bits of C, each frame travels once, what was lost is brought or made
 * again, and nothing is left behind after any failure.
 * --checked: only the first request, with the check that other programs have; the driver may be one that computes other pixels. */
#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "sequence-device.h"

#define MOST  2000
#define NOISY 5                 /* frames, the reference first */

static GeglNode *graph;

static void
expect_same (const Answer *in_c, const Answer *other, const gchar *what)
{
  gint wrong = 0;

  for (gint k = 0; k < N; k++)
    wrong += ! is_same_shift (&in_c->found[k], &other->found[k]);
  expect (wrong == 0, "%s: %d shifts are not C's", what, wrong);
  expect (! memcmp (in_c->whitened, other->whitened, sizeof in_c->whitened), "%s: the whitened frame is not C's", what);
}

static guint64
uploaded (void)
{
  TesseraCounters counters;

  tessera_get_counters (&counters);
  return counters.uploaded_bytes;
}

/* The numbers that a request sends besides are less than half a frame. */
static void
check_travels (const Answer *in_c)
{
  const guint64 frame = sizeof (gfloat) * PIXELS, before = uploaded ();
  Answer        answer = { .whitened = { 0 } };
  guint64       first, second, third, fourth, fifth;

  begin ();
  find_shifts (TESSERA_OPENCL_FORCE, &answer);
  first = uploaded ();
  find_background (TESSERA_OPENCL_FORCE, &answer);
  second = uploaded ();
  expect_same (in_c, &answer, "frames that stay");
  expect (first - before >= FRAMES * frame && first - before < FRAMES * frame + frame / 2, "shifts: %" G_GUINT64_FORMAT " bytes travel", first - before);
  expect (second - first < frame / 2, "the background: %" G_GUINT64_FORMAT " bytes travel", second - first);
  find_shifts (TESSERA_OPENCL_FORCE, &answer);
  third = uploaded ();
  expect (third - second < N * frame + frame / 2, "the same reference again: %" G_GUINT64_FORMAT " bytes travel", third - second);
  tessera_trim ();
  find_shifts (TESSERA_OPENCL_FORCE, &answer);
  fourth = uploaded ();
  expect (fourth - third >= FRAMES * frame, "a reference that was lost: %" G_GUINT64_FORMAT " bytes travel", fourth - third);
  tessera_trim ();
  find_background (TESSERA_OPENCL_FORCE, &answer);
  fifth = uploaded ();
  expect_same (in_c, &answer, "what was lost is brought again");
  expect (fifth - fourth >= N * frame, "frames that were lost: %" G_GUINT64_FORMAT " bytes travel", fifth - fourth);
  end ();
}

/* Of the reference one image stays and the other does not, or both and no projections, which one method alone needs: all of it is made again. */
static void
check_halves (const Answer *in_c)
{
  for (gint half = 0; half < 3; half++)
    {
      Answer answer = { .whitened = { 0 } };

      begin ();
      find_shifts_by (half == 2 ? SHIFT_SINGLE : SHIFT_PYRAMID, TESSERA_OPENCL_FORCE, &answer);
      if (half < 2)
        lose_half (half);
      find_shifts (TESSERA_OPENCL_FORCE, &answer);
      find_background (TESSERA_OPENCL_FORCE, &answer);
      expect_same (in_c, &answer, half == 0 ? "the soft image is lost" : half == 1 ? "the flags are lost" : "there are no projections");
      end ();
    }
}

/* What is not wanted any more makes room for what comes. */
static void
check_room (void)
{
  TesseraCounters some, more;
  Answer          answer;

  for (gint i = 0; i < 3; i++)
    answer = run (TESSERA_OPENCL_FORCE);
  tessera_get_counters (&some);
  for (gint i = 0; i < 10; i++)
    answer = run (TESSERA_OPENCL_FORCE);
  tessera_get_counters (&more);
  expect (more.allocations == some.allocations && answer.found[0].ok, "%" G_GUINT64_FORMAT " allocations", more.allocations - some.allocations);
}

static gboolean
has_run (const gchar *kernel)
{
  TesseraKernelTime times[64];
  const guint       n = MIN (tessera_get_kernel_times (times, G_N_ELEMENTS (times)), G_N_ELEMENTS (times));

  for (guint i = 0; i < n; i++)
    if (strcmp (times[i].kernel, kernel) == 0)
      return TRUE;
  return FALSE;
}

/* As many frames as a request may well have fit a device with little memory.  The reference goes there as it is. */
static void
check_little_memory (void)
{
  const gint    side = 256, pixels = side * side;
  gfloat       *all = g_new (gfloat, (SHIFT_MOST_FRAMES + 1) * pixels);
  CountPlane    reference = { side, side, all };
  ShiftSettings settings = { SHIFT_PYRAMID, 16, INFINITY, FALSE };
  ShiftKey      its_key;
  Shift         found[SHIFT_MOST_FRAMES];
  TesseraKept  *its_kept[SHIFT_MOST_FRAMES];
  gint          n;

  tessera_set_memory (16);
  tessera_set_profiling (TRUE);
  n = shift_frames_at_once (shifting, side, side);
  for (gint i = 0; i < (n + 1) * pixels; i++)
    all[i] = (gfloat) (((guint32) (i % pixels) * 2654435761u) >> 20);
  for (gint k = 0; k < n; k++)
    its_kept[k] = tessera_kept_new ();
  shift_key_init (&its_key, &reference, TRUE);
  tessera_trim ();
  expect (n > 1 && shift_request (shifting, &(ShiftRequest) { .key = &its_key, .n = n, .frames = all + pixels, .kept = its_kept, .settings = settings },
                                  found), "%d frames do not fit", n);
  expect (has_run ("shift_soften_tiles") && ! has_run ("extend_pixels"), "the reference is made as high as all frames");
  shift_key_clear (&its_key);
  for (gint k = 0; k < n; k++)
    tessera_kept_unref (its_kept[k]);
  tessera_set_profiling (FALSE);
  tessera_set_memory (0);
  g_free (all);
}

/* Each frame has noise of its own, and so its own threshold: what is hot in a quiet one is not in a loud one.  Frames that travel, and planes. */
static void
check_noise (void)
{
  static const gfloat amplitudes[NOISY] = { 1.0f, 3.0f, 100.0f, 30.0f, 0.2f };
  gfloat             *all = g_new (gfloat, NOISY * PIXELS);
  CountPlane          planes[NOISY];
  const CountPlane   *given[NOISY - 1];
  TesseraKept        *its_kept[NOISY - 1];

  for (gint k = 0; k < NOISY; k++)
    {
      planes[k] = (CountPlane) { WIDTH, HEIGHT, all + k * PIXELS };
      for (gint i = 0; i < PIXELS; i++)
        {
          const guint32 noise = ((guint32) i * NOISY + k + 1) * 2654435761u;

          planes[k].pixels[i] = frames[k * PIXELS + i] + amplitudes[k] * (noise >> 16) / 65536.0f + (noise % 131 == 0 ? 150.0f : 0.0f);
        }
    }
  for (gint i = 0; i < 3; i++)
    {
      const gboolean are_planes = i == 2, stay = i > 0;
      ShiftKey       its_key;
      ShiftRequest   request = { .key = &its_key, .n = NOISY - 1, .frames = are_planes ? NULL : all + PIXELS, .planes = are_planes ? given : NULL,
                                 .kept = stay ? its_kept : NULL, .settings = { SHIFT_PYRAMID, 16, 60000.0f, TRUE } };
      Shift          in_c[NOISY - 1], found[NOISY - 1];

      shift_key_init (&its_key, &planes[0], TRUE);
      its_key.kept = are_planes ? tessera_kept_new () : 0;
      for (gint k = 0; k < NOISY - 1; k++)
        {
          given[k] = &planes[k + 1];
          its_kept[k] = tessera_kept_new ();
        }
      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      expect (shift_request (shifting, &request, found), "frames of various noise did not run on the device");
      shift_compare_in_c (&request, in_c);
      for (gint k = 0; k < NOISY - 1; k++)
        {
          expect (found[k].ok && is_same_shift (&found[k], &in_c[k]),
                  "noise %g, way %d: (%.9g, %.9g) of %d pixels, in C (%.9g, %.9g) of %d", amplitudes[k + 1], i, found[k].x, found[k].y, found[k].pixels,
                  in_c[k].x, in_c[k].y, in_c[k].pixels);
          tessera_kept_unref (its_kept[k]);
        }
      tessera_kept_unref (its_key.kept);
      shift_key_clear (&its_key);
    }
  g_free (all);
}

static void
check_faults (const Answer *in_c)
{
  static const gchar *const kinds[] = { "build", "queue", "kernel", "alloc", "map", "set-arg", "enqueue", "download", "wait" };

  for (gsize k = 0; k < G_N_ELEMENTS (kinds); k++)
    {
      gboolean is_met = TRUE;
      gint     n;

      for (n = 1; n < MOST && is_met; n += 1 + n / 4)
        {
          gchar          *fault = g_strdup_printf ("%s:%d", kinds[k], n);
          TesseraCounters before, after;
          Answer          answer;

          tessera_trim ();
          tessera_get_counters (&before);
          tessera_set_fault (fault);
          answer = run (TESSERA_OPENCL_TRY);
          is_met = tessera_fault_met ();
          tessera_set_fault (NULL);
          tessera_trim ();
          tessera_get_counters (&after);
          expect_same (in_c, &answer, fault);
          expect (after.live_objects == before.live_objects, "%s: objects are left behind", fault);
          g_free (fault);
        }
      expect (n > 2 && ! is_met, "%s: met up to %d", kinds[k], n);
    }
}

/* Frames that the device reads where they are: none is copied on its way, and no failure loses that memory or what is in it. */
static void
check_reached (const Answer *in_c)
{
  gfloat *const   elsewhere = frames;
  TesseraCounters first, before, after;
  Answer          answer;

  tessera_trim ();
  tessera_get_counters (&first);
  frames = tessera_reached_new (FRAMES * PIXELS * sizeof (gfloat));
  memcpy (frames, elsewhere, FRAMES * PIXELS * sizeof (gfloat));
  tessera_get_counters (&before);
  answer = run (TESSERA_OPENCL_FORCE);
  tessera_get_counters (&after);
  expect_same (in_c, &answer, "frames that the device reads by itself");
  expect (after.device_requests == before.device_requests + 2 && after.read_ns == before.read_ns, "frames are copied on their way for %" G_GUINT64_FORMAT " ns",
          after.read_ns - before.read_ns);
  check_faults (in_c);
  expect (! memcmp (frames, elsewhere, FRAMES * PIXELS * sizeof (gfloat)), "the frames are others now");
  tessera_reached_free (frames);
  frames = elsewhere;
  tessera_trim ();
  tessera_get_counters (&after);
  expect (after.live_objects == first.live_objects, "%" G_GINT64_FORMAT " objects are left behind", (gint64) (after.live_objects - first.live_objects));
}

#define BESIDE 4000             /* numbers before and behind a buffer's */
#define OF_BABL 1e-6            /* babl picks its way from floats to doubles by timing; one in ten processes took one that is off by 4e-8 */

/* What a result goes into may be larger or smaller, and have other numbers; and the device may reach it. */
static void
check_part (const Answer *in_c, const GeglRectangle *extent)
{
  const gint n = extent->width * extent->height + 2 * BESIDE;
  gfloat    *floats;
  gdouble   *doubles;

  tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
  floats = tessera_reached_new (n * sizeof (gfloat));
  doubles = tessera_reached_new (n * sizeof (gdouble));

  for (gint mode = TESSERA_OPENCL_OFF; mode <= TESSERA_OPENCL_FORCE; mode++)
    {
      gint   wrong = 0;
      Answer answer;

      begin ();
      for (gint i = 0; i < n; i++)
        floats[i] = doubles[i] = -7.0;
      expect (find_shifts (mode, &answer) && write_background (mode, &answer, extent, "Y float", floats + BESIDE)
              && write_background (mode, &answer, extent, "Y double", doubles + BESIDE), "mode %d: a part is computed", mode);
      end ();
      for (gint i = 0; i < n; i++)
        {
          const gint     at = i - BESIDE, x = at % extent->width + extent->x, y = at / extent->width + extent->y;
          const gboolean is_there = at >= 0 && i < n - BESIDE && x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT;
          const gfloat   right = is_there ? in_c->whitened[y * WIDTH + x] : -7.0f;

          wrong += memcmp (&floats[i], &right, sizeof right) || ! (fabs (doubles[i] - right) <= OF_BABL * MAX (1.0, fabs (right)));
        }
      expect (wrong == 0, "mode %d, a part: %d pixels are others", mode, wrong);
    }
  tessera_reached_free (doubles);
  tessera_reached_free (floats);
}

/* A row is more than a thread copies at a time. */
static void
check_wide (void)
{
  const gint    width = 17001, height = 9, pixels = width * height;
  gfloat       *both = g_new (gfloat, 2 * pixels);
  CountPlane    reference = { width, height, both };
  ShiftSettings settings = { SHIFT_PYRAMID, 16, INFINITY, FALSE };
  Shift         found[2];

  for (gint i = 0; i < 2 * pixels; i++)
    both[i] = (gfloat) (((guint32) (i % pixels / width * width + (i % width + i / pixels * 2) % width) * 2654435761u) >> 20);
  for (gint mode = 0; mode < 2; mode++)
    {
      ShiftKey its_key;

      shift_key_init (&its_key, &reference, FALSE);
      tessera_set_opencl_mode (mode == 0 ? TESSERA_OPENCL_OFF : TESSERA_OPENCL_FORCE);
      expect (shift_request (shifting, &(ShiftRequest) { .key = &its_key, .n = 1, .frames = both + pixels, .settings = settings }, &found[mode]),
              "wide frames, mode %d", mode);
      shift_key_clear (&its_key);
    }
  expect (found[0].ok && found[0].pixels > 1000 && ! memcmp (&found[0].x, &found[1].x, sizeof found[0].x) && found[0].pixels == found[1].pixels,
          "wide frames: %.17g and %.17g, %d and %d pixels", found[0].x, found[1].x, found[0].pixels, found[1].pixels);
  g_free (both);
}

gint
main (gint argc, gchar **argv)
{
  Answer in_c, on_device;

  gegl_init (&argc, &argv);
  if (! tessera_device_name ())
    {
      g_print ("there is no device\n");
      return 77;
    }
  graph = gegl_node_new ();
  shifting = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:estimate-shift", NULL));
  whitening = gegl_node_get_gegl_operation (gegl_node_new_child (graph, "operation", "tessera:background-whiten", NULL));
  make_frames ();
  in_c = run (TESSERA_OPENCL_OFF);
  expect (in_c.found[1].ok && in_c.found[1].converged, "there are shifts");
  on_device = run (TESSERA_OPENCL_TRY);         /* with the check that other programs have */
  expect_same (&in_c, &on_device, "after the check");
  if (argc < 2 || strcmp (argv[1], "--checked") != 0)
    {
      tessera_set_proof (FALSE);
      check_travels (&in_c);
      check_halves (&in_c);
      check_room ();
      check_part (&in_c, GEGL_RECTANGLE (-3, -2, WIDTH + 7, HEIGHT + 5));
      check_part (&in_c, GEGL_RECTANGLE (5, 4, 30, 20));
      check_part (&in_c, GEGL_RECTANGLE (0, -2, WIDTH, HEIGHT + 5));
      check_wide ();
      check_sizes ();
      check_requests_together (&in_c, graph);
      check_room ();
      tessera_set_opencl_mode (TESSERA_OPENCL_FORCE);
      check_little_memory ();
      check_noise ();
      check_faults (&in_c);
      check_reached (&in_c);
    }
  g_free (frames);
  g_object_unref (graph);
  gegl_exit ();
  return expect_told ();
}
