/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Shifts of frames on the device (opencl/kernels/estimate-shift.cl).  The frames and all that is made of them stay there.  Projections, medians and the sums
 * of tiles come to the host, which decides as it does in C (shift-steps.c).  A launch and an answer are of all frames that ask at the time.
 */
#include "config.h"

#include "estimate-shift-device.h"

#define PER_ITEM 32             /* pixels that a work-item counts: opencl/kernels/estimate-shift.cl */
#define BINS     2048           /* opencl/kernels/estimate-shift-middle.h */

/* As Middle in opencl/kernels/estimate-shift-middle.h: the prefixes are the bits of the two in the middle. */
typedef struct
{
  gint32 n, prefix[2], rank[2];
} Middle;

/* -------------------------------------------------------------------- medians -- */

static gboolean
count (Shifts *s, gboolean slopes, gint n, gint level)
{
  const gint pixels = s->width * s->height, above = level > 0 ? shift_low_bits[level - 1] : 0, low = shift_low_bits[level], last = shift_bins[level] - 1;
  const gsize items = (pixels + PER_ITEM - 1) / PER_ITEM;

  if (slopes)
    return launch (s, &(TesseraLaunch) {
      .kernel = "shift_count_slopes", .size = { items, 1, n }, .group = { GROUP, 1, 1 }, .cost = 5 * PER_ITEM,
      .args = { ARG (s->reference.soft), ARG (s->used), ARG (s->width), ARG (pixels), ARG (level), ARG (above), ARG (low), ARG (last),
                ARG (s->queries), ARG (s->middles), ARG (s->counts), LOCAL_ARG (BINS * sizeof (gint)) }
    });
  return launch (s, &(TesseraLaunch) {
    .kernel = "shift_count_excesses", .size = { items, 1, n }, .group = { GROUP, 1, 1 }, .cost = 3 * PER_ITEM,
    .args = { ARG (s->clean), ARG (s->medians), ARG (s->bad), ARG (pixels), ARG (level), ARG (above), ARG (low), ARG (last), ARG (s->middles),
              ARG (s->counts), LOCAL_ARG (BINS * sizeof (gint)) }
  });
}

gboolean
shift_find_medians (Shifts *s, gboolean slopes, gint n, gdouble *medians)
{
  Middle middles[SHIFT_MOST_FRAMES];

  for (gint level = 0; level < SHIFT_LEVELS; level++)
    if (! count (s, slopes, n, level)
        || ! launch (s, &(TesseraLaunch) {
             .kernel = "shift_find_middle", .size = { GROUP, 1, n }, .group = { GROUP, 1, 1 }, .cost = BINS / GROUP,
             .args = { ARG (s->counts), ARG (level), ARG (shift_bins[level]), ARG (s->middles), LOCAL_ARG (GROUP * sizeof (gint)) } }))
      return FALSE;
  if (! bring (s, s->middles, n * sizeof *middles, middles))
    return FALSE;
  for (gint k = 0; k < n; k++)
    medians[k] = middles[k].n == 0 ? 0.0
                 : ((gdouble) tessera_as_float (middles[k].prefix[0]) + tessera_as_float (middles[k].prefix[1])) / 2;
  return TRUE;
}

/* -------------------------------------------------------------------- frames -- */

static gboolean
mark_hot (Shifts *s, gint n)
{
  gdouble medians[SHIFT_MOST_FRAMES];
  gfloat  thresholds[SHIFT_MOST_FRAMES];

  if (! launch (s, &(TesseraLaunch) { .kernel = "shift_medians", .size = PIXELS (s, n), .cost = 25,
                                      .args = { ARG (s->clean), ARG (s->medians), SIZE_ARGS (s) } })
      || ! shift_find_medians (s, FALSE, n, medians))
    return FALSE;
  for (gint k = 0; k < n; k++)
    thresholds[k] = shift_hot_threshold (medians[k]);
  return send (s, thresholds, n * sizeof *thresholds, s->thresholds)
         && launch (s, &(TesseraLaunch) { .kernel = "shift_hot", .size = PIXELS (s, n), .cost = 6,
                                          .args = { ARG (s->clean), ARG (s->medians), ARG (s->bad), SIZE_ARGS (s), ARG (s->thresholds) } });
}

/* Floats of the projections of one frame: sums and numbers of columns, then of rows. */
static gsize
projection_floats (const Shifts *s)
{
  return 2 * ((gsize) s->width * s->down + (gsize) s->height * s->across);
}

typedef struct
{
  const Shifts *s;
  DeviceFrames *frames;
  const gfloat *sums;
} Projecting;

static void
make_projections (gsize first, gsize n, gpointer data)
{
  const Projecting *p = data;
  const Shifts     *s = p->s;
  const gsize       n_columns = (gsize) s->down * s->width, n_rows = (gsize) s->height * s->across;

  for (gsize k = first; k < first + n; k++)
    {
      const gfloat *columns = p->sums + k * projection_floats (s), *rows = columns + 2 * n_columns;

      p->frames->columns[k] = shift_projection (columns, columns + n_columns, s->width, 1, s->down, s->width);
      p->frames->rows[k] = shift_projection (rows, rows + n_rows, s->height, s->across, s->across, 1);
    }
}

static gboolean
project (Shifts *s, DeviceFrames *frames)
{
  const gsize tile = (gsize) SHIFT_TILE_WIDTH * SHIFT_TILE_HEIGHT * sizeof (gfloat), bytes = frames->n * projection_floats (s) * sizeof (gfloat);
  gfloat     *sums = g_malloc (bytes);

  if (launch (s, &(TesseraLaunch) {
        .kernel = "shift_project", .size = { (gsize) GROUP * s->across * s->down, 1, frames->n }, .group = { GROUP, 1, 1 }, .cost = SHIFT_TILE_HEIGHT,
        .args = { ARG (frames->soft), ARG (frames->flags), ARG (s->sums), SIZE_ARGS (s), ARG (s->across), ARG (s->down), LOCAL_ARG (tile),
                  LOCAL_ARG (tile) } })
      && bring (s, s->sums, bytes, sums))
    gegl_parallel_distribute_range (frames->n, THREAD_COST, make_projections, &(Projecting) { s, frames, sums });
  g_free (sums);
  return s->status == 0;
}

/* They stay on the device for others. */
static gboolean
keep_frames (Shifts *s)
{
  const gint pixels = s->width * s->height;

  for (gint k = 0; k < s->n && s->request->serials && s->status == 0; k++)
    {
      TesseraMemory *kept;
      gboolean       is_there;

      s->status = tessera_kept_memory (s->band, s->request->serials[k], pixels * sizeof (gfloat), &kept, &is_there);
      if (s->status == 0 && ! is_there)
        launch (s, &(TesseraLaunch) { .kernel = "shift_keep", .size = { pixels }, .cost = 2,
                                      .args = { ARG (s->clean), ARG (s->bad), ARG (k), ARG (pixels), ARG (kept) } });
    }
  return s->status == 0;
}

static gboolean
prepare_frames (Shifts *s, TesseraMemory *pixels, gint stride, DeviceFrames *frames)
{
  const ShiftSettings *settings = &s->request->settings;

  return launch (s, &(TesseraLaunch) {
           .kernel = "shift_clean", .size = PIXELS (s, frames->n), .cost = 1,
           .args = { ARG (pixels), ARG (stride), ARG (s->clean), ARG (s->bad), SIZE_ARGS (s), ARG (settings->saturation) } })
         && (! settings->reject_hot || mark_hot (s, frames->n))
         && launch (s, &(TesseraLaunch) {
              .kernel = "shift_soften_pixels", .size = PIXELS (s, frames->n), .cost = 30,
              .args = { ARG (s->clean), ARG (s->bad), ARG (frames->soft), ARG (frames->flags), SIZE_ARGS (s) } })
         && (settings->method != SHIFT_PYRAMID || project (s, frames));
}

/* What is made of the reference may be there, from another request. */
static gboolean
prepare_reference (Shifts *s)
{
  const TesseraImage *aux = &s->band->aux;
  const gsize         pixels = (gsize) s->width * s->height;
  DeviceFrames       *reference = &s->reference;
  ShiftKey           *key = s->request->key;
  TesseraMemory      *memory = aux->memory;
  gboolean            has_soft = FALSE, has_flags = FALSE;

  reference->n = 1;
  if (key->soft == 0)
    {
      take (s, pixels * sizeof (gfloat), &reference->soft);
      take (s, pixels, &reference->flags);
    }
  else if ((s->status = tessera_kept_memory (s->band, key->soft, pixels * sizeof (gfloat), &reference->soft, &has_soft)) == 0)
    s->status = tessera_kept_memory (s->band, key->flags, pixels, &reference->flags, &has_flags);
  if (has_soft && has_flags && (key->columns || s->request->settings.method != SHIFT_PYRAMID))
    return s->status == 0;
  if (s->status == 0 && ! memory)
    s->status = tessera_table (s->band, key->plane->pixels, pixels * sizeof (gfloat), &memory);
  if (s->status != 0 || ! prepare_frames (s, memory, aux->memory ? aux->stride : s->width, reference))
    return FALSE;
  g_free (key->columns);
  g_free (key->rows);
  key->columns = g_steal_pointer (&reference->columns[0]);
  key->rows = g_steal_pointer (&reference->rows[0]);
  return TRUE;
}

/* ------------------------------------------------------------------ the filter -- */

static Shifts
shifts_of (const TesseraRequest *request)
{
  const ShiftRequest *r = request->params;
  const gint          width = r->key->plane->width, height = r->key->plane->height;

  return (Shifts) { .request = r, .n = r->n, .width = width, .height = height, .across = shift_tiles (width, SHIFT_TILE_WIDTH),
                    .down = shift_tiles (height, SHIFT_TILE_HEIGHT) };
}

static gsize
sums_bytes (const Shifts *s)
{
  return s->n * MAX (projection_floats (s), (gsize) s->across * s->down * SHIFT_SUMS) * sizeof (gfloat);
}

/* The reference's two images, and what take_all takes.  The frames that stay are counted where they are used. */
gsize
shift_scratch_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const Shifts s = shifts_of (request);
  const gsize  pixels = (gsize) s.width * s.height, kept = s.request->serials ? sizeof (gfloat) : 0;

  return pixels * (sizeof (gfloat) + 1) + s.n * (pixels * (3 * sizeof (gfloat) + 3 + kept) + BINS * sizeof (gint) + sizeof (Middle) + sizeof (Query)
                                                 + sizeof (gfloat) + sizeof (gint)) + sums_bytes (&s);
}

static gboolean
take_all (Shifts *s)
{
  const gsize pixels = (gsize) s->n * s->width * s->height;

  return take (s, pixels * sizeof (gfloat), &s->clean) && take (s, pixels * sizeof (gfloat), &s->medians) && take (s, pixels, &s->bad)
         && take (s, s->n * BINS * sizeof (gint), &s->counts) && take (s, s->n * sizeof (Middle), &s->middles)
         && take (s, s->n * sizeof (gfloat), &s->thresholds) && take (s, s->n * sizeof (Query), &s->queries) && take (s, pixels, &s->used)
         && take (s, s->n * sizeof (gint), &s->n_steep) && take (s, sums_bytes (s), &s->sums)
         && take (s, pixels * sizeof (gfloat), &s->frames.soft) && take (s, pixels, &s->frames.flags);
}

static void
frames_clear (DeviceFrames *frames)
{
  for (gint k = 0; k < frames->n; k++)
    {
      g_free (frames->columns[k]);
      g_free (frames->rows[k]);
    }
}

gint
shift_device (TesseraBand *band)
{
  Shifts     s = shifts_of (band->request);
  const gint n = s.n * BINS;

  s.band = band;
  s.frames.n = s.n;
  if (take_all (&s) && launch (&s, &(TesseraLaunch) { .kernel = "shift_zero", .size = { n }, .cost = 1, .args = { ARG (s.counts), ARG (n) } })
      && prepare_reference (&s) && prepare_frames (&s, band->input.memory, band->input.stride, &s.frames) && keep_frames (&s))
    shift_find_all (&s);
  frames_clear (&s.reference);
  frames_clear (&s.frames);
  return s.status;
}
