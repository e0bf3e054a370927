/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The transform that lays a picture on a reference: see align.h.
 */
#include "align.h"

#include <string.h>

#include "matches.h"
#include "matrix.h"
#include "planes.h"

#define MOST_PIXELS   6e6       /* of a picture that is matched */
#define DOUBLE_PIXELS 1e6       /* smaller ones have points of half a pixel's size too */
#define MOST_POINTS   5000
#define SQUARE        64        /* of a smaller picture, that a thread makes at a time */
#define SEED          1

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

static void
keep_points (AlignPicture *picture, const SiftList *list)
{
  picture->n = list->n;
  picture->places = g_new (MatchPlace, list->n);
  picture->descriptors = g_new (guint8, list->n * SIFT_LENGTH);
  for (gsize i = 0; i < list->n; i++)
    {
      const SiftPoint *point = &list->points[i];

      picture->places[i] = (MatchPlace) { point->x - picture->small.bounds.x, point->y - picture->small.bounds.y,
                                          point->sigma, point->angle };
      memcpy (picture->descriptors + i * SIFT_LENGTH, point->descriptor, SIFT_LENGTH);
    }
}

gboolean
align_picture_init (AlignPicture *picture, const TesseraRequest *request, gdouble contrast_threshold, gint factor)
{
  SiftSettings   settings = SIFT_DEFAULTS;
  SiftList       list = { 0 };
  TesseraRequest points = *request;
  gboolean       done;

  picture->full = picture->small = (RefinePicture) { g_object_ref (request->input), request->bounds, request->input_format };
  picture->factor = factor > 0 ? factor : factor_for (&request->bounds);
  if (picture->factor > 1)
    reduce (&picture->full, picture->factor, &picture->small);
  else
    g_object_ref (picture->small.buffer);
  points.input = picture->small.buffer;
  points.bounds = points.roi = picture->small.bounds;
  points.aux = points.output = NULL;
  settings.contrast_threshold = contrast_threshold;
  settings.max_features = MOST_POINTS;
  settings.upsample = (gdouble) points.bounds.width * points.bounds.height <= DOUBLE_PIXELS;
  done = sift_find (&points, &settings, TRUE, &list);
  keep_points (picture, &list);
  g_free (list.points);
  return done;
}

void
align_picture_clear (AlignPicture *picture)
{
  g_clear_object (&picture->full.buffer);
  g_clear_object (&picture->small.buffer);
  g_clear_pointer (&picture->places, g_free);
  g_clear_pointer (&picture->descriptors, g_free);
}

/* ---------------------------------------------------------------- transforms -- */

/* From places of the smaller pictures to those of the full ones. */
static void
enlarge (const AlignPicture *reference, const AlignPicture *moving, gdouble matrix[9])
{
  gdouble a[9], b[9];

  matrix_place (reference->factor, 0.5 * (reference->factor - 1), 0.5 * (reference->factor - 1), a);
  matrix_place (1.0 / moving->factor, -0.5 * (moving->factor - 1) / moving->factor,
                -0.5 * (moving->factor - 1) / moving->factor, b);
  matrix_multiply (matrix, b, matrix);
  matrix_multiply (a, matrix, matrix);
  matrix_normalize (matrix);
}

/* From places that begin with the bounds to GEGL's. */
static void
place_in_gegl (const GeglRectangle *reference, const GeglRectangle *moving, gdouble matrix[9])
{
  gdouble a[9], b[9];

  matrix_place (1.0, reference->x, reference->y, a);
  matrix_place (1.0, -moving->x, -moving->y, b);
  matrix_multiply (matrix, b, matrix);
  matrix_multiply (a, matrix, matrix);
  matrix_normalize (matrix);
}

gboolean
align_find (const TesseraRequest *like, const AlignPicture *reference, const AlignPicture *moving, const AlignSettings *settings, Consensus *found)
{
  const RefinePicture *a = &reference->small, *b = &moving->small;
  g_autofree Match    *matches = NULL;
  gboolean             is_near = FALSE;
  const gint           n = match_descriptors (like, reference->descriptors, reference->n, moving->descriptors, moving->n,
                                              settings->ratio, TRUE, &matches);

  if (n < 0)
    return FALSE;
  consensus_find (reference->places, moving->places, matches, n, settings->model, SEED, b->bounds.width, b->bounds.height,
                  a->bounds.width, a->bounds.height, NULL, found);
  if (! found->is_aligned)
    return TRUE;
  if (settings->refines)
    is_near = refine_far (a, b, settings->model, found->matrix);
  if (reference->factor * moving->factor > 1)
    {
      enlarge (reference, moving, found->matrix);
      found->error *= reference->factor;
      if (settings->refines && ! is_near)
        refine_far (&reference->full, &moving->full, settings->model, found->matrix);
    }
  if (settings->refines)
    refine_near (&reference->full, &moving->full, settings->model, found->matrix);
  place_in_gegl (&reference->full.bounds, &moving->full.bounds, found->matrix);
  return TRUE;
}
