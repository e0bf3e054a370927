/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * See sequence-device.h. */
#include "sequence-device.h"

#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "stars.h"

gfloat        *frames;
GeglOperation *shifting, *whitening;

static TesseraKept *kept[N];
static ShiftKey key;

void
make_frames (void)
{
  StarsField *field = stars_field_empty ('D', 7, WIDTH, HEIGHT, FRAMES);

  frames = g_new (gfloat, FRAMES * PIXELS);
  for (gint k = 0; k < FRAMES; k++)
    {
      guint16    adu[PIXELS];
      CountPlane counts, prepared;

      stars_frame (field, k, adu);
      count_plane_init (&counts, WIDTH, HEIGHT);
      for (gint i = 0; i < PIXELS; i++)
        counts.pixels[i] = adu[i];
      whiten_prepare (&counts, NULL, 60000.0f, TRUE, &prepared);
      memcpy (frames + k * PIXELS, prepared.pixels, sizeof (gfloat) * PIXELS);
      count_plane_clear (&counts);
      count_plane_clear (&prepared);
    }
  stars_field_free (field);
}

static CountPlane
plane_of (gint k)
{
  return (CountPlane) { WIDTH, HEIGHT, frames + k * PIXELS };
}

void
begin (void)
{
  static CountPlane reference;

  reference = plane_of (0);
  shift_key_init (&key, &reference, TRUE);
  for (gint k = 0; k < N; k++)
    kept[k] = tessera_kept_new ();
}

void
end (void)
{
  shift_key_clear (&key);
  for (gint k = 0; k < N; k++)
    tessera_kept_unref (kept[k]);
}

gboolean
is_same_shift (const Shift *a, const Shift *b)
{
  return ! memcmp (&a->x, &b->x, sizeof a->x) && ! memcmp (&a->y, &b->y, sizeof a->y) && ! memcmp (&a->error, &b->error, sizeof a->error)
         && a->pixels == b->pixels && a->steps == b->steps && a->ok == b->ok && a->converged == b->converged;
}

gboolean
find_shifts_by (ShiftMethod method, TesseraOpenclMode mode, Answer *answer)
{
  tessera_set_opencl_mode (mode);
  return shift_request (shifting, &(ShiftRequest) { .key = &key, .n = N, .frames = frames + PIXELS, .kept = kept,
                                                       .settings = { method, 16, INFINITY, FALSE } }, answer->found);
}

gboolean
find_shifts (TesseraOpenclMode mode, Answer *answer)
{
  return find_shifts_by (SHIFT_PYRAMID, mode, answer);
}

/* The frames of another request are all bad, and so is what memory that was lost says then. */
void
lose_half (gint half)
{
  gfloat     *bad = g_new (gfloat, PIXELS);
  CountPlane  other = { WIDTH, HEIGHT, bad };
  Answer      answer;
  ShiftKey    other_key;

  for (gint i = 0; i < PIXELS; i++)
    bad[i] = NAN;
  tessera_drop_kept (half == 0 ? key.soft : key.touched);
  shift_key_init (&other_key, &other, FALSE);
  shift_request (shifting, &(ShiftRequest) { .key = &other_key, .n = 1, .frames = bad, .settings = { SHIFT_PYRAMID, 16, INFINITY, FALSE } }, answer.found);
  shift_key_clear (&other_key);
  g_free (bad);
}

gboolean
write_background (TesseraOpenclMode mode, const Answer *answer, const GeglRectangle *extent, const gchar *format, gpointer pixels)
{
  const WeightsSettings settings = { WEIGHTS_FROM_SHIFTS, 1, 1e-3, FALSE, TRUE };
  const GeglRectangle   box = { 0, 0, WIDTH, HEIGHT };
  TesseraRequest        request = { .errand = { .operation = whitening }, .roi = box, .bounds = box, .output_format = babl_format ("Y float") };
  WhitenFrames          history = { .n = N - 1 };
  WhitenPlanes          made;
  Weights               weights;
  gboolean              done;

  for (gint k = 0; k < N; k++)
    history.all[k] = (WhitenFrame) { plane_of (k + 1), weights_round_shift ((FrameShift) { answer->found[k].x, answer->found[k].y }), kept[k] };
  tessera_set_opencl_mode (mode);
  whiten_planes_init (&made, WIDTH, HEIGHT);
  request.output = tessera_reached_buffer (pixels, babl_format (format), extent);
  done = background_whiten_predict (&request, &history, &settings, WHITEN_WHITENED, 1.0f, &made, &weights);
  g_object_unref (request.output);
  whiten_planes_clear (&made);
  return done;
}

gboolean
find_background (TesseraOpenclMode mode, Answer *answer)
{
  return write_background (mode, answer, GEGL_RECTANGLE (0, 0, WIDTH, HEIGHT), "Y float", answer->whitened);
}

Answer
run (TesseraOpenclMode mode)
{
  Answer answer = { .whitened = { 0 } };

  begin ();
  expect (find_shifts (mode, &answer) && find_background (mode, &answer), "mode %d: it is computed", mode);
  end ();
  return answer;
}
