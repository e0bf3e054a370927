/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * All points of a picture: octave by octave, each in horizontal strips, so that the memory does not grow with the
 * picture's height.  A strip has its candidates' rows and `reach` more on both sides.  The next octave's base is every
 * second pixel of a level of each strip's own rows.
 */
#include "config.h"

#include "sift-parts.h"
#include "perceived.h"

#include <gegl-plugin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LEVEL_PIXELS  (4 << 20)         /* of a strip's level, at most: 16 MiB */
#define LEAST_ROWS    64                /* each strip moves the rows that it keeps */
#define LEAST_SIDE    (2 * EXTREME_FRAME + 1)
#define READ_PIXELS   (1 << 16)         /* that are read at a time */
#define PLACE_COST    8                 /* places that are worth a thread */

typedef struct
{
  const TesseraRequest *request;
  SiftScales            scales;
  gboolean              describes;
  gint                  octave;         /* -1: twice as large as the picture */
  gint                  width, height;  /* of the octave */
  gfloat               *base;           /* of the octave; NULL: the picture is read */
  SiftRoom              planes, pixels, seen, doubled;  /* for each strip */
  gfloat               *next;           /* of the next octave; NULL: there is none */
  GArray               *points;
  gdouble               from, to;       /* progress of the octave */
} Search;

/* ------------------------------------------------------------------ base -- */

/* Rows of the picture's luminance, from `top` on. */
typedef struct
{
  const TesseraRequest *request;
  gint                  top, rows;
  gfloat               *seen;
} Reading;

static void
read_rows (gsize first, gsize n, gpointer data)
{
  const Reading       *reading = data;
  const GeglRectangle *bounds = &reading->request->bounds;
  const Babl          *format = reading->request->input_format;
  const Perceived      input = perceived_of (&format);
  const gint           components = babl_format_get_n_components (format), width = bounds->width;
  const gint           most = CLAMP (READ_PIXELS / width, 1, (gint) n);
  gfloat              *pixels = g_new (gfloat, (gsize) components * width * most);
  gfloat               weights[3];

  tessera_luminance (format, weights);
  for (gint y = (gint) first; y < (gint) (first + n); y += most)
    {
      const gint          rows = MIN (most, (gint) (first + n) - y);
      const GeglRectangle rect = { bounds->x, bounds->y + reading->top + y, width, rows };

      tessera_read (reading->request->input, &rect, bounds, TESSERA_BORDER_CLAMP, format, pixels);
      perceived_luminance (input, pixels, components, weights, width * rows, reading->seen + (gsize) y * width);
    }
  g_free (pixels);
}

static gfloat *
read_picture (Search *search, gint top, gint rows)
{
  const gint width = search->request->bounds.width;
  Reading    reading = { search->request, top, rows, sift_room (&search->seen, (gsize) width * rows) };

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
  gfloat         *rows = g_new (gfloat, 4 * (gsize) d->width);
  gint            kept[2] = { -1, -1 };

  for (gsize i = first; i < first + n; i++)
    {
      const gint    y = d->top + (gint) i, near = y / 2, far = CLAMP (y & 1 ? near + 1 : near - 1, 0, d->height - 1);
      const gfloat *near_row = wide_row (d, near, rows, kept), *far_row = wide_row (d, far, rows, kept);

      mix (near_row, far_row, 2 * d->width, d->out + i * 2 * d->width);
    }
  g_free (rows);
}

/* The same of the doubled picture; (0, 0) of it lies at (-0.25, -0.25). */
static gfloat *
read_doubled (Search *search, gint top, gint rows)
{
  const gint width = search->request->bounds.width, height = search->request->bounds.height;
  const gint from = MAX ((top - 1) / 2, 0), end = MIN ((top + rows) / 2 + 1, height);
  Doubling   doubling = { read_picture (search, from, end - from), from, width, height, top,
                          sift_room (&search->doubled, 2 * (gsize) width * rows) };

  gegl_parallel_distribute_range (rows, 64.0 * 64.0 / width, double_rows, &doubling);
  return doubling.out;
}

/* ---------------------------------------------------------------- points -- */

static int
compare_places (const void *first, const void *second)
{
  const SiftPlace *a = first, *b = second;

  return a->layer != b->layer ? a->layer - b->layer : a->row != b->row ? a->row - b->row : a->column - b->column;
}

/* The work on a strip's candidates, each thread some of them. */
typedef struct
{
  const Search        *search;
  const SiftLevels    *levels;
  const SiftCandidate *candidates;
  SiftPlace           *places;          /* layer SIFT_NONE: none */
  SiftAngle          (*angles)[SIFT_MOST_ANGLES];
  gint                *n_angles;
  gint                *place_of;        /* of a point */
  SiftPoint           *points;
} Work;

static void
refine_some (gsize first, gsize n, gpointer data)
{
  const Work *work = data;

  for (gsize i = first; i < first + n; i++)
    if (! sift_refine (work->levels, &work->search->scales.settings, &work->candidates[i], &work->places[i]))
      work->places[i] = (SiftPlace) { .layer = SIFT_NONE };
}

static void
turn_some (gsize first, gsize n, gpointer data)
{
  const Work *work = data;

  for (gsize i = first; i < first + n; i++)
    work->n_angles[i] = sift_angles (work->levels, &work->places[i], work->angles[i]);
}

static void
describe_some (gsize first, gsize n, gpointer data)
{
  const Work *work = data;

  for (gsize i = first; i < first + n; i++)
    sift_describe (work->levels, &work->places[work->place_of[i]], work->points[i].angle, work->points[i].descriptor);
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

/* A multiple of 2^-32, so that the image's origin is added exactly, and a point does not depend on where the image lies. */
static gdouble
place_of (gint origin, gdouble place)
{
  return origin + floor (place * 4294967296.0 + 0.5) / 4294967296.0;
}

/* All but the descriptor. */
static SiftPoint
point_at (const Search *search, const SiftPlace *place, const SiftAngle *angle)
{
  const GeglRectangle *bounds = &search->request->bounds;
  const SiftSettings  *settings = &search->scales.settings;
  const gdouble        scale = ldexp (1.0, search->octave), shift = settings->upsample ? 0.25 : 0.0;

  return (SiftPoint) {
    .octave = search->octave, .layer = place->layer, .row = place->row, .column = place->column, .bin = angle->bin,
    .x = place_of (bounds->x, (place->column + place->dx) * scale - shift),
    .y = place_of (bounds->y, (place->row + place->dy) * scale - shift),
    .sigma = place->sigma * scale, .angle = angle->angle, .response = place->response
  };
}

static void
find_points (Search *search, const SiftLevels *levels, const SiftCandidate *candidates, gint n)
{
  Work  work = { .search = search, .levels = levels, .candidates = candidates, .places = g_new (SiftPlace, n) };
  gsize before = search->points->len;
  gint  n_points = 0, at = 0;

  gegl_parallel_distribute_range (n, 64 * PLACE_COST, refine_some, &work);
  n = tidy (work.places, n);
  work.angles = g_malloc_n (n, sizeof *work.angles);
  work.n_angles = g_new (gint, n);
  gegl_parallel_distribute_range (n, PLACE_COST, turn_some, &work);
  for (gint i = 0; i < n; i++)
    n_points += work.n_angles[i];
  work.place_of = g_new (gint, n_points);
  g_array_set_size (search->points, before + n_points);
  work.points = (SiftPoint *) search->points->data + before;
  for (gint i = 0; i < n; i++)
    for (gint k = 0; k < work.n_angles[i]; k++, at++)
      {
        work.place_of[at] = i;
        work.points[at] = point_at (search, &work.places[i], &work.angles[i][k]);
      }
  if (search->describes)
    gegl_parallel_distribute_range (n_points, PLACE_COST, describe_some, &work);
  g_free (work.place_of);
  g_free (work.n_angles);
  g_free (work.angles);
  g_free (work.places);
}

/* --------------------------------------------------------------- octaves -- */

/* What the next octave begins with, of the rows `top` to `bottom` of this one. */
static void
halve (const Search *search, const SiftLevels *levels, gint top, gint bottom)
{
  const gint width = search->width / 2, level = search->scales.settings.intervals;

  for (gint y = (top + 1) / 2; y < MIN ((bottom + 1) / 2, search->height / 2); y++)
    for (gint x = 0; x < width; x++)
      search->next[(gsize) y * width + x] = (gfloat) sift_level (levels, level, 2 * x, 2 * y);
}

static gboolean
search_strip (Search *search, SiftStrip *strip, gint top, gint bottom)
{
  const SiftScales *scales = &search->scales;
  const gint        first = MAX (0, top - scales->reach), end = MIN (search->height, bottom + scales->reach);
  TesseraRequest    like = *search->request;
  SiftCandidate    *candidates;
  gint              n;

  strip->top = MAX (0, first - scales->halo);
  strip->rows = MIN (search->height, end + scales->halo) - strip->top;
  if (search->base)
    strip->base = search->base + (gsize) strip->top * search->width;
  else
    strip->base = scales->settings.upsample ? read_doubled (search, strip->top, strip->rows)
                                            : read_picture (search, strip->top, strip->rows);
  like.progress_from = search->from + (search->to - search->from) * top / search->height;
  like.progress_to = search->from + (search->to - search->from) * bottom / search->height;
  if (! sift_strip_make (&like, strip, first, end))
    return FALSE;
  if (search->next)
    halve (search, &strip->levels, top, bottom);
  n = sift_candidates (strip, top, bottom, &candidates);
  if (n > 0)
    find_points (search, &strip->levels, candidates, n);
  g_free (candidates);
  return TRUE;
}

static gint
strip_rows (const Search *search)
{
  return MAX (LEAST_ROWS, LEVEL_PIXELS / search->width - 2 * search->scales.reach);
}

static gboolean
search_octave (Search *search, gboolean is_first)
{
  const SiftSettings *settings = &search->scales.settings;
  const gint          rows = strip_rows (search);
  SiftStrip           strip = { .scales = &search->scales, .is_first = is_first, .width = search->width,
                                .height = search->height, .planes = &search->planes, .pixels = &search->pixels,
                                .most_rows = MIN (search->height, rows + 2 * search->scales.reach),
                                .least = (gfloat) (0.5 * settings->contrast_threshold / settings->intervals) };
  gboolean            success = TRUE;

  for (gint top = 0; top < search->height && success; top += rows)
    success = search_strip (search, &strip, top, MIN (search->height, top + rows));
  return success;
}

/* Is there room for points in an octave of this size? */
static gboolean
has_room (gint width, gint height)
{
  return width >= LEAST_SIDE && height >= LEAST_SIDE;
}

static gboolean
search_octaves (Search *search)
{
  const SiftSettings *settings = &search->scales.settings;
  const gint          most = settings->octaves > 0 ? settings->octaves : G_MAXINT;
  const gdouble       from = search->request->progress_from, to = search->request->progress_to > 0.0 ? search->request->progress_to : 1.0;
  gboolean            success = TRUE;

  search->to = from;
  for (gint i = 0; i < most && success && (i == 0 || has_room (search->width, search->height)); i++)
    {
      const gboolean has_next = i + 1 < most && has_room (search->width / 2, search->height / 2);

      search->from = search->to;
      search->to = has_next ? search->from + (to - search->from) * 0.75 : to;       /* a quarter is left for the others */
      search->next = has_next ? g_new (gfloat, (gsize) (search->width / 2) * (search->height / 2)) : NULL;
      success = search_octave (search, i == 0);
      g_free (search->base);
      search->base = g_steal_pointer (&search->next);
      search->width /= 2;
      search->height /= 2;
      search->octave++;
    }
  g_free (search->base);
  tessera_large_free (search->planes.floats);
  tessera_large_free (search->pixels.floats);
  tessera_large_free (search->seen.floats);
  tessera_large_free (search->doubled.floats);
  return success;
}

/* ------------------------------------------------------------------ all -- */

gboolean
sift_find (const TesseraRequest *request, const SiftSettings *settings, gboolean describes, SiftList *list)
{
  const gint factor = settings->upsample ? 2 : 1;
  Search     search = { .request = request, .describes = describes, .octave = settings->upsample ? -1 : 0,
                        .points = g_array_new (FALSE, FALSE, sizeof (SiftPoint)) };
  gboolean   success = TRUE;

  sift_scales_init (&search.scales, settings);
  gegl_buffer_flush_ext (request->input, NULL);         /* a result of GEGL's OpenCL cannot be fetched by several threads */
  if (! gegl_rectangle_is_empty (&request->bounds) && ! tessera_is_endless (&request->bounds))
    {
      search.width = factor * request->bounds.width;
      search.height = factor * request->bounds.height;
      success = search_octaves (&search);
    }
  sift_list_finish (search.points, settings->max_features, list);
  g_array_free (search.points, FALSE);
  if (! success)
    {
      g_free (list->points);
      *list = (SiftList) { NULL, 0 };
    }
  return success;
}
