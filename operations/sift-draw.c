/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Draws points: see sift-draw.h.  A pixel's coverage is the largest of all marks, so their order does not matter; of
 * equal ones the first point's color counts.
 */
#include "config.h"

#include "sift-draw.h"

#include <gegl-plugin.h>
#include <math.h>
#include <string.h>

#define LINE         1.5        /* width, in pixels */
#define RIM          3.5        /* width of the line with its dark rim */
#define RIM_COVERAGE 0.5
#define LEAST_RADIUS 2.0
#define ROWS         32         /* that are drawn at a time, ... */
#define CELL         32         /* ... and columns, of an input that is laid under the marks */

typedef struct
{
  gdouble x, y, radius;
  gdouble end_x, end_y;         /* of the line from the middle */
  gint    color;
  gint    top, bottom;          /* rows that it may touch */
} Mark;

typedef struct
{
  const TesseraRequest *request;
  const SiftDrawing    *drawing;
  Mark                 *marks;
  gint                  n;
  gboolean              is_laid;        /* the result has the input's pixels already */
  gint                  tile, top;      /* rows of the result's tiles; the first of a tile, at or above the result's first */
} Sheet;

/* ----------------------------------------------------------------- marks -- */

static Mark
mark_of (const SiftDrawing *drawing, const SiftPoint *point)
{
  const gdouble radius = MAX (LEAST_RADIUS, drawing->scale * point->sigma), reach = radius + RIM;
  const gint    octave = (point->octave % SIFT_COLORS + SIFT_COLORS) % SIFT_COLORS;

  return (Mark) {
    .x = point->x, .y = point->y, .radius = radius,
    .end_x = point->x - radius * tessera_cos_degrees (point->angle - 180.0),
    .end_y = point->y - radius * tessera_sin_degrees (point->angle - 180.0),
    .color = drawing->by_octave ? octave : 0,
    .top = (gint) floor (point->y - reach), .bottom = (gint) ceil (point->y + reach) + 1
  };
}

static Mark *
make_marks (const SiftDrawing *drawing, gint *n)
{
  const SiftList *list = drawing->list;
  const gsize     most = drawing->most > 0 ? MIN ((gsize) drawing->most, list->n) : list->n;
  g_autofree gint *which = sift_strongest (list, most);
  Mark           *marks = g_new (Mark, most);

  for (gsize i = 0; i < most; i++)
    marks[i] = mark_of (drawing, &list->points[which[i]]);
  *n = (gint) most;
  return marks;
}

/* From a pixel to the nearest part of a mark. */
static gdouble
distance_to (const Mark *mark, gdouble x, gdouble y)
{
  const gdouble dx = x - mark->x, dy = y - mark->y, ex = mark->end_x - mark->x, ey = mark->end_y - mark->y;
  const gdouble along = CLAMP ((dx * ex + dy * ey) / (mark->radius * mark->radius), 0.0, 1.0);
  const gdouble lx = dx - along * ex, ly = dy - along * ey;

  return MIN (fabs (sqrt (dx * dx + dy * dy) - mark->radius), sqrt (lx * lx + ly * ly));
}

static gfloat
coverage (gdouble width, gdouble distance)
{
  return (gfloat) CLAMP (0.5 * width + 0.5 - distance, 0.0, 1.0);
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
cover (const Mark *mark, const GeglRectangle *rows, Cover *covers)
{
  const gint left = MAX (rows->x, (gint) floor (mark->x - mark->radius - RIM));
  const gint right = MIN (rows->x + rows->width, (gint) ceil (mark->x + mark->radius + RIM) + 1);

  for (gint y = MAX (rows->y, mark->top); y < MIN (rows->y + rows->height, mark->bottom); y++)
    for (gint x = left; x < right; x++)
      {
        const gdouble distance = distance_to (mark, x, y);
        Cover        *at = &covers[(gsize) (y - rows->y) * rows->width + x - rows->x];
        const gfloat  line = coverage (LINE, distance);

        if (line > at->line)
          at->color = mark->color;
        at->line = MAX (at->line, line);
        at->rim = MAX (at->rim, (gfloat) RIM_COVERAGE * coverage (RIM, distance));
      }
}

static void
cover_rows (const Sheet *sheet, const GeglRectangle *rows, Cover *covers)
{
  memset (covers, 0, (gsize) rows->width * rows->height * sizeof *covers);
  for (gint i = 0; i < sheet->n; i++)
    if (sheet->marks[i].top < rows->y + rows->height && sheet->marks[i].bottom > rows->y)
      cover (&sheet->marks[i], rows, covers);
}

/* `over` with coverage `part` on a pixel with straight alpha. */
static void
lay_over (gfloat pixel[4], const gfloat over[3], gfloat part)
{
  const gfloat below = pixel[3] * (1.0f - part), alpha = below + part;

  if (part <= 0.0f)
    return;
  for (gint c = 0; c < 3; c++)
    pixel[c] = below > 0.0f ? (pixel[c] * below + over[c] * part) / alpha : over[c];
  pixel[3] = alpha;
}

static void
show_marks (const Sheet *sheet, const Cover *covers, gint n, gfloat *pixels)
{
  static const gfloat black[3] = { 0.0f, 0.0f, 0.0f };

  for (gint i = 0; i < n; i++)
    {
      lay_over (pixels + 4 * i, black, covers[i].rim);
      lay_over (pixels + 4 * i, sheet->drawing->colors[covers[i].color], covers[i].line);
    }
}

static void
show_mask (const Sheet *sheet, const GeglRectangle *area, gfloat *pixels)
{
  const SiftList *list = sheet->drawing->list;

  for (gsize i = 0; i < list->n; i++)
    {
      const gint x = (gint) floor (list->points[i].x + 0.5) - area->x, y = (gint) floor (list->points[i].y + 0.5) - area->y;

      if (x >= 0 && x < area->width && y >= 0 && y < area->height)
        pixels[(gsize) y * area->width + x] = 1.0f;
    }
}

/* Into the result what was laid there, where no mark is: its bits, whatever the format's conversions make of them. */
static void
restore (const Sheet *sheet, const GeglRectangle *area, const Cover *covers, gint stride)
{
  const Babl  *stored = gegl_buffer_get_format (sheet->request->input);
  const gsize  bytes = babl_format_get_bytes_per_pixel (stored), n = (gsize) area->width * area->height;
  g_autofree guchar *laid = g_malloc (n * bytes), *drawn = g_malloc (n * bytes);

  gegl_buffer_get (sheet->request->input, area, 1.0, stored, laid, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  gegl_buffer_get (sheet->request->output, area, 1.0, stored, drawn, GEGL_AUTO_ROWSTRIDE, GEGL_ABYSS_NONE);
  for (gsize i = 0; i < n; i++)
    if (! is_covered (&covers[i / area->width * stride + i % area->width]))
      memcpy (drawn + i * bytes, laid + i * bytes, bytes);
  gegl_buffer_set (sheet->request->output, area, 0, stored, drawn, GEGL_AUTO_ROWSTRIDE);
}

/* An area of the result; `stride`: from row to row of what covers it. */
static void
draw_area (const Sheet *sheet, const GeglRectangle *area, const Cover *covers, gint stride)
{
  const TesseraRequest *request = sheet->request;
  const Babl           *format = request->output_format;
  const gsize           row = (gsize) babl_format_get_n_components (format) * area->width;
  g_autofree gfloat *pixels = g_new0 (gfloat, row * area->height);

  if (sheet->drawing->picture == SIFT_OVERLAY)
    tessera_read (request->input, area, &request->bounds, TESSERA_BORDER_CLAMP, format, pixels);
  if (sheet->drawing->picture == SIFT_MASK)
    show_mask (sheet, area, pixels);
  else
    for (gint y = 0; y < area->height; y++)
      show_marks (sheet, covers + (gsize) y * stride, area->width, pixels + y * row);
  tessera_write (request->output, area, format, pixels, row * sizeof (gfloat));
  if (sheet->is_laid && format != gegl_buffer_get_format (request->output))
    restore (sheet, area, covers, stride);
}

/* Those parts of some rows where a mark is. */
static void
draw_cells (const Sheet *sheet, const GeglRectangle *rows, const Cover *covers)
{
  for (gint x = 0; x < rows->width; x += CELL)
    {
      const GeglRectangle cell = { rows->x + x, rows->y, MIN (CELL, rows->width - x), rows->height };
      gboolean            has_mark = FALSE;

      for (gint y = 0; y < cell.height && ! has_mark; y++)
        for (gint i = 0; i < cell.width && ! has_mark; i++)
          has_mark = is_covered (&covers[(gsize) y * rows->width + x + i]);
      if (has_mark)
        draw_area (sheet, &cell, covers + x, rows->width);
    }
}

static void
draw_rows (gsize first, gsize n, gpointer data)
{
  const Sheet         *sheet = data;
  const GeglRectangle *roi = &sheet->request->roi;
  g_autofree Cover    *covers = sheet->drawing->picture == SIFT_MASK ? NULL : g_new (Cover, (gsize) roi->width * ROWS);

  for (gint i = (gint) first; i < (gint) (first + n); i++)
    {
      const GeglRectangle rows = { roi->x, roi->y + i * ROWS, roi->width, MIN (ROWS, roi->height - i * ROWS) };

      if (covers)
        cover_rows (sheet, &rows, covers);
      if (sheet->is_laid)
        draw_cells (sheet, &rows, covers);
      else
        draw_area (sheet, &rows, covers, rows.width);
    }
}

/* Rows of the result's tiles: GEGL shares whole ones with the input. */
static void
lay_rows (gsize first, gsize n, gpointer data)
{
  const Sheet         *sheet = data;
  const GeglRectangle *roi = &sheet->request->roi;
  GeglRectangle        rows = { roi->x, sheet->top + (gint) first * sheet->tile, roi->width, (gint) n * sheet->tile };

  gegl_rectangle_intersect (&rows, &rows, roi);
  gegl_buffer_copy (sheet->request->input, &rows, GEGL_ABYSS_NONE, sheet->request->output, &rows);
}

/* What lies under the marks, where the result's pixels are stored as the input's.  Without it all pixels are read and written, Price: 1.3 (sift, 24 Mpix
 * float, into a buffer; H200, 2026-11-28). */
static void
lay_input (Sheet *sheet)
{
  const TesseraRequest *request = sheet->request;
  const GeglRectangle  *roi = &request->roi;

  sheet->is_laid = sheet->drawing->picture == SIFT_OVERLAY && gegl_rectangle_contains (&request->bounds, roi)
                   && gegl_buffer_get_format (request->input) == gegl_buffer_get_format (request->output);
  if (! sheet->is_laid)
    return;
  g_object_get (request->output, "tile-height", &sheet->tile, NULL);
  sheet->top = (gint) floor ((gdouble) roi->y / sheet->tile) * sheet->tile;
  gegl_parallel_distribute_range ((roi->y + roi->height - sheet->top + sheet->tile - 1) / sheet->tile,
                                  64.0 * 64.0 / sheet->tile / roi->width, lay_rows, sheet);
}

void
sift_draw (const TesseraRequest *request, const SiftDrawing *drawing)
{
  Sheet sheet = { .request = request, .drawing = drawing };

  sheet.marks = make_marks (drawing, &sheet.n);
  lay_input (&sheet);
  gegl_parallel_distribute_range ((request->roi.height + ROWS - 1) / ROWS, 64.0 * 64.0 / ROWS / request->roi.width, draw_rows,
                                  &sheet);
  g_free (sheet.marks);
}
