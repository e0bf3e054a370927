/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The band pump.  A request is cut into bands of rows that fit the memory.
 * For each band: read tiles (all threads) -> upload -> extend the border ->
 * passes -> download -> write tiles (all threads).  Commands are enqueued
 * without waiting, so the host reads band k+1 and writes band k-1 while the
 * device works on band k.  An allocation that fails halves the band height.
 */
#include "config.h"

#include "pump.h"

#include <gegl-plugin.h>
#include <string.h>

#define BAND_PIXELS   (2 << 20)         /* 32 MiB of RGBA float: large enough for PCIe */
#define MOST_PIXELS   (8 << 20)         /* for large halos; bounds the pinned memory too */
#define MAX_MEMORIES  32
#define MAX_TABLES    8
#define BANDS_AHEAD   3
#define LAUNCH_READS  2e9               /* pixel reads that a small GPU does in some 100 ms */
#define THREAD_COST   (64.0 * 64.0)     /* pixels below which a copy does not pay a thread */

typedef struct _Pump Pump;

typedef struct
{
  TesseraBand    band;                  /* first: passes get a pointer to it */
  Pump          *pump;
  TesseraMemory *memories[MAX_MEMORIES];
  guint          n_memories;
  TesseraMemory *result, *result_host;  /* of `measure` */
  gpointer       download_to;
  TesseraEvent  *uploaded, *measured, *downloaded;
  gboolean       has_run;
} BandState;

struct _Pump
{
  const TesseraRequest *request;
  const TesseraDevice  *device;
  TesseraProgram       *program, *engine_program;
  TesseraQueue         *queue;
  TesseraTimings       *timings;
  struct { gconstpointer data; TesseraMemory *memory; } tables[MAX_TABLES];
  guint                 n_tables;
  BandState            *bands[BANDS_AHEAD];     /* oldest first */
  guint                 n_bands;
  guint                 ahead;          /* bands in flight, at most BANDS_AHEAD */
};

/* ------------------------------------------------- what passes may call -- */

static gint
keep (BandState *state, gsize bytes, gboolean pinned, TesseraMemory **memory)
{
  gint status;

  if (state->n_memories == MAX_MEMORIES)
    return tessera_error_out_of_memory ();
  status = tessera_memory_take (state->pump->device, bytes, pinned, memory);
  if (status == 0)
    state->memories[state->n_memories++] = *memory;
  return status;
}

gint
tessera_scratch (TesseraBand *band, gsize bytes, TesseraMemory **memory)
{
  return keep ((BandState *) band, bytes, FALSE, memory);
}

gint
tessera_clear (TesseraBand *band, TesseraMemory *memory, gsize bytes)
{
  return tessera_enqueue_clear (((BandState *) band)->pump->queue, memory, bytes);
}

gint
tessera_table (TesseraBand *band, gconstpointer data, gsize bytes, TesseraMemory **memory)
{
  Pump *pump = ((BandState *) band)->pump;
  gint  status;

  for (guint i = 0; i < pump->n_tables; i++)
    if (pump->tables[i].data == data)
      {
        *memory = pump->tables[i].memory;
        return 0;
      }
  if (pump->n_tables == MAX_TABLES)
    return tessera_error_out_of_memory ();
  status = tessera_memory_take (pump->device, bytes, FALSE, memory);
  if (status != 0)
    return status;
  status = tessera_enqueue_upload (pump->queue, *memory, 0, data, bytes, NULL);
  if (status != 0)
    {
      tessera_memory_give (*memory);
      return status;
    }
  pump->tables[pump->n_tables].data = data;
  pump->tables[pump->n_tables++].memory = *memory;
  return 0;
}

static void
set_raw_args (const TesseraArg *args, gpointer *objects, TesseraRawArg *raw, guint *n)
{
  for (*n = 0; *n < TESSERA_MAX_ARGS && args[*n].kind != TESSERA_ARG_END; (*n)++)
    {
      const TesseraArg *arg = &args[*n];

      switch (arg->kind)
        {
        case TESSERA_ARG_MEMORY:
          objects[*n] = arg->v.memory ? tessera_memory_object (arg->v.memory) : NULL;
          raw[*n] = (TesseraRawArg) { sizeof (gpointer), &objects[*n] };
          break;
        case TESSERA_ARG_LOCAL:
          raw[*n] = (TesseraRawArg) { arg->v.bytes, NULL };
          break;
        case TESSERA_ARG_FLOAT4:
          raw[*n] = (TesseraRawArg) { sizeof arg->v.f4, arg->v.f4 };
          break;
        case TESSERA_ARG_INT:
        case TESSERA_ARG_FLOAT:
        case TESSERA_ARG_END:
          raw[*n] = (TesseraRawArg) { 4, &arg->v };
          break;
        }
    }
}

/* The group of a launch that names none.  It is fixed, because some drivers
 * (PoCL) compile a kernel anew for each group size that they meet; what a device
 * cannot take is halved where the kernel is known, in program.c. */
static void
choose_group (const TesseraLaunch *launch, gsize group[3])
{
  const gboolean is_flat = launch->size[1] <= 1 && launch->size[2] <= 1;

  for (gint d = 0; d < 3; d++)
    group[d] = launch->group[0] ? MAX (launch->group[d], 1)
               : d == 0 ? (is_flat ? 64 : 16) : d == 1 ? (is_flat ? 1 : 4) : 1;
}

static gint
launch_program (const Pump *pump, TesseraProgram *program, const TesseraLaunch *launch)
{
  TesseraRawArg raw[TESSERA_MAX_ARGS];
  gpointer      objects[TESSERA_MAX_ARGS];
  gsize         offset[3] = { 0 }, size[3], group[3];
  gsize         last_size, step;
  gdouble       cost = MAX (launch->cost, 1.0);
  gint          last = 2, status = 0;
  guint         n;

  set_raw_args (launch->args, objects, raw, &n);
  choose_group (launch, group);
  for (gint d = 0; d < 3; d++)
    {
      size[d] = (MAX (launch->size[d], 1) + group[d] - 1) / group[d] * group[d];
      cost *= size[d];
    }
  while (last > 0 && size[last] == group[last])
    last--;
  last_size = size[last];
  step = MAX (1, (gsize) (last_size / MAX (1.0, cost / LAUNCH_READS)));
  step = (step + group[last] - 1) / group[last] * group[last];
  for (gsize done = 0; done < last_size && status == 0; done += step)
    {
      size[last] = MIN (step, last_size - done);
      status = tessera_program_launch (program, pump->queue, launch->kernel, offset, size, group, raw, n);
      offset[last] += step;
    }
  return status;
}

gint
tessera_launch (TesseraBand *band, const TesseraLaunch *launch)
{
  Pump *pump = ((BandState *) band)->pump;

  return launch_program (pump, pump->program, launch);
}

/* --------------------------------------------------------- tile copies -- */

typedef struct
{
  GeglBuffer          *buffer;
  const Babl          *format;
  guchar              *pixels;          /* of rect's first pixel */
  gsize                row;
  const GeglRectangle *rect;
} Copy;

static guchar *
copy_place (const Copy *copy, const GeglRectangle *area)
{
  return copy->pixels + (area->y - copy->rect->y) * copy->row
         + (area->x - copy->rect->x) * (gsize) babl_format_get_bytes_per_pixel (copy->format);
}

static void
read_area (const GeglRectangle *area, gpointer data)
{
  const Copy *copy = data;

  gegl_buffer_get (copy->buffer, area, 1.0, copy->format, copy_place (copy, area), copy->row,
                   GEGL_ABYSS_NONE);
}

static void
write_area (const GeglRectangle *area, gpointer data)
{
  const Copy *copy = data;

  gegl_buffer_set (copy->buffer, area, 0, copy->format, copy_place (copy, area), copy->row);
}

/* --------------------------------------------------------------- stages -- */

static TesseraImage
image_for (const GeglRectangle *rect, const Babl *format)
{
  return (TesseraImage) { rect->x, rect->y, rect->width, rect->height, rect->width,
                          babl_format_get_n_components (format), NULL };
}

static gsize
image_bytes (const TesseraImage *image)
{
  return (gsize) image->stride * image->height * image->components * sizeof (gfloat);
}

static gint
extend (BandState *state, const TesseraImage *image, const GeglRectangle *part, TesseraBorder border)
{
  Pump       *pump = state->pump;
  const gsize left = part->x - image->x, right = left + part->width;
  const gsize top = part->y - image->y, bottom = top + part->height;
  const gsize rims[4][4] = {            /* x, y, width, height */
    { 0, 0, image->width, top },
    { 0, bottom, image->width, image->height - bottom },
    { 0, top, left, part->height },
    { right, top, image->width - right, part->height }
  };
  gint status = 0;

  for (gint i = 0; i < 4 && status == 0; i++)
    if (rims[i][2] && rims[i][3])
      status = launch_program (pump, pump->engine_program, &(TesseraLaunch) {
        .kernel = "extend_pixels",
        .size = { rims[i][2], rims[i][3] },
        .args = { TESSERA_MEMORY_ARG (image->memory), TESSERA_INT_ARG (image->components),
                  TESSERA_INT_ARG (image->stride),
                  TESSERA_INT_ARG (rims[i][0]), TESSERA_INT_ARG (rims[i][1]),
                  TESSERA_INT_ARG (rims[i][0] + rims[i][2]), TESSERA_INT_ARG (rims[i][1] + rims[i][3]),
                  TESSERA_INT_ARG (left), TESSERA_INT_ARG (top),
                  TESSERA_INT_ARG (right), TESSERA_INT_ARG (bottom),
                  TESSERA_INT_ARG (border == TESSERA_BORDER_NONE) }
      });
  return status;
}

/* Reads what `image` covers and sends it to the device, border included. */
static gint
bring (BandState *state, GeglBuffer *buffer, const Babl *format, const GeglRectangle *bounds,
       TesseraBorder border, TesseraImage *image)
{
  Pump          *pump = state->pump;
  GeglRectangle  rect = { image->x, image->y, image->width, image->height };
  GeglRectangle  part = rect;
  gsize          pixel = image->components * sizeof (gfloat);
  gsize          row = image->stride * pixel;
  TesseraMemory *staging;
  gint64         began;
  guchar        *pixels;
  gint           status;
  gboolean       inside = gegl_rectangle_is_infinite_plane (bounds)
                          || gegl_rectangle_contains (bounds, &rect);
  gboolean       on_host = ! inside && (border == TESSERA_BORDER_LOOP
                                        || ! gegl_rectangle_intersect (&part, &rect, bounds));

  pump->timings->failed_at = "allocating";
  if ((status = keep (state, image_bytes (image), FALSE, &image->memory)) != 0
      || (status = keep (state, image_bytes (image), TRUE, &staging)) != 0)
    return status;

  pixels = tessera_memory_pointer (staging);
  began = g_get_monotonic_time ();
  if (on_host)
    {
      part = rect;
      tessera_read (buffer, &rect, bounds, border, format, (gfloat *) pixels);
    }
  else
    {
      Copy copy = { buffer, format, pixels + (part.y - rect.y) * row + (part.x - rect.x) * pixel,
                    row, &part };

      gegl_parallel_distribute_area (&part, THREAD_COST, GEGL_SPLIT_STRATEGY_AUTO, read_area, &copy);
    }
  pump->timings->read += (g_get_monotonic_time () - began) / 1e6;

  pump->timings->failed_at = "uploading";
  status = tessera_enqueue_upload (pump->queue, image->memory, (part.y - rect.y) * row,
                                   pixels + (part.y - rect.y) * row, part.height * row,
                                   state->uploaded ? NULL : &state->uploaded);
  if (status == 0 && ! gegl_rectangle_equal (&part, &rect))
    status = extend (state, image, &part, border);
  return status;
}

static gint
begin_band (Pump *pump, gint y, gint rows, BandState **result)
{
  const TesseraRequest *request = pump->request;
  const TesseraFilter  *filter = request->filter;
  BandState            *state = g_new0 (BandState, 1);
  TesseraBand          *band = &state->band;
  GeglRectangle         around;
  gint                  status;

  *result = state;
  state->pump = pump;
  band->request = request;
  band->roi = (GeglRectangle) { request->roi.x, y, request->roi.width, rows };
  around = tessera_grow (&band->roi, &request->halo);
  band->input = image_for (&around, request->input_format);
  status = bring (state, request->input, request->input_format, &request->bounds, request->border,
                  &band->input);
  if (status == 0 && request->aux)
    {
      band->aux = image_for (&around, request->aux_format);
      status = bring (state, request->aux, request->aux_format, &request->aux_bounds,
                      TESSERA_BORDER_CLAMP, &band->aux);
    }
  if (status != 0 || ! filter->measure)
    return status;

  pump->timings->failed_at = "measuring";
  if ((status = keep (state, filter->measure_bytes, FALSE, &state->result)) != 0
      || (status = keep (state, filter->measure_bytes, TRUE, &state->result_host)) != 0
      || (status = filter->measure (band, state->result)) != 0)
    return status;
  status = tessera_enqueue_download (pump->queue, state->result,
                                     tessera_memory_pointer (state->result_host),
                                     filter->measure_bytes, &state->measured);
  tessera_queue_flush (pump->queue);
  return status;
}

static gint
run_band (Pump *pump, BandState *state)
{
  TesseraBand   *band = &state->band;
  TesseraMemory *staging;
  gint           status;

  state->has_run = TRUE;
  if (state->measured)
    {
      pump->timings->failed_at = "measuring";
      status = tessera_event_finish (state->measured, NULL, NULL);
      state->measured = NULL;
      if (status != 0)
        return status;
      band->measured = tessera_memory_pointer (state->result_host);
    }
  pump->timings->failed_at = "allocating";
  band->output = image_for (&band->roi, pump->request->output_format);
  if ((status = keep (state, image_bytes (&band->output), FALSE, &band->output.memory)) != 0
      || (status = keep (state, image_bytes (&band->output), TRUE, &staging)) != 0)
    return status;
  state->download_to = tessera_memory_pointer (staging);
  pump->timings->failed_at = "running";
  if ((status = pump->request->filter->device (band)) != 0)
    return status;
  pump->timings->failed_at = "downloading";
  status = tessera_enqueue_download (pump->queue, band->output.memory, state->download_to,
                                     image_bytes (&band->output), &state->downloaded);
  tessera_queue_flush (pump->queue);
  return status;
}

static gint
finish_band (Pump *pump, BandState *state)
{
  TesseraTimings *timings = pump->timings;
  guint64         up_began = 0, up_ended = 0, down_began = 0, down_ended = 0;
  gint64          began;
  gint            status;
  Copy            copy = { pump->request->output, pump->request->output_format, state->download_to,
                           (gsize) state->band.output.stride * state->band.output.components
                           * sizeof (gfloat), &state->band.roi };

  timings->failed_at = "running";
  status = tessera_event_finish (state->uploaded, &up_began, &up_ended);
  state->uploaded = NULL;
  if (status == 0)
    status = tessera_event_finish (state->downloaded, &down_began, &down_ended);
  else
    tessera_event_finish (state->downloaded, NULL, NULL);
  state->downloaded = NULL;
  if (status != 0)
    return status;
  timings->upload += (up_ended - up_began) / 1e9;
  timings->run += (down_began - up_ended) / 1e9;
  timings->download += (down_ended - down_began) / 1e9;

  began = g_get_monotonic_time ();
  gegl_parallel_distribute_area (&state->band.roi, THREAD_COST, GEGL_SPLIT_STRATEGY_AUTO,
                                 write_area, &copy);
  timings->write += (g_get_monotonic_time () - began) / 1e6;
  timings->bands++;
  if (pump->request->roi.height > state->band.roi.height)
    gegl_operation_progress (pump->request->operation,
                             (gdouble) (state->band.roi.y + state->band.roi.height
                                        - pump->request->roi.y) / pump->request->roi.height,
                             (gchar *) "");
  tessera_count (bands, 1);
  return 0;
}

/* Waits for a band's commands, whatever became of them, and frees it. */
static void
free_band (BandState *state)
{
  TesseraEvent *events[] = { state->uploaded, state->measured, state->downloaded };

  for (guint i = 0; i < G_N_ELEMENTS (events); i++)
    if (events[i])
      tessera_event_finish (events[i], NULL, NULL);
  for (guint i = 0; i < state->n_memories; i++)
    tessera_memory_give (state->memories[i]);
  g_free (state);
}

/* ----------------------------------------------------------------- bands -- */

static gint
finish_oldest (Pump *pump)
{
  BandState *state = pump->bands[0];
  gint       status = 0;

  if (! state->has_run)
    status = run_band (pump, state);
  if (status == 0)
    status = finish_band (pump, state);
  if (status != 0)
    return status;              /* free_pump frees what is left */
  free_band (state);
  pump->n_bands--;
  memmove (pump->bands, pump->bands + 1, pump->n_bands * sizeof *pump->bands);
  return 0;
}

/* Begins the band and runs what can run; measured bands run one step later,
 * when their measure has had the time of a tile copy to come back. */
static gint
push_band (Pump *pump, gint y, gint rows)
{
  BandState *state;
  gint       status;

  while (pump->n_bands >= pump->ahead)
    if ((status = finish_oldest (pump)) != 0)
      return status;
  status = begin_band (pump, y, rows, &state);
  pump->bands[pump->n_bands++] = state;
  for (guint i = 0; i < pump->n_bands && status == 0; i++)
    if (! pump->bands[i]->has_run && (! pump->request->filter->measure || i + 1 < pump->n_bands))
      status = run_band (pump, pump->bands[i]);
  return status;
}

static gboolean
fits_index (const TesseraRequest *request, gint rows)
{
  guint64 width = (guint64) request->roi.width + request->halo.left + request->halo.right;
  guint64 height = (guint64) rows + request->halo.top + request->halo.bottom;

  return width < G_MAXINT32 && height < G_MAXINT32 && width * height < G_MAXINT32 / 4;
}

/* The band height: large enough that the halo is a small part, low enough that
 * BANDS_AHEAD bands fit the budget, or at least one.  Bands much lower than their
 * halo cost more than C does: then, and where not even one fits, 0. */
static gint
choose_rows (Pump *pump)
{
  const TesseraRequest *request = pump->request;
  const guint64         budget = tessera_budget (pump->device) / 9 * 8;     /* sizes are rounded up */
  const gint            width = request->roi.width;
  const gint            halo = request->halo.top + request->halo.bottom;
  const gint            least = CLAMP (halo / 4, 1, request->roi.height);
  gint                  rows = tessera_band_rows ();

  pump->ahead = BANDS_AHEAD;
  if (rows == 0)
    rows = MAX (BAND_PIXELS / width, MIN (4 * halo, MOST_PIXELS / width));
  rows = CLAMP (rows, 1, request->roi.height);
  while (rows > least && (request->filter->device_bytes (request, width, rows) > budget / BANDS_AHEAD
                          || ! fits_index (request, rows)))
    rows = MAX ((rows + 1) / 2, least);
  while (pump->ahead > 1 && request->filter->device_bytes (request, width, rows) > budget / pump->ahead)
    pump->ahead--;
  return fits_index (request, rows)
         && request->filter->device_bytes (request, width, rows) <= budget ? rows : 0;
}

/* Drops the bands in flight after an error; returns the first row not written. */
static gint
drop_bands (Pump *pump, gint y)
{
  if (pump->n_bands)
    {
      y = pump->bands[0]->band.roi.y;
      tessera_queue_finish (pump->queue);
    }
  while (pump->n_bands)
    free_band (pump->bands[--pump->n_bands]);
  return y;
}

static gint
pump_bands (Pump *pump)
{
  const TesseraRequest *request = pump->request;
  const gint            end = request->roi.y + request->roi.height;
  gint                  rows = choose_rows (pump);
  gint                  y = request->roi.y;
  gint                  status = 0;

  pump->timings->failed_at = "planning bands";
  if (rows == 0)
    return tessera_error_out_of_memory ();
  while (y < end || pump->n_bands)
    {
      if (y < end)
        {
          gint height = MIN (rows, end - y);

          status = push_band (pump, y, height);
          y += height;
        }
      else
        status = finish_oldest (pump);
      if (status == 0)
        continue;
      y = drop_bands (pump, y);
      if (! tessera_is_out_of_memory (status) || (rows == 1 && pump->ahead == 1))
        return status;
      if (pump->ahead > 1)
        pump->ahead = 1;        /* one band at a time may still fit */
      else
        rows = (rows + 1) / 2;
    }
  return 0;
}

gint
tessera_pump (const TesseraRequest *request, const TesseraDevice *device,
              TesseraProgram *program, TesseraProgram *engine_program, TesseraTimings *timings)
{
  Pump pump = { .request = request, .device = device, .program = program,
                .engine_program = engine_program, .timings = timings };
  gint status;

  timings->failed_at = "creating a queue";
  status = tessera_queue_take (device, &pump.queue);
  if (status != 0)
    return status;
  status = pump_bands (&pump);
  drop_bands (&pump, 0);
  {
    gint end_status = tessera_queue_give (pump.queue, status == 0);

    if (status == 0)
      status = end_status;
  }
  for (guint i = 0; i < pump.n_tables; i++)
    tessera_memory_give (pump.tables[i].memory);
  return status;
}
