/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames of hard sizes, several in one request and none like the others, in each way in which they come to the device: the shifts of C, and what stays of a
 * frame is no number where a pixel is bad. */
#include <math.h>
#include <string.h>

#include "../engine/verdict.h"
#include "sequence-device.h"
#include "stars.h"

#define MOST 5                  /* frames of a request */

typedef struct
{
  gint        n, width, height;
  gfloat     *pixels;           /* the reference, then the frames */
  gfloat     *judged;           /* the frames, NaN where a pixel is bad */
  CountPlane  reference, planes[MOST];
  TesseraKept *kept[MOST];
  Shift       in_c[MOST];
} Request;

static const gint sizes[][2] = { { 70, 66 }, { 131, 47 }, { 65, 33 }, { 64, 16 }, { 63, 65 }, { 69, 21 }, { 17, 97 }, { 40, 15 }, { 16, 50 }, { 40, 1 },
                                 { 1, 40 }, { 2, 2 }, { 1, 1 } };
static const ShiftSettings all_settings[] = { { SHIFT_PYRAMID, 64, 60000, TRUE }, { SHIFT_PYRAMID, 9, INFINITY, FALSE },
                                              { SHIFT_ITERATED, 0, 9000, TRUE } };

/* ---------------------------------------------------------------------- frames -- */

static void
set (gfloat *frame, const Request *r, gint x, gint y, gfloat value)
{
  if (x >= 0 && x < r->width && y >= 0 && y < r->height)
    frame[y * r->width + x] = value;
}

/* Bad pixels around the corners of tiles, and hot ones in those of the frame and at its edges; some are hot in one frame and would not be in the next. */
static void
spoil (gfloat *frame, const Request *r, gint k)
{
  static const gfloat hard[] = { NAN, INFINITY, -INFINITY, 65535, 20000 };
  const gint right = r->width - 1, bottom = r->height - 1;

  for (gint i = 0; i < 4; i++)
    for (gint y = 16; y < r->height; y += 16)
      set (frame, r, 64 * (i % 2 + 1) - (i + k) % 5 + 1, y + (i * 3 + k) % 6 - 3, hard[(i + k + y) % G_N_ELEMENTS (hard)]);
  for (gint i = 0; i < 4; i++)
    set (frame, r, i % 2 * right, i / 2 * bottom, 30000);
  set (frame, r, right / 3, 0, 30000);
  set (frame, r, right / 2, bottom, 30000);
  set (frame, r, 0, bottom / 3, 30000);
  set (frame, r, right, bottom / 2, 30000);
  for (gint i = 0; i < 5 && 5 + 6 * i < r->width; i++)
    {
      set (frame, r, 5 + 6 * i, 0, frame[4 + 6 * i] + (20 << i));
      set (frame, r, 5 + 6 * i, bottom, frame[bottom * r->width + 4 + 6 * i] + 400);
    }
}

/* The first has only bad pixels, the second a bad row at its end, and the fourth is the brightest. */
static void
make_unlike (gfloat *frame, const Request *r, gint k)
{
  const gint n = r->width * r->height;

  for (gint i = 0; i < n; i++)
    frame[i] = k == 0 ? NAN : k == 3 ? 3 * frame[i] : frame[i];
  for (gint x = 0; k == 1 && x < r->width; x++)
    set (frame, r, x, r->height - 1, NAN);
}

static void
request_init (Request *r, gint n, gint width, gint height, const ShiftSettings *settings)
{
  const gint         pixels = width * height;
  StarsField         *field = stars_field_empty ('D', 31 + width, width, height, n + 1);
  g_autofree guint16 *adu = g_new (guint16, pixels);
  g_autofree guint8  *bad = g_new (guint8, pixels);

  *r = (Request) { .n = n, .width = width, .height = height, .pixels = g_new (gfloat, (n + 1) * pixels), .judged = g_new (gfloat, n * pixels) };
  for (gint k = -1; k < n; k++)
    {
      gfloat    *frame = r->pixels + (k + 1) * pixels;
      CountPlane plane = { width, height, frame };

      stars_frame (field, k + 1, adu);
      for (gint i = 0; i < pixels; i++)
        frame[i] = 1.3f * adu[(i + MAX (k, 0) * (2 * width + 3)) % pixels];   /* whose sums are rounded */
      spoil (frame, r, k + 1);
      if (k < 0)
        {
          r->reference = plane;
          continue;
        }
      make_unlike (frame, r, k);
      shift_bad_pixels (&plane, settings->saturation, settings->reject_hot, bad);
      for (gint i = 0; i < pixels; i++)
        r->judged[k * pixels + i] = bad[i] ? NAN : frame[i];
      r->planes[k] = plane;
      r->kept[k] = tessera_kept_new ();
    }
  stars_field_free (field);
}

static void
drop (Request *r)
{
  for (gint k = 0; k < r->n; k++)
    {
      tessera_kept_unref (r->kept[k]);
      r->kept[k] = tessera_kept_new ();
    }
}

static void
request_clear (Request *r)
{
  drop (r);
  g_free (r->judged);
  g_free (r->pixels);
}

/* ---------------------------------------------------------------------- shifts -- */

/* The device's of the reference have the bits of C's. */
static void
compare_projections (const Request *r, const ShiftKey *key, const ShiftSettings *settings)
{
  ShiftFrame *frame = shift_frame_new (&r->reference, settings);

  expect (key->columns && key->rows && ! memcmp (key->columns, frame->columns, r->width * sizeof (gdouble))
          && ! memcmp (key->rows, frame->rows, r->height * sizeof (gdouble)), "%dx%d: the reference has C's projections", r->width, r->height);
  shift_frame_free (frame);
}

/* Against the reference; frames or planes as `params` says. */
static void
find (Request *r, TesseraOpenclMode mode, ShiftRequest params, Shift *found)
{
  ShiftKey key;

  memset (found, 0, r->n * sizeof *found);
  shift_key_init (&key, &r->reference, params.kept != NULL);
  if (params.planes)
    key.kept = tessera_kept_new ();
  params.key = &key;
  tessera_set_opencl_mode (mode);
  expect (shift_request (shifting, &params, found), "%dx%d, mode %d: it is computed", r->width, r->height, mode);
  if (mode == TESSERA_OPENCL_FORCE && params.settings.method == SHIFT_PYRAMID)
    compare_projections (r, &key, &params.settings);
  tessera_kept_unref (key.kept);
  shift_key_clear (&key);
}

static void
check (Request *r, ShiftRequest params, const gchar *what)
{
  Shift found[MOST];
  gint  wrong = 0;

  find (r, TESSERA_OPENCL_FORCE, params, found);
  for (gint k = 0; k < params.n; k++)
    wrong += ! is_same_shift (&found[k], &r->in_c[k]);
  expect (wrong == 0, "%dx%d, method %d, %s: %d shifts are not C's", r->width, r->height, params.settings.method, what, wrong);
}

static gint
check_request (Request *r, const ShiftSettings *settings)
{
  const CountPlane  empty = { r->width, r->height, g_new0 (gfloat, r->width * r->height) };
  const CountPlane *planes[MOST], *empties[MOST];
  const ShiftRequest frames = { .n = r->n, .frames = r->pixels + r->width * r->height, .settings = *settings };
  ShiftRequest      some = frames, kept = { .n = r->n, .planes = empties, .kept = r->kept, .settings = *settings };
  gint              n_ok = 0;

  for (gint k = 0; k < r->n; k++)
    {
      planes[k] = &r->planes[k];
      empties[k] = &empty;
    }
  find (r, TESSERA_OPENCL_OFF, frames, r->in_c);
  for (gint k = 0; k < r->n; k++)
    n_ok += r->in_c[k].ok;
  check (r, frames, "frames");
  check (r, (ShiftRequest) { .n = r->n, .planes = planes, .kept = r->kept, .settings = *settings }, "planes");
  drop (r);
  some.kept = r->kept;
  some.n = 2;
  check (r, some, "two frames that stay");
  some.n = r->n;
  check (r, some, "frames, of which two are there");
  /* What stays comes in the empty planes' place. */
  kept.settings.saturation = INFINITY;
  kept.settings.reject_hot = FALSE;
  find (r, TESSERA_OPENCL_OFF, (ShiftRequest) { .n = r->n, .frames = r->judged, .settings = kept.settings }, r->in_c);
  check (r, kept, "what stays");
  g_free (empty.pixels);
  return n_ok;
}

void
check_sizes (void)
{
  gint n_ok = 0;

  for (gsize k = 0; k < G_N_ELEMENTS (sizes); k++)
    for (gsize i = 0; i < G_N_ELEMENTS (all_settings); i++)
      {
        Request r;

        request_init (&r, MOST, sizes[k][0], sizes[k][1], &all_settings[i]);
        n_ok += check_request (&r, &all_settings[i]);
        request_clear (&r);
      }
  expect (n_ok > 30, "%d frames have a shift", n_ok);
}
