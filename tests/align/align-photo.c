/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Photographs that are moved as a camera moves them: see align.h.  Written in double from align.md, not from the filter. */
#include "align.h"

#include <math.h>
#include <string.h>

Photo
photo_load (const gchar *path)
{
  GeglNode     *graph = gegl_node_new (), *node = gegl_node_new_child (graph, "operation", "gegl:load", "path", path, NULL);
  GeglRectangle box = gegl_node_get_bounding_box (node);
  Photo         photo = { box.width, box.height, g_new (gfloat, 3 * box.width * box.height) };

  gegl_node_blit (node, 1.0, &box, babl_format ("R'G'B' float"), photo.values, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  for (gint i = 0; i < 3 * box.width * box.height; i++)
    photo.values[i] *= 255.0f;
  g_object_unref (graph);
  return photo;
}

Photo
photo_part (const Photo *photo, gint x, gint y, gint width, gint height)
{
  Photo part = { width, height, g_new (gfloat, 3 * width * height) };

  for (gint i = 0; i < 3 * width * height; i++)
    part.values[i] = photo->values[3 * ((y + i / 3 / width) * photo->width + x + i / 3 % width) + i % 3];
  return part;
}

void
photo_free (Photo *photo)
{
  g_clear_pointer (&photo->values, g_free);
}

void
map (const gdouble matrix[9], gdouble x, gdouble y, gdouble *u, gdouble *v)
{
  const gdouble w = matrix[6] * x + matrix[7] * y + matrix[8];

  *u = (matrix[0] * x + matrix[1] * y + matrix[2]) / w;
  *v = (matrix[3] * x + matrix[4] * y + matrix[5]) / w;
}

gdouble
corner_error (const gdouble found[9], const gdouble matrix[9], gint width, gint height)
{
  gdouble sum = 0;

  for (gint i = 0; i < 4; i++)
    {
      gdouble x, y, u, v;

      map (found, (i & 1) * (width - 1), (i >> 1) * (height - 1), &x, &y);
      map (matrix, (i & 1) * (width - 1), (i >> 1) * (height - 1), &u, &v);
      sum += hypot (x - u, y - v);
    }
  return sum / 4;
}

/* Sums of rows by weights, each in the order of the weights. */
static void
sum_rows (const gfloat *const *rows, const gdouble *weights, gint n_rows, gfloat *out, gint n)
{
  gdouble *sums = g_new0 (gdouble, n), all = 0;

  for (gint k = 0; k < n_rows; k++)
    {
      all += weights[k];
      for (gint i = 0; i < n; i++)
        sums[i] += weights[k] * rows[k][i];
    }
  for (gint i = 0; i < n; i++)
    out[i] = (gfloat) (sums[i] / all);
  g_free (sums);
}

static const gfloat *
row_of (const Photo *photo, gint y)
{
  return photo->values + 3 * (gsize) photo->width * CLAMP (y, 0, photo->height - 1);
}

/* With the pixel at the edge over and over beyond it. */
static void
widen_row (const gfloat *row, gint width, gint beyond, gfloat *wide)
{
  for (gint x = -beyond; x < width + beyond; x++)
    memcpy (wide + 3 * (gsize) (x + beyond), row + 3 * (gsize) CLAMP (x, 0, width - 1), 3 * sizeof (gfloat));
}

Photo
photo_softened (const Photo *photo, gdouble sigma)
{
  const gint     width = photo->width, height = photo->height, n = 3 * width, r = (gint) ceil (4 * sigma);
  Photo          across = { width, height, g_new (gfloat, n * height) }, soft = { width, height, g_new (gfloat, n * height) };
  gdouble       *weights = g_new (gdouble, 2 * r + 1);
  gfloat        *wide = g_new (gfloat, n + 6 * r);
  const gfloat **rows = g_new (const gfloat *, 2 * r + 1);

  for (gint k = -r; k <= r; k++)
    {
      weights[k + r] = sigma > 0 ? exp (-0.5 * k * k / (sigma * sigma)) : 1;
      rows[k + r] = wide + 3 * (k + r);
    }
  for (gint y = 0; y < height; y++)
    {
      widen_row (row_of (photo, y), width, r, wide);
      sum_rows (rows, weights, 2 * r + 1, across.values + (gsize) n * y, n);
    }
  for (gint y = 0; y < height; y++)
    {
      for (gint k = -r; k <= r; k++)
        rows[k + r] = row_of (&across, y + k);
      sum_rows (rows, weights, 2 * r + 1, soft.values + (gsize) n * y, n);
    }
  g_free (rows);
  g_free (wide);
  g_free (weights);
  photo_free (&across);
  return soft;
}

gdouble
lanczos (gdouble t, gint n)
{
  const gdouble angle = G_PI * t;

  return t == 0 ? 1 : fabs (t) < n ? n * sin (angle) * sin (angle / n) / (angle * angle) : 0;
}

/* Eight pixels around a place, those beyond the edge at the edge, and what each counts. */
typedef struct
{
  gdouble t, weights[8];
  gint    places[8];
} Around;

/* Wider than the filter's, so that a frame is hardly softer than the photograph.  Many places lie alike between two pixels. */
static void
look_around (Around *around, gdouble place, gint length)
{
  const gint    first = (gint) floor (place);
  const gdouble t = place - first;
  gdouble       sum = 0;

  for (gint k = 0; k < 8; k++)
    around->places[k] = CLAMP (first + k - 3, 0, length - 1);
  if (t == around->t)
    return;
  around->t = t;
  for (gint k = 0; k < 8; k++)
    sum += around->weights[k] = lanczos (t - k + 3, 4);
  for (gint k = 0; k < 8; k++)
    around->weights[k] /= sum;
}

static void
sum_around (const Photo *photo, const Around *across, const Around *down, gfloat colour[3])
{
  gdouble sums[3] = { 0 };

  for (gint k = 0; k < 64; k++)
    {
      const gdouble weight = across->weights[k % 8] * down->weights[k / 8];
      const gfloat *pixel = row_of (photo, down->places[k / 8]) + 3 * across->places[k % 8];

      for (gint c = 0; c < 3; c++)
        sums[c] += weight * pixel[c];
    }
  for (gint c = 0; c < 3; c++)
    colour[c] = (gfloat) sums[c];
}

Photo
photo_moved (const Photo *photo, const gdouble matrix[9])
{
  return photo_moved_to (photo, matrix, photo->width, photo->height);
}

Photo
photo_moved_to (const Photo *photo, const gdouble matrix[9], gint width, gint height)
{
  Photo   moved = { width, height, g_new0 (gfloat, 3 * width * height) };
  Around  across = { .t = -1 }, down = { .t = -1 };
  gdouble x0, y0, x1, y1, x2, y2, area;
  Photo   source;

  map (matrix, 0.5 * photo->width, 0.5 * photo->height, &x0, &y0);
  map (matrix, 0.5 * photo->width + 1, 0.5 * photo->height, &x1, &y1);
  map (matrix, 0.5 * photo->width, 0.5 * photo->height + 1, &x2, &y2);
  area = fabs ((x1 - x0) * (y2 - y0) - (x2 - x0) * (y1 - y0));
  source = photo_softened (photo, area > 1 ? 0.5 * sqrt (area - 1) : 0);
  for (gint i = 0; i < width * height; i++)
    {
      gdouble u, v;

      map (matrix, i % width, i / width, &u, &v);
      look_around (&across, CLAMP (u, -4, photo->width + 4), photo->width);
      look_around (&down, CLAMP (v, -4, photo->height + 4), photo->height);
      sum_around (&source, &across, &down, moved.values + 3 * (gsize) i);
    }
  photo_free (&source);
  return moved;
}

void
photo_spoil (Photo *photo, gdouble brightness, gdouble sd, CheckRandom *random)
{
  for (gint i = 0; i < 3 * photo->width * photo->height; i++)
    {
      gdouble noise = -6;

      for (gint k = 0; k < 12; k++)
        noise += check_uniform (random);
      photo->values[i] = (gfloat) (brightness * photo->values[i] + sd * noise);
    }
}

GeglBuffer *
photo_buffer (const Photo *photo, gint x, gint y)
{
  const GeglRectangle box = { x, y, photo->width, photo->height };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("R'G'B' u8"));
  guint8             *codes = g_malloc (3 * box.width * box.height);

  for (gint i = 0; i < 3 * box.width * box.height; i++)
    codes[i] = (guint8) floor (CLAMP (photo->values[i], 0.0f, 255.0f) + 0.5f);
  gegl_buffer_set (buffer, &box, 0, babl_format ("R'G'B' u8"), codes, GEGL_AUTO_ROWSTRIDE);
  g_free (codes);
  return buffer;
}

/* ------------------------------------------------------------------ movements -- */

static gdouble
between (CheckRandom *random, gdouble least, gdouble most)
{
  return least + (most - least) * check_uniform (random);
}

/* The part of the canvas that shows something of the photograph. */
static gdouble
overlap (const gdouble m[9], gint width, gint height)
{
  gint inside = 0;

  for (gint i = 0; i < 400; i++)
    {
      gdouble u, v;

      map (m, (i % 20 + 0.5) / 20 * width, (i / 20 + 0.5) / 20 * height, &u, &v);
      inside += u >= 0 && v >= 0 && u < width && v < height;
    }
  return inside / 400.0;
}

void
draw_movement (CheckRandom *random, gint width, gint height, gdouble matrix[9])
{
  do
    {
      const gdouble angle = between (random, -30, 30) * G_PI / 180, c = cos (angle), s = sin (angle);
      const gdouble size = 0.6 * check_power (1.6 / 0.6, check_uniform (random));
      const gdouble x = 0.5 * width, y = 0.5 * height, px = between (random, -0.25, 0.25) / width, py = between (random, -0.25, 0.25) / height;
      const gdouble to_x = x + between (random, -0.25, 0.25) * width, to_y = y + between (random, -0.25, 0.25) * height;
      const gdouble last = 1 - px * x - py * y;
      /* turn and size around the middle; w is 1 there */
      const gdouble m[9] = { size * c + to_x * px, -size * s + to_x * py, -size * c * x + size * s * y + to_x * last,
                             size * s + to_y * px, size * c + to_y * py, -size * s * x - size * c * y + to_y * last,
                             px, py, last };

      for (gint i = 0; i < 9; i++)
        matrix[i] = m[i] / m[8];
    }
  while (overlap (matrix, width, height) < 0.4);
}

/* ------------------------------------------------------------------- the filter -- */

Aligned
align_buffers (GeglBuffer *input, GeglBuffer *aux, const gchar *model, gboolean refine)
{
  GeglNode *graph = gegl_node_new (), *source, *reference;
  GeglNode *align = gegl_node_new_child (graph, "operation", "tessera:align", "refine", refine, NULL);
  Aligned   result = { 0 };
  gchar    *matrix, **numbers;

  {
    GValue      value = G_VALUE_INIT;
    GParamSpec *pspec = gegl_node_find_property (align, "model");

    g_value_init (&value, pspec->value_type);
    g_value_set_enum (&value, g_enum_get_value_by_nick (g_type_class_peek (pspec->value_type), model)->value);
    gegl_node_set_property (align, "model", &value);
    g_value_unset (&value);
  }
  if (input)
    {
      source = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL);
      gegl_node_link (source, align);
    }
  if (aux)
    {
      reference = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", aux, NULL);
      gegl_node_connect_to (reference, "output", align, "aux");
    }
  result.box = gegl_node_get_bounding_box (align);
  result.pixels = g_new0 (gfloat, 4 * (gsize) result.box.width * result.box.height + 1);
  gegl_node_blit (align, 1.0, &result.box, babl_format ("RaGaBaA float"), result.pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  gegl_node_get (align, "matrix", &matrix, "error", &result.error, "inliers", &result.inliers, "aligned", &result.aligned,
                 "reason", &result.reason, "movement", &result.movement, NULL);
  numbers = g_strsplit (matrix, " ", -1);
  for (gint i = 0; i < 9 && numbers[i]; i++)
    result.matrix[i] = g_ascii_strtod (numbers[i], NULL);
  g_strfreev (numbers);
  g_free (matrix);
  g_object_unref (graph);
  return result;
}

void
aligned_free (Aligned *aligned)
{
  g_free (aligned->reason);
  g_free (aligned->movement);
  g_free (aligned->pixels);
}
