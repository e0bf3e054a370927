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
#define ROWS         32         /* that are drawn at a time */

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

/* ------------------------------------------------------------------ rows -- */

/* What the marks cover of some rows. */
typedef struct
{
  gfloat line, rim;
  gint   color;
} Cover;

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
show_marks (const Sheet *sheet, const GeglRectangle *rows, gfloat *pixels)
{
  static const gfloat black[3] = { 0.0f, 0.0f, 0.0f };
  const gsize         n = (gsize) rows->width * rows->height;
  g_autofree Cover *covers = g_new0 (Cover, n);

  for (gint i = 0; i < sheet->n; i++)
    if (sheet->marks[i].top < rows->y + rows->height && sheet->marks[i].bottom > rows->y)
      cover (&sheet->marks[i], rows, covers);
  for (gsize i = 0; i < n; i++)
    {
      lay_over (pixels + 4 * i, black, covers[i].rim);
      lay_over (pixels + 4 * i, sheet->drawing->colors[covers[i].color], covers[i].line);
    }
}

static void
show_mask (const Sheet *sheet, const GeglRectangle *rows, gfloat *pixels)
{
  const SiftList *list = sheet->drawing->list;

  for (gsize i = 0; i < list->n; i++)
    {
      const gint x = (gint) floor (list->points[i].x + 0.5) - rows->x, y = (gint) floor (list->points[i].y + 0.5) - rows->y;

      if (x >= 0 && x < rows->width && y >= 0 && y < rows->height)
        pixels[(gsize) y * rows->width + x] = 1.0f;
    }
}

static void
draw_rows (gsize first, gsize n, gpointer data)
{
  const Sheet          *sheet = data;
  const TesseraRequest *request = sheet->request;
  const Babl           *format = request->output_format;
  const gint            components = babl_format_get_n_components (format);
  const gsize           row = (gsize) components * request->roi.width;
  g_autofree gfloat *pixels = g_new (gfloat, row * ROWS);

  for (gint i = (gint) first; i < (gint) (first + n); i++)
    {
      GeglRectangle rows = { request->roi.x, request->roi.y + i * ROWS, request->roi.width, ROWS };

      rows.height = MIN (ROWS, request->roi.y + request->roi.height - rows.y);
      if (sheet->drawing->picture == SIFT_OVERLAY)
        tessera_read (request->input, &rows, &request->bounds, TESSERA_BORDER_CLAMP, format, pixels);
      else
        memset (pixels, 0, row * rows.height * sizeof (gfloat));
      if (sheet->drawing->picture == SIFT_MASK)
        show_mask (sheet, &rows, pixels);
      else
        show_marks (sheet, &rows, pixels);
      tessera_write (request->output, &rows, format, pixels, row * sizeof (gfloat));
    }
}

void
sift_draw (const TesseraRequest *request, const SiftDrawing *drawing)
{
  Sheet sheet = { .request = request, .drawing = drawing };

  sheet.marks = make_marks (drawing, &sheet.n);
  gegl_parallel_distribute_range ((request->roi.height + ROWS - 1) / ROWS, 64.0 * 64.0 / ROWS / request->roi.width, draw_rows,
                                  &sheet);
  g_free (sheet.marks);
}
