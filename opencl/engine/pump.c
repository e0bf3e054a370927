/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Plans a request in bands of rows that fit the memory and keeps some in flight:
 * the host reads band k+1 and writes band k-1 while the device uploads, runs and
 * downloads what is between.  An allocation that fails leads to fewer bands in
 * flight, then to lower ones.
 */
#include "config.h"

#include "pump.h"

#include <gegl-plugin.h>
#include <string.h>

#include "bands.h"
#include "passes.h"
#include "settings.h"
#include "speed.h"

#define LEAST_PIXELS  (384 * 1024)      /* of a band: below, a request is one band on one lane */
#define MANY_BANDS    4
#define MOST_IN_TILES 2                 /* so many times the pixels may come down for the sake of tiles */
#define SLICE         ((guint64) 4)      /* slices have at least so often the pixels that results in tiles have */
#define PARTS         840               /* of a band that is read in slices: any number of these divides it */
#define MOST_HALVINGS 4                 /* of a band that does not fit, then C */
#define MOST_PIXELS   (8 << 20)         /* of a band, unless its halo is higher than that */

#define BANDS_AHEAD   4

typedef struct
{
  Job        job;
  BandState *bands[BANDS_AHEAD];        /* in flight, oldest first */
  guint      n_bands;
  guint      ahead;                     /* how many there may be, at most BANDS_AHEAD */
  BandState *pending;                   /* the newest, until it is on its way, or NULL */
  BandState *sliced;                    /* that is being read slice by slice, or NULL */
  gint       submit_status;
  gboolean   one_lane;                  /* a request of one band */
  gint       least;                     /* rows below which bands cost more than C does */
  gint       tile_height;               /* of a row of tiles, if the result may go into some, ... */
  gsize      tiles_bytes;               /* ... and the bytes of it */
  gboolean   in_cut;                    /* those that the output's edge cuts below are ours too */
} Pump;

/* ------------------------------------------------------------------ plan -- */

static gboolean
fits_index (const TesseraRequest *request, gint rows)
{
  guint64 width = (guint64) request->roi.width + request->halo.left + request->halo.right;
  guint64 height = (guint64) rows + request->halo.top + request->halo.bottom;

  return width < G_MAXINT32 && height < G_MAXINT32 && width * height < G_MAXINT32 / 4;
}

/* Device memory of a band, the pixels as they travel included. */
static guint64
band_bytes (const Pump *pump, gint rows)
{
  const TesseraRequest *request = pump->job.request;
  const gint            width = request->roi.width;
  guint64               around = ((guint64) width + request->halo.left + request->halo.right)
                                 * ((guint64) rows + request->halo.top + request->halo.bottom);
  guint64               bytes = request->filter->device_bytes (request, width, rows)
                                + (pump->job.survey ? pump->job.survey->bytes : 0);

  if (pump->job.input.converts)
    bytes += around * pump->job.input.bytes + pump->job.input.table_bytes;
  if (request->aux && pump->job.aux.converts)
    bytes += around * pump->job.aux.bytes + pump->job.aux.table_bytes;
  if (pump->job.output.converts && ! pump->job.survey)
    bytes += (guint64) width * rows * pump->job.output.bytes + pump->job.output.table_bytes;
  if (pump->job.in_tiles)
    bytes += pump->tiles_bytes * ((rows + pump->tile_height - 1) / pump->tile_height + 1);
  return bytes;
}

/* The height of bands that keeps all stages busy: what their number costs the host
 * grows with it, what is left over at both ends of the pipeline shrinks. */
static gint
usual_rows (const Pump *pump)
{
  const TesseraRequest *request = pump->job.request;
  const guint64         pixels = tessera_request_pixels (request);
  const guint64         bytes = pixels * (pump->job.input.bytes + pump->job.output.bytes
                                          + (request->aux ? pump->job.aux.bytes : 0));
  guint                 bands = tessera_speed_bands (request->filter->name, tessera_request_kind (request),
                                               pixels, bytes);

  bands = CLAMP (bands, 1, MAX (1, pixels / LEAST_PIXELS));
  return (request->roi.height + bands - 1) / bands;
}

/* Of the host's memory, for a band. */
static guint64
pinned_bytes (const Pump *pump, gint rows)
{
  const TesseraRequest *request = pump->job.request;
  const guint64         around = ((guint64) request->roi.width + request->halo.left + request->halo.right)
                                 * ((guint64) rows + request->halo.top + request->halo.bottom);

  return around * (pump->job.input.bytes + (request->aux ? pump->job.aux.bytes : 0))
         + (pump->job.in_tiles ? 0 : (guint64) request->roi.width * rows * pump->job.output.bytes);
}

/* The band height: the usual, but large enough that the halo is a small part, low enough that
 * BANDS_AHEAD bands fit the budget, or at least one of a quarter of the halo's height;
 * where not even that fits, 0. */
static gint
choose_rows (Pump *pump)
{
  const TesseraRequest *request = pump->job.request;
  const guint64         budget = tessera_budget (pump->job.device);
  const gint            width = request->roi.width, height = request->roi.height;
  const gint            halo = request->halo.top + request->halo.bottom;
  const gint            least = request->filter->whole ? height : CLAMP (halo / 4, 1, height);
  gint                  rows = tessera_band_rows ();

  pump->ahead = BANDS_AHEAD;
  pump->least = least;
  if (rows == 0)
    rows = MAX (MIN (MAX (usual_rows (pump), 2 * halo), MOST_PIXELS / width), halo);
  rows = CLAMP (rows, request->filter->whole ? height : 1, height);
  while (rows > least && rows < height
         && (band_bytes (pump, rows) > budget / BANDS_AHEAD || ! fits_index (request, rows)))
    rows = MAX ((rows + 1) / 2, least);
  while (rows > least && (band_bytes (pump, rows) > budget || ! fits_index (request, rows)))
    rows = MAX ((rows + 1) / 2, least);
  while (pump->ahead > 1 && (band_bytes (pump, rows) > budget / pump->ahead
                             || pinned_bytes (pump, rows) > tessera_most_pinned () / pump->ahead))
    pump->ahead--;
  if (request->filter->whole && pinned_bytes (pump, height) > tessera_most_pinned ())
    return 0;
  return fits_index (request, rows) && band_bytes (pump, rows) <= budget ? rows : 0;
}

/* ----------------------------------------------------------------- bands -- */

/* Runs what has not, up to `band`, or all. */
static gint
run_before (Pump *pump, const BandState *band)
{
  gint status = 0;

  for (guint i = 0; i < pump->n_bands && pump->bands[i] != band && status == 0; i++)
    if (! pump->bands[i]->has_run)
      status = tessera_band_run (pump->bands[i]);
  return status;
}

/* Sends a band on its way.  Measured bands run one step later, when their measure has had
 * the time of a copy to come back, and before the next is sent, or they would wait for its upload. */
static gint
submit (Pump *pump, BandState *band)
{
  const gint64 began = g_get_monotonic_time ();
  gint         status = run_before (pump, band);

  if (status == 0)
    status = tessera_band_send (band);
  if (status == 0 && ! pump->job.request->filter->measure)
    status = tessera_band_run (band);
  pump->job.timings->submit += (g_get_monotonic_time () - began) / 1e6;
  return status;
}

static gint
submit_pending (Pump *pump)
{
  BandState *pending = g_steal_pointer (&pump->pending);

  return pending ? submit (pump, pending) : 0;
}

/* No more bands come: all run. */
static gint
submit_all (Pump *pump)
{
  gint status = submit_pending (pump);

  return status != 0 ? status : run_before (pump, NULL);
}

static void
submit_beside (gpointer data)
{
  Pump *pump = data;

  pump->submit_status = pump->pending ? submit_pending (pump) : tessera_band_send_ready (pump->sliced);
}

/* And submits the pending band, or what is ready of a sliced one, which takes one thread a while. */
static gint
do_copies (Pump *pump, TesseraCopy *copies, guint n)
{
  pump->submit_status = 0;
  tessera_copy (copies, n, pump->pending || pump->sliced ? submit_beside : NULL, pump);
  for (guint i = 0; i < n; i++)
    if (copies[i].writes)
      pump->job.timings->write += copies[i].seconds;
    else
      pump->job.timings->read += copies[i].seconds;
  return pump->submit_status;
}

/* Runs the oldest band if it has not, waits for it, and adds what is to be written. */
static gint
wait_for_oldest (Pump *pump, TesseraCopy *copies, guint *n)
{
  BandState *oldest = pump->bands[0];
  gint       status = oldest == pump->pending ? submit_pending (pump) : 0;

  if (status == 0 && ! oldest->has_run)
    status = tessera_band_run (oldest);
  return status != 0 ? status : tessera_band_wait (oldest, 0, copies, n);
}

static void
drop_oldest (Pump *pump)
{
  tessera_band_written (pump->bands[0]);
  tessera_band_free (pump->bands[0], TRUE);
  pump->n_bands--;
  memmove (pump->bands, pump->bands + 1, pump->n_bands * sizeof *pump->bands);
}

static gint
finish_oldest (Pump *pump)
{
  TesseraCopy copy;
  guint       n = 0;
  gint        status = wait_for_oldest (pump, &copy, &n);

  if (status == 0)
    status = do_copies (pump, &copy, n);
  for (guint slice = 1; status == 0 && slice < pump->bands[0]->n_slices; slice++)
    {
      n = 0;
      status = tessera_band_wait (pump->bands[0], slice, &copy, &n);
      if (status == 0)
        status = do_copies (pump, &copy, n);
    }
  if (status == 0)
    drop_oldest (pump);
  return status;                /* drop_bands frees what is left */
}

/* Where a slice ends, in PARTS of the rows: the last ones are shorter, since nothing is done beside the
 * upload of the very last. */
static gint
slice_end (gint from, gint slices)
{
  const gint usual = PARTS / slices, half = (PARTS - from + 1) / 2;
  const gint least = slices == MOST_SLICES ? usual / 4 : usual;

  return MIN (PARTS, from + CLAMP (half, least, usual));
}

/* Reads a band that is alone; what has been read is on its way meanwhile. */
static gint
read_in_slices (Pump *pump, BandState *band, const TesseraCopy *copies, guint n)
{
  gint status = 0;

  pump->sliced = band;
  for (gint from = 0, to; from < PARTS && status == 0; from = to)
    {
      TesseraCopy parts[TESSERA_MOST_COPIES];

      to = slice_end (from, pump->job.slices);
      for (guint i = 0; i < n; i++)
        {
          const gint top = (gint64) copies[i].rect.height * from / PARTS;
          const gint bottom = (gint64) copies[i].rect.height * to / PARTS;

          parts[i] = copies[i];
          parts[i].rect.y += top;
          parts[i].rect.height = bottom - top;
          parts[i].pixels += top * copies[i].row;
        }
      status = do_copies (pump, parts, n);
      for (guint i = 0; i < n; i++)
        *copies[i].ready = (parts[i].rect.y + parts[i].rect.height - copies[i].rect.y) * copies[i].row;
    }
  pump->sliced = NULL;
  return status;
}

/* Writes the oldest band, reads the new one and submits the one before at a time. */
static gint
push_band (Pump *pump, gint y, gint rows)
{
  TesseraCopy copies[TESSERA_MOST_COPIES];
  BandState  *state;
  gboolean    is_full = pump->n_bands >= pump->ahead;
  guint       n = 0, n_oldest;
  gint        status = 0, new_status, copy_status = 0;

  if (is_full && (status = wait_for_oldest (pump, copies, &n)) != 0)
    return status;
  n_oldest = n;
  new_status = tessera_band_prepare (&pump->job, y, rows, &state, copies, &n);
  if (new_status == 0 && n_oldest == 0 && pump->job.slices > 1)
    copy_status = read_in_slices (pump, state, copies, n);
  else if (new_status == 0 || is_full)
    copy_status = do_copies (pump, copies, new_status == 0 ? n : n_oldest);
  if (is_full)
    drop_oldest (pump);
  pump->bands[pump->n_bands++] = state;
  if (new_status == 0 && copy_status == 0)
    pump->pending = state;
  return new_status != 0 ? new_status : copy_status;
}

/* Drops the bands in flight after an error.  *y: the first row not written.  An error
 * if the device cannot even finish what was enqueued. */
static gint
drop_bands (Pump *pump, gint *y)
{
  gint status;

  if (pump->n_bands == 0)
    return 0;
  *y = pump->bands[0]->band.roi.y;
  pump->pending = NULL;
  status = tessera_queue_finish (pump->job.queue);
  while (pump->n_bands)
    tessera_band_free (pump->bands[--pump->n_bands], status == 0);
  return status;
}

/* What was delivered before a failure was computed by these kernels. */
static void
keep_unproven (Pump *pump)
{
  GPtrArray *more = pump->job.queue ? tessera_queue_unproven (pump->job.queue) : NULL;

  if (more && pump->job.timings->unproven)
    g_ptr_array_extend_and_steal (pump->job.timings->unproven, more);
  else if (more)
    pump->job.timings->unproven = more;
}

/* After a failure: tables that may not have come are brought anew, and lanes on which nothing may run any more
 * are exchanged. */
static gint
begin_anew (Pump *pump)
{
  gboolean idle;

  keep_unproven (pump);
  idle = tessera_queue_give (g_steal_pointer (&pump->job.queue), FALSE) == 0;

  tessera_tables_free (&pump->job, FALSE, idle);
  return tessera_queue_take (pump->job.device, pump->one_lane, pump->job.profiled, &pump->job.queue);
}

/* Are these last rows, in tiles that the output's edge cuts, worth a band? */
static gboolean
is_band (const Pump *pump, gint rows)
{
  return pump->job.in_tiles && pump->in_cut && rows >= pump->least
         && (guint64) rows * pump->job.request->roi.width >= tessera_tile_pixels ();
}

/* `rows` or a little less, so that the band ends where tiles of the output do.  Nothing is done beside
 * the end of the last band, so of many bands the last ones are half as high, and what remains of tiles
 * that are cut is the very last. */
static gint
band_height (const Pump *pump, gint y, gint rows)
{
  const GeglRectangle *roi = &pump->job.request->roi;
  const gint           left = roi->y + roi->height - y;
  const gboolean       many = roi->height > MANY_BANDS * (gint64) rows;
  gint                 tile, shift, start;

  if (many && left < 2 * rows)
    rows = (rows + 1) / 2;
  rows = MIN (rows, left);
  g_object_get (pump->job.request->output, "tile-height", &tile, "shift-y", &shift, NULL);
  start = tessera_tile_start (y + rows, tile, shift);
  return start > y && (rows < left || (many && is_band (pump, y + rows - start))) ? start - y : rows;
}

static gint
pump_bands (Pump *pump, gint rows)
{
  const TesseraRequest *request = pump->job.request;
  const gint            end = request->roi.y + request->roi.height;
  gint                  y = request->roi.y;
  gint                  status = 0;
  guint                 halved = 0;

  while (y < end || pump->n_bands)
    {
      if (y < end)
        {
          gint height = band_height (pump, y, rows);

          status = push_band (pump, y, height);
          y += height;
        }
      else if ((status = submit_all (pump)) == 0)
        status = finish_oldest (pump);
      if (status == 0)
        continue;
      if (drop_bands (pump, &y) != 0 || ! tessera_may_be_memory (status)
          || (pump->job.exact && (rows <= pump->least || halved == MOST_HALVINGS)) || begin_anew (pump) != 0)
        return status;
      pump->job.in_tiles = FALSE;
      if (pump->ahead > 1)
        pump->ahead = 1;        /* one band at a time may still fit */
      else if (! pump->job.exact)
        pump->job.exact = TRUE;
      else
        {
          rows = MAX ((rows + 1) / 2, pump->least);
          pump->job.slices = 1;
          halved++;
        }
    }
  return 0;
}

gint
tessera_pump (const TesseraRequest *request, const TesseraSurvey *survey, const TesseraDevice *device,
              TesseraProgram *program, TesseraProgram *engine_program, TesseraTimings *timings)
{
  TesseraTileGrid grid;
  Pump pump = { .job = { .request = request, .survey = survey, .device = device, .program = program,
                         .engine_program = engine_program, .timings = timings } };
  gint rows, status, end_status;

  pump.job.input = tessera_travel_tables (gegl_buffer_get_format (request->input), request->input_format, FALSE);
  pump.job.output = tessera_travel_tables (gegl_buffer_get_format (request->output), request->output_format, TRUE);
  if (request->aux)
    pump.job.aux = tessera_travel_tables (gegl_buffer_get_format (request->aux), request->aux_format, FALSE);
  pump.job.in_tiles = ! survey && tessera_tiles_plan (request->output, pump.job.output.format, &request->roi, &grid)
                  && (tessera_proof_takes_tiles ()
                      || (guint64) grid.all * grid.width * grid.height <= MOST_IN_TILES * tessera_request_pixels (request));
  if (pump.job.in_tiles)
    {
      pump.tile_height = grid.height;
      pump.tiles_bytes = (gsize) grid.across * grid.bytes;
      pump.in_cut = grid.ours.y + grid.ours.height > grid.whole.y + grid.whole.height;
    }
  timings->failed_at = "planning bands";
  rows = choose_rows (&pump);
  if (pump.job.in_tiles && rows < MIN (pump.tile_height, request->roi.height))
    {
      pump.job.in_tiles = FALSE;            /* no band would hold a whole one */
      rows = choose_rows (&pump);
    }
  if (rows == 0)
    return tessera_error_out_of_memory ();
  pump.job.slices = rows < request->roi.height || survey ? 1
                : CLAMP (tessera_request_pixels (request) / (SLICE * tessera_tile_pixels ()), 1, MOST_SLICES);
  timings->failed_at = "creating a queue";
  pump.job.profiled = tessera_profiling ()
                  || ! tessera_speed_settled (request->filter->name, tessera_request_kind (request),
                                             tessera_request_pixels (request));
  pump.one_lane = rows >= request->roi.height;
  status = tessera_queue_take (device, pump.one_lane, pump.job.profiled, &pump.job.queue);
  if (status != 0)
    return status;
  status = pump_bands (&pump, rows);
  drop_bands (&pump, &rows);
  keep_unproven (&pump);
  end_status = pump.job.queue ? tessera_queue_give (pump.job.queue, status == 0) : 0;
  tessera_tables_free (&pump.job, status == 0 && end_status == 0, end_status == 0);
  return status != 0 ? status : end_status;
}
