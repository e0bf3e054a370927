/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * A picture of each track: on the left the mean of the frames on the sky, with the track; on the right what is left of the frames without that
 * mean, added on the object. */
#include "sequence.h"

#include <math.h>
#include <stdlib.h>

#include "median.h"
#include "saving.h"

#include "../saves.h"

#define SIDE    SEQUENCE_CUTOUT
#define SCALE   4
#define GAP     8
#define REACH   24              /* frames on either side of the strongest row */
#define FILM    24              /* frames of a film */
#define APART   4               /* px between its two pictures, ... */
#define STRIP   (2 * SIDE + APART)
#define TICK    5               /* ... and of the marks beside the object, which begin as far from it */
#define AT_ONCE 64              /* pictures: each keeps 0.8 MB of its frames */
#define WIDTH   (2 * SIDE * SCALE + GAP)
#define HEIGHT  (SIDE * SCALE)

/* An object's way: where it is in frame `index`, and its velocity on the sky. */
typedef struct
{
  const ObjectRow *best, *first, *last;
  gint             rows;
} Way;

/* What a frame has of the sky; from its middle to the object. */
typedef struct
{
  gfloat sky[SIDE * SIDE];
  gint   to_x, to_y, index;
} Window;

typedef struct
{
  const Tables *tables;
  const Way    *way;
  gdouble       v_x, v_y;
  GArray       *windows;        /* Window */
  gfloat        sky[SIDE * SIDE], object[SIDE * SIDE];
} Drawing;

/* The place of the sky or of the object in a frame, when the strongest row's frame has it at the row's place. */
static gboolean
place (const Drawing *drawing, gint index, gboolean of_object, gint *x, gint *y)
{
  const ObjectRow *best = drawing->way->best;
  const FrameRow  *then = tables_frame (drawing->tables, best->index), *now = tables_frame (drawing->tables, index);
  const gdouble    passed = of_object ? tables_between (drawing->tables, best->index, index) : 0.0;
  const Point      was = level_place (drawing->tables, then, best->x, best->y);

  if (! now || ! row_is_used (now) || now->chain != then->chain)
    return FALSE;
  *x = (gint) floor (was.x + now->x - then->x + drawing->v_x * passed + 0.5);
  *y = (gint) floor (was.y + now->y - then->y + drawing->v_y * passed + 0.5);
  return TRUE;
}

static gfloat
pixel (const CountPlane *plane, gint x, gint y)
{
  return x >= 0 && y >= 0 && x < plane->width && y < plane->height ? plane->pixels[(gsize) y * plane->width + x] : NAN;
}

static void
add_window (Drawing *drawing, gint index, const CountPlane *plane)
{
  Window window;
  gint   x, y, object_x, object_y;

  if (! place (drawing, index, FALSE, &x, &y) || ! place (drawing, index, TRUE, &object_x, &object_y))
    return;
  window.to_x = object_x - x;
  window.to_y = object_y - y;
  window.index = index;
  for (gint i = 0; i < SIDE * SIDE; i++)
    window.sky[i] = pixel (plane, x + i % SIDE - SIDE / 2, y + i / SIDE - SIDE / 2);
  g_array_append_val (drawing->windows, window);
}

/* The frame as it lies against others. */
static gboolean
read_level (Sequence *sequence, const FrameRow *row, CountPlane *plane)
{
  CountPlane raw;

  if (! sequence_frame (sequence, row->index, &raw, NULL, NULL))
    return FALSE;
  *plane = raw;
  if (row->angle != 0.0)
    {
      turn_back (&raw, row->angle, plane);
      count_plane_clear (&raw);
    }
  return TRUE;
}

/* Each frame is read once for all drawings that need it, because reading it takes longest. */
static void
collect (Sequence *sequence, const Tables *tables, Drawing *drawings, gint n)
{
  for (gint i = 0; i < sequence->list.n; i++)
    {
      const FrameRow *row = tables_frame (tables, i);
      CountPlane      plane = { 0 };

      for (gint k = 0; k < n && row && row->state != FRAME_LOST && row->state != FRAME_UNREADABLE; k++)
        if (ABS (i - drawings[k].way->best->index) <= REACH)
          {
            if (! plane.pixels && ! read_level (sequence, row, &plane))
              break;
            add_window (&drawings[k], i, &plane);
          }
      count_plane_clear (&plane);
    }
}

static void
find_sky (Drawing *drawing)
{
  for (gint i = 0; i < SIDE * SIDE; i++)
    {
      gint seen = 0;

      for (guint k = 0; k < drawing->windows->len; k++)
        {
          const gfloat count = g_array_index (drawing->windows, Window, k).sky[i];

          drawing->sky[i] += isfinite (count) ? count : 0.0f;
          seen += isfinite (count);
        }
      drawing->sky[i] = seen > 0 ? drawing->sky[i] / seen : NAN;
    }
}

/* The sky's mean lies under the frame as the sky does. */
static void
add_to_object (Drawing *drawing, const Window *window)
{
  for (gint i = 0; i < SIDE * SIDE; i++)
    {
      const gint x = i % SIDE + window->to_x, y = i / SIDE + window->to_y;

      if (x >= 0 && y >= 0 && x < SIDE && y < SIDE && isfinite (window->sky[y * SIDE + x]) && isfinite (drawing->sky[y * SIDE + x]))
        drawing->object[i] += window->sky[y * SIDE + x] - drawing->sky[y * SIDE + x];
    }
}

/* Grey from 2 standard deviations below the median to `above` of them above it, both robust.  `picture` begins where the first pixel is to be; each
 * becomes `scale` of them on each axis. */
static void
paint_scaled (const gfloat *values, gdouble above, gint scale, gint stride, guint8 *picture)
{
  gfloat known[SIDE * SIDE], median, spread;
  gint   n = 0;

  for (gint i = 0; i < SIDE * SIDE; i++)
    if (isfinite (values[i]))
      known[n++] = values[i];
  if (n == 0)
    return;
  median = median_of (known, n);
  for (gint i = 0; i < n; i++)
    known[i] = fabsf (known[i] - median);
  spread = MAX (1.4826f * median_of (known, n), 1e-6f);
  for (gint y = 0; y < SIDE * scale; y++)
    for (gint x = 0; x < SIDE * scale; x++)
      {
        const gfloat value = values[y / scale * SIDE + x / scale], part = ((value - median) / spread + 2.0f) / (gfloat) (above + 2.0);

        picture[y * stride + x] = isfinite (value) ? (guint8) (255.0f * CLAMP (part, 0.0f, 1.0f)) : 0;
      }
}

static void
paint (const gfloat *values, gdouble above, guint8 *picture, gint left)
{
  paint_scaled (values, above, SCALE, WIDTH, picture + left);
}

/* Dots along the way, with the sky at rest. */
static void
draw_way (const Drawing *drawing, guint8 *picture)
{
  const gdouble length = hypot (drawing->v_x, drawing->v_y) * 2 * REACH * SCALE;

  for (gint i = 0; i <= (gint) length; i++)
    {
      const gdouble part = length > 0.0 ? 2.0 * i / length - 1.0 : 0.0;
      const gint    x = (gint) ((SIDE / 2 + 0.5 + drawing->v_x * part * REACH) * SCALE), y = (gint) ((SIDE / 2 + 0.5 + drawing->v_y * part * REACH) * SCALE);

      if (x >= 0 && y >= 0 && x < SIDE * SCALE && y < HEIGHT && i / SCALE % 2 == 0)
        picture[y * WIDTH + x] = 255;
    }
}

static gboolean
save (const guint8 *picture, gint width, gint height, const gchar *path, GError **error)
{
  g_autoptr (GeglBuffer) buffer = gegl_buffer_new (GEGL_RECTANGLE (0, 0, width, height), babl_format ("Y' u8"));
  g_autoptr (GeglNode) node = gegl_node_new_child (NULL, "operation", "gegl:png-save", "bitdepth", 8, NULL);

  gegl_buffer_set (buffer, NULL, 0, NULL, picture, GEGL_AUTO_ROWSTRIDE);
  return saves_picture_ours (buffer, node, path, error);
}

static void
find_velocity (Drawing *drawing)
{
  const ObjectRow *first = drawing->way->first, *last = drawing->way->last;
  const FrameRow  *from = tables_frame (drawing->tables, first->index), *to = tables_frame (drawing->tables, last->index);
  const gdouble    passed = tables_between (drawing->tables, first->index, last->index);

  drawing->v_x = drawing->way->best->v_x;
  drawing->v_y = drawing->way->best->v_y;
  if (passed > 0)
    {
      const Point is = level_place (drawing->tables, to, last->x, last->y), was = level_place (drawing->tables, from, first->x, first->y);

      drawing->v_x = (is.x - to->x - was.x + from->x) / passed;
      drawing->v_y = (is.y - to->y - was.y + from->y) / passed;
    }
}

/* Marks on both sides of where the object is. */
static void
mark (const Window *window, guint8 *picture)
{
  for (gint i = TICK; i < 2 * TICK; i++)
    for (gint side = -1; side <= 1; side += 2)
      {
        const gint x = SIDE / 2 + window->to_x + side * i, y = SIDE / 2 + window->to_y;

        if (x >= 0 && y >= 0 && x < SIDE && y < SIDE)
          picture[y * STRIP + x] = 255;
      }
}

/* A frame, and what is left of it without the sky. */
static void
paint_frame (const Drawing *drawing, const Window *window, guint8 *picture)
{
  gfloat left[SIDE * SIDE];

  for (gint i = 0; i < SIDE * SIDE; i++)
    left[i] = window->sky[i] - drawing->sky[i];
  paint_scaled (window->sky, 12.0, 1, STRIP, picture);
  paint_scaled (left, 6.0, 1, STRIP, picture + SIDE + APART);
  mark (window, picture);
  mark (window, picture + SIDE + APART);
}

/* The frames around the strongest row, one below the other. */
static gboolean
save_film (const Drawing *drawing, const gchar *folder, GError **error)
{
  g_autofree guint8 *picture = g_malloc0 ((gsize) STRIP * SIDE * (FILM + 1));
  g_autofree gchar  *path = g_strdup_printf ("%s/%04d-film.png", folder, drawing->way->best->track + 1);
  gint               n = 0;

  for (guint k = 0; k < drawing->windows->len; k++)
    {
      const Window *window = &g_array_index (drawing->windows, Window, k);

      if (ABS (window->index - drawing->way->best->index) <= FILM / 2)
        paint_frame (drawing, window, picture + (gsize) STRIP * SIDE * n++);
    }
  return n == 0 || save (picture, STRIP, SIDE * n, path, error);
}

static gboolean
draw (Drawing *drawing, const gchar *folder, GError **error)
{
  g_autofree guint8 *picture = g_malloc0 (WIDTH * HEIGHT);
  g_autofree gchar *path = g_strdup_printf ("%s/%04d.png", folder, drawing->way->best->track + 1);

  find_sky (drawing);
  for (guint k = 0; k < drawing->windows->len; k++)
    add_to_object (drawing, &g_array_index (drawing->windows, Window, k));
  paint (drawing->sky, 12.0, picture, 0);
  draw_way (drawing, picture);
  paint (drawing->object, 8.0, picture, SIDE * SCALE + GAP);
  return save (picture, WIDTH, HEIGHT, path, error) && save_film (drawing, folder, error);
}

/* Those found more than once come first, then the strongest. */
static gint
compare_ways (gconstpointer a, gconstpointer b)
{
  const Way *first = a, *second = b;

  if ((first->rows > 1) != (second->rows > 1))
    return first->rows > 1 ? -1 : 1;
  return first->best->value > second->best->value ? -1 : first->best->value < second->best->value;
}

static gboolean
draw_some (Sequence *sequence, const Tables *tables, const Way *ways, gint n, const gchar *folder, GError **error)
{
  g_autofree Drawing *drawings = g_new0 (Drawing, n);
  gboolean success = TRUE;

  for (gint k = 0; k < n; k++)
    {
      drawings[k] = (Drawing) { .tables = tables, .way = &ways[k], .windows = g_array_new (FALSE, FALSE, sizeof (Window)) };
      find_velocity (&drawings[k]);
    }
  collect (sequence, tables, drawings, n);
  for (gint k = 0; k < n; k++)
    {
      success = success && draw (&drawings[k], folder, error);
      g_array_unref (drawings[k].windows);
    }
  return success;
}

gint
pictures_write (Sequence *sequence, const Tables *tables, gint most, GError **error)
{
  g_autofree Way *ways = g_new0 (Way, MAX (tables->n_tracks, 1));
  g_autofree gchar *folder = g_build_filename (sequence->folder, "tracks", NULL);
  const gint n = MIN (most, tables->n_tracks);
  gboolean   success = n == 0 || saving_folder (folder, error);

  for (guint i = 0; i < tables->tracks->len; i++)
    {
      const ObjectRow *row = &g_array_index (tables->tracks, ObjectRow, i);
      Way             *way = &ways[row->track];

      way->first = way->first ? way->first : row;
      way->last = row;
      way->best = ! way->best || row->value > way->best->value ? row : way->best;
      way->rows++;
    }
  qsort (ways, tables->n_tracks, sizeof *ways, compare_ways);
  for (gint k = 0; k < n && success; k += AT_ONCE)
    success = draw_some (sequence, tables, ways + k, MIN (AT_ONCE, n - k), folder, error);
  return success ? n : -1;
}
