/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is measured: our operation beside GEGL's counterpart.  The rows of a filter stand in its table, tests/check/filters;
 * one that has none there is timed with its defaults.  Here are chains and what the thesis measured.
 */
#include "bench.h"

#include <string.h>

#include "check.h"

#define BLUR       "tessera:motion-blur length=40 angle=45"
#define GRID_OF(guide) "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.1 tone=linear guide=" guide
#define GRID       GRID_OF ("channels")
#define GEGL_BLUR  "gegl:motion-blur-linear length=40 angle=45"
#define GEGL_GRID  "gegl:bilateral-filter blur-radius=8"
static const BenchRow more[] = {
  { .title = "chain of two: motion-blur, bilateral-grid",
    .ours = BLUR " | " GRID, .rival = GEGL_BLUR " | " GEGL_GRID },
  { .title = "chain of four: the same twice",
    .ours = BLUR " | " GRID " | " BLUR " | " GRID,
    .rival = GEGL_BLUR " | " GEGL_GRID " | " GEGL_BLUR " | " GEGL_GRID },
  { .title = "chain of four others: median, Gaussian, mean, unsharp",
    .ours = "tessera:median-blur radius=2 | tessera:gaussian-blur std-dev-x=3 std-dev-y=3 | tessera:mean-blur radius=4 | "
            "tessera:unsharp-mask std-dev=1.5" },
  { .title = "chain of two of these: median, Gaussian",
    .ours = "tessera:median-blur radius=2 | tessera:gaussian-blur std-dev-x=3 std-dev-y=3" },
  { .title = "thesis: cielab", .ours = "tessera:cielab encoding=raw" },
  { .title = "thesis: motion blur (10 px, 45 degrees)", .ours = "tessera:motion-blur length=10 angle=45" },
  { .title = "thesis: unsharp mask (1.5, 0.5, 0.5)",
    .ours = "tessera:unsharp-mask std-dev=1.5 amount=0.5 threshold=0.5" },
  { .title = "thesis: bilateral filter (8, 0.05)",
    .ours = "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.05 tone=linear guide=channels" },
  { .title = "thesis: Harris", .ours = "tessera:harris-corners result=corners", .result = "Y float" },
  /* as there: places alone, in four octaves of two intervals, from the picture's own size on */
  { .title = "thesis: SIFT", .ours = "tessera:sift result=mask octaves=4 intervals=2 upsample=false", .result = "Y float" }
};

#define ROW(name) &check_##name,
static const CheckFilter *const filters[] = { CHECK_INSTALLED (ROW) };
#undef ROW

const BenchRow *
bench_rows (void)
{
  static GArray *rows;

  if (rows)
    return (const BenchRow *) rows->data;
  rows = g_array_new (TRUE, TRUE, sizeof (BenchRow));           /* a row of zeroes at the end */
  for (guint i = 0; i < G_N_ELEMENTS (filters); i++)
    {
      const BenchRow  defaults[] = { { .title = g_strconcat (filters[i]->name, ", defaults", NULL), .ours = filters[i]->operation },
                                     { .title = NULL } };
      const BenchRow *row = filters[i]->timed ? filters[i]->timed : defaults;

      for (; row->title; row++)
        g_array_append_val (rows, *row);
    }
  g_array_append_vals (rows, more, G_N_ELEMENTS (more));
  return (const BenchRow *) rows->data;
}

gint
bench_steps (const gchar *chain)
{
  g_auto (GStrv) steps = g_strsplit (chain, " | ", -1);

  return g_strv_length (steps);
}

/* `names`: a title, or parts of titles separated by "/"; NULL: all.  Chains must be
 * asked for, by `chains` or by a part that begins with "chain"; so must the thesis's rows. */
gboolean
bench_row_wanted (const BenchRow *row, const gchar *names, gboolean chains)
{
  const gboolean is_chain = bench_steps (row->ours) > 1;
  const gboolean is_thesis = g_str_has_prefix (row->title, "thesis");
  g_auto (GStrv) parts = NULL;
  gboolean       wanted = FALSE;

  if (! names || ! *names)
    return (chains || ! is_chain) && ! is_thesis;
  for (const BenchRow *other = bench_rows (); other->title; other++)
    if (strcmp (other->title, names) == 0)
      return row == other;
  parts = g_strsplit (names, "/", -1);
  for (gint i = 0; parts[i] && ! wanted; i++)
    wanted = *parts[i] && strstr (row->title, parts[i])
             && (chains || ! is_chain || g_str_has_prefix (parts[i], "chain"))
             && (! is_thesis || g_str_has_prefix (parts[i], "thesis"));
  return wanted;
}

gchar *
bench_missing (const gchar *chain)
{
  g_auto (GStrv) steps = g_strsplit (chain, " | ", -1);
  gchar  *missing = NULL;

  for (gint i = 0; steps[i] && ! missing; i++)
    {
      g_auto (GStrv) words = g_strsplit (steps[i], " ", 2);

      if (! gegl_has_operation (words[0]))
        missing = g_strdup (words[0]);
    }
  return missing;
}
