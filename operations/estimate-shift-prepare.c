/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is made of each frame on the device, before shifts are looked for: see estimate-shift-device.c. */
#include "config.h"

#include "estimate-shift-parts.h"

#define COUNT_GROUP   256       /* items that share a histogram */
#define SORTED_FLOATS (5 * (2 * 64 + 4) * 4)    /* of a group of PIXELS_GROUP, whose items make two medians each */
#define SOFTENED      4         /* pixels that a work-item softens: opencl/kernels/estimate-shift.cl */
#define BAD_COLUMNS   (64 + 5)  /* of such a group: what they touch */
#define PER_ITEM      32        /* pixels that a work-item counts: opencl/kernels/estimate-shift-medians.h */

static gboolean
zero (Shifts *s, TesseraMemory *numbers, gint first, gint n)
{
  return steps_launch (&s->steps, &(TesseraLaunch) { .kernel = "shift_zero", .size = { n }, .cost = 1, .args = { ARG (numbers), ARG (first), ARG (n) } });
}

gboolean
shifts_begin_counts (Shifts *s)
{
  return zero (s, s->counts, 0, s->n * SHIFT_BINS);
}

/* -------------------------------------------------------------------- medians -- */

static gboolean
count (Shifts *s, TesseraMemory *excesses, gint n, gint level)
{
  const gint pixels = s->width * s->height, above = level > 0 ? shift_low_bits[level - 1] : 0, low = shift_low_bits[level], last = shift_bins[level] - 1;
  const gsize items = (pixels + PER_ITEM - 1) / PER_ITEM;

  if (! excesses)
    return steps_launch (&s->steps, &(TesseraLaunch) {
      .kernel = "shift_count_slopes", .size = { items, 1, n }, .group = { COUNT_GROUP, 1, 1 }, .cost = 5 * PER_ITEM,
      .args = { ARG (s->reference.soft), ARG (s->used), ARG (s->width), ARG (pixels), ARG (level), ARG (above), ARG (low), ARG (last),
                ARG (s->queries), ARG (s->middles), ARG (s->counts), LOCAL_ARG (SHIFT_BINS * sizeof (gint)) }
    });
  return steps_launch (&s->steps, &(TesseraLaunch) {
    .kernel = "shift_count_excesses", .size = { items, 1, n }, .group = { COUNT_GROUP, 1, 1 }, .cost = PER_ITEM,
    .args = { ARG (excesses), ARG (pixels), ARG (level), ARG (above), ARG (low), ARG (last), ARG (s->middles),
              ARG (s->counts), LOCAL_ARG (SHIFT_BINS * sizeof (gint)) }
  });
}

gboolean
shifts_find_medians (Shifts *s, TesseraMemory *excesses, gint n, gdouble *medians)
{
  ShiftMiddle middles[SHIFT_MOST_FRAMES];

  for (gint level = 0; level < SHIFT_LEVELS; level++)
    if (! count (s, excesses, n, level)
        || ! steps_launch (&s->steps, &(TesseraLaunch) {
             .kernel = "shift_find_middle", .size = { SHIFT_GROUP, 1, n }, .group = { SHIFT_GROUP, 1, 1 }, .cost = SHIFT_BINS / SHIFT_GROUP,
             .args = { ARG (s->counts), ARG (level), ARG (shift_bins[level]), ARG (s->middles), LOCAL_ARG (SHIFT_GROUP * sizeof (gint)) } }))
      return FALSE;
  if (! steps_fetch (&s->steps, s->middles, n * sizeof *middles, middles))
    return FALSE;
  for (gint k = 0; k < n; k++)
    medians[k] = middles[k].n == 0 ? 0.0
                 : ((gdouble) tessera_as_float (middles[k].prefix[0]) + tessera_as_float (middles[k].prefix[1])) / 2;
  return TRUE;
}

/* -------------------------------------------------------------------- frames -- */

/* What the pixels exceed their medians by lies where they will be, softened. */
static gboolean
mark_hot (Shifts *s, const DeviceFrames *frames)
{
  const gint     n = frames->n;
  TesseraMemory *excesses = frames->soft;
  gdouble medians[SHIFT_MOST_FRAMES];
  gfloat  thresholds[SHIFT_MOST_FRAMES];

  if (! steps_launch (&s->steps, &(TesseraLaunch) { .kernel = "shift_medians", .size = { (s->width + 1) / 2, s->height, n }, .group = PIXELS_GROUP,
                                      .cost = 50,
                                      .args = { ARG (s->clean), ARG (s->bad), ARG (s->medians), ARG (excesses), SIZE_ARGS (s),
                                               LOCAL_ARG (SORTED_FLOATS * sizeof (gfloat)) } })
      || ! shifts_find_medians (s, excesses, n, medians))
    return FALSE;
  for (gint k = 0; k < n; k++)
    thresholds[k] = shift_hot_threshold (medians[k]);
  return steps_send (&s->steps, thresholds, n * sizeof *thresholds, s->thresholds)
         && steps_launch (&s->steps, &(TesseraLaunch) { .kernel = "shift_hot", .size = COLUMNS (s, CHOSEN, n), .group = PIXELS_GROUP, .cost = CHOSEN * 2,
                                          .args = { ARG (s->clean), ARG (s->medians), ARG (excesses), ARG (s->bad), SIZE_ARGS (s), ARG (s->thresholds) } });
}

gsize
shifts_projection_floats (const Shifts *s)
{
  return (gsize) s->width * s->down + (gsize) s->height * s->across;
}

typedef struct
{
  const Shifts *s;
  DeviceFrames *frames;
  const gfloat *sums;
  const gint32 *missing;
} Projecting;

/* Of each frame its columns, then its rows. */
static void
make_projections (gsize first, gsize n, gpointer data)
{
  const Projecting *p = data;
  const Shifts     *s = p->s;

  for (gsize i = first; i < first + n; i++)
    {
      const gboolean is_rows = i % 2;
      const gfloat  *sums = p->sums + i / 2 * shifts_projection_floats (s) + (is_rows ? (gsize) s->down * s->width : 0);
      const gint32  *missing = p->missing + i / 2 * (s->width + s->height) + (is_rows ? s->width : 0);
      const gint     length = is_rows ? s->height : s->width;
      g_autofree gint *pixels = g_new (gint, length);

      for (gint k = 0; k < length; k++)
        pixels[k] = (is_rows ? s->width : s->height) - missing[k];
      if (is_rows)
        p->frames->rows[i / 2] = shift_projection (sums, pixels, length, s->across, s->across, 1);
      else
        p->frames->columns[i / 2] = shift_projection (sums, pixels, length, 1, s->down, s->width);
    }
}

static gboolean
project (Shifts *s, DeviceFrames *frames)
{
  const gsize   tile = (gsize) SHIFT_TILE_WIDTH * SHIFT_TILE_HEIGHT * sizeof (gfloat);
  const gint    n_sums = frames->n * (gint) shifts_projection_floats (s), n_missing = frames->n * (s->width + s->height);
  gconstpointer sums;

  if (zero (s, s->sums, n_sums, n_missing)
      && steps_launch (&s->steps, &(TesseraLaunch) {
           .kernel = "shift_project", .size = { (gsize) SHIFT_GROUP * s->across * s->down, 1, frames->n }, .group = { SHIFT_GROUP, 1, 1 },
           .cost = SHIFT_TILE_HEIGHT,
           .args = { ARG (frames->soft), ARG (frames->flags), ARG (s->sums), ARG (n_sums), SIZE_ARGS (s), ARG (s->across), ARG (s->down),
                     LOCAL_ARG (tile) } })
      && steps_see (&s->steps, s->sums, n_sums * sizeof (gfloat) + n_missing * sizeof (gint32), &sums))
    tessera_spread_range (2 * frames->n, SHIFT_THREAD_COST, make_projections,
                          &(Projecting) { s, frames, sums, (const gint32 *) ((const gfloat *) sums + n_sums) });
  return s->steps.status == 0;
}

/* Of n frames in `pixels`; the first of them is frame `first`. */
static gboolean
clean (Shifts *s, TesseraMemory *pixels, gint stride, gint first, gint n)
{
  return steps_launch (&s->steps, &(TesseraLaunch) {
    .kernel = "shift_clean", .size = COLUMNS (s, CHOSEN, n), .group = PIXELS_GROUP, .cost = CHOSEN,
    .args = { ARG (pixels), ARG (stride), ARG (s->clean), ARG (s->bad), SIZE_ARGS (s), ARG (first), ARG (s->request->settings.saturation) }
  });
}

gboolean
shifts_clean_frames (Shifts *s, TesseraMemory *pixels, gint stride, gint n)
{
  return clean (s, pixels, stride, 0, n);
}

gboolean
shifts_clean_planes (Shifts *s)
{
  const gsize bytes = sizeof (gfloat) * (gsize) s->width * s->height;

  for (gint k = 0; k < s->n && s->steps.status == 0; k++)
    {
      TesseraMemory *pixels;

      s->steps.status = tessera_kept_table (s->steps.band, s->request->serials[k], s->request->planes[k]->pixels, bytes, &pixels);
      if (s->steps.status == 0)
        clean (s, pixels, s->width, k, 1);
    }
  return s->steps.status == 0;
}

/* Frames from `first` on; `kept`: of one, or NULL. */
static gboolean
soften (Shifts *s, const DeviceFrames *frames, gint first, gint n, TesseraMemory *kept)
{
  return steps_launch (&s->steps, &(TesseraLaunch) {
    .kernel = "shift_soften_pixels", .size = COLUMNS (s, SOFTENED, n), .group = PIXELS_GROUP, .cost = SOFTENED * 6,
    .args = { ARG (s->clean), ARG (s->bad), ARG (frames->soft), ARG (frames->flags), SIZE_ARGS (s), ARG (first), ARG ((gint) (kept != NULL)),
              ARG (kept ? kept : frames->soft), LOCAL_ARG (BAD_COLUMNS * sizeof (guint32)) }
  });
}

/* Those that are not on the device yet stay there. */
static gboolean
soften_and_keep (Shifts *s, const DeviceFrames *frames)
{
  for (gint k = 0; k < frames->n && s->steps.status == 0; k++)
    {
      TesseraMemory *kept;
      gboolean       is_there;

      s->steps.status = tessera_kept_memory (s->steps.band, s->request->serials[k], (gsize) s->width * s->height * sizeof (gfloat), &kept, &is_there);
      if (s->steps.status == 0)
        soften (s, frames, k, 1, is_there ? NULL : kept);
    }
  return s->steps.status == 0;
}

gboolean
shifts_prepare_frames (Shifts *s, DeviceFrames *frames)
{
  const ShiftSettings *settings = &s->request->settings;
  const gboolean       keeps = frames == &s->frames && s->request->serials && ! s->request->planes;

  return (! settings->reject_hot || mark_hot (s, frames))
         && (keeps ? soften_and_keep (s, frames) : soften (s, frames, 0, frames->n, NULL))
         && (settings->method != SHIFT_PYRAMID || project (s, frames));
}

gboolean
shifts_prepare_reference (Shifts *s)
{
  const TesseraImage *aux = &s->steps.band->aux;
  const gsize         pixels = (gsize) s->width * s->height;
  DeviceFrames       *reference = &s->reference;
  ShiftKey           *key = s->request->key;
  TesseraMemory      *memory = aux->memory;
  gboolean            has_soft = FALSE, has_flags = FALSE;

  reference->n = 1;
  if (key->soft == 0)
    {
      steps_take (&s->steps, pixels * sizeof (gfloat), &reference->soft);
      steps_take (&s->steps, pixels, &reference->flags);
    }
  else if ((s->steps.status = tessera_kept_memory (s->steps.band, key->soft, pixels * sizeof (gfloat), &reference->soft, &has_soft)) == 0)
    s->steps.status = tessera_kept_memory (s->steps.band, key->flags, pixels, &reference->flags, &has_flags);
  if (has_soft && has_flags && (key->columns || s->request->settings.method != SHIFT_PYRAMID))
    return s->steps.status == 0;
  if (s->steps.status == 0 && ! memory)
    s->steps.status = key->serial > 0 ? tessera_kept_table (s->steps.band, key->serial, key->plane->pixels, pixels * sizeof (gfloat), &memory)
                                : tessera_table (s->steps.band, key->plane->pixels, pixels * sizeof (gfloat), &memory);
  if (s->steps.status != 0 || ! shifts_clean_frames (s, memory, aux->memory ? aux->stride : s->width, 1) || ! shifts_prepare_frames (s, reference))
    return FALSE;
  g_free (key->columns);
  g_free (key->rows);
  key->columns = g_steal_pointer (&reference->columns[0]);
  key->rows = g_steal_pointer (&reference->rows[0]);
  return TRUE;
}
