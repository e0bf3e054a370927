/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * tessera:label in C.  On all threads, strips of rows are read, cut into runs, and joined within each strip.
 * One thread joins the components along the strips' edges and numbers them.  Then all threads paint.  Runs
 * and components are numbered in raster order, and a tree's root is its smallest number.  So nothing
 * depends on strips or threads.
 *
 * Where GEGL uses no OpenCL, the strips are remembered: another smallest area or result numbers and paints them again.
 */
#include "config.h"

#include "label.h"
#include "remembered.h"

#include <gegl-plugin.h>
#include <string.h>

#include "../../opencl/math/tessera-label.h"

#define MOST_THREADS 256

/* ------------------------------------------------------------ foreground -- */

/* TRUE if alpha is 1 everywhere. */
TESSERA_CLONES static gboolean
mark_foreground (const gfloat *restrict pixels, gint n, const Label *label, guint8 *restrict marks)
{
  const gfloat red = label->weights[0], green = label->weights[1], blue = label->weights[2];
  const gfloat threshold = label->threshold;
  gint         others = 0;

  if (label->by_alpha)
    for (gint i = 0; i < n; i++)
      marks[i] = label_is_foreground (pixels[4 * i + 3], pixels[4 * i + 3], threshold);
  else
    for (gint i = 0; i < n; i++)
      marks[i] = label_is_foreground ((red * pixels[4 * i] + green * pixels[4 * i + 1]) + blue * pixels[4 * i + 2],
                                      pixels[4 * i + 3], threshold);
  if (label->has_alpha)
    for (gint i = 0; i < n; i++)
      others += pixels[4 * i + 3] != 1.0f;
  return others == 0;
}

/* A byte for each pixel of the strip: 1 for foreground. */
static void
read_strip (const Labelling *l, LabelStrip *strip, gfloat *pixels, guint8 *marks)
{
  strip->is_opaque = TRUE;
  for (gint x = 0; x < l->image.width; x += LABEL_BLOCK_WIDTH)
    {
      const gint width = MIN (LABEL_BLOCK_WIDTH, l->image.width - x);

      tessera_read_input (l->request, GEGL_RECTANGLE (l->image.x + x, l->image.y + strip->y, width, strip->height), pixels);
      for (gint y = 0; y < strip->height; y++)
        strip->is_opaque &= mark_foreground (pixels + 4 * (gsize) y * width, width, l->label,
                                             marks + (gsize) y * l->image.width + x);
    }
}

/* ------------------------------------------------------------------ runs -- */

/* The places where marks change.  There are no branches, because a random image would mislead them, except for
 * words of 8 equal pixels. */
static void
find_runs (LabelStrip *strip, const guint8 *marks, gint width)
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

/* The root above i.  Every other node on the way is made to skip one step. */
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
join_runs (LabelStrip *strip, gint diagonals)
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

/* Numbers the roots.  Other components take the number of their parent, which comes before them. */
static void
number_runs (LabelStrip *strip)
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
  tessera_autoscratch gfloat *pixels = gegl_scratch_new (gfloat, 4 * LABEL_BLOCK_WIDTH * LABEL_STRIP_HEIGHT);
  g_autofree guint8 *marks = g_malloc ((gsize) l->image.width * MIN (LABEL_STRIP_HEIGHT, l->image.height));
  gint       s;

  while ((s = g_atomic_int_add (&l->next, 1)) < l->n_strips)
    {
      LabelStrip *strip = &l->strips[s];

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
      LabelStrip *strip = &l->strips[s];

      memcpy (l->areas + strip->first_component, strip->areas, strip->n_components * sizeof (gint));
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
      const LabelStrip *a = &l->strips[s - 1], *b = &l->strips[s];

      FOR_TOUCHING_RUNS (a->edges, a->rows[a->height - 1], a->rows[a->height],
                         b->edges, b->rows[0], b->rows[1], l->label->diagonals, JOIN_STRIPS)
    }
}

/* Adds all areas to the roots; then replaces parents, which come first, by labels.  Returns the count. */
static gint
number_components (Labelling *l)
{
  const LabelStrip *last = &l->strips[l->n_strips - 1];
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

/* ----------------------------------------------------------- remembered -- */

/* What is kept: all strips, then the numbers of each: edges, parents, areas. */
static gsize
numbers_of (const LabelStrip *strip)
{
  return (gsize) strip->n_edges + strip->n_edges / 2 + strip->n_components;
}

static gsize
kept_bytes (const Labelling *l)
{
  gsize numbers = 0;

  for (gint s = 0; s < l->n_strips; s++)
    numbers += numbers_of (&l->strips[s]);
  return l->n_strips * sizeof *l->strips + numbers * sizeof (gint);
}

static gint *
put_numbers (gint *at, const gint *numbers, gsize n)
{
  memcpy (at, numbers, n * sizeof (gint));
  return at + n;
}

static void
keep_strips (const Labelling *l, Remembered *asked)
{
  const gsize         bytes = asked->question ? kept_bytes (l) : 0;
  g_autofree gpointer kept = bytes <= REMEMBERED_BYTES ? g_malloc (bytes) : NULL;
  gint               *at;

  if (! kept)
    {
      remembered_give_up (asked);       /* too many, or nobody will ask */
      return;
    }
  at = put_numbers (kept, (const gint *) l->strips, l->n_strips * sizeof *l->strips / sizeof (gint));
  for (gint s = 0; s < l->n_strips; s++)
    {
      const LabelStrip *strip = &l->strips[s];

      at = put_numbers (at, strip->edges, strip->n_edges);
      at = put_numbers (at, strip->parents, strip->n_edges / 2);
      at = put_numbers (at, strip->areas, strip->n_components);
    }
  remembered_keep (asked, kept, bytes);
}

/* The numbers stay where they are. */
static void
take_strips (Labelling *l, GBytes *known)
{
  const gsize strips = l->n_strips * sizeof *l->strips;
  gint       *at = (gint *) ((guint8 *) g_bytes_get_data (known, NULL) + strips);

  memcpy (l->strips, g_bytes_get_data (known, NULL), strips);
  for (gint s = 0; s < l->n_strips; s++)
    {
      LabelStrip *strip = &l->strips[s];

      strip->edges = at;
      strip->parents = strip->edges + strip->n_edges;
      strip->areas = strip->parents + strip->n_edges / 2;
      at = strip->areas + strip->n_components;
    }
}

/* Strips depend on these settings, and on the pixels of the whole image, whatever part is asked for. */
static GBytes *
find_strips (const Labelling *l, TesseraRequest *whole, Remembered *asked)
{
  const Label *label = l->label;
  const struct { gint by_alpha, diagonals; gfloat threshold, weights[3]; } key = {
    label->by_alpha, label->diagonals, label->threshold, { label->weights[0], label->weights[1], label->weights[2] } };

  *asked = (Remembered) { .request = whole };
  if (tessera_uses_opencl (l->request->errand.operation))
    return NULL;
  *whole = *l->request;
  whole->roi = l->image;
  return remembered_find (whole, &key, sizeof key, asked);
}

/* ------------------------------------------------------------- the whole -- */

static void
distribute (Labelling *l, GeglParallelDistributeFunc function)
{
  l->next = 0;
  gegl_parallel_distribute (MIN (l->n_strips, MOST_THREADS), function, l);
}

void
label_answer (const TesseraRequest *request, gint count)
{
  tessera_answer (request, g_memdup2 (&count, sizeof count), sizeof count);
}

static void
begin_strips (Labelling *l)
{
  l->n_strips = (l->image.height + LABEL_STRIP_HEIGHT - 1) / LABEL_STRIP_HEIGHT;
  l->strips = g_new0 (LabelStrip, l->n_strips);
  for (gint s = 0; s < l->n_strips; s++)
    {
      l->strips[s].y = s * LABEL_STRIP_HEIGHT;
      l->strips[s].height = MIN (LABEL_STRIP_HEIGHT, l->image.height - l->strips[s].y);
    }
}

/* Returns what the strips' numbers lie in, if they are not their own. */
static GBytes *
scan_or_remember (Labelling *l)
{
  TesseraRequest whole;
  Remembered     asked;
  GBytes        *known = find_strips (l, &whole, &asked);

  if (known)
    {
      take_strips (l, known);
      return known;
    }
  distribute (l, scan_strips);
  keep_strips (l, &asked);
  return NULL;
}

static void
end_strips (Labelling *l, GBytes *known)
{
  for (gint s = 0; s < l->n_strips && ! known; s++)
    {
      g_free (l->strips[s].edges);
      g_free (l->strips[s].parents);
      g_free (l->strips[s].areas);
    }
  g_clear_pointer (&known, g_bytes_unref);
  g_free (l->strips);
}

void
label_spread (const TesseraRequest *request)
{
  const Label  *label = request->params;
  Labelling     l = { .request = request, .label = label, .image = tessera_grow (&request->roi, &request->halo) };
  const guint64 pixels = (guint64) l.image.width * l.image.height;
  GBytes       *known;

  begin_strips (&l);
  tessera_progress_step (0.0, 0.5, TRUE, pixels);
  known = scan_or_remember (&l);
  gather_components (&l);
  join_strips (&l);
  label_answer (request, number_components (&l));
  tessera_progress_step (0.5, 1.0, FALSE, pixels);
  distribute (&l, label_paint_strips);
  end_strips (&l, known);
  g_free (l.components);
  g_free (l.areas);
}
