/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path: a request on all threads, slab by slab.  For a filter with a `block`, a thread's area is computed in
 * blocks that fit the cache: each is read with its border, handed to the filter and written.
 */
#include "config.h"

#include "slabs.h"

#include <gegl-plugin.h>
#include <string.h>

#include "progress.h"

#define SLAB_PIXELS   (4 << 20)         /* rows at a time */
#define SPREAD_PIXELS (16 << 20)        /* ... for filters that spread their own work */
#define THREAD_COST   (64.0 * 64.0)     /* pixels below which another thread does not pay */
#define PART_SIDE     512               /* of a part that is timed, besides the halo's pixels */

#define BLOCK_WIDTH  256
#define BLOCK_HEIGHT 64
#define MOST_HEIGHT  128        /* unless the halo is higher */

/* ----------------------------------------------------------------- blocks -- */

/* The state that all blocks of an area share. */
typedef struct
{
  const TesseraRequest *request;
  gint                  in_floats, out_floats;          /* of a pixel */
  gfloat               *in, *out;
} Blocks;

/* Rows of `out` hold whole runs. */
static gsize
out_stride (const Blocks *work, gint width)
{
  const gint run = TESSERA_BLOCK_RUN;

  return work->in == work->out ? (gsize) work->in_floats * width
                               : (gsize) work->out_floats * ((width + run - 1) / run * run);
}

static void
compute_block (const Blocks *work, const GeglRectangle *roi)
{
  const TesseraRequest *request = work->request;
  const GeglRectangle   around = tessera_grow (roi, &request->halo);
  const gsize           n_in = (gsize) work->in_floats * around.width * around.height;
  const TesseraBlock    block = { .roi = *roi, .in = work->in, .in_stride = (gsize) work->in_floats * around.width,
                                  .out = work->out, .out_stride = out_stride (work, roi->width) };

  tessera_read_input (request, &around, work->in);
  memset (work->in + n_in, 0, (gsize) work->in_floats * TESSERA_BLOCK_RUN * sizeof (gfloat));
  request->filter->block (request, &block);
  tessera_write_output (request, roi, work->out, block.out_stride * sizeof (gfloat));
}

/* Large enough that the halo is the smaller part of the pixels read, if possible. */
static void
compute_blocks (const TesseraRequest *request, const GeglRectangle *area)
{
  const gint  across = request->halo.left + request->halo.right, down = request->halo.top + request->halo.bottom;
  const gint  width = MIN (area->width, MAX (BLOCK_WIDTH, across));
  const gint  height = MIN (area->height, CLAMP (2 * down, BLOCK_HEIGHT, MAX (MOST_HEIGHT, down)));
  Blocks      work = { .request = request,
                       .in_floats = babl_format_get_bytes_per_pixel (request->input_format) / sizeof (gfloat),
                       .out_floats = babl_format_get_bytes_per_pixel (request->output_format) / sizeof (gfloat) };
  const gsize n_in = tessera_pixels_around (request, width, height) + TESSERA_BLOCK_RUN;

  work.in = work.out = gegl_scratch_new (gfloat, work.in_floats * n_in);
  if (across + down > 0 || work.in_floats != work.out_floats)
    work.out = gegl_scratch_new (gfloat, (gsize) work.out_floats * (width + TESSERA_BLOCK_RUN) * height);
  for (gint y = area->y; y < area->y + area->height; y += height)
    for (gint x = area->x; x < area->x + area->width; x += width)
      compute_block (&work, GEGL_RECTANGLE (x, y, MIN (width, area->x + area->width - x),
                                            MIN (height, area->y + area->height - y)));
  if (work.out != work.in)
    gegl_scratch_free (work.out);
  gegl_scratch_free (work.in);
}

/* ------------------------------------------------------------------ slabs -- */

static void
compute_area (const GeglRectangle *area, gpointer data)
{
  const TesseraRequest *request = data;

  tessera_progress_mine ((guint64) area->width * area->height);
  if (request->filter->block)
    compute_blocks (request, area);
  else
    request->filter->area (request, area);
}

/* Rows at a time: so many that the halo is the smaller part; so few that the memory of a filter that
 * spreads its own work is bounded. */
static gint
slab_rows (const TesseraRequest *request)
{
  const TesseraFilter *filter = request->filter;
  const gint           halo = request->halo.top + request->halo.bottom, width = request->roi.width;

  if (filter->whole)
    return request->roi.height;
  return MAX (1, filter->spread ? MAX (SPREAD_PIXELS / width, 2 * halo) : MAX (SLAB_PIXELS / width, 8 * halo));
}

void
tessera_compute_all (const TesseraRequest *request)
{
  const GeglRectangle *roi = &request->roi;
  const gint           rows = slab_rows (request);
  TesseraRequest       slab = *request;

  for (gint y = 0; y < roi->height; y += slab.roi.height)
    {
      slab.roi.y = roi->y + y;
      slab.roi.height = roi->height - y < 2 * (gint64) rows ? roi->height - y : rows;       /* no thin last slab */
      tessera_progress_step ((gdouble) y / roi->height, (gdouble) (y + slab.roi.height) / roi->height, FALSE,
                             tessera_request_pixels (&slab));
      if (request->filter->spread)
        request->filter->spread (&slab);
      else
        gegl_parallel_distribute_area (&slab.roi, THREAD_COST, GEGL_SPLIT_STRATEGY_AUTO,
                                       compute_area, (gpointer) request);
    }
}

typedef struct
{
  const TesseraRequest *request;
  const TesseraSurvey  *survey;
  GMutex                lock;           /* guards the result */
} Surveying;

static void
survey_area (const GeglRectangle *area, gpointer data)
{
  Surveying           *surveying = data;
  const TesseraFilter *filter = surveying->request->filter;
  gpointer             part = g_malloc0 (surveying->survey->bytes);

  tessera_progress_mine ((guint64) area->width * area->height);
  filter->survey_area (surveying->request, area, part);
  g_mutex_lock (&surveying->lock);
  filter->merge (surveying->request, area, surveying->survey->result, part);
  g_mutex_unlock (&surveying->lock);
  g_free (part);
}

void
tessera_survey_all (const TesseraRequest *request, const TesseraSurvey *survey)
{
  Surveying surveying = { .request = request, .survey = survey };

  memset (survey->result, 0, survey->bytes);      /* the device may have written into it */
  tessera_progress_step (0.0, 1.0, TRUE, tessera_request_pixels (request));
  g_mutex_init (&surveying.lock);
  gegl_parallel_distribute_area (&request->roi, THREAD_COST, GEGL_SPLIT_STRATEGY_AUTO,
                                 survey_area, &surveying);
  g_mutex_clear (&surveying.lock);
}

/* ------------------------------------------------------------------- part -- */

gboolean
tessera_can_be_parted (const TesseraRequest *request)
{
  return ! request->filter->whole && ! request->filter->work && ! request->answer;
}

/* Large enough that the halo is the smaller part of what is read. */
static GeglRectangle
middle (const TesseraRequest *request)
{
  const GeglRectangle *roi = &request->roi;
  const TesseraHalo   *halo = &request->halo;
  const gint           width = MIN (roi->width, PART_SIDE + halo->left + halo->right);
  const gint           height = MIN (roi->height, PART_SIDE + halo->top + halo->bottom);

  return (GeglRectangle) { roi->x + (roi->width - width) / 2, roi->y + (roi->height - height) / 2, width, height };
}

gdouble
tessera_time_part (const TesseraRequest *request, const TesseraSurvey *survey, guint64 *pixels)
{
  const gint64        began = g_get_monotonic_time ();
  TesseraRequest      part = *request;
  g_autofree gpointer counted = survey ? g_malloc (survey->bytes) : NULL;

  part.roi = middle (request);
  *pixels = tessera_request_pixels (&part);
  if (survey)
    tessera_survey_all (&part, &(TesseraSurvey) { counted, survey->bytes });
  else
    {
      part.output = gegl_buffer_new (&part.roi, gegl_buffer_get_format (request->output));
      tessera_compute_all (&part);
      g_object_unref (part.output);
    }
  return (g_get_monotonic_time () - began) / 1e6;
}
