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
#include "mean-blur.cl.h"

#define LANE_FLOATS 16          /* of the widest registers */
#define COLUMNS     32          /* floats of a row whose columns are summed at once */
#define TILE        64          /* rows rows of GEGL's tiles; writing ends where they end */
#define READ_PIXELS 20000       /* read at once */

typedef struct
{
  gint   radius;
  gfloat scale;                 /* 1 / (2 radius + 1) */
} Params;

/* --------------------------------------------------------------- C sums -- */

#define LANES_LOOPS "mean-blur-loops.h"
#include "lanes.h"

/* ------------------------------------------------------------- C blocks -- */

/* A strip of columns on its way down.  It holds the rows, summed along x, that the next rows of the result need. */
typedef struct
{
  const TesseraRequest *request;
  gint    x, width;
  gint    most;                 /* rows of result at a time */
  gint    read_rows;
  gsize   stride;               /* floats from row to row of `sums` */
  gfloat *sums;                 /* 2 radius + most rows */
  gfloat *in;                   /* rows as they are read */
  gfloat *line, *total;         /* COLUMNS at a time */
} Strip;

/* Reads `count` rows from `y` on and sums them along x, into the sums from row `to` on. */
static void
bring_rows (Strip *strip, gint y, gint count, gint to)
{
  const Params *params = strip->request->params;
  const gint    radius = params->radius, width = strip->width + 2 * radius;

  for (gint done = 0; done < count; done += strip->read_rows)
    {
      const gint rows = MIN (strip->read_rows, count - done);

      tessera_read_input (strip->request, GEGL_RECTANGLE (strip->x - radius, y + done, width, rows), strip->in);
      memset (strip->in + 4 * (gsize) width * rows, 0, LANE_FLOATS * sizeof (gfloat));
      for (gint row = 0; row < rows; row++)
        {
          gfloat *from = strip->in + 4 * (gsize) width * row;

          memcpy (strip->line, from, (4 * width + LANE_FLOATS) * sizeof (gfloat));
          LANES_BEST (sum_line) (strip->line, 4, 2 * radius + 1, strip->sums + (to + done + row) * strip->stride,
                                 4 * strip->width, params->scale);
        }
    }
}

/* Makes `rows` rows of the result, over the first of the sums. */
static void
sum_columns (Strip *strip, gint rows)
{
  const Params *params = strip->request->params;
  const gint    n = 2 * params->radius + 1;

  for (gsize x = 0; x < 4 * (gsize) strip->width; x += COLUMNS)
    {
      for (gint row = 0; row < rows + n - 1; row++)
        memcpy (strip->line + row * COLUMNS, strip->sums + row * strip->stride + x, COLUMNS * sizeof (gfloat));
      LANES_BEST (sum_line) (strip->line, COLUMNS, n, strip->total, (gsize) rows * COLUMNS, params->scale);
      for (gint row = 0; row < rows; row++)
        memcpy (strip->sums + row * strip->stride + x, strip->total + row * COLUMNS, COLUMNS * sizeof (gfloat));
    }
}

static void
blur_strip (Strip *strip, gint y, gint end)
{
  const gint kept = 2 * ((const Params *) strip->request->params)->radius, radius = kept / 2;

  bring_rows (strip, y - radius, kept, 0);
  while (y < end)
    {
      gint rows = MIN (strip->most - (y & (TILE - 1)), end - y);

      bring_rows (strip, y + radius, rows, kept);
      sum_columns (strip, rows);
      tessera_write_output (strip->request, GEGL_RECTANGLE (strip->x, y, strip->width, rows), strip->sums,
                            strip->stride * sizeof (gfloat));
      memmove (strip->sums, strip->sums + rows * strip->stride, kept * strip->stride * sizeof (gfloat));
      y += rows;
    }
}

/* Strips fit the cache if the radius allows it.  Their rows are summed once, so only the columns beside a strip are
 * read twice.  At radius 1000 a thread needs some 30 MB. */
static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  const Params *params = request->params;
  const gint    radius = params->radius;
  const gint    usual = radius > 128 ? 512 : 256, widest = usual + MIN (usual, 128);
  const gint    around = MIN (widest, area->width) + 2 * radius;
  const gint    most = CLAMP (radius, TILE, 1024) / TILE * TILE, read_rows = CLAMP (READ_PIXELS / around, 4, TILE);
  const gsize   stride = (4 * MIN (widest, area->width) + COLUMNS - 1) / COLUMNS * COLUMNS + LANE_FLOATS;
  const gsize   rows = 2 * radius + most;
  tessera_autoscratch gfloat *sums = gegl_scratch_new (gfloat, stride * rows);
  tessera_autoscratch gfloat *in = gegl_scratch_new (gfloat, 4 * (gsize) around * read_rows + LANE_FLOATS);
  tessera_autoscratch gfloat *line = gegl_scratch_new (gfloat, MAX (4 * (gsize) around, COLUMNS * rows) + 2 * LANE_FLOATS);
  tessera_autoscratch gfloat *total = gegl_scratch_new (gfloat, (gsize) COLUMNS * most + LANE_FLOATS);
  Strip         strip = { .request = request, .most = most, .read_rows = read_rows, .stride = stride,
                          .sums = sums, .in = in, .line = line, .total = total };

  for (strip.x = area->x; strip.x < area->x + area->width; strip.x += strip.width)
    {
      const gint rest = area->x + area->width - strip.x;

      strip.width = rest <= widest ? rest : usual - (strip.x & 127);
      blur_strip (&strip, area->y, area->y + area->height);
    }
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
reach (const GeglProperties *o)
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
    .filter = &mean_blur, .working = "RaGaBaA float", .keeps_grey = TRUE, .grows = TRUE, .reach = reach, .neutral = neutral, .run = run
  });
}

#endif
