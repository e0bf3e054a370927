/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All points of a picture in C: octave by octave, each in horizontal strips, so that the memory does not grow with the
 * picture's height.  A strip has its candidates' rows and `reach` more on both sides.
 */
#include "config.h"

#include "sift-parts.h"

#include <gegl-plugin.h>
#include <math.h>
#include <stdlib.h>

#define READ_PIXELS   (1 << 16)         /* that are read at a time */
#define PLACE_COST    8                 /* places that are worth a thread */

typedef struct
{
  const TesseraRequest *request;
  const SiftSearch     *search;
  gint                  octave;         /* -1: twice as large as the picture */
  gint                  width, height;  /* of the octave */
  gfloat               *base;           /* of the octave; NULL: the picture is read */
  SiftRoom              planes, sums, seen, doubled;
  gfloat               *next;           /* of the next octave; NULL: there is none */
  GArray               *points;
  gdouble               from, to;       /* progress of the octave */
} Walk;

/* ------------------------------------------------------------------ base -- */

/* Rows of the picture's luminance, from `top` on. */
typedef struct
{
  const Walk *walk;
  gint        top;
  gfloat     *seen;
} Reading;

static void
read_rows (gsize first, gsize n, gpointer data)
{
  const Reading        *reading = data;
  const TesseraRequest *request = reading->walk->request;
  const SiftSearch     *search = reading->walk->search;
  const GeglRectangle  *bounds = &request->bounds;
  const gint            width = bounds->width, most = CLAMP (READ_PIXELS / width, 1, (gint) n);
  g_autofree gfloat *pixels = g_new (gfloat, (gsize) search->components * width * most);

  for (gint y = (gint) first; y < (gint) (first + n); y += most)
    {
      const gint          rows = MIN (most, (gint) (first + n) - y);
      const GeglRectangle rect = { bounds->x, bounds->y + reading->top + y, width, rows };

      tessera_read (request->input, &rect, bounds, TESSERA_BORDER_CLAMP, request->input_format, pixels);
      perceived_luminance (search->input, pixels, search->components, search->weights, width * rows,
                           reading->seen + (gsize) y * width);
    }
}

static gfloat *
read_picture (Walk *walk, gint top, gint rows)
{
  const gint width = walk->request->bounds.width;
  Reading    reading = { walk, top, sift_room (&walk->seen, (gsize) width * rows) };

  gegl_parallel_distribute_range (rows, 64.0 * 64.0 / width, read_rows, &reading);
  return reading.seen;
}

/* A row twice as wide. */
TESSERA_CLONES static void
widen (const gfloat *restrict in, gint n, gfloat *restrict out)
{
  out[0] = 0.25f * in[0] + 0.75f * in[0];
  for (gint i = 1; i < n; i++)
    out[2 * i] = 0.25f * in[i - 1] + 0.75f * in[i];
  for (gint i = 0; i < n - 1; i++)
    out[2 * i + 1] = 0.75f * in[i] + 0.25f * in[i + 1];
  out[2 * n - 1] = 0.75f * in[n - 1] + 0.25f * in[n - 1];
}

TESSERA_CLONES static void
mix (const gfloat *restrict near, const gfloat *restrict far, gint n, gfloat *restrict out)
{
  for (gint i = 0; i < n; i++)
    out[i] = 0.75f * near[i] + 0.25f * far[i];
}

typedef struct
{
  const gfloat *seen;           /* rows of the picture from `from` on */
  gint          from, width, height;    /* of the picture */
  gint          top;            /* of what is made */
  gfloat       *out;
} Doubling;

/* Row y of the picture, widened into one of two rows, which keep the last even and the last odd one. */
static const gfloat *
wide_row (const Doubling *d, gint y, gfloat *rows, gint kept[2])
{
  gfloat *row = rows + (gsize) (y & 1) * 2 * d->width;

  if (kept[y & 1] != y)
    widen (d->seen + (gsize) (y - d->from) * d->width, d->width, row);
  kept[y & 1] = y;
  return row;
}

static void
double_rows (gsize first, gsize n, gpointer data)
{
  const Doubling *d = data;
  g_autofree gfloat *rows = g_new (gfloat, 4 * (gsize) d->width);
  gint            kept[2] = { -1, -1 };

  for (gsize i = first; i < first + n; i++)
    {
      const gint    y = d->top + (gint) i, near = y / 2, far = CLAMP (y & 1 ? near + 1 : near - 1, 0, d->height - 1);
      const gfloat *near_row = wide_row (d, near, rows, kept), *far_row = wide_row (d, far, rows, kept);

      mix (near_row, far_row, 2 * d->width, d->out + i * 2 * d->width);
    }
}

/* The same of the doubled picture; (0, 0) of it lies at (-0.25, -0.25). */
static gfloat *
read_doubled (Walk *walk, gint top, gint rows)
{
  const gint width = walk->request->bounds.width, height = walk->request->bounds.height;
  const gint from = MAX ((top - 1) / 2, 0), end = MIN ((top + rows) / 2 + 1, height);
  Doubling   doubling = { read_picture (walk, from, end - from), from, width, height, top,
                          sift_room (&walk->doubled, 2 * (gsize) width * rows) };

  gegl_parallel_distribute_range (rows, 64.0 * 64.0 / width, double_rows, &doubling);
  return doubling.out;
}

/* ---------------------------------------------------------------- points -- */

static int
compare_places (const void *first, const void *second)
{
  const SiftPlace *a = first, *b = second;

  return a->row != b->row ? a->row - b->row : a->column != b->column ? a->column - b->column : a->layer - b->layer;
}

/* The work on a strip's candidates, each thread some rows of them: points of higher layers take longer. */
typedef struct
{
  const Walk          *walk;
  const SiftLevels    *levels;
  const SiftCandidate *candidates;
  SiftPlace           *places;          /* layer SIFT_NONE: none */
  SiftAngle          (*angles)[SIFT_MOST_ANGLES];
  gint                *n_angles;
  gint                *place_of;        /* of a point */
  SiftPoint           *points;
} StripWork;

static void
refine_some (gsize first, gsize n, gpointer data)
{
  const StripWork *work = data;

  for (gsize i = first; i < first + n; i++)
    if (! sift_refine (work->levels, &work->walk->search->scales.settings, &work->candidates[i], &work->places[i]))
      work->places[i] = (SiftPlace) { .layer = SIFT_NONE, .row = G_MAXINT };
}

static void
turn_some (gsize first, gsize n, gpointer data)
{
  const StripWork *work = data;

  for (gsize i = first; i < first + n; i++)
    work->n_angles[i] = sift_angles (work->levels, &work->places[i], work->angles[i]);
}

static void
describe_some (gsize first, gsize n, gpointer data)
{
  const StripWork *work = data;
  const gboolean   is_root = work->walk->search->scales.settings.is_root;

  for (gsize i = first; i < first + n; i++)
    sift_describe (work->levels, &work->places[work->place_of[i]], work->points[i].angle, is_root, work->points[i].descriptor);
}

/* Sorts them, and leaves out those that are none and those that came to the place of another. */
static gint
tidy (SiftPlace *places, gint n)
{
  gint kept = 0;

  qsort (places, n, sizeof *places, compare_places);
  for (gint i = 0; i < n && places[i].layer != SIFT_NONE; i++)
    if (kept == 0 || compare_places (&places[kept - 1], &places[i]) != 0)
      places[kept++] = places[i];
  return kept;
}

/* All but the descriptor. */
static SiftPoint
point_at (const Walk *walk, const SiftPlace *place, const SiftAngle *angle)
{
  const GeglRectangle *bounds = &walk->request->bounds;
  const gdouble        scale = ldexp (1.0, walk->octave), shift = walk->search->scales.settings.upsample ? 0.25 : 0.0;

  return (SiftPoint) {
    .octave = walk->octave, .layer = place->layer, .row = place->row, .column = place->column, .bin = angle->bin,
    .x = sift_place_of (bounds->x, (place->column + place->dx) * scale - shift),
    .y = sift_place_of (bounds->y, (place->row + place->dy) * scale - shift),
    .sigma = place->sigma * scale, .angle = angle->angle, .response = place->response
  };
}

static void
find_points (const Walk *walk, const SiftLevels *levels, const SiftCandidate *candidates, gint n)
{
  StripWork   work = { .walk = walk, .levels = levels, .candidates = candidates, .places = g_new (SiftPlace, n) };
  GArray     *points = walk->points;
  const gsize before = points->len;
  gint        n_points = 0, at = 0;

  gegl_parallel_distribute_range (n, 8 * PLACE_COST, refine_some, &work);
  n = tidy (work.places, n);
  work.angles = g_malloc_n (n, sizeof *work.angles);
  work.n_angles = g_new (gint, n);
  gegl_parallel_distribute_range (n, PLACE_COST, turn_some, &work);
  for (gint i = 0; i < n; i++)
    n_points += work.n_angles[i];
  work.place_of = g_new (gint, n_points);
  g_array_set_size (points, before + n_points);
  work.points = (SiftPoint *) points->data + before;
  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < work.n_angles[i]; k++, at++)
      {
        work.place_of[at] = i;
        work.points[at] = point_at (walk, &work.places[i], &work.angles[i][k]);
      }
  if (walk->search->describes)
    gegl_parallel_distribute_range (n_points, PLACE_COST, describe_some, &work);
  g_free (work.place_of);
  g_free (work.n_angles);
  g_free (work.angles);
  g_free (work.places);
}

/* --------------------------------------------------------------- octaves -- */

/* The base's rows up to `end`. */
static void
feed (Walk *walk, SiftOctave *octave, gint end)
{
  const gint top = octave->fed, rows = end - top;

  if (rows <= 0)
    return;
  sift_levels_feed (octave, walk->base ? walk->base + (gsize) top * walk->width
                            : walk->search->scales.settings.upsample ? read_doubled (walk, top, rows)
                            : read_picture (walk, top, rows), rows);
}

static void
search_strip (Walk *walk, SiftOctave *octave, gint top, gint bottom)
{
  const SiftScales *scales = &walk->search->scales;
  g_autofree SiftCandidate *candidates = NULL;
  gint              n;

  feed (walk, octave, MIN (walk->height, bottom + scales->reach + scales->halo));
  n = sift_candidates (octave, top, bottom, &candidates);
  if (n > 0)
    find_points (walk, &octave->levels, candidates, n);
}

static void
search_octave (Walk *walk, gboolean is_first)
{
  SiftOctave octave = { .scales = &walk->search->scales, .is_first = is_first, .width = walk->width, .height = walk->height,
                        .least = walk->search->least, .next = walk->next };

  sift_levels_begin (&octave, &walk->planes, &walk->sums);
  for (gint top = 0; top < walk->height; top += octave.strip_rows)
    {
      const gint    bottom = MIN (walk->height, top + octave.strip_rows);
      const gdouble share = (walk->to - walk->from) / walk->height;

      tessera_progress_step (walk->from + share * top, walk->from + share * bottom, FALSE,
                             (guint64) walk->width * (bottom - top) * octave.levels.n);
      search_strip (walk, &octave, top, bottom);
    }
  sift_levels_end (&octave);
}

void
sift_in_c (const TesseraRequest *request)
{
  const SiftSearch *search = request->params;
  Walk              walk = { .request = request, .search = search, .octave = search->scales.settings.upsample ? -1 : 0,
                             .points = g_array_new (FALSE, FALSE, sizeof (SiftPoint)) };
  gint              width, height;

  for (gint i = 0; sift_octave (search, &request->bounds, i, &walk.width, &walk.height); i++)
    {
      const gboolean has_next = sift_octave (search, &request->bounds, i + 1, &width, &height);

      walk.from = walk.to;
      walk.to = has_next ? walk.from + (1.0 - walk.from) * 0.75 : 1.0;   /* a quarter is left for the others */
      walk.next = has_next ? g_new (gfloat, (gsize) width * height) : NULL;
      search_octave (&walk, i == 0);
      g_free (walk.base);
      walk.base = g_steal_pointer (&walk.next);
      walk.octave++;
    }
  g_free (walk.base);
  tessera_large_free (walk.planes.floats);
  tessera_large_free (walk.sums.floats);
  tessera_large_free (walk.seen.floats);
  tessera_large_free (walk.doubled.floats);
  sift_answer (request, (const SiftPoint *) walk.points->data, walk.points->len);
  g_array_free (walk.points, TRUE);
}
