/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The Gaussian levels of a strip of an octave, in C and on the device: each is the blur of the one before, whose edge
 * pixels count beyond the octave.
 */
#include "config.h"

#include "sift-parts.h"
#include "tap-sum.h"

#include "sift.cl.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#define LN2        0.69314718055994531
#define LEAST_BLUR 0.01                 /* variance of the first blur */
#define HELD       0.5                  /* blur that a picture has already, in its own pixels */
#define TILE       512                  /* columns that go through the cache together, ... */
#define CHUNK      64                   /* ... this many rows at a time */
#define GROUP      8                    /* rows that one thread makes */
#define RUN        (4 * TAP_SUM_BLOCK)  /* floats that a sum of taps takes at a time */

/* ---------------------------------------------------------------- scales -- */

gdouble
sift_exp2 (gdouble x)
{
  const gdouble whole = floor (x);

  return ldexp (tessera_exp ((x - whole - 1.0) * LN2), (gint) whole + 1);
}

static void
blur_init (SiftBlur *blur, gdouble sigma)
{
  gdouble weights[SIFT_MOST_TAPS], sum = 0.0;

  blur->radius = (gint) ceil (4.0 * sigma);
  for (gint i = -blur->radius; i <= blur->radius; i++)
    sum += weights[i + blur->radius] = tessera_exp (-(i * i) / (2.0 * sigma * sigma));
  for (gint i = 0; i <= 2 * blur->radius; i++)
    {
      blur->offsets[i] = i - blur->radius;
      blur->weights[i] = (gfloat) (weights[i] / sum);
    }
}

void
sift_scales_init (SiftScales *scales, const SiftSettings *settings)
{
  const gint    intervals = settings->intervals;
  const gdouble sigma = settings->sigma, step = sift_exp2 (1.0 / intervals), held = settings->upsample ? 2 * HELD : HELD;
  const gdouble largest = sigma * sift_exp2 ((intervals + 0.5) / intervals);

  scales->settings = *settings;
  scales->n_levels = intervals + 3;
  blur_init (&scales->first, sqrt (MAX (sigma * sigma - held * held, LEAST_BLUR)));
  scales->halo = scales->first.radius;
  for (gint i = 1; i < scales->n_levels; i++)
    {
      blur_init (&scales->blurs[i], sigma * sift_exp2 ((i - 1.0) / intervals) * sqrt (step * step - 1.0));
      scales->halo += scales->blurs[i].radius;
    }
  /* A descriptor's window and the neighbours of its last pixel; a candidate's neighbours need less. */
  scales->reach = 1 + (gint) floor (7.5 * G_SQRT2 * largest + 0.5) + SIFT_WALK;
}

/* --------------------------------------------------------------------- C -- */

/* One blur: rows `top` to `bottom` of the octave from a plane that begins with row `from_top`.  A row of a level has
 * `pad` floats before it and behind its last run, where its edge pixels are repeated. */
typedef struct
{
  const SiftBlur *blur;
  gint            width, height;        /* of the octave */
  gint            pad;
  gint            top, bottom;
  const gfloat   *from;
  gsize           from_row;
  gint            from_top;
  gboolean        has_pads;             /* in `from` */
  gfloat         *to;                   /* begins with row `to_top` */
  gsize           to_row;
  gint            to_top;
} Blurring;

static inline gint
runs_of (gint width)
{
  return (width + RUN - 1) / RUN * RUN;
}

/* A row's part from `left` - radius on, with the edge pixels beyond the octave. */
static void
load (const Blurring *b, const gfloat *row, gint left, gint n, gfloat *line)
{
  const gint radius = b->blur->radius, first = left - radius, end = left + n + radius;
  const gint begin = MAX (first, 0), stop = MIN (end, b->width);

  for (gint x = first; x < begin; x++)
    line[x - first] = row[0];
  memcpy (line + (begin - first), row + begin, (stop - begin) * sizeof (gfloat));
  for (gint x = stop; x < end; x++)
    line[x - first] = row[b->width - 1];
}

/* The sums along x of n_rows rows, from `top` on, beyond the octave those of its edge. */
static void
blur_along (const Blurring *b, gint left, gint n, gint top, gint n_rows, gfloat *line, gfloat *sums, gint stride)
{
  const gint    radius = b->blur->radius, n_taps = 2 * radius + 1;
  const TapList along = { n_taps, n_taps, 1, b->blur->offsets, b->blur->weights, FALSE };

  for (gint y = 0; y < n_rows; y++)
    {
      const gfloat *row = b->from + (gsize) (CLAMP (top + y, 0, b->height - 1) - b->from_top) * b->from_row;

      if (! b->has_pads)
        load (b, row, left, n, line);
      tap_sum (b->has_pads ? row + left : line + radius, &along, sums + (gsize) y * stride, runs_of (n) / 4);
    }
}

/* Repeats the edge pixels of a row before it and behind it. */
static void
fill_pads (gfloat *row, gint width, gint pad)
{
  for (gint i = -pad; i < 0; i++)
    row[i] = row[0];
  for (gint i = width; i < runs_of (width) + pad; i++)
    row[i] = row[width - 1];
}

/* Columns from `left` on, from the top to the bottom: sums along x that the next chunk needs too stay in the cache. */
static void
blur_tile (const Blurring *b, gint left, gint n, gint top, gint bottom, gfloat *line, gfloat *sums)
{
  const gint    radius = b->blur->radius, n_taps = 2 * radius + 1;
  const gint    run = runs_of (n), stride = run + 16;   /* not a power of 2: rows would meet in one set */
  const TapList down = { n_taps, n_taps, stride, b->blur->offsets, b->blur->weights, FALSE };

  blur_along (b, left, n, top - radius, 2 * radius, line, sums, stride);
  for (gint y = top; y < bottom; y += CHUNK)
    {
      const gint rows = MIN (CHUNK, bottom - y);

      blur_along (b, left, n, y + radius, rows, line, sums + (gsize) 2 * radius * stride, stride);
      tap_sum_rows (sums + (gsize) radius * stride, &down, b->to + (gsize) (y - b->to_top) * b->to_row + left, b->to_row,
                    run / 4, rows);
      memmove (sums, sums + (gsize) rows * stride, (gsize) 2 * radius * stride * sizeof (gfloat));
    }
}

/* Groups of rows. */
static void
blur_rows (gsize first, gsize n, gpointer data)
{
  const Blurring *b = data;
  const gint      radius = b->blur->radius;
  const gint      top = b->top + (gint) first * GROUP, bottom = MIN (b->bottom, top + (gint) n * GROUP);
  gfloat         *line = gegl_scratch_new0 (gfloat, TILE + 2 * radius + 2 * RUN);
  gfloat         *sums = gegl_scratch_new0 (gfloat, (gsize) (CHUNK + 2 * radius) * (TILE + RUN + 16));

  for (gint left = 0; left < b->width; left += TILE)
    blur_tile (b, left, MIN (TILE, b->width - left), top, bottom, line, sums);
  for (gint y = top; y < bottom; y++)
    fill_pads (b->to + (gsize) (y - b->to_top) * b->to_row, b->width, b->pad);
  gegl_scratch_free (sums);
  gegl_scratch_free (line);
}

static void
blur (const Blurring *b)
{
  gegl_parallel_distribute_range ((b->bottom - b->top + GROUP - 1) / GROUP, 64.0 * 64.0 / GROUP / b->width, blur_rows, (gpointer) b);
}

/* The base is the first level. */
static void
copy_base (const SiftStrip *strip, gint pad, gint top, gint bottom)
{
  const SiftLevels *levels = &strip->levels;

  for (gint y = top; y < bottom; y++)
    {
      gfloat *row = (gfloat *) levels->level[0] + (gsize) (y - levels->top) * levels->row;

      memcpy (row, strip->base + (gsize) (y - strip->top) * strip->width, strip->width * sizeof (gfloat));
      fill_pads (row, strip->width, pad);
    }
}

/* Level l from the one before, or the first one from the base. */
static void
make_level (const SiftStrip *strip, gint l, gint pad, gint top, gint bottom)
{
  const SiftScales *scales = strip->scales;
  const SiftLevels *levels = &strip->levels;
  Blurring          b = { .blur = l == 0 ? &scales->first : &scales->blurs[l], .width = strip->width,
                          .height = strip->height, .pad = pad, .top = top, .bottom = bottom,
                          .from = l == 0 ? strip->base : levels->level[l - 1],
                          .from_row = l == 0 ? (gsize) strip->width : levels->row,
                          .from_top = l == 0 ? strip->top : levels->top, .has_pads = l > 0,
                          .to = (gfloat *) levels->level[l], .to_row = levels->row, .to_top = levels->top };

  if (l == 0 && ! strip->is_first)
    copy_base (strip, pad, top, bottom);
  else
    blur (&b);
}

/* Of level l, what the strip before has made of rows `top` to `bottom`, which moves to its place.  Returns where it ends. */
static gint
keep_rows (SiftStrip *strip, gint l, gfloat *rows, gint old_top, gint top, gint bottom)
{
  const SiftLevels *levels = &strip->levels;
  const gint        end = MIN (strip->made[l].bottom, bottom);

  if (strip->made[l].top > top || end <= top)
    return top;
  memmove (rows + (gsize) (top - levels->top) * levels->row, rows + (gsize) (top - old_top) * levels->row,
           (gsize) (end - top) * levels->row * sizeof (gfloat));
  return end;
}

/* A TesseraFilter's `spread`: all levels, each on as many rows as the next ones need.  Rows that two strips need are made once. */
static void
make_levels (const TesseraRequest *request)
{
  SiftStrip        *strip = (SiftStrip *) request->params;
  const SiftScales *scales = strip->scales;
  SiftLevels       *levels = &strip->levels;
  gfloat           *planes;
  gsize             plane;
  gint              pad = SIFT_SLACK;
  gint              around = scales->halo - scales->first.radius;
  const gint        old_top = strip->planes_top;        /* not levels->top: the last strip may have been the device's */
  const gint        top = MAX (request->roi.y - around, 0);
  const gint        bottom = MIN (request->roi.y + request->roi.height + around, strip->height);

  for (gint l = 1; l < scales->n_levels; l++)
    pad = MAX (pad, scales->blurs[l].radius);
  pad = (pad + 15) / 16 * 16;
  *levels = (SiftLevels) { .width = strip->width, .height = strip->height, .top = top, .rows = bottom - top,
                           .n = scales->n_levels, .row = (gsize) runs_of (strip->width) + 2 * pad, .pixel = 1 };
  strip->planes_top = top;
  plane = levels->row * (strip->most_rows + 2 * around);
  planes = sift_room (strip->planes, plane * levels->n);
  strip->is_planar = TRUE;
  for (gint l = 0; l < levels->n; l++)
    {
      gint from, end;

      levels->level[l] = planes + l * plane + pad;
      tessera_progress_step ((gdouble) l / levels->n, (l + 1.0) / levels->n, FALSE, (guint64) strip->width * levels->rows);
      if (l > 0)
        around -= scales->blurs[l].radius;
      from = MAX (request->roi.y - around, 0);
      end = MIN (request->roi.y + request->roi.height + around, strip->height);
      make_level (strip, l, pad, keep_rows (strip, l, planes + l * plane, old_top, from, end), end);
      strip->made[l] = (SiftRows) { from, end };
    }
}

/* ---------------------------------------------------------------- device -- */

static gsize
scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const SiftStrip *strip = request->params;
  const gsize      rows = (gsize) height + 2 * strip->scales->halo;

  return (strip->scales->n_levels + 1) * rows * width * sizeof (gfloat) + sizeof (SiftScales);
}

/* From a level of `from` to one of `to`: all rows of the band's input that lie in the octave. */
static gint
blur_on_device (TesseraBand *band, const SiftBlur *blur, TesseraMemory *from, gint from_level, TesseraMemory *rows,
                TesseraMemory *to, gint to_level, gint first, gint end)
{
  const gint     width = band->input.width, plane = width * band->input.height, n = 2 * blur->radius + 1;
  TesseraMemory *weights;
  gint           status = tessera_table (band, blur->weights, n * sizeof (gfloat), &weights);

  if (status != 0
      || (status = tessera_launch (band, &(TesseraLaunch) {
            .kernel = "sift_along", .size = { width, end - first }, .group = { 32, 4 }, .cost = n,
            .args = { ARG (from), ARG (from_level), ARG (plane), ARG (rows), ARG (width), ARG (first), ARG (end), ARG (weights),
                      ARG (blur->radius) } })) != 0)
    return status;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "sift_down", .size = { width, end - first }, .group = { 32, 4 }, .cost = n,
    .args = { ARG (rows), ARG (to), ARG (to_level), ARG (plane), ARG (width), ARG (first), ARG (end), ARG (weights), ARG (blur->radius) }
  });
}

static gint
device (TesseraBand *band)
{
  const SiftStrip  *strip = band->request->params;
  const SiftScales *scales = strip->scales;
  const gint        width = band->input.width, plane = width * band->input.height, n = scales->n_levels;
  const gint        first = MAX (0, -band->input.y), end = MIN (band->input.height, strip->height - band->input.y);
  const gint        top = band->output.y - band->input.y, y = band->output.y;
  const gfloat      least = strip->least;
  TesseraMemory    *levels, *rows;
  gint              status;

  if ((status = tessera_scratch (band, (gsize) plane * n * sizeof (gfloat), &levels)) != 0
      || (status = tessera_scratch (band, (gsize) plane * sizeof (gfloat), &rows)) != 0)
    return status;
  if (strip->is_first)
    status = blur_on_device (band, &scales->first, band->input.memory, 0, rows, levels, 0, first, end);
  else
    status = tessera_launch (band, &(TesseraLaunch) {
      .kernel = "sift_copy", .size = { plane }, .cost = 1, .args = { ARG (band->input.memory), ARG (levels), ARG (plane) } });
  for (gint l = 1; l < n && status == 0; l++)
    status = blur_on_device (band, &scales->blurs[l], levels, l - 1, rows, levels, l, first, end);
  return status != 0 ? status : tessera_launch (band, &(TesseraLaunch) {
    .kernel = "sift_scan", .size = { width, band->output.height }, .group = { 32, 4 }, .cost = 3 * n,
    .args = { ARG (levels), ARG (plane), ARG (n), ARG (top), ARG (band->output.memory), ARG (width),
              ARG (band->output.height), ARG (y), ARG (strip->height), ARG (least) }
  });
}

const TesseraFilter sift_filter = {
  .name = "sift", .source = tessera_sift_cl, .checked_by = "tessera:sift", .spread = make_levels, .scratch_bytes = scratch_bytes, .device = device
};

/* ----------------------------------------------------------------- strip -- */

/* For the check of a device: a picture of points hides the last bits of what they were found in. */
static void
compare_levels (const SiftLevels *levels, const GeglRectangle *roi)
{
  gfloat *row = g_new (gfloat, roi->width);

  for (gint l = 0; l < levels->n; l++)
    for (gint y = roi->y; y < roi->y + roi->height; y++)
      {
        for (gint x = 0; x < roi->width; x++)
          row[x] = (gfloat) sift_level (levels, l, x, y);
        tessera_compare (row, roi->width * sizeof *row);
      }
  g_free (row);
}

gboolean
sift_strip_make (const TesseraRequest *like, SiftStrip *strip, gint top, gint bottom)
{
  const Babl          *one = babl_format ("Y float"), *many = babl_format_n (babl_type ("float"), strip->scales->n_levels + 1);
  const GeglRectangle  roi = { 0, top, strip->width, bottom - top };
  const gsize          row = (gsize) strip->width * (strip->scales->n_levels + 1);
  TesseraRequest       request = *like;
  gfloat              *pixels;
  gboolean             success;

  strip->is_planar = FALSE;
  request.filter = &sift_filter;
  request.input = gegl_buffer_linear_new_from_data (strip->base, one,
                                                    GEGL_RECTANGLE (0, strip->top, strip->width, strip->rows), 0, NULL, NULL);
  request.aux = NULL;
  pixels = sift_room (strip->pixels, row * roi.height);
  request.output = gegl_buffer_linear_new_from_data (pixels, many, &roi, 0, NULL, NULL);
  request.input_format = one;
  request.output_format = many;
  request.roi = roi;
  request.bounds = (GeglRectangle) { 0, 0, strip->width, strip->height };
  request.halo = (TesseraHalo) { 0, strip->scales->halo, 0, strip->scales->halo };
  request.border = TESSERA_BORDER_CLAMP;
  request.params = strip;
  request.cost_class = 2 * strip->scales->n_levels + strip->is_first;
  success = tessera_process (&request);
  if (success && ! strip->is_planar)
    {
      strip->levels = (SiftLevels) { .width = strip->width, .height = strip->height, .top = top, .rows = roi.height,
                                     .n = strip->scales->n_levels, .row = row, .pixel = strip->scales->n_levels + 1 };
      for (gint l = 0; l < strip->levels.n; l++)
        strip->levels.level[l] = pixels + l;
    }
  if (success && tessera_is_checked ())
    compare_levels (&strip->levels, &roi);
  g_object_unref (request.output);
  g_object_unref (request.input);
  return success;
}
