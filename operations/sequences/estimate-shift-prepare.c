/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is made of each frame on the device, before shifts are looked for: see estimate-shift-device.c. */
#include "config.h"

#include "estimate-shift-parts.h"

#define COUNT_GROUP   256       /* items that share a histogram */
#define SORTED_FLOATS (5 * (2 * 64 + 4) * 4)    /* of a group of PIXELS_GROUP, whose items make two medians each */
#define TILE_GROUP    128       /* items that soften a tile */
#define HOT           4         /* pixels that one looks at to find hot ones: likewise */
#define ALL_WIDTH     (SHIFT_TILE_WIDTH + 5)    /* of a tile with what its pixels touch: opencl/kernels/estimate-shift.cl */
#define ALL_HEIGHT    (SHIFT_TILE_HEIGHT + 5)
#define PER_ITEM      32        /* pixels that a work-item counts: opencl/kernels/estimate-shift-medians.h */
#define TILES         2         /* tiles whose slopes it counts, a column of each: likewise */

static void
zero (Shifts *s, TesseraMemory *numbers, gint first, gint n)
{
  tessera_launch (s->band, &(TesseraLaunch) {
    .kernel = "shift_zero", .size = { n }, .cost = 1, .args = { ARG (numbers), ARG (first), ARG (n) }
  });
}

void
shifts_begin_counts (Shifts *s)
{
  zero (s, s->counts, 0, s->n * SHIFT_BINS);
}

/* -------------------------------------------------------------------- medians -- */

static void
count_slopes (Shifts *s, gint n, gint level, gint above, gint low, gint last)
{
  tessera_launch (s->band, &(TesseraLaunch) {
    .kernel = "shift_count_slopes", .size = { s->width, (s->down + TILES - 1) / TILES, n }, .group = { COUNT_GROUP, 1, 1 },
    .cost = 4 * TILES * SHIFT_TILE_HEIGHT,
    .args = { ARG (s->reference.soft), ARG (s->usable), SIZE_ARGS (s), ARG (s->down), ARG (level), ARG (above), ARG (low), ARG (last),
              ARG (s->queries), ARG (s->middles), ARG (s->counts), LOCAL_ARG (SHIFT_BINS * sizeof (gint)) }
  });
}

static void
count_excesses (Shifts *s, TesseraMemory *excesses, gint n, gint level, gint above, gint low, gint last)
{
  const gint  pixels = s->width * s->height;
  const gsize items = (pixels + PER_ITEM - 1) / PER_ITEM;

  tessera_launch (s->band, &(TesseraLaunch) {
    .kernel = "shift_count_excesses", .size = { items, 1, n }, .group = { COUNT_GROUP, 1, 1 }, .cost = PER_ITEM,
    .args = { ARG (excesses), ARG (pixels), ARG (level), ARG (above), ARG (low), ARG (last), ARG (s->middles),
              ARG (s->counts), LOCAL_ARG (SHIFT_BINS * sizeof (gint)) }
  });
}

static void
count (Shifts *s, TesseraMemory *excesses, gint n, gint level)
{
  const gint above = level > 0 ? shift_low_bits[level - 1] : 0, low = shift_low_bits[level], last = shift_bins[level] - 1;

  if (excesses)
    count_excesses (s, excesses, n, level, above, low, last);
  else
    count_slopes (s, n, level, above, low, last);
}

gint
shifts_find_medians (Shifts *s, TesseraMemory *excesses, gint n, gdouble *medians)
{
  ShiftMiddle middles[SHIFT_MOST_FRAMES];
  gint        status;

  for (gint level = 0; level < SHIFT_LEVELS; level++)
    {
      count (s, excesses, n, level);
      tessera_launch (s->band, &(TesseraLaunch) {
        .kernel = "shift_find_middle", .size = { SHIFT_GROUP, 1, n }, .group = { SHIFT_GROUP, 1, 1 }, .cost = SHIFT_BINS / SHIFT_GROUP,
        .args = { ARG (s->counts), ARG (level), ARG (shift_bins[level]), ARG (s->middles), LOCAL_ARG (SHIFT_GROUP * sizeof (gint)) }
      });
    }
  if ((status = tessera_fetch (s->band, s->middles, n * sizeof *middles, middles)) != 0)
    return status;
  for (gint k = 0; k < n; k++)
    medians[k] = middles[k].n == 0 ? 0.0
                 : ((gdouble) tessera_as_float (middles[k].prefix[0]) + tessera_as_float (middles[k].prefix[1])) / 2;
  return 0;
}

/* -------------------------------------------------------------------- frames -- */

/* Frames as they arrived: `n` memories, each of which has as many of them, one behind the other. */
typedef struct
{
  TesseraMemory *const *pixels;
  gint                  n, stride;
} Arrived;

/* What pixels exceed the medians around them by, NaN where one is bad. */
static gint
judge (Shifts *s, gint n, const Arrived *from)
{
  const gint   each = n / from->n;
  const gfloat saturation = s->request->settings.saturation;
  gdouble      medians[SHIFT_MOST_FRAMES];
  gfloat       thresholds[SHIFT_MOST_FRAMES];
  gint         status;

  for (gint k = 0; k < from->n; k++)
    tessera_launch (s->band, &(TesseraLaunch) {
      .kernel = "shift_medians", .size = { (s->width + 1) / 2, s->height, each }, .group = PIXELS_GROUP, .cost = 50,
      .args = { ARG (from->pixels[k]), ARG (from->stride), ARG (saturation), ARG (s->medians), ARG (s->excesses), ARG (k * each), SIZE_ARGS (s),
                LOCAL_ARG (SORTED_FLOATS * sizeof (gfloat)) } });
  if ((status = shifts_find_medians (s, s->excesses, n, medians)) != 0)
    return status;
  for (gint k = 0; k < n; k++)
    thresholds[k] = shift_hot_threshold (medians[k]);
  status = tessera_send (s->band, thresholds, n * sizeof *thresholds, s->thresholds);
  for (gint k = 0; k < from->n; k++)
    status = tessera_launch (s->band, &(TesseraLaunch) {
      .kernel = "shift_hot", .size = { s->width, (s->height + HOT - 1) / HOT, each }, .group = PIXELS_GROUP, .cost = 2 * HOT,
      .args = { ARG (from->pixels[k]), ARG (from->stride), ARG (saturation), ARG (s->medians), ARG (s->excesses), ARG (k * each), SIZE_ARGS (s),
                ARG (s->thresholds) } });
  return status;
}

gsize
shifts_projection_floats (const Shifts *s)
{
  return (gsize) s->width * s->down + (gsize) s->height * s->across;
}

typedef struct
{
  const Shifts  *s;
  DeviceFrames  *frames;
  const gdouble *means;         /* that the device made, or NULL: then what the tiles left */
  const gfloat  *sums;
  const gint32  *missing;
} Projecting;

/* Of a frame, its columns or rows, from what the tiles left. */
static gdouble *
add_projection (const Projecting *p, gsize frame, gboolean is_rows)
{
  const Shifts    *s = p->s;
  const gfloat    *sums = p->sums + frame * shifts_projection_floats (s) + (is_rows ? (gsize) s->down * s->width : 0);
  const gint32    *missing = p->missing + frame * (s->width + s->height) + (is_rows ? s->width : 0);
  const gint       length = is_rows ? s->height : s->width;
  g_autofree gint *pixels = g_new (gint, length);

  for (gint k = 0; k < length; k++)
    pixels[k] = (is_rows ? s->width : s->height) - missing[k];
  return is_rows ? shift_projection (sums, pixels, length, s->across, s->across, 1) : shift_projection (sums, pixels, length, 1, s->down, s->width);
}

/* Of each frame its columns, then its rows. */
static void
make_projections (gsize first, gsize n, gpointer data)
{
  const Projecting *p = data;
  const gint        width = p->s->width, height = p->s->height;

  for (gsize i = first; i < first + n; i++)
    {
      const gsize    frame = i / 2;
      const gboolean is_rows = i % 2;

      (is_rows ? p->frames->rows : p->frames->columns)[frame]
        = p->means ? shift_projection_of (p->means + frame * (width + height) + (is_rows ? width : 0), is_rows ? height : width)
                   : add_projection (p, frame, is_rows);
    }
}

/* What the tiles left where shift_soften_tiles was to project.  A device that has doubles adds it itself: then a hundredth comes to the host.
 * Price: 1.05 (sequences, 10 Mpix float; H200, 2026-11-28). */
static gint
read_projections (Shifts *s, DeviceFrames *frames)
{
  const gint    n_sums = frames->n * (gint) shifts_projection_floats (s), n_means = s->width + s->height;
  Projecting    projecting = { .s = s, .frames = frames };
  gconstpointer seen;
  gint          status;

  if (s->means)
    tessera_launch (s->band, &(TesseraLaunch) {
      .kernel = "shift_add_projections", .size = { n_means, 1, frames->n }, .group = { SHIFT_GROUP, 1, 1 }, .cost = MAX (s->across, s->down),
      .args = { ARG (s->sums), ARG (n_sums), SIZE_ARGS (s), ARG (s->across), ARG (s->down), ARG (s->means) } });
  status = s->means ? tessera_fetch_view (s->band, s->means, (gsize) frames->n * n_means * sizeof (gdouble), &seen)
                    : tessera_fetch_view (s->band, s->sums, n_sums * sizeof (gfloat) + (gsize) frames->n * n_means * sizeof (gint32), &seen);
  if (status != 0)
    return status;
  if (s->means)
    projecting.means = seen;
  else
    {
      projecting.sums = seen;
      projecting.missing = (const gint32 *) (projecting.sums + n_sums);
    }
  tessera_spread_range (2 * frames->n, SHIFT_THREAD_COST, make_projections, &projecting);
  return 0;
}

/* n frames from `first` on, which are frame `at` and so on of `pixels`; `kept`: of one, or NULL. */
static gint
soften (Shifts *s, const DeviceFrames *frames, gint first, gint n, TesseraMemory *pixels, gint stride, gint at, TesseraMemory *kept)
{
  const ShiftSettings *settings = &s->request->settings;
  const gint           projects = settings->method == SHIFT_PYRAMID, n_sums = frames->n * (gint) shifts_projection_floats (s);

  return tessera_launch (s->band, &(TesseraLaunch) {
    .kernel = "shift_soften_tiles", .size = { (gsize) TILE_GROUP * s->across * s->down, 1, n }, .group = { TILE_GROUP, 1, 1 },
    .cost = 3 * SHIFT_TILE_WIDTH * SHIFT_TILE_HEIGHT / TILE_GROUP,
    .args = { ARG (pixels), ARG (stride), ARG (at), ARG (s->excesses), ARG ((gint) settings->reject_hot), ARG (settings->saturation),
              ARG (frames->soft), ARG (frames->touched), ARG ((gint) (frames == &s->reference)), ARG (first),
              ARG (kept ? kept : frames->soft), ARG ((gint) (kept != NULL)),
              ARG (s->sums), ARG (n_sums), ARG (projects),
              SIZE_ARGS (s), ARG (s->across), ARG (s->down),
              LOCAL_ARG (ALL_WIDTH * ALL_HEIGHT * sizeof (gfloat)), LOCAL_ARG (SHIFT_TILE_WIDTH * SHIFT_TILE_HEIGHT * sizeof (gfloat)),
              LOCAL_ARG (ALL_WIDTH * sizeof (guint32)), LOCAL_ARG (SHIFT_TILE_WIDTH * sizeof (guint32)) }
  });
}

/* Those that are not on the device yet stay there. */
static gint
soften_and_keep (Shifts *s, const DeviceFrames *frames, const Arrived *from)
{
  const gsize bytes = (gsize) s->width * s->height * sizeof (gfloat);
  gint        status = 0;

  for (gint k = 0; k < frames->n && status == 0; k++)
    {
      TesseraMemory *kept;
      gboolean       is_there;

      tessera_kept_memory (s->band, s->request->kept[k], bytes, &kept, &is_there);
      status = soften (s, frames, k, 1, from->pixels[0], from->stride, k, is_there ? NULL : kept);
    }
  return status;
}

static gint
soften_all (Shifts *s, const DeviceFrames *frames, const Arrived *from)
{
  const gint each = frames->n / from->n;
  gint       status = 0;

  for (gint k = 0; k < from->n; k++)
    status = soften (s, frames, k * each, each, from->pixels[k], from->stride, 0, NULL);
  return status;
}

gint
shifts_prepare_frames (Shifts *s, DeviceFrames *frames, TesseraMemory *const *pixels, gint n, gint stride)
{
  const Arrived  from = { pixels, n, stride };
  const gboolean projects = s->request->settings.method == SHIFT_PYRAMID;
  const gboolean keeps = frames == &s->frames && s->request->kept && ! s->request->planes;
  gint           status;

  if (s->request->settings.reject_hot && (status = judge (s, frames->n, &from)) != 0)
    return status;
  if (projects)
    zero (s, s->sums, frames->n * (gint) shifts_projection_floats (s), frames->n * (s->width + s->height));
  status = keeps ? soften_and_keep (s, frames, &from) : soften_all (s, frames, &from);
  return projects ? read_projections (s, frames) : status;
}

gint
shifts_prepare_planes (Shifts *s)
{
  const gsize    bytes = sizeof (gfloat) * (gsize) s->width * s->height;
  TesseraMemory *pixels[SHIFT_MOST_FRAMES];

  for (gint k = 0; k < s->n; k++)
    tessera_kept_table (s->band, s->request->kept[k], s->request->planes[k]->pixels, bytes, &pixels[k]);
  return shifts_prepare_frames (s, &s->frames, pixels, s->n, s->width);
}

/* The reference's pixels, where they did not come as the request's aux. */
static TesseraMemory *
reference_pixels (Shifts *s, gsize bytes)
{
  const ShiftKey *key = s->request->key;
  TesseraMemory  *memory;

  if (key->kept)
    tessera_kept_table (s->band, key->kept, key->plane->pixels, bytes, &memory);
  else
    tessera_table (s->band, key->plane->pixels, bytes, &memory);
  return memory;
}

gint
shifts_prepare_reference (Shifts *s)
{
  const TesseraImage *aux = &s->band->aux;
  const gsize         bytes = (gsize) s->width * s->height * sizeof (gfloat), bits = shifts_bits_bytes (s);
  DeviceFrames       *reference = &s->reference;
  ShiftKey           *key = s->request->key;
  TesseraMemory      *pixels = aux->memory;
  gboolean            has_soft = FALSE, has_touched = FALSE;
  gint                status;

  reference->n = 1;
  if (! key->soft)
    {
      tessera_scratch (s->band, bytes, &reference->soft);
      tessera_scratch (s->band, bits, &reference->touched);
    }
  else
    {
      tessera_kept_memory (s->band, key->soft, bytes, &reference->soft, &has_soft);
      tessera_kept_memory (s->band, key->touched, bits, &reference->touched, &has_touched);
    }
  if (has_soft && has_touched && (key->columns || s->request->settings.method != SHIFT_PYRAMID))
    return 0;
  if (! pixels)
    pixels = reference_pixels (s, bytes);
  if ((status = shifts_prepare_frames (s, reference, &pixels, 1, aux->memory ? aux->stride : s->width)) != 0)
    return status;
  g_free (key->columns);
  g_free (key->rows);
  key->columns = g_steal_pointer (&reference->columns[0]);
  key->rows = g_steal_pointer (&reference->rows[0]);
  return 0;
}
