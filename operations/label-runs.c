/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:label in C.  Strips of rows are read, cut into runs and joined within on all
 * threads; their components are joined along the strips' edges and numbered on one; then
 * all threads paint.  Runs and components are numbered in raster order and a tree's root is
 * its smallest number, so that nothing depends on strips or threads.
 */
#include "config.h"

#include "label.h"

#include <gegl-plugin.h>
#include <string.h>

#include "../opencl/math/tessera-label.h"

#define STRIP_HEIGHT 64
#define BLOCK_WIDTH  256
#define MOST_THREADS 256

/* Rows of the image with their runs of foreground, from edges[2 k] to edges[2 k + 1] - 1. */
typedef struct
{
  gint   y, height;
  gint  *edges, n_edges, room;
  gint  *parents;               /* of runs, then their components, counted from the strip's first */
  gint   rows[STRIP_HEIGHT + 1];        /* the first run of each row */
  gint  *areas;                 /* of components */
  gint   n_components, first_component;
} Strip;

typedef struct
{
  const TesseraRequest *request;
  const Label          *label;
  GeglRectangle         image;
  Strip                *strips;
  gint                  n_strips;
  gint                 *components;     /* their parents, then their labels, 0 of what is left out */
  gint                 *areas;
  gint                  next;           /* atomic: the next strip to work on */
} Labelling;

/* ------------------------------------------------------------ foreground -- */

TESSERA_CLONES static void
mark_foreground (const gfloat *restrict pixels, gint n, const Label *label, guint8 *restrict marks)
{
  const gfloat red = label->weights[0], green = label->weights[1], blue = label->weights[2];
  const gfloat threshold = label->threshold;

  if (label->by_alpha)
    for (gint i = 0; i < n; i++)
      marks[i] = pixels[4 * i + 3] >= threshold;
  else
    for (gint i = 0; i < n; i++)
      marks[i] = (red * pixels[4 * i] + green * pixels[4 * i + 1]) + blue * pixels[4 * i + 2] >= threshold;
}

/* A byte for each pixel of the strip, 1 where it is foreground. */
static void
read_strip (const Labelling *l, const Strip *strip, gfloat *pixels, guint8 *marks)
{
  const TesseraRequest *request = l->request;

  for (gint x = 0; x < l->image.width; x += BLOCK_WIDTH)
    {
      const gint width = MIN (BLOCK_WIDTH, l->image.width - x);

      tessera_read (request->input, GEGL_RECTANGLE (l->image.x + x, l->image.y + strip->y, width, strip->height),
                    &request->bounds, request->border, request->input_format, pixels);
      for (gint y = 0; y < strip->height; y++)
        mark_foreground (pixels + 4 * (gsize) y * width, width, l->label, marks + (gsize) y * l->image.width + x);
    }
}

/* ------------------------------------------------------------------ runs -- */

/* Where marks change: without branches, since a random image would mislead them, but in
 * words of 8 pixels that do not change. */
static void
find_runs (Strip *strip, const guint8 *marks, gint width)
{
  gint   n = strip->n_edges, x = 0;
  gint  *edges;
  guint8 before = 0;

  if (strip->room < n + width + 2)
    {
      strip->room = MAX (2 * strip->room, n + width + 2);
      strip->edges = g_renew (gint, strip->edges, strip->room);
    }
  edges = strip->edges;
  while (x < width)
    {
      guint64 word;

      if (x + 8 <= width)
        {
          memcpy (&word, marks + x, 8);
          if (word == before * G_GUINT64_CONSTANT (0x0101010101010101))
            {
              x += 8;
              continue;
            }
        }
      for (gint end = MIN (x + 8, width); x < end; x++)
        {
          edges[n] = x;
          n += marks[x] ^ before;
          before = marks[x];
        }
    }
  if (before)
    edges[n++] = width;
  strip->n_edges = n;
}

/* The root above i; every other step on the way is made to skip one. */
static inline gint
find_root (gint *parents, gint i)
{
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

static inline void
join (gint *parents, gint a, gint b)
{
  a = find_root (parents, a);
  b = find_root (parents, b);
  parents[MAX (a, b)] = MIN (a, b);
}

/* Calls JOIN (above, below) for all runs of two rows that touch. */
#define FOR_TOUCHING_RUNS(edges_above, above_begin, above_end, edges_below, below_begin, below_end, reach, JOIN) \
  for (gint below = (below_begin), first = (above_begin); below < (below_end); below++)                 \
    {                                                                                                   \
      const gint left = (edges_below)[2 * below] - (reach), right = (edges_below)[2 * below + 1] + (reach); \
                                                                                                        \
      while (first < (above_end) && (edges_above)[2 * first + 1] <= left)                               \
        first++;                                                                                        \
      for (gint above = first; above < (above_end) && (edges_above)[2 * above] < right; above++)        \
        JOIN (above, below);                                                                            \
    }

static void
join_runs (Strip *strip, gint diagonals)
{
  const gint n = strip->n_edges / 2;
  gint      *parents = strip->parents = g_new (gint, MAX (n, 1));

#define JOIN_RUNS(above, below) join (parents, above, below)
  for (gint i = 0; i < n; i++)
    parents[i] = i;
  for (gint y = 1; y < strip->height; y++)
    FOR_TOUCHING_RUNS (strip->edges, strip->rows[y - 1], strip->rows[y],
                       strip->edges, strip->rows[y], strip->rows[y + 1], diagonals, JOIN_RUNS)
}

/* Roots are numbered, the others take the number of their parent, which comes before them. */
static void
number_runs (Strip *strip)
{
  const gint n = strip->n_edges / 2;
  gint      *parents = strip->parents, count = 0;

  for (gint i = 0; i < n; i++)
    count += parents[i] == i;
  strip->areas = g_new0 (gint, MAX (count, 1));
  strip->n_components = count;
  count = 0;
  for (gint i = 0; i < n; i++)
    {
      parents[i] = parents[i] == i ? count++ : parents[parents[i]];
      strip->areas[parents[i]] += strip->edges[2 * i + 1] - strip->edges[2 * i];
    }
}

static void
scan_strips (gint thread G_GNUC_UNUSED, gint n_threads G_GNUC_UNUSED, gpointer data)
{
  Labelling *l = data;
  gfloat    *pixels = gegl_scratch_new (gfloat, 4 * BLOCK_WIDTH * STRIP_HEIGHT);
  guint8    *marks = g_malloc ((gsize) l->image.width * MIN (STRIP_HEIGHT, l->image.height));
  gint       s;

  while ((s = g_atomic_int_add (&l->next, 1)) < l->n_strips)
    {
      Strip *strip = &l->strips[s];

      read_strip (l, strip, pixels, marks);
      for (gint y = 0; y < strip->height; y++)
        {
          strip->rows[y] = strip->n_edges / 2;
          find_runs (strip, marks + (gsize) y * l->image.width, l->image.width);
        }
      strip->rows[strip->height] = strip->n_edges / 2;
      join_runs (strip, l->label->diagonals);
      number_runs (strip);
    }
  g_free (marks);
  gegl_scratch_free (pixels);
}

/* ------------------------------------------------------------ components -- */

static void
gather_components (Labelling *l)
{
  gint n = 0;

  for (gint s = 0; s < l->n_strips; s++)
    {
      l->strips[s].first_component = n;
      n += l->strips[s].n_components;
    }
  l->components = g_new (gint, MAX (n, 1));
  l->areas = g_new (gint, MAX (n, 1));
  for (gint i = 0; i < n; i++)
    l->components[i] = i;
  for (gint s = 0; s < l->n_strips; s++)
    {
      Strip *strip = &l->strips[s];

      memcpy (l->areas + strip->first_component, strip->areas, strip->n_components * sizeof (gint));
      g_clear_pointer (&strip->areas, g_free);
    }
}

/* Components that touch where two strips meet. */
static void
join_strips (Labelling *l)
{
#define JOIN_STRIPS(over, under)                                                \
  join (l->components, a->first_component + a->parents[over], b->first_component + b->parents[under])

  for (gint s = 1; s < l->n_strips; s++)
    {
      const Strip *a = &l->strips[s - 1], *b = &l->strips[s];

      FOR_TOUCHING_RUNS (a->edges, a->rows[a->height - 1], a->rows[a->height],
                         b->edges, b->rows[0], b->rows[1], l->label->diagonals, JOIN_STRIPS)
    }
}

/* All areas to the roots; then labels in place of parents, which come first.  Returns the count. */
static gint
number_components (Labelling *l)
{
  const Strip *last = &l->strips[l->n_strips - 1];
  const gint   n = last->first_component + last->n_components;
  gint         count = 0;

  for (gint i = 0; i < n; i++)
    if (l->components[i] != i)
      {
        l->components[i] = l->components[l->components[i]];
        l->areas[l->components[i]] += l->areas[i];
      }
  for (gint i = 0; i < n; i++)
    if (l->components[i] == i)
      l->components[i] = l->areas[i] >= l->label->min_area ? ++count : 0;
    else
      l->components[i] = l->components[l->components[i]];
  return count;
}

/* ----------------------------------------------------------------- paint -- */

typedef gfloat Pixel __attribute__ ((vector_size (16), aligned (4), may_alias));

typedef union
{
  guint8 bytes[4];
  gfloat value;
} Word;

static Word
word_of (const Label *label, gint number)
{
  const gint color = label->result == LABEL_BYTES && number ? label_color (number) : 0;
  Word       word = { .bytes = { color & 255, color >> 8 & 255, color >> 16 & 255, 255 } };

  if (label->result == LABEL_INDEX)
    word.value = number;
  else if (label->result == LABEL_MASK)
    word.value = number > 0;
  return word;
}

static Pixel
color_of (const Label *label, gint number)
{
  const gint color = number ? label_color (number) : 0;

  return (Pixel) { label->values[color & 255], label->values[color >> 8 & 255],
                   label->values[color >> 16 & 255], 1.0f };
}

/* Columns x to x + width of one row; *run is its first run that ends behind x, and moves on. */
static void
paint_row (const Labelling *l, const Strip *strip, gint end_run, gint x, gint width, gint *run, gfloat *row)
{
  const Label *label = l->label;
  gint         at = 0;

  for (gint i = *run; at < width; i++)
    {
      const gboolean is_run = i < end_run;
      const gint     begin = is_run ? CLAMP (strip->edges[2 * i] - x, 0, width) : width;
      const gint     end = is_run ? MIN (strip->edges[2 * i + 1] - x, width) : width;
      const gint     number = is_run ? l->components[strip->first_component + strip->parents[i]] : 0;

      if (label->result == LABEL_COLORS)
        {
          const Pixel none = color_of (label, 0), color = color_of (label, number);

          for (; at < begin; at++)
            ((Pixel *) row)[at] = none;
          for (; at < end; at++)
            ((Pixel *) row)[at] = color;
        }
      else
        {
          const gfloat none = word_of (label, 0).value, word = word_of (label, number).value;

          for (; at < begin; at++)
            row[at] = none;
          for (; at < end; at++)
            row[at] = word;
        }
      if (is_run && strip->edges[2 * i + 1] - x <= width)
        *run = i + 1;
    }
}

/* The part of the roi that lies in a strip. */
static void
paint_strip (const Labelling *l, const Strip *strip, gfloat *pixels)
{
  const TesseraRequest *request = l->request;
  const GeglRectangle  *roi = &request->roi;
  const gsize           pixel = babl_format_get_bytes_per_pixel (request->output_format);
  const gint            left = roi->x - l->image.x, right = left + roi->width;
  const gint            top = MAX (roi->y - l->image.y, strip->y);
  const gint            bottom = MIN (roi->y - l->image.y + roi->height, strip->y + strip->height);
  gint                  runs[STRIP_HEIGHT];

  for (gint y = top; y < bottom; y++)
    {
      const gint row = y - strip->y;

      for (runs[row] = strip->rows[row]; runs[row] < strip->rows[row + 1]
                                         && strip->edges[2 * runs[row] + 1] <= left; runs[row]++);
    }
  for (gint x = left; x < right && top < bottom; x += BLOCK_WIDTH)
    {
      const GeglRectangle block = { l->image.x + x, l->image.y + top, MIN (BLOCK_WIDTH, right - x), bottom - top };
      const gsize         row_bytes = block.width * pixel;

      for (gint y = top; y < bottom; y++)
        paint_row (l, strip, strip->rows[y - strip->y + 1], x, block.width, &runs[y - strip->y],
                   (gfloat *) ((guint8 *) pixels + (y - top) * row_bytes));
      tessera_write (request->output, &block, request->output_format, pixels, row_bytes);
    }
}

static void
paint_strips (gint thread G_GNUC_UNUSED, gint n_threads G_GNUC_UNUSED, gpointer data)
{
  Labelling *l = data;
  gfloat    *pixels = gegl_scratch_new (gfloat, 4 * BLOCK_WIDTH * STRIP_HEIGHT);
  gint       s;

  while ((s = g_atomic_int_add (&l->next, 1)) < l->n_strips)
    paint_strip (l, &l->strips[s], pixels);
  gegl_scratch_free (pixels);
}

/* ------------------------------------------------------------- the whole -- */

static void
distribute (Labelling *l, GeglParallelDistributeFunc function)
{
  l->next = 0;
  gegl_parallel_distribute (MIN (l->n_strips, MOST_THREADS), function, l);
}

void
label_spread (const TesseraRequest *request)
{
  const Label *label = request->params;
  Labelling    l = { .request = request, .label = label, .image = tessera_grow (&request->roi, &request->halo) };

  l.n_strips = (l.image.height + STRIP_HEIGHT - 1) / STRIP_HEIGHT;
  l.strips = g_new0 (Strip, l.n_strips);
  for (gint s = 0; s < l.n_strips; s++)
    {
      l.strips[s].y = s * STRIP_HEIGHT;
      l.strips[s].height = MIN (STRIP_HEIGHT, l.image.height - l.strips[s].y);
    }
  tessera_progress_step (0.0, 0.5, TRUE, (guint64) l.image.width * l.image.height);
  distribute (&l, scan_strips);
  gather_components (&l);
  join_strips (&l);
  *label->count = number_components (&l);
  tessera_progress_step (0.5, 1.0, FALSE, (guint64) l.image.width * l.image.height);
  distribute (&l, paint_strips);
  for (gint s = 0; s < l.n_strips; s++)
    {
      g_free (l.strips[s].edges);
      g_free (l.strips[s].parents);
    }
  g_free (l.strips);
  g_free (l.components);
  g_free (l.areas);
}
