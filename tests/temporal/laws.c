/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * Laws of tessera:estimate-shift and tessera:background-whiten, in C and on the device: what comes out depends on the pictures alone.  Not on the
 * path, the threads, the tiles, the rectangle that is asked for, the place of the pictures or their alpha; and a picture that is painted into
 * is seen. */
#include <gegl.h>
#include <string.h>

#include "tessera-control.h"

#include "graphs.h"
#include "../engine/apply-settings.h"
#include "../engine/verdict.h"

/* Deprecated under this name, and absent from 0.4.42 under the new one. */
#if GEGL_MICRO_VERSION >= 60
#define gegl_node_connect_to gegl_node_connect
#endif

#define WIDTH  83
#define HEIGHT 61

typedef struct
{
  const gchar *operation, *settings;    /* "method=2 max-shift=5" */
  const gchar *results;                 /* properties that are numbers: they come behind the pixels */
  gboolean     has_aux;
} Row;

static const Row rows[] = {
  { "tessera:estimate-shift", "method=1", "shift-x shift-y error pixels steps converged", TRUE },
  { "tessera:estimate-shift", "method=2 max-shift=6", "shift-x shift-y error pixels steps converged", TRUE },
  { "tessera:background-whiten", "trial=1 history=5 result=0", "", FALSE },
  { "tessera:background-whiten", "trial=1 history=3 result=1 method=1", "", FALSE },
  { "tessera:background-whiten", "trial=1 history=9 result=2 gain=1", "", FALSE }
};

/* A graph and its pictures. */
typedef struct
{
  const Row  *row;
  GeglNode   *graph, *node;
  GeglBuffer *input, *aux;
} Bench;

typedef struct
{
  gfloat  pixels[WIDTH * HEIGHT];
  gdouble results[8];
} Answer;

/* -------------------------------------------------------------- pictures -- */

/* Stars in noise; `by`: how far they have moved. */
static GeglBuffer *
stars_at (gint x, gint y, gdouble by, gboolean is_opaque)
{
  const GeglRectangle box = { x, y, WIDTH, HEIGHT };
  GeglBuffer         *buffer = gegl_buffer_new (&box, babl_format ("RGBA float"));
  GRand              *dice = g_rand_new_with_seed (7);
  gdouble             at[40][3];
  gfloat             *pixels = g_new (gfloat, 4 * WIDTH * HEIGHT);

  for (gint k = 0; k < 40; k++)
    {
      at[k][0] = g_rand_double_range (dice, 0, WIDTH);
      at[k][1] = g_rand_double_range (dice, 0, HEIGHT);
      at[k][2] = g_rand_double_range (dice, 0.02, 0.5);
    }
  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    {
      gdouble light = 0.02 + g_rand_double_range (dice, 0, 0.004);

      for (gint k = 0; k < 40; k++)
        {
          const gdouble dx = i % WIDTH - at[k][0] - by, dy = i / WIDTH - at[k][1] + 0.6 * by;

          light += at[k][2] / (1.0 + 0.6 * (dx * dx + dy * dy) + (dx * dx + dy * dy) * (dx * dx + dy * dy));
        }
      for (gint c = 0; c < 3; c++)
        pixels[4 * i + c] = light;
      pixels[4 * i + 3] = is_opaque ? 1.0f : i % 3 * 0.5f;
    }
  gegl_buffer_set (buffer, &box, 0, NULL, pixels, GEGL_AUTO_ROWSTRIDE);
  g_rand_free (dice);
  g_free (pixels);
  return buffer;
}

/* A bright square, which is seen in any case. */
static void
paint (GeglBuffer *buffer)
{
  const GeglRectangle *box = gegl_buffer_get_extent (buffer);
  const GeglRectangle  square = { box->x + 30, box->y + 20, 7, 6 };
  gfloat               pixels[4 * 7 * 6];

  for (gint i = 0; i < 4 * 7 * 6; i++)
    pixels[i] = i % 4 == 3 ? 1.0f : 0.7f;
  gegl_buffer_set (buffer, &square, 0, NULL, pixels, GEGL_AUTO_ROWSTRIDE);
}

/* ---------------------------------------------------------------- graphs -- */

static GeglNode *
source_of (GeglNode *graph, GeglBuffer *buffer)
{
  return gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", buffer, NULL);
}

static void
bench_init (Bench *bench, const Row *row, gint x, gint y, gboolean is_opaque)
{
  *bench = (Bench) { .row = row, .graph = gegl_node_new (), .input = stars_at (x, y, 0.7, is_opaque),
                     .aux = row->has_aux ? stars_at (x, y, 0.0, is_opaque) : NULL };
  bench->node = gegl_node_new_child (bench->graph, "operation", row->operation, NULL);
  apply_settings (bench->node, row->settings);
  gegl_node_link (source_of (bench->graph, bench->input), bench->node);
  if (bench->aux)
    gegl_node_connect_to (source_of (bench->graph, bench->aux), "output", bench->node, "aux");
}

static void
bench_clear (Bench *bench)
{
  g_object_unref (bench->graph);
  g_object_unref (bench->input);
  g_clear_object (&bench->aux);
}

/* In so many rectangles, whose sides are not those of tiles. */
static Answer
look_at (const Bench *bench, TesseraOpenclMode mode, gint parts)
{
  const GeglRectangle *box = gegl_buffer_get_extent (bench->input);
  gchar              **names = g_strsplit (bench->row->results, " ", -1);
  Answer               answer;

  memset (&answer, 0, sizeof answer);
  tessera_set_opencl_mode (mode);
  for (gint j = 0; j < parts; j++)
    for (gint i = 0; i < parts; i++)
      {
        const gint          left = WIDTH * i / parts, top = HEIGHT * j / parts;
        const GeglRectangle part = { box->x + left, box->y + top, WIDTH * (i + 1) / parts - left, HEIGHT * (j + 1) / parts - top };

        gegl_node_blit (bench->node, 1.0, &part, babl_format ("Y' float"), answer.pixels + top * WIDTH + left, WIDTH * sizeof (gfloat),
                        GEGL_BLIT_DEFAULT);
      }
  for (guint i = 0; names[i] && *names[i]; i++)
    {
      GValue value = G_VALUE_INIT;

      gegl_node_get_property (bench->node, names[i], &value);
      if (G_VALUE_HOLDS_DOUBLE (&value))
        answer.results[i] = g_value_get_double (&value);
      else
        answer.results[i] = G_VALUE_HOLDS_INT (&value) ? g_value_get_int (&value) : g_value_get_boolean (&value);
      g_value_unset (&value);
    }
  g_strfreev (names);
  return answer;
}

static Answer
answer_of (const Row *row, gint x, gint y, gboolean is_opaque, TesseraOpenclMode mode, gint parts)
{
  Bench  bench;
  Answer answer;

  bench_init (&bench, row, x, y, is_opaque);
  answer = look_at (&bench, mode, parts);
  bench_clear (&bench);
  return answer;
}

/* ------------------------------------------------------------------ laws -- */

static void
expect_same (const Row *row, const Answer *one, const Answer *other, const gchar *law)
{
  gint pixels = 0, first = -1;

  for (gint i = 0; i < WIDTH * HEIGHT; i++)
    if (memcmp (&one->pixels[i], &other->pixels[i], sizeof (gfloat)) && pixels++ == 0)
      first = i;
  for (guint i = 0; i < G_N_ELEMENTS (one->results) && first < 0; i++)
    if (one->results[i] != other->results[i])
      first = i;
  expect (first < 0, "%s %s, %s: %d pixels are others, the first %d: %.9g and %.9g; result %.12g and %.12g", row->operation, row->settings, law,
          pixels, first, pixels ? one->pixels[first] : 0, pixels ? other->pixels[first] : 0, pixels || first < 0 ? 0 : one->results[first],
          pixels || first < 0 ? 0 : other->results[first]);
}

/* The picture is painted into, and a graph that lives on tells what a new one does. */
static void
check_update (const Row *row, const Answer *before, gboolean in_aux, TesseraOpenclMode mode)
{
  Bench  old, fresh;
  Answer first, then, wanted;

  bench_init (&old, row, 5, -3, TRUE);
  first = look_at (&old, mode, 1);
  expect_same (row, &first, before, "before painting");
  paint (in_aux ? old.aux : old.input);
  then = look_at (&old, mode, 1);
  bench_init (&fresh, row, 5, -3, TRUE);
  paint (in_aux ? fresh.aux : fresh.input);
  wanted = look_at (&fresh, mode, 1);
  expect_same (row, &then, &wanted, in_aux ? "painted into aux" : "painted into");
  expect (memcmp (&then, &first, sizeof then) != 0, "%s %s: what is painted into %s changes nothing", row->operation, row->settings,
          in_aux ? "aux" : "the input");
  bench_clear (&old);
  bench_clear (&fresh);
}

static void
check_laws (const Row *row, const Answer *right, TesseraOpenclMode mode)
{
  static const gint threads[] = { 1, 5, 2 };
  Answer            other = answer_of (row, 5, -3, TRUE, mode, 1);

  expect_same (row, &other, right, mode == TESSERA_OPENCL_OFF ? "again" : "on the device");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    {
      g_object_set (gegl_config (), "threads", threads[i], "tile-width", 33, "tile-height", 18, NULL);
      other = answer_of (row, 5, -3, TRUE, mode, 1);
      expect_same (row, &other, right, "other threads and tiles");
    }
  g_object_set (gegl_config (), "tile-width", 128, "tile-height", 128, NULL);
  other = answer_of (row, 5, -3, TRUE, mode, 3);
  expect_same (row, &other, right, "in nine rectangles");
  other = answer_of (row, -100000, 1 << 20, TRUE, mode, 1);
  expect_same (row, &other, right, "moved");
  if (! row->has_aux)                   /* else the picture goes on, with its alpha */
    {
      other = answer_of (row, 5, -3, FALSE, mode, 1);
      expect_same (row, &other, right, "with another alpha");
    }
  check_update (row, right, FALSE, mode);
  if (row->has_aux)
    check_update (row, right, TRUE, mode);
}

void
sequence_laws (void)
{
  tessera_set_proof (FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const Answer right = answer_of (&rows[i], 5, -3, TRUE, TESSERA_OPENCL_OFF, 1);

      check_laws (&rows[i], &right, TESSERA_OPENCL_OFF);
      if (tessera_device_name ())
        check_laws (&rows[i], &right, TESSERA_OPENCL_FORCE);
      else
        g_print ("there is no device\n");
    }
}
