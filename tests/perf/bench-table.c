/* SPDX-License-Identifier: LGPL-3.0-or-later
 *
 * What is measured: our operation beside GEGL's counterpart.  A new filter is one
 * row; a property that is not named keeps its default.
 */
#include "bench.h"

#include <string.h>

#define BLUR       "tessera:motion-blur length=40 angle=45"
#define GRID       "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.1"
#define GEGL_BLUR  "gegl:motion-blur-linear length=40 angle=45"
#define GEGL_GRID  "gegl:bilateral-filter blur-radius=8"

const BenchRow bench_rows[] = {
  { .title = "motion-blur length 40, angle 45", .ours = BLUR, .rival = GEGL_BLUR },
  { .title = "bilateral-grid channels (8, 0.1)", .ours = GRID, .rival = GEGL_GRID },
  { .title = "bilateral-grid luminance (8, 0.1)", .ours = GRID " guide=luminance", .rival = GEGL_GRID },
  { .title = "equalize luminance", .ours = "tessera:equalize", .rival = "gegl:stretch-contrast" },
  { .title = "equalize channels", .ours = "tessera:equalize mode=channels", .rival = "gegl:stretch-contrast" },
  { .title = "equalize CLAHE (2, 8 x 8 tiles)", .ours = "tessera:equalize clip-limit=2", .peer = "clahe 2" },
  { .title = "label random dots, index", .ours = "tessera:label output=index", .peer = "labels",
    .result = "Y float", .dots = TRUE },
  { .title = "label random dots, colors", .ours = "tessera:label", .dots = TRUE },
  { .title = "chain of two: motion-blur, bilateral-grid",
    .ours = BLUR " | " GRID, .rival = GEGL_BLUR " | " GEGL_GRID },
  { .title = "chain of four: the same twice",
    .ours = BLUR " | " GRID " | " BLUR " | " GRID,
    .rival = GEGL_BLUR " | " GEGL_GRID " | " GEGL_BLUR " | " GEGL_GRID },
  { .title = "thesis: motion blur (10 px, 45 degrees)", .ours = "tessera:motion-blur length=10 angle=45" },
  { .title = "thesis: bilateral filter (8, 0.05)",
    .ours = "tessera:bilateral-grid spatial-sigma=8 range-sigma=0.05" },
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
