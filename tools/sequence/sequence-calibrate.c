/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Frames without what the camera adds, by its masters: (count - bias - (dark - bias) x exposures) / flat.
 *
 * The pixels of a mosaic are calibrated before 2 x 2 of them become one; its flat is 1 in the middle for each colour by itself.  A bad
 * pixel of a mosaic becomes the mean of its neighbours of the same colour; one of a grey frame is NaN, and so no object. */
#include "sequence.h"

#include <math.h>
#include <string.h>

#include "../progress.h"
#include "colours.h"
#include "frames-file.h"
#include "median.h"
#include "tessera.h"

#define DARKEST 0.05f           /* of a flat, in parts of its median: less is a bad pixel */

/* ------------------------------------------------------------------- opening -- */

/* Medians are 1: of all pixels, or of each of 2 x 2. */
static void
level_flat (CountPlane *flat, gint apart)
{
  g_autofree gfloat *values = g_new (gfloat, (gsize) flat->width * flat->height);

  for (gint phase = 0; phase < apart * apart; phase++)
    {
      gsize  n = 0;
      gfloat level;

      for (gint y = phase / apart; y < flat->height; y += apart)
        for (gint x = phase % apart; x < flat->width; x += apart)
          {
            values[n] = flat->pixels[(gsize) y * flat->width + x];
            n += isfinite (values[n]);
          }
      level = median_of (values, n);
      for (gint y = phase / apart; y < flat->height; y += apart)
        for (gint x = phase % apart; x < flat->width; x += apart)
          flat->pixels[(gsize) y * flat->width + x] /= level > 0.0f ? level : NAN;
    }
}

/* FALSE: the master is not of the size of frames. */
static gboolean
fits_frames (const Sequence *sequence, const Master *master, GError **error)
{
  const gint width = master->plane.width / sequence->calibration.cell, height = master->plane.height / sequence->calibration.cell;

  if (width == sequence->width && height == sequence->height)
    return TRUE;
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_SIZE, "%s is %d x %d, and frames are %d x %d%s", master->path, master->plane.width,
               master->plane.height, sequence->width * sequence->calibration.cell, sequence->height * sequence->calibration.cell,
               sequence->calibration.cell > 1 ? ", mosaics" : "");
  return FALSE;
}

/* FALSE: two masters have two sizes, of which one is odd. */
static gboolean
is_one_size (const Calibration *calibration, const Master *master, GError **error)
{
  if (master->plane.width == calibration->width && master->plane.height == calibration->height)
    return TRUE;
  g_set_error (error, FRAMES_ERROR, FRAMES_ERROR_SIZE, "%s is %d x %d, and another master is %d x %d", master->path, master->plane.width,
               master->plane.height, calibration->width, calibration->height);
  return FALSE;
}

static gboolean
open_master (Sequence *sequence, MasterKind kind, GError **error)
{
  Calibration *calibration = &sequence->calibration;
  Master      *master = &calibration->masters[kind];

  if (! sequence->master_paths[kind])
    return TRUE;
  if (! master_load (sequence, kind, sequence->master_paths[kind], error) || ! fits_frames (sequence, master, error))
    return FALSE;
  if (! calibration->width)
    {
      calibration->width = master->plane.width;
      calibration->height = master->plane.height;
    }
  return is_one_size (calibration, master, error) && (kind != MASTER_FLAT || master_divide_flat (calibration, master, error));
}

static void
tell_scale (const Sequence *sequence)
{
  const gdouble  dark = sequence->calibration.masters[MASTER_DARK].exposure;
  const gboolean has_dark = sequence->master_paths[MASTER_DARK] != NULL;

  if (has_dark && ! (isfinite (dark) && isfinite (sequence->exposure)))
    progress_say ("the dark frame is not scaled: %s does not say how long it was exposed", isfinite (dark) ? "a frame" : "it");
  else if (has_dark)
    progress_say ("the dark frame of %g s is scaled to the exposure of each frame, %g s", dark, sequence->exposure);
}

/* Frames are read as the camera wrote them. */
static void
read_raw (Sequence *sequence)
{
  for (gint i = 0; i < sequence->list.n; i++)
    sequence->list.frames[i].colours.mode = COLOURS_KEPT;
  memset (sequence->contents, 0, sizeof *sequence->contents * sequence->list.n);
}

gboolean
calibration_open (Sequence *sequence, GError **error)
{
  Calibration *calibration = &sequence->calibration;

  calibration->cell = *sequence->pattern && sequence->settings.colours != COLOURS_KEPT ? 2 : 1;
  for (gint kind = 0; kind < MASTERS; kind++)
    if (! open_master (sequence, (MasterKind) kind, error))
      return FALSE;
  if (calibration->masters[MASTER_FLAT].plane.pixels)
    level_flat (&calibration->masters[MASTER_FLAT].plane, *sequence->pattern ? 2 : 1);
  if (sequence->master_paths[MASTER_BIAS])
    tell_scale (sequence);
  read_raw (sequence);
  calibration->is_open = TRUE;
  return TRUE;
}

void
calibration_clear (Calibration *calibration)
{
  for (gint kind = 0; kind < MASTERS; kind++)
    {
      count_plane_clear (&calibration->masters[kind].plane);
      g_free (calibration->masters[kind].path);
    }
  *calibration = (Calibration) { 0 };
}

/* ------------------------------------------------------------------ applying -- */

typedef struct
{
  const Calibration *calibration;
  const CountPlane  *raw;
  gfloat             full, scale;
  CountPlane        *light;
} Applying;

static void
apply_rows (gsize first, gsize n, gpointer data)
{
  const Applying *a = data;
  const gfloat   *flat = a->calibration->masters[MASTER_FLAT].plane.pixels, *bad = a->calibration->masters[MASTER_BAD].plane.pixels;

  for (gsize at = first * a->raw->width; at < (first + n) * a->raw->width; at++)
    {
      const gfloat   part = flat ? flat[at] : 1.0f, light = (a->raw->pixels[at] - master_taken (a->calibration, a->scale, at)) / part;
      const gboolean is_good = a->raw->pixels[at] < a->full && part >= DARKEST && ! (bad && bad[at] != 0.0f);

      a->light->pixels[at] = is_good && isfinite (light) ? light : NAN;
    }
}

/* Bad by the masters, not full. */
static gboolean
is_bad (const Calibration *calibration, gsize at)
{
  const gfloat *flat = calibration->masters[MASTER_FLAT].plane.pixels, *bad = calibration->masters[MASTER_BAD].plane.pixels;

  return (bad && bad[at] != 0.0f) || (flat && ! (flat[at] >= DARKEST));
}

/* The mean of those that have a number, of four at equal distance; NaN: there is none. */
static gfloat
mean_around (const CountPlane *plane, gint x, gint y, const gint (*ways)[2])
{
  gfloat sum = 0.0f;
  gint   n = 0;

  for (gint i = 0; i < 4; i++)
    {
      const gint   at_x = x + ways[i][0], at_y = y + ways[i][1];
      const gfloat value = at_x >= 0 && at_y >= 0 && at_x < plane->width && at_y < plane->height ? plane->pixels[(gsize) at_y * plane->width + at_x] : NAN;

      sum += isfinite (value) ? value : 0.0f;
      n += isfinite (value);
    }
  return n > 0 ? sum / n : NAN;
}

/* From the plane as it was, so that no filled pixel fills another. */
static void
fill (const Calibration *calibration, CountPlane *plane)
{
  static const gint near[][2] = { { -2, 0 }, { 2, 0 }, { 0, -2 }, { 0, 2 } }, far[][2] = { { -2, -2 }, { 2, -2 }, { -2, 2 }, { 2, 2 } };
  const gsize       n = (gsize) plane->width * plane->height;
  g_autofree gfloat *filled = g_memdup2 (plane->pixels, sizeof (gfloat) * n);

  for (gsize at = 0; at < n; at++)
    if (is_bad (calibration, at))
      {
        const gint   x = (gint) (at % plane->width), y = (gint) (at / plane->width);
        const gfloat mean = mean_around (plane, x, y, near);

        filled[at] = isfinite (mean) ? mean : mean_around (plane, x, y, far);
      }
  memcpy (plane->pixels, filled, sizeof (gfloat) * n);
}

CountPlane
calibration_apply (const Calibration *calibration, const FramePixels *pixels, ColoursMode colours, const gchar *pattern, gfloat full)
{
  CountPlane light, cells;
  Applying   applying = { calibration, &pixels->plane, full, master_scale (calibration, pixels->facts.exposure), &light };

  count_plane_init (&light, pixels->plane.width, pixels->plane.height);
  tessera_spread_range (light.height, 64.0 * 64.0 / light.width, apply_rows, &applying);
  if (calibration->cell == 1)
    return light;
  fill (calibration, &light);
  cells = colours_reduced (&light, colours, pattern, INFINITY);
  count_plane_clear (&light);
  return cells;
}
