/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A device computes sums, products and their like as IEEE 754 asks, or all filters stay with C.  It is asked once: for all pairs of some
 * hard numbers (denormals, NaN, infinities, zeros with a sign) opencl/kernels/engine.cl and this file compute the same.
 */
#include "config.h"

#include "exact.h"

#include <math.h>
#include <string.h>

#include "messages.h"
#include "pool.h"
#include "settings.h"

#define N       G_N_ELEMENTS (numbers)
#define RESULTS 8               /* of a pair: opencl/kernels/engine.cl */

static const gfloat numbers[] = {
  0.0f, -0.0f, 1.0f, -0.25f, 1e-41f, -3e-42f, 1.17549435e-38f, 1e-30f, 31.5f, 65504.0f, 1.0f / 3.0f, -1e-7f, 16777217.0f,
  NAN, INFINITY, -INFINITY, 3.402823466e38f, -1e30f
};

typedef union
{
  gfloat  value;
  guint32 bits;
} Result;

static void
compute (gfloat a, gfloat b, gfloat c, Result results[RESULTS])
{
  const gfloat product = a * b;

  results[0].value = a + b;
  results[1].value = a - b;
  results[2].value = product;
  results[3].value = product + c;
  results[4].value = floorf (a);
  results[5].value = a > b ? a : b;
  results[6].value = fabsf (b - c);
  results[7].bits = (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != a) << 3;
}

/* Any NaN equals any other. */
static gboolean
are_right (const Result *results)
{
  for (gsize i = 0; i < N * N; i++)
    {
      Result right[RESULTS];

      compute (numbers[i % N], numbers[i / N], numbers[(i + i / N + 5) % N], right);
      for (gint k = 0; k < RESULTS; k++)
        {
          const Result result = results[RESULTS * i + k];

          if (result.bits != right[k].bits && ! (k < RESULTS - 1 && isnan (result.value) && isnan (right[k].value)))
            return FALSE;
        }
    }
  return TRUE;
}

/* ---------------------------------------------------------------- device -- */

static gint
launch (TesseraQueue *queue, TesseraProgram *program, TesseraMemory *in, TesseraMemory *out)
{
  const gsize         offset[3] = { 0 }, size[3] = { (N * N + 63) / 64 * 64, 1, 1 }, group[3] = { 64, 1, 1 };
  const gint          n = N;
  const TesseraRawArg args[] = { { sizeof in->object, &in->object }, { sizeof n, &n }, { sizeof out->object, &out->object } };
  TesseraEvent       *event = NULL;
  const gint          status = tessera_program_launch (program, queue, "compute_hard", 0, offset, size, group, args,
                                                       G_N_ELEMENTS (args), &event);

  return tessera_event_finish (status, event);
}

static gint
run (TesseraQueue *queue, TesseraProgram *program, TesseraMemory *in, TesseraMemory *out, Result *results)
{
  TesseraEvent *event = NULL;
  gint          status = tessera_enqueue_upload (queue, LANE_RUN, in, 0, numbers, sizeof numbers, &event);

  if ((status = tessera_event_finish (status, event)) != 0 || (status = launch (queue, program, in, out)) != 0)
    return status;
  event = NULL;
  status = tessera_enqueue_download (queue, LANE_RUN, out, 0, results, N * N * RESULTS * sizeof *results, NULL, &event);
  return tessera_event_finish (status, event);
}

static void
give (TesseraMemory *memory, gboolean idle)
{
  if (memory && idle)
    tessera_pool_give (memory);
  else if (memory)
    tessera_memory_abandon (memory);
}

static gint
ask (const TesseraDevice *device, TesseraProgram *program, gboolean *is_right)
{
  Result        *results = g_new0 (Result, N * N * RESULTS);
  TesseraMemory *in = NULL, *out = NULL;
  TesseraQueue  *queue = NULL;
  gint           status, end = 0;

  if ((status = tessera_pool_take (device, sizeof numbers, FALSE, FALSE, &in)) == 0
      && (status = tessera_pool_take (device, N * N * RESULTS * sizeof *results, FALSE, FALSE, &out)) == 0
      && (status = tessera_queue_take (device, TRUE, FALSE, &queue)) == 0)
    {
      status = run (queue, program, in, out, results);
      end = tessera_queue_give (queue, status == 0);
    }
  give (in, end == 0);
  give (out, end == 0);
  *is_right = status == 0 && end == 0 && are_right (results);
  if (end == 0)                         /* else the device may still write them */
    g_free (results);
  return status != 0 ? status : end;
}

/* ----------------------------------------------------------------- answer -- */

/* Two threads may ask at the same time: they hear the same. */
gint
tessera_exact_check (const TesseraDevice *device, TesseraProgram *engine_program)
{
  static gconstpointer known;           /* the device that computes so */
  gboolean             is_right;
  gint                 status;

  if (g_atomic_pointer_get (&known) == device)
    return 0;
  tessera_fault_spare (TRUE);
  status = ask (device, engine_program, &is_right);
  tessera_fault_spare (FALSE);
  if (status != 0)
    return status;
  if (! is_right)
    {
      tessera_say_once ("%s does not compute as IEEE 754 asks (driver %s); C is used instead", device->name, device->driver);
      return tessera_program_refuse (engine_program);
    }
  g_atomic_pointer_set (&known, device);
  return 0;
}
