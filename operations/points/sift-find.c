/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The request for a picture's points.
 */
#include "config.h"

#include "sift-parts.h"

#include "sift.cl.h"

#include <gegl-plugin.h>

#define SMALL_PIXELS (64 * 64)          /* the pictures of the check of a device have fewer */

const TesseraFilter sift_filter = {
  .name = "sift", .source = tessera_sift_cl, .checked_by = "tessera:sift", .zero_in_check = "contrast-threshold",
  .spread = sift_in_c, .scratch_bytes = sift_device_bytes, .device = sift_on_device, .whole = TRUE, .answers = TRUE,
  .needs_doubles = TRUE
};

/* The output is one pixel, which depends on all of the picture. */
static gboolean
find (const TesseraRequest *like, const Babl *format, SiftSearch *search)
{
  const GeglRectangle *bounds = &like->bounds, roi = { bounds->x, bounds->y, 1, 1 };
  gint                 answer[SIFT_ANSWER];
  TesseraRequest       request = *like;
  gboolean             done;

  request.filter = &sift_filter;
  request.params = search;
  request.aux = NULL;
  request.input_format = format;
  request.output_format = babl_format_n (babl_type ("float"), SIFT_ANSWER);
  request.output = gegl_buffer_linear_new_from_data (answer, request.output_format, &roi, 0, NULL, NULL);
  request.roi = roi;
  request.halo = (TesseraHalo) { 0, 0, bounds->width - 1, bounds->height - 1 };
  request.border = TESSERA_BORDER_CLAMP;
  request.cost_class = search->scales.n_levels << 2 | search->scales.settings.upsample << 1 | search->describes;
  done = tessera_process (&request);
  g_object_unref (request.output);
  return done;
}

gboolean
sift_find (const TesseraRequest *request, const SiftSettings *settings, gboolean describes, SiftList *list)
{
  const GeglRectangle *bounds = &request->bounds;
  const Babl          *format = request->input_format;
  const gboolean       is_small = (gint64) bounds->width * bounds->height <= SMALL_PIXELS;
  SiftSearch           search = { .describes = describes || is_small, .is_small = is_small, .list = list,
                                  .least = (gfloat) (0.5 * settings->contrast_threshold / settings->intervals),
                                  .numbers = { settings->contrast_threshold, settings->edge_threshold, settings->sigma },
                                  .input = perceived_of (&format), .components = babl_format_get_n_components (format) };
  gboolean             done;

  *list = (SiftList) { NULL, 0 };
  if (gegl_rectangle_is_empty (bounds) || tessera_is_endless (bounds))
    return TRUE;
  sift_scales_init (&search.scales, settings, search.describes);
  tessera_luminance (format, search.weights);
  done = find (request, format, &search);
  if (! done)
    {
      g_free (list->points);
      *list = (SiftList) { NULL, 0 };
    }
  return done;
}
