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
  { "motion-blur length 40, angle 45",   BLUR,                     GEGL_BLUR },
  { "gaussian-blur sigma 1.5", "tessera:gaussian-blur std-dev-x=1.5 std-dev-y=1.5",
    "gegl:gaussian-blur std-dev-x=1.5 std-dev-y=1.5" },
  { "gaussian-blur sigma 10", "tessera:gaussian-blur std-dev-x=10 std-dev-y=10",
    "gegl:gaussian-blur std-dev-x=10 std-dev-y=10" },
  { "gaussian-blur sigma 40", "tessera:gaussian-blur std-dev-x=40 std-dev-y=40",
    "gegl:gaussian-blur std-dev-x=40 std-dev-y=40" },
  { "unsharp-mask sigma 3, amount 0.5", "tessera:unsharp-mask", "gegl:unsharp-mask std-dev=3 scale=0.5" },
  { "bilateral-grid channels (8, 0.1)",  GRID,                     GEGL_GRID },
  { "bilateral-grid luminance (8, 0.1)", GRID " guide=luminance",  GEGL_GRID },
  { "chain of two: motion-blur, bilateral-grid",
    BLUR " | " GRID, GEGL_BLUR " | " GEGL_GRID },
  { "chain of four: the same twice",
    BLUR " | " GRID " | " BLUR " | " GRID,
    GEGL_BLUR " | " GEGL_GRID " | " GEGL_BLUR " | " GEGL_GRID },
  { NULL, NULL, NULL }
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
 * asked for, by `chains` or by a part that begins with "chain". */
gboolean
bench_row_wanted (const BenchRow *row, const gchar *names, gboolean chains)
{
  const gboolean is_chain = bench_steps (row->ours) > 1;
  gchar        **parts;
  gboolean       wanted = FALSE;

  if (! names || ! *names)
    return chains || ! is_chain;
  for (const BenchRow *other = bench_rows; other->title; other++)
    if (strcmp (other->title, names) == 0)
      return row == other;
  parts = g_strsplit (names, "/", -1);
  for (gint i = 0; parts[i] && ! wanted; i++)
    wanted = *parts[i] && strstr (row->title, parts[i])
             && (chains || ! is_chain || g_str_has_prefix (parts[i], "chain"));
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
