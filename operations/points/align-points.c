/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A picture to be aligned, and its points: see align.h.
 *
 * Where a picture has more points than are compared, half of them are the strongest, and half are spread over it: a busy part would take them
 * all, and what two pictures share may be a quiet one.  Points that see something transparent are left out: the outline of what is there is
 * no thing of the picture.
 */
#include "align.h"

#include <stdlib.h>
#include <string.h>

#include "planes.h"

#define MOST_PIXELS   6e6       /* of a picture that is matched */
#define DOUBLE_PIXELS 1e6       /* smaller ones have points of half a pixel's size too */
#define SQUARE        64        /* of a smaller picture, that a thread makes at a time */
#define FEW_POINTS    200       /* fewer: they are looked for again */
#define LEAST_CONTRAST 0.01     /* ... down to this contrast */
#define CELLS         8         /* of the picture, along a side: each has its share of the points */
#define SUPPORT       5.0       /* sigma around a point that it sees */
#define SEE_THROUGH   128       /* of 255: alpha below it is transparent */

/* ---------------------------------------------------------- smaller pictures -- */

typedef struct
{
  const RefinePicture *from;
  gint                 factor;
  gint                 width;           /* of the smaller picture */
  gfloat              *pixels;          /* ... whose memory it is: luminance and alpha */
  gfloat               weights[3];      /* of luminance */
} Reducing;

/* Each pixel is the mean of factor x factor. */
static void
average (const Reducing *r, const gfloat *in, const GeglRectangle *part)
{
  const gint   factor = r->factor;
  const Pixel *from = (const Pixel *) in;
  const gfloat share = 1.0f / (factor * factor);

  for (gint y = 0; y < part->height; y++)
    for (gint x = 0; x < part->width; x++)
      {
        gfloat *out = r->pixels + 2 * ((gsize) (part->y + y) * r->width + part->x + x);
        Pixel   sum = { 0 };

        for (gint j = 0; j < factor; j++)
          for (gint i = 0; i < factor; i++)
            sum += from[(gsize) (y * factor + j) * part->width * factor + x * factor + i];
        sum *= share;
        out[0] = (r->weights[0] * sum[0] + r->weights[1] * sum[1]) + r->weights[2] * sum[2];
        out[0] = sum[3] > 0.0f ? out[0] / sum[3] : 0.0f;
        out[1] = sum[3];
      }
}

static void
reduce_area (const GeglRectangle *area, gpointer data)
{
  const Reducing *r = data;
  const gint      side = SQUARE * r->factor;
  g_autofree gfloat *in = g_new (gfloat, 4 * side * side);

  for (gint y = area->y; y < area->y + area->height; y += SQUARE)
    for (gint x = area->x; x < area->x + area->width; x += SQUARE)
      {
        const GeglRectangle part = { x, y, MIN (SQUARE, area->x + area->width - x), MIN (SQUARE, area->y + area->height - y) };

        tessera_read (r->from->buffer,
                      GEGL_RECTANGLE (r->from->bounds.x + part.x * r->factor, r->from->bounds.y + part.y * r->factor,
                                      part.width * r->factor, part.height * r->factor),
                      &r->from->bounds, TESSERA_BORDER_CLAMP, r->from->format, in);
        average (r, in, &part);
      }
}

/* Into memory in one piece: tiles would be cleared first, and written in parts.  What follows looks at luminance and alpha alone.  A picture
 * that is reduced as much as a larger one may have no pixels left. */
static void
reduce (const RefinePicture *from, gint factor, RefinePicture *to)
{
  const gint  width = from->bounds.width / factor, height = from->bounds.height / factor;
  const Babl *stored = babl_format_with_space ("YA float", from->format);
  Reducing    reducing = { .from = from, .factor = factor, .width = width };

  to->format = from->format;
  to->bounds = (GeglRectangle) { 0, 0, width, height };
  if (gegl_rectangle_is_empty (&to->bounds))
    {
      to->buffer = gegl_buffer_new (&to->bounds, stored);
      return;
    }
  reducing.pixels = tessera_large_new (2 * sizeof (gfloat) * width * height);
  tessera_luminance (from->format, reducing.weights);
  gegl_parallel_distribute_area (&to->bounds, 64.0 * 64.0, GEGL_SPLIT_STRATEGY_AUTO, reduce_area, &reducing);
  to->buffer = gegl_buffer_linear_new_from_data (reducing.pixels, stored, &to->bounds, GEGL_AUTO_ROWSTRIDE,
                                                 tessera_large_free, reducing.pixels);
}

/* ------------------------------------------------------------------- points -- */

static gint
factor_for (const GeglRectangle *bounds)
{
  const gdouble pixels = (gdouble) bounds->width * bounds->height;
  gint          factor = 1;

  while (pixels / factor / factor > MOST_PIXELS && MIN (bounds->width, bounds->height) >= 4 * factor)
    factor *= 2;
  return factor;
}

/* How many transparent pixels lie above and left of each place, row by row; NULL: there are none. */
static gint *
count_transparent (const AlignPicture *picture)
{
  const RefinePicture *small = &picture->small;
  const gint           width = small->bounds.width, height = small->bounds.height;
  gint                *counts;
  guint8              *alpha;

  if (! babl_format_has_alpha (gegl_buffer_get_format (picture->full.buffer)) || gegl_rectangle_is_empty (&small->bounds))
    return NULL;
  alpha = g_malloc (2 * (gsize) width * height);
  counts = g_new0 (gint, ((gsize) width + 1) * (height + 1));
  gegl_buffer_get (small->buffer, &small->bounds, 1.0, babl_format ("Y'A u8"), alpha, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint y = 0; y < height; y++)
    for (gint x = 0, row = 0; x < width; x++)
      {
        row += alpha[2 * ((gsize) y * width + x) + 1] < SEE_THROUGH;
        counts[((gsize) y + 1) * (width + 1) + x + 1] = counts[(gsize) y * (width + 1) + x + 1] + row;
      }
  g_free (alpha);
  if (counts[((gsize) width + 1) * (height + 1) - 1] == 0)
    g_clear_pointer (&counts, g_free);
  return counts;
}

static gboolean
sees_nothing_transparent (const gint *counts, const GeglRectangle *bounds, const SiftPoint *point)
{
  const gint  width = bounds->width + 1;
  const gdouble x = point->x - bounds->x, y = point->y - bounds->y, reach = SUPPORT * point->sigma;
  const gsize left = CLAMP (x - reach, 0, bounds->width), right = CLAMP (x + reach + 1, 0, bounds->width);
  const gsize top = CLAMP (y - reach, 0, bounds->height), bottom = CLAMP (y + reach + 1, 0, bounds->height);

  return counts[bottom * width + right] - counts[top * width + right] == counts[bottom * width + left] - counts[top * width + left];
}

static void
leave_out_transparent (const AlignPicture *picture, SiftList *list)
{
  g_autofree gint *counts = count_transparent (picture);
  gsize n = 0;

  for (gsize i = 0; i < list->n && counts; i++)
    if (sees_nothing_transparent (counts, &picture->small.bounds, &list->points[i]))
      list->points[n++] = list->points[i];
  list->n = counts ? n : list->n;
}

typedef struct
{
  gdouble response;
  guint   index;
} Ranked;

static gint
by_response (const void *a, const void *b)
{
  const Ranked *p = a, *q = b;

  return p->response != q->response ? (p->response < q->response) - (p->response > q->response) : (p->index > q->index) - (p->index < q->index);
}

/* The strongest of each cell, then the strongest of the others; in the list's order. */
static void
keep_spread (const GeglRectangle *bounds, gsize most, SiftList *list)
{
  g_autofree Ranked *ranked = g_new (Ranked, list->n + 1);
  g_autofree guint8 *is_kept = g_new0 (guint8, list->n + 1);
  gsize counts[CELLS * CELLS] = { 0 }, kept = 0, n = 0;

  if (list->n <= most)
    return;
  for (gsize i = 0; i < list->n; i++)
    ranked[i] = (Ranked) { list->points[i].response, i };
  qsort (ranked, list->n, sizeof *ranked, by_response);
  for (gsize i = 0; i < list->n; i++)
    {
      const SiftPoint *point = &list->points[ranked[i].index];
      const gint       column = CLAMP ((point->x - bounds->x + 0.5) * CELLS / bounds->width, 0, CELLS - 1);
      const gint       row = CLAMP ((point->y - bounds->y + 0.5) * CELLS / bounds->height, 0, CELLS - 1);

      if (counts[row * CELLS + column]++ < most / (2 * CELLS * CELLS))
        kept += is_kept[ranked[i].index] = 1;
    }
  for (gsize i = 0; i < list->n && kept < most; i++)
    if (! is_kept[ranked[i].index])
      kept += is_kept[ranked[i].index] = 1;
  for (gsize i = 0; i < list->n; i++)
    if (is_kept[i])
      list->points[n++] = list->points[i];
  list->n = n;
}

static void
keep_points (const AlignPicture *picture, const SiftList *list, AlignPoints *kept)
{
  *kept = (AlignPoints) { list->n, g_new (MatchPlace, list->n), g_new (guint8, list->n * SIFT_LENGTH) };
  for (gsize i = 0; i < list->n; i++)
    {
      const SiftPoint *point = &list->points[i];

      kept->places[i] = (MatchPlace) { point->x - picture->small.bounds.x, point->y - picture->small.bounds.y, point->sigma, point->angle };
      memcpy (kept->descriptors + i * SIFT_LENGTH, point->descriptor, SIFT_LENGTH);
    }
}

/* FALSE: OpenCL is forced and could not run. */
static gboolean
find_points (const AlignPicture *picture, const TesseraErrand *errand, const AlignSettings *align, gdouble contrast, AlignPoints *found)
{
  SiftSettings   settings = SIFT_DEFAULTS;
  SiftList       list = { 0 };
  TesseraRequest points = { .errand = *errand };
  gboolean       done;

  points.input = picture->small.buffer;
  points.input_format = picture->small.format;
  points.bounds = points.roi = picture->small.bounds;
  settings.contrast_threshold = contrast;
  settings.upsample = (gdouble) points.bounds.width * points.bounds.height <= DOUBLE_PIXELS;
  done = sift_find (&points, &settings, TRUE, &list);
  leave_out_transparent (picture, &list);
  keep_spread (&picture->small.bounds, align->max_features, &list);
  keep_points (picture, &list, found);
  g_free (list.points);
  return done;
}

static void
clear_points (AlignPoints *points)
{
  g_clear_pointer (&points->places, g_free);
  g_clear_pointer (&points->descriptors, g_free);
}

gboolean
align_picture_init (AlignPicture *picture, const TesseraRequest *request, const AlignSettings *settings, gint factor)
{
  gboolean done;

  *picture = (AlignPicture) { .factor = factor > 0 ? factor : factor_for (&request->bounds) };
  picture->full = picture->small = (RefinePicture) { g_object_ref (request->input), request->bounds, request->input_format };
  if (picture->factor > 1)
    reduce (&picture->full, picture->factor, &picture->small);
  else
    g_object_ref (picture->small.buffer);
  done = find_points (picture, &request->errand, settings, settings->contrast_threshold, &picture->points);
  if (done && picture->points.n < FEW_POINTS && settings->contrast_threshold > LEAST_CONTRAST)
    {
      clear_points (&picture->points);
      done = find_points (picture, &request->errand, settings, LEAST_CONTRAST, &picture->points);
      picture->has_all = TRUE;
    }
  picture->has_all |= settings->contrast_threshold <= LEAST_CONTRAST || picture->points.n >= settings->max_features;
  return done;
}

gboolean
align_picture_find_more (AlignPicture *picture, const TesseraErrand *errand, const AlignSettings *settings)
{
  if (! picture->has_all && ! picture->more.places)
    return find_points (picture, errand, settings, LEAST_CONTRAST, &picture->more);
  return TRUE;
}

const RefinePicture *
align_picture_coarse (AlignPicture *picture, gint level)
{
  if (level == 0)
    return &picture->small;
  if (! picture->coarse[level - 1].buffer)
    reduce (align_picture_coarse (picture, level - 1), 2, &picture->coarse[level - 1]);
  return &picture->coarse[level - 1];
}

void
align_picture_clear (AlignPicture *picture)
{
  for (gint k = 0; k < ALIGN_COARSE; k++)
    g_clear_object (&picture->coarse[k].buffer);
  g_clear_object (&picture->full.buffer);
  g_clear_object (&picture->small.buffer);
  clear_points (&picture->points);
  clear_points (&picture->more);
}
