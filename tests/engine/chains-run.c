/* SPDX-License-Identifier: LGPL-3.0-or-later */
#include "chains.h"
#include "../../tools/connect.h"

#include <string.h>

static const ChainStep steps[] = {
  { "tessera:gaussian-blur", "std-dev-x", 0.3, 6 }, { "tessera:mean-blur", "radius", 1, 9 }, { "tessera:unsharp-mask", "amount", 0.1, 3 },
  { "tessera:median-blur", "radius", 1, 5 }, { "tessera:motion-blur", "length", 1, 20 }, { "tessera:bilateral-filter", "range-sigma", 0.05, 0.5 },
  { "tessera:detail", "texture", 0.1, 1 }, { "tessera:convolution", "offset", -0.2, 0.2 }, { "tessera:equalize", "clip-limit", 1, 4 },
  { "tessera:cielab", NULL, 0, 0 }, { "tessera:sharpen-lens", "radius", 0.4, 1.5 }, { "tessera:sobel", NULL, 0, 0 }, { "tessera:template", NULL, 0, 0 }
};

static gint
draw (GRand *rand, gint from, gint to)
{
  return g_rand_int_range (rand, from, to + 1);
}

ChainCase
chain_drawn (guint seed)
{
  static const gchar *const formats[] = { "RGBA float", "R'G'B'A float", "RaGaBaA float", "R'G'B'A u8", "R'G'B' u8", "Y' u8", "RGBA half", "Y float",
                                          "RGB u16", "R'G'B'A u16" };
  GRand *rand = g_rand_new_with_seed (seed);
  ChainCase   c = { .seed = seed, .format = formats[draw (rand, 0, G_N_ELEMENTS (formats) - 1)], .n = draw (rand, 2, CHAIN_MOST_STEPS) };

  c.extent = (GeglRectangle) { draw (rand, -200, 200), draw (rand, -200, 200), draw (rand, 1, 300), draw (rand, 1, 300) };
  c.roi = c.extent;
  if (draw (rand, 0, 2) == 0)
    c.roi = (GeglRectangle) { c.extent.x + c.extent.width / 3, c.extent.y + c.extent.height / 4, (c.extent.width + 1) / 2, (c.extent.height + 1) / 2 };
  for (guint i = 0; i < c.n; i++)
    {
      c.steps[i] = &steps[draw (rand, 0, G_N_ELEMENTS (steps) - 1)];
      c.numbers[i] = g_rand_double_range (rand, c.steps[i]->least, MAX (c.steps[i]->most, 1));
      c.dangers[i] = draw (rand, 0, 1) ? NOTHING : draw (rand, 0, N_DANGERS - 1);
    }
  c.has_nop = draw (rand, 0, 3) == 0;
  c.has_second = draw (rand, 0, 3) == 0;
  c.joins = draw (rand, 0, 1);
  c.proves = draw (rand, 0, 7) == 0;
  c.remembers = draw (rand, 0, 1);
  c.evicts = draw (rand, 0, 3) == 0;
  c.memory = draw (rand, 0, 3) == 0 ? draw (rand, 1, 6) : 0;
  c.has_graph = draw (rand, 0, 3) == 0;
  g_rand_free (rand);
  return c;
}

gchar *
chain_name (const ChainCase *c)
{
  GString *name = g_string_new (NULL);

  g_string_printf (name, "--cases 1 --seed %u: %s %dx%d%+d%+d, of it %dx%d%+d%+d%s%s%s%s%s%s, %u MiB:", c->seed, c->format, c->extent.width, c->extent.height,
                   c->extent.x, c->extent.y, c->roi.width, c->roi.height, c->roi.x, c->roi.y, c->has_nop ? ", nop" : "",
                   c->has_second ? c->joins ? ", second of ours" : ", second of GEGL's" : "", c->proves ? ", proven" : "", c->remembers ? ", remembered" : "", c->evicts ? ", tiles evicted" : "", c->has_graph ? ", the last in a graph of its own" : "", c->memory);
  for (guint i = 0; i < c->n; i++)
    {
      g_string_append_printf (name, " %s", c->steps[i]->operation + strlen ("tessera:"));
      if (c->steps[i]->number)
        g_string_append_printf (name, " %s=%.3f", c->steps[i]->number, c->numbers[i]);
      if (i + 1 < c->n)
        g_string_append_printf (name, " | %s |", chain_danger_names[c->dangers[i]]);
    }
  return g_string_free (name, FALSE);
}

ChainCase
chain_quiet (gint width, gint height)
{
  return (ChainCase) { .seed = 7, .format = "RGBA float", .extent = { 0, 0, width, height }, .roi = { 0, 0, width, height }, .n = 4,
                       .steps = { &steps[4], &steps[1], &steps[3], &steps[0] }, .numbers = { 10, 3, 2, 1.5 } };
}

ChainCase
chain_tight (void)
{
  return (ChainCase) { .seed = 7, .format = "RGBA float", .extent = { 0, 0, 700, 500 }, .roi = { 0, 0, 700, 500 }, .n = 2,
                       .steps = { &steps[1], &steps[6] }, .numbers = { 2, 0.5 }, .memory = 12 };
}

GeglBuffer *
chain_picture (const ChainCase *c)
{
  GRand       *rand = g_rand_new_with_seed (c->seed + 1);
  const gsize  n = 4 * (gsize) c->extent.width * c->extent.height;
  gfloat      *pixels = g_new (gfloat, n);
  GeglBuffer  *buffer = gegl_buffer_new (&c->extent, babl_format (c->format));

  for (gsize i = 0; i < n; i++)
    pixels[i] = g_rand_int_range (rand, 0, 65536) / 65535.0f;
  gegl_buffer_set (buffer, NULL, 0, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE);
  g_free (pixels);
  g_rand_free (rand);
  return buffer;
}

/* --------------------------------------------------------------------- run -- */

static GeglNode *
behind (GeglNode *graph, GeglNode *before, const gchar *operation)
{
  GeglNode *node = gegl_node_new_child (graph, "operation", operation, NULL);

  gegl_node_link (before, node);
  return node;
}

static GeglNode *
step_behind (const ChainCase *c, guint i, GeglNode *graph, GeglNode *before)
{
  GeglNode   *node = behind (graph, before, c->steps[i]->operation);
  GParamSpec *spec = c->steps[i]->number ? gegl_node_find_property (node, c->steps[i]->number) : NULL;

  if (c->steps[i]->number && ! spec)
    g_error ("%s has no %s", c->steps[i]->operation, c->steps[i]->number);
  if (spec && spec->value_type == G_TYPE_INT)
    gegl_node_set (node, spec->name, (gint) (c->numbers[i] + 0.5), NULL);
  else if (spec)
    gegl_node_set (node, spec->name, c->numbers[i], NULL);
  return node;
}

/* In a graph of its own, as an application's filters are. */
static GeglNode *
graph_behind (const ChainCase *c, guint i, GeglNode *graph, GeglNode *before)
{
  GeglNode *inner = gegl_node_new ();

  gegl_node_add_child (graph, inner);
  gegl_node_link (step_behind (c, i, inner, gegl_node_get_input_proxy (inner, "input")), gegl_node_get_output_proxy (inner, "output"));
  gegl_node_link (before, inner);
  g_object_unref (inner);
  return inner;
}

static GeglNode *
chain (const ChainCase *c, GeglNode *graph, GeglBuffer *input)
{
  GeglNode *at = gegl_node_new_child (graph, "operation", "gegl:buffer-source", "buffer", input, NULL), *fork = NULL;

  for (guint i = 0; i < c->n; i++)
    {
      at = c->has_graph && i + 1 == c->n ? graph_behind (c, i, graph, at) : step_behind (c, i, graph, at);
      if (i + 1 == c->n)
        break;
      if (i == 0)
        fork = at;
      if (c->dangers[i] != NOTHING || c->has_nop)
        {
          at = behind (graph, at, "test:tap");
          chain_tap_set (at, c->dangers[i]);
        }
      if (c->has_nop)
        at = behind (graph, at, "gegl:nop");
    }
  if (c->has_second && fork)
    {
      GeglNode *join = behind (graph, at, "gegl:add");

      gegl_node_connect_to (behind (graph, fork, c->joins ? "tessera:mean-blur" : "gegl:invert-linear"), "output", join, "aux");
      at = join;
    }
  return at;
}

/* Where the second one comes before what is done to the buffer, or behind it, is GEGL's choice, but the same each time. */
gfloat *
chain_compute (const ChainCase *c, GeglBuffer *input)
{
  GeglNode *graph = gegl_node_new ();
  gfloat   *pixels = g_new0 (gfloat, 4 * (gsize) c->roi.width * c->roi.height);

  gegl_node_blit (chain (c, graph, input), 1.0, &c->roi, babl_format ("RGBA float"), pixels, GEGL_AUTO_ROWSTRIDE, GEGL_BLIT_DEFAULT);
  g_object_unref (graph);
  return pixels;
}

gfloat *
chain_run (const ChainCase *c, GeglBuffer *input, TesseraOpenclMode mode)
{
  const gboolean is_on_device = mode != TESSERA_OPENCL_OFF;
  gfloat        *pixels;

  chain_tap_fails (is_on_device);
  tessera_set_opencl_mode (mode);
  tessera_set_memory (is_on_device ? c->memory : 0);
  tessera_set_proof (is_on_device && c->proves);
  tessera_set_remembering (c->remembers);
  g_object_set (gegl_config (), "tile-cache-size", c->evicts ? G_GUINT64_CONSTANT (200000) : G_GUINT64_CONSTANT (1) << 30, NULL);
  pixels = chain_compute (c, input);
  tessera_set_fault (NULL);
  tessera_set_memory (0);
  tessera_set_opencl_mode (TESSERA_OPENCL_OFF);
  return pixels;
}

/* Nobody asks for what stays: an operation that remembers looks at all pixels, and so does the proof of a count. */
gboolean
chain_is_quiet (const ChainCase *c)
{
  for (guint i = 0; i < c->n; i++)
    if ((i + 1 < c->n && c->dangers[i] != NOTHING) || (c->proves && strcmp (c->steps[i]->operation, "tessera:equalize") == 0))
      return FALSE;
  return ! c->memory && ! c->remembers;
}
