/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The C path: a request on all threads, slab by slab.
 */
#include "config.h"

#include "slabs.h"

#include <gegl-plugin.h>
#include <string.h>

#include "blocks.h"
#include "progress.h"

#define SLAB_PIXELS   (4 << 20)         /* rows at a time */
#define SPREAD_PIXELS (16 << 20)        /* ... for filters that spread their own work */
#define THREAD_COST   (64.0 * 64.0)     /* pixels below which another thread does not pay */

static void
compute_area (const GeglRectangle *area, gpointer data)
{
  const TesseraRequest *request = data;

  tessera_progress_mine ((guint64) area->width * area->height);
  if (request->filter->block)
    tessera_compute_blocks (request, area);
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
  filter->merge (surveying->request, surveying->survey->result, part);
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
