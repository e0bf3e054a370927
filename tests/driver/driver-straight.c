/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Results that the device writes straight where they belong: background and whitened frame of a sequence, in memory that a driver which has failed may still
 * write into.  What it writes there later changes nothing. */
#include <gegl-plugin.h>
#include <math.h>

#include "driver.h"
#include "whiten-request.h"

#define WIDTH  150
#define HEIGHT 70
#define BEFORE 4                /* frames */

#define SLICES 8               /* in which the driver of these tests lets a result come */

typedef struct
{
  const gchar *plan;
  gint         strays;          /* slices that come late: the memory is given up */
} Try;

/* The first slice comes late, one in the middle when others have come, the last, all; and what fails otherwise. */
static const Try tries[] = { { NULL, 0 }, { "stray read:1", 1 }, { "late read:1", 0 }, { "alone read:1", 0 }, { "lost:3", 0 },
                             { "fail EnqueueReadBuffer:1:CL_OUT_OF_RESOURCES", 0 }, { "stray read:1", 1 }, { "stray read:4", 1 }, { "stray read:8", 1 },
                             { "stray read:2;stray read:5;stray read:8", 3 },
                             { "stray read:1;stray read:2;stray read:3;stray read:4;stray read:5;stray read:6;stray read:7;stray read:8", SLICES },
                             { NULL, 0 } };

static GeglOperation *whitening;
static WhitenFrames   frames = { .n = BEFORE };

static void
begin (void)
{
  GRand *dice = g_rand_new_with_seed (5);

  for (gint k = 0; k <= BEFORE; k++)
    {
      WhitenFrame *frame = &frames.all[k];

      count_plane_init (&frame->plane, WIDTH, HEIGHT);
      for (gint i = 0; i < WIDTH * HEIGHT; i++)
        frame->plane.pixels[i] = (gfloat) g_rand_double_range (dice, 900.0, 1100.0);
      frame->shift = (FrameShift) { k, -2.0 * k };
    }
  g_rand_free (dice);
}

static gboolean
predict (TesseraOpenclMode mode, WhitenPlanes *planes)
{
  const GeglRectangle  box = { 0, 0, WIDTH, HEIGHT };
  const TesseraRequest request = { .errand = { .operation = whitening }, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 1, 1e-3, FALSE, TRUE };
  Weights              weights;

  tessera_set_opencl_mode (mode);
  return background_whiten_predict (&request, &frames, &settings, WHITEN_BOTH, 1.0f, planes, &weights);
}

static gboolean
is_alike (const CountPlane *a, const CountPlane *b)
{
  return ! memcmp (a->pixels, b->pixels, sizeof (gfloat) * WIDTH * HEIGHT);
}

static void
say (gboolean good, const Try *one, const gchar *text)
{
  driver_verdict (good, one->plan ? one->plan : "no fault", text);
}

static void
try_plan (const Try *one, const WhitenPlanes *right)
{
  WhitenPlanes  made;
  gconstpointer before;
  gint64        reads;

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  whiten_planes_init (&made, WIDTH, HEIGHT);
  before = made.background.pixels;
  tessera_set_fault (NULL);             /* nothing has failed yet */
  reads = stub.calls ("EnqueueReadBuffer");
  stub.set_plan (one->plan);
  driver_now (one->plan);
  say (predict (TESSERA_OPENCL_TRY, &made), one, "nothing was computed\n");
  say (! one->plan || stub.met (), one, "the fault has not come\n");
  stub.set_plan (NULL);
  say (! one->strays || stub.calls ("EnqueueReadBuffer") - reads == SLICES, one, "the result has not come in slices\n");
  say (is_alike (&made.background, &right->background) && is_alike (&made.whitened, &right->whitened), one, "other pixels than C\n");
  say (! one->strays || made.background.pixels != before, one, "the memory was not given up\n");
  say (stub.come () == one->strays, one, "so many strays have not come\n");
  say (is_alike (&made.background, &right->background) && is_alike (&made.whitened, &right->whitened), one, "what came late has changed the result\n");
  whiten_planes_clear (&made);
  tessera_trim ();
  say (stub.settle () == 0, one, "memory was released that strays may still write into\n");
}

int
main (int argc, char **argv)
{
  WhitenPlanes right;

  if (! driver_start (&argc, &argv, TRUE))
    return driver_finish ();
  whitening = gegl_node_get_gegl_operation (gegl_node_new_child (gegl_node_new (), "operation", "tessera:background-whiten", NULL));
  begin ();
  whiten_planes_init (&right, WIDTH, HEIGHT);
  predict (TESSERA_OPENCL_OFF, &right);
  for (guint i = 0; i < G_N_ELEMENTS (tries); i++)
    try_plan (&tries[i], &right);
  whiten_planes_clear (&right);
  for (gint k = 0; k <= BEFORE; k++)
    count_plane_clear (&frames.all[k].plane);
  gegl_exit ();
  return driver_finish ();
}
