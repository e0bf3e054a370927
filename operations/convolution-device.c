/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:convolution on the device: global memory, staged in local memory, or two passes.
 *
 * The choice between the first two follows the tutorial on local memory (2016): staged only if copy + local
 * run < global run.  For one work-item and row of the input
 *
 *   global  columns * global_read
 *   staged  columns * local_read + (group + columns - 1) / group * copy + barriers / batch
 *
 * with the device's costs from a table of measurements, `batch` the rows that fit into
 * local memory at a time.
 */
#include "config.h"

#include "convolution.h"

#define GROUP        128                /* work-items, side by side */
#define STAGED_BYTES (16 << 10)         /* at most, so that several groups share a core's local memory */
#define PIXEL_BYTES  (4 * sizeof (gfloat))

/* Picoseconds that one work-item adds to the run of a busy device; only their ratios count.
 * `tools/case-study/case-study --costs` measures a row. */
typedef struct
{
  gboolean     is_processor, has_local;
  gdouble      global_read, local_read, copy, barriers;
  const gchar *measured;                /* on what, when */
} Costs;

static const Costs costs[] = {
  { TRUE,  FALSE, 847, 782, 2880, 6460, "PoCL 3.1 on two cores of Zen 4, 2026-11" },
  { FALSE, TRUE,  1.38, 1.411, 2.583, 0.04683, "NVIDIA H200, 2026-11" },
};

/* A device that nobody has measured takes the first row, which never stages. */
static const Costs *
device_costs (const TesseraDeviceTraits *device)
{
  for (guint i = 0; i < G_N_ELEMENTS (costs); i++)
    if (costs[i].is_processor == device->is_processor && costs[i].has_local == device->has_local)
      return &costs[i];
  return &costs[0];
}

/* The rows to stage at a time; 0: the global path. */
static gint
choose_batch (const TesseraBand *band, const Convolution *convolution)
{
  const TesseraDeviceTraits device = tessera_device_traits (band);
  const Costs  *cost = device_costs (&device);
  const gint    columns = convolution->columns, rows = convolution->rows + CONVOLUTION_STEP - 1;
  const gdouble across = GROUP + columns - 1;
  const gint    batch = MIN (rows, (gint) (MIN (device.local_bytes, STAGED_BYTES) / (across * PIXEL_BYTES)));
  const gdouble global = columns * cost->global_read;
  const gdouble copy = batch ? across / GROUP * cost->copy + cost->barriers / batch : 0.0;
  const gdouble local = columns * cost->local_read;
  const gboolean staged = tessera_takes_local (batch > 0, copy + local < global);

  if (band->roi.y == band->request->roi.y)
    tessera_say_path ("convolution: %dx%d, %s: copy %.1f + local run %.1f %s global run %.1f (ps a work-item and row, "
                      "groups of %d, %d rows at a time in %" G_GSIZE_FORMAT " KiB; costs of %s)",
                      convolution->rows, convolution->columns, staged ? "staged in local memory" : "global memory",
                      copy, local, ! batch ? "which do not fit," : copy + local < global ? "<" : ">=", global, GROUP, batch,
                      device.local_bytes >> 10, cost->measured);
  return staged ? batch : 0;
}

gsize
convolution_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Convolution *convolution = request->params;

  return convolution->in_two_passes ? separable_scratch_bytes (&convolution->two_pass, width, height)
                                    : sizeof convolution->stepped + sizeof convolution->full;
}

/* 0: no pixel is weighed. */
static gfloat
magnitudes_of (const Convolution *convolution)
{
  return convolution->is_weighed ? convolution->magnitudes : 0.0f;
}

/* Pixels that have an alpha, and those around them.  What lies beyond the image is no light already. */
static gint
weigh (TesseraBand *band)
{
  const TesseraImage *input = &band->input;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "convolution_weigh", .size = { input->width, input->height }, .group = { 32, 4 }, .cost = 1,
    .args = { ARG (input->memory), ARG (input->stride), ARG (input->width), ARG (input->height) }
  });
}

static gint
run_two_passes (TesseraBand *band, const Convolution *convolution)
{
  const gfloat *offset = convolution->offset;

  return separable_device (band, band->input.memory, &convolution->two_pass, "convolution_columns",
                           (TesseraArg[]) { FLOAT4_ARG (offset[0], offset[1], offset[2], offset[3]),
                                            ARG (convolution->copies_alpha), ARG (magnitudes_of (convolution)) }, 3);
}

gint
convolution_device (TesseraBand *band)
{
  const Convolution *convolution = band->request->params;
  const TesseraHalo *halo = &band->request->halo;
  const gfloat      *offset = convolution->offset;
  const gint         width = band->output.width, height = band->output.height;
  const gint         rows = convolution->rows + CONVOLUTION_STEP - 1, columns = convolution->columns;
  TesseraMemory     *weights, *full;
  gint               batch, status;

  if (convolution->is_weighed && tessera_has_alpha (band->request) && (status = weigh (band)) != 0)
    return status;
  if (convolution->in_two_passes)
    return run_two_passes (band, convolution);
  batch = choose_batch (band, convolution);
  status = tessera_table (band, convolution->stepped,
                          (gsize) rows * columns * CONVOLUTION_STEP * sizeof (gfloat), &weights);
  if (status == 0)
    status = tessera_table (band, convolution->full, rows * sizeof (gint), &full);
  if (status != 0)
    return status;

  TesseraLaunch launch = {
    .kernel = batch ? "convolution_staged" : "convolution_global",
    .size = { width, (height + CONVOLUTION_STEP - 1) / CONVOLUTION_STEP }, .group = { GROUP, 1 },
    .cost = (gdouble) CONVOLUTION_STEP * convolution->rows * columns,
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (band->output.x - halo->left - band->input.x),
              ARG (band->output.y - halo->top - band->input.y), ARG (halo->top * band->input.stride + halo->left),
              OUTPUT_ARGS (band), ARG (weights), ARG (full), ARG (rows), ARG (columns),
              FLOAT4_ARG (offset[0], offset[1], offset[2], offset[3]), ARG (convolution->copies_alpha),
              ARG (magnitudes_of (convolution)) }
  };

  if (batch)
    {
      launch.args[15] = LOCAL_ARG (batch * (GROUP + columns - 1) * PIXEL_BYTES);
      launch.args[16] = ARG (batch);
    }
  return tessera_launch (band, &launch);
}
