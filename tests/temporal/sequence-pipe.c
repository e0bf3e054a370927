/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A sequence of frames on its way.  On the device threads find the shifts of some frames while others have those before whitened, so that uploads, kernels and
 * downloads go on at the same time.
 */
#include "sequence-pipe.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "tessera-control.h"

gsize
frame_size (const Speed *speed)
{
  return (gsize) speed->width * speed->height;
}

static void
past_clear (Run *run, WhitenFrame *past)
{
  tessera_kept_unref (past->kept);
  if (! run->on_device)
    count_plane_clear (&past->plane);
}

/* Those that are whitened at the moment need some more. */
static void
past_add (Run *run, const WhitenFrame *past)
{
  if (run->n_past == run->speed->n_history + MOST_BEHIND)
    {
      past_clear (run, &run->past[0]);
      memmove (run->past, run->past + 1, --run->n_past * sizeof *run->past);
    }
  run->past[run->n_past++] = *past;
}

/* ------------------------------------------------------------------ whitening -- */

/* The weights and the whitened frame. */
static void
whiten (gpointer data, gpointer unused G_GNUC_UNUSED)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 1, 1e-3, FALSE, TRUE };
  const gint64          began = g_get_monotonic_time ();
  Slot                 *slot = data;
  Run                  *run = slot->run;
  const GeglRectangle   box = { 0, 0, run->speed->width, run->speed->height };
  TesseraRequest        request = { .errand = { .operation = run->speed->whiten_operation }, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  WhitenPlanes          planes;
  Weights               weights;

  if (! run->on_device)
    whiten_planes_init (&planes, box.width, box.height);
  request.output = tessera_reached_buffer (slot->whitened, request.output_format, &box);
  if (! background_whiten_predict (&request, &slot->frames, &settings, WHITEN_WHITENED, 1.0f, &planes, &weights))
    expect (FALSE, "the device did not whiten");
  g_object_unref (request.output);
  expect (! tessera_reached_is_lost (slot->whitened), "the device may still write into a whitened frame");
  if (! run->on_device)
    whiten_planes_clear (&planes);
  g_mutex_lock (&run->lock);
  run->whiten_time += g_get_monotonic_time () - began;
  slot->is_busy = FALSE;
  g_cond_broadcast (&run->whitened);
  g_mutex_unlock (&run->lock);
}

/* One of the first n slots that is free, or NULL, if none is or if a frame would be needed that is no longer there: frames need not be done in their order. */
static Slot *
find_free (Run *run, gint n)
{
  Slot *slot = NULL;

  for (gint i = 0; i < n; i++)
    if (! run->slots[i].is_busy)
      slot = &run->slots[i];
    else if (run->slots[i].number + MOST_BEHIND <= run->n_sent)
      return NULL;
  return slot;
}

static Slot *
take_free (Run *run, gint n)
{
  Slot *slot;

  g_mutex_lock (&run->lock);
  while (! (slot = find_free (run, n)))
    g_cond_wait (&run->whitened, &run->lock);
  slot->is_busy = TRUE;
  slot->number = run->n_sent++;
  g_mutex_unlock (&run->lock);
  return slot;
}

static void
wait_for_all (Run *run)
{
  g_mutex_lock (&run->lock);
  for (gint i = 0; i < MOST_AT_ONCE; i++)
    while (run->slots[i].is_busy)
      g_cond_wait (&run->whitened, &run->lock);
  g_mutex_unlock (&run->lock);
}

static void
send_to_whiten (Run *run, const WhitenFrame *now)
{
  const gint n = MIN (run->n_past, run->speed->n_history), at_once = MAX (run->speed->whitening, 1);
  Slot      *slot = take_free (run, at_once);

  slot->frames.n = n;
  memcpy (slot->frames.all, run->past + run->n_past - n, n * sizeof *slot->frames.all);
  slot->frames.all[n] = *now;
  run->last_whitened = slot->whitened;
  if (at_once > 1)
    g_thread_pool_push (run->whiteners, slot, NULL);
  else
    whiten (slot, NULL);
}

static void
add_frame (Run *run, WhitenFrame *now, const Shift *found)
{
  now->shift = weights_round_shift ((FrameShift) { found->x, found->y });
  if (run->n_past > 0)
    send_to_whiten (run, now);
  past_add (run, now);
  run->last = *found;
}

/* --------------------------------------------------------------------- shifts -- */

typedef struct
{
  Run          *run;
  GThread      *thread;
  const gfloat *frames;
  gint          n;
  TesseraKept  *kept[SHIFT_MOST_FRAMES];
  Shift         found[SHIFT_MOST_FRAMES];
} Batch;

/* The device looks for bad pixels itself. */
static gpointer
find_shifts (gpointer data)
{
  Batch       *batch = data;
  Run         *run = batch->run;
  const gint64 began = g_get_monotonic_time ();

  for (gint k = 0; k < batch->n; k++)
    batch->kept[k] = tessera_kept_new ();
  if (! shift_request (run->speed->shift_operation, &(ShiftRequest) { .key = &run->key, .n = batch->n, .frames = batch->frames,
                                                                      .kept = batch->kept, .settings = SHIFT_DEFAULTS }, batch->found))
    expect (FALSE, "the device did not find the shifts");
  g_mutex_lock (&run->lock);
  run->shift_time += g_get_monotonic_time () - began;
  g_mutex_unlock (&run->lock);
  return NULL;
}

static void
begin_batch (Run *run, Batch *batch, gint first, gint n)
{
  *batch = (Batch) { .run = run, .frames = run->speed->counts + first % run->speed->distinct * frame_size (run->speed), .n = n };
  if (run->speed->ahead > 0)
    batch->thread = g_thread_new ("shifts", find_shifts, batch);
  else
    find_shifts (batch);
}

static void
add_batch (Run *run, const Batch *batch)
{
  for (gint k = 0; k < batch->n; k++)
    add_frame (run, &(WhitenFrame) { .plane = { run->speed->width, run->speed->height,
                                                (gfloat *) batch->frames + k * frame_size (run->speed) },
                                     .kept = batch->kept[k] }, &batch->found[k]);
}

static void
run_batches (Run *run, gint n)
{
  const gint each = run->speed->batch, n_batches = (n + each - 1) / each;
  Batch     *batches = g_new0 (Batch, n_batches);

  for (gint k = 0, begun = 0; k < n_batches; k++)
    {
      for (; begun < n_batches && begun <= k + run->speed->ahead; begun++)
        begin_batch (run, &batches[begun], begun * each, MIN (each, n - begun * each));
      if (batches[k].thread)
        g_thread_join (batches[k].thread);
      add_batch (run, &batches[k]);
    }
  g_free (batches);
}

/* As tessera-sequence does. */
static void
add_in_c (Run *run, const gfloat *frame)
{
  const CountPlane plane = { run->speed->width, run->speed->height, (gfloat *) frame };
  gint64           began = g_get_monotonic_time ();
  WhitenFrame             now = { 0 };
  Shift            found;

  whiten_prepare (&plane, NULL, INFINITY, TRUE, &now.plane);
  shift_request (run->speed->shift_operation, &(ShiftRequest) { .key = &run->key, .n = 1, .frames = now.plane.pixels,
                                                                .settings = { SHIFT_PYRAMID, 64, INFINITY, FALSE } }, &found);
  run->shift_time += g_get_monotonic_time () - began;
  add_frame (run, &now, &found);
}

/* ------------------------------------------------------------------------ runs -- */

void
run_init (Run *run, const Speed *speed, gboolean on_device)
{
  *run = (Run) { .speed = speed, .on_device = on_device, .reference = { speed->width, speed->height, (gfloat *) speed->counts } };
  g_mutex_init (&run->lock);
  g_cond_init (&run->whitened);
  tessera_set_opencl_mode (on_device ? TESSERA_OPENCL_FORCE : TESSERA_OPENCL_OFF);
  for (gint i = 0; i < MOST_AT_ONCE; i++)
    run->slots[i] = (Slot) { .run = run, .whitened = tessera_reached_new (frame_size (speed) * sizeof (gfloat)) };
  run->whiteners = g_thread_pool_new (whiten, NULL, MOST_AT_ONCE, FALSE, NULL);
  if (! on_device)
    whiten_prepare (&(const CountPlane) { speed->width, speed->height, (gfloat *) speed->counts }, NULL, INFINITY, TRUE, &run->reference);
  shift_key_init (&run->key, &run->reference, TRUE);
}

void
run_frames (Run *run, gint n)
{
  const gint64 began = g_get_monotonic_time ();

  run->shift_time = run->whiten_time = 0;
  if (run->on_device)
    run_batches (run, n);
  for (gint i = 0; i < n && ! run->on_device; i++)
    add_in_c (run, run->speed->counts + i % run->speed->distinct * frame_size (run->speed));
  wait_for_all (run);
  run->time = g_get_monotonic_time () - began;
}

void
run_clear (Run *run)
{
  g_thread_pool_free (run->whiteners, FALSE, TRUE);
  for (gint k = 0; k < run->n_past; k++)
    past_clear (run, &run->past[k]);
  for (gint i = 0; i < MOST_AT_ONCE; i++)
    tessera_reached_free (run->slots[i].whitened);
  shift_key_clear (&run->key);
  if (! run->on_device)
    count_plane_clear (&run->reference);
  g_cond_clear (&run->whitened);
  g_mutex_clear (&run->lock);
}
