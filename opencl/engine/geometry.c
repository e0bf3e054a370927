/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Rectangles: the input that a filter needs, the output that it changes; reading beyond the border,
 * writing.
 */
#include "config.h"

#include "geometry.h"

#include <gegl-plugin.h>
#include <string.h>

#include "convert.h"
#include "formats.h"
#include "progress.h"

#include "../math/tessera-convert.h"

/* The image that the last result was computed of.  Grids and wrap-arounds hang
 * on its origin and size, edges on its sides: when it moves, everything does. */
static GQuark
last_bounds_quark (void)
{
  return g_quark_from_static_string ("tessera-last-bounds");
}

static gpointer
copy_rectangle (gpointer rectangle, gpointer data G_GNUC_UNUSED)
{
  return g_memdup2 (rectangle, sizeof (GeglRectangle));
}

/* FALSE if there is no result yet.  (One thread may set a property while another computes.) */
static gboolean
last_bounds (GeglOperation *operation, GeglRectangle *bounds)
{
  GeglRectangle *last = g_object_dup_qdata (G_OBJECT (operation), last_bounds_quark (), copy_rectangle, NULL);

  if (! last)
    return FALSE;
  *bounds = *last;
  g_free (last);
  return TRUE;
}

void
tessera_remember_bounds (GeglOperation *operation, const GeglRectangle *bounds)
{
  GeglRectangle last;

  if (! last_bounds (operation, &last) || ! gegl_rectangle_equal (&last, bounds))
    g_object_set_qdata_full (G_OBJECT (operation), last_bounds_quark (),
                             g_memdup2 (bounds, sizeof *bounds), g_free);
}

GeglRectangle
tessera_bounds (GeglOperation *operation, const gchar *pad)
{
  const GeglRectangle *box = gegl_operation_source_get_bounding_box (operation, pad);

  return box ? *box : (GeglRectangle) { 0, 0, 0, 0 };
}

static gboolean
is_special (const GeglRectangle *rect)
{
  return gegl_rectangle_is_empty (rect) || gegl_rectangle_is_infinite_plane (rect);
}

GeglRectangle
tessera_grow (const GeglRectangle *rect, const TesseraHalo *halo)
{
  if (is_special (rect))
    return *rect;
  return (GeglRectangle) { rect->x - halo->left, rect->y - halo->top,
                           rect->width + halo->left + halo->right,
                           rect->height + halo->top + halo->bottom };
}

/* If `rect` leaves `bounds`, the whole axis, because a wrap-around touches all of it. */
static GeglRectangle
whole_axes (const GeglRectangle *rect, const GeglRectangle *bounds)
{
  GeglRectangle result = *rect;

  if (rect->x < bounds->x || rect->x + rect->width > bounds->x + bounds->width)
    {
      result.x = bounds->x;
      result.width = bounds->width;
    }
  if (rect->y < bounds->y || rect->y + rect->height > bounds->y + bounds->height)
    {
      result.y = bounds->y;
      result.height = bounds->height;
    }
  return result;
}

/* The part of `rect` that lies in `bounds`; where there is none, with CLAMP,
 * the pixels of `bounds` nearest to it. */
static GeglRectangle
nearest_part (const GeglRectangle *rect, const GeglRectangle *bounds)
{
  gint x0 = CLAMP (rect->x, bounds->x, bounds->x + bounds->width - 1);
  gint y0 = CLAMP (rect->y, bounds->y, bounds->y + bounds->height - 1);
  gint x1 = CLAMP (rect->x + rect->width - 1, bounds->x, bounds->x + bounds->width - 1);
  gint y1 = CLAMP (rect->y + rect->height - 1, bounds->y, bounds->y + bounds->height - 1);

  return (GeglRectangle) { x0, y0, x1 - x0 + 1, y1 - y0 + 1 };
}

GeglRectangle
tessera_required (GeglOperation *operation, const gchar *pad, const GeglRectangle *roi,
                  const TesseraHalo *halo, TesseraBorder border)
{
  GeglRectangle bounds = tessera_bounds (operation, pad);
  GeglRectangle need = tessera_grow (roi, halo);

  if (is_special (&bounds) || is_special (roi))
    return need;
  switch (border)
    {
    case TESSERA_BORDER_LOOP:
      need = whole_axes (&need, &bounds);
      break;
    case TESSERA_BORDER_CLAMP:
      need = nearest_part (&need, &bounds);
      break;
    case TESSERA_BORDER_NONE:
    case TESSERA_BORDER_CROP:
      break;
    }
  gegl_rectangle_intersect (&need, &need, &bounds);
  return need;
}

GeglRectangle
tessera_invalidated (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed,
                     const TesseraHalo *halo, TesseraBorder border)
{
  const TesseraHalo mirrored = { halo->right, halo->bottom, halo->left, halo->top };
  GeglRectangle     input = tessera_bounds (operation, "input");
  GeglRectangle     bounds = tessera_bounds (operation, pad);
  GeglRectangle     result = tessera_grow (changed, &mirrored);
  GeglRectangle     last;
  const gboolean    has_last = last_bounds (operation, &last);

  /* The image has moved, or an edge of aux, which speaks for all that lies beyond it. */
  if ((has_last && ! gegl_rectangle_equal (&last, &input)) || ! gegl_rectangle_contains (&bounds, &input))
    {
      if (has_last)
        gegl_rectangle_bounding_box (&input, &input, &last);
      return tessera_grow (&input, &mirrored);
    }
  if (border == TESSERA_BORDER_LOOP && ! is_special (&bounds) && ! is_special (changed))
    result = whole_axes (&result, &bounds);
  return result;
}

/* ------------------------------------------------------ the whole image -- */

gboolean
tessera_is_endless (const GeglRectangle *bounds)
{
  return gegl_rectangle_is_infinite_plane (bounds)
         || (guint64) bounds->width * bounds->height > G_MAXINT32;
}

GeglRectangle
tessera_whole (GeglOperation *operation, const gchar *pad, const GeglRectangle *part)
{
  GeglRectangle bounds = tessera_bounds (operation, pad);

  return gegl_rectangle_is_empty (&bounds) || tessera_is_endless (&bounds) ? *part : bounds;
}

GeglRectangle
tessera_whole_invalidated (GeglOperation *operation, const gchar *pad, const GeglRectangle *changed)
{
  GeglRectangle whole = tessera_whole (operation, pad, changed);
  GeglRectangle last;

  gegl_rectangle_bounding_box (&whole, &whole, changed);
  if (last_bounds (operation, &last))
    gegl_rectangle_bounding_box (&whole, &whole, &last);
  return whole;
}

/* ------------------------------------------------------ reading, writing -- */

/* gegl_buffer_get and gegl_buffer_set, but for the conversions that are ours. */
static void
get_pixels (GeglBuffer *buffer, const GeglRectangle *rect, const Babl *format, guchar *pixels, gsize row)
{
  const TesseraTravel travel = tessera_travel_tables (gegl_buffer_get_format (buffer), format, FALSE);
  tessera_autoscratch guchar *stored = NULL;

  if (! travel.converts || travel.bytes == 4 * sizeof (gfloat))
    gegl_buffer_get (buffer, rect, 1.0, travel.format, pixels, row, GEGL_ABYSS_NONE);
  if (! travel.converts)
    return;
  if (travel.bytes == 4 * sizeof (gfloat))
    {
      for (gint y = 0; y < rect->height; y++)
        tessera_convert_in_place (travel.stored, travel.working, (gfloat *) (pixels + y * row), rect->width);
      return;
    }
  stored = gegl_scratch_alloc ((gsize) rect->width * rect->height * travel.bytes);
  gegl_buffer_get (buffer, rect, 1.0, travel.format, stored, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint y = 0; y < rect->height; y++)
    tessera_decode (&travel, stored + (gsize) y * rect->width * travel.bytes, (gfloat *) (pixels + y * row),
                    rect->width);
}

void
tessera_write (GeglBuffer *buffer, const GeglRectangle *rect, const Babl *format,
               gfloat *pixels, gsize row)
{
  const TesseraTravel travel = tessera_travel_tables (gegl_buffer_get_format (buffer), format, TRUE);
  tessera_autoscratch guchar *stored = NULL;

  tessera_progress_count (FALSE, (guint64) rect->width * rect->height);
  if (! travel.converts || travel.bytes == 4 * sizeof (gfloat))
    {
      for (gint y = 0; travel.converts && y < rect->height; y++)
        tessera_convert_in_place (travel.working, travel.stored, (gfloat *) ((guchar *) pixels + y * row),
                                  rect->width);
      gegl_buffer_set (buffer, rect, 0, travel.format, pixels, row);
      return;
    }
  stored = gegl_scratch_alloc ((gsize) rect->width * rect->height * travel.bytes);
  for (gint y = 0; y < rect->height; y++)
    tessera_encode (&travel, (const gfloat *) ((const guchar *) pixels + y * row),
                    stored + (gsize) y * rect->width * travel.bytes, rect->width);
  gegl_buffer_set (buffer, rect, 0, travel.format, stored, GEGL_AUTO_ROWSTRIDE);
}

/* Repeats the first `have` elements of `bytes` bytes until there are `want`. */
static void
repeat (guchar *first, gsize bytes, gsize have, gsize want)
{
  for (gsize done = have; done < want; done += have)
    memcpy (first + done * bytes, first, MIN (have, want - done) * bytes);
}

/* The image repeated in both directions: one period is read (in at most four
 * pieces), the rest copied. */
static void
read_looped (GeglBuffer *buffer, const GeglRectangle *rect, const GeglRectangle *bounds,
             const Babl *format, guchar *pixels)
{
  gsize pixel = babl_format_get_bytes_per_pixel (format);
  gsize row = rect->width * pixel;
  gint  width = MIN (rect->width, bounds->width);
  gint  height = MIN (rect->height, bounds->height);
  gint  piece_w, piece_h;

  for (gint y = 0; y < height; y += piece_h)
    {
      gint from_y = ((rect->y + y - bounds->y) % bounds->height + bounds->height) % bounds->height;

      piece_h = MIN (height - y, bounds->height - from_y);
      for (gint x = 0; x < width; x += piece_w)
        {
          gint from_x = ((rect->x + x - bounds->x) % bounds->width + bounds->width) % bounds->width;

          piece_w = MIN (width - x, bounds->width - from_x);
          get_pixels (buffer, GEGL_RECTANGLE (bounds->x + from_x, bounds->y + from_y, piece_w, piece_h),
                      format, pixels + y * row + x * pixel, row);
        }
    }
  for (gint y = 0; y < height; y++)
    repeat (pixels + y * row, pixel, width, rect->width);
  repeat (pixels, row, height, rect->height);
}

/* Rows and columns of `rect` outside `part`, which is there: its edge pixels. */
static void
extend_edges (guchar *pixels, gsize pixel, const GeglRectangle *rect, const GeglRectangle *part)
{
  gsize row = rect->width * pixel;
  gint  left = part->x - rect->x, right = left + part->width;
  gint  top = part->y - rect->y, bottom = top + part->height;

  for (gint y = top; y < bottom; y++)
    {
      guchar *line = pixels + y * row;

      for (gint x = 0; x < left; x++)
        memcpy (line + x * pixel, line + left * pixel, pixel);
      for (gint x = right; x < rect->width; x++)
        memcpy (line + x * pixel, line + (right - 1) * pixel, pixel);
    }
  for (gint y = 0; y < top; y++)
    memcpy (pixels + y * row, pixels + top * row, row);
  for (gint y = bottom; y < rect->height; y++)
    memcpy (pixels + y * row, pixels + (bottom - 1) * row, row);
}

/* `rect` lies wholly outside: each pixel is its nearest one of the image. */
static void
read_nearest (GeglBuffer *buffer, const GeglRectangle *rect, const GeglRectangle *bounds,
              const Babl *format, guchar *pixels)
{
  GeglRectangle part = nearest_part (rect, bounds);
  gsize         pixel = babl_format_get_bytes_per_pixel (format);
  g_autofree guchar *edge = g_malloc ((gsize) part.width * part.height * pixel);

  get_pixels (buffer, &part, format, edge, part.width * pixel);
  for (gint y = 0; y < rect->height; y++)
    for (gint x = 0; x < rect->width; x++)
      {
        gint from_x = CLAMP (rect->x + x, part.x, part.x + part.width - 1) - part.x;
        gint from_y = CLAMP (rect->y + y, part.y, part.y + part.height - 1) - part.y;

        memcpy (pixels + ((gsize) y * rect->width + x) * pixel,
                edge + ((gsize) from_y * part.width + from_x) * pixel, pixel);
      }
}

void
tessera_read (GeglBuffer *buffer, const GeglRectangle *rect, const GeglRectangle *bounds,
              TesseraBorder border, const Babl *format, gfloat *pixels)
{
  guchar       *bytes = (guchar *) pixels;
  gsize         pixel = babl_format_get_bytes_per_pixel (format);
  gsize         row = rect->width * pixel;
  GeglRectangle part;

  tessera_progress_count (TRUE, (guint64) rect->width * rect->height);
  if (gegl_rectangle_is_infinite_plane (bounds) || gegl_rectangle_contains (bounds, rect))
    {
      get_pixels (buffer, rect, format, bytes, row);
      return;
    }
  if (border == TESSERA_BORDER_NONE || gegl_rectangle_is_empty (bounds))
    memset (bytes, 0, row * rect->height);
  if (gegl_rectangle_is_empty (bounds))
    return;
  if (border == TESSERA_BORDER_LOOP)
    {
      read_looped (buffer, rect, bounds, format, bytes);
      return;
    }
  if (! gegl_rectangle_intersect (&part, rect, bounds))
    {
      if (border == TESSERA_BORDER_CLAMP)
        read_nearest (buffer, rect, bounds, format, bytes);
      return;
    }
  get_pixels (buffer, &part, format,
              bytes + (part.y - rect->y) * row + (part.x - rect->x) * pixel, row);
  if (border == TESSERA_BORDER_CLAMP)
    extend_edges (bytes, pixel, rect, &part);
}

void
tessera_read_input (const TesseraRequest *request, const GeglRectangle *rect, gfloat *pixels)
{
  tessera_read (request->input, rect, &request->bounds, request->border, request->input_format, pixels);
}

void
tessera_write_output (const TesseraRequest *request, const GeglRectangle *rect, gfloat *pixels, gsize row)
{
  tessera_write (request->output, rect, request->output_format, pixels, row);
}

const Babl *
tessera_bytes_format (const TesseraRequest *request)
{
  const Babl         *stored = gegl_buffer_get_format (request->input);
  const TesseraTravel travel = tessera_travel (stored, request->input_format);
  const gboolean      is_straight = ! ((travel.stored | travel.working) & LAYOUT_PREMULTIPLIED);

  return travel.converts && (travel.stored & LAYOUT_TYPE) == LAYOUT_U8 && is_straight ? stored : NULL;
}

void
tessera_bytes_values (const TesseraRequest *request, gfloat values[256])
{
  const TesseraTravel travel = tessera_travel_tables (gegl_buffer_get_format (request->input), request->input_format, FALSE);

  memcpy (values, travel.table, 256 * sizeof (gfloat));
}

void
tessera_write_bytes (const TesseraRequest *request, const GeglRectangle *rect, const guint8 *bytes, gsize row)
{
  const Babl         *stored = gegl_buffer_get_format (request->input);
  const TesseraTravel travel = tessera_travel_tables (stored, request->input_format, FALSE);
  const gsize         floats = 4 * (gsize) rect->width;
  tessera_autoscratch gfloat *pixels = NULL;

  if (gegl_buffer_get_format (request->output) == stored)
    {
      tessera_progress_count (FALSE, (guint64) rect->width * rect->height);
      gegl_buffer_set (request->output, rect, 0, stored, bytes, row);
      return;
    }
  pixels = gegl_scratch_new (gfloat, floats * rect->height);
  for (gint y = 0; y < rect->height; y++)
    tessera_decode (&travel, bytes + y * row, pixels + y * floats, rect->width);
  tessera_write_output (request, rect, pixels, floats * sizeof (gfloat));
}
