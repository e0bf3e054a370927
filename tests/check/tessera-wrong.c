/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:wrong: a [1 2 1]/4 blur along x of all four channels, border clamp, that is wrong
 * in one chosen way.  It proves that the parity driver sees what it should; it
 * is never installed.
 */
#ifndef GETTEXT_PACKAGE
#define GETTEXT_PACKAGE NULL    /* nothing here is translated */
#endif
#include <glib/gi18n-lib.h>

#ifdef GEGL_PROPERTIES

enum_start (tessera_wrong_kind)
  enum_value (TESSERA_WRONG_CORRECT,         "correct",         "Correct")
  enum_value (TESSERA_WRONG_SHIFTED,         "shifted",         "One column off")
  enum_value (TESSERA_WRONG_SKIPPED_COLUMN,  "skipped-column",  "Last column skipped")
  enum_value (TESSERA_WRONG_BORDER,          "border",          "Wrong tap at the border")
  enum_value (TESSERA_WRONG_ROI,             "roi",             "Depends on the region")
  enum_value (TESSERA_WRONG_THREADS,         "threads",         "Depends on the threads")
  enum_value (TESSERA_WRONG_DEVICE,          "device",          "OpenCL 1e-3 off")
  enum_value (TESSERA_WRONG_NAN,             "nan",             "NaN becomes 0")
  enum_value (TESSERA_WRONG_DECLINE,         "decline",         "C without a word")
  enum_value (TESSERA_WRONG_SOURCE,          "source",          "Writes into its input")
  enum_value (TESSERA_WRONG_HALF,            "half",            "Truncates to half")
  enum_value (TESSERA_WRONG_BANDS,           "bands",           "Depends on the band")
  enum_value (TESSERA_WRONG_STALE,           "stale",           "Keeps stale neighbours")
  enum_value (TESSERA_WRONG_BOX,             "box",             "Bounding box too large")
  enum_value (TESSERA_WRONG_HIDDEN,          "hidden",          "Spreads straight colour of alpha 0")
enum_end (TesseraWrongKind)

property_enum (kind, "Kind", TesseraWrongKind, tessera_wrong_kind, TESSERA_WRONG_CORRECT)

#else

#define GEGL_OP_FILTER
#define GEGL_OP_NAME     tessera_wrong
#define GEGL_OP_C_SOURCE tessera-wrong.c

#include "gegl-op.h"
#include "tessera.h"
#include "geometry.h"

#include <math.h>

typedef struct
{
  gint kind;
} Params;

static const TesseraHalo halo = { 2, 0, 2, 0 };

static const gchar source[] =
  "#pragma OPENCL FP_CONTRACT OFF\n"
  "__kernel void wrong_rows (__global const float4 *in, int stride, __global float4 *out,\n"
  "                          int width, int height, float gain, int shift, int skip, int swallow)\n"
  "{\n"
  "  int x = get_global_id (0), y = get_global_id (1);\n"
  "  float4 v;\n"
  "  if (x >= width || y >= height) return;\n"
  "  in += y * stride + x + 2 + shift;\n"
  "  v = (0.25f * in[-1] + 0.5f * in[0] + 0.25f * in[1]) * gain;\n"
  "  if (swallow) v = select (v, (float4) (0.0f), isnan (v));\n"
  "  if (skip && x == width - 1) v = (float4) (0.0f);\n"
  "  out[y * width + x] = v;\n"
  "}\n";

static gfloat
truncated_to_half (gfloat value)
{
  union { gfloat f; guint32 bits; } u = { value };

  u.bits &= ~0x1fffu;
  return u.f;
}

static gfloat
spoiled (gfloat value, gint kind, const TesseraRequest *request, const GeglRectangle *area,
         gboolean last)
{
  switch (kind)
    {
    case TESSERA_WRONG_SKIPPED_COLUMN: return last ? 0.0f : value;
    case TESSERA_WRONG_ROI:     return request->roi.x & 1 ? value * (1 + 1e-6f) : value;
    case TESSERA_WRONG_THREADS: return value * (1 + 2e-7f * (area->y - request->roi.y));
    case TESSERA_WRONG_NAN:     return isnan (value) ? 0.0f : value;
    case TESSERA_WRONG_HALF:    return truncated_to_half (value);
    default:                    return value;
    }
}

static void
blur_area (const TesseraRequest *request, const GeglRectangle *area)
{
  gint          kind = ((const Params *) request->params)->kind, shift = kind == TESSERA_WRONG_SHIFTED;
  GeglRectangle around = tessera_grow (area, &halo);
  gsize         stride = 4 * (gsize) around.width;
  gfloat       *in = g_new (gfloat, stride * around.height);
  gfloat       *out = g_new (gfloat, 4 * (gsize) area->width * area->height), *to = out;

  tessera_read (request->input, &around, &request->bounds,
                kind == TESSERA_WRONG_BORDER ? TESSERA_BORDER_NONE : TESSERA_BORDER_CLAMP,
                request->input_format, in);
  for (gint y = 0; y < area->height; y++)
    for (gint i = 0; i < 4 * area->width; i++)
      {
        const gfloat *from = in + y * stride + i + 8 + 4 * shift;

        *to++ = spoiled (0.25f * from[-4] + 0.5f * from[0] + 0.25f * from[4], kind, request, area,
                         i / 4 == area->width - 1);
      }
  gegl_buffer_set (request->output, area, 0, request->output_format, out, GEGL_AUTO_ROWSTRIDE);
  g_free (in);
  g_free (out);
}

static gint
wrong_device (TesseraBand *band)
{
  gint   kind = ((const Params *) band->request->params)->kind;
  gfloat gain = kind == TESSERA_WRONG_DEVICE ? 1.001f : 1.0f;

  if (kind == TESSERA_WRONG_BANDS && band->roi.y > band->request->roi.y)
    gain = 1.000001f;
  return tessera_launch (band, &(TesseraLaunch) {
    .kernel = "wrong_rows",
    .size = { band->output.width, band->output.height },
    .group = { 16, 4 },
    .cost = 3,
    .args = { ARG (band->input.memory), ARG (band->input.stride), OUTPUT_ARGS (band), ARG (gain),
              ARG (kind == TESSERA_WRONG_SHIFTED), ARG (kind == TESSERA_WRONG_SKIPPED_COLUMN),
              ARG (kind == TESSERA_WRONG_NAN) }
  });
}

static const TesseraFilter wrong = {
  .name = "wrong",
  .source = source,
  .area = blur_area,
  .device = wrong_device
};

static void
prepare (GeglOperation *operation)
{
  const Babl  *space = gegl_operation_get_source_space (operation, "input");
  const gchar *name = GEGL_PROPERTIES (operation)->kind == TESSERA_WRONG_HIDDEN ? "RGBA float" : "RaGaBaA float";
  const Babl  *format = babl_format_with_space (name, space);

  gegl_operation_set_format (operation, "input", format);
  gegl_operation_set_format (operation, "output", format);
}

static GeglRectangle
get_bounding_box (GeglOperation *operation)
{
  GeglRectangle box = tessera_bounds (operation, "input");

  if (GEGL_PROPERTIES (operation)->kind == TESSERA_WRONG_BOX)
    box.width++;
  return box;
}

static GeglRectangle
get_required_for_output (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi)
{
  return tessera_required (operation, pad, roi, &halo, TESSERA_BORDER_CLAMP);
}

static GeglRectangle
get_invalidated_by_change (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed)
{
  if (GEGL_PROPERTIES (operation)->kind == TESSERA_WRONG_STALE)
    return *changed;
  return tessera_invalidated (operation, pad, changed, &halo, TESSERA_BORDER_CLAMP);
}

/* A filter has no business writing into its input; undone, this would be a blot. */
static void
blot_input (GeglBuffer *input, const GeglRectangle *roi)
{
  static const gfloat blot[4] = { 0.25f, 0.5f, 0.125f, 0.75f };

  gegl_buffer_set (input, GEGL_RECTANGLE (roi->x, roi->y, 1, 1), 0, babl_format ("RGBA float"), blot,
                   GEGL_AUTO_ROWSTRIDE);
}

static gboolean
process (GeglOperation *operation, GeglBuffer *input, GeglBuffer *output, const GeglRectangle *roi,
         gint level G_GNUC_UNUSED)
{
  const Params         params = { GEGL_PROPERTIES (operation)->kind };
  const TesseraRequest request = {
    .filter = &wrong, .errand = { .operation = operation }, .input = input, .output = output,
    .input_format = gegl_operation_get_format (operation, "input"),
    .output_format = gegl_operation_get_format (operation, "output"),
    .roi = *roi, .bounds = tessera_bounds (operation, "input"), .halo = halo,
    .border = TESSERA_BORDER_CLAMP, .params = &params
  };
  gboolean             success = TRUE;

  if (! input)
    return TRUE;
  if (params.kind == TESSERA_WRONG_DECLINE)
    blur_area (&request, roi);
  else
    success = tessera_process (&request);
  if (params.kind == TESSERA_WRONG_SOURCE)
    blot_input (input, roi);
  return success;
}

static void
gegl_op_class_init (GeglOpClass *klass)
{
  GeglOperationClass       *operation_class = GEGL_OPERATION_CLASS (klass);
  GeglOperationFilterClass *filter_class = GEGL_OPERATION_FILTER_CLASS (klass);

  operation_class->prepare                   = prepare;
  operation_class->get_bounding_box          = get_bounding_box;
  operation_class->get_required_for_output   = get_required_for_output;
  operation_class->get_invalidated_by_change = get_invalidated_by_change;
  operation_class->opencl_support            = TRUE;
  operation_class->threaded                  = FALSE;
  operation_class->want_in_place             = FALSE;
  filter_class->process                      = process;

  gegl_operation_class_set_keys (operation_class,
    "name",        "tessera:wrong",
    "title",       "Wrong",
    "categories",  "hidden",
    "description", "Wrong on purpose, for the parity driver's self-test",
    NULL);
}

#endif
