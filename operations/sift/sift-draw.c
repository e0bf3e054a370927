/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Draws points: see sift-draw.h.  A pixel's coverage is the largest of all marks, so their order does not matter; of
 * equal ones the first point's color counts.
 */
#include "config.h"

#include "sift-draw.h"
#include "sift-draw-parts.h"
#include "sift-marks.cl.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#define LEAST_RADIUS 2.0
#define MOST_THREADS 256

/* What is drawn of the request's roi, in cells from its first pixel on. */
typedef struct
{
  const TesseraRequest *request;
  const SiftMarks      *marks;
  gboolean              is_laid;        /* the result has the input's pixels already */
  gint                  n_cells, n_rows;
  gint                  next_row;
} Sheet;

/* ----------------------------------------------------------------- marks -- */

static Mark
mark_of (const SiftDrawing *drawing, const SiftPoint *point)
{
  const gdouble radius = MAX (LEAST_RADIUS, drawing->scale * point->sigma), reach = radius + MARK_RIM;
  const gint    octave = (point->octave % SIFT_COLORS + SIFT_COLORS) % SIFT_COLORS;
  const gint    left = (gint) floor (point->x - reach), top = (gint) floor (point->y - reach);

  return (Mark) {
    .shape = { .x = point->x, .y = point->y, .radius = radius,
               .end_x = point->x - radius * tessera_cos_degrees (point->angle - 180.0),
               .end_y = point->y - radius * tessera_sin_degrees (point->angle - 180.0),
               .color = drawing->by_octave ? octave : 0 },
    .box = { left, top, (gint) ceil (point->x + reach) + 1 - left, (gint) ceil (point->y + reach) + 1 - top }
  };
}

static void
make_marks (const SiftDrawing *drawing, SiftMarks *marks)
{
  const SiftList *list = drawing->list;
  const gsize     most = drawing->most > 0 ? MIN ((gsize) drawing->most, list->n) : list->n;
  g_autofree gint *which = sift_strongest (list, most);

  *marks = (SiftMarks) { .drawing = drawing, .marks = g_new (Mark, most), .n = most };
  for (gsize i = 0; i < most; i++)
    marks->marks[i] = mark_of (drawing, &list->points[which[i]]);
}

/* ----------------------------------------------------------------- areas -- */

/* What the marks cover of a pixel. */
typedef struct
{
  gfloat line, rim;
  gint   color;
} Cover;

static inline gboolean
is_covered (const Cover *cover)
{
  return cover->rim > 0.0f || cover->line > 0.0f;
}

static void
cover (const Mark *mark, const GeglRectangle *cell, Cover *covers)
{
  GeglRectangle part;

  gegl_rectangle_intersect (&part, cell, &mark->box);
  for (gint y = part.y; y < part.y + part.height; y++)
    for (gint x = part.x; x < part.x + part.width; x++)
      {
        const gdouble distance = mark_distance (mark->shape, x, y);
        Cover        *at = &covers[(y - cell->y) * MARK_CELL + x - cell->x];
        const gfloat  line = mark_coverage (MARK_LINE, distance);

        if (line > at->line)
          at->color = mark->shape.color;
        at->line = MAX (at->line, line);
        at->rim = MAX (at->rim, MARK_RIM_COVERAGE * mark_coverage (MARK_RIM, distance));
      }
}

/* Cell `i` of a row of cells; `rows`: those of the result that it has. */
static GeglRectangle
cell_of (const GeglRectangle *rows, gint i)
{
  return (GeglRectangle) { rows->x + i * MARK_CELL, rows->y, MIN (MARK_CELL, rows->width - i * MARK_CELL), rows->height };
}

/* A row of cells and what the marks cover of it, cell after cell; a cell far from them all is not touched, and has no flag. */
typedef struct
{
  const SiftMarks     *marks;
  const GeglRectangle *rows;
  Cover               *covers;
  gboolean            *has_mark;
} Covering;

static gboolean
cover_cell (gsize k, gint i, gpointer data)
{
  const Covering     *covering = data;
  const GeglRectangle cell = cell_of (covering->rows, i);
  Cover              *own = covering->covers + (gsize) i * MARK_CELL * MARK_CELL;

  if (! covering->has_mark[i])
    memset (own, 0, MARK_CELL * MARK_CELL * sizeof *own);
  covering->has_mark[i] = TRUE;
  cover (&covering->marks->marks[k], &cell, own);
  return TRUE;
}

/* `over` with coverage `part` on a pixel with straight alpha. */
static void
lay_over (gfloat pixel[4], const gfloat over[3], gfloat part)
{
  const gfloat below = pixel[3] * (1.0f - part), alpha = below + part;

  if (part <= 0.0f)
    return;
  for (gint c = 0; c < 3; c++)
    pixel[c] = mark_mixed (pixel[c], below, over[c], part, alpha);
  pixel[3] = alpha;
}

static void
show_mark (const Sheet *sheet, const Cover *cover, gfloat *pixel)
{
  static const gfloat black[3] = { 0.0f, 0.0f, 0.0f };

  lay_over (pixel, black, cover->rim);
  lay_over (pixel, sheet->marks->drawing->colors[cover->color], cover->line);
}

static void
show_mask (const Sheet *sheet, const GeglRectangle *area, gfloat *pixels)
{
  const SiftList *list = sheet->marks->drawing->list;

  for (gsize i = 0; i < list->n; i++)
    {
      const gint x = (gint) floor (list->points[i].x + 0.5) - area->x, y = (gint) floor (list->points[i].y + 0.5) - area->y;

      if (x >= 0 && x < area->width && y >= 0 && y < area->height)
        pixels[(gsize) y * area->width + x] = 1.0f;
    }
}

/* What a thread draws a row of cells with. */
typedef struct
{
  Cover      *covers;
  gboolean   *has_mark;
  gfloat     *pixels;           /* of the result's format */
  guchar     *stored, *packed;  /* of a cell, as the buffer has them; those of them that a mark covers */
  GeglBuffer *packing;          /* has `packed` */
} Desk;

/* A cell of a result that has the input's pixels: those under a mark alone are read and written, so all others keep their bits. */
static void
draw_cell (const Sheet *sheet, const GeglRectangle *cell, const Cover *covers, const Desk *desk)
{
  GeglBuffer   *output = sheet->request->output;
  const Babl   *format = sheet->request->output_format, *stored = gegl_buffer_get_format (output);
  const gsize   bytes = babl_format_get_bytes_per_pixel (stored);
  GeglRectangle packed = { 0, 0, 0, 1 };
  const Cover  *under[MARK_CELL * MARK_CELL];
  guchar       *at[MARK_CELL * MARK_CELL];
  gint          n = 0;

  gegl_buffer_get (output, cell, 1.0, stored, desk->stored, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gint y = 0; y < cell->height; y++)
    for (gint x = 0; x < cell->width; x++)
      if (is_covered (&covers[y * MARK_CELL + x]))
        {
          under[n] = &covers[y * MARK_CELL + x];
          at[n] = desk->stored + (y * cell->width + x) * bytes;
          memcpy (desk->packed + n * bytes, at[n], bytes);
          n++;
        }
  if (n == 0)
    return;
  packed.width = n;
  tessera_read (desk->packing, &packed, &packed, TESSERA_BORDER_CLAMP, format, desk->pixels);
  for (gint i = 0; i < n; i++)
    show_mark (sheet, under[i], desk->pixels + 4 * i);
  tessera_write (desk->packing, &packed, format, desk->pixels, n * 4 * sizeof (gfloat));
  for (gint i = 0; i < n; i++)
    memcpy (at[i], desk->packed + i * bytes, bytes);
  gegl_buffer_set (output, cell, 0, stored, desk->stored, GEGL_AUTO_ROWSTRIDE);
}

/* A row of cells of another result. */
static void
draw_rows (const Sheet *sheet, const GeglRectangle *rows, const Desk *desk)
{
  const TesseraRequest *request = sheet->request;
  const Babl           *format = request->output_format;
  const gsize           row = (gsize) babl_format_get_n_components (format) * rows->width;

  if (sheet->marks->drawing->picture == SIFT_OVERLAY)
    tessera_read (request->input, rows, &request->bounds, TESSERA_BORDER_CLAMP, format, desk->pixels);
  else
    memset (desk->pixels, 0, row * rows->height * sizeof (gfloat));
  if (sheet->marks->drawing->picture == SIFT_MASK)
    show_mask (sheet, rows, desk->pixels);
  else
    for (gint i = 0; i < sheet->n_cells; i++)
      for (gint k = 0; k < MARK_CELL * MARK_CELL && desk->has_mark[i]; k++)
        {
          const Cover *cover = &desk->covers[(gsize) i * MARK_CELL * MARK_CELL + k];

          if (is_covered (cover))
            show_mark (sheet, cover, desk->pixels + k / MARK_CELL * row + 4 * (i * MARK_CELL + k % MARK_CELL));
        }
  tessera_write (request->output, rows, format, desk->pixels, row * sizeof (gfloat));
}

static void
draw_rows_of_cells (gint thread G_GNUC_UNUSED, gint n_threads G_GNUC_UNUSED, gpointer data)
{
  Sheet               *sheet = data;
  const GeglRectangle *roi = &sheet->request->roi;
  const Babl          *stored = gegl_buffer_get_format (sheet->request->output);
  const gsize          cells = sheet->is_laid ? 1 : sheet->n_cells;
  tessera_autoscratch Cover    *covers = gegl_scratch_new (Cover, (gsize) sheet->n_cells * MARK_CELL * MARK_CELL);
  tessera_autoscratch gboolean *has_mark = gegl_scratch_new (gboolean, sheet->n_cells);
  tessera_autoscratch gfloat   *pixels = gegl_scratch_new (gfloat, cells * 4 * MARK_CELL * MARK_CELL);
  tessera_autoscratch guchar   *cell_bytes = gegl_scratch_new (guchar, 2 * MARK_CELL * MARK_CELL * babl_format_get_bytes_per_pixel (stored));
  Desk desk = { .covers = covers, .has_mark = has_mark, .pixels = pixels, .stored = cell_bytes,
                .packed = cell_bytes + MARK_CELL * MARK_CELL * babl_format_get_bytes_per_pixel (stored) };
  gint i;

  desk.packing = tessera_reached_buffer (desk.packed, stored, GEGL_RECTANGLE (0, 0, MARK_CELL * MARK_CELL, 1));
  while ((i = g_atomic_int_add (&sheet->next_row, 1)) < sheet->n_rows)
    {
      const GeglRectangle rows = { roi->x, roi->y + i * MARK_CELL, roi->width, MIN (MARK_CELL, roi->height - i * MARK_CELL) };

      if (sheet->marks->drawing->picture != SIFT_MASK)
        {
          memset (has_mark, 0, sheet->n_cells * sizeof *has_mark);
          sift_visit_cells (sheet->marks, &rows, cover_cell, &(Covering) { sheet->marks, &rows, covers, has_mark });
        }
      if (! sheet->is_laid)
        draw_rows (sheet, &rows, &desk);
      for (gint c = 0; c < sheet->n_cells && sheet->is_laid; c++)
        if (has_mark[c])
          {
            const GeglRectangle cell = cell_of (&rows, c);

            draw_cell (sheet, &cell, covers + (gsize) c * MARK_CELL * MARK_CELL, &desk);
          }
    }
  g_object_unref (desk.packing);
}

/* ----------------------------------------------------------------- input -- */

typedef struct
{
  const TesseraRequest *request;
  gint                  tile, top;      /* rows of the result's tiles; the first of a tile, at or above the result's first */
} Laying;

/* Rows of the result's tiles: GEGL shares whole ones with the input. */
static void
lay_rows (gsize first, gsize n, gpointer data)
{
  const Laying        *laying = data;
  const GeglRectangle *roi = &laying->request->roi;
  GeglRectangle        rows = { roi->x, laying->top + (gint) first * laying->tile, roi->width, (gint) n * laying->tile };

  gegl_rectangle_intersect (&rows, &rows, roi);
  gegl_buffer_copy (laying->request->input, &rows, GEGL_ABYSS_NONE, laying->request->output, &rows);
}

/* Puts the input's pixels into a result that stores pixels as the input does.  What no mark covers then keeps its bits, and is neither converted nor, mostly,
 * copied. */
static gboolean
lay_input (const TesseraRequest *request)
{
  const GeglRectangle *roi = &request->roi;
  Laying               laying = { .request = request };

  if (! gegl_rectangle_contains (&request->bounds, roi)
      || gegl_buffer_get_format (request->input) != gegl_buffer_get_format (request->output))
    return FALSE;
  g_object_get (request->output, "tile-height", &laying.tile, NULL);
  laying.top = (gint) floor ((gdouble) roi->y / laying.tile) * laying.tile;
  tessera_spread_range ((roi->y + roi->height - laying.top + laying.tile - 1) / laying.tile,
                        64.0 * 64.0 / laying.tile / roi->width, lay_rows, &laying);
  return TRUE;
}

/* --------------------------------------------------------------- drawing -- */

static void
draw_in_c (const TesseraRequest *request)
{
  const GeglRectangle *roi = &request->roi;
  Sheet                sheet = { .request = request, .marks = request->params,
                                 .n_cells = sift_cells_in (roi->width), .n_rows = sift_cells_in (roi->height) };

  sheet.is_laid = sheet.marks->drawing->picture == SIFT_OVERLAY && lay_input (request);
  gegl_parallel_distribute (MIN (sheet.n_rows, MOST_THREADS), draw_rows_of_cells, &sheet);
}

static const TesseraFilter marks_filter = {
  .name = "sift-marks", .source = tessera_sift_marks_cl,
  .spread = draw_in_c, .scratch_bytes = sift_marks_device_bytes, .device = sift_marks_on_device, .needs_doubles = TRUE
};

static const TesseraFilter marks_in_c = { .name = "sift-marks", .spread = draw_in_c };

/* On the device each pixel is converted to the format in which marks are drawn, and back: there one without a mark must keep its bits. */
gboolean
sift_draws_apart (const TesseraRequest *request, SiftPicture picture)
{
  const Babl *stored = gegl_buffer_get_format (request->input), *type = babl_format_get_type (stored, 0);

  return picture == SIFT_OVERLAY
         && (stored == request->output_format || stored != gegl_buffer_get_format (request->output)
             || ((type == babl_type ("u8") || type == babl_type ("u16")) && ! (babl_get_model_flags (stored) & BABL_MODEL_FLAG_ASSOCIATED)));
}

gboolean
sift_draw (const TesseraRequest *request, const SiftDrawing *drawing)
{
  TesseraRequest drawn = *request;
  SiftMarks      marks;
  gboolean       done = TRUE;

  make_marks (drawing, &marks);
  drawn.filter = &marks_in_c;
  drawn.params = &marks;
  drawn.input_format = drawn.output_format;
  drawn.halo = (TesseraHalo) { 0, 0, 0, 0 };
  drawn.border = TESSERA_BORDER_CLAMP;
  if (! sift_draws_apart (request, drawing->picture))
    draw_in_c (&drawn);
  else
    {
      if (gegl_operation_use_opencl (request->errand.operation) && sift_marks_list (&marks, &request->roi))
        {
          drawn.filter = &marks_filter;
          drawn.cost_class = g_bit_storage (marks.n_listed / ((gsize) marks.cells * marks.rows));
        }
      done = tessera_process (&drawn);
    }
  g_free (marks.marks);
  g_free (marks.shapes);
  g_free (marks.starts);
  g_free (marks.numbers);
  return done;
}
