/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Asks as GIMP does while a filter's dialog is open and when it is applied: the first
 * rectangle is a tile, each other one as large as what should take `interval` seconds.
 * The facts are from GIMP 3.0.4: app/core/gimpchunkiterator.c, gimpprojection.c and
 * app/gegl/gimp-gegl-apply-operation.c.
 */
#include "bench.h"

#include <gegl-plugin.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PREVIEW_INTERVAL (1.0 / 15.0)
#define MERGE_INTERVAL   (1.0 / 8.0)
#define AREA_INTERVAL    1.0            /* ... of a GeglOperationAreaFilter and the like */
#define LEAST_AREA       4096           /* that says something about speed */
#define MOST_SIDE        4096
#define MOST_TOO_LARGE   2.0
#define HISTORY          3
#define MOST_LEFT        64             /* rectangles that wait */

typedef struct
{
  GeglRectangle left[MOST_LEFT];        /* the last is the next */
  guint         n_left;
  GeglRectangle now;                    /* is cut into rows of `height` ... */
  gint          x, y, height;           /* ... and has got so far */
  gint          tile_width, tile_height;
  gdouble       interval;
  gdouble       target, least;          /* areas; least: of this row */
  gdouble       history[HISTORY];
  gint          n_history, next;
  gint64        began, area;            /* of the last rectangle */
} Chunks;

/* ---------------------------------------------------------- rectangles -- */

static void
put_back (Chunks *c, gint x, gint y, gint width, gint height)
{
  if (width > 0 && height > 0 && c->n_left < MOST_LEFT)
    c->left[c->n_left++] = (GeglRectangle) { x, y, width, height };
}

static void
take_up (Chunks *c, const GeglRectangle *rect)
{
  c->now = *rect;
  c->x = rect->x;
  c->y = rect->y;
}

static void
chunks_init (Chunks *c, const GeglRectangle *rect, gdouble interval)
{
  *c = (Chunks) { .interval = interval, .least = (gdouble) MOST_SIDE * MOST_SIDE };
  g_object_get (gegl_config (), "tile-width", &c->tile_width, "tile-height", &c->tile_height, NULL);
  c->target = (gdouble) c->tile_width * c->tile_height;
  take_up (c, rect);
}

static void
learn (Chunks *c)
{
  const gdouble seconds = MAX (1, g_get_monotonic_time () - c->began) / 1e6, area = c->area * c->interval / seconds;
  gdouble       sorted[HISTORY];

  if (c->area < LEAST_AREA)
    return;
  c->least = MIN (c->least, area);
  c->history[c->next++] = area;
  c->n_history = MAX (c->n_history, c->next);
  c->next %= HISTORY;
  memcpy (sorted, c->history, sizeof sorted);
  qsort (sorted, c->n_history, sizeof *sorted, bench_compare);
  c->target = sorted[c->n_history / 2];
}

/* From `at` so far that `length` more ends where a tile does. */
static gint
to_tiles (gint at, gdouble length, gint tile, gint end)
{
  gint result = (gint) rint ((at + length) / tile) * tile - at;

  if (result <= 0)
    result += tile;
  return MIN (MIN (result, end - at), MOST_SIDE);
}

static GeglRectangle
propose (Chunks *c, gboolean new_height)
{
  GeglRectangle rect = { c->x, c->y, 0, c->height };

  if (new_height && c->n_history)
    {
      c->target = c->least;
      c->least = (gdouble) MOST_SIDE * MOST_SIDE;
      c->n_history = c->next = 0;
    }
  if (new_height)
    rect.height = to_tiles (c->y, sqrt (c->target * c->tile_height / c->tile_width), c->tile_height,
                            c->now.y + c->now.height);
  rect.width = to_tiles (c->x, c->target / rect.height, c->tile_width, c->now.x + c->now.width);
  return rect;
}

/* A row goes on lower than it began: what is below of it, and the rows to come, wait. */
static void
lower_row (Chunks *c, const GeglRectangle *rect)
{
  const GeglRectangle whole = c->now;
  const gint          right = whole.x + whole.width - rect->x, below = c->y + c->height;

  put_back (c, whole.x, below, whole.width, whole.y + whole.height - below);
  put_back (c, rect->x, rect->y + rect->height, right, below - rect->y - rect->height);
  take_up (c, GEGL_RECTANGLE (rect->x, rect->y, right, rect->height));
}

/* FALSE: all has been asked for. */
static gboolean
chunks_next (Chunks *c, GeglRectangle *rect)
{
  learn (c);
  if (c->x >= c->now.x + c->now.width)
    {
      c->x = c->now.x;
      c->y += c->height;
      if (c->y >= c->now.y + c->now.height)
        {
          if (c->n_left == 0)
            return FALSE;
          take_up (c, &c->left[--c->n_left]);
        }
    }
  *rect = propose (c, c->x == c->now.x);
  if (c->x != c->now.x && (gdouble) rect->width * rect->height >= MOST_TOO_LARGE * c->target)
    {
      const GeglRectangle lower = propose (c, TRUE);

      if (lower.height < c->height)
        {
          lower_row (c, &lower);
          *rect = lower;
        }
    }
  c->height = rect->height;
  c->x += rect->width;
  c->area = (gint64) rect->width * rect->height;
  c->began = g_get_monotonic_time ();
  return TRUE;
}

/* -------------------------------------------------------------- slider -- */

/* A property of the filter that can be given another value: one that the row names, if
 * it can, since that matters. */
static GParamSpec *
find_slider (BenchGraph *graph)
{
  guint       n;
  g_autofree GParamSpec **specs = gegl_operation_list_properties (gegl_node_get_operation (graph->filter), &n);
  GParamSpec *found = NULL;

  for (guint i = 0; i < n; i++)
    {
      const gboolean fits = G_IS_PARAM_SPEC_DOUBLE (specs[i]) || G_IS_PARAM_SPEC_INT (specs[i])
                            || G_IS_PARAM_SPEC_ENUM (specs[i]) || G_IS_PARAM_SPEC_BOOLEAN (specs[i]);

      if (fits && (! found || (graph->step && strstr (graph->step, specs[i]->name)
                               && ! strstr (graph->step, found->name))))
        found = specs[i];
    }
  return found;
}

static void
move_value (GParamSpec *spec, GValue *value)
{
  if (G_IS_PARAM_SPEC_DOUBLE (spec))
    {
      const gdouble x = g_value_get_double (value);

      g_value_set_double (value, x * 1.03 + 1e-3 <= G_PARAM_SPEC_DOUBLE (spec)->maximum ? x * 1.03 + 1e-3 : x * 0.97);
    }
  else if (G_IS_PARAM_SPEC_INT (spec))
    {
      const gint x = g_value_get_int (value);

      g_value_set_int (value, x < G_PARAM_SPEC_INT (spec)->maximum ? x + 1 : x - 1);
    }
  else if (G_IS_PARAM_SPEC_BOOLEAN (spec))
    g_value_set_boolean (value, ! g_value_get_boolean (value));
  else
    {
      const GEnumClass *values = G_PARAM_SPEC_ENUM (spec)->enum_class;

      g_value_set_enum (value, values->values[g_value_get_enum (value) == values->values[0].value ? 1 : 0].value);
    }
}

/* ----------------------------------------------------------------- runs -- */

static void
ask (BenchGraph *graph, const GeglRectangle *rect, GeglBuffer *result)
{
  if (graph->kind == BENCH_MERGE)
    gegl_node_blit (graph->sink, 1.0, rect, NULL, NULL, 0, GEGL_BLIT_DEFAULT);
  else
    gegl_node_blit_buffer (graph->last, result, rect, 0, GEGL_ABYSS_NONE);
}

static gdouble
interval_of (const BenchGraph *graph)
{
  const GeglOperation *operation = gegl_node_get_gegl_operation (graph->filter);

  if (graph->kind == BENCH_PREVIEW)
    return PREVIEW_INTERVAL;
  return GEGL_IS_OPERATION_AREA_FILTER (operation) || GEGL_IS_OPERATION_META (operation) ? AREA_INTERVAL : MERGE_INTERVAL;
}

gboolean
bench_is_whole (const BenchGraph *graph)
{
  return GEGL_OPERATION_GET_CLASS (gegl_node_get_gegl_operation (graph->filter))->get_cached_region != NULL;
}

/* Another setting is on its way, half done, when the slider comes to where it is measured. */
void
bench_gimp_ready (BenchGraph *graph, GeglBuffer *result)
{
  const GeglRectangle *whole = gegl_buffer_get_extent (result);
  GParamSpec          *slider = find_slider (graph);
  GValue               value = G_VALUE_INIT, other = G_VALUE_INIT;
  GeglRectangle        rect;
  Chunks               chunks;

  if (slider)
    {
      g_value_init (&value, slider->value_type);
      g_value_init (&other, slider->value_type);
      gegl_node_get_property (graph->filter, slider->name, &value);
      g_value_copy (&value, &other);
      move_value (slider, &other);
      gegl_node_set_property (graph->filter, slider->name, &other);
    }
  if (graph->kind == BENCH_PREVIEW)
    {
      chunks_init (&chunks, whole, PREVIEW_INTERVAL);
      while (chunks_next (&chunks, &rect) && rect.y < whole->y + whole->height / 2)
        ask (graph, &rect, result);
    }
  if (! slider)
    return;
  gegl_node_set_property (graph->filter, slider->name, &value);
  g_value_unset (&value);
  g_value_unset (&other);
}

static gint side;        /* of squares to ask for; 0: as GIMP asks */

void
bench_gimp_set_side (gint pixels)
{
  side = pixels;
}

static void
ask_squares (BenchGraph *graph, GeglBuffer *result)
{
  const GeglRectangle *whole = gegl_buffer_get_extent (result);

  for (gint y = 0; y < whole->height; y += side)
    for (gint x = 0; x < whole->width; x += side)
      ask (graph, GEGL_RECTANGLE (whole->x + x, whole->y + y, MIN (side, whole->width - x), MIN (side, whole->height - y)),
           result);
}

void
bench_gimp_run (BenchGraph *graph, GeglBuffer *result)
{
  GeglRectangle rect;
  Chunks        chunks;

  if (side)
    {
      ask_squares (graph, result);
      return;
    }
  chunks_init (&chunks, gegl_buffer_get_extent (result), interval_of (graph));
  while (chunks_next (&chunks, &rect))
    ask (graph, &rect, result);
}
