/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The passes of tessera:denoise on the device.
 */
#include "config.h"

#include "denoise.h"

#define SEEN 7                  /* pixels that a window sees beyond one of its own */

/* A plane on the device. */
typedef struct
{
  GeglRectangle  roi;
  TesseraMemory *memory;
} Plane;

/* The planes of a band. */
typedef struct
{
  TesseraBand   *band;
  const Denoise *d;
  DenoiseParts   parts;
  Plane          seen[DENOISE_LEVELS][3], made[DENOISE_LEVELS][3], pilot;
  TesseraMemory *sums, *weights;
} Passes;

/* opencl/kernels/denoise.cl has the same. */
#define PLANE_ARGS(plane) ARG ((plane)->memory), ARG ((plane)->roi.x), ARG ((plane)->roi.y), ARG ((plane)->roi.width), ARG ((plane)->roi.height)
#define PLANE_SIZE(plane) { (plane)->roi.width, (plane)->roi.height }
#define SIZE_ARGS(p, level) ARG ((p)->parts.width[level]), ARG ((p)->parts.height[level])

static gint
floor_to (gint x, gint step)
{
  return x - ((x % step) + step) % step;
}

/* ----------------------------------------------------------------- memory -- */

static gsize
pixels_of (const GeglRectangle *rect)
{
  return (gsize) rect->width * rect->height;
}

/* The pixels that the first stage of a plane makes. */
static GeglRectangle
pilot_of (const DenoiseParts *parts, gint level)
{
  const GeglRectangle *made = &parts->made[level];
  GeglRectangle        rect = { made->x - SEEN, made->y - SEEN, made->width + 2 * SEEN, made->height + 2 * SEEN };

  gegl_rectangle_intersect (&rect, &rect, GEGL_RECTANGLE (0, 0, parts->width[level], parts->height[level]));
  return rect;
}

/* Of all windows that meet a rectangle: blocks of 8 columns, rows of windows. */
typedef struct
{
  gint left, top, blocks, rows;
} Windows;

static Windows
windows_over (const GeglRectangle *rect, gint step)
{
  const gint left = floor_to (rect->x, 8), top = -floor_to (SEEN - rect->y, step);

  return (Windows) { left, top, (rect->x + rect->width - left + 7) / 8, (rect->y + rect->height - 1 - top) / step + 1 };
}

/* Most is needed for Y on the finest level. */
static gsize
sums_of (const DenoiseParts *parts)
{
  const GeglRectangle rect = pilot_of (parts, 0);
  const Windows       w = windows_over (&rect, 2);

  return (gsize) w.blocks * 8 * w.rows * 8;
}

gsize
denoise_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const GeglRectangle *bounds = &((const Denoise *) request->params)->bounds;
  const GeglRectangle  part = { DENOISE_REACH, DENOISE_REACH, width, height };
  const GeglRectangle  large = { 0, 0, MAX (bounds->width, width + 2 * DENOISE_REACH), MAX (bounds->height, height + 2 * DENOISE_REACH) };
  const DenoiseParts   parts = denoise_parts (&large, &part);
  const GeglRectangle  pilot = pilot_of (&parts, 0);
  gsize                floats = pixels_of (&pilot) + sums_of (&parts) + sums_of (&parts) / 16 + 64 * (gsize) (width + height + 4 * DENOISE_REACH);

  for (gint level = 0; level < DENOISE_LEVELS; level++)
    floats += 3 * (pixels_of (&parts.read[level]) + pixels_of (&parts.made[level]));
  return floats * sizeof (gfloat) + sizeof (Denoise);
}

static Plane
new_plane (TesseraBand *band, const GeglRectangle *roi)
{
  Plane plane = { *roi, NULL };

  tessera_scratch (band, pixels_of (roi) * sizeof (gfloat), &plane.memory);
  return plane;
}

/* ----------------------------------------------------------------- passes -- */

static void
launch_planes (Passes *p)
{
  TesseraBand         *band = p->band;
  const GeglRectangle *bounds = &p->d->bounds, *roi = &p->parts.read[0];

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_planes", .size = { roi->width, roi->height }, .group = { 32, 4 }, .cost = 4,
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (bounds->x + roi->x - band->input.x),
              ARG (bounds->y + roi->y - band->input.y), TABLE_ARG (p->d->tones, sizeof p->d->tones),
              ARG (p->seen[0][0].memory), ARG (p->seen[0][1].memory), ARG (p->seen[0][2].memory), ARG (roi->width), ARG (roi->height) }
  });
}

static void
launch_halve (Passes *p, gint level, const Plane *fine, const Plane *coarse, gboolean corrects)
{
  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_halve", .size = PLANE_SIZE (coarse), .group = { 32, 4 }, .cost = 4,
    .args = { PLANE_ARGS (fine), SIZE_ARGS (p, level), PLANE_ARGS (coarse), ARG (corrects) }
  });
}

/* pilot NULL: the first stage. */
static void
launch_stage (Passes *p, gint level, const Plane *from, const Plane *pilot, const Plane *to, gint plane)
{
  const gint      step = plane == 0 ? 2 : 4;
  const Windows   w = windows_over (&to->roi, step);
  const gfloat   *noise = p->d->noise[level][plane];
  const gboolean  second = pilot != NULL;

  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_windows", .size = { w.blocks, w.rows }, .group = { 16, 4 }, .cost = 64.0 * (16 / step - 1) * (1 + second),
    .args = { PLANE_ARGS (from), PLANE_ARGS (second ? pilot : from), SIZE_ARGS (p, level), TABLE_ARG (noise, DENOISE_ROUGH * sizeof (gfloat)),
              ARG (step), ARG (second), ARG (w.left), ARG (w.top), ARG (w.blocks), ARG (w.rows), ARG (p->sums), ARG (p->weights) }
  });
  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_sum", .size = { to->roi.width, to->roi.height / step + 2 }, .group = { 32, 4 }, .cost = 64.0 / step,
    .args = { PLANE_ARGS (from), PLANE_ARGS (to), ARG (step), ARG (w.left), ARG (w.top), ARG (w.blocks), ARG (p->sums), ARG (p->weights) }
  });
}

static void
launch_level (Passes *p, gint level, gint plane)
{
  p->pilot.roi = pilot_of (&p->parts, level);
  launch_stage (p, level, &p->seen[level][plane], NULL, &p->pilot, plane);
  launch_stage (p, level, &p->seen[level][plane], &p->pilot, &p->made[level][plane], plane);
}

static void
clean_plane (Passes *p, gint plane)
{
  for (gint level = 1; level < DENOISE_LEVELS; level++)
    launch_halve (p, level - 1, &p->seen[level - 1][plane], &p->seen[level][plane], FALSE);
  for (gint level = DENOISE_LEVELS - 1; level >= 0; level--)
    {
      const Plane *fine = &p->made[level][plane], *coarse = level + 1 < DENOISE_LEVELS ? &p->made[level + 1][plane] : NULL;

      launch_level (p, level, plane);
      if (! coarse)
        continue;
      launch_halve (p, level, fine, coarse, TRUE);
      tessera_launch (p->band, &(TesseraLaunch) {
        .kernel = "denoise_add", .size = PLANE_SIZE (fine), .group = { 32, 4 }, .cost = 5,
        .args = { PLANE_ARGS (coarse), SIZE_ARGS (p, level + 1), PLANE_ARGS (fine) }
      });
    }
}

static gint
launch_finish (Passes *p)
{
  TesseraBand         *band = p->band;
  const Denoise       *d = p->d;
  const Plane         *planes = p->made[0];
  const GeglRectangle *roi = &planes[0].roi;

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_finish", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = d->mix > 0.0f ? 150 : 8,
    .args = { INPUT_ARGS (band), ARG (planes[0].memory), ARG (planes[1].memory), ARG (planes[2].memory),
              ARG (roi->width), ARG (roi->height),
              ARG (band->output.x - d->bounds.x - roi->x), ARG (band->output.y - d->bounds.y - roi->y),
              TABLE_ARG (d->inverse, sizeof d->inverse), FLOAT4_ARG (d->scale[0], d->scale[1], d->scale[2], 0.0f),
              TABLE_ARG (d->weights, sizeof d->weights), ARG (d->share), ARG (d->mix), OUTPUT_ARGS (band) }
  });
}

static void
copy_plane (Passes *p, gint plane)
{
  const Plane *to = &p->made[0][plane];

  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_copy", .size = PLANE_SIZE (to), .group = { 32, 4 }, .cost = 1,
    .args = { PLANE_ARGS (&p->seen[0][plane]), PLANE_ARGS (to) }
  });
}

gint
denoise_device (TesseraBand *band)
{
  const Denoise      *d = band->request->params;
  const GeglRectangle part = { band->roi.x - d->bounds.x, band->roi.y - d->bounds.y, band->roi.width, band->roi.height };
  Passes              p = { .band = band, .d = d, .parts = denoise_parts (&d->bounds, &part) };
  const GeglRectangle pilot = pilot_of (&p.parts, 0);
  const gsize         sums = sums_of (&p.parts);

  for (gint level = 0; level < DENOISE_LEVELS; level++)
    for (gint plane = 0; plane < 3; plane++)
      {
        p.seen[level][plane] = new_plane (band, &p.parts.read[level]);
        p.made[level][plane] = new_plane (band, &p.parts.made[level]);
      }
  p.pilot = new_plane (band, &pilot);
  tessera_scratch (band, sums * sizeof (gfloat), &p.sums);
  tessera_scratch (band, (sums / 16 + 1) * sizeof (gfloat), &p.weights);
  launch_planes (&p);
  for (gint plane = 0; plane < 3; plane++)
    if (d->changes[plane])
      clean_plane (&p, plane);
    else
      copy_plane (&p, plane);
  return launch_finish (&p);
}
