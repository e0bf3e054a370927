/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * The request for a picture's points.
 */
#include "config.h"

#include "sift-parts.h"

#include "sift.cl.h"

#include <gegl-plugin.h>

#define SIFT(part) \
  { .name = "sift", .source = tessera_sift_cl, .define = part, .spread = sift_in_c, .scratch_bytes = sift_device_bytes, \
    .device = sift_on_device, .whole = TRUE, .needs_doubles = TRUE }

const TesseraFilter        sift_filter = SIFT (NULL);
static const TesseraFilter undescribed = SIFT ("SIFT_DESCRIBES=0");

/* The answer is the points, in their order. */
static gboolean
find (const TesseraRequest *like, const Babl *format, const SiftSearch *search, TesseraAnswer *answer)
{
  TesseraRequest request = *like;

  request.filter = search->describes ? &sift_filter : &undescribed;
  request.params = search;
  request.aux = NULL;
  request.output = NULL;
  request.answer = answer;
  request.input_format = format;
  request.roi = like->bounds;
  request.halo = (TesseraHalo) { 0 };
  request.border = TESSERA_BORDER_CLAMP;
  request.cost_class = search->scales.n_levels << 2 | search->scales.settings.upsample << 1 | search->describes;
  return tessera_process (&request);
}

gboolean
sift_find (const TesseraRequest *request, const SiftSettings *settings, gboolean describes, SiftList *list)
{
  const GeglRectangle *bounds = &request->bounds;
  const Babl          *format = request->input_format;
  SiftSearch           search = { .describes = describes, .least = (gfloat) (0.5 * settings->contrast_threshold / settings->intervals),
                                  .numbers = { settings->contrast_threshold, settings->edge_threshold, settings->sigma },
                                  .input = perceived_of (&format), .components = babl_format_get_n_components (format) };
  TesseraAnswer        answer = { NULL, 0 };
  gboolean             done;

  *list = (SiftList) { NULL, 0 };
  if (gegl_rectangle_is_empty (bounds) || tessera_is_endless (bounds))
    return TRUE;
  sift_scales_init (&search.scales, settings, search.describes);
  tessera_luminance (format, search.weights);
  done = find (request, format, &search, &answer);
  if (done)
    *list = (SiftList) { answer.data, answer.bytes / sizeof (SiftPoint) };
  else
    g_free (answer.data);
  return done;
}
