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

static const gchar *const plans[] = { NULL, "stray read:1:CL_OUT_OF_RESOURCES", "late read:1", "alone read:1", "lost:3",
                                      "fail EnqueueReadBuffer:1:CL_OUT_OF_RESOURCES", "stray read:1:CL_OUT_OF_RESOURCES" };

static GeglOperation *whitening;
static CountPlane     frames[BEFORE + 1];
static Weights        weights;
static gint           came;     /* strays */

static void
begin (void)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 1, 1e-3, FALSE, TRUE };
  const CountPlane     *history[BEFORE];
  FrameShift            shifts[BEFORE + 1];
  GRand                *dice = g_rand_new_with_seed (5);

  for (gint k = 0; k <= BEFORE; k++)
    {
      count_plane_init (&frames[k], WIDTH, HEIGHT);
      for (gint i = 0; i < WIDTH * HEIGHT; i++)
        frames[k].pixels[i] = (gfloat) g_rand_double_range (dice, 900.0, 1100.0);
      shifts[k] = (FrameShift) { k, -2.0 * k };
      if (k < BEFORE)
        history[k] = &frames[k];
    }
  weights_find (&frames[BEFORE], shifts[BEFORE], history, shifts, BEFORE, &settings, &weights);
  g_rand_free (dice);
}

static gboolean
predict (TesseraOpenclMode mode, WhitenPlanes *planes)
{
  const GeglRectangle  box = { 0, 0, WIDTH, HEIGHT };
  const TesseraRequest request = { .operation = whitening, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  WhitenFrames         all = { .current = &frames[BEFORE], .n = BEFORE };

  for (gint k = 0; k < BEFORE; k++)
    {
      all.history[k] = &frames[k];
      all.serials[k] = 0;
    }
  tessera_set_opencl_mode (mode);
  return background_whiten_predict (&request, &all, &weights, WHITEN_BOTH, 1.0f, planes);
}

static gboolean
is_alike (const CountPlane *a, const CountPlane *b)
{
  return ! memcmp (a->pixels, b->pixels, sizeof (gfloat) * WIDTH * HEIGHT);
}

/* Returns whether the memory was given up. */
static gboolean
try_plan (const gchar *plan, const WhitenPlanes *right)
{
  WhitenPlanes made;
  gconstpointer before;
  gboolean      met, is_other;

  tessera_set_opencl_mode (TESSERA_OPENCL_TRY);
  whiten_planes_init (&made, WIDTH, HEIGHT);
  before = made.background.pixels;
  tessera_set_fault (NULL);             /* nothing has failed yet */
  stub.set_plan (plan);
  driver_now (plan);
  driver_verdict (predict (TESSERA_OPENCL_TRY, &made), plan ? plan : "no fault", "nothing was computed\n");
  met = stub.met ();
  stub.set_plan (NULL);
  driver_verdict (! plan || met, plan ? plan : "no fault", "the fault has not come\n");
  is_other = made.background.pixels != before;
  driver_verdict (is_alike (&made.background, &right->background) && is_alike (&made.whitened, &right->whitened), plan ? plan : "no fault", "other pixels than C\n");
  came += stub.come ();
  stub.settle ();
  driver_verdict (is_alike (&made.background, &right->background) && is_alike (&made.whitened, &right->whitened), plan ? plan : "no fault",
                  "what came late has changed the result\n");
  whiten_planes_clear (&made);
  tessera_trim ();
  return is_other;
}

int
main (int argc, char **argv)
{
  WhitenPlanes right;
  gint         given_up = 0;

  if (! driver_start (&argc, &argv, TRUE))
    return driver_finish ();
  whitening = gegl_node_get_gegl_operation (gegl_node_new_child (gegl_node_new (), "operation", "tessera:background-whiten", "trial", TRUE, "history", 9, NULL));
  begin ();
  whiten_planes_init (&right, WIDTH, HEIGHT);
  predict (TESSERA_OPENCL_OFF, &right);
  for (guint i = 0; i < G_N_ELEMENTS (plans); i++)
    given_up += try_plan (plans[i], &right);
  driver_verdict (given_up >= 2 && came >= 2, "memory", "none was given up: the results did not come straight, or strays did not come\n");
  whiten_planes_clear (&right);
  for (gint k = 0; k <= BEFORE; k++)
    count_plane_clear (&frames[k]);
  gegl_exit ();
  return driver_finish ();
}
