/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:label on the device: one tree over the pixels (opencl/kernels/label.cl).
 */
#include "config.h"

#include "label.h"

#define SEGMENT 32              /* as in opencl/kernels/label.cl */
#define CHUNK   64
#define LEVELS  8               /* CHUNK^LEVELS is more than an int can hold */

/* Numbers, their sums by chunks, the sums of these, ... until they are one chunk: the begin and length of each level in
 * memory. */
typedef struct
{
  gint levels, begin[LEVELS], n[LEVELS], all;
} Pyramid;

static Pyramid
pyramid_of (gint pixels)
{
  Pyramid p = { 0 };

  for (gint n = pixels; p.levels == 0 || n > CHUNK; n = p.n[p.levels - 1])
    {
      p.begin[p.levels] = p.all;
      p.n[p.levels] = (n + CHUNK - 1) / CHUNK;
      p.all += p.n[p.levels++];
    }
  return p;
}

gsize
label_scratch_bytes (const TesseraRequest *request, gint width, gint height)
{
  const gsize pixels = tessera_pixels_around (request, width, height);

  return (2 * pixels + pixels / (CHUNK - 1) + LEVELS) * sizeof (gint) + 256 * sizeof (gfloat);
}

/* Builds trees over the rows that have come, together with the rows above.  Price: 1.1 (as index, 24 Mpix; H200, 2026-11-22). */
gint
label_arrived (TesseraBand *band, gint top, gint bottom)
{
  const Label  *label = band->request->params;
  const gint    width = band->input.width;
  const gsize   bytes = (gsize) width * band->input.height * sizeof (gint);

  if (top == 0)
    {
      tessera_scratch (band, bytes, label->labels);
      tessera_scratch (band, bytes, label->ranks);
    }
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_find", .size = { width, bottom - top }, .group = { SEGMENT, 4 },
    .args = { ARG (band->input.memory), ARG (width), ARG (top), ARG (bottom),
              FLOAT4_ARG (label->weights[0], label->weights[1], label->weights[2], 0.0f), ARG (label->by_alpha),
              ARG (label->threshold), ARG (*label->labels), ARG (*label->ranks) }
  });
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_join", .size = { width, bottom - top }, .group = { SEGMENT, 4 }, .cost = 8,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (width), ARG (top), ARG (bottom), ARG (label->diagonals) }
  });
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_shorten", .size = { width, bottom - top }, .group = { SEGMENT, 4 }, .cost = 8,
    .args = { ARG (*label->labels), ARG (width), ARG (top), ARG (bottom) }
  });
}

static void
launch_level (TesseraBand *band, const gchar *kernel, TesseraMemory *counts, const Pyramid *p, gint level,
              gint to, TesseraArg total)
{
  tessera_launch (band, &(TesseraLaunch) {
    .kernel = kernel, .size = { (p->n[level] + CHUNK - 1) / CHUNK }, .cost = CHUNK,
    .args = { ARG (counts), ARG (p->begin[level]), ARG (p->n[level]), ARG (to), total }
  });
}

/* Gives each pixel its root and each root its area; then ranks in place of areas, and the count. */
gint
label_measure (TesseraBand *band, TesseraMemory *total)
{
  const Label     *label = band->request->params;
  const gint       width = band->input.width, height = band->input.height, pixels = width * height;
  const Pyramid    p = pyramid_of (pixels);
  const TesseraArg none = NO_ARG, sum = ARG (total);
  TesseraMemory   *counts;
  TesseraLaunch    launch;

  tessera_launch (band, &(TesseraLaunch) {
    .kernel = "label_flatten", .size = { width, height }, .group = { SEGMENT, 4 }, .cost = 8,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (width), ARG (height) }
  });
  tessera_scratch (band, p.all * sizeof (gint), &counts);
  launch = (TesseraLaunch) {
    .kernel = "label_count", .size = { p.n[0] }, .cost = 2 * CHUNK,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (pixels), ARG (label->min_area), ARG (counts) }
  };
  tessera_launch (band, &launch);
  for (gint level = 0; level + 1 < p.levels; level++)
    launch_level (band, "label_sum", counts, &p, level, p.begin[level + 1], none);
  for (gint level = p.levels - 1; level >= 0; level--)
    launch_level (band, "label_offsets", counts, &p, level, level + 1 < p.levels ? p.begin[level + 1] : -1, sum);
  launch.kernel = "label_rank";
  return tessera_launch (band, &launch);
}

gint
label_device (TesseraBand *band)
{
  static const gchar *const kernels[] = { "label_bytes", "label_colors", "label_values", "label_values" };

  const Label   *label = band->request->params;
  const gboolean has_colors = label->result <= LABEL_COLORS;

  *label->count = *(const gint *) band->measured;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = kernels[label->result], .size = OUTPUT_SIZE (band), .group = { SEGMENT, 4 }, .cost = 2,
    .args = { ARG (*label->labels), ARG (*label->ranks), ARG (band->input.width), ARG (band->roi.x - band->input.x),
              ARG (band->roi.y - band->input.y), OUTPUT_ARGS (band),
              has_colors ? ARG (band->input.memory) : ARG (label->result == LABEL_MASK),
              has_colors ? ARG (label->has_alpha) : NO_ARG,
              label->result == LABEL_COLORS ? ARG (label->is_associated) : NO_ARG,
              TABLE_ARG (label->values, 256 * sizeof (gfloat)) }
  });
}
