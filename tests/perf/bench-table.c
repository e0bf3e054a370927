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

/* Kernels of ones (two passes), and the same with one weight of 2, which has full cost. */
#define CONVOLUTION "tessera:convolution kernel="
#define ONES_3      "1,1,1"
#define ONES_7      "1,1,1,1,1,1,1"
#define ONES_13     ONES_7 "," ONES_3 "," ONES_3
#define TWO_13      ONES_7 "," ONES_3 ",1,1,2"
#define ONES_31     ONES_13 "," ONES_13 ",1,1," ONES_3
#define TWO_31      ONES_13 "," ONES_13 ",1,1,1,1,2"
#define TIMES_3(r)  r ";" r ";" r
#define TIMES_6(r)  TIMES_3 (r) ";" TIMES_3 (r)
#define TIMES_12(r) TIMES_6 (r) ";" TIMES_6 (r)
#define TIMES_30(r) TIMES_12 (r) ";" TIMES_12 (r) ";" TIMES_6 (r)

const BenchRow bench_rows[] = {
  { .title = "motion-blur length 40, angle 45", .ours = BLUR, .rival = GEGL_BLUR },
  { .title = "bilateral-grid channels (8, 0.1)", .ours = GRID, .rival = GEGL_GRID },
  { .title = "bilateral-grid luminance (8, 0.1)", .ours = GRID " guide=luminance", .rival = GEGL_GRID },
  { .title = "convolution 3x3, full", .ours = CONVOLUTION "1,2,3;4,5,6;7,8,10",
    .rival = "gegl:convolution-matrix a1=0 a2=0 a3=0 a4=0 a5=0 b1=0 b2=1 b3=2 b4=3 b5=0 c1=0 c2=4 c3=5 c4=6 c5=0 "
             "d1=0 d2=7 d3=8 d4=10 d5=0 e1=0 e2=0 e3=0 e4=0 e5=0 alpha=false border=clamp" },
  { .title = "convolution 3x3, two passes", .ours = CONVOLUTION TIMES_3 (ONES_3) },
  { .title = "convolution 7x7, full", .ours = CONVOLUTION TIMES_6 (ONES_7) ";1,1,1,1,1,1,2" },
  { .title = "convolution 7x7, two passes", .ours = CONVOLUTION TIMES_6 (ONES_7) ";" ONES_7 },
  { .title = "convolution 13x13, full", .ours = CONVOLUTION TIMES_12 (ONES_13) ";" TWO_13 },
  { .title = "convolution 13x13, two passes", .ours = CONVOLUTION TIMES_12 (ONES_13) ";" ONES_13 },
  { .title = "convolution 31x31, full", .ours = CONVOLUTION TIMES_30 (ONES_31) ";" TWO_31 },
  { .title = "convolution 31x31, two passes", .ours = CONVOLUTION TIMES_30 (ONES_31) ";" ONES_31 },
  { .title = "convolution 9x9 diagonal", .ours = "tessera:convolution preset=motion" },
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
