/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * How a request is cut into bands of rows.  Several at a time must fit the device's memory, and the host memory
 * that may be pinned.
 *
 * With n bands, the time of a request is the host's reading and writing, plus stages / n at the ends of the
 * pipeline, where nothing else happens, plus n times the host's time for a band's commands, and for a halo that
 * counts.  The least is at n = sqrt (stages / (submit + halo)).
 */
#include "config.h"

#include "plan.h"

#include <math.h>

#define BUS            4e10             /* bytes a second, up and down */
#define LAUNCH_READS   2e9              /* pixel reads that take a small GPU some 100 ms */
#define SMALL_UNITS    44               /* processors; one with more of them gets more to do */
#define SUBMIT_SECONDS 1.5e-4           /* of a band; H200, 2026-11, waking 16 threads included */

#define LEAST_PIXELS  (384 * 1024)      /* of a band; a smaller request is one band on one lane */
#define MANY_BANDS    4
#define MOST_IN_TILES 2                 /* download at most this many times the result's pixels for the sake of tiles */
#define SLICE         ((guint64) 4)     /* a slice has at least SLICE * tile_pixels pixels */
                                        /* Price: 1.4 (label, 24 Mpix; H200, 2026-11-22) */
#define MOST_HALVINGS 4                 /* of a band that does not fit; then C */
#define MOST_PIXELS   (8 << 20)         /* of a band, unless its halo needs more */

/* ---------------------------------------------------------------- memory -- */

static gboolean
fits_index (const TesseraRequest *request, gint rows)
{
  const guint64 width = (guint64) request->roi.width + request->halo.left + request->halo.right;
  const guint64 height = (guint64) rows + request->halo.top + request->halo.bottom;

  return width < G_MAXINT32 && height < G_MAXINT32 && width * height < G_MAXINT32 / 4;
}

/* Device memory of a band: its images as the passes see them, and the scratch memory of the passes. */
static guint64
working_bytes (const TesseraPlanBasis *basis, gint rows)
{
  const TesseraRequest *request = basis->request;
  const gint            width = request->roi.width;
  guint64               pixel = request->is_blind ? 0 : babl_format_get_bytes_per_pixel (request->input_format);
  guint64               bytes = basis->survey ? basis->survey->bytes : basis->output.bytes == 0 ? 0
                                : (guint64) width * rows * babl_format_get_bytes_per_pixel (request->output_format);

  if (request->aux)
    pixel += babl_format_get_bytes_per_pixel (request->aux_format);
  if (request->filter->scratch_bytes)
    bytes += request->filter->scratch_bytes (request, width, rows);
  return bytes + pixel * tessera_pixels_around (request, width, rows);
}

/* All device memory of a band: the pixels as they travel included. */
static guint64
band_bytes (const TesseraPlanBasis *basis, gboolean in_tiles, gint rows)
{
  const TesseraRequest *request = basis->request;
  const guint64         around = tessera_pixels_around (request, request->roi.width, rows);
  guint64               bytes = working_bytes (basis, rows);

  if (basis->input.converts)
    bytes += around * basis->input.bytes + basis->input.table_bytes;
  if (basis->aux.converts)
    bytes += around * basis->aux.bytes + basis->aux.table_bytes;
  if (basis->output.converts && ! basis->survey)
    bytes += (guint64) request->roi.width * rows * basis->output.bytes + basis->output.table_bytes;
  if (in_tiles)
    bytes += (guint64) basis->grid.across * basis->grid.bytes
             * ((rows + basis->grid.height - 1) / basis->grid.height + 1);
  return bytes;
}

/* Bytes that travel to the device for a pixel. */
static guint
bytes_in (const TesseraPlanBasis *basis)
{
  return (basis->is_there ? 0 : basis->input.bytes) + basis->aux.bytes;
}

/* Host memory for a band. */
static guint64
pinned_bytes (const TesseraPlanBasis *basis, gboolean in_tiles, gint rows)
{
  return tessera_pixels_around (basis->request, basis->request->roi.width, rows) * bytes_in (basis)
         + (in_tiles || basis->stays ? 0 : (guint64) basis->request->roi.width * rows * basis->output.bytes);
}

/* ------------------------------------------------------------------ plan -- */

/* The height of bands that keeps all stages busy, if each band reads and sends `again` rows of its neighbours. */
static gint
best_rows (const TesseraPlanBasis *basis, gint again)
{
  const TesseraRequest *request = basis->request;
  const guint           most = MAX (1, tessera_request_pixels (request) / LEAST_PIXELS), in = bytes_in (basis);
  const gdouble         stages = tessera_request_pixels (request) * (gdouble) (in + (basis->stays ? 0 : basis->output.bytes)) / BUS;
  const gdouble         band = SUBMIT_SECONDS + (gdouble) again * request->roi.width * in / BUS;
  const guint           bands = CLAMP ((guint) (sqrt (stages / band) + 0.5), 1, most);

  return (request->roi.height + bands - 1) / bands;
}

/* The same, but so high that the halo is a small part.  More than twice the halo has
 * Price: 1.1 (Gaussian blur of sigma 40, 24 Mpix; H200, 2026-11-23). */
static gint
usual_rows (const TesseraPlanBasis *basis)
{
  const TesseraRequest *request = basis->request;
  const gint            halo = request->halo.top + request->halo.bottom;
  gint                  rows = best_rows (basis, 0);

  if (rows < 2 * halo)
    rows = MAX (2 * halo, best_rows (basis, halo));
  return MAX (MIN (rows, MOST_PIXELS / request->roi.width), halo);
}

static gint
halved (gint rows, gint least)
{
  return MAX ((rows + 1) / 2, least);
}

/* Does one band fit the device, if there are `ahead` at a time? */
static gboolean
fits (const TesseraPlanBasis *basis, gboolean in_tiles, gint rows, guint ahead)
{
  return fits_index (basis->request, rows) && band_bytes (basis, in_tiles, rows) <= basis->budget / ahead;
}

/* So low that BANDS_AHEAD bands fit the budget, or at least one of a quarter of the halo's height. 0 if not even
 * that fits. */
static TesseraPlan
plan_rows (const TesseraPlanBasis *basis, gboolean in_tiles)
{
  const TesseraRequest *request = basis->request;
  const gint            height = request->roi.height, halo = request->halo.top + request->halo.bottom;
  const gboolean        whole = request->filter->whole;
  TesseraPlan           plan = { .ahead = BANDS_AHEAD, .in_tiles = in_tiles };
  gint                  rows;

  plan.least = whole ? height : CLAMP (halo / 4, 1, height);
  rows = CLAMP (basis->rows ? basis->rows : usual_rows (basis), whole ? height : 1, height);
  while (rows > plan.least && rows < height && ! fits (basis, in_tiles, rows, BANDS_AHEAD))
    rows = halved (rows, plan.least);
  while (rows > plan.least && ! fits (basis, in_tiles, rows, 1))
    rows = halved (rows, plan.least);
  while (plan.ahead > 1 && (band_bytes (basis, in_tiles, rows) > basis->budget / plan.ahead
                            || pinned_bytes (basis, in_tiles, rows) > basis->most_pinned / plan.ahead))
    plan.ahead--;
  if (fits (basis, in_tiles, rows, 1) && ! (whole && pinned_bytes (basis, in_tiles, rows) > basis->most_pinned))
    plan.rows = rows;
  return plan;
}

static guint
slices_of (const TesseraPlanBasis *basis, guint64 pixels)
{
  return CLAMP (pixels / (SLICE * basis->tile_pixels), 1, MOST_SLICES);
}

TesseraPlan
tessera_plan (const TesseraPlanBasis *basis)
{
  const TesseraTileGrid *grid = &basis->grid;
  const guint64          pixels = tessera_request_pixels (basis->request);
  const gint             height = basis->request->roi.height;
  const gboolean         may_be_tiles = grid->all > 0 && ! basis->survey && ! basis->stays
                                        && (guint64) grid->all * grid->width * grid->height <= MOST_IN_TILES * pixels;
  TesseraPlan            plan = plan_rows (basis, may_be_tiles);
  guint                  slices;

  if (plan.in_tiles && plan.rows < MIN (grid->height, height))
    plan = plan_rows (basis, FALSE);    /* no band would hold a whole tile */
  slices = plan.rows < height || basis->survey ? 1 : slices_of (basis, tessera_request_subject (basis->request));
  plan.slices = basis->is_there ? 1 : slices;
  plan.result_slices = MIN (slices, slices_of (basis, pixels));
  plan.one_lane = plan.rows >= height && ! (plan.slices > 1 && basis->request->filter->arrived);
  plan.tile_height = basis->tile_height;
  plan.tile_shift = basis->tile_shift;
  return plan;
}

/* First one band at a time, then memory to the byte, then lower bands. */
gboolean
tessera_plan_smaller (TesseraPlan *plan)
{
  if (plan->exact && (plan->rows <= plan->least || plan->halvings == MOST_HALVINGS))
    return FALSE;
  plan->in_tiles = FALSE;
  if (plan->ahead > 1)
    plan->ahead = 1;
  else if (! plan->exact)
    plan->exact = TRUE;
  else
    {
      plan->rows = halved (plan->rows, plan->least);
      plan->slices = plan->result_slices = 1;
      plan->halvings++;
    }
  return TRUE;
}

/* `rows` or a little less, so that the band ends where tiles of the output end.  Nothing else happens during
 * the end of the last band.  So the last of many bands are half as high.  Price: 1.1 (motion blur, 24 Mpix; H200, 2026-11-22). */
gint
tessera_plan_band (const TesseraPlan *plan, const GeglRectangle *roi, gint y)
{
  const gint     left = roi->y + roi->height - y;
  const gboolean many = roi->height > MANY_BANDS * (gint64) plan->rows;
  gint           rows = MIN (many && left < 2 * (gint64) plan->rows ? (plan->rows + 1) / 2 : plan->rows, left);
  const gint     start = tessera_tile_start (y + rows, plan->tile_height, plan->tile_shift);

  return start > y && rows < left ? start - y : rows;
}

/* Price: 1.4 (median blur of radius 40, 24 Mpix float, into a buffer; H100, 2026-11-27). */
gdouble
tessera_plan_reads (guint units)
{
  return LAUNCH_READS * CLAMP (units / (gdouble) SMALL_UNITS, 1.0, 4.0);
}

/* ----------------------------------------------------------------- tiles -- */

TesseraTileGrid
tessera_tile_grid (const GeglRectangle *rect, gint width, gint height, gint shift_x, gint shift_y, gint pixel)
{
  TesseraTileGrid grid = { .width = width, .height = height, .pixel = pixel, .bytes = width * height * pixel };

  grid.x = tessera_tile_start (rect->x, width, shift_x);
  grid.y = tessera_tile_start (rect->y, height, shift_y);
  grid.column = (grid.x + shift_x) / width;
  grid.row = (grid.y + shift_y) / height;
  grid.across = (rect->x + rect->width - 1 - grid.x) / width + 1;
  grid.down = (rect->y + rect->height - 1 - grid.y) / height + 1;
  grid.all = grid.across * grid.down;
  return grid;
}

GeglRectangle
tessera_tiles_area (const TesseraTileGrid *grid, const GeglRectangle *tiles)
{
  return (GeglRectangle) { grid->x + tiles->x * grid->width, grid->y + tiles->y * grid->height,
                           tiles->width * grid->width, tiles->height * grid->height };
}

gboolean
tessera_is_tile (const GeglRectangle *tiles, gint x, gint y)
{
  return x >= tiles->x && x < tiles->x + tiles->width && y >= tiles->y && y < tiles->y + tiles->height;
}

GeglRectangle
tessera_tiles_full (const TesseraTileGrid *grid, const GeglRectangle *inside, const GeglRectangle *outside)
{
  const gint inside_x = inside->x + inside->width, inside_y = inside->y + inside->height;
  const gint left = grid->x < inside->x && outside->x < inside->x;
  const gint top = grid->y < inside->y && outside->y < inside->y;
  const gint right = grid->across - (grid->x + grid->across * grid->width > inside_x
                                     && outside->x + outside->width > inside_x);
  const gint bottom = grid->down - (grid->y + grid->down * grid->height > inside_y
                                    && outside->y + outside->height > inside_y);

  return (GeglRectangle) { left, top, MAX (0, right - left), MAX (0, bottom - top) };
}

static GeglRectangle
rows_of (const GeglRectangle *tiles, gint top, gint bottom)
{
  const gint first = CLAMP (tiles->y, top, bottom), end = CLAMP (tiles->y + tiles->height, top, bottom);

  return (GeglRectangle) { tiles->x, first - top, tiles->width, end - first };
}

TesseraTileGrid
tessera_tiles_part (const TesseraTileGrid *grid, gint top, gint bottom)
{
  TesseraTileGrid part = *grid;

  part.y += top * grid->height;
  part.row += top;
  part.down = bottom - top;
  part.first += top * grid->across;
  part.whole = rows_of (&grid->whole, top, bottom);
  part.ours = rows_of (&grid->ours, top, bottom);
  return part;
}
