/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:label in C: the result, from the runs and the numbers of their components (label-runs.c).
 */
#include "config.h"

#include "label.h"
#include "planes.h"

#include "../../opencl/math/tessera-convert.h"
#include "../../opencl/math/tessera-label.h"

/* What a component is painted with: LABEL_COLORS four floats, else one word. */
static inline Pixel
paint_of (const Label *label, gint number)
{
  const gint  color = number && label->result <= LABEL_COLORS ? label_color (number) : 0;
  const union { guint8 bytes[4]; gfloat value; } code = { { color & 255, color >> 8 & 255, color >> 16 & 255, 255 } };

  if (label->result > LABEL_COLORS)
    return (Pixel) { label->result == LABEL_INDEX ? number : number > 0 };
  return label->result == LABEL_BYTES ? (Pixel) { code.value }
         : (Pixel) { label->values[color & 255], label->values[color >> 8 & 255], label->values[color >> 16 & 255], 1.0f };
}

/* Columns x to x + width of one row. *run is the row's first run that ends behind x; it moves on. */
static void
paint_row (const Labelling *l, const LabelStrip *strip, gint end_run, gint x, gint width, gint *run, gfloat *row)
{
  const gboolean is_wide = l->label->result == LABEL_COLORS;
  const Pixel    none = paint_of (l->label, 0);
  gint           at = 0;

  for (gint i = *run; at < width; i++)
    {
      const gboolean is_run = i < end_run;
      const gint     begin = is_run ? CLAMP (strip->edges[2 * i] - x, 0, width) : width;
      const gint     end = is_run ? MIN (strip->edges[2 * i + 1] - x, width) : width;
      const Pixel    paint = is_run ? paint_of (l->label, l->components[strip->first_component + strip->parents[i]]) : none;

      if (is_wide)
        {
          for (; at < begin; at++)
            ((Pixel *) row)[at] = none;
          for (; at < end; at++)
            ((Pixel *) row)[at] = paint;
        }
      for (; at < begin; at++)
        row[at] = none[0];
      for (; at < end; at++)
        row[at] = paint[0];
      if (is_run && strip->edges[2 * i + 1] - x <= width)
        *run = i + 1;
    }
}

/* Gives n colours the alpha of the input. */
static void
put_alpha (const Label *label, const gfloat *in, gint n, gfloat *row)
{
  for (gint i = 0; i < n; i++)
    {
      const gfloat alpha = in[4 * i + 3], factor = label->is_associated ? alpha_factor (alpha) : 1.0f;

      if (label->result == LABEL_BYTES)
        {
          ((guint8 *) row)[4 * i + 3] = quantised (alpha, 255.0f);
          continue;
        }
      ((Pixel *) row)[i] *= (Pixel) { factor, factor, factor, 1.0f };
      row[4 * i + 3] = alpha;
    }
}

/* The part of the roi that lies in a strip.  `in`: room for the input's pixels. */
static void
paint_strip (const Labelling *l, const LabelStrip *strip, gfloat *pixels, gfloat *in)
{
  const gboolean        has_alpha = ! strip->is_opaque && l->label->result <= LABEL_COLORS;
  const TesseraRequest *request = l->request;
  const GeglRectangle  *roi = &request->roi;
  const gsize           pixel = babl_format_get_bytes_per_pixel (request->output_format);
  const gint            left = roi->x - l->image.x, right = left + roi->width;
  const gint            top = MAX (roi->y - l->image.y, strip->y);
  const gint            bottom = MIN (roi->y - l->image.y + roi->height, strip->y + strip->height);
  gint                  runs[LABEL_STRIP_HEIGHT];

  for (gint y = top; y < bottom; y++)
    {
      const gint row = y - strip->y;

      for (runs[row] = strip->rows[row]; runs[row] < strip->rows[row + 1]
                                         && strip->edges[2 * runs[row] + 1] <= left; runs[row]++);
    }
  for (gint x = left; x < right && top < bottom; x += LABEL_BLOCK_WIDTH)
    {
      const GeglRectangle block = { l->image.x + x, l->image.y + top, MIN (LABEL_BLOCK_WIDTH, right - x), bottom - top };
      const gsize         row_bytes = block.width * pixel;

      if (has_alpha)
        tessera_read_input (request, &block, in);
      for (gint y = top; y < bottom; y++)
        {
          gfloat *row = (gfloat *) ((guint8 *) pixels + (y - top) * row_bytes);

          paint_row (l, strip, strip->rows[y - strip->y + 1], x, block.width, &runs[y - strip->y], row);
          if (has_alpha)
            put_alpha (l->label, in + 4 * (gsize) (y - top) * block.width, block.width, row);
        }
      tessera_write_output (request, &block, pixels, row_bytes);
    }
}

void
label_paint_strips (gint thread G_GNUC_UNUSED, gint n_threads G_GNUC_UNUSED, gpointer data)
{
  Labelling *l = data;
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * LABEL_BLOCK_WIDTH * LABEL_STRIP_HEIGHT);
  tessera_autoscratch gfloat *in = gegl_scratch_new (gfloat, 4 * LABEL_BLOCK_WIDTH * LABEL_STRIP_HEIGHT);
  gint       s;

  while ((s = g_atomic_int_add (&l->next, 1)) < l->n_strips)
    paint_strip (l, &l->strips[s], pixels, in);
}
