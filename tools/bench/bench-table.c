/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is measured: our operation beside GEGL's counterpart.  A new filter is one
 * row; a property that is not named keeps its default.
 */
#include "bench.h"

#include <string.h>

#define BLUR       "tessera:motion-blur length=40 angle=45"
/* tessera:bilateral-filter runs the same code: it has no rows of its own. */
#define GRID_OF(guide) "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.1 tone=linear guide=" guide
#define GRID       GRID_OF ("channels")
#define GEGL_BLUR  "gegl:motion-blur-linear length=40 angle=45"
#define GEGL_GRID  "gegl:bilateral-filter blur-radius=8"
/* @full3, @full5 (bench-graph.c). */
#define FULL_3 "b2=1 b3=8 b4=15 c2=14 c3=26 c4=7 d2=27 d3=13 d4=30 divisor=141"

#define FULL_5 \
  "a1=1 a2=8 a3=15 a4=22 a5=29 b1=14 b2=26 b3=7 b4=19 " \
  "b5=31 c1=27 c2=13 c3=30 c4=16 c5=2 d1=9 d2=31 d3=22 " \
  "d4=13 d5=4 e1=22 e2=18 e3=14 e4=10 e5=6 divisor=409"

const BenchRow bench_rows[] = {
  { .title = "motion-blur length 40, angle 45", .ours = BLUR, .rival = GEGL_BLUR },
  { .title = "bilateral-grid channels (8, 0.1)", .ours = GRID, .rival = GEGL_GRID },
  { .title = "bilateral-grid luminance (8, 0.1)", .ours = GRID_OF ("luminance"), .rival = GEGL_GRID },
  { .title = "gaussian-blur sigma 1.5", .ours = "tessera:gaussian-blur std-dev-x=1.5 std-dev-y=1.5",
    .rival = "gegl:gaussian-blur std-dev-x=1.5 std-dev-y=1.5", .peer = "gaussian 1.5" },
  { .title = "gaussian-blur sigma 10", .ours = "tessera:gaussian-blur std-dev-x=10 std-dev-y=10",
    .rival = "gegl:gaussian-blur std-dev-x=10 std-dev-y=10", .peer = "stack 10" },
  { .title = "gaussian-blur sigma 40", .ours = "tessera:gaussian-blur std-dev-x=40 std-dev-y=40",
    .rival = "gegl:gaussian-blur std-dev-x=40 std-dev-y=40", .peer = "stack 40" },
  { .title = "unsharp-mask (1.5, 0.5)", .ours = "tessera:unsharp-mask std-dev=1.5 amount=0.5",
    .rival = "gegl:unsharp-mask std-dev=1.5 scale=0.5", .peer = "unsharp 1.5" },
  { .title = "convolution 3x3, full rank", .ours = "tessera:convolution kernel=@full3",
    .rival = "gegl:convolution-matrix " FULL_3, .peer = "filter 3" },
  { .title = "convolution 5x5, not separable", .ours = "tessera:convolution kernel=@full5",
    .rival = "gegl:convolution-matrix " FULL_5, .peer = "filter 5" },
  { .title = "convolution 7x7, full rank", .ours = "tessera:convolution kernel=@full7", .peer = "filter 7" },
  { .title = "convolution 13x13, separable", .ours = "tessera:convolution kernel=@separable13", .peer = "separable 13" },
  { .title = "convolution 13x13, not separable", .ours = "tessera:convolution kernel=@full13", .peer = "filter 13" },
  { .title = "convolution 31x31, separable", .ours = "tessera:convolution kernel=@separable31", .peer = "separable 31" },
  { .title = "convolution 31x31, full rank", .ours = "tessera:convolution kernel=@full31", .peer = "filter 31" },
  { .title = "mean-blur radius 10", .ours = "tessera:mean-blur radius=10", .rival = "gegl:box-blur radius=10",
    .peer = "box 10" },
  { .title = "median-blur radius 1", .ours = "tessera:median-blur radius=1", .rival = "gegl:median-blur radius=1",
    .peer = "median 1" },
  { .title = "median-blur radius 2", .ours = "tessera:median-blur radius=2", .rival = "gegl:median-blur radius=2",
    .peer = "median 2" },
  { .title = "median-blur radius 3", .ours = "tessera:median-blur radius=3", .rival = "gegl:median-blur radius=3" },
  { .title = "median-blur radius 10", .ours = "tessera:median-blur radius=10", .rival = "gegl:median-blur radius=10" },
  { .title = "sobel magnitude of luminance", .ours = "tessera:sobel", .rival = "gegl:edge-sobel", .peer = "sobel",
    .result = "Y~ float" },
  { .title = "sobel magnitude of channels", .ours = "tessera:sobel input-channel=channels tone=linear",
    .rival = "gegl:edge-sobel" },
  { .title = "cielab forward", .ours = "tessera:cielab encoding=raw", .rival = "gegl:nop", .peer = "lab",
    .rival_result = "CIE Lab alpha float" },
  { .title = "cielab forward, beside the formula", .ours = "tessera:cielab encoding=raw", .peer = "formula cielab" },
  { .title = "cielab inverse", .ours = "tessera:cielab encoding=raw direction=inverse", .result = "R'G'B'A float" },
  { .title = "equalize luminance", .ours = "tessera:equalize clip-limit=0", .rival = "gegl:stretch-contrast" },
  { .title = "equalize channels", .ours = "tessera:equalize clip-limit=0 mode=channels", .rival = "gegl:stretch-contrast" },
  { .title = "equalize CLAHE (2, 8 x 8 tiles)", .ours = "tessera:equalize clip-limit=2", .peer = "clahe 2" },
  { .title = "label random dots, index", .ours = "tessera:label result=index", .peer = "labels",
    .dots = TRUE, .result = "Y float" },
  { .title = "label random dots, colors", .ours = "tessera:label", .dots = TRUE },

  { .title = "chain of two: motion-blur, bilateral-grid",
    .ours = BLUR " | " GRID, .rival = GEGL_BLUR " | " GEGL_GRID },
  { .title = "chain of four: the same twice",
    .ours = BLUR " | " GRID " | " BLUR " | " GRID,
    .rival = GEGL_BLUR " | " GEGL_GRID " | " GEGL_BLUR " | " GEGL_GRID },

  { .title = "thesis: cielab", .ours = "tessera:cielab encoding=raw" },
  { .title = "thesis: motion blur (10 px, 45 degrees)", .ours = "tessera:motion-blur length=10 angle=45" },
  { .title = "thesis: unsharp mask (1.5, 0.5, 0.5)",
    .ours = "tessera:unsharp-mask std-dev=1.5 amount=0.5 threshold=0.5" },
  { .title = "thesis: bilateral filter (8, 0.05)",
    .ours = "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.05 tone=linear guide=channels" },
  { .title = NULL }
};

gint
bench_steps (const gchar *chain)
{
  gchar **steps = g_strsplit (chain, " | ", -1);
  gint    n = g_strv_length (steps);

  g_strfreev (steps);
  return n;
}

/* `names`: a title, or parts of titles separated by "/"; NULL: all.  Chains must be
 * asked for, by `chains` or by a part that begins with "chain"; so must the thesis's rows. */
gboolean
bench_row_wanted (const BenchRow *row, const gchar *names, gboolean chains)
{
  const gboolean is_chain = bench_steps (row->ours) > 1;
  const gboolean is_thesis = g_str_has_prefix (row->title, "thesis");
  gchar        **parts;
  gboolean       wanted = FALSE;

  if (! names || ! *names)
    return (chains || ! is_chain) && ! is_thesis;
  for (const BenchRow *other = bench_rows; other->title; other++)
    if (strcmp (other->title, names) == 0)
      return row == other;
  parts = g_strsplit (names, "/", -1);
  for (gint i = 0; parts[i] && ! wanted; i++)
    wanted = *parts[i] && strstr (row->title, parts[i])
             && (chains || ! is_chain || g_str_has_prefix (parts[i], "chain"))
             && (! is_thesis || g_str_has_prefix (parts[i], "thesis"));
  g_strfreev (parts);
  return wanted;
}

gchar *
bench_missing (const gchar *chain)
{
  gchar **steps = g_strsplit (chain, " | ", -1);
  gchar  *missing = NULL;

  for (gint i = 0; steps[i] && ! missing; i++)
    {
      gchar **words = g_strsplit (steps[i], " ", 2);

      if (! gegl_has_operation (words[0]))
        missing = g_strdup (words[0]);
      g_strfreev (words);
    }
  g_strfreev (steps);
  return missing;
}
