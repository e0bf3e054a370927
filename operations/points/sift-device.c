/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * SIFT on the device (opencl/kernels/sift.cl): the picture goes there, the points come back.  Octave after octave, each in
 * strips as in C, but larger ones.  How many candidates, places and points there are stays on the device: a quick one is waited
 * for after the first strip alone.  If lists were too short, all is done once more with longer ones.
 */
#include "config.h"

#include "sift-parts.h"

#define LEAST_ROWS   64                 /* of a strip */
#define CROWD        64                 /* pixels of a strip for a candidate, ... */
#define POINT_CROWD  256                /* ... and of the largest octave for a point, at first */
#define SLOW         20000              /* microseconds of the first strip: then progress is told */
#define TRIES        3                  /* the first counts the candidates, the second the points */
#define ITEMS        (1 << 17)          /* that fill a device */
#define GROUP_TURN   64
#define GROUP_POINT  32                 /* SIFT_OWNERS */
#define PLACE_BYTES  48                 /* SiftPlace of sift-points.h */

/* As in sift-points.h: what the device counts. */
enum { CANDIDATES, PLACES, POINTS, BEFORE, MOST, COUNTS };

gint sift_device_pixels = 16 << 20;     /* 64 MiB */

typedef struct
{
  TesseraBand      *band;
  const SiftSearch *search;
  gint              most_candidates, most_points;
  gboolean          is_slow;
  gint              n[COUNTS];
  TesseraMemory    *seen, *next, *doubled, *sums, *levels, *numbers, *counts, *candidates, *places, *points;
} Device;

/* A strip of an octave.  Rows of the base, and of the levels, from `top` on. */
typedef struct
{
  gint           octave, width, height;
  gint           top, rows;
  gint           own_top, own_bottom;   /* whose candidates it has */
  TesseraMemory *base;                  /* of the octave, or of the strip */
  gint           base_row;              /* first row of the strip in it */
  TesseraMemory *next;                  /* base of the next octave, or NULL */
} Strip;

#define LEVEL_ARGS(d, s) ARG ((d)->levels), ARG ((s)->rows), ARG ((s)->width), ARG ((s)->top), ARG ((s)->height)

/* ------------------------------------------------------------------ memory -- */

/* Rows of the levels of a strip of `width` pixels a row. */
static gint
strip_rows (const SiftScales *scales, gint width, gint height)
{
  return MIN (height, MAX (sift_device_pixels / width, LEAST_ROWS + 2 * (scales->reach + scales->halo)));
}

typedef struct { gsize picture, strip; gint candidates, points; } Sizes;        /* floats of a plane; at first */

static Sizes
sizes_of (const SiftSearch *search, const GeglRectangle *bounds)
{
  Sizes sizes = { .picture = (gsize) bounds->width * bounds->height };
  gint  width, height;

  for (gint i = 0; sift_octave (search, bounds, i, &width, &height); i++)
    {
      sizes.strip = MAX (sizes.strip, (gsize) width * strip_rows (&search->scales, width, height));
      if (i == 0)
        sizes.points = (gsize) width * height / POINT_CROWD + 1;
    }
  sizes.candidates = sizes.strip / CROWD + 1;
  return sizes;
}

gsize
sift_device_bytes (const TesseraRequest *request, gint width G_GNUC_UNUSED, gint height G_GNUC_UNUSED)
{
  const SiftSearch *search = request->params;
  const Sizes       sizes = sizes_of (search, &request->bounds);
  const gsize       planes = search->scales.n_levels + 1 + search->scales.settings.upsample;

  return (2 * sizes.picture + planes * sizes.strip) * sizeof (gfloat) + sizeof (SiftScales)
         + sizes.candidates * (sizeof (SiftCandidate) + PLACE_BYTES) + sizes.points * sizeof (SiftPoint);
}

static void
take_planes (Device *d)
{
  const SiftScales *scales = &d->search->scales;
  const Sizes       sizes = sizes_of (d->search, &d->band->request->bounds);

  d->most_candidates = sizes.candidates;
  d->most_points = sizes.points;
  tessera_scratch (d->band, sizes.picture * sizeof (gfloat), &d->seen);
  tessera_scratch (d->band, sizes.picture * sizeof (gfloat), &d->next);
  if (scales->settings.upsample)
    tessera_scratch (d->band, sizes.strip * sizeof (gfloat), &d->doubled);
  tessera_scratch (d->band, sizes.strip * sizeof (gfloat), &d->sums);
  tessera_scratch (d->band, scales->n_levels * sizes.strip * sizeof (gfloat), &d->levels);
  tessera_scratch (d->band, COUNTS * sizeof (gint), &d->counts);
}

/* ------------------------------------------------------------------ levels -- */

/* Of the picture; of its rows, doubled. */
static void
see (Device *d)
{
  const SiftSearch   *search = d->search;
  const TesseraImage *input = &d->band->input;
  const gint          is_encoded = search->input == PERCEIVED_ENCODED;

  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_see", .size = { input->width, input->height }, .group = { 32, 4 }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (d->seen), ARG (input->width), ARG (input->height), ARG (search->components),
              FLOAT4_ARG (search->weights[0], search->weights[1], search->weights[2], 0.0f), ARG (is_encoded) }
  });
}

static void
enlarge (Device *d, const Strip *s)
{
  const gint width = d->band->input.width, height = d->band->input.height;

  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_double", .size = { s->width, s->rows }, .group = { 32, 4 }, .cost = 4,
    .args = { ARG (d->seen), ARG (width), ARG (height), ARG (d->doubled), ARG (s->top), ARG (s->rows) }
  });
}

/* Rows `first` to `end` of level l of the strip, from rows of the level before or of the base. */
static void
blur (Device *d, const Strip *s, const SiftBlur *blur, TesseraMemory *from, gint from_row, gint l, gint first, gint end)
{
  const gint     n = 2 * blur->radius + 1, to_row = l * s->rows;
  const gint     above = MAX (0, first - blur->radius), below = MIN (s->rows, end + blur->radius);
  TesseraMemory *weights;

  tessera_table (d->band, blur->weights, n * sizeof (gfloat), &weights);
  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_along", .size = { s->width, (below - above + 3) / 4 }, .group = { 32, 4 }, .cost = 4 * n,
    .args = { ARG (from), ARG (from_row), ARG (d->sums), ARG (s->width), ARG (above), ARG (below), ARG (weights),
              ARG (blur->radius) }
  });
  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_down", .size = { s->width, (end - first + 3) / 4 }, .group = { 32, 4 }, .cost = n + 3,
    .args = { ARG (d->sums), ARG (s->rows), ARG (d->levels), ARG (to_row), ARG (s->width), ARG (first), ARG (end),
              ARG (weights), ARG (blur->radius) }
  });
}

/* Each level on as many rows as the next ones need. */
static void
make_levels (Device *d, const Strip *s)
{
  const SiftScales *scales = &d->search->scales;
  gint              around = scales->reach + scales->halo - scales->first.radius;

  for (gint l = 0; l < scales->n_levels; l++)
    {
      gint first, end;

      if (l > 0)
        around -= scales->blurs[l].radius;
      first = MAX (0, s->own_top - around - s->top);
      end = MIN (s->height, s->own_bottom + around) - s->top;
      if (l > 0)
        blur (d, s, &scales->blurs[l], d->levels, (l - 1) * s->rows, l, first, end);
      else if (s->octave == 0)
        blur (d, s, &scales->first, s->base, s->base_row, 0, first, end);
      else
        tessera_launch (d->band, &(TesseraLaunch) {
          .kernel = "sift_copy", .size = { s->width, end - first }, .group = { 32, 4 }, .cost = 1,
          .args = { ARG (s->base), ARG (s->base_row), ARG (d->levels), ARG (s->width), ARG (first), ARG (end) } });
    }
}

/* What the next octave begins with, of the strip's own rows. */
static void
halve (Device *d, const Strip *s)
{
  const gint first = (s->own_top + 1) / 2, end = MIN ((s->own_bottom + 1) / 2, s->height / 2);
  const gint from_row = d->search->scales.settings.intervals * s->rows - s->top;

  if (s->next && first < end)
    tessera_launch (d->band, &(TesseraLaunch) {
      .kernel = "sift_halve", .size = { s->width / 2, end - first }, .group = { 32, 4 }, .cost = 1,
      .args = { ARG (d->levels), ARG (from_row), ARG (s->width), ARG (s->next), ARG (first), ARG (end) } });
}

/* ------------------------------------------------------------------ points -- */

static void
begin (Device *d)
{
  tessera_launch (d->band, &(TesseraLaunch) { .kernel = "sift_begin", .size = { 1 }, .cost = 1, .args = { ARG (d->counts) } });
}

static void
find_places (Device *d, const Strip *s)
{
  const SiftScales *scales = &d->search->scales;
  const gint        first = s->own_top - s->top, end = s->own_bottom - s->top, items = ITEMS;

  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_scan", .size = { s->width, end - first }, .group = { 32, 4 }, .cost = 3 * scales->n_levels,
    .args = { LEVEL_ARGS (d, s), ARG (scales->n_levels), ARG (first), ARG (end), ARG (d->search->least), ARG (d->counts),
              ARG (d->candidates), ARG (d->most_candidates) }
  });
  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_refine", .size = { items }, .group = { 64 }, .cost = 54,
    .args = { LEVEL_ARGS (d, s), ARG (scales->settings.intervals), ARG (d->numbers), ARG (d->counts), ARG (d->candidates),
              ARG (d->places), ARG (d->most_candidates), ARG (items) }
  });
}

static void
find_points (Device *d, const Strip *s)
{
  const GeglRectangle *bounds = &d->band->request->bounds;
  const gint           is_doubled = d->search->scales.settings.upsample, octave = s->octave - is_doubled, items = ITEMS;
  const gint           is_root = d->search->scales.settings.is_root;

  tessera_launch (d->band, &(TesseraLaunch) {
    .kernel = "sift_turn", .size = { items }, .group = { GROUP_TURN }, .cost = 1000.0 / GROUP_TURN,
    .args = { LEVEL_ARGS (d, s), ARG (d->counts), ARG (d->places), ARG (d->points), ARG (d->most_points), ARG (octave),
              ARG (bounds->x), ARG (bounds->y), ARG (is_doubled), ARG (items) }
  });
  if (d->search->describes)
    tessera_launch (d->band, &(TesseraLaunch) {
      .kernel = "sift_describe", .size = { items }, .group = { GROUP_POINT }, .cost = 3000.0 / GROUP_POINT,
      .args = { LEVEL_ARGS (d, s), ARG (d->counts), ARG (d->points), ARG (d->most_points), ARG (items), ARG (is_root) } });
}

/* ----------------------------------------------------------------- octaves -- */

static void
search_strip (Device *d, Strip *s)
{
  const gint around = d->search->scales.reach + d->search->scales.halo;

  s->top = MAX (0, s->own_top - around);
  s->rows = MIN (s->height, s->own_bottom + around) - s->top;
  s->base_row = s->top;
  if (s->octave == 0 && d->search->scales.settings.upsample)
    {
      s->base = d->doubled;
      s->base_row = 0;
      enlarge (d, s);
    }
  make_levels (d, s);
  halve (d, s);
  begin (d);
  find_places (d, s);
  find_points (d, s);
}

/* A strip is done when its counts are here.  A quick device does not wait for them: its queue would run dry. */
static void
tell_progress (Device *d, const Strip *s, gdouble from, gdouble to)
{
  const gboolean is_first = s->octave == 0 && s->own_top == 0;
  const gint64   begun = g_get_monotonic_time ();

  if ((! d->is_slow && ! is_first) || tessera_fetch (d->band, d->counts, COUNTS * sizeof (gint), d->n) != 0)
    return;
  d->is_slow = d->is_slow || g_get_monotonic_time () - begun > SLOW;
  if (d->is_slow)
    tessera_progress_step (from + (to - from) * s->own_bottom / s->height, to, FALSE, 0);
}

static void
search_octave (Device *d, const Strip *octave, gdouble from, gdouble to)
{
  const gint around = d->search->scales.reach + d->search->scales.halo;
  const gint rows = MAX (LEAST_ROWS, strip_rows (&d->search->scales, octave->width, octave->height) - 2 * around);
  const gint own = octave->height <= rows + 2 * around ? octave->height : rows;         /* in one strip nothing lies around */

  for (gint top = 0; top < octave->height; top += own)
    {
      Strip strip = *octave;

      strip.own_top = top;
      strip.own_bottom = MIN (octave->height, top + own);
      search_strip (d, &strip);
      tell_progress (d, &strip, from, to);
    }
}

/* The bases of octaves lie in turns in two planes, whose size is the picture's. */
static void
search_octaves (Device *d)
{
  const GeglRectangle *bounds = &d->band->request->bounds;
  Strip                s = { .base = d->seen };
  gint                 width, height;
  gdouble              from, to = 0.0;

  tessera_send (d->band, (gint[COUNTS]) { 0 }, COUNTS * sizeof (gint), d->counts);
  for (s.octave = 0; sift_octave (d->search, bounds, s.octave, &s.width, &s.height); s.octave++)
    {
      const gboolean has_next = sift_octave (d->search, bounds, s.octave + 1, &width, &height);

      s.base = s.octave & 1 ? d->next : d->seen;
      s.next = ! has_next ? NULL : s.octave & 1 ? d->seen : d->next;
      from = to;
      to = has_next ? from + (1.0 - from) * 0.75 : 1.0;         /* a quarter is left for the others, as in C */
      search_octave (d, &s, from, to);
    }
}

static gint
search_picture (Device *d)
{
  tessera_scratch (d->band, d->most_candidates * sizeof (SiftCandidate), &d->candidates);
  tessera_scratch (d->band, (gsize) d->most_candidates * PLACE_BYTES, &d->places);
  tessera_scratch (d->band, d->most_points * sizeof (SiftPoint), &d->points);
  see (d);
  search_octaves (d);
  begin (d);
  return tessera_fetch (d->band, d->counts, COUNTS * sizeof (gint), d->n);
}

/* Each pixel of a layer may be a candidate, and have all angles; smaller octaves have fewer than half as many together. */
static gboolean
are_possible (const Device *d)
{
  const Sizes   sizes = sizes_of (d->search, &d->band->request->bounds);
  const gdouble layers = d->search->scales.settings.intervals;
  gint          width = 0, height = 0;

  sift_octave (d->search, &d->band->request->bounds, 0, &width, &height);
  return d->n[MOST] >= 0 && d->n[POINTS] >= 0 && d->n[MOST] <= layers * sizes.strip
         && d->n[POINTS] <= 1.5 * layers * width * height * SIFT_MOST_ANGLES;
}

static gboolean
had_room (const Device *d)
{
  return d->n[MOST] <= d->most_candidates && d->n[POINTS] <= d->most_points;
}

static void
make_room (Device *d)
{
  d->most_candidates = MAX (d->most_candidates, d->n[MOST]);
  d->most_points = MAX (d->most_points, d->n[POINTS]);
}

static gint
bring_points (Device *d)
{
  gconstpointer points = NULL;
  gint          status = 0;

  if (d->n[POINTS] > 0)
    status = tessera_fetch_view (d->band, d->points, d->n[POINTS] * sizeof (SiftPoint), &points);
  if (status == 0)
    sift_answer (d->band->request, points, d->n[POINTS]);
  return status;
}

gint
sift_on_device (TesseraBand *band)
{
  Device d = { .band = band, .search = band->request->params };
  gint   status;

  take_planes (&d);
  tessera_table (band, d.search->numbers, sizeof d.search->numbers, &d.numbers);
  for (gint tries = 0; tries < TRIES; tries++, make_room (&d))
    if ((status = search_picture (&d)) != 0)
      return status;
    else if (! are_possible (&d))
      break;
    else if (had_room (&d))
      return bring_points (&d);
  return tessera_give_up (band);        /* it counts what cannot be, or more each time */
}
