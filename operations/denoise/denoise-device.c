/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The passes of tessera:denoise on the device.
 */
#include "config.h"

#include "denoise.h"

#define SEEN 7                  /* pixels that a window sees beyond one of its own */

/* opencl/kernels/denoise.cl has the same: what lies where on each level, (x, y, width, height) each. */
typedef enum
{
  PLACE_READ, PLACE_MADE, PLACE_PILOT, PLACE_SIZE, PLACE_WINDOWS, PLACES = PLACE_WINDOWS + 4
} Place;

/* n planes from `first` on, those of one kind of windows: Y, or U and V. */
typedef struct
{
  gint first, n, step;
} Kind;

static const Kind kinds[2] = { { 0, 1, 2 }, { 1, 2, 4 } };

/* A band's planes, those of one rectangle one behind another. */
typedef struct
{
  TesseraBand   *band;
  const Denoise *d;
  DenoisePixels  pixels;
  GeglRectangle  at[DENOISE_LEVELS][PLACES];
  TesseraMemory *places, *seen[DENOISE_LEVELS], *made[DENOISE_LEVELS], *pilot, *sums, *weights;
} Passes;

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

/* Of all windows that meet a rectangle: left and top, blocks of 8 columns, rows of windows. */
static GeglRectangle
windows_over (const GeglRectangle *rect, gint step)
{
  const gint left = floor_to (rect->x, 8), top = -floor_to (SEEN - rect->y, step);

  return (GeglRectangle) { left, top, (rect->x + rect->width - left + 7) / 8, (rect->y + rect->height - 1 - top) / step + 1 };
}

/* On the finest level; of coarse windows there are half as many rows, of two planes. */
static gsize
sums_of (const DenoiseParts *parts)
{
  const GeglRectangle rect = pilot_of (parts, 0);
  const GeglRectangle fine = windows_over (&rect, 2), coarse = windows_over (&rect, 4);

  return (gsize) 64 * fine.width * MAX (fine.height, 2 * coarse.height);
}

/* Of a band wherever it lies: of one that holds it and begins where all levels and blocks do. */
gsize
denoise_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const GeglRectangle *bounds = &((const Denoise *) request->params)->bounds;
  const GeglRectangle  part = { DENOISE_REACH, DENOISE_REACH, width + 7, height + 7 };
  const GeglRectangle  large = { 0, 0, MAX (bounds->width, part.width + 2 * DENOISE_REACH), MAX (bounds->height, part.height + 2 * DENOISE_REACH) };
  const DenoiseParts   parts = denoise_parts (&large, &part);
  const GeglRectangle  pilot = pilot_of (&parts, 0);
  gsize                floats = 2 * pixels_of (&pilot) + sums_of (&parts) + sums_of (&parts) / 16;

  for (gint level = 0; level < DENOISE_LEVELS; level++)
    floats += 3 * (pixels_of (&parts.read[level]) + pixels_of (&parts.made[level]));
  return floats * sizeof (gfloat) + sizeof (Denoise) + sizeof ((Passes *) NULL)->at;
}

static TesseraMemory *
new_floats (TesseraBand *band, gsize n)
{
  TesseraMemory *memory = NULL;

  tessera_scratch (band, n * sizeof (gfloat), &memory);
  return memory;
}

static void
find_places (Passes *p, const DenoiseParts *parts)
{
  for (gint level = 0; level < DENOISE_LEVELS; level++)
    {
      GeglRectangle *at = p->at[level];

      at[PLACE_READ] = parts->read[level];
      at[PLACE_MADE] = parts->made[level];
      at[PLACE_PILOT] = pilot_of (parts, level);
      at[PLACE_SIZE] = (GeglRectangle) { parts->width[level], parts->height[level], 0, 0 };
      for (gint i = 0; i < 4; i++)
        at[PLACE_WINDOWS + i] = windows_over (&at[i % 2 == 0 ? PLACE_PILOT : PLACE_MADE], kinds[i / 2].step);
    }
}

static void
take_memory (Passes *p, const DenoiseParts *parts)
{
  const gsize sums = sums_of (parts);

  find_places (p, parts);
  for (gint level = 0; level < DENOISE_LEVELS; level++)
    {
      p->seen[level] = new_floats (p->band, 3 * pixels_of (&parts->read[level]));
      p->made[level] = new_floats (p->band, 3 * pixels_of (&parts->made[level]));
    }
  p->pilot = new_floats (p->band, 2 * pixels_of (&p->at[0][PLACE_PILOT]));
  p->sums = new_floats (p->band, sums);
  p->weights = new_floats (p->band, sums / 16);
  tessera_scratch (p->band, sizeof p->at, &p->places);
  tessera_send (p->band, p->at, sizeof p->at, p->places);
}

/* ------------------------------------------------------- what is kept -- */

static gsize
kept_bytes (const Denoise *d)
{
  return 4 * sizeof (gfloat) * d->bounds.width * d->bounds.height;
}

gint
denoise_keep_pixels (TesseraBand *band)
{
  const Denoise *d = band->request->params;
  DenoiseKept   *kept = d->kept;
  const gint     x = band->roi.x - band->input.x, y = band->roi.y - band->input.y, row = band->roi.y - d->bounds.y;
  TesseraMemory *memory;
  gboolean       is_there;
  gint           status;

  if (row == 0)
    kept->is_whole = ! kept->is_begun && band->roi.width == d->bounds.width && tessera_may_keep (band, kept_bytes (d));
  if (! kept->is_whole)
    return 0;
  kept->is_begun = TRUE;
  status = tessera_kept_memory (band, kept->pixels, kept_bytes (d), &memory, &is_there);
  if (status != 0)
    return status;
  kept->is_whole = is_there == (row > 0);       /* else the rows above are lost: a band has failed, and comes again */
  if (! kept->is_whole)
    return 0;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_keep", .size = { band->roi.width, band->roi.height }, .group = { 32, 4 },
    .args = { ARG (band->input.memory), ARG (band->input.stride), ARG (x), ARG (y), ARG (band->roi.width), ARG (band->roi.height),
              ARG (memory), ARG (row) }
  });
}

DenoisePixels
denoise_pixels (TesseraBand *band)
{
  const Denoise *d = band->request->params;
  DenoisePixels  pixels = { band->input.memory, band->input.x, band->input.y, band->input.stride };

  if (band->request->is_blind)
    {
      pixels = (DenoisePixels) { NULL, d->bounds.x, d->bounds.y, d->bounds.width };
      tessera_kept_memory (band, d->kept->pixels, kept_bytes (d), &pixels.memory, NULL);
    }
  return pixels;
}

/* ----------------------------------------------------------------- passes -- */

static void
launch_planes (Passes *p)
{
  TesseraBand         *band = p->band;
  const GeglRectangle *bounds = &p->d->bounds, *roi = &p->at[0][PLACE_READ];

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_planes", .size = { roi->width, roi->height }, .group = { 32, 4 }, .cost = 4,
    .args = { ARG (p->pixels.memory), ARG (p->pixels.stride), ARG (bounds->x + roi->x - p->pixels.x),
              ARG (bounds->y + roi->y - p->pixels.y), TABLE_ARG (p->d->tones, sizeof p->d->tones), ARG (p->seen[0]),
              ARG (roi->width), ARG (roi->height) }
  });
}

#define PLANES_SIZE(at, kind) { (at).width, (at).height, (kind)->n }
#define KIND_ARGS(p, level, kind) ARG ((p)->places), ARG (level), ARG ((kind)->first)

static void
launch_halve (Passes *p, gint level, TesseraMemory **planes, const Kind *kind, gboolean corrects)
{
  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_halve", .size = PLANES_SIZE (p->at[level + 1][corrects ? PLACE_MADE : PLACE_READ], kind), .group = { 32, 4, 1 },
    .cost = 4, .args = { ARG (planes[level]), ARG (planes[level + 1]), KIND_ARGS (p, level, kind), ARG (corrects) }
  });
}

static void
launch_stage (Passes *p, gint level, const Kind *kind, gboolean second)
{
  const GeglRectangle *w = &p->at[level][PLACE_WINDOWS + 2 * kind->first + second];
  const GeglRectangle *out = &p->at[level][second ? PLACE_MADE : PLACE_PILOT];

  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_windows", .size = PLANES_SIZE (*w, kind), .group = { 16, 4, 1 },
    .cost = 64.0 * (16 / kind->step - 1) * (1 + second),
    .args = { ARG (p->seen[level]), ARG (p->pilot), KIND_ARGS (p, level, kind), ARG (second),
              TABLE_ARG (p->d->noise, sizeof p->d->noise), ARG (p->sums), ARG (p->weights) }
  });
  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_sum", .size = { out->width, out->height / kind->step + 2, kind->n }, .group = { 32, 4, 1 },
    .cost = 64.0 / kind->step,
    .args = { ARG (p->seen[level]), ARG (second ? p->made[level] : p->pilot), KIND_ARGS (p, level, kind), ARG (second),
              ARG (p->sums), ARG (p->weights) }
  });
}

static void
clean_planes (Passes *p, const Kind *kind)
{
  for (gint level = 0; level + 1 < DENOISE_LEVELS; level++)
    launch_halve (p, level, p->seen, kind, FALSE);
  for (gint level = DENOISE_LEVELS - 1; level >= 0; level--)
    {
      launch_stage (p, level, kind, FALSE);
      launch_stage (p, level, kind, TRUE);
      if (level + 1 == DENOISE_LEVELS)
        continue;
      launch_halve (p, level, p->made, kind, TRUE);
      tessera_launch (p->band, &(TesseraLaunch) {
        .kernel = "denoise_add", .size = PLANES_SIZE (p->at[level][PLACE_MADE], kind), .group = { 32, 4, 1 }, .cost = 5,
        .args = { ARG (p->made[level + 1]), ARG (p->made[level]), KIND_ARGS (p, level, kind) }
      });
    }
}

static void
copy_planes (Passes *p, const Kind *kind)
{
  tessera_launch (p->band, &(TesseraLaunch) {
    .kernel = "denoise_copy", .size = PLANES_SIZE (p->at[0][PLACE_MADE], kind), .group = { 32, 4, 1 }, .cost = 1,
    .args = { ARG (p->seen[0]), ARG (p->made[0]), ARG (p->places), ARG (kind->first) }
  });
}

static gint
launch_finish (Passes *p)
{
  TesseraBand         *band = p->band;
  const Denoise       *d = p->d;
  const GeglRectangle *roi = &p->at[0][PLACE_MADE];

  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "denoise_finish", .size = OUTPUT_SIZE (band), .group = { 32, 4 }, .cost = d->mix > 0.0f ? 150 : 8,
    .args = { ARG (p->pixels.memory), ARG (p->pixels.stride), ARG (band->output.x - p->pixels.x), ARG (band->output.y - p->pixels.y),
              ARG (p->made[0]), ARG (roi->width), ARG (roi->height),
              ARG (band->output.x - d->bounds.x - roi->x), ARG (band->output.y - d->bounds.y - roi->y),
              TABLE_ARG (d->inverse, sizeof d->inverse), FLOAT4_ARG (d->scale[0], d->scale[1], d->scale[2], 0.0f),
              TABLE_ARG (d->weights, sizeof d->weights), ARG (d->share), ARG (d->mix), ARG (d->stays), OUTPUT_ARGS (band) }
  });
}

gint
denoise_device (TesseraBand *band)
{
  const Denoise      *d = band->request->params;
  const GeglRectangle part = { band->roi.x - d->bounds.x, band->roi.y - d->bounds.y, band->roi.width, band->roi.height };
  const DenoiseParts  parts = denoise_parts (&d->bounds, &part);
  Passes              p = { .band = band, .d = d, .pixels = denoise_pixels (band) };

  take_memory (&p, &parts);
  launch_planes (&p);
  for (gint kind = 0; kind < 2; kind++)
    if (d->changes[kinds[kind].first])
      clean_planes (&p, &kinds[kind]);
    else
      copy_planes (&p, &kinds[kind]);
  return launch_finish (&p);
}
