/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:copy: output = input, in the working format named by `format`.  All that
 * is left of it are the conversions on either side, which is what tests/formats looks
 * at; it is never installed.
 */
#ifndef GETTEXT_PACKAGE
#define GETTEXT_PACKAGE NULL    /* nothing here is translated */
#endif
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

property_string (format, "Format", "RGBA float")
    description ("The working format: four float components; in the space of the input")

#else

#define GEGL_OP_FILTER
#define GEGL_OP_NAME     tessera_copy
#define GEGL_OP_C_SOURCE tessera-copy.c

#include "gegl-op.h"
#include "tessera.h"

static const TesseraHalo halo = { 0, 0, 0, 0 };

static const gchar source[] =
  "__kernel void copy_pixels (__global const float4 *in, int stride, __global float4 *out,\n"
  "                           int width, int height)\n"
  "{\n"
  "  int x = get_global_id (0), y = get_global_id (1);\n"
  "  if (x < width && y < height)\n"
  "    out[y * width + x] = in[y * stride + x];\n"
  "}\n";

static void
copy_area (const TesseraRequest *request, const GeglRectangle *area)
{
  gfloat *pixels = g_new (gfloat, 4 * (gsize) area->width * area->height);

  tessera_read (request->input, area, &request->bounds, request->border, request->input_format, pixels);
  tessera_write (request->output, area, request->output_format, pixels, 4 * area->width * sizeof (gfloat));
  g_free (pixels);
}

static gint
copy_device (TesseraBand *band)
{
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "copy_pixels",
    .size = { band->output.width, band->output.height },
    .cost = 1,
    .args = { ARG (band->input.memory), ARG (band->input.stride), OUTPUT_ARGS (band) }
  });
}

static const TesseraFilter copy_filter = {
  .name = "copy",
  .source = source,
  .area = copy_area,
  .device = copy_device
};

static void
prepare (GeglOperation *operation)
{
  const Babl *space = gegl_operation_get_source_space (operation, "input");
  const Babl *format = babl_format_with_space (GEGL_PROPERTIES (operation)->format, space);

  gegl_operation_set_format (operation, "input", format);
  gegl_operation_set_format (operation, "output", tessera_result_format (operation, format));
}

static gboolean
process (GeglOperation *operation, GeglBuffer *input, GeglBuffer *output,
         const GeglRectangle *roi, gint level G_GNUC_UNUSED)
{
  const Babl *format = gegl_operation_get_format (operation, "input");

  if (! input)
    return TRUE;
  return tessera_process (&(TesseraRequest) {
    .filter = &copy_filter,
    .errand = { .operation = operation },
    .input = input,
    .output = output,
    .input_format = format,
    .output_format = format,
    .roi = *roi,
    .bounds = tessera_bounds (operation, "input"),
    .halo = halo,
    .border = TESSERA_BORDER_CLAMP
  });
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GeglOperationClass       *operation_class = GEGL_OPERATION_CLASS (klass);
  GeglOperationFilterClass *filter_class = GEGL_OPERATION_FILTER_CLASS (klass);

  operation_class->prepare        = prepare;
  operation_class->opencl_support = TRUE;
  operation_class->threaded       = FALSE;
  operation_class->want_in_place  = FALSE;
  filter_class->process           = process;

  gegl_operation_class_set_keys (operation_class,
    "name",        "tessera:copy",
    "title",       "Copy",
    "categories",  "hidden",
    "description", "Copies pixels in a working format, for the test of conversions",
    NULL);
}

#endif
