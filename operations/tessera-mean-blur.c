/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:mean-blur: the mean of the (2r+1)^2 pixels of a box,
 * out(x, y) = 1/n^2 sum of I(x + i, y + j), |i|, |j| <= r, n = 2r + 1.
 *
 * Pairwise doubling: S_1 = I, S_2k(x) = S_k(x) + S_k(x + k); the sum of n pixels is that of S_k at
 * successive places for the binary digits k of n, the smallest first: log2 n additions deep,
 * about 2 log2 n of them a pixel and axis.  Rows first, then columns, each divided by n.
 * (W. D. Hillis, G. L. Steele, Data Parallel Algorithms, CACM 29(12), 1986.)
 *
 * Deviations: sums are divided at the end of each axis, so values above FLT_MAX / (2r + 1)
 * overflow.  NaN and Inf follow the arithmetic within the box.
 */
#include "config.h"
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_int (radius, _("Radius"), 4)
    description (_("Pixels on each side of the middle one that are averaged; 0 leaves the image as it is"))
    value_range (0, 1000)
    ui_range    (0, 100)
    ui_gamma    (1.5)
    ui_steps    (1, 10)
    ui_meta     ("unit", "pixel-distance")

property_enum (border, _("Border"), TesseraBorder, tessera_border, TESSERA_BORDER_CLAMP)
    description (_("What lies beyond the edge: the nearest pixel, nothing (the image grows and fades), "
                   "or the image again"))

#else

#define GEGL_OP_NAME     tessera_mean_blur
#define GEGL_OP_C_SOURCE tessera-mean-blur.c

#include "tessera-op.h"
#include "roll.h"

#include "mean-blur.cl.h"

#define LANE_FLOATS 16          /* of the widest registers */
#define COLUMNS     32          /* floats of a row whose columns are summed at once */

typedef struct
{
  gint   radius;
  gfloat scale;                 /* 1 / (2 radius + 1) */
} Params;

/* --------------------------------------------------------------- C sums -- */

#define LANES_LOOPS "mean-blur-loops.h"
#include "lanes.h"

/* -------------------------------------------------------------- C passes -- */

static void
sum_along (const RollBlock *block, gconstpointer data)
{
  const Params *params = data;
  const gint    n = 2 * params->radius + 1, around = block->roi.width + n - 1;
  tessera_autoscratch gfloat *line = gegl_scratch_new0 (gfloat, 4 * around + LANE_FLOATS);

  for (gint y = 0; y < block->roi.height; y++)
    {
      memcpy (line, block->in + y * block->in_stride - 4 * params->radius, 4 * around * sizeof (gfloat));
      LANES_BEST (sum_line) (line, 4, n, block->out + y * block->out_stride, 4 * block->roi.width, params->scale);
    }
}

static void
sum_down (const RollBlock *block, gconstpointer data)
{
  const Params *params = data;
  const gint    n = 2 * params->radius + 1, rows = block->roi.height, around = rows + n - 1;
  const gfloat *in = block->in - params->radius * block->in_stride;
  tessera_autoscratch gfloat *line = gegl_scratch_new0 (gfloat, COLUMNS * (around + rows) + 2 * LANE_FLOATS);
  gfloat       *total = line + COLUMNS * around + LANE_FLOATS;

  for (gint x = 0; x < 4 * block->roi.width; x += COLUMNS)
    {
      for (gint row = 0; row < around; row++)
        memcpy (line + row * COLUMNS, in + row * block->in_stride + x, COLUMNS * sizeof (gfloat));
      LANES_BEST (sum_line) (line, COLUMNS, n, total, (gsize) rows * COLUMNS, params->scale);
      for (gint row = 0; row < rows; row++)
        memcpy (block->out + row * block->out_stride + x, total + row * COLUMNS, COLUMNS * sizeof (gfloat));
    }
}

static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Params *params = request->params;
  const gint    radius = params->radius;
  Roll          roll = {
    .n = 3, .in_place = TRUE,
    .passes = { { .floats = 4, .make = roll_read, .data = request },
                { { radius, 0, radius, 0 }, 4, sum_along, params },
                { { 0, radius, 0, radius }, 4, sum_down, params } }
  };

  roll_area (&roll, request, area);
}

/* ---------------------------------------------------------------- device -- */

/* Sums, sums doubled (twice if there are more than two rounds), rows summed. */
static gsize
mean_blur_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const Params *params = request->params;
  const gint    n = 2 * params->radius + 1;
  const gsize   rows = (gsize) width * (height + 2 * params->radius);

  return (tessera_pixels_around (request, width, height) * ((n >= 32) + (n >= 512)) + rows) * 4 * sizeof (gfloat);
}

/* One axis, from `from` (stride pixels a row, width x height of sums) to `to` (width x height). */
static gint
sum_axis (TesseraBand *band, TesseraMemory *from, gint stride, gint step, TesseraMemory *to, gint width,
          gint height, TesseraMemory *const spare[2])
{
  const Params  *params = band->request->params;
  const gint     n = 2 * params->radius + 1;
  TesseraMemory *sums = from;
  gint           skip = 0, round = 0, status = 0;

  for (gint k = 1; k <= n; round++)
    {
      const gboolean is_last = n / k < 32;
      const gint     digits = n / k & (is_last ? 31 : 15);
      const gint     more = is_last ? 0 : n - 16 * k;
      const gint     next_width = is_last ? 0 : width + (step == 1 ? more : 0);
      const gint     next_height = is_last ? 0 : height + (step == 1 ? 0 : more);

      status = tessera_launch (band, &(TesseraLaunch) {
        .kernel = "mean_sums", .size = { MAX (width, next_width), MAX (height, next_height) }, .group = { 32, 8 },
        .cost = digits + (is_last ? 0 : 16),
        .args = { ARG (sums), ARG (stride), ARG (k * step), ARG (is_last ? to : spare[round % 2]), ARG (next_width),
                  ARG (next_height), ARG (to), ARG (width), ARG (height), ARG (skip * step), ARG (digits),
                  ARG ((round == 0) + 2 * is_last), ARG (params->scale) }
      });
      sums = spare[round % 2];
      skip += digits * k;
      k = is_last ? n + 1 : 16 * k;
    }
  return status;
}

static gint
mean_blur_device (TesseraBand *band)
{
  const Params  *params = band->request->params;
  const gsize    bytes = (gsize) band->input.stride * band->input.height * 4 * sizeof (gfloat);
  const gint     n = 2 * params->radius + 1;
  const gint     width = band->output.width, height = band->output.height;
  TesseraMemory *spare[2] = { NULL, NULL }, *rows;

  if (n >= 32)
    tessera_scratch (band, bytes, &spare[0]);
  if (n >= 512)
    tessera_scratch (band, bytes, &spare[1]);
  tessera_scratch (band, (gsize) width * band->input.height * 4 * sizeof (gfloat), &rows);
  sum_axis (band, band->input.memory, band->input.stride, 1, rows, width, band->input.height, spare);
  return sum_axis (band, rows, width, width, band->output.memory, width, height, spare);
}

static const TesseraFilter mean_blur = {
  .name = "mean-blur", .source = tessera_mean_blur_cl, .area = blur_area, .scratch_bytes = mean_blur_scratch_bytes,
  .device = mean_blur_device
};

/* ------------------------------------------------------------- operation -- */

static TesseraHalo
find_halo (const GeglProperties *o)
{
  return (TesseraHalo) { o->radius, o->radius, o->radius, o->radius };
}

static gboolean
neutral (const GeglProperties *o)
{
  return o->radius == 0;
}

static gboolean
run (TesseraRequest *request, const GeglProperties *o)
{
  const Params         params = { o->radius, (gfloat) (1.0 / (2 * o->radius + 1)) };

  request->params = &params;
  return tessera_process (request);
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  tessera_operation_describe (klass, &(TesseraOperationInfo) {
    .name = "tessera:mean-blur", .title = _("Mean Blur"), .categories = "blur",
    .description = _("Box blur: each pixel becomes the average of the square around it, at any radius in about the same "
                     "time"),
    .reference = "Hillis & Steele, Data Parallel Algorithms, CACM 29(12), 1986",
    .menu_path = "<Image>/Filters/Blur", .menu_label = _("Mean Blur (Tessera)..."),
    .filter = &mean_blur, .working = "RaGaBaA float", .keeps_grey = TRUE, .grows = TRUE, .find_halo = find_halo, .neutral = neutral, .stays = TRUE, .run = run
  });
}

#endif
